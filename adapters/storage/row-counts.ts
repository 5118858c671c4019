// Row counts of all tables at one moment, by which backups are compared. The database lists its
// tables.
import type SqliteConnection from 'better-sqlite3';
import type { PostgresConnections } from './postgres/connections.js';

export type RowCounts = Readonly<Record<string, number>>;

export interface StoredRows {
  readonly migrations: number;
  readonly tables: RowCounts;
}

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

/** Has no time limit: a large table is counted row by row. */
export async function postgresRows(connections: PostgresConnections): Promise<StoredRows> {
  return connections.use('long', async (client) => {
    await client.query('begin; set local statement_timeout = 0');
    try {
      const { rows: tables } = await client.query<{ readonly name: string }>(
        'select table_name as name from information_schema.tables ' +
          "where table_type = 'BASE TABLE' and table_schema = current_schema() order by table_name",
      );
      if (tables.length === 0) return storedRows({});
      const { rows } = await client.query<RowCounts>(countsSql(tables.map(({ name }) => name)));
      return storedRows(rows[0] ?? {});
    } finally {
      await client.query('rollback');
    }
  });
}

function countsSql(names: readonly string[]): string {
  return `select ${names.map((name) => `(select count(*) from ${name}) as ${name}`).join(', ')}`;
}

function storedRows({ schema_migrations: migrations = 0, ...tables }: RowCounts): StoredRows {
  return { migrations, tables };
}
