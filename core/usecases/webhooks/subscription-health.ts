// How the deliveries of subscriptions do: what was delivered of the last day, what waits, what was
// given up, and the last failed attempt.
import { DAY_MS } from '../../domain/base/instant.js';
import type { Tenant } from '../../domain/base/tenant.js';
import type { Subscription } from '../../domain/webhooks/subscription.js';
import type { WebhookDelivery } from '../../domain/webhooks/webhook-delivery.js';
import type { Deps } from '../../ports/deps.js';
import type { DeliveryCounts, Tx } from '../../ports/storage.js';
import { momentOf } from '../service/id-moments.js';

/** Each count stops here, so that the read stays cheap. */
export const HEALTH_COUNT_MAX = 1_000;
const HEALTH_RECENT_MS = DAY_MS;
/** Waiting deliveries among which a failed one is looked for; the others were not sent yet. */
const WAITING_READ_MAX = 20;

export interface SubscriptionHealth extends DeliveryCounts {
  readonly subscription: Subscription;
  /** The newest delivery that failed and is not delivered since. */
  readonly lastFailure: LastFailure | null;
}

interface LastFailure {
  readonly delivery: WebhookDelivery;
  /** When its last attempt was made; null if none was. */
  readonly atMs: number | null;
  /** What the receiver answered to it; null without an answer. */
  readonly body: string | null;
}

/** All active subscriptions, newest first. */
export function listHealth(deps: Deps, tenant: Tenant): Promise<readonly SubscriptionHealth[]> {
  return deps.store.run(async (tx) => {
    const active = await tx.subscriptions.list(tenant, 0);
    return Promise.all(active.map((subscription) => healthOf(deps, tx, subscription)));
  });
}

/**
 * The newest delivery of each subscription that failed and is tried again, before it is given up.
 * Those of a paused one are not tried.
 */
export function listFailing(deps: Deps, tenant: Tenant): Promise<readonly Failing[]> {
  return deps.store.run(async (tx) => {
    const active = await tx.subscriptions.active(tenant);
    const found = await Promise.all(
      active.map(async (subscription): Promise<readonly Failing[]> => {
        const waiting = subscription.paused ? [] : await readWaiting(tx, subscription.id);
        const delivery = waiting.find(({ lastError }) => lastError !== null);
        return delivery === undefined ? [] : [{ subscription, delivery }];
      }),
    );
    return found.flat();
  });
}

export interface Failing {
  readonly subscription: Subscription;
  readonly delivery: WebhookDelivery;
}

/** The newest of them. */
function readWaiting(tx: Tx, subscriptionId: string): Promise<readonly WebhookDelivery[]> {
  const page = { beforeId: null, limit: WAITING_READ_MAX };
  return tx.deliveries.list({ subscriptionId, status: 'pending', ...page });
}

export function readHealth(deps: Deps, subscription: Subscription): Promise<SubscriptionHealth> {
  return deps.store.run((tx) => healthOf(deps, tx, subscription));
}

async function healthOf(
  deps: Deps,
  tx: Tx,
  subscription: Subscription,
): Promise<SubscriptionHealth> {
  const { id: subscriptionId } = subscription;
  const fromId = `whd_${momentOf(deps, deps.clock.nowMs() - HEALTH_RECENT_MS)}`;
  const newest = { subscriptionId, beforeId: null };
  const [counts, dead, pending] = await Promise.all([
    tx.deliveries.counts(subscriptionId, { fromId, countMax: HEALTH_COUNT_MAX }),
    tx.deliveries.list({ ...newest, status: 'dead_letter', limit: 1 }),
    readWaiting(tx, subscriptionId),
  ]);
  const failed = [...dead, ...pending].filter(({ lastError }) => lastError !== null);
  const [latest] = failed.toSorted((one, other) => (one.id < other.id ? 1 : -1));
  if (latest === undefined) return { ...counts, subscription, lastFailure: null };
  const attempts = await tx.deliveries.attempts(latest.id);
  const last = attempts.at(-1);
  const [atMs, body] = [last?.startedAtMs ?? null, last?.responseBody ?? null];
  return { ...counts, subscription, lastFailure: { delivery: latest, atMs, body } };
}

export type HealthState = 'paused' | 'failing' | 'gave_up' | 'retrying' | 'unused' | 'delivered';

/** What is worst about a subscription. `failing`: the receiver took nothing of the last day. */
export function healthStateOf(health: SubscriptionHealth): HealthState {
  const { subscription, dead, pending, recent, delivered, lastFailure } = health;
  if (subscription.paused) return 'paused';
  if (delivered === 0 && lastFailure !== null) return 'failing';
  if (dead > 0) return 'gave_up';
  if (pending > 0) return 'retrying';
  return recent === 0 ? 'unused' : 'delivered';
}
