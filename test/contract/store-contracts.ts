// The contract of the store, all parts of it: every database passes the same tests.
import { after, afterEach, beforeEach, describe } from 'node:test';
import type { Sealer, Store, Tx } from '../../core/ports/storage.js';
import { storeAccountsContract } from './store-accounts-contract.js';
import { storeAuditContract } from './store-audit-contract.js';
import { storeBankDetailsContract } from './store-bank-details-contract.js';
import { storeClaimsContract } from './store-claims-contract.js';
import { storeContract } from './store-contract.js';
import { storeDepositsContract } from './store-deposits-contract.js';
import { storeDeskContract } from './store-desk-contract.js';
import { storeDocumentsContract } from './store-documents-contract.js';
import { storeFeedContract } from './store-feed-contract.js';
import { storeInvoicesContract } from './store-invoices-contract.js';
import { storeKeysContract } from './store-keys-contract.js';
import { storeLinksContract } from './store-links-contract.js';
import { storeListsContract } from './store-lists-contract.js';
import { storeMembersContract } from './store-members-contract.js';
import { storeMoneyContract } from './store-money-contract.js';
import { storeOperatorsContract } from './store-operators-contract.js';
import { storePaymentListsContract } from './store-payment-lists-contract.js';
import { storePeopleContract } from './store-people-contract.js';
import { storeQueueStatsContract } from './store-queue-stats-contract.js';
import { storeRetentionContract } from './store-retention-contract.js';
import { storeRowsContract } from './store-rows-contract.js';
import { storeSearchContract } from './store-search-contract.js';
import { storeSubjectsContract } from './store-subjects-contract.js';
import { storeViewsContract } from './store-views-contract.js';

/** A new, migrated store with its first rows, closed after the test or the part that opens it. */
export type OpenStore = (stage?: (tx: Tx) => unknown, sealer?: Sealer) => Promise<Store>;

type Parts = Readonly<Record<string, (open: OpenStore) => void>>;

/** What depends on the writer: rows of every table, batches that conflict, and guards. */
export const writes: Parts = {
  batches: storeContract,
  rows: storeRowsContract,
  'the feed': storeFeedContract,
  'the audit log': storeAuditContract,
};

export const others: Parts = {
  claims: storeClaimsContract,
  keys: storeKeysContract,
  money: storeMoneyContract,
  'the money desk': storeDeskContract,
  'connected accounts': storeAccountsContract,
  'bank details': storeBankDetailsContract,
  documents: storeDocumentsContract,
  'invoices and mails': storeInvoicesContract,
  'links and page sessions': storeLinksContract,
  members: storeMembersContract,
  operators: storeOperatorsContract,
  people: storePeopleContract,
  deposits: storeDepositsContract,
  retention: storeRetentionContract,
  lists: storeListsContract,
  'lists of payments': storePaymentListsContract,
  'a search': storeSearchContract,
  'by subject': storeSubjectsContract,
  'what waits': storeQueueStatsContract,
  views: storeViewsContract,
};

const all: Parts = { ...writes, ...others };

export function storeContracts(
  database: string,
  open: (sealer?: Sealer) => Promise<Store>,
  parts = all,
): void {
  for (const [name, part] of Object.entries(parts)) {
    describe(`the store over ${database}: ${name}`, () => {
      const ofPart: Store[] = [];
      const ofTest: Store[] = [];
      let opened = ofPart;
      const close = (stores: Store[]) =>
        Promise.all(stores.splice(0).map((store) => store.close()));
      beforeEach(() => {
        opened = ofTest;
      });
      afterEach(async () => {
        opened = ofPart;
        await close(ofTest);
      });
      after(() => close(ofPart));
      part(async (stage, sealer) => {
        const store = await open(sealer);
        opened.push(store);
        if (stage !== undefined) await store.run(async (tx) => void (await stage(tx)));
        return store;
      });
    });
  }
}
