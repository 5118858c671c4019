// The feed: what a commit gives an event.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tenant } from '../../core/domain/base/tenant.js';
import {
  aliasOf,
  type DomainEvent,
  eventBody,
  type FeedHead,
  headAfter,
} from '../../core/domain/payments/event.js';
import type { Subscription } from '../../core/domain/webhooks/subscription.js';
import type { FeedFilter, Store, Tx } from '../../core/ports/storage.js';
import { endQuarantine, quarantineRestored } from '../../core/usecases/service/epochs.js';
import {
  aBarePayment,
  aDelivery,
  anEvent,
  aPayment,
  aSubscription,
  otherMode,
  otherOrg,
  T0,
  tenant,
} from '../support/samples/domain-samples.js';
import { valuesOf } from '../support/values-of.js';
import type { OpenStore } from './store-contracts.js';

const ended = { status: 'delivered', dueAtMs: null, nextAttemptAtMs: null } as const;
const cutoff = { sinceDeliveryId: 'whd_z', sinceMs: T0 + 100 };

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
    const store = await open((tx) => tx.payments.insert(aPayment()));
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
    assert.deepEqual(valuesOf(settled, 'status'), [
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    assert.deepEqual(
      [await checkedFeed(store, tenant), await checkedFeed(store, otherOrg)],
      [3, 3],
    );
  });

  test('the newest events are found by subject and type, within a range of the feed', async () => {
    const made = [
      ['pi_1', 'payment_intent.created'],
      ['pi_2', 'payment_intent.created'],
      ['pi_1', 'payment_intent.settled'],
      ['pi_2', 'payment_intent.settled'],
    ] as const;
    const store = await open((tx) => {
      for (const [at, [subjectId, type]] of made.entries()) {
        tx.feed.append(anEvent({ id: `evt_${at + 1}`, subjectId, type }));
        tx.feed.append(anEvent({ ...otherOrg, id: `evt_${at + 1}`, subjectId, type }));
      }
    });
    const found = async (filter: Partial<FeedFilter>, beforeSequence: number | null, limit = 9) => {
      const whole = { subjectId: null, type: null, fromSequence: 1, ...filter };
      const page = { beforeSequence, limit };
      return valuesOf(await store.run((tx) => tx.feed.newest(tenant, whole, page)), 'sequence');
    };
    const type = 'payment_intent.created';
    assert.deepEqual(await found({}, null), [4, 3, 2, 1]);
    assert.deepEqual(await found({ type }, null), [2, 1]);
    assert.deepEqual(await found({ type }, null, 1), [2]);
    assert.deepEqual(await found({ type }, 2), [1]);
    assert.deepEqual(await found({ type, fromSequence: 2 }, null), [2]);
    assert.deepEqual(await found({ subjectId: 'pi_2' }, null), [4, 2]);
    assert.deepEqual(await found({ subjectId: 'pi_2', type }, null), [2]);
  });

  test('deliveries of a subscription are counted by state, up to a limit', async () => {
    const states = ['delivered', 'delivered', 'pending', 'dead_letter', 'pending'] as const;
    const store = await open((tx) => {
      for (const [at, status] of states.entries()) {
        const dueAtMs = status === 'pending' ? T0 : null;
        const own = { status, dueAtMs, createdAtMs: T0 + at };
        tx.deliveries.insert(aDelivery({ id: `whd_${at + 1}`, ...own }));
        tx.deliveries.insert(aDelivery({ id: `whd_x${at}`, ...own, subscriptionId: 'whs_2' }));
      }
    });
    const counted = (fromId: string, countMax: number) =>
      store.run((tx) => tx.deliveries.counts('whs_1', { fromId, countMax }));
    const oldestPendingAtMs = T0 + 2;
    assert.deepEqual(await counted('whd_', 9), {
      recent: 5,
      delivered: 2,
      pending: 2,
      dead: 1,
      oldestPendingAtMs,
    });
    assert.deepEqual(await counted('whd_2', 9), {
      recent: 4,
      delivered: 1,
      pending: 2,
      dead: 1,
      oldestPendingAtMs,
    });
    assert.deepEqual(await counted('whd_', 1), {
      recent: 1,
      delivered: 0,
      pending: 1,
      dead: 1,
      oldestPendingAtMs,
    });
    const none = { recent: 0, delivered: 0, pending: 0, dead: 0, oldestPendingAtMs: null };
    const unknown = store.run((tx) =>
      tx.deliveries.counts('whs_9', { fromId: 'whd_', countMax: 9 }),
    );
    assert.deepEqual(await unknown, none);
    const ofEvent = await store.run((tx) => tx.deliveries.ofEvent(tenant, 'evt_1', 2));
    assert.deepEqual(valuesOf(ofEvent, 'id'), ['whd_1', 'whd_2']);
    assert.deepEqual(await store.run((tx) => tx.deliveries.ofEvent(otherOrg, 'evt_1', 2)), []);
  });

  test('events without a delivery to a subscription are found behind its cursor', async () => {
    const [first, second] = [aSubscription(), aSubscription({ id: 'whs_2' })];
    const types = ['payment_intent.created', 'invoice.created', 'payment_intent.created'];
    const store = await open((tx) => append(tx, tenant, 'evt_0'));
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
    const cursor = (one: Subscription) => store.run((tx) => tx.subscriptions.cursor(one));
    assert.equal(await cursor(second), 1);
    await store.run(async (tx) => tx.subscriptions.advance(second, 4));
    assert.equal(await cursor(second), 4);
    assert.equal(await cursor(aSubscription({ ...otherOrg })), 0);
    await store.run(async (tx) => tx.subscriptions.advance(first, 3));
    assert.deepEqual(await behind(), [{ subscription: first, cursor: 3, head: 4 }]);
  });

  test('an event and its alias are one row, and read like two rows', async () => {
    const [one, two] = ['payment_intent.created', 'invoice.created'];
    const made = [[one, two], [two], [one, two], [one, two], [two]] as const;
    // The same events: in one tenant by pairs, in the other each in its own row.
    const store = await open((tx) => {
      for (const [at, [type, alias]] of made.entries()) {
        const named = (id: string) => ({
          id,
          subjectId: `pi_${at % 2}`,
          type,
          createdAtMs: T0 + at,
        });
        const of = (id: string, own: Partial<DomainEvent> = {}) => {
          const body = eventBody(type, { metadata: { externalEventId: id }, externalEventId: id });
          return anEvent({ ...named(id), body, ...own });
        };
        const [pair, apart] = [of(`evt_${at}`), of(`evt_${at}_apart`, otherOrg)];
        const second = alias === undefined ? undefined : aliasOf(pair, alias);
        tx.feed.append(pair, second);
        tx.feed.append(apart);
        if (alias !== undefined) tx.feed.append({ ...apart, id: `evt_${at}_apart_2`, type: alias });
        const deliveries = { 1: [pair, apart], 2: [second, { ...apart, id: `${apart.id}_2` }] }[at];
        for (const event of deliveries ?? []) {
          if (event === undefined) continue;
          const { orgId, id: eventId, type: eventType } = event;
          const id = `whd_${eventId}`;
          tx.deliveries.insert(aDelivery({ orgId, id, eventId, eventType, ...ended }));
        }
      }
    });
    const shown = (
      events: readonly (Pick<DomainEvent, 'id' | 'type'> & { readonly sequence?: number })[],
    ) => events.map(({ id, type, sequence }) => [id.replace(/_apart(_2)?|i$/, ''), type, sequence]);
    const last = 8;
    const reads = (of: Tenant): ((tx: Tx) => Promise<unknown>)[] => [
      (tx) => tx.feed.head(of).then((head) => head?.sequence),
      ...[...Array(last + 1).keys()].flatMap((from) => [
        async (tx: Tx) => (await tx.retention.oldestEvents(cutoff, of, from, 9)).at(-1)?.sequence,
        ...[1, 3].flatMap((limit) => [
          async (tx: Tx) => shown(await tx.feed.after(of, from, limit)),
          ...[null, one, two].flatMap((type) =>
            [null, 'pi_1'].flatMap((subjectId) =>
              [1, 4].map((fromSequence) => async (tx: Tx) => {
                const filter = { type: type ?? null, subjectId, fromSequence };
                return shown(await tx.feed.newest(of, filter, { beforeSequence: from, limit }));
              }),
            ),
          ),
          async (tx: Tx) =>
            shown(await tx.feed.withoutDelivery(aSubscription(of), from, from + limit)),
        ]),
      ]),
      async (tx) => shown(await tx.feed.ofSubject(of, 'pi_0')),
      async (tx) =>
        (await tx.deliveries.ofSubject(of, 'pi_0', { fromMs: 0, afterId: '', limit: 9 })).length,
    ];
    const results = (of: Tenant) =>
      store.run((tx) => Promise.all(reads(of).map((read) => read(tx))));
    assert.deepEqual(await results(tenant), await results({ ...tenant, ...otherOrg }));
    for (const event of await store.run((tx) => tx.feed.after(tenant, 0, last))) {
      assert.deepEqual(await store.run((tx) => tx.feed.get(tenant, event.id)), event);
      const data = { metadata: { externalEventId: event.id.replace(/i$/, '') } };
      const body = eventBody(event.type, { ...data, externalEventId: event.id });
      assert.equal(event.body, body, 'only the type and the id of the alias are others');
      await store.run(async (tx) => tx.feed.expect(event));
    }
    assert.equal(await store.run((tx) => tx.feed.get(tenant, 'evt_1i')), null);
  });

  test('active subscriptions with the URL of another one of their tenant are found', async () => {
    const url = 'https://acme.example/other';
    const store = await open((tx) => {
      for (const id of ['whs_1', 'whs_2']) tx.subscriptions.insert(aSubscription({ id }));
      tx.subscriptions.insert(aSubscription({ id: 'whs_3', active: false }));
      tx.subscriptions.insert(aSubscription({ id: 'whs_4', url }));
      tx.subscriptions.insert(aSubscription({ id: 'whs_5', ...otherOrg }));
      tx.subscriptions.insert(aSubscription({ id: 'whs_6', active: false, ...otherOrg }));
    });
    const found = (limit: number) =>
      store.run((tx) => tx.subscriptions.sharingUrl(tenant.mode, limit));
    assert.deepEqual(valuesOf(await found(9), 'id'), ['whs_1', 'whs_2']);
    assert.equal((await found(1)).length, 1);
  });

  test('after a commit the active subscriptions of a tenant are read, and none in quarantine', async () => {
    const store = await open();
    const active = async () => valuesOf(await store.claims.sendingSubscriptions(tenant), 'id');
    assert.deepEqual(await active(), []);
    await store.run(async (tx) => {
      tx.subscriptions.insert(aSubscription());
      tx.subscriptions.insert(aSubscription({ id: 'whs_2', ...otherOrg }));
    });
    assert.deepEqual(await active(), ['whs_1']);
    const quiet = () => undefined;
    const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
    const deps = { clock: { nowMs: () => T0 }, log, store };
    await quarantineRestored(deps);
    assert.deepEqual(await active(), []);
    await endQuarantine(deps, { by: 'ana', forcedBecause: 'a test' });
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
