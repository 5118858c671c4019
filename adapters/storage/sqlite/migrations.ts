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
        writeSizes(connection);
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

interface Index {
  readonly table: string;
  readonly name: string;
  readonly isUnique: 0 | 1;
  readonly isPartial: 0 | 1;
  /** JSON of their names, in order. */
  readonly columns: string;
}

/** How many rows a table may have, and how many of them a partial index. */
const ROWS = 1_000_000;
const ROWS_OF_PARTIAL = 50_000;
/** A value of such a column has one of so many rows. */
const narrowed = { org: 10, id: 10_000, other: 10 } as const;
const ROWS_MIN = 10;

/**
 * Writes the statistics of a large database for the planner. Without them it assumes that a tenant
 * has nine rows, and reads all of them although an index has one more column.
 */
function writeSizes(connection: SqliteConnection.Database): void {
  const indexes = connection
    .prepare<unknown[], Index>(
      'select t.name as "table", i.name, i."unique" as isUnique, i.partial as isPartial, ' +
        '(select json_group_array(name order by seqno) from pragma_index_info(i.name)) ' +
        'as columns ' +
        'from pragma_table_list t, pragma_index_list(t.name) i ' +
        "where t.schema = 'main' and t.name not like 'sqlite~_%' escape '~'",
    )
    .all();
  // It makes the tables of sizes and of samples, and reads no table that is large.
  connection.exec('analyze schema_migrations; delete from sqlite_stat1; delete from sqlite_stat4');
  const insert = connection.prepare('insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)');
  for (const index of indexes) insert.run(index.table, index.name, sizesOf(index));
  connection.exec('analyze sqlite_schema');
}

/** Rows of the index, then rows that its first column finds, its first two columns, and so on. */
function sizesOf({ isUnique, isPartial, columns }: Index): string {
  const names = JSON.parse(columns) as readonly string[];
  let rows = isPartial ? ROWS_OF_PARTIAL : ROWS;
  const sizes = [rows];
  for (const name of names) {
    rows = Math.max(rows / narrowingOf(name), ROWS_MIN);
    sizes.push(rows);
  }
  if (isUnique) sizes[names.length] = 1;
  return [...sizes, 'noskipscan'].join(' ');
}

function narrowingOf(column: string): number {
  if (column === 'mode') return 1;
  if (column === 'org_id') return narrowed.org;
  return /(id|ref|reference|key|hash|token|name)$/.test(column) ? narrowed.id : narrowed.other;
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
