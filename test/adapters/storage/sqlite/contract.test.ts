// The store's contract, over SQLite in memory, and in a file as a host serves it.
import { storeContracts } from '../../../contract/store-contracts.js';
import { memoryStore, servedSqliteStore } from '../../../support/databases/test-store.js';

storeContracts('SQLite in memory', async (sealer) => memoryStore(sealer));
storeContracts('SQLite in a file', async (sealer) => servedSqliteStore(sealer));
