// The parts of the store's contract that depend little on the writer, in a file that a host serves.
import { others, storeContracts } from '../../../contract/store-contracts.js';
import { servedSqliteStore } from '../../../support/databases/test-store.js';

storeContracts('SQLite in a file', async (sealer) => servedSqliteStore(sealer), others);
