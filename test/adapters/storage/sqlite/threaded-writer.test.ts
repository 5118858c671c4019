// The writer in a separate thread: what it confirmed is on the disk and visible to the next read,
// it ends with its store, and its failure ends the process.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import SqliteConnection from 'better-sqlite3';
import type { Statement } from '../../../../adapters/storage/database.js';
import { SqliteDatabase } from '../../../../adapters/storage/sqlite/database.js';
import { openSqliteStore } from '../../../../adapters/storage/sqlite/store.js';
import { PonteError } from '../../../../core/errors.js';
import { aBuyer } from '../../../support/samples/domain-samples.js';
import { loadTypeScript } from '../../../support/source-tree.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const folder = temporaryFolder();

let files = 0;
function freshPath(): string {
  files += 1;
  return join(folder, `${files}.db`);
}

/** A table of numbers, written by a thread; and what another process has of the file. */
async function aDatabase(t: TestContext): Promise<{
  readonly path: string;
  readonly database: SqliteDatabase;
  readonly beside: SqliteConnection.Database;
}> {
  const path = freshPath();
  const database = new SqliteDatabase({ path });
  database.connection.exec('create table numbers (n integer not null primary key) strict');
  const beside = new SqliteConnection(path);
  // A thread that is not closed keeps the tests from ending.
  t.after(async () => {
    beside.close();
    await database.close();
  });
  await database.startThread();
  return { path, database, beside };
}

function insert(n: number): Statement {
  return { sql: 'insert into numbers (n) values ($1)', params: [n], guards: null, template: null };
}

function numbers(connection: SqliteConnection.Database): readonly unknown[] {
  return connection.prepare('select n from numbers order by n').pluck().all();
}

const counted = 'select count(*) as found from numbers';

test('what is answered is committed, with the disk waited for', async (t) => {
  const { database, beside } = await aDatabase(t);
  await database.batch([insert(1), insert(2)]);
  assert.deepEqual(numbers(beside), [1, 2]);
  const rows = await database.immediate('pragma synchronous', []);
  assert.deepEqual(rows, [{ synchronous: 2 }]);
});

test('a read sees what was answered before it, though its turn began to read before', async (t) => {
  const { database, beside } = await aDatabase(t);
  beside.exec('begin immediate');
  const written = database.batch([insert(1)]);
  // The batch is sent at the end of this turn, before this; its answer comes in the turn after.
  const before = new Promise<readonly unknown[]>((resolve, reject) => {
    setImmediate(() => {
      database.read(counted, []).then(resolve, reject);
      beside.exec('rollback');
      while (numbers(beside).length === 0);
    });
  });
  const after = written.then(() => database.read(counted, []));
  assert.deepEqual(await Promise.all([before, after]), [[{ found: 0 }], [{ found: 1 }]]);
});

test('what comes while a group is committed is the next group', async (t) => {
  const { database, beside } = await aDatabase(t);
  beside.exec('begin immediate');
  const batches = [];
  for (let n = 0; n < 20; n += 1) {
    batches.push(database.batch([insert(n)]));
    await new Promise(setImmediate);
  }
  beside.exec('rollback');
  await Promise.all(batches);
  assert.equal(numbers(beside).length, 20);
  const { commits, applied } = database.counts;
  assert.equal(applied, 20);
  assert.ok(commits <= 2, `${commits} commits`);
});

test('a file that another process holds for too long is a transient refusal', async (t) => {
  const { database, beside } = await aDatabase(t);
  await database.immediate('pragma busy_timeout = 0', []);
  beside.exec('begin immediate');
  await assert.rejects(database.batch([insert(1)]), (error: unknown) => {
    return error instanceof PonteError && error.code === 'StoreContention' && error.transient;
  });
  beside.exec('rollback');
  await database.batch([insert(1)]);
  assert.deepEqual(numbers(beside), [1]);
});

test('batches before and after the thread takes over are all applied, and counted', async () => {
  const path = freshPath();
  const database = new SqliteDatabase({ path });
  database.connection.exec('create table numbers (n integer not null primary key) strict');
  let ready = false;
  const started = database.startThread().then(() => {
    ready = true;
  });
  const batches = [];
  for (let n = 0, more = 3; more > 0; n += 1) {
    batches.push(database.batch([insert(n)]));
    await new Promise(setImmediate);
    if (ready) more -= 1;
  }
  await Promise.all([started, ...batches]);
  assert.equal(numbers(database.connection).length, batches.length);
  assert.equal(database.counts.applied, batches.length);
  await database.close();
});

test('closing commits waiting writes and leaves no other file', async (t) => {
  const { path, database, beside } = await aDatabase(t);
  beside.close();
  const batches = [1, 2, 3].map((n) => database.batch([insert(n)]));
  await Promise.all([database.close(), ...batches]);
  await assert.rejects(database.batch([insert(4)]), /The store is closed/);
  await database.close();
  assert.equal(existsSync(`${path}-wal`), false);
  const again = new SqliteConnection(path);
  assert.deepEqual(numbers(again), [1, 2, 3]);
  again.close();
});

test('where the thread cannot write, the writer goes on without one', async () => {
  const path = freshPath();
  const database = new SqliteDatabase({ path });
  database.connection.exec('create table numbers (n integer not null primary key) strict');
  // Nobody can open it any more.
  renameSync(path, `${path}-moved`);
  mkdirSync(path);
  await assert.rejects(database.startThread(), /unable to open database file/);
  await database.batch([insert(1)]);
  assert.deepEqual(numbers(database.connection), [1]);
  assert.equal(database.isWritable, true);
  await database.close();
});

test('a store that is closed before its thread can write has no thread', async () => {
  const path = freshPath();
  const store = openSqliteStore({ path });
  await store.migrate();
  const started = store.startThread?.();
  const written = store.run(async (tx) => tx.buyers.insert(aBuyer()));
  await new Promise(setImmediate);
  await Promise.all([written, store.close(), started]);
  assert.equal(existsSync(`${path}-wal`), false);
});

test('a thread that fails ends the process', async () => {
  const { code, stdout, stderr } = await failing();
  assert.equal(code, 1);
  assert.equal(stdout, '');
  assert.match(stderr, /AssertionFailure.*a text is sent before it is named/);
});

test('a process that outlives its thread has no batch that waits, and is not healthy', async () => {
  const { code, stdout } = await failing('watched');
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout), {
    waiting: ['StoreUnavailable', 'StoreUnavailable'],
    later: 'StoreUnavailable',
    writable: false,
    failures: 1,
  });
});

/** How a process ends whose thread fails. */
async function failing(...words: readonly string[]): Promise<{
  readonly code: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}> {
  const script = fileURLToPath(new URL('./failing-thread.ts', import.meta.url));
  return new Promise((resolve) => {
    const args = [...loadTypeScript, script, freshPath(), ...words];
    execFile(process.execPath, args, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, stdout, stderr });
    });
  });
}
