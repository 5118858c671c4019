// An empty, migrated SQLite database as bytes, made once per process: to open a copy takes a
// fraction of the time of the migrations.
import { loadMigrations } from '../../../adapters/storage/migrations.js';
import { SqliteDatabase } from '../../../adapters/storage/sqlite/database.js';
import { migrateSqlite } from '../../../adapters/storage/sqlite/migrations.js';

let migrated: Buffer | null = null;

export function migratedImage(): Buffer {
  migrated ??= made();
  return migrated;
}

function made(): Buffer {
  const { connection } = new SqliteDatabase({ path: ':memory:' });
  migrateSqlite(connection, loadMigrations('sqlite'));
  const image = connection.serialize();
  connection.close();
  return image;
}
