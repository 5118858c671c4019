// How SQLite finds the rows of a statement, on a migrated database without rows.
import { loadMigrations } from '../../../adapters/storage/migrations.js';
import { SqliteDatabase } from '../../../adapters/storage/sqlite/database.js';
import { migrateSqlite } from '../../../adapters/storage/sqlite/migrations.js';

export function emptySqlite(): SqliteDatabase {
  const database = new SqliteDatabase({ path: ':memory:' });
  migrateSqlite(database.connection, loadMigrations('sqlite'));
  return database;
}

/** One line per step. */
export function planOf({ connection }: SqliteDatabase, sql: string): readonly string[] {
  const own = sql.replace(/ for (update skip locked|share)\b/g, '').replace(/\$\d+/g, '?');
  const statement = connection.prepare<unknown[], { readonly detail: string }>(
    `explain query plan ${own}`,
  );
  const params = Array.from({ length: own.split('?').length - 1 }, () => 1);
  return statement.all(...params).map(({ detail }) => detail);
}
