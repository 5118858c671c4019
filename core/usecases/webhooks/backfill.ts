// Sends a subscription the events before it. Later ones are sent anyway: the cursor divides them.
import type { Tenant } from '../../domain/base/tenant.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import { deliveryOf } from './event-deliveries.js';
import { activeSubscription } from './subscriptions.js';

/** Events of one batch. */
const EVENTS_PER_BATCH = 500;
/** Batches of one request of an integrator. */
const BATCHES_PER_REQUEST = 4;

export interface Backfilled {
  /** Deliveries that were stored. */
  readonly queued: number;
  /** Events up to this sequence were looked at. */
  readonly nextAfter: number;
  readonly hasMore: boolean;
}

/**
 * Stores a delivery for each kept event after a sequence that the subscription has not got, of its
 * types, in the order of the feed. A repeat continues at `nextAfter` while `hasMore`; one from the
 * same place stores nothing twice. NotFound; DeliveryNotReplayable for one that is paused.
 */
export async function backfill(
  deps: Deps,
  tenant: Tenant,
  subscriptionId: string,
  after: number,
  batchesMax = BATCHES_PER_REQUEST,
): Promise<Backfilled> {
  let queued = 0;
  let place = { nextAfter: after, hasMore: true };
  for (let batches = 0; place.hasMore && batches < batchesMax; batches += 1) {
    const { stored, ...next } = await backfillBatch(deps, tenant, subscriptionId, place.nextAfter);
    queued += stored;
    place = next;
  }
  if (queued > 0) deps.wake('deliveries');
  return { queued, ...place };
}

/** Stores the next deliveries that are missing, from the oldest event on; more while `hasMore`. */
export async function backfillNext(
  deps: Deps,
  tenant: Tenant,
  subscriptionId: string,
): Promise<Backfilled> {
  let found = await backfill(deps, tenant, subscriptionId, 0);
  while (found.queued === 0 && found.hasMore) {
    found = await backfill(deps, tenant, subscriptionId, found.nextAfter);
  }
  return found;
}

function backfillBatch(deps: Deps, tenant: Tenant, subscriptionId: string, after: number) {
  return deps.store.run(async (tx) => {
    const subscription = await activeSubscription(tx, tenant, subscriptionId);
    if (subscription.paused) {
      const message = 'The subscription is paused. Resume it, then send it earlier events.';
      throw new PonteError('DeliveryNotReplayable', message);
    }
    const [cursor, [oldest]] = await Promise.all([
      tx.subscriptions.cursor(subscription),
      // Those before it were pruned.
      tx.feed.after(tenant, after, 1),
    ]);
    const first = Math.max(after, (oldest?.sequence ?? 0) - 1);
    const last = Math.max(first, Math.min(cursor, first + EVENTS_PER_BATCH));
    const events = await tx.feed.withoutDelivery(subscription, first, last);
    const missing = events.flatMap((event) => deliveryOf(deps, event, subscription) ?? []);
    tx.subscriptions.expect(subscription);
    for (const delivery of missing) tx.deliveries.insert(delivery);
    return { stored: missing.length, nextAfter: last, hasMore: last < cursor };
  });
}
