// The store's contract, over SQLite in memory and in a file, with both writers.
import { storeContracts, writes } from '../../../contract/store-contracts.js';
import {
  memoryStore,
  sqliteFileStore,
  threadedSqliteStore,
} from '../../../support/databases/test-store.js';

storeContracts('SQLite in memory', async (sealer) => memoryStore(sealer));
storeContracts('SQLite in a file', async (sealer) => sqliteFileStore(sealer));
storeContracts('SQLite in a file, written by a thread', threadedSqliteStore, writes);
