// The sequencer: moves committed events from the outbox to the tenant's feed, each with a gap-free
// sequence and a chained hash, and makes one delivery per matching subscription. A delivery with a
// free slot in this process is stored as leased. Several hosts may run it: heads are written by
// compare-and-set, so that one host wins and the others continue after it.
import { hash } from 'node:crypto';
import { type Tenant, tenantKey, tenantOf } from '../../domain/base/tenant.js';
import { type DomainEvent, type FeedHead, matchesEvent } from '../../domain/payments/event.js';
import type { Subscription } from '../../domain/webhooks/subscription.js';
import { newDelivery, type WebhookDelivery } from '../../domain/webhooks/webhook-delivery.js';
import type { Deps } from '../../ports/deps.js';
import type { ClaimedDelivery, Tx } from '../../ports/storage.js';

/** Bounds how long a batch delays other writes; an event is not split. */
const DELIVERIES_PER_BATCH = 1_000;

/** Sent only to the subscription that it tests, regardless of its types. */
export const TEST_EVENT_TYPE = 'webhook.test';

/** The deliveries of one batch that the runner of this process sends without a claim. */
export interface DirectDispatch {
  /** The delivery to store: leased if a slot is free, else due. */
  tryReserve(made: ClaimedDelivery): WebhookDelivery;
  /** The batch is stored: sends the leased deliveries. */
  send(): void;
  /**
   * The batch is not stored, or in doubt: if it is stored, the deliveries wait for their leases.
   */
  cancel(): void;
}

/**
 * Sequences at most `limit` events; returns how many. Without `dispatch` all deliveries are due.
 */
export async function runSequencer(
  deps: Deps,
  nowMs: number,
  limit: number,
  dispatch: DirectDispatch | null = null,
): Promise<number> {
  const work = async (tx: Tx) => {
    // Release what a lost attempt reserved.
    dispatch?.cancel();
    const rows = await tx.outbox.oldest(limit);
    const events = rows.map(({ event }) => event);
    const result = await sequence(deps, tx, events, { nowMs, dispatch });
    tx.outbox.remove(rows.slice(0, result.sequenced));
    return result;
  };
  try {
    const { tenants, sequenced, deliveries } = await deps.store.run(work);
    dispatch?.send();
    if (sequenced > 0) deps.wake('feed', tenants);
    if (deliveries.some(({ leaseToken }) => leaseToken === null)) deps.wake('deliveries');
    return sequenced;
  } finally {
    dispatch?.cancel();
  }
}

/** Stages feed rows and deliveries of the first events, as many as one batch may contain. */
export async function sequence(
  deps: Deps,
  tx: Tx,
  events: readonly DomainEvent[],
  { nowMs, dispatch }: { readonly nowMs: number; readonly dispatch: DirectDispatch | null },
): Promise<Sequenced> {
  const feeds = await feedsOf(tx, events);
  const deliveries: WebhookDelivery[] = [];
  const expected = new Set<Subscription>();
  let sequenced = 0;
  for (const event of events) {
    if (deliveries.length >= DELIVERIES_PER_BATCH) break;
    const feed = feeds.get(tenantKey(event)) as TenantFeed;
    feed.head = {
      sequence: (feed.head?.sequence ?? 0) + 1,
      chainHash: chainHash(feed.head?.chainHash ?? null, event.body),
    };
    tx.feed.append(Object.freeze({ ...event, ...feed.head }));
    for (const subscription of recipients(event, feed.subscriptions)) {
      const made = newDelivery({
        ...tenantOf(event),
        id: deps.ids.next('whd', nowMs),
        subscriptionId: subscription.id,
        eventId: event.id,
        eventType: event.type,
        createdAtMs: nowMs,
      });
      const { body, createdAtMs: eventCreatedAtMs } = event;
      const offered = { delivery: made, subscription, body, eventCreatedAtMs };
      const delivery = dispatch?.tryReserve(offered) ?? made;
      // A claim would read the current subscription; here it must be unchanged.
      if (delivery.leaseToken !== null) expected.add(subscription);
      tx.deliveries.insert(delivery);
      deliveries.push(delivery);
    }
    sequenced += 1;
  }
  for (const subscription of expected) tx.subscriptions.expect(subscription);
  const tenants: Tenant[] = [];
  for (const { tenant, was, head } of feeds.values()) {
    if (head === null || head === was) continue;
    tx.feed.setHead(tenant, was, head);
    tenants.push(tenant);
  }
  return { tenants, sequenced, deliveries };
}

/** Hex SHA-256 over the previous hash (empty for the first) and the body. */
export function chainHash(previous: string | null, body: string): string {
  return hash('sha256', `${previous ?? ''}${body}`, 'hex');
}

interface Sequenced {
  /** Tenants whose feed has grown. */
  readonly tenants: readonly Tenant[];
  readonly sequenced: number;
  readonly deliveries: readonly WebhookDelivery[];
}

interface TenantFeed {
  readonly tenant: Tenant;
  readonly was: FeedHead | null;
  readonly subscriptions: readonly Subscription[];
  head: FeedHead | null;
}

async function feedsOf(
  tx: Tx,
  events: readonly DomainEvent[],
): Promise<ReadonlyMap<string, TenantFeed>> {
  const tenants = new Map(events.map((event) => [tenantKey(event), tenantOf(event)]));
  const feeds = await Promise.all(
    [...tenants].map(async ([key, tenant]): Promise<[string, TenantFeed]> => {
      const [was, subscriptions] = await Promise.all([
        tx.feed.head(tenant),
        tx.subscriptions.active(tenant),
      ]);
      return [key, { tenant, was, subscriptions, head: was }];
    }),
  );
  return new Map(feeds);
}

function recipients(
  event: DomainEvent,
  subscriptions: readonly Subscription[],
): readonly Subscription[] {
  return subscriptions.filter(({ id, eventTypes }) =>
    event.type === TEST_EVENT_TYPE ? id === event.subjectId : matchesEvent(eventTypes, event.type),
  );
}
