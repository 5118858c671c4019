// The store's contract, over SQLite in memory, and what depends on the writer in a file as a host
// serves it.
import { storeContracts, writes } from '../../../contract/store-contracts.js';
import { memoryStore, servedSqliteStore } from '../../../support/databases/test-store.js';

storeContracts('SQLite in memory', async (sealer) => memoryStore(sealer));
storeContracts('SQLite in a file', async (sealer) => servedSqliteStore(sealer), writes);
