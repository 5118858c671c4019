// The store's contract, over SQLite in memory and in a file, with both writers.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openSqliteStore, type SqliteStore } from '../../../../adapters/storage/sqlite/store.js';
import type { Sealer } from '../../../../core/ports/storage.js';
import { storeAccountsContract } from '../../../contract/store-accounts-contract.js';
import { storeClaimsContract } from '../../../contract/store-claims-contract.js';
import { storeContract } from '../../../contract/store-contract.js';
import { storeDocumentsContract } from '../../../contract/store-documents-contract.js';
import { storeInvoicesContract } from '../../../contract/store-invoices-contract.js';
import { storeKeysContract } from '../../../contract/store-keys-contract.js';
import { storeListsContract } from '../../../contract/store-lists-contract.js';
import { storeMembersContract } from '../../../contract/store-members-contract.js';
import { storeMoneyContract } from '../../../contract/store-money-contract.js';
import { storeQueueStatsContract } from '../../../contract/store-queue-stats-contract.js';
import { storeRetentionContract } from '../../../contract/store-retention-contract.js';
import { storeRowsContract } from '../../../contract/store-rows-contract.js';
import { storeSubjectsContract } from '../../../contract/store-subjects-contract.js';
import { storeViewsContract } from '../../../contract/store-views-contract.js';

const folder = mkdtempSync(join(tmpdir(), 'ponte-store-'));
after(() => rmSync(folder, { recursive: true }));

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

for (const [database, open] of Object.entries(databases)) {
  storeContract(database, open);
  storeRowsContract(database, open);
  storeListsContract(database, open);
  storeSubjectsContract(database, open);
  storeClaimsContract(database, open);
  storeAccountsContract(database, open);
  storeDocumentsContract(database, open);
  storeInvoicesContract(database, open);
  storeKeysContract(database, open);
  storeMembersContract(database, open);
  storeMoneyContract(database, open);
  storeQueueStatsContract(database, open);
  storeRetentionContract(database, open);
  storeViewsContract(database, open);
}
