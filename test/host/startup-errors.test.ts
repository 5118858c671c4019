// Operators' mistakes that only the machine notices are reported in one line, without a stack.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { newSecretKey } from '../../adapters/crypto/secret-box.js';
import { acquireServingLock } from '../../adapters/storage/sqlite/serving-lock.js';
import { readConfig } from '../../host/config.js';
import { listeningProblem, openingProblem } from '../../host/startup-errors.js';
import { olderDatabase } from '../support/databases/older-database.js';
import { runCommand } from '../support/servers/command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();
const file = join(folder, 'notes.txt');
writeFileSync(file, 'These are notes, and no database at all.\n');
mkdirSync(join(folder, 'sub'));

type Environment = Readonly<Record<string, string>>;

const command = (env: Environment, words: readonly string[]) =>
  runCommand({ PONTE_LOG_LEVEL: 'silent', PONTE_SECRET_KEYS: newSecretKey('k'), ...env }, words);

const dataDir = (name: string) => ({ PONTE_DATA_DIR: join(folder, name) });
const database = (path: string) => ({ ...dataDir('data'), PONTE_DATABASE_URL: `sqlite:${path}` });

describe('a wrong place is named with its variable', () => {
  for (const [title, env, line] of [
    [
      'an address of another machine',
      { ...dataDir('a'), PONTE_HOST: '203.0.113.9', PONTE_DEVELOPMENT_ON_NETWORK: '1' },
      /^PONTE_HOST: 203.* is not an address of this machine/,
    ],
    [
      'an address of the network for a development host',
      { ...dataDir('a'), PONTE_HOST: '0.0.0.0' },
      /^PONTE_HOST: 0\.0\.0\.0 is open to the network, .*PONTE_ENV=production/,
    ],
    ['a data directory that is a file', dataDir('notes.txt'), /^PONTE_DATA_DIR: .* is a file/],
    ['one below a file', dataDir('notes.txt/data'), /^PONTE_DATA_DIR: .* lies below a file/],
    ['a database that is none', database(file), /^PONTE_DATABASE_URL: .*notes.txt is not a SQLite/],
    ['one that is a folder', database(join(folder, 'sub')), /^PONTE_DATABASE_URL: .* is a folder/],
  ] as const) {
    test(title, async () => {
      const { status, stdout, stderr } = await command(env, ['serve']);
      assert.deepEqual([status, stdout], [7, '']);
      const [heading, message, ...more] = stderr.trimEnd().split('\n');
      assert.equal(heading, 'ponte: The configuration is not valid:');
      assert.match(message?.trim() ?? '', line);
      assert.deepEqual(more, []);
    });
  }
});

test('a database that an older server serves: a newer command says what it would do', async () => {
  const env = dataDir('older');
  mkdirSync(env.PONTE_DATA_DIR);
  const path = join(env.PONTE_DATA_DIR, 'ponte.db');
  olderDatabase(path).close();
  const release = acquireServingLock(path);
  for (const words of [['org', 'list'], ['migrate']]) {
    const { status, stderr } = await command(env, words);
    assert.equal(status, 4);
    assert.match(
      stderr,
      /^ponte: \S+ponte\.db is of an older version .*migrated.* Process \d+ already serves .*\n$/,
    );
  }
  release();
  assert.equal((await command(env, ['org', 'list'])).status, 0);
});

test('a database that does not run is named by its host, without the password', async () => {
  for (const hosts of ['127.0.0.1:1', '127.0.0.1:1,127.0.0.1:2', 'localhost:1']) {
    const env = {
      ...dataDir('down'),
      PONTE_DATABASE_URL: `postgres://ponte:hidden@${hosts}/ponte`,
    };
    for (const words of [['serve'], ['org', 'list']]) {
      const { status, stderr } = await command(env, words);
      assert.equal(status, 6);
      assert.match(stderr, new RegExp(`^ponte: PONTE_DATABASE_URL: .* at ${hosts} \\(ECONNREF`));
      assert.doesNotMatch(stderr, /hidden|Idempotency-Key/);
    }
  }
});

test('a missing permission is reported as such; any other failure stays unchanged', () => {
  const config = readConfig({ ...dataDir('data'), PONTE_PORT: '80' });
  const failed = (code: string, path: string) => Object.assign(new Error(code), { code, path });
  const hint = (error: unknown) => (error instanceof Error ? error.message.split('\n').at(-1) : '');
  const key = join(config.dataDir, 'secret-key');
  for (const code of ['EACCES', 'EPERM']) {
    const problem = `  PONTE_DATA_DIR: ${key} is not writable by this user`;
    assert.equal(hint(openingProblem(failed(code, key), config)), problem);
  }
  const full = openingProblem(failed('SQLITE_IOERR_SHMSIZE', key), config);
  assert.equal(hint(full), `${key} cannot be read or written: its disk is full, or fails.`);
  const port = '  PONTE_PORT: this user may not listen on port 80';
  assert.equal(hint(listeningProblem(failed('EACCES', ''), config)), port);
  const taken = listeningProblem(failed('EADDRINUSE', ''), config, 'PONTE_METRICS_PORT');
  assert.match(
    hint(taken) ?? '',
    /PONTE_METRICS_PORT: 127\.0\.0\.1:80 is in use: .* another port$/,
  );
  const fault = new Error('a fault of ours');
  assert.equal(openingProblem(fault, config), fault);
  assert.equal(listeningProblem(fault, config), fault);
});

test('migrate lists the migrations that it applied, and none the second time', async () => {
  const env = dataDir('migrated');
  const { stdout } = await command(env, ['migrate', '--json']);
  const first = JSON.parse(stdout) as { migrated: boolean; applied: number[]; database: string };
  assert.equal(first.migrated, true);
  assert.equal(first.applied[0], 1);
  assert.equal(first.database, join(folder, 'migrated', 'ponte.db'));
  const again = await command(env, ['migrate', '--json']);
  assert.deepEqual(JSON.parse(again.stdout), { ...first, migrated: false, applied: [] });
  const text = (await command(env, ['migrate'])).stdout;
  assert.equal(text, `${first.database} is up to date.\n`);
});
