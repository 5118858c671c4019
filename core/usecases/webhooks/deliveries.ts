// Lists, reads and replays deliveries, for integrators and operators. delivery-runner.ts sends
// them.
import { sameTenant, type Tenant } from '../../domain/base/tenant.js';
import type { Subscription } from '../../domain/webhooks/subscription.js';
import {
  type DeliveryAttempt,
  replay,
  type WebhookDelivery,
} from '../../domain/webhooks/webhook-delivery.js';
import { assert, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { ListPage, Tx } from '../../ports/storage.js';

const REPLAYED_PER_BATCH = 100;

/** NotFound for a subscription of another tenant. */
export function listDeliveries(
  deps: Deps,
  tenant: Tenant,
  subscriptionId: string,
  page: ListPage,
): Promise<readonly WebhookDelivery[]> {
  return deps.store.run(async (tx) => {
    const subscription = await tx.subscriptions.get(tenant, subscriptionId);
    if (subscription === null) throw new PonteError('NotFound');
    return tx.deliveries.ofSubscription(tenant, subscriptionId, page);
  });
}

/** For operators. */
export function readDelivery(
  deps: Deps,
  deliveryId: string,
): Promise<{
  readonly delivery: WebhookDelivery;
  readonly attempts: readonly DeliveryAttempt[];
}> {
  return deps.store.run(async (tx) => {
    const delivery = await tx.deliveries.get(deliveryId);
    if (delivery === null) throw new PonteError('NotFound');
    return { delivery, attempts: await tx.deliveries.attempts(deliveryId) };
  });
}

/** DeliveryNotReplayable while it is pending, or if its subscription was deleted. */
export async function replayDelivery(
  deps: Deps,
  tenant: Tenant,
  subscriptionId: string,
  deliveryId: string,
): Promise<WebhookDelivery> {
  const replayed = await deps.store.run(async (tx) => {
    const delivery = await tx.deliveries.get(deliveryId);
    const subscription = await tx.subscriptions.get(tenant, subscriptionId);
    if (delivery === null || subscription === null) throw new PonteError('NotFound');
    if (delivery.subscriptionId !== subscriptionId || !sameTenant(delivery, tenant)) {
      throw new PonteError('NotFound');
    }
    return stageReplay(deps, tx, delivery, subscription);
  });
  deps.wake('deliveries');
  return replayed;
}

/** The same over all tenants, for operators. */
export async function replayByOperator(deps: Deps, deliveryId: string): Promise<WebhookDelivery> {
  const replayed = await deps.store.run(async (tx) => {
    const delivery = await tx.deliveries.get(deliveryId);
    if (delivery === null) throw new PonteError('NotFound');
    const subscription = await tx.subscriptions.find(delivery.subscriptionId);
    assert(subscription !== null, 'a delivery has a subscription');
    return stageReplay(deps, tx, delivery, subscription);
  });
  deps.wake('deliveries');
  return replayed;
}

/** The newest dead letters of a tenant. */
export function listDead(
  deps: Deps,
  tenant: Tenant,
  limit: number,
): Promise<readonly WebhookDelivery[]> {
  return deps.store.run((tx) => tx.deliveries.deadOf(tenant, limit));
}

/** Replays every dead letter of an active subscription, in batches. Returns how many. */
export async function replayAllDead(deps: Deps): Promise<number> {
  let replayed = 0;
  let beforeId: string | null = null;
  for (;;) {
    const page: DeadPage = await replayDeadPage(deps, beforeId);
    replayed += page.replayed;
    if (page.replayed > 0) deps.wake('deliveries');
    if (page.lastId === null) return replayed;
    beforeId = page.lastId;
  }
}

function stageReplay(
  deps: Deps,
  tx: Tx,
  delivery: WebhookDelivery,
  subscription: Subscription,
): WebhookDelivery {
  const nowMs = deps.clock.nowMs();
  const replayed = replay(delivery, { nowMs, subscriptionActive: subscription.active });
  tx.deliveries.update(replayed);
  return replayed;
}

interface DeadPage {
  readonly replayed: number;
  /** The cursor; null after the last page. */
  readonly lastId: string | null;
}

function replayDeadPage(deps: Deps, beforeId: string | null): Promise<DeadPage> {
  return deps.store.run(async (tx) => {
    const limit = REPLAYED_PER_BATCH;
    const filter = { status: 'dead_letter' as const, subscriptionId: null, beforeId, limit };
    const dead = await tx.deliveries.list(filter);
    const ids = [...new Set(dead.map(({ subscriptionId }) => subscriptionId))];
    const subscriptions = await Promise.all(ids.map((id) => tx.subscriptions.find(id)));
    const active = new Map(subscriptions.flatMap((one) => (one?.active ? [[one.id, one]] : [])));
    let replayed = 0;
    for (const delivery of dead) {
      const subscription = active.get(delivery.subscriptionId);
      if (subscription === undefined) continue;
      stageReplay(deps, tx, delivery, subscription);
      replayed += 1;
    }
    return { replayed, lastId: dead.length < limit ? null : (dead.at(-1)?.id ?? null) };
  });
}
