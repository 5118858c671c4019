// Migrations of a PostgreSQL database: one transaction each, one process at a time. They wait a
// bounded time for a lock on a table: the queue behind it would stop every serving host.
import pg from 'pg';
import { PonteError, StoreRefusal } from '../../../core/errors.js';
import type { Row } from '../database.js';
import { type Migration, pendingMigrations, unfit } from '../migrations.js';
import type { PostgresConnections } from './connections.js';

/** "pon" in ASCII and the number of the lock. */
export const MIGRATION_LOCK = 0x706f6e01;
/** For another process that migrates; longer than for a table that is in use. */
const TURN_TIMEOUT = '60s';
const TABLE_TIMEOUT_MS = 5_000;
const LOCK_NOT_AVAILABLE = '55P03';
/** SQLSTATEs of a wrong statement, its data or its rights. */
const OF_SQL = /^(2[0-3]|42)/;

export async function migratePostgres(
  connections: PostgresConnections,
  known: readonly Migration[],
  { tableTimeoutMs = TABLE_TIMEOUT_MS } = {},
): Promise<readonly number[]> {
  const numbers: number[] = [];
  await connections.use('long', async (client) => {
    await client.query(`set lock_timeout = '${TURN_TIMEOUT}'; set statement_timeout = 0`);
    await client.query(`select pg_advisory_lock(${MIGRATION_LOCK})`);
    try {
      for (const migration of await missing(client, known)) {
        await apply(client, migration, tableTimeoutMs);
        numbers.push(migration.number);
      }
    } finally {
      await client.query(`select pg_advisory_unlock(${MIGRATION_LOCK})`);
    }
  });
  return numbers;
}

/** Unknown newer migrations: a start refuses them, a running host ignores them. */
export type Newer = 'refused' | 'left aside';

export function missingInPostgres(
  connections: PostgresConnections,
  known: readonly Migration[],
  newer: Newer,
): Promise<readonly Migration[]> {
  return connections.use('repeatable', (client) => missing(client, known, newer));
}

async function missing(
  client: pg.ClientBase,
  known: readonly Migration[],
  newer: Newer = 'refused',
): Promise<readonly Migration[]> {
  const found = await client.query<Row>(
    "select to_regclass('schema_migrations') is not null as exists, " +
      "to_regclass('store_copy') is not null as copying",
  );
  if (found.rows[0]?.['copying'] === true) throw halfCopied();
  if (found.rows[0]?.['exists'] !== true) return known;
  const { rows: applied } = await client.query<Row>(
    'select number, checksum from schema_migrations order by number',
  );
  return pendingMigrations(known, newer === 'refused' ? applied : applied.slice(0, known.length));
}

async function apply(
  client: pg.ClientBase,
  migration: Migration,
  tableTimeoutMs: number,
): Promise<void> {
  const { number, name, sql, checksum } = migration;
  try {
    await client.query(`begin; set local lock_timeout = ${tableTimeoutMs}`);
    await client.query(
      'create table if not exists schema_migrations (number integer not null primary key, ' +
        'name text not null, checksum text not null, applied_at timestamptz not null)',
    );
    await client.query(sql).catch((error: unknown) => {
      const isOfSql = error instanceof pg.DatabaseError && OF_SQL.test(error.code ?? '');
      throw isOfSql ? unfit(migration, error) : error;
    });
    await client.query(
      'insert into schema_migrations (number, name, checksum, applied_at) ' +
        'values ($1, $2, $3, now())',
      [number, name, checksum],
    );
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw isLockTimeout(error) ? inUse(name, error) : error;
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE;
}

function inUse(name: string, cause: unknown): PonteError {
  return new PonteError(
    'StoreUnavailable',
    `Migration ${name} waited too long for a table that another transaction uses, and changed ` +
      'nothing. Let that one end, then try again.',
    { cause },
  );
}

/** An unfinished copy (store-copy.ts) must not be served. */
function halfCopied(): StoreRefusal {
  return new StoreRefusal(
    'A store is being copied into this database: what is here is not whole. ' +
      'Run ponte store copy again until it ends, or use another database.',
  );
}
