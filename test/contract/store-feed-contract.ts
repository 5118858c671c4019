// The feed: what a commit gives an event.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tenant } from '../../core/domain/base/tenant.js';
import { type FeedHead, headAfter } from '../../core/domain/payments/event.js';
import type { Store, Tx } from '../../core/ports/storage.js';
import {
  aBarePayment,
  anEvent,
  aPayment,
  otherMode,
  otherOrg,
  subscriptionsAfter,
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
}

function append(tx: Tx, of: Tenant, id: string, body = '{}'): void {
  tx.feed.append(anEvent({ ...of, id, body }), subscriptionsAfter(0));
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
