// `ponte audit`: what commands leave in the log, and that a changed log fails its verification.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import SqliteConnection from 'better-sqlite3';
import type { Command } from 'commander';
import { authorityOf } from '../../cli/operator.js';
import { createProgram } from '../../cli/program.js';
import { headAfter } from '../../core/domain/payments/event.js';
import { runCommand } from '../support/servers/command.js';
import { projectFiles } from '../support/source-tree.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { valuesOf } from '../support/values-of.js';

const folder = temporaryFolder();
const anchors = join(folder, 'anchors.jsonl');
const env = { PONTE_DATA_DIR: folder, PONTE_LOG_LEVEL: 'silent' };
const ponte = (words: string) => runCommand(env, words.split(' '));

interface Json {
  readonly [name: string]: unknown;
}

async function json(words: string, status = 0): Promise<Json> {
  const { stdout, stderr, status: found } = await ponte(`${words} --json`);
  assert.equal(found, status, stderr);
  return JSON.parse(stdout) as Json;
}

/** They serve, change no row of the configured database, or replace it as a whole. */
const withoutOperator: readonly string[] = [
  'backup',
  'certify',
  'demo',
  'doctor',
  'listen',
  'login',
  'mcp',
  'migrate',
  'proof verify',
  'restore',
  'seed',
  'serve',
  'store copy',
];

const org = String((await json('org create --name Exporter'))['id']);
await json(`member add --org ${org} --email ana@acme.example --role owner`);
await json(`key create --org ${org} --mode live --name erp`);

test('each command that changes something is an entry with its operator and machine', async () => {
  const { data } = await json(`audit list --org ${org}`);
  const rows = data as readonly Json[];
  const actions = new Set(valuesOf(rows, 'action').toReversed());
  assert.deepEqual([...actions], ['org create', 'member add', 'key create']);
  for (const { actor, address } of rows) {
    assert.deepEqual(actor, { kind: 'operator', id: 'development' });
    assert.equal(address, hostname());
  }
});

/** The commands below one, each with its words. */
function commandsOf(parent: Command, words: readonly string[] = []): readonly [string, Command][] {
  return parent.commands.flatMap((command): readonly [string, Command][] => {
    const path = [...words, command.name()];
    return command.commands.length > 0 ? commandsOf(command, path) : [[path.join(' '), command]];
  });
}

test('a command works on the database as an operator, whose changes are entries', () => {
  const streams = { stdin: Readable.from(['']), stdout: process.stdout, stderr: process.stderr };
  const program = createProgram({ env: {}, ...streams, exitCode: 0 });
  const others = commandsOf(program).filter(([, one]) => authorityOf(one) === 'none');
  assert.deepEqual(others.map(([words]) => words).toSorted(), withoutOperator.toSorted());
  // Nothing else of the command line opens the configured database.
  const openers = projectFiles().filter(
    (file) =>
      file.path.startsWith('cli/') && /import\('[./]+host\/operator-access\.js'\)/.test(file.text),
  );
  assert.deepEqual(valuesOf(openers, 'path'), ['cli/operator.ts']);
});

test('commands that read, or only show what they would do, leave none', async () => {
  const before = (await json('audit verify'))['entries'];
  await json('org list');
  await json(`member list --org ${org}`);
  await json('prune --older-than 400d --dry-run');
  assert.equal((await json('audit verify'))['entries'], before);
});

test('for people the list has the names of operators and organizations', async () => {
  const { stdout } = await ponte(`audit list --org ${org}`);
  assert.match(stdout, /operator development .* org create +Exporter/);
});

test('help says who may give a command, with an example', async () => {
  const { stdout } = await ponte('key create --help');
  assert.match(stdout, /Signed by an operator; in\s+live\s+mode\s+another/);
  assert.match(stdout, /^Example: ponte key create --org org_1 --mode test --name ana$/m);
});

test('the list has pages', async () => {
  const first = await json('audit list --limit 2');
  const rest = await json(`audit list --limit 2 --cursor ${String(first['nextCursor'])}`);
  const rows = [...(first['data'] as readonly Json[]), ...(rest['data'] as readonly Json[])];
  const sequences = rows.map(({ sequence }) => Number(sequence));
  assert.deepEqual(
    sequences,
    sequences.toSorted((one, other) => other - one),
  );
  assert.equal(new Set(sequences).size, sequences.length);
});

test('an export can be verified by anybody', async () => {
  const file = join(folder, 'audit.jsonl');
  const { entries } = await json(`audit export --to ${file}`);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  assert.equal(lines.length, entries);
  let head: ReturnType<typeof headAfter> | null = null;
  for (const line of lines) {
    const { sequence, chainHash, body } = JSON.parse(line);
    head = headAfter(head, body);
    assert.deepEqual({ sequence, chainHash }, head);
  }
  const { status, stderr } = await ponte(`audit export --to ${file}`);
  assert.equal(status === 0, false, stderr);
});

test('doctor and verify show the head', async () => {
  const { head } = await json('audit verify');
  const { sequence, chainHash } = head as Json;
  const { checks } = JSON.parse((await ponte('doctor --json')).stdout) as {
    readonly checks: readonly { readonly name: string; readonly detail: string }[];
  };
  const found = checks.find(({ name }) => name === 'audit head');
  assert.equal(found?.detail, `${String(sequence)} ${String(chainHash)}`);
});

test('a file that is no file of anchors fails the verification', async () => {
  writeFileSync(anchors, '{"sequence":1}\n');
  const { problems } = await json(`audit verify --anchors ${anchors}`, 8);
  assert.equal((problems as readonly unknown[]).length, 1);
  const missing = await ponte(`audit verify --anchors ${join(folder, 'absent')}`);
  assert.equal(missing.status, 2);
});

test('a backup has the head in its manifest, and the log that it restores is sound', async () => {
  const { folder: backup } = await json(`backup --to ${join(folder, 'backups')}`);
  const { head } = await json('audit verify');
  const text = readFileSync(join(String(backup), 'manifest.json'), 'utf8');
  assert.deepEqual(JSON.parse(text).manifest.auditHead, head);
  const elsewhere = { ...env, PONTE_DATA_DIR: join(folder, 'elsewhere') };
  mkdirSync(elsewhere.PONTE_DATA_DIR);
  copyFileSync(join(folder, 'secret-key'), join(elsewhere.PONTE_DATA_DIR, 'secret-key'));
  const restored = await runCommand(elsewhere, ['restore', '--from', String(backup)]);
  assert.equal(restored.status, 0, restored.stderr);
  const verified = await runCommand(elsewhere, ['audit', 'verify', '--json']);
  assert.deepEqual(JSON.parse(verified.stdout).head, head);
});

test('the database refuses to change the log, and a change behind its back is found', async () => {
  const hand = new SqliteConnection(join(folder, 'ponte.db'));
  try {
    for (const change of [
      "update events set body = '{}' where org_id = 'service'",
      "delete from events where org_id = 'service'",
      "insert or replace into events select * from events where org_id = 'service'",
    ]) {
      assert.throws(() => hand.exec(change), /the audit log is append-only/, change);
    }
    hand.exec('drop trigger events_keep_audit_update');
    hand.exec(`update events set body = replace(body, 'development', 'carol')
      where org_id = 'service' and sequence = 2`);
  } finally {
    hand.close();
  }
  const { sound, problems } = await json('audit verify', 8);
  assert.equal(sound, false);
  assert.deepEqual(valuesOf(problems as readonly { readonly sequence: number }[], 'sequence'), [2]);
});

test('a backup of a changed log warns, and is restored with the log as it was', async () => {
  const { folder: backup, warnings } = await json(`backup --to ${join(folder, 'later')}`, 9);
  assert.deepEqual(warnings, ['The audit log was changed: ponte audit verify.']);
  const elsewhere = { ...env, PONTE_DATA_DIR: join(folder, 'later-elsewhere') };
  mkdirSync(elsewhere.PONTE_DATA_DIR);
  copyFileSync(join(folder, 'secret-key'), join(elsewhere.PONTE_DATA_DIR, 'secret-key'));
  const restored = await runCommand(elsewhere, ['restore', '--from', String(backup)]);
  assert.equal(restored.status, 0, restored.stderr);
  const verified = await runCommand(elsewhere, ['audit', 'verify', '--json']);
  assert.equal(verified.status, 8, 'the change is still found');
});
