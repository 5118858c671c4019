// Moving up: a SQLite file is copied into PostgreSQL whole, unchanged, in batches, and by as many
// runs as it takes; and nobody serves what is not whole.
import assert from 'node:assert/strict';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import SqliteConnection from 'better-sqlite3';
import pg from 'pg';
import { openPostgresStore, type PostgresStore } from '../../../adapters/storage/postgres/store.js';
import { openSqliteStore } from '../../../adapters/storage/sqlite/store.js';
import { type CopiedTable, copyStore } from '../../../adapters/storage/store-copy.js';
import type { Store } from '../../../core/ports/storage.js';
import { contentsOf, fillStore } from '../../support/databases/filled-store.js';
import { localPostgres } from '../../support/databases/local-postgres.js';
import { aBarePayment, aPayment } from '../../support/samples/domain-samples.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const postgres = localPostgres();
const folder = temporaryFolder();
const opened: Store[] = [];
after(() => Promise.all(opened.map((store) => store.close())));

const silent = () => undefined;
const mute = { debug: silent, info: silent, warn: silent, error: silent };
let files = 0;

/** A file that `fill` has filled and nobody holds open. */
async function sourceFile(fill: (store: Store) => Promise<unknown>): Promise<string> {
  files += 1;
  const path = join(folder, `${files}.db`);
  const store = openSqliteStore({ path });
  await store.migrate();
  await fill(store);
  await store.close();
  return path;
}

function postgresStore(url: string): PostgresStore {
  const store = openPostgresStore({ url });
  opened.push(store);
  return store;
}

async function query(url: string, text: string): Promise<readonly unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Ids that a dictionary would put in another order than their bytes. */
async function manyPayments(store: Store, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => {
    const text = `${index}`.padStart(6, '0');
    return ['pi_a', 'pi_B', 'pi__'].map((prefix) => prefix + text)[index % 3] as string;
  });
  for (let from = 0; from < count; from += 1_000) {
    await store.run(async (tx) => {
      for (const id of ids.slice(from, from + 1_000)) {
        tx.payments.insert(aBarePayment({ id, externalId: id }));
      }
    });
  }
}

/** Copies until `rows` rows of the table are there, and dies. */
async function cutOff(from: string, to: string, table: string, rows: number): Promise<void> {
  const progress = (copying: string, copied: number) => {
    if (copying === table && copied >= rows) throw new Error('the power failed');
  };
  await assert.rejects(copyStore({ from, to, progress }));
}

function unequal(tables: readonly CopiedTable[]): readonly string[] {
  return tables.filter(({ equal }) => !equal).map(({ table }) => table);
}

test('every table is copied, and reads as it did', async () => {
  const path = await sourceFile(fillStore);
  const url = await postgres.newDatabase();
  const tables = await copyStore({ from: path, to: url });
  assert.ok(tables.length >= 24, `${tables.length} tables`);
  for (const { table, copied, source, target, equal } of tables) {
    assert.ok(copied > 0, `no row of ${table} is in the sample`);
    assert.deepEqual([target, equal, source.rows], [source, true, copied], table);
  }
  const source = openSqliteStore({ path });
  opened.push(source);
  const target = postgresStore(url);
  assert.deepEqual(await target.health(), { database: true, migrations: true });
  assert.deepEqual(await contentsOf(target), await contentsOf(source));
});

test('what a killed server had committed is copied too, log and all', async () => {
  const alive = join(folder, 'alive.db');
  const store = openSqliteStore({ path: alive });
  opened.push(store);
  await store.migrate();
  await fillStore(store);
  // The files as they lie there when nobody could close them.
  const from = join(folder, 'killed.db');
  for (const end of ['', '-wal']) cpSync(`${alive}${end}`, `${from}${end}`);
  const to = await postgres.newDatabase();
  assert.deepEqual(unequal(await copyStore({ from, to })), []);
  assert.deepEqual(await contentsOf(postgresStore(to)), await contentsOf(store));
});

test('a copy that was cut off goes on where it stopped', async () => {
  const path = await sourceFile((store) => manyPayments(store, 2_200));
  const url = await postgres.newDatabase();
  await cutOff(path, url, 'payments', 1_000);
  const tables = await copyStore({ from: path, to: url });
  const payments = tables.find(({ table }) => table === 'payments');
  assert.deepEqual([payments?.copied, payments?.target.rows], [1_200, 2_200]);
  assert.deepEqual(unequal(tables), []);
});

test('what is not whole is neither served nor migrated, until it is', async () => {
  const path = await sourceFile((store) => manyPayments(store, 600));
  const url = await postgres.newDatabase();
  await cutOff(path, url, 'payments', 500);
  const target = postgresStore(url);
  assert.deepEqual(await target.health(), { database: true, migrations: false });
  await assert.rejects(target.migrate(), { name: 'StoreRefusal', message: /not whole/ });
  await copyStore({ from: path, to: url });
  await target.migrate();
  assert.deepEqual(await target.health(), { database: true, migrations: true });
});

test('3,000 rows are copied in batches of 500 at most', async () => {
  const path = await sourceFile((store) => manyPayments(store, 3_000));
  const url = await postgres.newDatabase();
  const progress: number[] = [];
  const tables = await copyStore({
    from: path,
    to: url,
    progress: (table, rows) => table === 'payments' && progress.push(rows),
  });
  assert.deepEqual(
    progress,
    Array.from({ length: 6 }, (_, index) => (index + 1) * 500),
  );
  assert.deepEqual(unequal(tables), []);
  const known = "select reltuples::int as rows from pg_class where oid = 'payments'::regclass";
  assert.deepEqual(await query(url, known), [{ rows: 3_000 }], 'the planner knows the size');
});

describe('what is not the same on both sides is found', () => {
  for (const [what, changes] of [
    [
      'a text, a null, an amount, a flag, a time and a row too many',
      {
        payments: "update payments set buyer_name = 'x' where id = 'pi_1'",
        deliveries: "update deliveries set last_error = ''",
        funds: 'update funds set received_minor = received_minor + 1',
        subscriptions: "update subscriptions set active = true where id = 'whs_2'",
        mails: "update mails set created_at = created_at + interval '1 ms'",
        key_check_values: "insert into key_check_values values ('z', 's', 'in_use', now(), 1)",
      },
    ],
    ['a key', { payments: "update payments set id = 'pi_0' where id = 'pi_1'" }],
    ['a row too few', { payments: "delete from payments where id = 'pi_1'" }],
  ] as const) {
    test(what, async () => {
      const path = await sourceFile(fillStore);
      const url = await postgres.newDatabase();
      // Behind the last row of the last table, so that only the comparison is left.
      await cutOff(path, url, 'subscriptions', 2);
      await query(url, Object.values(changes).join('; '));
      const tables = await copyStore({ from: path, to: url });
      assert.deepEqual(unequal(tables).toSorted(), Object.keys(changes).toSorted());
      await assert.rejects(postgresStore(url).migrate(), { message: /not whole/ });
    });
  }

  test('a row that the source got after the copy started', async () => {
    const path = await sourceFile((store) => manyPayments(store, 600));
    const url = await postgres.newDatabase();
    await cutOff(path, url, 'payments', 600);
    const source = openSqliteStore({ path });
    await source.run(async (tx) => tx.payments.insert(aPayment({ id: 'pi_0' })));
    await source.close();
    assert.deepEqual(unequal(await copyStore({ from: path, to: url })), ['payments']);
  });
});

describe('refused:', () => {
  test('a target that holds rows, and nothing is changed in it', async () => {
    const from = await sourceFile(fillStore);
    const to = await postgres.newDatabase();
    const target = postgresStore(to);
    await target.migrate();
    await target.run(async (tx) => tx.payments.insert(aBarePayment()));
    await assert.rejects(copyStore({ from, to }), { message: /holds rows already: payments\./ });
    assert.deepEqual(await target.health(), { database: true, migrations: true });
    assert.deepEqual(await query(to, 'select count(*)::int as payments from payments'), [
      { payments: 1 },
    ]);
  });

  test('a target that was copied into already', async () => {
    const from = await sourceFile(fillStore);
    const to = await postgres.newDatabase();
    await copyStore({ from, to });
    await assert.rejects(copyStore({ from, to }), { message: /holds rows already/ });
  });

  test('a target into which another database is being copied', async () => {
    const from = await sourceFile((store) => manyPayments(store, 600));
    const to = await postgres.newDatabase();
    await cutOff(from, to, 'payments', 500);
    const other = await sourceFile(fillStore);
    await assert.rejects(copyStore({ from: other, to }), { message: /Another database/ });
    assert.deepEqual(unequal(await copyStore({ from, to })), []);
  });

  test('a target into which another process is copying right now', async () => {
    const from = await sourceFile(fillStore);
    const other = await sourceFile(fillStore);
    const to = await postgres.newDatabase();
    const target = openPostgresStore({ url: to });
    await target.migrate();
    await target.close();
    // The first copy waits for the last table until the second one is refused.
    const holder = new pg.Client(to);
    await holder.connect();
    await holder.query('begin; lock table subscriptions in share mode');
    const begun = Promise.withResolvers<void>();
    const first = copyStore({ from, to, progress: () => begun.resolve() });
    await begun.promise;
    await assert.rejects(copyStore({ from: other, to }), { message: /another copy is running/ });
    await holder.end();
    assert.deepEqual(unequal(await first), []);
  });

  test('a target that a host serves', async () => {
    const from = await sourceFile(fillStore);
    const to = await postgres.newDatabase();
    const serving = openPostgresStore({ url: to });
    await serving.migrate();
    await serving.channel.open(() => undefined, mute);
    assert.ok(await serving.channel.leads());
    await assert.rejects(copyStore({ from, to }), { message: /A host serves it/ });
    await serving.close();
    assert.deepEqual(unequal(await copyStore({ from, to })), []);
  });

  test('a source that is being served', async () => {
    const from = await sourceFile(fillStore);
    const to = await postgres.newDatabase();
    const serving = openSqliteStore({ path: from });
    serving.acquireServing();
    await assert.rejects(copyStore({ from, to }), { message: /already serves .* Stop it first/ });
    await serving.close();
    assert.deepEqual(unequal(await copyStore({ from, to })), []);
  });

  test('a source of another version', async () => {
    const from = await sourceFile(fillStore);
    const connection = new SqliteConnection(from);
    connection.exec(
      'delete from schema_migrations where number = (select max(number) from schema_migrations)',
    );
    connection.close();
    const to = await postgres.newDatabase();
    await assert.rejects(copyStore({ from, to }), { message: /Run ponte migrate on it first/ });
  });

  test('a source that is not there, and none is made', async () => {
    const from = join(folder, 'none.db');
    const to = await postgres.newDatabase();
    await assert.rejects(copyStore({ from, to }), { code: 'NotFound' });
    assert.ok(!existsSync(from));
  });
});
