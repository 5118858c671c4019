// What a command writes where: its answer alone on stdout, what it logs and why it refuses on
// stderr, so that a program reads stdout of any verb, and a person no JSON between rows.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { logOfCommand } from '../../adapters/log/pino.js';
import { outputOf, runCommand } from '../support/servers/command.js';
import { finding } from '../support/servers/command-verbs.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const env = {
  PONTE_DATA_DIR: join(temporaryFolder(), 'data'),
  // Each command says so in its log.
  PONTE_PROT: '1',
  PONTE_LOG_LEVEL: 'debug',
};
/** They write files beside their output, or end what others need. */
const apart = ['backup --to backups', 'audit export --to audit.jsonl', 'release'];
const verbs = finding.filter((words) => !apart.includes(words as (typeof apart)[number]));

await outputOf(env, ['org', 'create', '--name', 'Acme', '--json']);

describe('with --json, stdout is one JSON document, also where it refuses', () => {
  for (const words of verbs) {
    test(words, async () => {
      const { stdout, stderr } = await runCommand(env, [...words.split(' '), '--json']);
      assert.equal(stdout.trimEnd().split('\n').length, 1, stdout);
      assert.equal(typeof JSON.parse(stdout), 'object');
      assert.match(stderr, /"PONTE_PROT is not a variable of Ponte/);
    });
  }
});

describe('without it, no line of the log is on stdout, and a refusal is on stderr alone', () => {
  for (const words of verbs) {
    test(words, async () => {
      const { status, stdout, stderr } = await runCommand(env, words.split(' '));
      assert.doesNotMatch(stdout, /^\{|PONTE_PROT/m);
      const refused = status >= 2 && status <= 7;
      assert.equal(/^ponte: /m.test(stderr), refused, `${status} ${stderr}`);
      if (refused) assert.equal(stdout, '');
    });
  }
});

test('on a terminal the log of a command is lines for people', () => {
  let written = '';
  const write = (text: string) => (written += text);
  logOfCommand('info', { write, isTTY: true }).error('alert', { alert: 'look', tries: 2 });
  assert.equal(written, 'ponte: error: alert (alert look, tries 2)\n');
  written = '';
  logOfCommand('info', { write }).error('alert', { alert: 'look' });
  assert.equal(JSON.parse(written).alert, 'look');
});

test('a command that is written wrong says the same to programs as to people', async () => {
  for (const words of ['payments list --limit 0', 'payments list --cursr x', 'paymints']) {
    const { status, stdout, stderr } = await runCommand(env, [...words.split(' '), '--json']);
    const { error, message } = JSON.parse(stdout) as Readonly<Record<string, string>>;
    assert.deepEqual([status, error], [2, 'ValidationError']);
    assert.equal(stderr.startsWith(`ponte: ${message}\n`), true, stderr);
  }
});
