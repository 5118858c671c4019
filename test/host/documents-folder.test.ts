// A database is served with the folder in which its documents are, or not at all: what a start,
// doctor and the list of documents say after a restore without them, and how it is mended.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../host/config.js';
import { startHost } from '../../host/main.js';
import { runCommand } from '../support/servers/command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();

const environment = (name: string) => ({
  PONTE_DATA_DIR: join(folder, name),
  PONTE_PORT: '0',
  PONTE_LOG_LEVEL: 'silent',
});

async function serve(
  env: ReturnType<typeof environment>,
  making: 'first' | 'new' = 'first',
): Promise<void> {
  const host = await startHost(readConfig(env), 'all', making);
  await host.stop();
}

const command = (env: ReturnType<typeof environment>, words: string) =>
  runCommand(env, words.split(' '));

const misplaced = /documents is not where this database has its documents: database-\w+ is missing/;

test('a database without the folder of its documents is refused until it is there', async () => {
  const env = environment('moved');
  const documents = join(env.PONTE_DATA_DIR, 'documents');
  assert.equal((await command(env, 'migrate')).status, 0);
  assert.equal((await command(env, 'doctor')).status, 0, 'nobody has served it yet');
  assert.equal(existsSync(documents), false);
  await serve(env);
  await serve(env);
  const [mark = '', ...more] = readdirSync(documents);
  assert.deepEqual(more, []);

  renameSync(documents, `${documents}.left-behind`);
  const refused = { name: 'ConfigError', message: misplaced };
  await assert.rejects(serve(env), refused);
  assert.equal(existsSync(documents), false, 'nothing was made for it');
  const doctor = await command(env, 'doctor');
  assert.equal(doctor.status, 8);
  assert.match(doctor.stdout, /^documents +FAIL +\S+documents is not where/m);
  const list = await command(env, 'documents list');
  assert.deepEqual([list.status, list.stdout], [7, '']);
  assert.match(list.stderr, misplaced);
  assert.equal((await command(env, 'org list')).status, 0, 'what looks at no document goes on');

  mkdirSync(documents);
  await assert.rejects(serve(env), refused);
  writeFileSync(join(documents, mark), '');
  await serve(env);
  rmSync(documents, { recursive: true });
  renameSync(`${documents}.left-behind`, documents);
  await serve(env);
  assert.equal((await command(env, 'doctor')).status, 0);
});

test('a new database with the documents of another database is served', async () => {
  const env = environment('other');
  await serve(env);
  rmSync(join(env.PONTE_DATA_DIR, 'ponte.db'));
  await serve(env, 'new');
  await serve(env);
});

test('a folder that cannot be created is reported in one line', async () => {
  const env = environment('in-the-way');
  mkdirSync(env.PONTE_DATA_DIR);
  writeFileSync(join(env.PONTE_DATA_DIR, 'documents'), '');
  await assert.rejects(serve(env), {
    name: 'ConfigError',
    message: /PONTE_DATA_DIR: \S+\/documents is a file: give a folder/,
  });
});
