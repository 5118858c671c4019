// The store's contract, over PostgreSQL.
import type { Sealer, Store } from '../../../../core/ports/storage.js';
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
import { localPostgres } from '../../../support/local-postgres.js';
import { postgresStore } from '../../../support/test-store.js';

const postgres = localPostgres();
const database = 'PostgreSQL';

async function open(sealer?: Sealer): Promise<Store> {
  return postgresStore(await postgres.url(), sealer);
}

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
