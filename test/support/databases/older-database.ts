// A SQLite file as a version before the first migration would have left it: it has a table of
// migrations, in which none is noted. Every migration of this version is still to be applied.
import SqliteConnection from 'better-sqlite3';

export function olderDatabase(path: string): SqliteConnection.Database {
  const connection = new SqliteConnection(path);
  connection.exec(
    'create table schema_migrations (number integer not null primary key, name text not null, ' +
      'checksum text not null, applied_at integer not null) strict',
  );
  return connection;
}
