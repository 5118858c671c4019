// Migrations of an SQLite file, one transaction each. Several processes may migrate one file.
import type SqliteConnection from 'better-sqlite3';
import type { Row } from '../database.js';
import { type Migration, pendingMigrations, unfit } from '../migrations.js';
import { meaningOf } from './errors.js';

/**
 * Applies the missing ones of `known`, one transaction each, and returns their numbers.
 */
export function migrateSqlite(
  connection: SqliteConnection.Database,
  known: readonly Migration[],
): readonly number[] {
  const numbers: number[] = [];
  while (missingMigrations(connection, known).length > 0) {
    connection.exec('begin immediate');
    try {
      connection.exec(
        'create table if not exists schema_migrations (number integer not null primary key, ' +
          'name text not null, checksum text not null, applied_at integer not null) strict',
      );
      // Read again under the lock: another process may have been first.
      const [next] = missingMigrations(connection, known);
      if (next !== undefined) {
        applyTo(connection, next);
        connection
          .prepare(
            'insert into schema_migrations (number, name, checksum, applied_at) ' +
              "values (?, ?, ?, cast(unixepoch('subsec') * 1000 as integer))",
          )
          .run(next.number, next.name, next.checksum);
      }
      connection.exec('commit');
      if (next !== undefined) numbers.push(next.number);
    } catch (error) {
      if (connection.inTransaction) connection.exec('rollback');
      throw error;
    }
  }
  return numbers;
}

function applyTo(connection: SqliteConnection.Database, migration: Migration): void {
  try {
    connection.exec(migration.sql);
  } catch (error) {
    const isOfSql = error instanceof Error && meaningOf(error) === error;
    throw isOfSql ? unfit(migration, error) : error;
  }
}

/** What of `known` is not applied yet; refuses a file newer than the code. */
export function missingMigrations(
  connection: SqliteConnection.Database,
  known: readonly Migration[],
): readonly Migration[] {
  return pendingMigrations(known, appliedMigrations(connection) ?? []);
}

/** Null in a new file: it has no table of migrations. */
export function appliedMigrations(connection: SqliteConnection.Database): readonly Row[] | null {
  const table = connection
    .prepare("select 1 from sqlite_schema where type = 'table' and name = 'schema_migrations'")
    .get();
  if (table === undefined) return null;
  return connection
    .prepare<unknown[], Row>('select number, checksum from schema_migrations order by number')
    .all();
}
