// The parts of the store's contract that depend little on the writer, over the writer's thread.
import { others, storeContracts } from '../../../contract/store-contracts.js';
import { threadedSqliteStore } from '../../../support/databases/test-store.js';

storeContracts('SQLite in a file, written by a thread', threadedSqliteStore, others);
