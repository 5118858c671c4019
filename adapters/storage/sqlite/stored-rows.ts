// Counts the rows of all tables of an SQLite database at one moment.
import type SqliteConnection from 'better-sqlite3';
import { countsSql, type RowCounts, type StoredRows, storedRows } from '../row-counts.js';

export function sqliteRows(connection: SqliteConnection.Database): StoredRows {
  const names = connection
    .prepare<unknown[], string>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite~_%' " +
        "escape '~' order by name",
    )
    .pluck()
    .all();
  if (names.length === 0) return storedRows({});
  const counts = connection.prepare<unknown[], RowCounts>(countsSql(names)).get() ?? {};
  return storedRows(counts);
}
