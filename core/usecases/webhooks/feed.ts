// Events are stored in the batch of their cause, with one delivery per matching subscription; the
// commit numbers and chains them. A delivery with a free slot in this process is stored as leased.
import { type Tenant, tenantKey, tenantOf } from '../../domain/base/tenant.js';
import { type DomainEvent, matchesEvent, type NumberedEvent } from '../../domain/payments/event.js';
import type { Subscription } from '../../domain/webhooks/subscription.js';
import { newDelivery, type WebhookDelivery } from '../../domain/webhooks/webhook-delivery.js';
import { isCode, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { ActiveSubscriptions, Tx } from '../../ports/storage.js';

/** Sent only to the subscription that it tests, regardless of its types. */
export const TEST_EVENT_TYPE = 'webhook.test';

/** Each event has a delivery for each of up to a hundred subscriptions. */
export const WAITING_PER_BATCH = 10;

/** Stages events of one tenant, in order, and their deliveries. Returns the deliveries. */
export function stageEvents(
  deps: Pick<Deps, 'ids' | 'clock' | 'wake' | 'directDispatch'>,
  tx: Tx,
  active: ActiveSubscriptions,
  events: readonly DomainEvent[],
): readonly WebhookDelivery[] {
  const [first] = events;
  if (first === undefined) return [];
  const dispatch = deps.directDispatch();
  const deliveries: WebhookDelivery[] = [];
  tx.onEnd((stored) => {
    if (!stored) {
      dispatch?.cancel();
      return;
    }
    dispatch?.send();
    deps.wake('feed', [tenantOf(first)]);
    if (deliveries.some(({ leaseToken }) => leaseToken === null)) deps.wake('deliveries');
  });
  const nowMs = deps.clock.nowMs();
  for (const event of events) {
    tx.feed.append(event, active);
    for (const subscription of active.subscriptions) {
      if (!isFor(event, subscription)) continue;
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
      tx.deliveries.insert(delivery);
      deliveries.push(delivery);
    }
  }
  return deliveries;
}

/** NotFound for an event of another tenant, or one that was pruned. */
export async function readEvent(
  { store }: Pick<Deps, 'store'>,
  tenant: Tenant,
  id: string,
): Promise<NumberedEvent> {
  const event = await store.run((tx) => tx.feed.get(tenant, id));
  if (event === null) throw new PonteError('NotFound');
  return event;
}

function isFor(event: DomainEvent, { id, eventTypes }: Subscription): boolean {
  if (event.type === TEST_EVENT_TYPE) return id === event.subjectId;
  return matchesEvent(eventTypes, event.type);
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
  const recording = { ...deps, directDispatch: () => null };
  const append = async (tx: Tx) => {
    const rows = await tx.outbox.oldest(limit);
    const events = rows.map(({ event }) => event);
    for (const ofTenant of Map.groupBy(events, tenantKey).values()) {
      const [first] = ofTenant as [DomainEvent];
      stageEvents(recording, tx, await tx.subscriptions.active(tenantOf(first)), ofTenant);
    }
    tx.outbox.remove(rows);
    return rows.length;
  };
  return deps.store.run(append, { inQuarantine: true });
}
