// The store's contract, over SQLite in memory and in a file, with both writers.
import { storeAccountsContract } from '../../../contract/store-accounts-contract.js';
import { storeClaimsContract } from '../../../contract/store-claims-contract.js';
import { type OpenStore, storeContract } from '../../../contract/store-contract.js';
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
import { memoryStore, sqliteFileStore, threadedSqliteStore } from '../../../support/test-store.js';

const databases: Readonly<Record<string, OpenStore>> = {
  'SQLite in memory': async (sealer) => memoryStore(sealer),
  'SQLite in a file': async (sealer) => sqliteFileStore(sealer),
};

// These check reads, which do not depend on the writer.
for (const [database, open] of Object.entries(databases)) {
  storeListsContract(database, open);
  storeSubjectsContract(database, open);
  storeQueueStatsContract(database, open);
  storeViewsContract(database, open);
}

const threaded = { 'SQLite in a file, written by a thread': threadedSqliteStore };

for (const [database, open] of Object.entries({ ...databases, ...threaded })) {
  storeContract(database, open);
  storeRowsContract(database, open);
  storeClaimsContract(database, open);
  storeAccountsContract(database, open);
  storeDocumentsContract(database, open);
  storeInvoicesContract(database, open);
  storeKeysContract(database, open);
  storeMembersContract(database, open);
  storeMoneyContract(database, open);
  storeRetentionContract(database, open);
}
