// The feed: what a commit gives an event.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tenant } from '../../core/domain/base/tenant.js';
import { type FeedHead, headAfter } from '../../core/domain/payments/event.js';
import type { Subscription } from '../../core/domain/webhooks/subscription.js';
import type { Store, Tx } from '../../core/ports/storage.js';
import {
  aBarePayment,
  aDelivery,
  anEvent,
  aPayment,
  aSubscription,
  otherMode,
  otherOrg,
  tenant,
} from '../support/samples/domain-samples.js';
import { valuesOf } from '../support/values-of.js';
import type { OpenStore } from './store-contracts.js';

export function storeFeedContract(open: OpenStore): void {
  test('concurrent batches of several tenants leave no gap, and each event is chained', async () => {
    const store = await open();
    const tenants = [tenant, otherMode, otherOrg];
    await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        store.run(async (tx) => {
          for (const [place, of] of tenants.entries()) {
            if (at % (place + 1) === 0) append(tx, of, `evt_${at}`, `{"at":"${at} ✓"}`);
          }
        }),
      ),
    );
    assert.deepEqual(await Promise.all(tenants.map((of) => checkedFeed(store, of))), [60, 30, 20]);
  });

  test('a batch that fails takes no number, and the others of its group go on without it', async () => {
    const store = await open();
    await store.run(async (tx) => tx.payments.insert(aPayment()));
    const settled = await Promise.allSettled(
      ['evt_1', 'evt_2', 'evt_3', 'evt_4'].map((id) =>
        store.run(async (tx) => {
          append(tx, tenant, id);
          append(tx, otherOrg, id);
          // After the event, so that its number was given.
          if (id === 'evt_2') tx.payments.update(aPayment({ version: 9 }));
          else tx.payments.insert(aBarePayment({ id: `pi_${id}` }));
        }),
      ),
    );
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    );
    assert.deepEqual(
      [await checkedFeed(store, tenant), await checkedFeed(store, otherOrg)],
      [3, 3],
    );
  });

  test('events without a delivery to a subscription are found behind its cursor', async () => {
    const store = await open();
    const [first, second] = [aSubscription(), aSubscription({ id: 'whs_2' })];
    const types = ['payment_intent.created', 'invoice.created', 'payment_intent.created'];
    await store.run(async (tx) => append(tx, tenant, 'evt_0'));
    await store.run(async (tx) => {
      for (const one of [first, second]) tx.subscriptions.insert(one);
      tx.subscriptions.insert(aSubscription({ id: 'whs_3', active: false }));
      tx.subscriptions.insert(aSubscription({ id: 'whs_4', ...otherMode }));
    });
    const behind = () => store.run((tx) => tx.subscriptions.behind('', 9));
    assert.deepEqual(await behind(), []);
    await store.run(async (tx) => {
      for (const [at, type] of types.entries())
        tx.feed.append(anEvent({ id: `evt_${at + 1}`, type }));
      tx.feed.append(anEvent({ ...otherOrg, id: 'evt_1' }));
      tx.deliveries.insert(aDelivery({ subscriptionId: first.id, eventId: 'evt_1' }));
    });
    assert.deepEqual(await behind(), [
      { subscription: first, cursor: 1, head: 4 },
      { subscription: second, cursor: 1, head: 4 },
    ]);
    assert.deepEqual(await store.run((tx) => tx.subscriptions.behind(first.id, 9)), [
      { subscription: second, cursor: 1, head: 4 },
    ]);
    const missing = async (one: Subscription, after: number, last: number) =>
      valuesOf(await store.run((tx) => tx.feed.withoutDelivery(one, after, last)), 'id');
    assert.deepEqual(await missing(first, 1, 4), ['evt_2', 'evt_3']);
    assert.deepEqual(await missing(second, 1, 3), ['evt_1', 'evt_2']);
    const [event] = await store.run((tx) => tx.feed.withoutDelivery(first, 3, 4));
    const { body: _, ...rest } = anEvent({ id: 'evt_3' });
    assert.deepEqual(event, rest);
    await store.run(async (tx) => tx.subscriptions.advance(second, 4));
    await store.run(async (tx) => tx.subscriptions.advance(first, 3));
    assert.deepEqual(await behind(), [{ subscription: first, cursor: 3, head: 4 }]);
  });

  test('after a commit the active subscriptions of a tenant are read as they are', async () => {
    const store = await open();
    const active = async () => valuesOf(await store.claims.activeSubscriptions(tenant), 'id');
    assert.deepEqual(await active(), []);
    await store.run(async (tx) => {
      tx.subscriptions.insert(aSubscription());
      tx.subscriptions.insert(aSubscription({ id: 'whs_2', ...otherOrg }));
    });
    assert.deepEqual(await active(), ['whs_1']);
    await store.run(async (tx) => tx.subscriptions.update(aSubscription({ active: false })));
    assert.deepEqual(await active(), []);
  });
}

function append(tx: Tx, of: Tenant, id: string, body = '{}'): void {
  tx.feed.append(anEvent({ ...of, id, body }));
}

/** The number of events; each has the number and the hash that follow from the one before. */
export async function checkedFeed(store: Pick<Store, 'run'>, of: Tenant): Promise<number> {
  const [events, stored] = await store.run((tx) =>
    Promise.all([tx.feed.after(of, 0, 1_000), tx.feed.head(of)]),
  );
  let head: FeedHead | null = null;
  for (const { sequence, chainHash, body } of events) {
    head = headAfter(head, body);
    assert.deepEqual({ sequence, chainHash }, head);
  }
  assert.deepEqual(stored, head);
  assert.equal(new Set(valuesOf(events, 'id')).size, events.length);
  return events.length;
}
