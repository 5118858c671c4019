// What every store promises about single rows: each aggregate comes back as it was written, and
// tenants do not see each other. Run over each database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tx } from '../../core/ports/storage.js';
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
} from '../support/domain-samples.js';
import type { OpenStore } from './store-contracts.js';

interface RoundTrip {
  readonly write: (tx: Tx) => void;
  readonly read: (tx: Tx) => Promise<unknown>;
  readonly expected: unknown;
}

const bareProfile = aProfile({
  kybStatus: null,
  receiverId: null,
  kybCommandId: null,
  partnerRef: null,
  virtualAccountRef: null,
  destinationRef: null,
  tosId: null,
  tosAcceptedAtMs: null,
});
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
});
const fullCommand = aCommand({
  leaseToken: 'w',
  payinId: 'cmd_0',
  receivedMinor: 9_007_199_254_740_993n,
  confirmedMinor: 8n,
  refusal: 'quote_expired',
  review: '{"kind":"implausible"}',
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
  'a bare profile': {
    write: (tx) => tx.organizations.insert(anOrganization(), [bareProfile]),
    read: (tx) => tx.organizations.profile(tenant),
    expected: bareProfile,
  },
  'an API key': {
    write: (tx) => tx.keys.insert(aKey({ lastUsedAtMs: T0 + 1, revokedAtMs: T0 + 2 })),
    read: (tx) => tx.keys.get('key_1'),
    expected: aKey({ lastUsedAtMs: T0 + 1, revokedAtMs: T0 + 2 }),
  },
  'a full payment': {
    write: (tx) => tx.payments.insert(aPayment()),
    read: (tx) => tx.payments.get(tenant, 'pi_1'),
    expected: aPayment(),
  },
  'a bare payment, found by its id alone': {
    write: (tx) => tx.payments.insert(aBarePayment()),
    read: (tx) => tx.payments.find('pi_1'),
    expected: aBarePayment(),
  },
  funds: {
    write: (tx) => tx.funds.insert(fullFunds),
    read: (tx) => tx.funds.get(tenant, 'pi_1'),
    expected: fullFunds,
  },
  'a locked quote': {
    write: (tx) => tx.quotes.insert(aQuote()),
    read: (tx) => tx.quotes.get(tenant, 'qt_1'),
    expected: aQuote(),
  },
  'an indicative quote': {
    write: (tx) => tx.quotes.insert(aQuote({ rateKind: 'indicative', lockedUntilMs: null })),
    read: (tx) => tx.quotes.get(tenant, 'qt_1'),
    expected: aQuote({ rateKind: 'indicative', lockedUntilMs: null }),
  },
  'a partner command': {
    write: (tx) => tx.commands.insert(fullCommand),
    read: (tx) => tx.commands.get('cmd_1'),
    expected: fullCommand,
  },
  'a bare partner command': {
    write: (tx) => tx.commands.insert(bareCommand),
    read: (tx) => tx.commands.get('cmd_1'),
    expected: bareCommand,
  },
  'a partner command, by the reference of the partner': {
    write: (tx) => {
      tx.commands.insert(aCommand());
      tx.commands.insert(aCommand({ id: 'cmd_2', kind: 'payout' }));
      tx.commands.insert(aCommand({ id: 'cmd_3', ...otherMode }));
    },
    read: (tx) => tx.commands.byPartnerRef('test', 'payin', 'pa_1'),
    expected: aCommand(),
  },
  'a bound idempotency key': {
    write: (tx) => tx.idempotency.bind(tenant, ' "k" ', 'invoice', 'inv_1', T0),
    read: (tx) => tx.idempotency.find(tenant, ' "k" '),
    expected: { surface: 'invoice', resourceId: 'inv_1' },
  },
  'a buyer': {
    write: (tx) => tx.buyers.insert(aBuyer()),
    read: (tx) => tx.buyers.get('test', 'byr_1'),
    expected: aBuyer(),
  },
  'a buyer, by address': {
    write: (tx) => tx.buyers.insert(aBuyer()),
    read: (tx) => tx.buyers.byEmail('test', 'buyer@example.com'),
    expected: aBuyer(),
  },
  'a KYC submission': {
    write: (tx) => tx.buyers.insertSubmission(aSubmission()),
    read: (tx) => tx.buyers.submissionById(tenant, 'kyc_1'),
    expected: aSubmission(),
  },
  'the KYC submission that is not rejected, even if it is the older one': {
    write: (tx) => {
      const later = { status: 'rejected', createdAtMs: T0 + 9 } as const;
      tx.buyers.insertSubmission(aSubmission({ id: 'kyc_1', ...later }));
      tx.buyers.insertSubmission(aSubmission({ id: 'kyc_2', flowId: null }));
      tx.buyers.insertSubmission(
        aSubmission({ id: 'kyc_3', flowId: null, ...otherOrg, createdAtMs: T0 + 1 }),
      );
    },
    read: (tx) => tx.buyers.submission(tenant, 'byr_1'),
    expected: aSubmission({ id: 'kyc_2', flowId: null }),
  },
  'an approval of any organization': {
    write: (tx) => {
      tx.buyers.insertSubmission(aSubmission());
      tx.buyers.insertSubmission(
        aSubmission({ id: 'kyc_2', flowId: null, ...otherOrg, status: 'approved' }),
      );
      tx.buyers.insertSubmission(
        aSubmission({ id: 'kyc_3', flowId: null, ...otherMode, status: 'approved' }),
      );
    },
    read: (tx) => tx.buyers.approvedAnywhere('test', 'byr_1'),
    expected: aSubmission({ id: 'kyc_2', flowId: null, ...otherOrg, status: 'approved' }),
  },
  'a KYC submission, by its hosted form': {
    write: (tx) => {
      tx.buyers.insertSubmission(aSubmission());
      tx.buyers.insertSubmission(aSubmission({ id: 'kyc_2', ...otherOrg, flowId: null }));
      tx.buyers.insertSubmission(aSubmission({ id: 'kyc_3', ...otherMode, flowId: null }));
    },
    read: (tx) => tx.buyers.submissionByFlow('flow_1'),
    expected: aSubmission(),
  },
  'any payment of a buyer': {
    write: (tx) => tx.payments.insert(aPayment()),
    read: (tx) => tx.payments.anyOfBuyer(tenant, 'byr_1'),
    expected: aPayment(),
  },
  'approvals that rest on one party': {
    write: (tx) => {
      const approved = { flowId: null, status: 'approved' } as const;
      tx.buyers.insertSubmission(aSubmission());
      tx.buyers.insertSubmission(aSubmission({ id: 'kyc_2', ...otherOrg, ...approved }));
      tx.buyers.insertSubmission(aSubmission({ id: 'kyc_3', ...otherMode, ...approved }));
    },
    read: (tx) => tx.buyers.approvedByPartnerRef('test', 're_1', 5),
    expected: [aSubmission({ id: 'kyc_2', flowId: null, ...otherOrg, status: 'approved' })],
  },
  'the head of a feed': {
    write: (tx) => tx.feed.setHead(tenant, null, { sequence: 7, chainHash: 'ab' }),
    read: (tx) => tx.feed.head(tenant),
    expected: { sequence: 7, chainHash: 'ab' },
  },
  'an event of the feed': {
    write: (tx) => tx.feed.append(aFeedEvent()),
    read: (tx) => tx.feed.get(tenant, 'evt_1'),
    expected: aFeedEvent(),
  },
  'a subscription': {
    write: (tx) => tx.subscriptions.insert(aSubscription({ active: false })),
    read: (tx) => tx.subscriptions.get(tenant, 'whs_1'),
    expected: aSubscription({ active: false }),
  },
  'a subscription, found by its id alone': {
    write: (tx) => tx.subscriptions.insert(aSubscription({ eventTypes: [] })),
    read: (tx) => tx.subscriptions.find('whs_1'),
    expected: aSubscription({ eventTypes: [] }),
  },
  'a delivery': {
    write: (tx) => tx.deliveries.insert(aDelivery({ lastError: 'e', leaseToken: 'w' })),
    read: (tx) => tx.deliveries.get('whd_1'),
    expected: aDelivery({ lastError: 'e', leaseToken: 'w' }),
  },
  'an ended delivery': {
    write: (tx) => tx.deliveries.insert(endedDelivery),
    read: (tx) => tx.deliveries.get('whd_1'),
    expected: endedDelivery,
  },
  'attempts in their order': {
    write: (tx) => {
      const failed = { responseStatus: null, responseBody: null, error: 'ECONNREFUSED' };
      tx.deliveries.logAttempt(anAttempt({ id: 'att_a', startedAtMs: T0 + 1, ...failed }));
      tx.deliveries.logAttempt(anAttempt({ id: 'att_b' }));
    },
    read: async (tx) => (await tx.deliveries.attempts('whd_1')).map(({ id, error }) => [id, error]),
    expected: [
      ['att_b', null],
      ['att_a', 'ECONNREFUSED'],
    ],
  },
  'a message of the partner': {
    write: (tx) => tx.inbox.insert(aMessage()),
    read: (tx) => tx.inbox.get('fake', 'test', 'msg_1'),
    expected: aMessage(),
  },
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
    const store = await fresh();
    await store.run(async (tx) => {
      tx.payments.insert(aPayment({ externalId: 'e' }));
      tx.funds.insert(someFunds());
      tx.quotes.insert(aQuote());
      tx.commands.insert(aCommand());
      tx.idempotency.bind(tenant, 'k', 'invoice', 'inv_1', T0);
      tx.buyers.insertSubmission(aSubmission());
      tx.feed.append(aFeedEvent());
      tx.subscriptions.insert(aSubscription());
      tx.deliveries.insert(aDelivery());
      tx.advances.put(anAdvance());
    });
    const fromTheFirst = { fromMs: 0, afterId: '', limit: 9 };
    for (const stranger of [otherMode, otherOrg]) {
      const found = await store.run((tx) =>
        Promise.all([
          tx.payments.get(stranger, 'pi_1'),
          tx.payments.byExternalId(stranger, 'payment_intent', 'e'),
          tx.payments.anyOfBuyer(stranger, 'byr_1'),
          tx.payments.ofBuyer(stranger, 'byr_1', 'awaiting_buyer', fromTheFirst),
          tx.funds.get(stranger, 'pi_1'),
          tx.quotes.get(stranger, 'qt_1'),
          tx.commands.ofPayment(stranger, 'pi_1'),
          tx.idempotency.find(stranger, 'k'),
          tx.buyers.submission(stranger, 'byr_1'),
          tx.buyers.submissionById(stranger, 'kyc_1'),
          tx.feed.get(stranger, 'evt_1'),
          tx.feed.after(stranger, 0, 9),
          tx.subscriptions.get(stranger, 'whs_1'),
          tx.subscriptions.list(stranger, 9),
          tx.subscriptions.active(stranger),
          tx.deliveries.ofSubscription(stranger, 'whs_1', { beforeId: null, limit: 9 }),
          tx.advances.get(stranger, 'pi_1'),
        ]),
      );
      assert.ok(found.every(isNothing));
    }
  });

  test('what texts from outside hold that a database does not keep is kept as U+FFFD', async () => {
    const store = await fresh();
    const responseBody = 'a\0b \ud800 c \udc00 \u{1f600}';
    await store.run(async (tx) => {
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
