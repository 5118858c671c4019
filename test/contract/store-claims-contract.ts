// What every store promises about due work: it is handed to one worker at a time by a lease, in the
// order in which it fell due, and the next moment of any work is known. Run over each database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aliasOf, eventBody } from '../../core/domain/payments/event.js';
import { isExpirable, type Payment, paymentStatuses } from '../../core/domain/payments/payment.js';
import type { Claim, DuePage, Tx } from '../../core/ports/storage.js';
import {
  aBarePayment,
  aCommand,
  aDelivery,
  aDocument,
  aFeedEvent,
  aMessage,
  anAdvance,
  aSubscription,
  duePage,
  T0,
} from '../support/samples/domain-samples.js';
import { aMail } from '../support/samples/mail-samples.js';
import { valuesOf } from '../support/values-of.js';
import { assertContended } from './contention.js';
import type { OpenStore } from './store-contracts.js';

/** What was claimed, its lease as the worker named it: the store puts its process before that. */
export function asTaken<T extends { readonly leaseToken: string | null }>(row: T): T {
  return { ...row, leaseToken: row.leaseToken === null ? null : 'leased' };
}

export function storeClaimsContract(fresh: OpenStore): void {
  test('due commands are leased, oldest due first, and not handed out twice', async () => {
    const store = await fresh((tx) => {
      const due = { cmd_c: T0 - 2, cmd_a: T0, cmd_b: T0 - 1, cmd_later: T0 + 1, cmd_never: null };
      for (const [id, dueAtMs] of Object.entries(due))
        tx.commands.insert(aCommand({ id, dueAtMs }));
    });
    const first = await store.claims.commands({ ...claim(), limit: 2 });
    assert.deepEqual(
      first.map(asTaken),
      ['cmd_b', 'cmd_c'].map((id) =>
        aCommand({ id, dueAtMs: T0 + 1_000, leaseToken: 'leased', version: 2 }),
      ),
    );
    const [second, third] = await Promise.all([
      store.claims.commands(claim()),
      store.claims.commands(claim()),
    ]);
    assert.deepEqual(valuesOf([...second, ...third], 'id'), ['cmd_a']);
    const again = await store.claims.commands(claim(T0 + 1_000));
    assert.deepEqual(valuesOf(again, 'id').toSorted(), ['cmd_a', 'cmd_b', 'cmd_c', 'cmd_later']);
  });

  test('a write decided before the claim loses against it', async () => {
    const store = await fresh((tx) => tx.commands.insert(aCommand()));
    await store.claims.commands(claim());
    await assertContended(store, (tx) =>
      tx.commands.update(aCommand({ state: 'void', dueAtMs: null })),
    );
  });

  test('due deliveries are counted, leased and given with body and subscription', async () => {
    const subscription = aSubscription({ active: false });
    const store = await fresh((tx) => {
      tx.subscriptions.insert(subscription);
      tx.feed.append(aFeedEvent({ body: '{"exact": "bytes"}' }));
      tx.deliveries.insert(aDelivery());
    });
    const taken = await store.claims.deliveries(deliveryClaim('whs_1'));
    const plain = taken.map((one) => ({ ...one, delivery: asTaken(one.delivery) }));
    assert.deepEqual(plain, [
      {
        delivery: aDelivery({ attempt: 1, dueAtMs: T0 + 1_000, leaseToken: 'leased', version: 2 }),
        subscription,
        body: '{"exact": "bytes"}',
      },
    ]);
    assert.deepEqual(await store.claims.deliveries(deliveryClaim('whs_1')), []);
  });

  test('a delivery of an alias is given with the body of the alias', async () => {
    const body = eventBody('payment_intent.settled', { externalEventId: 'evt_1' });
    const event = aFeedEvent({ type: 'payment_intent.settled', body });
    const alias = aliasOf(event, 'invoice.settled');
    const store = await fresh((tx) => {
      tx.subscriptions.insert(aSubscription());
      tx.feed.append(event, alias);
      for (const { id, type } of [event, alias])
        tx.deliveries.insert(aDelivery({ id: `whd_${id}`, eventId: id, eventType: type }));
    });
    const taken = await store.claims.deliveries(deliveryClaim('whs_1'));
    assert.deepEqual(valuesOf(taken, 'body'), [event.body, alias.body]);
    assert.equal(alias.body, eventBody('invoice.settled', { externalEventId: alias.id }));
  });

  test('deliveries come with the subscription as it stands at each claim', async () => {
    const first = aSubscription();
    const store = await fresh((tx) => {
      tx.subscriptions.insert(first);
      tx.feed.append(aFeedEvent());
      for (const id of ['whd_1', 'whd_2', 'whd_3']) tx.deliveries.insert(aDelivery({ id }));
    });
    const claimed = async () => {
      const taken = await store.claims.deliveries({ ...deliveryClaim('whs_1'), limit: 1 });
      return taken.map(({ subscription }) => subscription);
    };
    assert.deepEqual(await claimed(), [first]);
    const rotated = { ...first, secretSealed: 'another' };
    await store.run(async (tx) => tx.subscriptions.update(rotated));
    assert.deepEqual(await claimed(), [{ ...rotated, version: 2 }]);
    const ended = { ...rotated, version: 2, active: false };
    await store.run(async (tx) => tx.subscriptions.update(ended));
    assert.deepEqual(await claimed(), [{ ...ended, version: 3 }]);
  });

  test('deliveries come oldest due first, of the one subscription, up to the limit', async () => {
    const store = await fresh((tx) => {
      tx.subscriptions.insert(aSubscription());
      tx.subscriptions.insert(aSubscription({ id: 'whs_2' }));
      tx.feed.append(aFeedEvent());
      const add = (id: string, dueAtMs: number, subscriptionId = 'whs_1') =>
        tx.deliveries.insert(aDelivery({ id, dueAtMs, nextAttemptAtMs: dueAtMs, subscriptionId }));
      add('whd_a', T0);
      add('whd_b', T0 - 2);
      add('whd_c', T0 - 1);
      add('whd_d', T0 - 1);
      add('whd_late', T0 + 1);
      add('whd_other', T0 - 9, 'whs_2');
    });
    const taken = async (limit: number) =>
      (await store.claims.deliveries({ ...deliveryClaim('whs_1'), limit })).map(
        ({ delivery }) => delivery.id,
      );
    assert.deepEqual(await taken(3), ['whd_b', 'whd_c', 'whd_d']);
    assert.deepEqual(await taken(3), ['whd_a']);
  });

  test('an attempt whose lease ran out is taken over once, under its number', async () => {
    const store = await fresh((tx) => {
      tx.subscriptions.insert(aSubscription());
      tx.feed.append(aFeedEvent());
      tx.deliveries.insert(aDelivery());
    });
    await store.claims.deliveries(deliveryClaim('whs_1'));
    const [again] = await store.claims.deliveries(deliveryClaim('whs_1', T0 + 1_000));
    assert.ok(again);
    assert.deepEqual(
      asTaken(again.delivery),
      aDelivery({
        attempt: 1,
        resent: true,
        dueAtMs: T0 + 2_000,
        leaseToken: 'leased',
        version: 3,
      }),
    );
    assert.deepEqual(await store.claims.deliveries(deliveryClaim('whs_1', T0 + 2_000)), []);
  });

  test('a delivery that lost both leases of an attempt is spent: not sent, but found', async () => {
    const lost = { attempt: 3, leaseToken: 'w1', dueAtMs: T0 } as const;
    const spent = aDelivery({ ...lost, resent: true });
    const store = await fresh((tx) => {
      tx.subscriptions.insert(aSubscription());
      tx.feed.append(aFeedEvent());
      tx.deliveries.insert(spent);
      tx.deliveries.insert(aDelivery({ id: 'whd_2', ...lost }));
      tx.deliveries.insert(aDelivery({ id: 'whd_3', attempt: 3 }));
      tx.deliveries.insert(aDelivery({ id: 'whd_4', ...lost, resent: true, dueAtMs: T0 + 1 }));
    });
    assert.deepEqual(await store.claims.lostDeliveries(T0, 9), [spent]);
    const sent = await store.claims.deliveries(deliveryClaim('whs_1'));
    assert.deepEqual(
      sent.map(({ delivery }) => [delivery.id, delivery.attempt, delivery.resent]),
      [
        ['whd_2', 3, true],
        ['whd_3', 4, false],
      ],
    );
    assert.deepEqual(await store.claims.dueSubscriptions(T0), []);
  });

  test('subscriptions with something due are named once each, with their tenants', async () => {
    const store = await fresh((tx) => {
      const rows = [
        ['whs_1', T0],
        ['whs_1', T0 - 1],
        ['whs_2', T0 + 1],
        ['whs_3', T0 - 5],
        ['whs_3', T0 + 5],
      ] as const;
      for (const [index, [subscriptionId, dueAtMs]] of rows.entries()) {
        tx.deliveries.insert(aDelivery({ id: `whd_${index}`, subscriptionId, dueAtMs }));
      }
      for (const id of ['whs_1', 'whs_2', 'whs_4']) tx.subscriptions.insert(aSubscription({ id }));
      const live = { mode: 'live', active: false } as const;
      tx.subscriptions.insert(aSubscription({ id: 'whs_3', ...live }));
      const delivered = { status: 'delivered', dueAtMs: null, nextAttemptAtMs: null } as const;
      tx.deliveries.insert(aDelivery({ id: 'whd_9', subscriptionId: 'whs_4', ...delivered }));
    });
    const due = await store.claims.dueSubscriptions(T0);
    assert.deepEqual(
      [...due].sort((a, b) => (a.id < b.id ? -1 : 1)),
      [
        { orgId: 'org_a', mode: 'test', id: 'whs_1' },
        { orgId: 'org_a', mode: 'live', id: 'whs_3' },
      ],
    );
    assert.deepEqual(await store.claims.dueSubscriptions(T0 - 6), []);
  });

  test('payments expire by their table, when due and not covered', async () => {
    const store = await fresh((tx) => {
      for (const status of paymentStatuses) {
        tx.payments.insert(aBarePayment({ id: `pi_${status}`, status, expiresAtMs: T0 }));
      }
      const covered = { coveredAtMs: T0, status: 'on_ramp_pending' } as const;
      tx.payments.insert(aBarePayment({ id: 'pi_covered', expiresAtMs: T0, ...covered }));
      tx.payments.insert(aBarePayment({ id: 'pi_never' }));
      tx.payments.insert(aBarePayment({ id: 'pi_late', expiresAtMs: T0 + 1 }));
    });
    const expired = await store.claims.expiredPayments(duePage(100));
    const expirable = paymentStatuses.filter(isExpirable).map((status) => `pi_${status}`);
    assert.deepEqual(valuesOf(expired, 'id'), expirable.sort());
    const pages = [];
    for (let after: DuePage['after'] = null; ; ) {
      const page: readonly Payment[] = await store.claims.expiredPayments(duePage(2, T0, after));
      const last = page.at(-1);
      if (last === undefined) break;
      pages.push(...valuesOf(page, 'id'));
      after = { id: last.id, dueAtMs: T0 };
    }
    assert.deepEqual(pages, valuesOf(expired, 'id'));
  });

  test('payments are reminded of once their time has come, earliest first', async () => {
    const store = await fresh((tx) => {
      for (const [id, remindAtMs] of [
        ['inv_b', T0],
        ['inv_a', T0],
        ['inv_c', T0 - 1],
        ['inv_late', T0 + 1],
        ['inv_none', null],
      ] as const) {
        tx.payments.insert(aBarePayment({ id, publicId: id, origin: 'invoice', remindAtMs }));
      }
    });
    const first = await store.claims.paymentsToRemind(duePage(2));
    const rest = await store.claims.paymentsToRemind(duePage(9, T0, { id: 'inv_a', dueAtMs: T0 }));
    assert.deepEqual(
      [valuesOf(first, 'id'), valuesOf(rest, 'id')],
      [['inv_c', 'inv_a'], ['inv_b']],
    );
  });

  test('released leases are due immediately, and an interrupted attempt is recognized', async () => {
    const store = await fresh((tx) => {
      tx.subscriptions.insert(aSubscription());
      tx.feed.append(aFeedEvent());
      tx.deliveries.insert(aDelivery());
      tx.deliveries.insert(aDelivery({ id: 'whd_wait', dueAtMs: T0 + 9_000 }));
      tx.commands.insert(aCommand());
      tx.commands.insert(aCommand({ id: 'cmd_wait', dueAtMs: T0 + 9_000 }));
    });
    await store.claims.commands(claim());
    await store.claims.deliveries(deliveryClaim('whs_1'));
    await store.claims.releaseAll(T0 + 1);
    const commands = await store.claims.commands(claim(T0 + 1));
    assert.deepEqual(valuesOf(commands, 'id'), ['cmd_1']);
    const deliveries = await store.claims.deliveries(deliveryClaim('whs_1', T0 + 1));
    assert.deepEqual(
      deliveries.map(({ delivery }) => [delivery.id, delivery.attempt, delivery.resent]),
      [['whd_1', 1, true]],
    );
  });

  test('a process releases only its own leases', async () => {
    const foreign = { leaseToken: 'another process.w1', dueAtMs: T0 + 9_000 };
    const store = await fresh((tx) => {
      tx.subscriptions.insert(aSubscription());
      tx.feed.append(aFeedEvent());
      tx.deliveries.insert(aDelivery());
      tx.deliveries.insert(aDelivery({ id: 'whd_foreign', ...foreign }));
      tx.commands.insert(aCommand());
      tx.commands.insert(aCommand({ id: 'cmd_foreign', ...foreign }));
      tx.mails.insert(aMail({ dueAtMs: T0, leaseToken: null }));
      tx.mails.insert(aMail({ id: 'mail_foreign', nth: 2, tokenHash: 'h', ...foreign }));
    });
    const inHand = async (nowMs: number) => [
      ...valuesOf(await store.claims.commands(claim(nowMs)), 'id'),
      ...(await store.claims.deliveries(deliveryClaim('whs_1', nowMs))).map(
        ({ delivery }) => delivery.id,
      ),
      ...valuesOf(await store.claims.mails(claim(nowMs)), 'id'),
    ];
    const own = await inHand(T0);
    assert.equal(own.length, 3);
    await store.claims.releaseOwn(T0 + 1);
    assert.deepEqual(await inHand(T0 + 1), own);
  });

  const dueWork = {
    'nothing at all': { stage: () => undefined, dueAtMs: null },
    'a command': { stage: (tx) => tx.commands.insert(aCommand()), dueAtMs: T0 },
    'a command with nothing to do': {
      stage: (tx) => tx.commands.insert(aCommand({ dueAtMs: null })),
      dueAtMs: null,
    },
    'a delivery': {
      stage: (tx) => {
        tx.deliveries.insert(aDelivery({ dueAtMs: T0 + 2 }));
        tx.deliveries.insert(aDelivery({ id: 'whd_2', subscriptionId: 'a', dueAtMs: T0 + 1 }));
      },
      dueAtMs: T0 + 1,
    },
    'a message': { stage: (tx) => tx.inbox.insert(aMessage()), dueAtMs: T0 + 1 },
    'an applied message': {
      stage: (tx) => tx.inbox.insert(aMessage({ dueAtMs: null })),
      dueAtMs: null,
    },
    'a document': { stage: (tx) => tx.documents.insert(aDocument()), dueAtMs: T0 + 12 },
    'a mail': { stage: (tx) => tx.mails.insert(aMail()), dueAtMs: T0 + 16 },
    'an advance': { stage: (tx) => tx.advances.put(anAdvance()), dueAtMs: T0 },
    'an expiry': {
      stage: (tx) => tx.payments.insert(aBarePayment({ expiresAtMs: T0 + 4 })),
      dueAtMs: T0 + 4,
    },
    'an expiry of an ended payment': {
      stage: (tx) => tx.payments.insert(aBarePayment({ expiresAtMs: T0, status: 'settled' })),
      dueAtMs: null,
    },
  } as const satisfies Record<
    string,
    { readonly stage: (tx: Tx) => void; readonly dueAtMs: number | null }
  >;

  for (const [what, { stage, dueAtMs }] of Object.entries(dueWork)) {
    test(`the next moment of work is known: ${what}`, async () => {
      const store = await fresh(stage);
      assert.equal(await store.claims.nextDueAtMs(), dueAtMs);
    });
  }
}

function claim(nowMs = T0): Claim {
  return { nowMs, limit: 100, leaseMs: 1_000 };
}

function deliveryClaim(subscriptionId: string, nowMs = T0) {
  return { ...claim(nowMs), subscriptionId };
}
