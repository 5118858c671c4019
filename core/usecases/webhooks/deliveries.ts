// Lists, reads and replays deliveries, for integrators and operators. delivery-runner.ts sends
// them.
import { sameTenant, type Tenant } from '../../domain/base/tenant.js';
import type { NumberedEvent } from '../../domain/payments/event.js';
import type { Payment } from '../../domain/payments/payment.js';
import type { Subscription } from '../../domain/webhooks/subscription.js';
import {
  type DeliveryAttempt,
  type DeliveryStatus,
  replay,
  type WebhookDelivery,
} from '../../domain/webhooks/webhook-delivery.js';
import { assert, expectFound, isCode, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { ListPage, Tx } from '../../ports/storage.js';
import { newDeliveryOf } from './event-deliveries.js';
import { activeSubscription } from './subscriptions.js';

const REPLAYED_PER_BATCH = 100;
/** Batches of one request of an integrator. */
const BATCHES_PER_REQUEST = 10;
/** Active and deleted subscriptions of one event: more are not shown. */
const OF_EVENT_MAX = 100;
/** A payment has fewer events than a dozen, to each of its endpoints. */
const OF_PAYMENT_MAX = 500;
const ATTEMPTS_SHOWN_MAX = 200;

/** NotFound for a subscription of another tenant. */
export function listDeliveries(
  deps: Deps,
  tenant: Tenant,
  filter: ListPage & { readonly subscriptionId: string; readonly status: DeliveryStatus | null },
): Promise<readonly WebhookDelivery[]> {
  return deps.store.run(async (tx) => {
    expectFound(await tx.subscriptions.get(tenant, filter.subscriptionId));
    return tx.deliveries.list(filter);
  });
}

/** The same page, with the payments: null for an event that is not about one. */
export async function listNamedDeliveries(
  deps: Deps,
  tenant: Tenant,
  filter: Parameters<typeof listDeliveries>[2],
) {
  const found = await listDeliveries(deps, tenant, filter);
  return deps.store.run((tx) =>
    Promise.all(
      found.map(async (delivery) => {
        const event = await tx.feed.get(tenant, delivery.eventId);
        return { delivery, payment: await paymentOf(tx, tenant, event) };
      }),
    ),
  );
}

function paymentOf(
  tx: Tx,
  tenant: Tenant,
  event: NumberedEvent | null,
): Payment | null | Promise<Payment | null> {
  return event === null ? null : tx.payments.get(tenant, event.subjectId);
}

interface AttemptedDelivery {
  readonly delivery: WebhookDelivery;
  /** In start order. */
  readonly attempts: readonly DeliveryAttempt[];
}

/** What one delivery sends, and what came of it. NotFound, also for another tenant's. */
export function readDelivery(
  deps: Deps,
  tenant: Tenant,
  subscriptionId: string,
  deliveryId: string,
): Promise<
  AttemptedDelivery & {
    readonly subscription: Subscription;
    readonly event: NumberedEvent;
    readonly payment: Payment | null;
  }
> {
  return deps.store.run(async (tx) => {
    const { delivery, subscription } = await ownDelivery(tx, tenant, subscriptionId, deliveryId);
    const [attempts, event] = await Promise.all([
      tx.deliveries.attempts(deliveryId),
      tx.feed.get(tenant, delivery.eventId),
    ]);
    assert(event !== null, 'pruning removes an event after its deliveries');
    const payment = await paymentOf(tx, tenant, event);
    return { delivery, attempts, subscription, event, payment };
  });
}

/** The same over all tenants, for operators. */
export function readByOperator(deps: Deps, deliveryId: string): Promise<AttemptedDelivery> {
  return deps.store.run(async (tx) => {
    const delivery = expectFound(await tx.deliveries.get(deliveryId));
    return { delivery, attempts: await tx.deliveries.attempts(deliveryId) };
  });
}

/** The deliveries of one event, to all subscriptions. */
export function listOfEvent(
  deps: Deps,
  tenant: Tenant,
  eventId: string,
): Promise<readonly WebhookDelivery[]> {
  return deps.store.run((tx) => tx.deliveries.ofEvent(tenant, eventId, OF_EVENT_MAX));
}

/** By subscription, in the order of their first delivery; deliveries with the oldest first. */
export function listOfPayment(deps: Deps, tenant: Tenant, paymentId: string) {
  return deps.store.run(async (tx) => {
    const page = { fromMs: 0, afterId: '', limit: OF_PAYMENT_MAX };
    const found = await tx.deliveries.ofSubject(tenant, paymentId, page);
    const groups = [...Map.groupBy(found, ({ subscriptionId }) => subscriptionId)];
    return Promise.all(
      groups.map(async ([subscriptionId, deliveries]) => {
        const subscription = await tx.subscriptions.find(subscriptionId);
        assert(subscription !== null, 'a delivery has a subscription');
        return { subscription, deliveries };
      }),
    );
  });
}

/** The first attempts to send webhooks of a payment, in start order. */
export function listAttempts(
  deps: Deps,
  tenant: Tenant,
  paymentId: string,
): Promise<readonly DeliveryAttempt[]> {
  const page = { fromMs: 0, afterId: '', limit: ATTEMPTS_SHOWN_MAX };
  return deps.store.run((tx) => tx.deliveries.attemptsOfSubject(tenant, paymentId, page));
}

/** Sends again what the endpoint has not got of a payment; what is in flight is left alone. */
export async function replayOfPayment(
  deps: Deps,
  tenant: Tenant,
  paymentId: string,
  subscriptionId: string,
): Promise<void> {
  const endpoints = await listOfPayment(deps, tenant, paymentId);
  const found = endpoints.find(({ subscription }) => subscription.id === subscriptionId);
  if (found === undefined) throw new PonteError('NotFound');
  const open = found.deliveries.filter(({ status }) => status !== 'delivered');
  for (const { id } of open.length === 0 ? found.deliveries.slice(-1) : open) {
    await replayDelivery(deps, tenant, subscriptionId, id).catch((error: unknown) => {
      if (!isCode(error, 'DeliveryNotReplayable')) throw error;
    });
  }
}

/** DeliveryNotReplayable while it is in flight, or if its subscription is paused or deleted. */
export async function replayDelivery(
  deps: Deps,
  tenant: Tenant,
  subscriptionId: string,
  deliveryId: string,
): Promise<WebhookDelivery> {
  const replayed = await deps.store.run(async (tx) => {
    const { delivery, subscription } = await ownDelivery(tx, tenant, subscriptionId, deliveryId);
    return stageReplay(deps, tx, delivery, subscription);
  });
  deps.wake('deliveries');
  return replayed;
}

/**
 * Sends an event to a subscription regardless of its types: again, or for the first time. NotFound
 * for an event that was pruned or a subscription that was deleted, also of another tenant;
 * DeliveryNotReplayable as above.
 */
export async function resendEvent(
  deps: Deps,
  tenant: Tenant,
  { eventId, subscriptionId }: { readonly eventId: string; readonly subscriptionId: string },
): Promise<WebhookDelivery> {
  const sent = await deps.store.run(async (tx) => {
    const [event, subscription] = await Promise.all([
      tx.feed.get(tenant, eventId),
      activeSubscription(tx, tenant, subscriptionId),
    ]);
    if (event === null) throw new PonteError('NotFound');
    const unsent = newDeliveryOf(deps, event, subscription);
    const known = await tx.deliveries.get(unsent.id);
    if (known !== null) return stageReplay(deps, tx, known, subscription);
    const delivery = replay(unsent, { nowMs: deps.clock.nowMs(), subscription });
    tx.subscriptions.expect(subscription);
    // A delivery without its event could not be sent.
    tx.feed.expect(event);
    tx.deliveries.insert(delivery);
    return delivery;
  });
  deps.wake('deliveries');
  return sent;
}

/** The same over all tenants, for operators. */
export async function replayByOperator(deps: Deps, deliveryId: string): Promise<WebhookDelivery> {
  const replayed = await deps.store.run(async (tx) => {
    const delivery = expectFound(await tx.deliveries.get(deliveryId));
    const subscription = await tx.subscriptions.find(delivery.subscriptionId);
    assert(subscription !== null, 'a delivery has a subscription');
    return stageReplay(deps, tx, delivery, subscription);
  });
  deps.wake('deliveries');
  return replayed;
}

/**
 * The newest dead letters of each active subscription that has some. Those of a deleted one cannot
 * be replayed.
 */
export function listDead(
  deps: Deps,
  tenant: Tenant,
  limit: number,
): Promise<readonly DeadLetters[]> {
  return deps.store.run(async (tx) => {
    const active = await tx.subscriptions.active(tenant);
    const found = await Promise.all(
      active.map(async (subscription): Promise<DeadLetters> => {
        const filter = { subscriptionId: subscription.id, beforeId: null, limit };
        return {
          subscription,
          dead: await tx.deliveries.list({ ...filter, status: 'dead_letter' }),
        };
      }),
    );
    return found.filter(({ dead }) => dead.length > 0);
  });
}

export interface DeadLetters {
  readonly subscription: Subscription;
  /** Newest first. */
  readonly dead: readonly WebhookDelivery[];
}

/** Replays all dead letters of subscriptions that send, for operators. Returns how many. */
export async function replayAllDead(deps: Deps): Promise<number> {
  return (await replayDead(deps, null, Number.POSITIVE_INFINITY)).replayed;
}

/**
 * Replays the newest dead letters of a subscription; a repeat replays the next ones while
 * `hasMore`. NotFound for one that was deleted, or of another tenant; DeliveryNotReplayable for one
 * that is paused.
 */
export async function replayDeadLetters(
  deps: Deps,
  tenant: Tenant,
  subscriptionId: string,
): Promise<Replayed> {
  const { paused } = await deps.store.run((tx) => activeSubscription(tx, tenant, subscriptionId));
  if (paused) {
    const message = 'The subscription is paused. Resume it, then replay its dead letters.';
    throw new PonteError('DeliveryNotReplayable', message);
  }
  return replayDead(deps, subscriptionId, BATCHES_PER_REQUEST);
}

interface Replayed {
  readonly replayed: number;
  readonly hasMore: boolean;
}

async function replayDead(
  deps: Deps,
  subscriptionId: string | null,
  batchesMax: number,
): Promise<Replayed> {
  let replayed = 0;
  let beforeId: string | null = null;
  for (let batches = 0; batches < batchesMax; batches += 1) {
    const page: DeadPage = await replayDeadPage(deps, subscriptionId, beforeId);
    replayed += page.replayed;
    if (page.replayed > 0) deps.wake('deliveries');
    if (page.lastId === null) return { replayed, hasMore: false };
    beforeId = page.lastId;
  }
  return { replayed, hasMore: true };
}

/** NotFound, also for a delivery of another subscription. */
async function ownDelivery(
  tx: Tx,
  tenant: Tenant,
  subscriptionId: string,
  deliveryId: string,
): Promise<{ readonly delivery: WebhookDelivery; readonly subscription: Subscription }> {
  const [delivery, subscription] = await Promise.all([
    tx.deliveries.get(deliveryId),
    tx.subscriptions.get(tenant, subscriptionId),
  ]);
  if (delivery === null || subscription === null) throw new PonteError('NotFound');
  if (delivery.subscriptionId !== subscriptionId || !sameTenant(delivery, tenant)) {
    throw new PonteError('NotFound');
  }
  return { delivery, subscription };
}

function stageReplay(
  deps: Deps,
  tx: Tx,
  delivery: WebhookDelivery,
  subscription: Subscription,
): WebhookDelivery {
  const nowMs = deps.clock.nowMs();
  const replayed = replay(delivery, { nowMs, subscription });
  tx.deliveries.update(replayed);
  return replayed;
}

interface DeadPage {
  readonly replayed: number;
  /** The cursor; null after the last page. */
  readonly lastId: string | null;
}

function replayDeadPage(
  deps: Deps,
  subscriptionId: string | null,
  beforeId: string | null,
): Promise<DeadPage> {
  return deps.store.run(async (tx) => {
    const limit = REPLAYED_PER_BATCH;
    const filter = { status: 'dead_letter' as const, subscriptionId, beforeId, limit };
    const dead = await tx.deliveries.list(filter);
    const ids = [...new Set(dead.map(({ subscriptionId }) => subscriptionId))];
    const subscriptions = await Promise.all(ids.map((id) => tx.subscriptions.find(id)));
    const active = new Map(subscriptions.flatMap((one) => (one?.active ? [[one.id, one]] : [])));
    let replayed = 0;
    for (const delivery of dead) {
      const subscription = active.get(delivery.subscriptionId);
      if (subscription === undefined) continue;
      // One that was named and paused since is refused, or its caller repeats the request for ever.
      if (subscription.paused && subscriptionId === null) continue;
      stageReplay(deps, tx, delivery, subscription);
      replayed += 1;
    }
    return { replayed, lastId: dead.length < limit ? null : (dead.at(-1)?.id ?? null) };
  });
}
