// The store's contract, over SQLite in a file, and what depends little on the writer over its
// thread.
import { others, storeContracts } from '../../../contract/store-contracts.js';
import { sqliteFileStore, threadedSqliteStore } from '../../../support/databases/test-store.js';

storeContracts('SQLite in a file', async (sealer) => sqliteFileStore(sealer));
storeContracts('SQLite in a file, written by a thread', threadedSqliteStore, others);
