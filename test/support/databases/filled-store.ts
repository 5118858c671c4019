// A store with rows in every table, for tests that move, copy or look after whole databases. Who
// adds a table adds a row here: the tests say so when one is empty.
import { money } from '../../../core/domain/base/money.js';
import { posting, transfer } from '../../../core/domain/payments/ledger.js';
import type { Store } from '../../../core/ports/storage.js';
import { someAccount, someBankDetails } from '../samples/bank-detail-samples.js';
import { aBookReading, aDeposit, aReconciliation } from '../samples/deposit-samples.js';
import {
  aBarePayment,
  aBuyer,
  aCommand,
  aDelivery,
  aDestinationChange,
  aDocument,
  aKey,
  aLogo,
  aMember,
  aMemberSession,
  aMessage,
  anAccount,
  anAdvance,
  anAttempt,
  anEvent,
  anOrganization,
  aPartyDraft,
  aPasskey,
  aPayment,
  aPerson,
  aProductionRequest,
  aProfile,
  aQuote,
  aRefusedRequest,
  aSubmission,
  aSubscription,
  otherMode,
  otherOrg,
  someFunds,
  T0,
  tenant,
} from '../samples/domain-samples.js';
import { anAccounting } from '../samples/entry-samples.js';
import { aCheckValue, anEpoch, aServiceKey } from '../samples/key-samples.js';
import { aMail, aNotice, aPageSession } from '../samples/mail-samples.js';
import { anOperator, anOperatorSession } from '../samples/operator-samples.js';
import { aSimulatedReport } from '../samples/payin-samples.js';
import { aProposal } from '../samples/proposal-samples.js';

/** Past what a float can count. */
const LARGE_MINOR = 9_007_199_254_740_993n;

export async function fillStore(store: Store): Promise<void> {
  await store.run(async (tx) => {
    tx.organizations.insert(anOrganization(), [aProfile(), aProfile({ mode: 'live' })]);
    tx.logos.insert(aLogo());
    tx.operators.insert(anOperator());
    tx.sessions.insert(anOperatorSession());
    tx.people.insert(aPerson());
    tx.members.insert(aMember());
    tx.sessions.insert(aMemberSession());
    tx.passkeys.insert(aPasskey());
    tx.destinationChanges.insert(aDestinationChange());
    // An organization has one that waits: tests multiply the row.
    tx.productionRequests.insert(aProductionRequest({ state: 'granted', decidedAtMs: T0 }));
    tx.keys.insert(aKey({ slot: 4 }));
    tx.payments.insert(aPayment({ externalId: 'command "1" \\ {,} 買い手' }));
    tx.payments.insert(aBarePayment({ id: 'pi_2', ...otherMode }));
    tx.payments.insert(aBarePayment({ id: 'pi_3', ...otherOrg, metadata: '{"z":1, "2":[] }' }));
    tx.funds.put(someFunds({ position: 'received', receivedMinor: LARGE_MINOR }));
    tx.quotes.insert(aQuote());
    tx.commands.insert(aCommand());
    tx.proposals.insert(aProposal());
    const paid = transfer('buyer', 'partner_float', money(LARGE_MINOR, 'EUR'));
    tx.ledger.append(tenant, 'pi_1', 'pst_1', posting('funds_received', paid), T0);
    tx.idempotency.bind(tenant, ' "k" ', 'payment_intent', 'pi_1', T0);
    tx.buyers.insert(aBuyer());
    tx.buyers.insertSubmission(aSubmission());
    tx.accounts.insert(anAccount());
    tx.partyDrafts.insert(aPartyDraft());
    tx.documents.insert(aDocument({ slot: 6 }));
    tx.mails.insert(aMail());
    tx.mails.insertOnce(aNotice());
    tx.sessions.insert(aPageSession());
    tx.subscriptions.insert(aSubscription({ slot: 5 }));
    tx.subscriptions.insert(aSubscription({ id: 'whs_2', active: false }));
    tx.feed.append(anEvent());
    tx.deliveries.insert(aDelivery());
    tx.deliveries.logAttempt(anAttempt());
    tx.inbox.insert(aMessage());
    tx.deposits.insert(aDeposit());
    tx.bookReadings.insert(aBookReading());
    tx.reconciliations.insert(aReconciliation());
    tx.accounting.put({ ...anAccounting(), version: 0 });
    tx.advances.put(anAdvance());
    tx.simulations.put(aSimulatedReport());
    tx.keyCheckValues.insert(aCheckValue());
    tx.fingerprints.insert({ name: 'documents', value: 'database-1', createdAtMs: T0 });
    tx.serviceKeys.insert(aServiceKey());
    tx.bankDetails.insert(someBankDetails(), [someAccount]);
    tx.epochs.insert(anEpoch());
    tx.refusedRequests.insert(aRefusedRequest());
  });
}

/** What is in the store, read through its port. */
export function contentsOf(store: Store): Promise<readonly unknown[]> {
  return store.run((tx) =>
    Promise.all([
      tx.organizations.list(),
      tx.organizations.profile(tenant),
      tx.organizations.profile(otherMode),
      tx.logos.get('org_a'),
      tx.operators.list(),
      tx.sessions.ofOperator('opr_1'),
      tx.members.list('org_a'),
      tx.people.get('per_1'),
      tx.sessions.get(['member'], 'ses_1'),
      tx.passkeys.ofPerson('per_1'),
      tx.destinationChanges.list(tenant, 5),
      tx.keys.list('org_a', 5),
      tx.keys.unrevoked('org_a'),
      tx.keys.slots(tenant),
      tx.payments.list({ status: null, orgId: null, beforeId: null, limit: 100 }),
      tx.funds.get(tenant, 'pi_1'),
      tx.quotes.get(tenant, 'qt_1'),
      tx.commands.list({ stuck: false, limit: 100 }),
      tx.proposals.ofItem('cmd_1'),
      tx.ledger.ofSubject(tenant, 'pi_1'),
      tx.idempotency.find(tenant, ' "k" '),
      tx.buyers.get('test', 'byr_1'),
      tx.buyers.submissionById(tenant, 'kyc_1'),
      tx.accounts.get(tenant, 'acct_1'),
      tx.documents.find('doc_1'),
      tx.mails.get(tenant, 'mail_1'),
      tx.mails.get(tenant, 'mail_9'),
      tx.sessions.get(['owner'], aPageSession().id),
      tx.feed.head(tenant),
      tx.feed.after(tenant, 0, 100),
      tx.subscriptions.list(tenant, 5),
      tx.subscriptions.slots(tenant),
      tx.deliveries.get('whd_1'),
      tx.deliveries.attempts('whd_1'),
      tx.inbox.get('fake', 'test', 'msg_1'),
      tx.deposits.get('dep_1'),
      tx.bookReadings.of('fake', 'test'),
      tx.reconciliations.get('fake', 'test'),
      tx.accounting.get(tenant),
      tx.advances.get(tenant, 'pi_1'),
      tx.simulations.get('test', 'cmd_1'),
      tx.keyCheckValues.list(),
      tx.fingerprints.get('documents'),
      tx.serviceKeys.list('session'),
      tx.bankDetails.ofPayment(tenant, 'pi_1'),
      tx.bankDetails.byNumber('n', 's'),
      tx.epochs.list(),
      tx.refusedRequests.oldest(5),
    ]),
  );
}
