// A database that takes no writes: the errors of callers, the reported health, and the recovery
// once it takes writes, without a restart and without other writes.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import SqliteConnection from 'better-sqlite3';
import pg from 'pg';
import { StoreConflict } from '../../../adapters/storage/database.js';
import { loadMigrations } from '../../../adapters/storage/migrations.js';
import { openPostgresStore } from '../../../adapters/storage/postgres/store.js';
import { SqliteDatabase } from '../../../adapters/storage/sqlite/database.js';
import { meaningOf } from '../../../adapters/storage/sqlite/errors.js';
import { migrateSqlite } from '../../../adapters/storage/sqlite/migrations.js';
import { newStore } from '../../../adapters/storage/store.js';
import { WriteWatch } from '../../../adapters/storage/write-watch.js';
import { PonteError } from '../../../core/errors.js';
import type { Store } from '../../../core/ports/storage.js';
import { localPostgres } from '../../support/databases/local-postgres.js';
import { aBuyer } from '../../support/samples/domain-samples.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const postgres = localPostgres();

test('what SQLite says of its machine is a refusal to come back, extended codes included', () => {
  for (const [code, refusal] of [
    ['SQLITE_FULL', 'StoreUnavailable'],
    ['SQLITE_IOERR', 'StoreUnavailable'],
    ['SQLITE_IOERR_WRITE', 'StoreUnavailable'],
    ['SQLITE_IOERR_FSYNC', 'StoreUnavailable'],
    ['SQLITE_IOERR_SHMSIZE', 'StoreUnavailable'],
    ['SQLITE_READONLY_DBMOVED', 'StoreUnavailable'],
    ['SQLITE_CANTOPEN_FULLPATH', 'StoreUnavailable'],
    ['SQLITE_CORRUPT_INDEX', 'StoreUnavailable'],
    ['SQLITE_BUSY', 'StoreContention'],
    ['SQLITE_BUSY_SNAPSHOT', 'StoreContention'],
  ] as const) {
    const error = new SqliteConnection.SqliteError('no', code);
    const refused = meaningOf(error);
    assert.ok(refused instanceof PonteError && refused.transient, code);
    assert.deepEqual([refused.code, refused.cause], [refusal, error]);
  }
  const unique = new SqliteConnection.SqliteError('taken', 'SQLITE_CONSTRAINT_UNIQUE');
  assert.ok(meaningOf(unique) instanceof StoreConflict);
  const fault = new SqliteConnection.SqliteError('no such table', 'SQLITE_ERROR');
  assert.equal(meaningOf(fault), fault);
});

for (const serves of [false, true]) {
  const process = serves ? 'a process that serves the file' : 'any other process';
  test(`${process} reports a full disk as such, and health fails until it has room`, async () => {
    const database = new SqliteDatabase({ path: join(folder, `${serves}.db`) });
    migrateSqlite(database.connection, loadMigrations('sqlite'));
    if (serves) database.serve();
    const writes = new WriteWatch(database);
    const store = newStore(writes.database);
    const sizeMax = (pages: number) => database.immediate(`pragma max_page_count = ${pages}`, []);
    await sizeMax(1);
    const written = await writtenUntil(store, 'SQLITE_FULL');
    assert.equal(await writes.isWritable(), false);
    const last = `byr_${written - 1}`;
    assert.equal((await store.run((tx) => tx.buyers.get('test', last)))?.id, last);
    assert.equal(await store.run((tx) => tx.buyers.get('test', `byr_${written}`)), null);
    await sizeMax(1_000_000);
    assert.equal(await writes.isWritable(), true);
    await store.run(async (tx) => tx.buyers.insert(buyer(written)));
    assert.deepEqual(
      await database.read('select * from fingerprints', []),
      [],
      'nothing is left of the probe',
    );
    await database.close();
  });
}

/** A migrated store, and a session beside it. */
async function emptyPostgres(t: TestContext) {
  const url = await postgres.migrated();
  const store = openPostgresStore({ url });
  const client = new pg.Client(url);
  await client.connect();
  t.after(() => Promise.all([store.close(), client.end()]));
  return { store, client };
}

test('a full disk of PostgreSQL likewise', async (t) => {
  const { store, client } = await emptyPostgres(t);
  await client.query(`create function full_disk() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = '53100';
    end $$`);
  const tables = ['buyers', 'fingerprints', 'rate_limits'];
  for (const table of tables) {
    await client.query(`create trigger full_disk before insert on ${table}
      for each row execute function full_disk()`);
  }
  assert.equal((await store.health()).database, true);
  await writtenUntil(store, '53100');
  assert.deepEqual(await store.health(), { database: false, migrations: true });
  assert.equal(await store.run((tx) => tx.buyers.get('test', 'byr_0')), null);
  for (const table of tables) await client.query(`drop trigger full_disk on ${table}`);
  assert.equal((await store.health()).database, true);
  const take = () =>
    store.rateLimits.take({ buckets: [{ key: 'k', perMinute: 1, burst: 1 }], nowMs: 0 });
  assert.equal((await take()).retryAfterSeconds, null);
});

test('the probe of health takes its whole size on the disk of PostgreSQL', async (t) => {
  const { store, client } = await emptyPostgres(t);
  await client.query(`create function full_disk() returns trigger language plpgsql as $$
    begin
      if tg_table_name = 'fingerprints' then
        if (select pg_column_size(value) > 60000
            from fingerprints where name = new.name) then
          return new;
        end if;
      end if;
      raise exception 'could not extend file: No space left on device' using errcode = '53100';
    end $$`);
  for (const table of ['buyers', 'fingerprints']) {
    await client.query(`create trigger full_disk after insert on ${table}
      for each row execute function full_disk()`);
  }
  assert.equal(await writtenUntil(store, '53100'), 0);
  assert.equal((await store.health()).database, true, 'a row of this size has room');
});

test('after a failed write only a probe shows that the database takes writes', async () => {
  const database = new SqliteDatabase({ path: ':memory:' });
  migrateSqlite(database.connection, loadMigrations('sqlite'));
  let probes = 0;
  let [isAway, hasRoom] = [true, false];
  const writes = new WriteWatch({
    refusesAlone: false,
    read: (...read) => database.read(...read),
    batch: (statements) =>
      isAway ? Promise.reject(new PonteError('StoreUnavailable')) : database.batch(statements),
    immediate: async (...statement) => {
      probes += 1;
      if (!hasRoom) throw new PonteError('StoreUnavailable');
      return database.immediate(...statement);
    },
    cached: async () => [],
    page: async () => [],
    kept: () => null,
    durable: () => null,
  });
  const store = newStore(writes.database);
  const write = (nth: number) => store.run(async (tx) => tx.buyers.insert(buyer(nth)));
  assert.deepEqual([await writes.isWritable(), probes], [true, 0]);
  await assert.rejects(write(1), { code: 'StoreUnavailable' });
  const asked = await Promise.all([writes.isWritable(), writes.isWritable()]);
  assert.deepEqual([asked, probes], [[false, false], 1], 'concurrent checks share one probe');
  isAway = false;
  await write(1);
  assert.deepEqual([await writes.isWritable(), probes], [false, 2], 'a small row found room');
  hasRoom = true;
  assert.deepEqual([await writes.isWritable(), probes], [true, 4]);
  assert.deepEqual([await writes.isWritable(), probes], [true, 4]);
  await database.close();
});

function buyer(nth: number) {
  return aBuyer({ id: `byr_${nth}`, emailKey: `${nth}@buyer.example` });
}

/** Writes until that is refused, for this reason; how many there are then. */
async function writtenUntil(store: Pick<Store, 'run'>, reason: string): Promise<number> {
  for (let nth = 0; ; nth += 1) {
    try {
      await store.run(async (tx) => tx.buyers.insert(buyer(nth)));
    } catch (error) {
      assert.ok(error instanceof PonteError && error.code === 'StoreUnavailable', String(error));
      assert.ok((error.retryAfterSeconds ?? 0) > 0);
      assert.equal(Reflect.get(error.cause as Error, 'code'), reason);
      return nth;
    }
  }
}
