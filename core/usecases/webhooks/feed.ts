// Events are stored in the batch of their cause. The commit numbers and chains them; after it, the
// runner of this process sends them (delivery-dispatch.ts).
import { tenantKey, tenantOf } from '../../domain/base/tenant.js';
import type { DomainEvent } from '../../domain/payments/event.js';
import type { WebhookDelivery } from '../../domain/webhooks/webhook-delivery.js';
import { isCode } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { deliveryOf } from './event-deliveries.js';

/** Each event has a delivery for each of up to a hundred subscriptions. */
export const WAITING_PER_BATCH = 10;

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
  for (const event of events) tx.feed.append(event);
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

/**
 * At every start, before anything else is appended. A host of 0.1.0 that appends them at the same
 * moment wins: the leader appends the rest.
 */
export async function appendAllWaiting(deps: Deps): Promise<void> {
  try {
    while ((await appendWaiting(deps, WAITING_PER_BATCH)) === WAITING_PER_BATCH);
  } catch (error) {
    if (!isCode(error, 'StoreContention')) throw error;
  }
}

/**
 * Appends at most `limit` events that hosts of 0.1.0 stored without a number, in their order.
 * Returns how many. In quarantine, too: it only records, and their deliveries wait to be claimed.
 */
export function appendWaiting(deps: Deps, limit: number): Promise<number> {
  const recording = { ...deps, dispatch: () => null };
  const append = async (tx: Tx) => {
    const rows = await tx.outbox.oldest(limit);
    const events = rows.map(({ event }) => event);
    for (const ofTenant of Map.groupBy(events, tenantKey).values()) {
      await stageEvents(recording, tx, ofTenant);
    }
    tx.outbox.remove(rows);
    return rows.length;
  };
  return deps.store.run(append, { inQuarantine: true });
}
