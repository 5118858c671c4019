// The disk of a file that is served: nothing is answered before it is on the disk, nothing is lost
// with the power, and neither the disk nor another process blocks the event loop.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import SqliteConnection from 'better-sqlite3';
import { SqliteDatabase } from '../../../../adapters/storage/sqlite/database.js';
import { openSqliteStore } from '../../../../adapters/storage/sqlite/store.js';
import type { SyncFile } from '../../../../adapters/storage/sqlite/wal-sync.js';
import { isCode } from '../../../../core/errors.js';
import type { Tx } from '../../../../core/ports/storage.js';
import {
  aBuyer,
  aKey,
  anOrganization,
  aProfile,
  T0,
  tenant,
} from '../../../support/samples/domain-samples.js';
import { loadTypeScript } from '../../../support/source-tree.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const folder = temporaryFolder();

let files = 0;
function freshPath(): string {
  files += 1;
  return join(folder, `${files}.db`);
}

/** A disk that is synced when the test says so. */
function slowDisk(t: TestContext) {
  const running: (() => void)[] = [];
  let isSlow = true;
  const syncFile: SyncFile = () =>
    isSlow ? new Promise((resolve) => running.push(resolve)) : Promise.resolve();
  // A store closes when its disk is synced.
  t.after(() => {
    isSlow = false;
    for (const end of running) end();
  });
  return {
    syncFile,
    running,
    /** Ends the running sync. */
    end: async () => {
      while (running.length === 0) await nextTurn();
      running.shift()?.();
    },
  };
}

interface Served {
  readonly path: string;
  readonly database: SqliteDatabase;
  /** What another process has of the file. */
  readonly beside: SqliteConnection.Database;
}

function served(t: TestContext, syncFile?: SyncFile, path = freshPath()): Served {
  const database = new SqliteDatabase({ path, ...(syncFile === undefined ? {} : { syncFile }) });
  database.connection.exec('create table numbers (n integer not null primary key) strict');
  database.serve();
  const beside = new SqliteConnection(path);
  t.after(async () => {
    beside.close();
    await database.close();
  });
  return { path, database, beside };
}

function insert(n: number) {
  const sql = 'insert into numbers (n) values ($1)';
  return { sql, params: [n], guards: null, template: null };
}

function numbers(connection: SqliteConnection.Database): readonly unknown[] {
  return connection.prepare('select n from numbers order by n').pluck().all();
}

/** Whether it settles before the event loop has turned a few times. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  return settled;
}

test('a write is answered when its commit is on the disk, and not before', async (t) => {
  const disk = slowDisk(t);
  const { database, beside } = served(t, disk.syncFile);
  const written = database.batch([insert(1)]);
  assert.equal(await isSettled(written), false);
  assert.deepEqual([numbers(beside), disk.running.length], [[1], 1]);
  await disk.end();
  await written;
});

test('while a commit is not on the disk, nothing that is kept is given at once', async (t) => {
  const disk = slowDisk(t);
  const { database } = served(t, disk.syncFile);
  const query = { sql: 'select 1 as one', on: {}, read: () => 'one' };
  await database.cached(query, []);
  assert.equal(database.kept(query, []), 'one');
  const written = database.batch([insert(1)]);
  while (disk.running.length === 0) await nextTurn();
  assert.equal(database.kept(query, []), null);
  await disk.end();
  await written;
  assert.equal(database.kept(query, []), 'one');
});

test('while a commit is not on the disk, a page has the rows as they are, not what is kept', async (t) => {
  const disk = slowDisk(t);
  const { database } = served(t, disk.syncFile);
  const each = { sql: 'select $1 as n', on: {}, read: () => 'kept' };
  const keySql = 'select n from numbers';
  const page = { sql: keySql, read: () => 'as it is', keySql, key: ['n'], each };
  const written = database.batch([insert(1)]);
  while (disk.running.length === 0) await nextTurn();
  assert.deepEqual(await database.page(page, []), ['as it is']);
  await disk.end();
  await written;
  assert.deepEqual(await database.page(page, []), ['kept']);
});

test('an answer that may contain a commit waits until that is on the disk', async (t) => {
  const disk = slowDisk(t);
  const path = freshPath();
  const store = openSqliteStore({ path, syncFile: disk.syncFile });
  await store.migrate();
  store.serve();
  t.after(() => store.close());
  const written = store.run(async (tx) => tx.buyers.insert(aBuyer()));
  while (disk.running.length === 0) await nextTurn();
  const read = store.run((tx) => tx.buyers.get('test', 'byr_1'));
  const refused = store.run(async (tx) => {
    if ((await tx.buyers.get('test', 'byr_1')) !== null) throw new Error('taken');
  });
  assert.deepEqual([await isSettled(read), await isSettled(refused)], [false, false]);
  await disk.end();
  await written;
  assert.deepEqual(await read, aBuyer());
  await assert.rejects(refused, /taken/);
  assert.equal((await store.run((tx) => tx.buyers.get('test', 'byr_1')))?.id, 'byr_1');
});

test('a refusal of kept rows that a commit has changed is decided after the disk', async (t) => {
  const disk = slowDisk(t);
  const store = openSqliteStore({ path: freshPath(), syncFile: disk.syncFile });
  await store.migrate();
  await store.run(async (tx) => {
    tx.organizations.insert(anOrganization(), [aProfile()]);
    tx.keys.insert(aKey());
  });
  store.serve();
  t.after(() => store.close());
  const keep = (tx: Tx) => Promise.all([tx.keys.get('key_1'), tx.organizations.named(tenant)]);
  await store.run(keep);
  const written = store.run(async (tx) => tx.keys.update(aKey({ revokedAtMs: T0 })));
  while (disk.running.length === 0) await nextTurn();
  const read = store.run(keep);
  const refused = store.run(async (tx) => {
    const [key] = await keep(tx);
    throw new Error(`revoked at ${key?.revokedAtMs}`);
  });
  assert.deepEqual([await isSettled(read), await isSettled(refused)], [false, false]);
  await disk.end();
  await written;
  await assert.rejects(refused, { message: `revoked at ${T0}` });
  // It began before the revocation was answered.
  assert.equal((await read)[0]?.revokedAtMs, null);
  assert.equal((await store.run(keep))[0]?.revokedAtMs, T0);
});

test('what comes while the disk is synced is the next group', async (t) => {
  const disk = slowDisk(t);
  const { database, beside } = served(t, disk.syncFile);
  const first = database.batch([insert(0)]);
  while (disk.running.length === 0) await nextTurn();
  const others = [];
  for (let n = 1; n < 20; n += 1) {
    others.push(database.batch([insert(n)]));
    await nextTurn();
  }
  assert.deepEqual(numbers(beside), [0]);
  await disk.end();
  await disk.end();
  await Promise.all([first, ...others]);
  assert.deepEqual([numbers(beside).length, database.counts], [20, { commits: 2, applied: 20 }]);
});

test('what was answered survives a power cut at any moment', async (t) => {
  const path = freshPath();
  const log = `${path}-wal`;
  let syncedBytes = 0;
  let cuts = 0;
  const answered = new Set<number>();
  // The disk has what was synced of the log, and garbage behind it.
  const cutPower = () => {
    cuts += 1;
    const copy = `${path}-cut-${cuts}`;
    copyFileSync(path, copy);
    copyFileSync(log, `${copy}-wal`);
    truncateSync(`${copy}-wal`, syncedBytes);
    appendFileSync(`${copy}-wal`, Buffer.alloc(5_000, cuts));
    const left = new SqliteConnection(copy);
    assert.equal(left.pragma('integrity_check', { simple: true }), 'ok');
    const there = new Set(numbers(left));
    left.close();
    assert.deepEqual(
      [...answered].filter((n) => !there.has(n)),
      [],
      `cut ${cuts}`,
    );
  };
  const sync: SyncFile = async () => {
    const { size } = statSync(log);
    cutPower();
    await nextTurn();
    cutPower();
    syncedBytes = size;
  };
  const { database } = served(t, sync, path);
  syncedBytes = statSync(log).size;
  for (let group = 0; group < 30; group += 1) {
    const written = Array.from({ length: 10 }, async (_, index) => {
      const n = group * 10 + index;
      await database.batch([insert(n)]);
      answered.add(n);
    });
    await Promise.all(written);
    cutPower();
  }
  assert.equal(cuts, 90);
});

test('a process that serves syncs in the pool, any other with each commit', async (t) => {
  const { path, database } = served(t);
  const beside = new SqliteDatabase({ path });
  const synchronous = ({ connection }: SqliteDatabase) =>
    connection.pragma('synchronous', { simple: true });
  assert.deepEqual([synchronous(database), synchronous(beside)], [1, 2]);
  assert.equal(database.connection.pragma('busy_timeout', { simple: true }), 0);
  await database.batch([insert(1)]);
  await beside.batch([insert(2)]);
  assert.deepEqual(numbers(database.connection), [1, 2]);
  await beside.close();
});

test('the log of a file that a link names is the one beside the file', async (t) => {
  const path = freshPath();
  const link = freshPath();
  writeFileSync(path, '');
  symlinkSync(path, link);
  const { database, beside } = served(t, undefined, link);
  await database.batch([insert(1)]);
  assert.deepEqual([numbers(beside), existsSync(`${path}-wal`)], [[1], true]);
});

test('another process that locks the file blocks writes, and nothing else', async (t) => {
  const { database, beside } = served(t);
  beside.exec('begin immediate');
  const written = database.batch([insert(1)]);
  assert.equal(await isSettled(written), false);
  assert.deepEqual(await database.read('select count(*) as found from numbers', []), [
    { found: 0 },
  ]);
  beside.exec('rollback');
  await written;
  assert.deepEqual(numbers(beside), [1]);
});

test('closing commits what waits, answers it, and leaves no other file', async () => {
  const path = freshPath();
  const database = new SqliteDatabase({ path });
  database.connection.exec('create table numbers (n integer not null primary key) strict');
  database.serve();
  const first = database.batch([insert(1)]);
  await nextTurn();
  const batches = [first, ...[2, 3].map((n) => database.batch([insert(n)]))];
  await Promise.all([database.close(), ...batches]);
  await assert.rejects(database.batch([insert(4)]), /The store is closed/);
  assert.equal(existsSync(`${path}-wal`), false);
  const again = new SqliteConnection(path);
  assert.deepEqual(numbers(again), [1, 2, 3]);
  again.close();
});

test('after a sync that failed nothing is answered, also no read, and the process ends', async () => {
  const script = fileURLToPath(new URL('./failing-disk.ts', import.meta.url));
  const args = [...loadTypeScript, script, freshPath()];
  const { code, stdout, stderr } = await new Promise<{
    readonly code: unknown;
    readonly stdout: string;
    readonly stderr: string;
  }>((resolve) => {
    execFile(process.execPath, args, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, stdout, stderr });
    });
  });
  const refused = 'StoreUnavailable';
  // Two writes of a group, a later one, and a read that would contain the first.
  const outcomes = [refused, refused, refused, refused, 'not writable'];
  assert.deepEqual([code, stdout.trim().split('\n')], [1, outcomes]);
  assert.match(stderr, /the disk is gone/);
});

test('a lock that does not go away is a transient refusal', async (t) => {
  const path = freshPath();
  const database = new SqliteDatabase({ path, busyTimeoutMs: 1_000 });
  database.connection.exec('create table numbers (n integer not null primary key) strict');
  database.serve();
  const beside = new SqliteConnection(path);
  t.after(async () => {
    beside.close();
    await database.close();
  });
  beside.exec('begin immediate');
  await assert.rejects(database.batch([insert(1)]), (error) => isCode(error, 'StoreContention'));
  beside.exec('rollback');
  await database.batch([insert(1)]);
  // The next lock is waited for again.
  beside.exec('begin immediate');
  const waiting = database.batch([insert(2)]);
  assert.equal(await isSettled(waiting), false);
  beside.exec('rollback');
  await waiting;
  assert.deepEqual(numbers(beside), [1, 2]);
});
