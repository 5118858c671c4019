// Counts the rows of all tables of a PostgreSQL database at one moment.
import { countsSql, type RowCounts, type StoredRows, storedRows } from '../row-counts.js';
import type { PostgresConnections } from './connections.js';

/** Has no time limit: a large table is counted row by row. */
export async function postgresRows(connections: PostgresConnections): Promise<StoredRows> {
  return connections.use('long', async (client) => {
    await client.query('begin; set local statement_timeout = 0');
    try {
      const { rows: tables } = await client.query<{ readonly name: string }>(
        'select relname as name from pg_class ' +
          'where relnamespace = current_schema()::regnamespace ' +
          "and relkind in ('r', 'p') and not relispartition order by relname",
      );
      if (tables.length === 0) return storedRows({});
      const { rows } = await client.query<RowCounts>(countsSql(tables.map(({ name }) => name)));
      return storedRows(rows[0] ?? {});
    } finally {
      await client.query('rollback');
    }
  });
}
