// Commands find a database, or say that there is none: what only reads makes nothing. An empty file
// where a database was served, a damaged file and one with half a migration are refused in a line.
import assert from 'node:assert/strict';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import SqliteConnection from 'better-sqlite3';
import { newSecretKey } from '../../adapters/crypto/secret-box.js';
import { readConfig } from '../../host/config.js';
import { startHost } from '../../host/main.js';
import { localPostgres } from '../support/databases/local-postgres.js';
import { olderDatabase } from '../support/databases/older-database.js';
import { runCommand } from '../support/servers/command.js';
import { finding, making, others } from '../support/servers/command-verbs.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();
const postgres = localPostgres();

const environment = (name: string) => ({
  PONTE_DATA_DIR: join(folder, name),
  PONTE_PORT: '0',
  PONTE_LOG_LEVEL: 'silent',
});
type Environment = ReturnType<typeof environment>;

const command = (env: Readonly<Record<string, string>>, words: string) =>
  runCommand(env, words.split(' '));
const fileOf = (env: Environment) => join(env.PONTE_DATA_DIR, 'ponte.db');

async function serve(env: Environment, making: 'first' | 'new' = 'first'): Promise<void> {
  const host = await startHost(readConfig(env), 'all', making);
  await host.stop();
}

test('every verb is known here', async () => {
  const { stdout } = await command({}, '--help');
  const listed = (text: string) =>
    [...text.matchAll(/^ {2}([a-z-]+)(?: \[options\]| .*)? {2,}\S/gm)].map(([, name]) => name);
  const nouns = listed(stdout.split('Commands:')[1]?.split('Exit codes')[0] ?? '');
  const verbs: string[] = [];
  for (const noun of nouns.filter((name) => name !== 'help')) {
    const help = (await command({}, `${noun} --help`)).stdout.split('Commands:')[1];
    const own = help === undefined ? [] : listed(help).filter((name) => name !== 'help');
    verbs.push(...(own.length === 0 ? [`${noun}`] : own.map((verb) => `${noun} ${verb}`)));
  }
  const known = [...finding, ...making, ...others];
  const unknown = verbs.filter((verb) => !known.some((one) => `${one} `.startsWith(`${verb} `)));
  assert.ok(verbs.length > 20);
  assert.deepEqual(unknown, []);
});

describe('in an empty directory nothing is found, and nothing is made', () => {
  for (const words of finding) {
    test(words, async () => {
      const env = environment('empty');
      const { status, stdout, stderr } = await command(env, words);
      assert.deepEqual([status, stdout], [4, '']);
      const [message = '', ...more] = stderr.trimEnd().split('\n');
      assert.match(
        message,
        /^ponte: There is no database at \S+ponte\.db\. .* check PONTE_DATA_DIR .*ponte serve or/,
      );
      assert.deepEqual(more, []);
      assert.equal(existsSync(env.PONTE_DATA_DIR), false);
    });
  }
});

test('also with other files in the folder, and where the URL names the file', async () => {
  const env = environment('other');
  mkdirSync(env.PONTE_DATA_DIR);
  writeFileSync(join(env.PONTE_DATA_DIR, 'notes.txt'), 'mine');
  const named = { ...env, PONTE_DATABASE_URL: `sqlite:${join(env.PONTE_DATA_DIR, 'x.db')}` };
  const { status, stderr } = await command(named, 'payments list');
  assert.equal(status, 4);
  assert.match(stderr, /There is no database at \S+x\.db\. .* check PONTE_DATABASE_URL/);
  assert.deepEqual(readdirSync(env.PONTE_DATA_DIR), ['notes.txt']);
});

test('a database of another program is none of ours, and stays as it is', async () => {
  const env = { ...environment('foreign'), PONTE_SECRET_KEYS: newSecretKey('k') };
  mkdirSync(env.PONTE_DATA_DIR);
  const connection = new SqliteConnection(fileOf(env));
  connection.exec('create table notes (text text)');
  for (const words of ['payments list', 'prune --older-than 40d --dry-run']) {
    const { status, stderr } = await command(env, words);
    assert.equal(status, 4);
    assert.match(stderr, /There is no database at .* check PONTE_DATA_DIR/);
  }
  const tables = connection.prepare('select name from sqlite_schema').pluck().all();
  assert.deepEqual(tables, ['notes']);
  connection.close();
});

test('an empty PostgreSQL is none either, and stays empty', async () => {
  const url = await postgres.newDatabase();
  const env = { ...environment('shared'), PONTE_DATABASE_URL: url };
  for (const words of ['payments list', 'deliveries replay --all-dead --dry-run']) {
    const { status, stderr } = await command(env, words);
    assert.equal(status, 4);
    assert.match(stderr, /There is no database at postgres:\/\/.* check PONTE_DATABASE_URL/);
  }
  assert.match((await command(env, 'doctor')).stdout, /^migrations +FAIL +pending/m);
  assert.equal(existsSync(env.PONTE_DATA_DIR), false);
  assert.equal((await command(env, 'org create --name First')).status, 0);
  assert.equal((await command(env, 'payments list')).status, 0);
  // Beside it, without its keys: what would be sealed nobody could open.
  const elsewhere = { ...environment('shared-elsewhere'), PONTE_DATABASE_URL: url };
  const { status, stderr } = await command(elsewhere, 'payments list');
  assert.equal(status, 7);
  assert.match(stderr, /PONTE_SECRET_KEYS: set the keys/);
  assert.equal(existsSync(elsewhere.PONTE_DATA_DIR), false);
});

test('a dry run migrates nothing', async () => {
  const env = { ...environment('older'), PONTE_SECRET_KEYS: newSecretKey('k') };
  mkdirSync(env.PONTE_DATA_DIR);
  const connection = olderDatabase(fileOf(env));
  const { status, stderr } = await command(env, 'prune --older-than 40d --dry-run');
  assert.equal(status, 4);
  assert.match(stderr, /ponte\.db is of an older version\. Run ponte migrate first\.\n$/);
  const count = connection.prepare('select count(*) from schema_migrations').pluck();
  assert.equal(count.get(), 0);
  connection.close();
  assert.equal((await command(env, 'prune --older-than 40d')).status, 0);
  assert.equal((await command(env, 'prune --older-than 40d --dry-run')).status, 0);
});

describe('a database that was served and is lost does not start empty by mistake', () => {
  const traces = [
    ['beside the secret key', ['secret-key']],
    ['beside the mark of its documents', ['documents']],
    ['beside the lock of who served it', ['ponte.db.lock']],
  ] as const;
  const losses = [
    ['empty', (file: string) => truncateSync(file, 0), 0],
    ['missing', (file: string) => rmSync(file), -1],
  ] as const;
  for (const [what, lose, size, title, keep] of losses.flatMap((loss) =>
    traces.map((trace) => [...loss, ...trace] as const),
  )) {
    test(`${what}, ${title}`, async () => {
      const env = environment(`${what}-${title.replaceAll(' ', '-')}`);
      await serve(env);
      await assert.rejects(serve(env, 'new'), {
        message: /There is a database at \S+ Start without --new/,
      });
      lose(fileOf(env));
      for (const name of readdirSync(env.PONTE_DATA_DIR)) {
        const kept = ['ponte.db', ...keep].includes(name);
        if (!kept) rmSync(join(env.PONTE_DATA_DIR, name), { recursive: true });
      }
      const found = readdirSync(env.PONTE_DATA_DIR);
      for (const words of ['serve', 'migrate', 'payments list']) {
        const { status, stderr } = await command(env, words);
        assert.equal(status, 4, words);
        const [message = '', ...more] = stderr.trimEnd().split('\n');
        assert.match(
          message,
          new RegExp(
            `^ponte: The database \\S+ponte.db is ${what}, but was served: \\S+${keep}\\S* ` +
              'exists\\. Mount its disk, restore a backup \\(ponte restore --from\\), or start ' +
              'empty with ponte serve --new\\.$',
          ),
        );
        assert.deepEqual(more, []);
      }
      const doctor = (await command(env, 'doctor')).stdout;
      assert.match(doctor, new RegExp(`^database +FAIL .* is ${what}, but was`, 'm'));
      assert.deepEqual(readdirSync(env.PONTE_DATA_DIR), found, 'nothing was made');
      assert.equal(statSync(fileOf(env), { throwIfNoEntry: false })?.size ?? -1, size);
      await serve(env, 'new');
      await serve(env);
    });
  }

  test('one that never was is served as new', async () => {
    const env = environment('touched');
    mkdirSync(env.PONTE_DATA_DIR);
    writeFileSync(fileOf(env), '');
    assert.equal((await command(env, 'payments list')).status, 4);
    const keys = { ...env, PONTE_SECRET_KEYS: newSecretKey('k') };
    await serve(keys);
    assert.equal((await command(keys, 'payments list')).status, 0);
  });
});

test('a damaged file is reported in one line, by every command and at start', async () => {
  const env = environment('damaged');
  await serve(env);
  assert.equal((await command(env, 'org create --name Exporter')).status, 0);
  // All but the header of the file.
  const size = statSync(fileOf(env)).size;
  const file = openSync(fileOf(env), 'r+');
  writeSync(file, Buffer.alloc(size - 100, 0xa5), 0, size - 100, 100);
  closeSync(file);
  for (const words of ['serve', 'migrate', 'payments list']) {
    const { status, stderr } = await command(env, words);
    assert.equal(status, 4, words);
    assert.match(
      stderr,
      /^ponte: \S+ponte\.db is damaged\. Restore a backup: ponte restore --from\.\n$/,
    );
  }
});

test('half a migration is refused and reported in one line', async () => {
  const env = { ...environment('half'), PONTE_SECRET_KEYS: newSecretKey('k') };
  mkdirSync(env.PONTE_DATA_DIR);
  const connection = olderDatabase(fileOf(env));
  connection.exec('create table connected_accounts (id text)');
  connection.close();
  for (const words of ['serve', 'migrate', 'payments list']) {
    const { status, stderr } = await command(env, words);
    assert.equal(status, 4, words);
    const [line = '', ...more] = stderr.trimEnd().split('\n');
    assert.match(line, /^ponte: Migration 0001\.sql cannot be applied, and changed nothing: /);
    assert.match(
      line,
      /: table connected_accounts already exists\. If only a part of it is there, /,
    );
    assert.deepEqual(more, []);
  }
});
