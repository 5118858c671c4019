// The worker that sends deliveries: it claims what is due, sends it and records how it ended. What
// may happen to a delivery and when the next attempt is due stands in the domain.
//
// The runner waits for no receiver. Each subscription has its own places in flight, and a tenant
// takes no more than it leaves free: one alone gets half of all, and however many tenants have
// receivers that hang, there is a place for the next one. So a slow receiver delays only its own.
import { SECOND_MS } from '../domain/instant.js';
import { signWebhook, webhookHeaders } from '../domain/signature.js';
import type { Subscription } from '../domain/subscription.js';
import type { Tenant } from '../domain/tenant.js';
import {
  endForDeletedSubscription,
  finishAttempt,
  isSpent,
  type WebhookDelivery,
} from '../domain/webhook-delivery.js';
import { assert } from '../errors.js';
import type {
  ClaimedDelivery,
  Claims,
  DeliveryAttempt,
  Deps,
  Tx,
  WebhookResult,
} from '../ports.js';
import { Flights, type Runner } from './flights.js';
import { openSecret } from './subscriptions.js';

/** What a receiver has for its answer, connecting included. */
export const SEND_TIMEOUT_MS = 10 * SECOND_MS;
/** Long enough to send and to record the outcome: what is under way is not taken over. */
export const DELIVERY_LEASE_MS = 30 * SECOND_MS;
/** Attempts under way to one subscription at most, in one process. */
export const IN_FLIGHT_PER_SUBSCRIPTION = 32;
/** Subscriptions that are claimed for side by side. */
const CLAIMS_AT_ONCE = 8;
/** Attempts under way over all subscriptions: each is a socket, and descriptors are bounded. */
export const IN_FLIGHT_MAX = 4_096;

/** Secrets kept open, by their sealed text: a rotated one has another. */
const SECRETS_MAX = 1_000;

type DueSubscription = Awaited<ReturnType<Claims['dueSubscriptions']>>[number];

/** One per process: it knows how many attempts are under way. */
export function deliveryRunner(deps: Deps, inFlightMax = IN_FLIGHT_MAX): Runner {
  assert(DELIVERY_LEASE_MS >= 2 * SEND_TIMEOUT_MS, 'a lease outlives its attempt by far');
  const flights = new Flights(() => deps.wake('deliveries'));
  const secretOf = openedSecrets(deps);
  /** The subscription served last: the next run begins behind it, so that each gets its turn. */
  let lastServed = '';

  /** How many attempts this subscription may begin now. */
  const placesOf = (due: DueSubscription): number => {
    const own = IN_FLIGHT_PER_SUBSCRIPTION - flights.held(due.id);
    if (own <= 0) flights.miss(due.id);
    const spare = inFlightMax - flights.held() - flights.held(tenantKey(due));
    if (spare <= 0) flights.miss();
    // With each place that it takes there is one fewer free and one more that it holds.
    return Math.max(0, Math.min(own, Math.ceil(spare / 2)));
  };

  const claim = async (due: DueSubscription, share: number, nowMs: number, token: string) => {
    // Held before the claim is awaited: claims go out side by side.
    const limit = Math.min(share, placesOf(due));
    if (limit === 0) return 0;
    const groups = [tenantKey(due), due.id];
    flights.hold(groups, limit);
    let begun = 0;
    try {
      const lease = { token, nowMs, leaseMs: DELIVERY_LEASE_MS };
      const scope = { limit, subscriptionId: due.id };
      const claimed = await deps.store.claims.deliveries({ ...lease, ...scope });
      for (const one of claimed) {
        flights.begin(groups, (landed) => attempt(deps, secretOf, one, landed));
      }
      begun = claimed.length;
    } finally {
      flights.free(groups, limit - begun);
    }
    return begun;
  };

  return {
    runOnce: async (nowMs, limitAsked) => {
      const limit = Math.min(limitAsked, inFlightMax - flights.held());
      const [ended, found] = await Promise.all([
        endSpent(deps, nowMs, limitAsked),
        deps.store.claims.dueSubscriptions(nowMs),
      ]);
      let begun = ended;
      const inOrder = [...found].sort((a, b) => (a.id < b.id ? -1 : 1));
      const waiting = turnsAfter(inOrder, lastServed).filter((due) => placesOf(due) > 0);
      const token = Buffer.from(deps.ids.randomBytes(12)).toString('hex');
      while (waiting.length > 0 && begun < limit) {
        const wave = waiting.splice(0, Math.min(CLAIMS_AT_ONCE, limit - begun));
        const share = Math.max(1, Math.floor((limit - begun) / wave.length));
        const counts = await Promise.all(wave.map((due) => claim(due, share, nowMs, token)));
        begun += counts.reduce((sum, count) => sum + count, 0);
        lastServed = wave.at(-1)?.id ?? lastServed;
      }
      return begun;
    },
    inFlight: () => flights.inFlight(),
    idle: () => flights.idle(),
  };
}

function tenantKey({ orgId, mode }: Tenant): string {
  return `${orgId}/${mode}`;
}

function turnsAfter(due: readonly DueSubscription[], lastServed: string): DueSubscription[] {
  const at = due.findIndex(({ id }) => id > lastServed);
  return at <= 0 ? [...due] : [...due.slice(at), ...due.slice(0, at)];
}

/**
 * One attempt, from the claim that counted it to its record. It does not reject: where the outcome
 * cannot be recorded, the lease runs out and the attempt counts as failed.
 */
async function attempt(
  deps: Deps,
  secretOf: SecretOf,
  claimed: ClaimedDelivery,
  landed: () => void,
): Promise<void> {
  const { delivery, subscription } = claimed;
  try {
    if (!subscription.active) {
      await deps.store.run(async (tx) => {
        const current = await tx.deliveries.get(delivery.id);
        stageIfOurs(tx, current, delivery, endForDeletedSubscription);
      });
      return;
    }
    const startedAtMs = deps.clock.nowMs();
    const result = await send(deps, secretOf, claimed, startedAtMs);
    // The receiver is free for the next one while this one is recorded.
    landed();
    await record(deps, claimed, result, startedAtMs);
  } catch (error) {
    deps.log.error('a delivery attempt could not be recorded', { deliveryId: delivery.id, error });
  }
}

type SecretOf = (subscription: Subscription) => string;

/** Opening a sealed secret for each attempt was a seventh of what sending takes. */
function openedSecrets(deps: Deps): SecretOf {
  const opened = new Map<string, string>();
  return (subscription) => {
    const known = opened.get(subscription.secretSealed);
    if (known !== undefined) return known;
    const secret = openSecret(deps, subscription);
    if (opened.size >= SECRETS_MAX) opened.clear();
    opened.set(subscription.secretSealed, secret);
    return secret;
  };
}

async function send(
  deps: Deps,
  secretOf: SecretOf,
  { delivery, subscription, body }: ClaimedDelivery,
  startedAtMs: number,
): Promise<WebhookResult> {
  let secret: string;
  try {
    secret = secretOf(subscription);
  } catch (error) {
    // Without its key nothing can be signed; the attempts go on, should an operator bring it back.
    deps.log.error('a webhook secret cannot be opened', { subscriptionId: subscription.id, error });
    const problem = 'the webhook secret cannot be read; rotate it';
    return { responseStatus: null, responseBody: null, error: problem, durationMs: 0 };
  }
  const timestampSeconds = Math.floor(startedAtMs / SECOND_MS);
  return deps.sender.send({
    url: subscription.url,
    headers: {
      'Content-Type': 'application/json',
      [webhookHeaders.signature]: signWebhook({ secret, timestampSeconds, body }),
      [webhookHeaders.deliveryId]: delivery.id,
      [webhookHeaders.eventType]: delivery.eventType,
    },
    body,
  });
}

/** The attempt goes into the log in any case; it decides only while the lease is ours. */
async function record(
  deps: Deps,
  { delivery: claimed, eventCreatedAtMs }: ClaimedDelivery,
  result: WebhookResult,
  startedAtMs: number,
): Promise<void> {
  const { responseStatus, responseBody, error, durationMs } = result;
  const outcome =
    responseStatus === null
      ? { kind: 'unanswered' as const, error: error ?? 'the request failed', durationMs }
      : { kind: 'answered' as const, responseStatus, durationMs };
  const logged: DeliveryAttempt = {
    id: deps.ids.next('att', startedAtMs),
    deliveryId: claimed.id,
    attempt: claimed.attempt,
    startedAtMs,
    durationMs,
    responseStatus,
    responseBody,
    error,
  };
  const nowMs = deps.clock.nowMs();
  const { retryDelaysMs } = deps.settings;
  // As it was claimed it is most likely still: it is read again only if that turns out wrong.
  let known: WebhookDelivery | null = claimed;
  const finished = await deps.store.run(async (tx) => {
    const current = known ?? (await tx.deliveries.get(claimed.id));
    known = null;
    const staged = stageIfOurs(tx, current, claimed, (ours) =>
      finishAttempt(ours, outcome, nowMs, retryDelaysMs),
    );
    tx.deliveries.logAttempt(logged);
    return staged;
  });
  if (finished?.status === 'delivered') deps.metrics?.delivered(nowMs - eventCreatedAtMs);
  if (finished?.status === 'pending') deps.metrics?.undelivered('failed', 1);
  if (finished?.status === 'dead_letter') {
    deps.metrics?.undelivered('dead_letter', 1);
    const { id, subscriptionId, lastError } = finished;
    deps.log.warn('a delivery became a dead letter', { deliveryId: id, subscriptionId, lastError });
  }
}

/** A delivery that was ended, replayed or taken over meanwhile is left as it is. */
function stageIfOurs(
  tx: Tx,
  current: WebhookDelivery | null,
  claimed: WebhookDelivery,
  move: (delivery: WebhookDelivery) => WebhookDelivery,
): WebhookDelivery | null {
  if (current === null || current.leaseToken !== claimed.leaseToken) return null;
  const moved = move(current);
  tx.deliveries.update(moved);
  return moved;
}

/** Ends the deliveries whose last attempt lost its lease. */
async function endSpent(deps: Deps, nowMs: number, limit: number): Promise<number> {
  const spent = await deps.store.claims.spentDeliveries(nowMs, limit);
  if (spent.length === 0) return 0;
  const ended = await deps.store.run(async (tx) => {
    const read = await Promise.all(spent.map(({ id }) => tx.deliveries.get(id)));
    const still = read.filter((delivery): delivery is WebhookDelivery => {
      return delivery !== null && isSpent(delivery) && (delivery.dueAtMs ?? nowMs + 1) <= nowMs;
    });
    for (const delivery of still) {
      tx.deliveries.update(finishAttempt(delivery, { kind: 'lease_lost' }, nowMs));
    }
    return still.length;
  });
  deps.metrics?.undelivered('dead_letter', ended);
  return ended;
}
