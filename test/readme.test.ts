// README.md and the pages of adapters/docs are true: commands run as written, tables equal those of
// the code.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { createPrometheusMetrics } from '../adapters/metrics/prometheus.js';
import { magicValues } from '../adapters/partner/fake-values.js';
import { openSqliteStore } from '../adapters/storage/sqlite/store.js';
import { exitCodes } from '../cli/exit-codes.js';
import { readQueueStats } from '../core/usecases/service/queue-stats.js';
import { variableNames } from '../host/config.js';
import { runCommand } from './support/servers/command.js';
import { startHostProcess } from './support/servers/host-process.js';
import { projectFiles, projectRoot } from './support/source-tree.js';
import { temporaryFolder } from './support/temporary-folder.js';

const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8');
const pages = projectFiles().filter(({ path }) => path.startsWith('adapters/docs/'));
const texts = [readme, ...pages.map(({ text }) => text)];

/** The text under a heading of the second level, or under a page's title. */
function section(heading: string): string {
  const parts = texts.flatMap((text) => text.replace(/^# /, '').split('\n## '));
  const text = parts.find((part) => part.startsWith(`${heading}\n`));
  assert.ok(text !== undefined, heading);
  return text;
}

/** The first cells of the table that begins with this heading. */
function firstCells(text: string, heading: string): readonly string[] {
  const table = text.slice(text.indexOf(`| ${heading} |`)).split('\n\n')[0] ?? '';
  const cells = table.split('\n').flatMap((line) => /^\| ([^-|].*?) \|/.exec(line)?.[1] ?? []);
  return cells.slice(1);
}

function codeWords(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? '');
}

async function help(words: readonly string[]): Promise<string> {
  return (await runCommand({}, [...words, '--help'])).stdout;
}

/** The words under `Commands:` in the help of the program or of a noun. */
async function commandsOf(words: readonly string[]): Promise<readonly string[]> {
  const [, listed = ''] = (await help(words)).split('\nCommands:\n');
  const names = [...(listed.split('\n\n')[0] ?? '').matchAll(/^ {2}([a-z-]+)/gm)];
  return names.map(([, name]) => name ?? '').filter((name) => name !== 'help');
}

test('the configuration table names every variable, and no other', () => {
  const cells = firstCells(section('Settings'), 'variable').flatMap(codeWords);
  assert.deepEqual(cells.toSorted(), [...variableNames].toSorted());
});

test('the table of commands names every command, and no other', async () => {
  const known: string[] = [];
  for (const noun of await commandsOf([])) {
    const verbs = await commandsOf([noun]);
    known.push(...(verbs.length === 0 ? [noun] : verbs.map((name) => `${noun} ${name}`)));
  }
  const documented = firstCells(section('Commands'), 'command').flatMap((cell) => {
    const [first = '', ...more] = codeWords(cell);
    return [first, ...more.map((name) => `${first.split(' ')[0]} ${name}`)];
  });
  assert.deepEqual(documented.toSorted(), known.toSorted());
});

test('the table of exit codes is that of the code', () => {
  const documented = [...section('Commands').matchAll(/^\| (\d) \| (.*) \|$/gm)];
  assert.deepEqual(
    documented.map(([, code, meaning]) => [Number(code), meaning?.replaceAll('`', '')]),
    Object.values(exitCodes).map(([code, meaning]) => [code, meaning]),
  );
});

test('the table of magic values names every one, and no other', () => {
  const documented = firstCells(section('A first payment'), 'value').flatMap(codeWords);
  assert.deepEqual(documented.toSorted(), Object.keys(magicValues).toSorted());
});

test('the table of metrics names every one, and no other', async (t) => {
  const store = openSqliteStore({ path: ':memory:' });
  await store.migrate();
  const metrics = createPrometheusMetrics();
  const { port } = await metrics.listen('127.0.0.1', 0, {
    store: { ...store, connections: { total: 0, idle: 0, waiting: 0 } },
    queueStats: () => readQueueStats({ store, clock: { nowMs: Date.now } }),
    backupAgeMs: async () => 0,
    clockSkewMs: () => 0,
  });
  t.after(() => Promise.all([metrics.close(), store.close()]));
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const served = [...text.matchAll(/^# TYPE (ponte_\w+) /gm)].map(([, name]) => name);
  const documented = firstCells(section('Metrics'), 'name').flatMap(codeWords);
  assert.deepEqual(documented.toSorted(), served.toSorted());
  const queues = [...text.matchAll(/^ponte_queue_due\{queue="(\w+)"/gm)].map(([, name]) => name);
  const [, listed = ''] = /The queues are ([^.]*)\./.exec(section('Metrics')) ?? [];
  assert.deepEqual(codeWords(listed), queues);
});

test('the proxies of the manual log no query strings', () => {
  const tls = section('TLS');
  const format = /log_format .*/.exec(tls)?.[0] ?? '';
  assert.match(format, /\$uri/);
  assert.doesNotMatch(format, /\$(request|request_uri|args|query_string|http_\w+)\b/);
  const [, filter = ''] = /request>uri regexp (\S+) ""/.exec(tls) ?? [];
  for (const path of ['/r/abc', '/kyc/abc/phone', '/owner/abc/0', '/v1/documents/doc_1/content']) {
    assert.equal(`${path}?token=a?b&c=d`.replace(new RegExp(filter), ''), path);
  }
});

test('every npm script that is named exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const named = [...texts.join('').matchAll(/npm (?:run (?:-s )?([\w:]+)|(start|test)\b)/g)];
  assert.notEqual(named.length, 0);
  for (const [, script, short] of named) assert.ok((script ?? short ?? '') in scripts);
});

test('every file and folder that is named exists', () => {
  const named = firstCells(section('Code'), 'path').flatMap(codeWords);
  assert.notEqual(named.length, 0);
  for (const path of named) assert.ok(existsSync(join(projectRoot, path)), path);
});

test('the first payment runs as written and settles, and webhooks can be subscribed', async () => {
  const folder = temporaryFolder();
  const host = await startHostProcess({ PONTE_DATA_DIR: folder, PONTE_FAKE_PARTNER_DELAY_MS: '0' });
  try {
    const blocks = ['A first payment', 'Webhooks'].map((heading) => {
      const block = /```sh\n([\s\S]*?)```/.exec(section(heading))?.[1] ?? '';
      return block
        .replace('pk_test_…', `${host.key}`)
        .replaceAll('http://127.0.0.1:8080', host.url);
    });
    const script = `set -e\n${blocks[0]}\necho\n${blocks[1]}`;
    const { stdout } = await promisify(execFile)('sh', ['-c', script]);
    const answers = stdout.replaceAll('}{', '}\n{').trim().split('\n');
    const parsed = answers.map((text) => JSON.parse(text) as Readonly<Record<string, unknown>>);
    const [created, advanced, read, subscription] = parsed;
    assert.equal(created?.['status'], 'awaiting_buyer');
    assert.equal(advanced?.['id'], created?.['id']);
    assert.equal(read?.['externalId'], 'order-7');
    assert.match(String(subscription?.['secret']), /^whsec_/);
    for (let status = ''; status !== 'settled'; ) {
      const headers = { 'x-api-key': `${host.key}` };
      const response = await fetch(`${host.url}/v1/payments/ext_order-7`, { headers });
      status = String(((await response.json()) as { readonly status: string }).status);
      assert.notEqual(status, 'failed');
    }
  } finally {
    await host.kill();
  }
});
