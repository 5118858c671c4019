// What every store promises about single rows: each aggregate comes back as it was written, and
// tenants do not see each other. Run over each database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KycSubmission } from '../../core/domain/parties/buyer-kyc.js';
import { newParty } from '../../core/domain/parties/party.js';
import { noPayout } from '../../core/domain/parties/payee.js';
import { headAfter } from '../../core/domain/payments/event.js';
import type { Tx } from '../../core/ports/storage.js';
import { aBookReading, aDeposit, aReconciliation } from '../support/samples/deposit-samples.js';
import {
  aBarePayment,
  aBuyer,
  aCommand,
  aDelivery,
  aFeedEvent,
  aKey,
  aMessage,
  anAdvance,
  anAttempt,
  anAttemptResult,
  anEvent,
  anOrganization,
  aPartyCommand,
  aPayment,
  aProfile,
  aQuote,
  aSubmission,
  aSubscription,
  otherMode,
  otherOrg,
  someFunds,
  T0,
  tenant,
} from '../support/samples/domain-samples.js';
import { anAccounting } from '../support/samples/entry-samples.js';
import type { OpenStore } from './store-contracts.js';

interface RoundTrip {
  readonly write: (tx: Tx) => void;
  readonly read: (tx: Tx) => Promise<unknown>;
  readonly expected: unknown;
}

type Row<Table> = Table extends { insert(row: infer Inserted): void } ? Inserted : never;

/** One row that is inserted into a table and read from it. */
function inserted<Name extends keyof Tx>(
  name: Name,
  expected: Row<Tx[Name]>,
  read: (table: Tx[Name]) => Promise<unknown>,
): RoundTrip {
  const write = (tx: Tx) => (tx[name] as { insert(row: unknown): void }).insert(expected);
  return { write, read: (tx) => read(tx[name]), expected };
}

/** Submissions kyc_1, kyc_2 and so on: the first has the form flow_1, the others none. */
function submissions(...rows: readonly Partial<KycSubmission>[]): RoundTrip['write'] {
  return (tx) => {
    for (const [index, fields] of rows.entries()) {
      const flowId = index === 0 ? 'flow_1' : null;
      tx.buyers.insertSubmission(aSubmission({ id: `kyc_${index + 1}`, flowId, ...fields }));
    }
  };
}

const bareProfile = aProfile({
  status: null,
  ...newParty,
  ...noPayout,
  tosAcceptedAtMs: null,
  intentsNeedApproval: false,
});
const approvedOther = { id: 'kyc_2', flowId: null, ...otherOrg, status: 'approved' } as const;
const bareCommand = aPartyCommand({
  kind: 'submit_buyer',
  subject: { kind: 'submission', id: 'kyc_1' },
  request: null,
  partnerRef: null,
  lastSentAtMs: null,
  dueAtMs: null,
  lastError: null,
});
const endedDelivery = aDelivery({
  status: 'delivered',
  attempt: 2,
  responseStatus: 204,
  nextAttemptAtMs: null,
  dueAtMs: null,
  deliveredAtMs: T0 + 3,
  durationMs: 17,
});
const fullFunds = someFunds({
  position: 'payout_ordered',
  refund: 'refund_ordered',
  receivedMinor: 9_007_199_254_740_993n,
  payoutMinor: 1n,
  refundOwedMinor: 2n,
  refundOrderedMinor: 3n,
  refundedMinor: 4n,
  lossMinor: 5n,
  writtenOffMinor: 4n,
});
const fullCommand = aCommand({
  leaseToken: 'w',
  payinId: 'cmd_0',
  receivedMinor: 9_007_199_254_740_993n,
  confirmedMinor: 8n,
  refusal: 'quote_expired',
  review: '{"kind":"implausible"}',
  overruled: 'failed',
  isUndecided: true,
});

const bareDeposit = aDeposit({
  partyRef: null,
  orgId: null,
  accountId: null,
  end: 'open',
  payerSealed: null,
  transactionHash: null,
  completedAtMs: null,
});

const roundTrips: Readonly<Record<string, RoundTrip>> = {
  'an organization': {
    write: (tx) => tx.organizations.insert(anOrganization(), []),
    read: (tx) => tx.organizations.get('org_a'),
    expected: anOrganization(),
  },
  'a profile': {
    write: (tx) => tx.organizations.insert(anOrganization(), [aProfile(), aProfile(otherMode)]),
    read: (tx) => tx.organizations.profile(tenant),
    expected: aProfile(),
  },
  'a profile and the name of its organization': {
    write: (tx) => tx.organizations.insert(anOrganization(), [aProfile(), aProfile(otherMode)]),
    read: (tx) => tx.organizations.named(otherMode),
    expected: { profile: aProfile(otherMode), name: anOrganization().name },
  },
  'a bare profile': {
    write: (tx) => tx.organizations.insert(anOrganization(), [bareProfile]),
    read: (tx) => tx.organizations.profile(tenant),
    expected: bareProfile,
  },
  'an API key': inserted('keys', aKey({ lastUsedAtMs: T0 + 1, revokedAtMs: T0 + 2 }), (rows) =>
    rows.get('key_1'),
  ),
  'a full payment': inserted('payments', aPayment(), (rows) => rows.get(tenant, 'pi_1')),
  'a bare payment, found by its id alone': inserted('payments', aBarePayment(), (rows) =>
    rows.find('pi_1'),
  ),
  funds: {
    write: (tx) => tx.funds.put(fullFunds),
    read: (tx) => tx.funds.get(tenant, 'pi_1'),
    expected: { ...fullFunds, version: 1 },
  },
  'a locked quote': inserted('quotes', aQuote(), (rows) => rows.get(tenant, 'qt_1')),
  'an indicative quote': inserted(
    'quotes',
    aQuote({ rateKind: 'indicative', lockedUntilMs: null }),
    (rows) => rows.get(tenant, 'qt_1'),
  ),
  'a partner command': inserted('commands', fullCommand, (rows) => rows.get('cmd_1')),
  'a bare partner command': inserted('commands', bareCommand, (rows) => rows.get('cmd_1')),
  'a partner command, by the reference of the partner': {
    write: (tx) => {
      tx.commands.insert(aCommand());
      tx.commands.insert(aCommand({ id: 'cmd_2', kind: 'payout' }));
      tx.commands.insert(aCommand({ id: 'cmd_3', ...otherMode }));
    },
    read: (tx) => tx.commands.byPartnerRef('test', 'payin', 'pa_1'),
    expected: aCommand(),
  },
  'the pay-in that has the money, of several with one id of the partner': {
    write: (tx) => {
      const receivedMinor = { cmd_1: 0n, cmd_2: 10_000n, cmd_3: 0n };
      for (const [id, minor] of Object.entries(receivedMinor)) {
        const fields = { reference: `ref_${id}`, partnerRef: 'pa_1', isAdopted: true };
        tx.commands.insert(aCommand({ id, ...fields, receivedMinor: minor }));
      }
    },
    read: async (tx) => (await tx.commands.byPartnerRef('test', 'payin', 'pa_1'))?.id ?? null,
    expected: 'cmd_2',
  },
  'a bound idempotency key': {
    write: (tx) =>
      tx.idempotency.bind(tenant, ' "k" ', 'invoice', 'inv_1', T0, { 'pix "key"': '1f' }),
    read: (tx) => tx.idempotency.find(tenant, ' "k" '),
    expected: {
      origin: 'invoice',
      resourceId: 'inv_1',
      createdAtMs: T0,
      bodyMacs: { 'pix "key"': '1f' },
    },
  },
  'a buyer': inserted('buyers', aBuyer(), (rows) => rows.get('test', 'byr_1')),
  'a buyer, by address': inserted('buyers', aBuyer(), (rows) =>
    rows.byEmail('test', 'buyer@example.com'),
  ),
  'a KYC submission': {
    write: (tx) => tx.buyers.insertSubmission(aSubmission()),
    read: (tx) => tx.buyers.submissionById(tenant, 'kyc_1'),
    expected: aSubmission(),
  },
  'the KYC submission that is not rejected, even if it is the older one': {
    write: submissions(
      { status: 'rejected', createdAtMs: T0 + 9 },
      {},
      { ...otherOrg, createdAtMs: T0 + 1 },
    ),
    read: (tx) => tx.buyers.submission(tenant, 'byr_1'),
    expected: aSubmission({ id: 'kyc_2', flowId: null }),
  },
  'an approval of any organization': {
    write: submissions({}, approvedOther, { ...otherMode, status: 'approved' }),
    read: (tx) => tx.buyers.approvedAnywhere('test', 'byr_1'),
    expected: aSubmission(approvedOther),
  },
  'a KYC submission, by its hosted form': {
    write: submissions({}, otherOrg, otherMode),
    read: (tx) => tx.buyers.submissionByFlow('flow_1'),
    expected: aSubmission(),
  },
  'any payment of a buyer': inserted('payments', aPayment(), (rows) =>
    rows.anyOfBuyer(tenant, 'byr_1'),
  ),
  'approvals that rest on one party': {
    write: submissions({}, approvedOther, { ...otherMode, status: 'approved' }),
    read: (tx) => tx.buyers.approvedByPartnerRef('test', 're_1', 5),
    expected: [aSubmission(approvedOther)],
  },
  'the head of a feed': {
    write: (tx) => tx.feed.append(anEvent()),
    read: (tx) => tx.feed.head(tenant),
    expected: headAfter(null, anEvent().body),
  },
  'an event of the feed': {
    write: (tx) => tx.feed.append(aFeedEvent()),
    read: (tx) => tx.feed.after(tenant, 0, 9),
    expected: [aFeedEvent()],
  },
  'an event of the feed, found by its id': {
    write: (tx) => tx.feed.append(aFeedEvent()),
    read: (tx) => tx.feed.get(tenant, aFeedEvent().id),
    expected: aFeedEvent(),
  },
  'a subscription': inserted('subscriptions', aSubscription({ active: false }), (rows) =>
    rows.get(tenant, 'whs_1'),
  ),
  'a subscription, found by its id alone': inserted(
    'subscriptions',
    aSubscription({ eventTypes: [] }),
    (rows) => rows.find('whs_1'),
  ),
  'a delivery': inserted('deliveries', aDelivery({ lastError: 'e', leaseToken: 'w' }), (rows) =>
    rows.get('whd_1'),
  ),
  'an ended delivery': inserted('deliveries', endedDelivery, (rows) => rows.get('whd_1')),
  'attempts in their order': {
    write: (tx) => {
      const failed = { responseStatus: null, responseBody: null, error: 'ECONNREFUSED' };
      const firstAttempt = { ...anAttemptResult, startedAtMs: T0 - 1 };
      tx.deliveries.insert(aDelivery({ firstAttempt }));
      tx.deliveries.logAttempt(anAttempt({ id: 'att_a', startedAtMs: T0 + 1, ...failed }));
      tx.deliveries.logAttempt(anAttempt({ id: 'att_b' }));
    },
    read: async (tx) => (await tx.deliveries.attempts('whd_1')).map(({ id, error }) => [id, error]),
    expected: [
      ['whd_1', null],
      ['att_b', null],
      ['att_a', 'ECONNREFUSED'],
    ],
  },
  'a message of the partner': inserted('inbox', aMessage(), (rows) =>
    rows.get('fake', 'test', 'msg_1'),
  ),
  'a deposit': inserted('deposits', aDeposit(), (rows) =>
    rows.byPartnerRef('fake', 'test', 'payin', 'pa_9'),
  ),
  'a deposit of nobody known': inserted('deposits', bareDeposit, (rows) => rows.get('dep_1')),
  'a reading of the books': inserted('bookReadings', aBookReading(), async (rows) => {
    const [reading = null] = await rows.of('fake', 'test');
    return reading;
  }),
  'what an organization decides about its books': {
    write: (tx) => tx.accounting.put({ ...anAccounting(), version: 0 }),
    read: (tx) => tx.accounting.get(tenant),
    expected: anAccounting(),
  },
  'a comparison of the books': inserted('reconciliations', aReconciliation(), (rows) =>
    rows.get('fake', 'test'),
  ),
  'an advance': {
    write: (tx) => tx.advances.put(anAdvance()),
    read: (tx) => tx.advances.get(tenant, 'pi_1'),
    expected: anAdvance(),
  },
};

export function storeRowsContract(fresh: OpenStore): void {
  for (const [what, { write, read, expected }] of Object.entries(roundTrips)) {
    test(`${what} comes back as it was written`, async () => {
      const store = await fresh();
      assert.ok(isNothing(await store.run(read)), 'nothing is there before');
      await store.run(async (tx) => write(tx));
      const value = await store.run(read);
      assert.deepEqual(value, expected);
    });
  }

  test('a tenant reads nothing of another organization or mode', async () => {
    const store = await fresh((tx) => {
      tx.payments.insert(aPayment({ externalId: 'e' }));
      tx.funds.put(someFunds());
      tx.quotes.insert(aQuote());
      tx.commands.insert(aCommand());
      tx.idempotency.bind(tenant, 'k', 'invoice', 'inv_1', T0);
      tx.buyers.insertSubmission(aSubmission());
      tx.subscriptions.insert(aSubscription());
      tx.feed.append(anEvent());
      tx.deliveries.insert(aDelivery());
      tx.advances.put(anAdvance());
    });
    const fromTheFirst = { fromMs: 0, afterId: '', limit: 9 };
    const beforeTheLast = { fromMs: 0, beforeMs: 2 * T0, beforeId: '', limit: 9 };
    for (const stranger of [otherMode, otherOrg]) {
      const found = await store.run((tx) =>
        Promise.all([
          tx.payments.get(stranger, 'pi_1'),
          tx.payments.withFunds(stranger, 'pi_1'),
          tx.payments.byExternalId(stranger, 'payment_intent', 'e'),
          tx.payments.anyOfBuyer(stranger, 'byr_1'),
          tx.payments.ofBuyer(stranger, 'byr_1', ['awaiting_buyer'], fromTheFirst),
          tx.payments.newestOfBuyer(stranger, 'byr_1', 'awaiting_buyer', beforeTheLast),
          tx.funds.get(stranger, 'pi_1'),
          tx.quotes.get(stranger, 'qt_1'),
          tx.commands.ofPayment(stranger, 'pi_1'),
          tx.idempotency.find(stranger, 'k'),
          tx.buyers.submission(stranger, 'byr_1'),
          tx.buyers.submissionById(stranger, 'kyc_1'),
          tx.feed.after(stranger, 0, 9),
          tx.feed.get(stranger, aFeedEvent().id),
          tx.subscriptions.get(stranger, 'whs_1'),
          tx.subscriptions.list(stranger, 9),
          tx.subscriptions.active(stranger),
          tx.advances.get(stranger, 'pi_1'),
        ]),
      );
      assert.ok(found.every(isNothing));
    }
  });

  test('what texts from outside hold that a database does not keep is kept as U+FFFD', async () => {
    const responseBody = 'a\0b \ud800 c \udc00 \u{1f600}';
    const store = await fresh((tx) => {
      tx.deliveries.insert(aDelivery());
      tx.deliveries.logAttempt(anAttempt({ responseBody }));
      tx.deliveries.logAttempt(anAttempt({ id: 'att_2', error: '\0' }));
    });
    const logged = await store.run((tx) => tx.deliveries.attempts(anAttempt().deliveryId));
    assert.deepEqual(
      logged.map((attempt) => [attempt.responseBody, attempt.error]),
      [
        ['a\ufffdb \ufffd c \ufffd \u{1f600}', anAttempt().error],
        [anAttempt().responseBody, '\ufffd'],
      ],
    );
  });

  test('a value that no column takes fails its own batch, and no other', async () => {
    const store = await fresh();
    const insert = (id: string, createdAtMs: number) =>
      store.run(async (tx) => tx.buyers.insert(aBuyer({ id, emailKey: id, createdAtMs })));
    const writes = [insert('byr_1', T0), insert('byr_2', Number.NaN), insert('byr_3', T0)];
    const outcomes = (await Promise.allSettled(writes)).map(({ status }) => status);
    assert.deepEqual(outcomes, ['fulfilled', 'rejected', 'fulfilled']);
    await insert('byr_4', T0);
  });
}

function isNothing(found: unknown): boolean {
  return found === null || (Array.isArray(found) && found.length === 0);
}
