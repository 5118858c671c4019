// The deliveries of an event follow from it: one for each active subscription with its type, under
// an id that follows from both. Usually a delivery is stored when its first attempt has ended
// (delivery-dispatch.ts). What a crash prevents is found behind the cursors of subscriptions.
import { tenantKey, tenantOf } from '../../domain/base/tenant.js';
import { type DomainEvent, matchesEvent } from '../../domain/payments/event.js';
import type { Subscription } from '../../domain/webhooks/subscription.js';
import { newDelivery, type WebhookDelivery } from '../../domain/webhooks/webhook-delivery.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';

/** Sent only to the subscription that it tests, regardless of its types. */
export const TEST_EVENT_TYPE = 'webhook.test';

/** Events of one batch that are searched for missing deliveries. */
const EVENTS_PER_BATCH = 500;
const SUBSCRIPTIONS_PER_PAGE = 100;

/** Null if the event is not for this subscription. */
export function deliveryOf(
  { ids }: Pick<Deps, 'ids'>,
  event: Omit<DomainEvent, 'body'>,
  subscription: Subscription,
): WebhookDelivery | null {
  return isFor(event, subscription) ? newDeliveryOf({ ids }, event, subscription) : null;
}

export function newDeliveryOf(
  { ids }: Pick<Deps, 'ids'>,
  event: Omit<DomainEvent, 'body'>,
  subscription: Subscription,
): WebhookDelivery {
  return newDelivery({
    ...tenantOf(event),
    id: ids.named('whd', event.id, subscription.id),
    subscriptionId: subscription.id,
    eventId: event.id,
    eventType: event.type,
    createdAtMs: event.createdAtMs,
  });
}

function isFor(
  { type, subjectId }: Pick<DomainEvent, 'type' | 'subjectId'>,
  { id, eventTypes, paused }: Subscription,
): boolean {
  // Its cursor stays, so that the event is found after the pause.
  if (paused) return false;
  return type === TEST_EVENT_TYPE ? id === subjectId : matchesEvent(eventTypes, type);
}

/**
 * Stores deliveries that have no row. A search takes the events that the search before it has seen
 * in the feed: by then, a host that is alive has stored their deliveries. `all`: no host sends, so
 * what has no row is missing. In quarantine, too: it only records. Returns how many.
 */
export type MissingSearch = (options?: { readonly all?: boolean }) => Promise<number>;

export function missingSearch(deps: Deps): MissingSearch {
  /** The newest event of each feed, by tenant. */
  let seen: ReadonlyMap<string, number> = new Map();
  return async ({ all = false } = {}) => {
    const heads = new Map<string, number>();
    let stored = 0;
    let afterId: string | null = '';
    while (afterId !== null) {
      const page: Behind = await behind(deps, afterId);
      for (const { subscription, cursor, head } of page) {
        const key = tenantKey(subscription);
        heads.set(key, head);
        const last = all ? head : (seen.get(key) ?? 0);
        for (let after = cursor; after < last; after += EVENTS_PER_BATCH) {
          const upTo = Math.min(last, after + EVENTS_PER_BATCH);
          stored += await advance(deps, subscription, { after, last: upTo });
        }
      }
      const isLast = page.length < SUBSCRIPTIONS_PER_PAGE;
      afterId = isLast ? null : (page.at(-1)?.subscription.id ?? null);
    }
    seen = heads;
    if (stored > 0) deps.wake('deliveries');
    return stored;
  };
}

type Behind = Awaited<ReturnType<Tx['subscriptions']['behind']>>;

function behind(deps: Deps, afterId: string): Promise<Behind> {
  return deps.store.run((tx) => tx.subscriptions.behind(afterId, SUBSCRIPTIONS_PER_PAGE));
}

/** Stores what is missing of these events, and moves the cursor behind them. Returns how many. */
function advance(
  deps: Deps,
  subscription: Subscription,
  { after, last }: { readonly after: number; readonly last: number },
): Promise<number> {
  const store = async (tx: Tx) => {
    const events = await tx.feed.withoutDelivery(subscription, after, last);
    const missing = events.flatMap((event) => deliveryOf(deps, event, subscription) ?? []);
    for (const delivery of missing) tx.deliveries.insert(delivery);
    tx.subscriptions.advance(subscription, last);
    return missing.length;
  };
  return deps.store.run(store, { inQuarantine: true });
}
