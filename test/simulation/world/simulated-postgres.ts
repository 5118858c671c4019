// The database of a history on a PostgreSQL server: a schema of this process, migrated once and
// emptied after use. A copy is another schema.
import pg from 'pg';
import { loadMigrations } from '../../../adapters/storage/migrations.js';
import { postgresConnections } from '../../../adapters/storage/postgres/connections.js';
import { PostgresDatabase } from '../../../adapters/storage/postgres/database.js';
import { migratePostgres } from '../../../adapters/storage/postgres/migrations.js';
import { emptySchema } from '../../support/databases/test-store.js';
import { type OpenDatabase, type SimulatedDatabase, storeOver } from './simulated-database.js';

export function postgresAt(serverUrl: string): OpenDatabase {
  const schema = `simulation_${process.pid}`;
  const options = encodeURIComponent(`-c search_path=${schema}`);
  let opened = 0;
  return async () => {
    await emptySchema(serverUrl, schema, { isNew: opened === 0 });
    opened += 1;
    const connections = postgresConnections({ url: `${serverUrl}?options=${options}` });
    await migratePostgres(connections, loadMigrations('postgres'));
    const database = new PostgresDatabase(connections);
    const close = async () => {
      await database.idle();
      await connections.close();
    };
    const schemas = copiedSchemas(serverUrl, schema);
    const open = (): SimulatedDatabase => ({
      store: storeOver(database, async () => {
        await close();
        await schemas.drop();
      }),
      async copy() {
        const copied = await schemas.copy();
        return async () => {
          await database.idle();
          await schemas.restore(copied);
          return open();
        };
      },
    });
    return open();
  };
}

/** Copies of all rows of a schema, in separate schemas. */
function copiedSchemas(serverUrl: string, schema: string) {
  const copies: string[] = [];
  const run = async (statementsOf: (tables: readonly string[]) => readonly string[]) => {
    const client = new pg.Client(serverUrl);
    await client.connect();
    try {
      const { rows } = await client.query<{ readonly name: string }>(
        'select tablename as name from pg_tables where schemaname = $1 order by tablename',
        [schema],
      );
      await client.query(statementsOf(rows.map(({ name }) => name)).join('; '));
    } finally {
      await client.end();
    }
  };
  return {
    async copy(): Promise<string> {
      const copy = `${schema}_copy_${copies.length + 1}`;
      await run((tables) => [
        `create schema ${copy}`,
        ...tables.map((table) => `create table ${copy}.${table} as table ${schema}.${table}`),
      ]);
      copies.push(copy);
      return copy;
    },
    async restore(copy: string): Promise<void> {
      await run((tables) => [
        // As a replica the ledger's triggers, which forbid changes, are silent.
        'set session_replication_role = replica',
        ...tables.flatMap((table) => [
          `delete from ${schema}.${table}`,
          `insert into ${schema}.${table} overriding system value select * from ${copy}.${table}`,
        ]),
      ]);
    },
    async drop(): Promise<void> {
      await run(() => copies.map((copy) => `drop schema ${copy} cascade`));
      copies.length = 0;
    },
  };
}
