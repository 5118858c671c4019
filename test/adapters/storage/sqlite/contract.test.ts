// The store's contract, over SQLite in memory and in a file, with both writers.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openSqliteStore, type SqliteStore } from '../../../../adapters/storage/sqlite/store.js';
import type { Sealer } from '../../../../core/ports/storage.js';
import { storeContracts } from '../../../contract/store-contracts.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const folder = temporaryFolder();

let files = 0;

async function migrated(path: string, sealer?: Sealer): Promise<SqliteStore> {
  const store = openSqliteStore({ path }, sealer);
  await store.migrate();
  return store;
}

function inFile(sealer?: Sealer): Promise<SqliteStore> {
  files += 1;
  return migrated(join(folder, `${files}.db`), sealer);
}

const databases = {
  'SQLite in memory': (sealer?: Sealer) => migrated(':memory:', sealer),
  'SQLite in a file': inFile,
  'SQLite in a file, written by a thread': async (sealer?: Sealer) => {
    const store = await inFile(sealer);
    assert.ok(store.startThread !== null);
    await store.startThread();
    return store;
  },
} as const;

for (const [database, open] of Object.entries(databases)) storeContracts(database, open);
