// Migrations of PostgreSQL: each is applied once, atomically, by the first host, and none waits
// long for a table. A database ahead of the code is refused at startup; a running host serves on.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { loadMigrations, type Migration } from '../../../../adapters/storage/migrations.js';
import {
  type PostgresConnections,
  postgresConnections,
} from '../../../../adapters/storage/postgres/connections.js';
import { migratePostgres } from '../../../../adapters/storage/postgres/migrations.js';
import { openPostgresStore } from '../../../../adapters/storage/postgres/store.js';
import { PonteError } from '../../../../core/errors.js';
import { localPostgres } from '../../../support/databases/local-postgres.js';

const opened: { close(): Promise<void> }[] = [];
after(() => Promise.all(opened.map((one) => one.close())));
const postgres = localPostgres();

const known = loadMigrations('postgres');
const numbers = known.map(({ number }) => number);

function connectionsTo(url: string): PostgresConnections {
  const connections = postgresConnections({ url });
  opened.push(connections);
  return connections;
}

function storeAt(url: string): ReturnType<typeof openPostgresStore> {
  const store = openPostgresStore({ url });
  opened.push(store);
  return store;
}

function migration(number: number, sql: string): Migration {
  return { number, name: `${String(number).padStart(4, '0')}.sql`, sql, checksum: sql };
}

async function column(connections: PostgresConnections, sql: string): Promise<readonly unknown[]> {
  const query = { text: sql, rowMode: 'array' as const };
  const { rows } = await connections.use('once', (client) => client.query<unknown[]>(query));
  return rows.map(([value]) => value);
}

const applied = (connections: PostgresConnections) =>
  column(connections, 'select number from schema_migrations order by number');

test('a fresh database is unhealthy until it is migrated; twice is harmless', async () => {
  const store = storeAt(await postgres.newDatabase());
  assert.deepEqual(await store.health(), { database: true, migrations: false });
  assert.deepEqual(await store.migrate(), numbers);
  assert.deepEqual(await store.migrate(), []);
  assert.deepEqual(await store.health(), { database: true, migrations: true });
});

test('twenty concurrent migrations leave one migrated database', async () => {
  const url = await postgres.newDatabase();
  const stores = Array.from({ length: 20 }, () => storeAt(url));
  const done = await Promise.all(stores.map((store) => store.migrate()));
  assert.deepEqual(done.flat(), numbers, 'each is applied by one of them');
  assert.deepEqual(await applied(connectionsTo(url)), numbers);
  for (const store of stores) {
    assert.deepEqual(await store.health(), { database: true, migrations: true });
  }
});

test('what is missing is applied in order, what is there is not applied again', async () => {
  const connections = connectionsTo(await postgres.newDatabase());
  const first = migration(1, 'create table a (n integer)');
  const second = migration(2, 'insert into a values (2)');
  const third = migration(3, 'insert into a values (3)');
  assert.deepEqual(await migratePostgres(connections, [first, second]), [1, 2]);
  assert.deepEqual(await migratePostgres(connections, [first, second, third]), [3]);
  assert.deepEqual(await column(connections, 'select n from a'), [2, 3]);
  assert.deepEqual(await applied(connections), [1, 2, 3]);
});

test('a migration that fails leaves nothing of itself, all before it, and its lock free', async () => {
  const connections = connectionsTo(await postgres.newDatabase());
  const first = migration(1, 'create table a (n integer)');
  const broken = migration(2, 'insert into a values (2); insert into missing values (1)');
  await assert.rejects(migratePostgres(connections, [first, broken]), {
    name: 'StoreRefusal',
    message: /^Migration 0002\.sql cannot be applied, and changed nothing: .*"missing" does not/,
  });
  assert.deepEqual(await column(connections, 'select n from a'), []);
  assert.deepEqual(await applied(connections), [1]);
  const mended = migration(2, 'insert into a values (2)');
  assert.deepEqual(await migratePostgres(connections, [first, mended]), [2]);
});

test('a table that others hold is waited for a short time only, and then left alone', async () => {
  const url = await postgres.newDatabase();
  const connections = connectionsTo(url);
  const first = migration(1, 'create table a (n integer)');
  const second = migration(2, 'create table b (n integer); alter table a add column m integer');
  await migratePostgres(connections, [first]);
  const holder = new pg.Client(url);
  await holder.connect();
  await holder.query('begin; select n from a');
  const migrating = migratePostgres(connections, [first, second], { tableTimeoutMs: 50 });
  await assert.rejects(migrating, (error: unknown) => {
    assert.ok(error instanceof PonteError && error.code === 'StoreUnavailable');
    assert.match(error.message, /0002\.sql waited too long for a table .* changed nothing/);
    return true;
  });
  assert.deepEqual(await applied(connections), [1]);
  assert.deepEqual(await column(connections, "select to_regclass('b')"), [null]);
  await holder.end();
  assert.deepEqual(await migratePostgres(connections, [first, second]), [2]);
});

test('a database that is ahead of the code is refused by what starts, not by what runs', async () => {
  const url = await postgres.newDatabase();
  const running = storeAt(url);
  await running.migrate();
  const next = migration(known.length + 1, 'create table later (n integer)');
  await migratePostgres(connectionsTo(url), [...known, next]);
  assert.deepEqual(await running.health(), { database: true, migrations: true });
  const starting = storeAt(url);
  await assert.rejects(starting.migrate(), /newer than this version of Ponte.*Install the version/);
  assert.deepEqual(await starting.health(), { database: true, migrations: false });
});

test('a database that was migrated with another text is refused', async () => {
  const connections = connectionsTo(await postgres.newDatabase());
  await migratePostgres(connections, [migration(1, 'create table a (n integer)')]);
  const another = migration(1, 'create table a (m integer)');
  await assert.rejects(migratePostgres(connections, [another]), /another text of 0001.sql/);
});

test('without statistics, a row that each step of a payment needs is found by its whole key', async () => {
  const connections = connectionsTo(await postgres.newDatabase());
  await migratePostgres(connections, known);
  const tables = ['payments', 'funds', 'quotes', 'events', 'partner_commands', 'idempotency_keys'];
  for (const table of [...tables, 'advances', 'inbox', 'deliveries', 'api_keys']) {
    const keySql =
      "select string_agg(attname, ',') from pg_index join pg_attribute on attrelid = indrelid " +
      `and attnum = any (indkey) where indisprimary and indrelid = '${table}'::regclass`;
    const [key] = await column(connections, keySql);
    const columns = String(key).split(',');
    const where = columns.map((name) => `${name} = ''`).join(' and ');
    const sql = `explain (costs off) select * from ${table} where ${where}`;
    const plan = (await column(connections, sql)).join(' ');
    assert.doesNotMatch(plan, /Filter/, plan);
    for (const name of columns) assert.match(plan, new RegExp(`Cond.*\\(${name} = `), plan);
    assert.match(plan, /Index Scan using \w+_pkey/, plan);
  }
});
