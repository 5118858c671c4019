// The store of test worlds: SQLite in memory, unless PONTE_TEST_DATABASE names another one. `file`
// is SQLite in a file; a URL is a PostgreSQL server on which every world has a separate database.
// other-databases.ts runs the suites on those.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Statement } from '../../../adapters/storage/database.js';
import { PostgresDatabase } from '../../../adapters/storage/postgres/database.js';
import { openPostgresStore, type PostgresStore } from '../../../adapters/storage/postgres/store.js';
import { SqliteDatabase } from '../../../adapters/storage/sqlite/database.js';
import { openSqliteStore, type SqliteStore } from '../../../adapters/storage/sqlite/store.js';
import type { ServedStore } from '../../../adapters/storage/store.js';
import type { Sealer } from '../../../core/ports/storage.js';
import { type LocalPostgres, MIGRATED_SCHEMA, migratedDatabase } from './local-postgres.js';
import { migratedImage } from './migrated-image.js';
import { reusedConnection } from './reused-connection.js';

const { PONTE_TEST_DATABASE: chosen = 'memory' } = process.env;

const isPostgres = chosen.startsWith('postgres://');

/** Databases of closed stores, by server: to make one takes longer than to empty it. */
const freeDatabases = new Map<string, string[]>();

/** Empty and migrated. */
export async function testStore(sealer: Sealer | null = null): Promise<ServedStore> {
  if (isPostgres) return postgresStore(chosen, sealer);
  return chosen === 'file' ? servedSqliteStore(sealer) : memoryStore(sealer);
}

export function memoryStore(sealer: Sealer | null = null): SqliteStore {
  return openSqliteStore({ path: ':memory:', connection: reusedConnection() }, sealer);
}

/** In a file, which goes with the store, as a host serves it. */
export function servedSqliteStore(sealer: Sealer | null = null): SqliteStore {
  const folder = mkdtempSync(join(tmpdir(), 'ponte-world-'));
  const path = join(folder, 'ponte.db');
  writeFileSync(path, migratedImage());
  const store = openSqliteStore({ path }, sealer);
  store.serve();
  return closing(store, () => rmSync(folder, { recursive: true, force: true }));
}

/** In a separate database of the server. */
export async function postgresStore(
  server: string,
  sealer: Sealer | null = null,
): Promise<PostgresStore> {
  const free = freeDatabases.get(server) ?? [];
  freeDatabases.set(server, free);
  const used = free.pop();
  if (used !== undefined) await removeRows(await administratorOf(used), MIGRATED_SCHEMA);
  const url = used ?? (await migratedDatabase(server));
  return closing(openPostgresStore({ url }, sealer), () => void free.push(url));
}

/**
 * Gives tests that follow each other the URL of one schema, without rows. The first test migrates
 * it. Each time has a new connection, since tests end the connections of their server.
 */
export function reusedDatabase(server: LocalPostgres): () => Promise<string> {
  const schema = 'reused';
  let isNew = true;
  return async () => {
    const serverUrl = await server.url();
    const client = new pg.Client(serverUrl);
    await client.connect();
    if (isNew) await client.query(`create schema ${schema}`);
    else await removeRows(client, schema);
    await client.end();
    isNew = false;
    return `${serverUrl}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
  };
}

/** With `closed` after the end. */
function closing<S extends ServedStore>(store: S, closed: () => void): S {
  const { close } = store;
  return Object.assign(store, { close: () => close().then(closed) });
}

/** The result of `work`, and every statement of the batches that were applied during it. */
export async function withStatements<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly statements: readonly Statement[] }> {
  const { prototype } = isPostgres ? PostgresDatabase : SqliteDatabase;
  const { batch } = prototype;
  const statements: Statement[] = [];
  prototype.batch = function (this: PostgresDatabase & SqliteDatabase, added) {
    statements.push(...added);
    return batch.call(this, added);
  };
  try {
    return { result: await work(), statements };
  } finally {
    prototype.batch = batch;
  }
}

/** Every row of every table of the database that `work` writes to, as text. */
export async function storedBy(work: () => Promise<unknown>): Promise<string> {
  const { prototype } = isPostgres ? PostgresDatabase : SqliteDatabase;
  const { batch } = prototype;
  let written: Pick<SqliteDatabase, 'read'> | null = null;
  prototype.batch = function (this: PostgresDatabase & SqliteDatabase, added) {
    written = this;
    return batch.call(this, added);
  };
  try {
    await work();
  } finally {
    prototype.batch = batch;
  }
  const database = written as Pick<SqliteDatabase, 'read'> | null;
  if (database === null) throw new Error('nothing was written');
  const names = isPostgres
    ? 'select tablename as name from pg_tables where schemaname = current_schema()'
    : "select name from sqlite_schema where type = 'table'";
  const tables = await database.read(names, []);
  const contents = await Promise.all(
    tables.map(({ name }) => database.read(`select * from ${String(name)}`, [])),
  );
  return JSON.stringify(contents, (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
}

/** Makes a new schema, or removes all rows of one that was migrated. */
export async function emptySchema(
  url: string,
  schema: string,
  { isNew }: { readonly isNew: boolean },
): Promise<void> {
  const client = await administratorOf(url);
  if (isNew) await client.query(`create schema ${schema}`);
  else await removeRows(client, schema);
}

/** One connection for each server: a new one reads the catalogue of all tables again. */
const administrators = new Map<string, Promise<pg.Client>>();

function administratorOf(url: string): Promise<pg.Client> {
  const known = administrators.get(url);
  if (known !== undefined) return known;
  const client = new pg.Client(url);
  const connected = client.connect().then(() => {
    // It ends with its server or its process.
    client.on('error', () => administrators.delete(url));
    // Its types lack it.
    (client as pg.Client & { unref(): void }).unref();
    return client;
  });
  administrators.set(url, connected);
  return connected;
}

/** As a replica the ledger's triggers, which forbid it, are silent. */
async function removeRows(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ readonly name: string }>(
    'select tablename as name from pg_tables ' +
      "where schemaname = $1 and tablename <> 'schema_migrations'",
    [schema],
  );
  const deletes = rows.map(({ name }) => `delete from ${schema}.${name}`);
  // The first epoch, as the migration makes it.
  const epoch =
    `insert into ${schema}.epochs (number, cause, state, began_at, version) ` +
    "values (1, 'initial', 'open', date_trunc('milliseconds', now()), 1)";
  await client.query(['set session_replication_role = replica', ...deletes, epoch].join('; '));
}
