// What every store promises about old rows: they are found by pages in one order, only what is
// still old goes, and a feed loses its beginning whole or not at all. Run over each database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageCursor } from '../../core/domain/commands/partner-message.js';
import type { NumberedEvent } from '../../core/domain/payments/event.js';
import { isTerminal, type Payment, paymentStatuses } from '../../core/domain/payments/payment.js';
import type { WebhookDelivery } from '../../core/domain/webhooks/webhook-delivery.js';
import type { RetentionCutoff, Store } from '../../core/ports/storage.js';
import {
  aBarePayment,
  aDelivery,
  aMessage,
  anAttempt,
  anAttemptResult,
  anEvent,
  otherMode,
  otherOrg,
  T0,
  tenant,
} from '../support/samples/domain-samples.js';
import { valuesOf } from '../support/values-of.js';
import type { OpenStore } from './store-contracts.js';

const cutoff: RetentionCutoff = { sinceMs: T0 + 100, sinceDeliveryId: 'whd_5' };
const ended = { status: 'delivered', dueAtMs: null, nextAttemptAtMs: null } as const;

/** By a pause: it is due, and has no next attempt. */
const held = { nextAttemptAtMs: null } as const;

/** What the store holds besides an old event. */
interface Need {
  readonly needed: boolean;
  readonly event?: Partial<NumberedEvent>;
  readonly delivery?: Partial<WebhookDelivery>;
  readonly payment?: Partial<Payment>;
}

export function storeRetentionContract(fresh: OpenStore): void {
  const withDeliveries = async () => {
    const store = await fresh((tx) => {
      const dead = { ...ended, status: 'dead_letter' } as const;
      tx.deliveries.insert(aDelivery({ id: 'whd_1', ...ended }));
      tx.deliveries.insert(aDelivery({ id: 'whd_2' }));
      tx.deliveries.insert(aDelivery({ id: 'whd_3', ...ended, ...otherOrg }));
      tx.deliveries.insert(aDelivery({ id: 'whd_4', ...dead }));
      tx.deliveries.insert(aDelivery({ id: 'whd_4_held', ...held }));
      tx.deliveries.insert(aDelivery({ id: 'whd_4_leased', ...held, leaseToken: 'lease_1' }));
      tx.deliveries.insert(aDelivery({ id: 'whd_4_replayed', ...ended }));
      tx.deliveries.insert(aDelivery({ id: 'whd_5', ...ended }));
      tx.deliveries.insert(aDelivery({ id: 'whd_5_held', ...held }));
      const firstAttempt = { ...anAttemptResult, startedAtMs: T0 + 100 };
      tx.deliveries.insert(aDelivery({ id: 'whd_4_slow', ...ended, firstAttempt }));
      for (const [deliveryId, id, startedAtMs] of [
        ['whd_1', 'att_1', T0 + 99],
        ['whd_2', 'att_2', T0],
        ['whd_3', 'att_3', T0],
        ['whd_4_replayed', 'att_4', T0],
        ['whd_4_replayed', 'att_5', T0 + 100],
      ] as const) {
        tx.deliveries.logAttempt(anAttempt({ id, deliveryId, startedAtMs }));
      }
    });
    return store;
  };
  const deliveriesLeft = (store: Store) =>
    store.run(async (tx) => {
      const filter = { status: null, subscriptionId: null, beforeId: null, limit: 100 };
      const left = (await tx.deliveries.list(filter)).toReversed();
      return Promise.all(
        left.map(async ({ id }) => [id, (await tx.deliveries.attempts(id)).length]),
      );
    });

  test('deliveries are old when they were made before, have ended or are held, and were not tried since', async () => {
    const store = await withDeliveries();
    const old = (afterId: string, limit: number) =>
      store.run((tx) => tx.retention.oldDeliveries(cutoff, afterId, limit));
    assert.deepEqual(await old('', 100), ['whd_1', 'whd_3', 'whd_4', 'whd_4_held']);
    assert.deepEqual(await old('', 2), ['whd_1', 'whd_3']);
    assert.deepEqual(await old('whd_3', 2), ['whd_4', 'whd_4_held']);
    assert.deepEqual(await old('whd_4_held', 2), []);
  });

  test('old deliveries of a range go with their attempts, others between them stay', async () => {
    const store = await withDeliveries();
    await store.run(async (tx) => tx.retention.removeDeliveries(cutoff, 'whd_1', 'whd_3'));
    assert.deepEqual(await deliveriesLeft(store), [
      ['whd_1', 1],
      ['whd_2', 1],
      ['whd_4', 0],
      ['whd_4_held', 0],
      ['whd_4_leased', 0],
      ['whd_4_replayed', 2],
      ['whd_4_slow', 1],
      ['whd_5', 0],
      ['whd_5_held', 0],
    ]);
    await store.run(async (tx) => tx.retention.removeDeliveries(cutoff, '', 'whd_9'));
    assert.deepEqual(await deliveriesLeft(store), [
      ['whd_2', 1],
      ['whd_4_leased', 0],
      ['whd_4_replayed', 2],
      ['whd_4_slow', 1],
      ['whd_5', 0],
      ['whd_5_held', 0],
    ]);
  });

  test('messages are old when they were received before and are applied', async () => {
    const received = [
      ['b', 0, null],
      ['a', 0, null],
      ['c', 99, null],
      ['waiting', 1, T0],
      ['young', 100, null],
    ] as const;
    const store = await fresh((tx) => {
      for (const [messageId, laterMs, dueAtMs] of received) {
        tx.inbox.insert(aMessage({ messageId, receivedAtMs: T0 + laterMs, dueAtMs }));
      }
    });
    const old = (place: MessageCursor | null, limit: number) =>
      store.run((tx) => tx.retention.oldMessages(cutoff, place, limit));
    const [a, b, c] = [
      { receivedAtMs: T0, messageId: 'a' },
      { receivedAtMs: T0, messageId: 'b' },
      { receivedAtMs: T0 + 99, messageId: 'c' },
    ] as const;
    assert.deepEqual(await old(null, 100), [a, b, c]);
    assert.deepEqual(await old(null, 1), [a]);
    assert.deepEqual(await old(a, 100), [b, c]);
    const left = async () => {
      const found = await store.run((tx) =>
        Promise.all(received.map(([id]) => tx.inbox.get('fake', 'test', id))),
      );
      return found.flatMap((message) => message?.messageId ?? []);
    };
    await store.run(async (tx) => tx.retention.removeMessages(a, b));
    assert.deepEqual(await left(), ['a', 'c', 'waiting', 'young']);
    await store.run(async (tx) => tx.retention.removeMessages(null, c));
    assert.deepEqual(await left(), ['waiting', 'young']);
  });

  test('each tenant with a feed is listed once, page by page', async () => {
    const store = await fresh((tx) => {
      for (const one of [otherOrg, tenant, otherMode]) {
        tx.feed.append(anEvent(one));
      }
    });
    const read = (from: typeof tenant | null, limit: number) =>
      store.run((tx) => tx.retention.tenants(from, limit));
    assert.deepEqual(await read(null, 2), [otherMode, tenant]);
    assert.deepEqual(await read(tenant, 2), [otherOrg]);
    assert.deepEqual(await read(otherOrg, 2), []);
  });

  const neededWhen: Readonly<Record<string, Need>> = {
    'it is old, and of no payment': { needed: false },
    'it is young': { needed: true, event: { createdAtMs: T0 + 100 } },
    'a delivery of it is pending': { needed: true, delivery: {} },
    'a delivery of it is young': { needed: true, delivery: { id: 'whd_5', ...ended } },
    'a delivery of it is old': { needed: false, delivery: { id: 'whd_4', ...ended } },
    'a delivery of it is held and old': { needed: false, delivery: held },
    'a delivery of it is held and young': { needed: true, delivery: { id: 'whd_6', ...held } },
    'a delivery of it is claimed in a pause': {
      needed: true,
      delivery: { ...held, leaseToken: 'lease_1' },
    },
    'a delivery is of another event': { needed: false, delivery: { eventId: 'evt_x' } },
    'a delivery is of another tenant': { needed: false, delivery: otherMode },
    'a payment of the other mode has not ended': { needed: false, payment: otherMode },
    'a payment of another organization has not ended': { needed: false, payment: otherOrg },
    ...Object.fromEntries(
      paymentStatuses.map((status) => [
        `its payment is ${status}`,
        { needed: !isTerminal(status), payment: { status } },
      ]),
    ),
  };

  test('an event is needed or not, by its cutoff, its payment and its deliveries', async () => {
    const cases = Object.entries(neededWhen);
    const store = await fresh((tx) => {
      for (const [index, [, { event, delivery, payment }]] of cases.entries()) {
        const [eventId, subjectId] = [`evt_${index}`, `pi_${index}`];
        tx.feed.append(anEvent({ id: eventId, subjectId, ...event }));
        const id = `whd_1_${index}`;
        if (delivery !== undefined) tx.deliveries.insert(aDelivery({ id, eventId, ...delivery }));
        if (payment !== undefined) tx.payments.insert(aBarePayment({ id: subjectId, ...payment }));
      }
    });
    const found = await store.run((tx) => tx.retention.oldestEvents(cutoff, tenant, 0, 100));
    assert.deepEqual(
      found.map(({ sequence, needed }) => [cases[sequence - 1]?.[0], needed]),
      cases.map(([when, { needed }]) => [when, needed]),
    );
  });

  const withEvents = async () => {
    const store = await fresh((tx) => {
      for (const sequence of [1, 2, 3, 4]) {
        const event = anEvent({ id: `evt_${sequence}` });
        tx.feed.append(event);
        tx.feed.append({ ...event, ...otherMode });
      }
      tx.deliveries.insert(aDelivery({ eventId: 'evt_3', ...ended }));
    });
    return store;
  };
  const sequences = (store: Store, whose = tenant) =>
    store.run(async (tx) => (await tx.feed.after(whose, 0, 9)).map(({ sequence }) => sequence));

  test('the oldest events come in their order, by pages, of one tenant', async () => {
    const store = await withEvents();
    const found = await store.run((tx) => tx.retention.oldestEvents(cutoff, tenant, 1, 2));
    assert.deepEqual(valuesOf(found, 'sequence'), [2, 3]);
  });

  test('events go with all of their range, or stay with one that has a delivery', async () => {
    const store = await withEvents();
    await store.run(async (tx) => tx.retention.removeEvents(tenant, 0, 3));
    assert.deepEqual(await sequences(store), [1, 2, 3, 4]);
    await store.run(async (tx) => tx.retention.removeEvents(tenant, 0, 2));
    assert.deepEqual(await sequences(store), [3, 4]);
    assert.deepEqual(await sequences(store, otherMode), [1, 2, 3, 4]);
    const head = await store.run((tx) => tx.feed.head(tenant));
    assert.equal(head?.sequence, 4);
  });
}
