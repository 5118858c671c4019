// Events are stored in the batch of their cause. The commit numbers and chains them; after it, the
// runner of this process sends them (delivery-dispatch.ts).
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { type DomainEvent, inPairs, type NumberedEvent } from '../../domain/payments/event.js';
import type { WebhookDelivery } from '../../domain/webhooks/webhook-delivery.js';
import { expectFound } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { NewestPage, Tx } from '../../ports/storage.js';
import { deliveryOf } from './event-deliveries.js';

/** Events that one page of a search by type looks at. */
export const SEARCHED_MAX = 5_000;

/**
 * Stages events of one tenant, in order. Where nothing sends them after the commit, their
 * deliveries are stored with them, and returned.
 */
export async function stageEvents(
  deps: Pick<Deps, 'ids' | 'wake' | 'dispatch'>,
  tx: Tx,
  events: readonly DomainEvent[],
): Promise<readonly WebhookDelivery[]> {
  const [first] = events;
  if (first === undefined) return [];
  const tenant = tenantOf(first);
  const dispatch = deps.dispatch();
  for (const pair of inPairs(events)) tx.feed.append(...pair);
  const active = dispatch === null ? await tx.subscriptions.active(tenant) : [];
  // None for a subscription that is deleted at this moment. A new one is found behind its cursor.
  for (const subscription of active) tx.subscriptions.expect(subscription);
  const deliveries = events.flatMap((event) =>
    active.flatMap((subscription) => deliveryOf(deps, event, subscription) ?? []),
  );
  for (const delivery of deliveries) tx.deliveries.insert(delivery);
  tx.onEnd((stored) => {
    if (!stored) return;
    dispatch?.(events);
    deps.wake('feed', [tenant]);
    if (deliveries.length > 0) deps.wake('deliveries');
  });
  return deliveries;
}

/** NotFound for an event of another tenant, or one that was pruned. */
export async function readEvent(
  { store }: Pick<Deps, 'store'>,
  tenant: Tenant,
  id: string,
): Promise<NumberedEvent> {
  return expectFound(await store.run((tx) => tx.feed.get(tenant, id)));
}

interface EventSearch extends NewestPage {
  /** Null: about all subjects. */
  readonly subjectId: string | null;
  /** Null: of all types. */
  readonly type: string | null;
}

/**
 * Events, newest first. No index has the types, so a page of one type looks at SEARCHED_MAX events
 * at most: it may have fewer events than its limit although there are more. `next` is the
 * `beforeSequence` of the next page; null after the last one.
 */
export async function searchEvents(
  { store }: Pick<Deps, 'store'>,
  tenant: Tenant,
  { subjectId, type, beforeSequence, limit }: EventSearch,
) {
  return store.run(async (tx) => {
    const head = beforeSequence === null ? await tx.feed.head(tenant) : null;
    const before = beforeSequence ?? (head?.sequence ?? 0) + 1;
    const isSearch = type !== null && subjectId === null;
    const fromSequence = isSearch ? Math.max(1, before - SEARCHED_MAX) : 1;
    // One more shows whether there is a next page.
    const page = { beforeSequence: before, limit: limit + 1 };
    const found = await tx.feed.newest(tenant, { subjectId, type, fromSequence }, page);
    const events = found.slice(0, limit);
    if (found.length > limit) return { events, next: events.at(-1)?.sequence ?? null };
    if (fromSequence === 1) return { events, next: null };
    const all = { subjectId: null, type: null, fromSequence: 1 };
    const older = await tx.feed.newest(tenant, all, { beforeSequence: fromSequence, limit: 1 });
    return { events, next: older.length === 0 ? null : fromSequence };
  });
}
