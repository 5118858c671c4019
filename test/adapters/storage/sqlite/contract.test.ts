// The store's contract, over SQLite in memory, and what depends on the writer over its thread.
import { storeContracts, writes } from '../../../contract/store-contracts.js';
import { memoryStore, threadedSqliteStore } from '../../../support/databases/test-store.js';

storeContracts('SQLite in memory', async (sealer) => memoryStore(sealer));
storeContracts('SQLite in a file, written by a thread', threadedSqliteStore, writes);
