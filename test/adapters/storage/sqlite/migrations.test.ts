// Migrations: each is applied once, atomically, by the first process; a database ahead of the code
// is refused.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import SqliteConnection from 'better-sqlite3';
import {
  loadMigrations,
  type Migration,
  pendingMigrations,
} from '../../../../adapters/storage/migrations.js';
import { migrateSqlite } from '../../../../adapters/storage/sqlite/migrations.js';
import { openSqliteStore } from '../../../../adapters/storage/sqlite/store.js';
import { StoreRefusal } from '../../../../core/errors.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const folder = temporaryFolder();

let files = 0;
function freshPath(): string {
  files += 1;
  return join(folder, `${files}.db`);
}

function migration(number: number, sql: string): Migration {
  return { number, name: `${String(number).padStart(4, '0')}.sql`, sql, checksum: sql };
}

function applied(connection: SqliteConnection.Database): readonly unknown[] {
  return connection.prepare('select number from schema_migrations order by number').pluck().all();
}

const known = loadMigrations('sqlite').map(({ number }) => number);

test('a fresh database is unhealthy until it is migrated; twice is harmless', async () => {
  const store = openSqliteStore({ path: freshPath() });
  assert.deepEqual(await store.health(), { database: true, migrations: false });
  assert.deepEqual(await store.migrate(), known);
  assert.deepEqual(await store.migrate(), []);
  assert.deepEqual(await store.health(), { database: true, migrations: true });
  await store.close();
  assert.deepEqual(await store.health(), { database: false, migrations: false });
});

test('twenty that open and migrate concurrently leave one migrated database', async () => {
  const path = freshPath();
  const barrier = new Int32Array(new SharedArrayBuffer(4));
  const workers = Array.from({ length: 5 }, () => {
    const url = new URL('./migrating-worker.ts', import.meta.url);
    return new Worker(url, { workerData: { path, barrier, workers: 5, stores: 4 } });
  });
  const ends = await Promise.all(
    workers.map(
      (worker) =>
        new Promise((resolve, reject) => {
          worker.once('error', reject);
          worker.once('message', resolve);
        }),
    ),
  );
  assert.deepEqual(ends.flat(), Array(20).fill({ database: true, migrations: true }));
  const connection = new SqliteConnection(path);
  assert.deepEqual(
    applied(connection),
    loadMigrations('sqlite').map(({ number }) => number),
  );
  connection.close();
});

test('what is missing is applied in order, what is there is not applied again', () => {
  const connection = new SqliteConnection(':memory:');
  const first = migration(1, 'create table a (n integer)');
  const second = migration(2, 'insert into a values (2)');
  const third = migration(3, 'insert into a values (3)');
  migrateSqlite(connection, [first, second]);
  migrateSqlite(connection, [first, second, third]);
  assert.deepEqual(connection.prepare('select n from a').pluck().all(), [2, 3]);
  assert.deepEqual(applied(connection), [1, 2, 3]);
  connection.close();
});

test('the planner has the same sizes for every file, and no sample of its rows', () => {
  const connection = new SqliteConnection(':memory:');
  const [first, second] = ['a', 'b'].map((name, at) =>
    migration(at + 1, `create table ${name} (x, y); create index ${name}_x on ${name} (x)`),
  );
  assert.ok(first && second);
  migrateSqlite(connection, [first]);
  const insert = connection.prepare('insert into a values (?, ?)');
  for (let row = 0; row < 100; row += 1) insert.run(row % 7, row);
  migrateSqlite(connection, [first, second]);
  const sizes = connection.prepare('select idx, stat from sqlite_stat1 order by idx').all();
  const stat = '1000000 100000 noskipscan';
  assert.deepEqual(sizes, [
    { idx: 'a_x', stat },
    { idx: 'b_x', stat },
  ]);
  assert.deepEqual(connection.prepare('select * from sqlite_stat4').all(), []);
});

test('a migration that fails leaves nothing of itself, and all before it', () => {
  const connection = new SqliteConnection(':memory:');
  const first = migration(1, 'create table a (n integer)');
  const broken = migration(2, 'insert into a values (2); insert into missing values (1)');
  assert.throws(() => migrateSqlite(connection, [first, broken]), {
    name: 'StoreRefusal',
    message:
      /^Migration 0002\.sql cannot be applied, and changed nothing: no such table: missing\./,
  });
  assert.deepEqual(connection.prepare('select n from a').all(), []);
  assert.deepEqual(applied(connection), [1]);
  assert.equal(connection.inTransaction, false);
  connection.close();
});

test('a database that is ahead of the code is refused in words', async () => {
  const path = freshPath();
  const store = openSqliteStore({ path });
  await store.migrate();
  const connection = new SqliteConnection(path);
  connection.exec("insert into schema_migrations values (99, '0099.sql', 'x', 0)");
  connection.close();
  await assert.rejects(store.migrate(), (error: unknown) => {
    assert.ok(error instanceof StoreRefusal);
    assert.match(error.message, /newer than this version of Ponte.*Install the version/);
    return true;
  });
  assert.deepEqual(await store.health(), { database: true, migrations: false });
  await store.close();
});

test('a database that was migrated with another text is refused', () => {
  const known = [migration(1, 'create table a (n integer)')];
  assert.throws(
    () => pendingMigrations(known, [{ number: 1, checksum: 'another' }]),
    /another text of 0001.sql/,
  );
  assert.deepEqual(pendingMigrations(known, []), known);
});
