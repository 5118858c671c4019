// The database of a history: SQLite in memory here, PostgreSQL in simulated-postgres.ts. A process
// plays its histories one after the other, each on an empty, migrated database.
import SqliteConnection from 'better-sqlite3';
import type { Database } from '../../../adapters/storage/database.js';
import { SqliteDatabase } from '../../../adapters/storage/sqlite/database.js';
import { newStore } from '../../../adapters/storage/store.js';
import type { Store } from '../../../core/ports/storage.js';
import { reusedConnection } from '../../support/databases/reused-connection.js';
import { OrderedDatabase } from './ordered-database.js';

export interface SimulatedDatabase {
  readonly store: Store;
  /**
   * Copies what is committed. The answer restores the copy, as often as it is called: it closes the
   * store before and yields the database as it was.
   */
  copy(): Promise<RestoreCopy>;
}

export type RestoreCopy = () => Promise<SimulatedDatabase>;

/** Opens an empty database. The one before it is closed by then. */
export type OpenDatabase = () => Promise<SimulatedDatabase>;

export const sqliteInMemory: OpenDatabase = async () => sqliteFrom(reusedConnection());

/** The store over a session whose answers come in an order that the seed decides. */
export function storeOver(database: Database, close: () => Promise<void>): Store {
  return {
    ...newStore(new OrderedDatabase(database)),
    migrate: async () => [],
    health: async () => ({ database: true, migrations: true }),
    close,
  };
}

function sqliteFrom(connection: SqliteConnection.Database): SimulatedDatabase {
  const database = new SqliteDatabase({ path: ':memory:', connection });
  const store = storeOver(database, () => database.close());
  return {
    store,
    async copy() {
      database.endReads();
      const copied = database.connection.serialize();
      return async () => {
        await database.close();
        return sqliteFrom(new SqliteConnection(copied));
      };
    },
  };
}
