// Every statement that the store runs, as text: each method of its port called once in each form
// that makes another text, over a database that only notes. A method that is not called here
// fails the tests that ask for them.

import assert from 'node:assert/strict';
import type { CachedRead, Database, Param, Statement } from '../../../adapters/storage/database.js';
import { newStore } from '../../../adapters/storage/store.js';
import { pageSessionKinds } from '../../../core/domain/access/session.js';
import { heldTypes } from '../../../core/domain/service/audit-record.js';
import type { SealedColumn } from '../../../core/domain/service/sealed-columns.js';
import type { Claims, SealedRow, Tx } from '../../../core/ports/storage.js';
import { someAccount, someBankDetails } from '../samples/bank-detail-samples.js';
import { aBookReading, aDeposit, aReconciliation } from '../samples/deposit-samples.js';
import {
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
  aSubmission,
  aSubscription,
  duePage,
  someFunds,
  T0,
  tenant,
} from '../samples/domain-samples.js';
import { anAccounting, samplePostings } from '../samples/entry-samples.js';
import { aCheckValue, anEpoch, aServiceKey } from '../samples/key-samples.js';
import { aMail, aNotice, aPageSession } from '../samples/mail-samples.js';
import { anOperator, anOperatorSession } from '../samples/operator-samples.js';
import { aSimulatedReport } from '../samples/payin-samples.js';
import { aProposal, deskReads } from '../samples/proposal-samples.js';

const page = { beforeId: 'x', limit: 5 };
const age = { sinceMs: T0, sinceDeliveryId: 'whd_5' };

const places: Readonly<Record<SealedColumn, readonly string[]>> = {
  'connected_accounts.tax_id_sealed': ['org_a', 'test', 'acct_1'],
  'kyc_submissions.dossier_sealed': ['org_a', 'test', 'kyc_1'],
  'kyc_submissions.draft_sealed': ['org_a', 'test', 'kyc_1'],
  'mails.token_sealed': ['org_a', 'test', 'mail_1'],
  'partner_commands.request': ['cmd_1'],
  'party_drafts.draft_sealed': ['org_a', 'test', 'acct_1'],
  'deposits.payer_sealed': ['dep_1'],
  'service_keys.sealed': ['skey_1'],
  'subscriptions.secret_sealed': ['org_a', 'test', 'whs_1'],
};
const sealedPlaces = Object.entries(places) as readonly (readonly [
  SealedColumn,
  readonly string[],
])[];

function sealedRow(place: readonly string[]): SealedRow {
  return { key: place, id: place.at(-1) ?? '', sealed: 'sealed' };
}

export interface StatementsOfTheStore {
  readonly reads: readonly Query[];
  /** Those of them whose values may be kept. */
  readonly cached: readonly CachedRead<unknown>[];
  readonly batched: readonly Statement[];
  readonly immediate: readonly Query[];
}

interface Query {
  readonly sql: string;
  readonly params: readonly Param[];
}

/** All their texts, each once. */
export async function statementsOfTheStore(): Promise<ReadonlySet<string>> {
  const { reads, batched, immediate } = await callsOfTheStore();
  return new Set([...reads, ...batched, ...immediate].map(({ sql }) => sql));
}

const nothingFound = {
  due: 0,
  counted: 0,
  oldest_due_at: null,
  oldest_at: null,
  changes: 0,
  id: null,
};

/** What reaches a session, as it does. */
export async function callsOfTheStore(): Promise<StatementsOfTheStore> {
  const calls = {
    reads: [] as Query[],
    cached: [] as CachedRead<unknown>[],
    batched: [] as Statement[],
    immediate: [] as Query[],
  };
  const database: Database = {
    refusesAlone: false,
    read: async (sql, params) => {
      calls.reads.push({ sql, params });
      // Counts are numbers, also where nothing is found.
      const counts =
        / as (due|counted|oldest_at|changes)\b/.test(sql) && !sql.includes(' group by ');
      if (counts) return [nothingFound];
      const isOfNoTable = sql.startsWith('select (');
      return isOfNoTable ? [{ submission_status: null, approved_account_id: null }] : [];
    },
    page: async ({ sql, keySql, read }, params) => {
      calls.reads.push({ sql: keySql, params });
      return (await database.read(sql, params)).map(read);
    },
    kept: () => null,
    immediate: async (sql, params) => {
      calls.immediate.push({ sql, params });
      return [];
    },
    batch: async (statements) => {
      calls.batched.push(...statements);
    },
    cached: async (query, params) => {
      calls.cached.push(query);
      return (await database.read(query.sql, params)).map(query.read);
    },
    durable: () => null,
  };
  // One row above is sealed under this key.
  const store = newStore(database, { keyId: 'k1', registerKey: async () => undefined });
  const uncalled = new Set<string>();
  await store.run((tx) => everyStatement(noting(tx, uncalled)));
  await store.run((tx) => everyLaterWrite(noting(tx, uncalled)));
  assert.deepEqual([...uncalled], [], 'methods that are not called here');
  await everyClaim(store.claims);
  return calls;
}

/** Not called: the writes that every table has, by one function, and an operator's erasure. */
const apart = ['insert', 'update', 'expect', 'remove', 'erase'];

/** Notes the methods of `tx` the first time, and takes out each that is called. */
function noting(tx: Tx, uncalled: Set<string>): Tx {
  const isFirst = uncalled.size === 0;
  const parts = Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(tx)))
    .filter(([, { get }]) => typeof get?.call(tx) === 'object')
    .map(([name, { get }]) => {
      const part = get?.call(tx) as object;
      for (const method of Object.getOwnPropertyNames(Object.getPrototypeOf(part)))
        if (isFirst && !['constructor', ...apart].includes(method))
          uncalled.add(`${name}.${method}`);
      const called = (_: object, method: string) => {
        uncalled.delete(`${name}.${method}`);
        return Reflect.get(part, method).bind(part);
      };
      const value = new Proxy(part, { get: called as ProxyHandler<object>['get'] });
      return [name, { value }];
    });
  return Object.create(tx, Object.fromEntries(parts));
}

async function everyStatement(tx: Tx): Promise<void> {
  await Promise.all([
    ...readsOfMoney(tx),
    ...mailReads(tx),
    ...webhookReads(tx),
    ...otherReads(tx),
  ]);
  everyFirstWrite(tx);
}

const fromT0 = { fromMs: T0, afterId: 'x', limit: 5 };
const ofYear = { fromMs: T0, beforeMs: T0, beforeId: 'x', limit: 5 };

/** Who has what, and what is paid. */
function readsOfMoney(tx: Tx): readonly Promise<unknown>[] {
  return [
    tx.organizations.get('org_a'),
    tx.organizations.list(),
    tx.organizations.profile(tenant),
    tx.organizations.named(tenant),
    ...readsOfOperators(tx),
    ...readsOfMembers(tx),
    tx.destinationChanges.find('dst_1'),
    tx.destinationChanges.list(tenant, 5),
    tx.destinationChanges.ofPayee(tenant, 'acct_1', 5),
    tx.destinationChanges.ofPayee(tenant, null, 5),
    tx.logos.get('org_a'),
    tx.productionRequests.newest('org_a'),
    tx.productionRequests.waiting(5),
    tx.keys.get('key_1'),
    tx.keys.list('org_a', 5),
    tx.keys.unrevoked('org_a'),
    tx.keys.slots(tenant),
    tx.payments.get(tenant, 'pi_1'),
    tx.payments.withFunds(tenant, 'pi_1'),
    tx.payments.byExternalId(tenant, 'invoice', 'e'),
    tx.payments.ofBuyer(tenant, 'byr_1', ['approved', 'fx_quoted'], fromT0),
    tx.payments.newestOfBuyer(tenant, 'byr_1', 'approved', ofYear),
    tx.payments.anyOfBuyer(tenant, 'byr_1'),
    tx.payments.consolidated(tenant, 'r'),
    tx.payments.list({ status: null, orgId: null, ...page }),
    tx.payments.list({ status: null, orgId: null, beforeId: null, limit: 5 }),
    tx.payments.list({ status: 'failed', orgId: 'org_a', ...page }),
    tx.payments.find('pi_1'),
    tx.payments.byPublicId('p'),
    tx.payments.startingWith(tenant, 'k', 5),
    tx.names.owners(tenant, 'w', 5),
    tx.names.ofOwner(tenant, 'byr_1'),
    tx.views.get(tenant, 'pi_1'),
    tx.views.byExternalId(tenant, 'invoice', 'e'),
    ...paymentPages(tx),
    tx.views.kycStatus(tenant, { id: 'byr_1', emailKey: 'a@b' }),
    tx.views.pageVersions(tenant, ['pi_1', 'pi_2']),
    tx.views.buyer(tenant, 'a@b'),
    tx.funds.get(tenant, 'pi_1'),
    tx.funds.of(aPayment()),
    tx.funds.open(5),
    tx.funds.attention(tenant, 5),
    tx.payments.page(null, 5),
    tx.quotes.get(tenant, 'qt_1'),
    ...readsOfDeposits(tx),
    tx.bankDetails.ofPayment(tenant, 'pi_1'),
    tx.bankDetails.byCode('s', 'c'),
    tx.bankDetails.byNumber('n', 's'),
    tx.bankDetails.paidBefore(someBankDetails(), 'a'),
    ...deskReads(tx),
    tx.commands.get('cmd_1'),
    tx.commands.known(aCommand()),
    tx.commands.byReference('test', 'r'),
    tx.commands.byPartnerRef('test', 'payin', 'p'),
    tx.commands.allByPartnerRef('test', 'payin', 'p'),
    tx.commands.ofPayment(tenant, 'pi_1'),
    tx.commands.ofSubmission(tenant, 'kyc_1'),
    tx.commands.since({ fromMs: 0, afterId: '', limit: 5 }),
    tx.commands.list({ stuck: true, limit: 5 }),
    tx.commands.list({ stuck: false, limit: 5 }),
    tx.ledger.newestMs(),
    tx.ledger.ofSubject(tenant, 'pi_1'),
    tx.ledger.page(tenant, { afterId: 'a', beforeId: 'z', limit: 5 }),
    tx.ledger.paidOut(tenant, T0, T0 + 1),
    tx.ledger.balances('test'),
    tx.ledger.floats('test'),
    tx.idempotency.find(tenant, 'k'),
    tx.idempotency.ofCreate(tenant, { origin: 'invoice', externalId: 'e', idempotencyKey: 'k' }),
    tx.buyers.byEmail('test', 'a@b'),
    tx.buyers.get('test', 'byr_1'),
    tx.buyers.submission(tenant, 'byr_1'),
    tx.buyers.submissionById(tenant, 'kyc_1'),
    tx.buyers.approvedAnywhere('test', 'byr_1'),
    tx.buyers.approvedByPartnerRef('test', 'p', 5),
    tx.buyers.submissionByFlow('f'),
  ];
}

function readsOfMembers(tx: Tx): readonly Promise<unknown>[] {
  return [
    tx.members.get('org_a', 'mem_1'),
    tx.members.byEmail('org_a', 'a@b'),
    tx.members.ofPerson('per_1'),
    tx.members.list('org_a'),
    tx.people.get('per_1'),
    tx.people.byEmail('a@b'),
    tx.passkeys.get('psk_1'),
    tx.passkeys.byCredential('x'),
    tx.passkeys.ofPerson('per_1'),
  ];
}

function readsOfOperators(tx: Tx): readonly Promise<unknown>[] {
  return [
    tx.operators.get('opr_1'),
    tx.operators.byKey('x'),
    tx.operators.first(),
    tx.operators.list(),
  ];
}

function readsOfDeposits(tx: Tx): readonly Promise<unknown>[] {
  return [
    tx.deposits.get('dep_1'),
    tx.deposits.byPartnerRef('fake', 'test', 'payin', 'p'),
    tx.deposits.list({ waiting: true, ...page }),
    tx.deposits.list({ waiting: true, beforeId: null, limit: 5 }),
    tx.deposits.list({ waiting: false, ...page }),
    tx.deposits.list({ waiting: false, beforeId: null, limit: 5 }),
    tx.deposits.after('dep_1', 5),
    tx.deposits.unmatchedTo('test', 'p', 'USD'),
    tx.bookReadings.of('fake', 'test'),
    tx.reconciliations.get('fake', 'test'),
    tx.accounting.get(tenant),
    tx.accounting.summing(10),
    tx.quotes.byPartnerQuoteId('test', 'q', 5),
    tx.bankDetails.byShortId('s', 5),
    tx.payments.awaitingMoney(tenant, null, 5),
    tx.payments.awaitingMoney(tenant, 's', 5),
    tx.commands.payinsInFlight('test', 5),
    tx.accounts.byPartnerRef('test', 'p'),
    tx.organizations.profilesByPartnerRef('test', 'p'),
  ];
}

/** Under every combination of filters. */
function paymentPages(tx: Tx): readonly Promise<unknown>[] {
  const origins = ['payment_intent', 'invoice'] as const;
  const none = { statuses: null, externalId: null, sellerExternalId: null, afterId: null };
  const noSearch = { id: null, buyerId: null, amount: null, settled: null, due: null };
  const ends = { fromMoment: '0', beforeMoment: 'z' };
  const anyTime = { fromMoment: null, beforeMoment: null };
  const all = { origins, ...none, ...noSearch, ...anyTime, ...page };
  const statuses = ['approved'] as const;
  const settled = { fromMs: T0, beforeMs: T0 + 1 };
  const due = { from: '2026-01-01', to: '2026-01-31', isUncovered: true };
  const behind = { beforeId: null, afterId: 'pi_1' } as const;
  const searches = [
    { buyerId: 'byr_1' },
    { amount: { amountMinor: 1n, currency: 'USD' } },
  ] as const;
  return [
    tx.views.countsByStatus(tenant, { fromMoment: 'x', oldBefore: 'y', countMax: 5 }),
    tx.views.listPayments(tenant, all),
    tx.views.listPayments(tenant, { ...all, ...ends, beforeId: null }),
    tx.views.listPayments(tenant, { ...all, statuses }),
    tx.views.listPayments(tenant, { ...all, sellerExternalId: 's' }),
    tx.views.listPayments(tenant, { ...all, sellerExternalId: 's', statuses, ...ends }),
    tx.views.listPayments(tenant, { ...all, externalId: 'e', sellerExternalId: 's', statuses }),
    tx.views.listPayments(tenant, { ...all, ...behind }),
    tx.views.listPayments(tenant, { ...all, statuses, ...behind }),
    ...[{ beforeId: null }, {}, behind].flatMap((place) => [
      tx.views.listPayments(tenant, { ...all, ...place, settled }),
      tx.views.listPayments(tenant, { ...all, ...place, settled, statuses, sellerExternalId: 's' }),
      tx.views.listPayments(tenant, { ...all, ...place, due, statuses }),
      tx.views.listPayments(tenant, { ...all, ...place, due, statuses, sellerExternalId: 's' }),
      tx.views.listPayments(tenant, { ...all, ...place, settled, due, statuses }),
    ]),
    ...searches.flatMap((search) => [
      tx.views.listPayments(tenant, { ...all, ...search }),
      tx.views.listPayments(tenant, { ...all, ...search, beforeId: null }),
      tx.views.listPayments(tenant, { ...all, ...search, ...behind }),
      tx.views.listPayments(tenant, { ...all, ...search, statuses, sellerExternalId: 's' }),
    ]),
    tx.views.updatedPayments(tenant, { origins, fromMs: T0, afterId: 'x', untilMs: T0, limit: 5 }),
  ];
}

const notice = { purpose: 'payout_changed', toKey: 'a@b', accountId: null } as const;

function mailReads(tx: Tx): readonly Promise<unknown>[] {
  return [
    tx.mails.get(tenant, 'mail_1'),
    tx.mails.byTokenHash('h'),
    tx.mails.openLinks(tenant, { kind: 'payment', paymentId: 'pi_1' }, T0),
    tx.mails.openLinks(tenant, { kind: 'approval', paymentId: 'pi_1' }, T0),
    tx.mails.openLinks(tenant, { kind: 'person', emailKey: 'a@b' }, T0),
    tx.mails.openLinks(tenant, { kind: 'submission', submissionId: 'k', ownerIndex: 1 }, T0),
    tx.mails.newestOwnerLink(tenant, 'kyc_1', 1),
    tx.mails.newestOwnerLinks(tenant, 'kyc_1', 5),
    tx.mails.newestUsedLink(tenant, 'kyc_1'),
    tx.sessions.get(['member'], 'ses_1'),
    tx.sessions.byToken(['member'], 'x'),
    tx.sessions.byToken(pageSessionKinds, 'x'),
    tx.sessions.byLink('x'),
    tx.sessions.newest(tenant, { paymentId: 'pi_1' }),
    tx.sessions.newest(tenant, { submissionId: 'kyc_1' }),
    tx.sessions.open(tenant, ['colleague'], { paymentId: 'pi_1' }),
    tx.sessions.open(tenant, ['buyer', 'upload'], { submissionId: 'kyc_1' }),
    tx.sessions.open(tenant, ['owner'], { submissionId: 'kyc_1', ownerIndex: 1 }),
    tx.sessions.open(tenant, pageSessionKinds, { accountId: 'acct_1' }),
    tx.sessions.openOfPerson('per_1', T0),
    tx.sessions.ofOperator('opr_1'),
    tx.partyDrafts.get(tenant, 'acct_1'),
    tx.partyDrafts.savedBefore(T0, null, 5),
    tx.sessions.createdBefore(T0, 5),
    tx.mails.oldest(5),
    tx.mails.find('mail_1'),
    tx.mails.anySentTo('org_a', 'a@b'),
    tx.mails.newestNumbered({ ...tenant, purpose: 'sign_in', toKey: 'a@b' }, 5),
    tx.mails.newestAbout({ ...tenant, ...notice }, 5),
    ...[null, 'refused' as const].flatMap((status) => [
      tx.mails.list({ status, ...page }),
      tx.mails.list({ status, beforeId: null, limit: 5 }),
    ]),
  ];
}

function otherReads(tx: Tx): readonly Promise<unknown>[] {
  return [
    tx.documents.find('doc_1'),
    tx.documents.due(duePage(5)),
    tx.documents.ofVendor(tenant, 'v'),
    tx.documents.keptBytes(tenant),
    tx.documents.slots(tenant, aDocument().owner),
    ...[true, false].flatMap((kept) => [
      tx.documents.list({ kept, ...page }),
      tx.documents.list({ kept, beforeId: null, limit: 5 }),
    ]),
    tx.accounts.get(tenant, 'acct_1'),
    tx.accounts.byExternalId(tenant, 'e'),
    tx.accounts.ofBuyer(tenant, 'a@b'),
    ...[null, 'seller' as const].flatMap((role) =>
      [null, 'approved' as const].flatMap((status) => [
        tx.accounts.list(tenant, { role, status, ...page }),
        tx.accounts.list(tenant, { role, status, beforeId: null, limit: 5 }),
      ]),
    ),
    tx.inbox.get('fake', 'test', 'm'),
    tx.inbox.known(aMessage()),
    tx.inbox.unapplied(duePage(5)),
    tx.advances.get(tenant, 'pi_1'),
    tx.advances.known(anAdvance()),
    tx.simulations.get('test', 'cmd_1'),
    tx.advances.due(duePage(5)),
    tx.keyCheckValues.list(),
    tx.refusedRequests.byRequestId('r', 5),
    tx.refusedRequests.list({ orgId: null, ...page }),
    tx.refusedRequests.list({ orgId: 'org_a', ...page }),
    tx.refusedRequests.oldest(5),
    ...heldTypes.map((type) => tx.held.page(type, null, 5)),
    tx.fingerprints.get('documents'),
    tx.commands.unfinishedElsewhere('test', 'fake', 5),
    tx.serviceKeys.list('session'),
    // No row is found here, and a database always has one.
    tx.epochs.current().catch(() => null),
    tx.epochs.list(),
    ...sealedPlaces.map(([column, place]) =>
      tx.sealed.page(column, { exceptKeyId: 'k1', after: sealedRow(place), limit: 5 }),
    ),
    tx.people.find('buyer@example.com'),
    tx.people.addressOf('pi_1'),
    tx.people.blocking('buyer@example.com'),
    tx.queueStats.read(T0, 5),
    tx.retention.oldDeliveries(age, 'whd_1', 5),
    tx.retention.oldMessages(age, null, 5),
    tx.retention.tenants(null, 5),
    tx.retention.oldestEvents(age, tenant, 1, 5),
  ];
}

function webhookReads(tx: Tx): readonly Promise<unknown>[] {
  return [
    tx.feed.head(tenant),
    tx.feed.get(tenant, 'evt_1'),
    tx.feed.after(tenant, 0, 5),
    tx.feed.ofSubject(tenant, 'pi_1'),
    ...['pi_1', null].flatMap((subjectId) =>
      ['invoice.created', null].map((type) =>
        tx.feed.newest(
          tenant,
          { subjectId, type, fromSequence: 1 },
          { beforeSequence: 9, limit: 5 },
        ),
      ),
    ),
    tx.subscriptions.get(tenant, 'whs_1'),
    tx.subscriptions.find('whs_1'),
    tx.subscriptions.list(tenant, 5),
    tx.subscriptions.slots(tenant),
    tx.subscriptions.active(tenant),
    tx.subscriptions.sharingUrl('live', 5),
    tx.subscriptions.behind('', 5),
    tx.subscriptions.cursor(aSubscription()),
    tx.feed.withoutDelivery(aSubscription(), 0, 5),
    tx.deliveries.get('whd_1'),
    tx.deliveries.list({ status: null, subscriptionId: 'whs_1', ...page }),
    tx.deliveries.list({ status: 'dead_letter', subscriptionId: 'whs_1', ...page }),
    tx.deliveries.list({ status: null, subscriptionId: null, ...page }),
    tx.deliveries.list({ status: 'dead_letter', subscriptionId: null, ...page }),
    tx.deliveries.list({ status: 'pending', subscriptionId: 'whs_1', ...page }),
    tx.deliveries.ofEvent(tenant, 'evt_1', 5),
    // No row is found here, and a count always has one.
    tx.deliveries.counts('whs_1', { fromId: 'whd_1', countMax: 5 }).catch(() => null),
    tx.deliveries.pendingOf('whs_1', 5),
    tx.deliveries.waitingOf('whs_1', 1, 5),
    tx.deliveries.attempts('whd_1'),
    tx.deliveries.ofSubject(tenant, 'pi_1', fromT0),
    tx.deliveries.attemptsOfSubject(tenant, 'pi_1', fromT0),
  ];
}

function everyFirstWrite(tx: Tx): void {
  tx.organizations.insert(anOrganization(), [aProfile()]);
  tx.organizations.expect(anOrganization({ id: 'org_b' }));
  tx.organizations.expectProfile(aProfile({ mode: 'live' }));
  tx.operators.insert(anOperator());
  tx.sessions.insert(anOperatorSession());
  tx.operators.expect(anOperator({ id: 'opr_2' }));
  tx.people.insert(aPerson());
  tx.members.insert(aMember());
  tx.sessions.insert(aMemberSession());
  tx.passkeys.insert(aPasskey());
  tx.destinationChanges.insert(aDestinationChange());
  tx.logos.insert(aLogo());
  tx.logos.remove(aLogo({ orgId: 'org_b' }));
  tx.productionRequests.insert(aProductionRequest());
  tx.sessions.remove(aMemberSession({ id: 'ses_0' }));
  tx.keys.insert(aKey());
  tx.payments.insert(aPayment());
  tx.funds.put(someFunds());
  tx.quotes.insert(aQuote());
  tx.ledger.append(tenant, 'pi_1', 'pst_1', samplePostings[0] ?? assert.fail(), T0);
  tx.bankDetails.insert(someBankDetails(), [someAccount]);
  tx.commands.insert(aCommand());
  tx.proposals.insert(aProposal());
  tx.idempotency.bind(tenant, 'k', 'invoice', 'inv_1', T0);
  tx.buyers.insert(aBuyer());
  tx.buyers.insertSubmission(aSubmission());
  tx.buyers.expectSubmission(aSubmission({ id: 'kyc_2' }));
  tx.accounts.insert(anAccount());
  tx.partyDrafts.insert(aPartyDraft());
  tx.partyDrafts.expect(aPartyDraft({ id: 'acct_2' }));
  tx.partyDrafts.remove(aPartyDraft({ id: 'acct_3' }));
  tx.accounts.expect(anAccount({ id: 'acct_2' }));
  tx.mails.insert(aMail());
  tx.mails.insertOnce(aNotice());
  tx.sessions.insert(aPageSession());
  tx.sessions.remove(aPageSession({ id: 'other' }));
  tx.mails.remove(aMail({ id: 'mail_2' }));
  tx.documents.insert(aDocument());
  tx.subscriptions.insert(aSubscription());
  tx.feed.expect({ ...anEvent({ id: 'evt_2' }), sequence: 1, chainHash: 'hash' });
  tx.feed.append(anEvent());
  tx.deliveries.insert(aDelivery());
  tx.deliveries.logAttempt(anAttempt());
  tx.inbox.insert(aMessage());
  tx.deposits.insert(aDeposit());
  tx.bookReadings.insert(aBookReading());
  tx.reconciliations.insert(aReconciliation());
  tx.accounting.put({ ...anAccounting(), version: 0 });
  tx.keyCheckValues.insert(aCheckValue());
  tx.keyCheckValues.remove(aCheckValue({ keyId: 'second' }));
  tx.fingerprints.insert({ name: 'documents', value: 'database-1', createdAtMs: T0 });
  tx.serviceKeys.insert(aServiceKey({ sealed: 's1.k1.a' }));
  tx.serviceKeys.remove(aServiceKey({ id: 'skey_2' }));
  tx.epochs.expectNoQuarantine();
  tx.epochs.insert(anEpoch());
  tx.advances.put(anAdvance());
  tx.simulations.put(aSimulatedReport());
  tx.advances.remove(anAdvance({ paymentId: 'pi_2' }));
}

/** Writes of rows that another batch has inserted: a batch writes a row once. */
async function everyLaterWrite(tx: Tx): Promise<void> {
  tx.organizations.update(anOrganization());
  tx.fingerprints.put({ name: 'documents', value: 'database-2', createdAtMs: T0 });
  tx.commands.renameInstance('test', 'fake', 'other');
  tx.organizations.updateProfile(aProfile());
  tx.operators.update(anOperator());
  tx.sessions.update(anOperatorSession());
  tx.sessions.touch(anOperatorSession({ id: 'ops_2' }));
  tx.sessions.remove(anOperatorSession({ id: 'ops_3' }));
  tx.people.update(aPerson());
  tx.members.update(aMember());
  tx.sessions.update(aMemberSession());
  tx.passkeys.update(aPasskey());
  tx.destinationChanges.update(aDestinationChange());
  tx.logos.update(aLogo());
  tx.productionRequests.update(aProductionRequest());
  tx.keys.update(aKey());
  tx.keys.touch('key_1', T0);
  tx.keys.noteScopes('key_1', ['webhooks:read']);
  tx.payments.update(aPayment());
  tx.funds.put(someFunds());
  tx.commands.update(aCommand());
  tx.proposals.update(aProposal());
  tx.buyers.updateSubmission(aSubmission());
  tx.accounts.update(anAccount());
  tx.partyDrafts.update(aPartyDraft());
  tx.mails.update(aMail());
  tx.sessions.update(aPageSession());
  tx.sessions.touch(aPageSession({ id: 'other' }));
  tx.members.touch(aMember({ id: 'another' }));
  tx.sessions.touch(aMemberSession({ id: 'another' }));
  tx.documents.update(aDocument());
  tx.documents.requestPurge(tenant, aDocument().owner, T0);
  tx.subscriptions.update(aSubscription());
  tx.subscriptions.advance(aSubscription({ id: 'whs_2' }), 1);
  tx.deliveries.update(aDelivery());
  tx.inbox.update(aMessage());
  tx.deposits.update(aDeposit());
  tx.bookReadings.update(aBookReading());
  tx.reconciliations.update(aReconciliation());
  tx.accounting.put(anAccounting());
  tx.keyCheckValues.update(aCheckValue());
  tx.serviceKeys.update(aServiceKey());
  tx.epochs.update(anEpoch());
  for (const [column, place] of sealedPlaces) tx.sealed.replace(column, sealedRow(place), 's');
  tx.advances.update(anAdvance());
  tx.retention.removeDeliveries(age, 'whd_1', 'whd_2');
  tx.retention.removeMessages(null, aMessage());
  tx.retention.removeEvents(tenant, 1, 2);
}

async function everyClaim(claims: Claims): Promise<void> {
  const claim = { nowMs: T0, limit: 5, leaseMs: 1_000 };
  await claims.commands(claim);
  await claims.mails(claim);
  await claims.dueSubscriptions(T0);
  await claims.deliveries({ ...claim, subscriptionId: 'whs_1' });
  await claims.lostDeliveries(T0, 5);
  await claims.expiredPayments(duePage(5));
  await claims.paymentsToRemind(duePage(5));
  await claims.accountsToUnhold(duePage(5));
  await claims.releaseOwn(T0);
  await claims.releaseAll(T0);
  await claims.nextDueAtMs();
}
