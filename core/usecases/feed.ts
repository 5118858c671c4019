// The sequencer: committed events come out of the outbox and get their place in the tenant's feed,
// a gap-free sequence and a hash chained to all before, together with one delivery per subscription
// that wants them. Sending is delivery-runner.ts's matter; what the runner of this process has a
// place for is stored as already in its hand, so that nobody has to claim it. It may run on several
// hosts at once: the heads are written by compare-and-set, so that one wins and the others read on
// behind it.
import { hash } from 'node:crypto';
import { type DomainEvent, matchesEvent } from '../domain/event.js';
import type { Subscription } from '../domain/subscription.js';
import { type Tenant, tenantOf } from '../domain/tenant.js';
import { newDelivery, type WebhookDelivery } from '../domain/webhook-delivery.js';
import type { ClaimedDelivery, Deps, FeedHead, Tx } from '../ports.js';

/** Enough for one batch, which holds up everybody else's writes; an event is never split. */
const DELIVERIES_PER_BATCH = 1_000;

/** Goes to the subscription that it tests, whatever that one's types, and to nobody else. */
export const TEST_EVENT_TYPE = 'webhook.test';

/** The deliveries of one batch on their way to whoever sends them in this process. */
export interface Handover {
  /** The delivery as it is to be stored: leased where there is a place to send it, else due. */
  offer(made: ClaimedDelivery): WebhookDelivery;
  /** The batch is stored: what was leased is sent. */
  send(): void;
  /**
   * Nothing more is sent: the batch is not stored, or nobody knows. If it is, what was leased is
   * tried again when its lease ends, as after a crash.
   */
  takeBack(): void;
}

/**
 * Sequences the oldest events, `limit` at most. Returns how many; 0 means there are none. Without
 * `handover` all deliveries wait to be claimed.
 */
export async function runSequencer(
  deps: Deps,
  nowMs: number,
  limit: number,
  handover: Handover | null = null,
): Promise<number> {
  const work = async (tx: Tx) => {
    // Of a run before this one, which lost.
    handover?.takeBack();
    const rows = await tx.outbox.oldest(limit);
    const events = rows.map(({ event }) => event);
    const result = await sequence(deps, tx, events, { nowMs, handover });
    tx.outbox.remove(rows.slice(0, result.sequenced));
    return result;
  };
  try {
    const { tenants, sequenced, deliveries } = await deps.store.run(work);
    handover?.send();
    if (sequenced > 0) deps.wake('feed', tenants);
    if (deliveries.some(({ leaseToken }) => leaseToken === null)) deps.wake('deliveries');
    return sequenced;
  } finally {
    handover?.takeBack();
  }
}

/**
 * Stages the feed rows and deliveries of the first events, in the order given: all of them unless
 * they need more deliveries than one batch takes.
 */
export async function sequence(
  deps: Deps,
  tx: Tx,
  events: readonly DomainEvent[],
  { nowMs, handover }: { readonly nowMs: number; readonly handover: Handover | null },
): Promise<Sequenced> {
  const feeds = await feedsOf(tx, events);
  const deliveries: WebhookDelivery[] = [];
  const reliedOn = new Set<Subscription>();
  let sequenced = 0;
  for (const event of events) {
    if (deliveries.length >= DELIVERIES_PER_BATCH) break;
    const feed = feeds.get(keyOf(event)) as TenantFeed;
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
      const delivery = handover?.offer(offered) ?? made;
      // A claim would look whether it is active and by which secret to sign; here it is as read.
      if (delivery.leaseToken !== null) reliedOn.add(subscription);
      tx.deliveries.insert(delivery);
      deliveries.push(delivery);
    }
    sequenced += 1;
  }
  for (const subscription of reliedOn) tx.subscriptions.expect(subscription);
  const tenants: Tenant[] = [];
  for (const { tenant, was, head } of feeds.values()) {
    if (head === null || head === was) continue;
    tx.feed.setHead(tenant, was, head);
    tenants.push(tenant);
  }
  return { tenants, sequenced, deliveries };
}

/** Hex SHA-256 over the text of the hash before (nothing for the first) and the body's bytes. */
export function chainHash(previous: string | null, body: string): string {
  return hash('sha256', `${previous ?? ''}${body}`, 'hex');
}

interface Sequenced {
  /** Whose feed has grown. */
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
  const tenants = new Map(events.map((event) => [keyOf(event), tenantOf(event)]));
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

function keyOf(tenant: Tenant): string {
  return `${tenant.orgId}/${tenant.mode}`;
}

function recipients(
  event: DomainEvent,
  subscriptions: readonly Subscription[],
): readonly Subscription[] {
  return subscriptions.filter(({ id, eventTypes }) =>
    event.type === TEST_EVENT_TYPE ? id === event.subjectId : matchesEvent(eventTypes, event.type),
  );
}
