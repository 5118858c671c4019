// One attempt of a leased delivery: sign, send, record the outcome.
import { SECOND_MS } from '../../domain/base/instant.js';
import { holdsLease } from '../../domain/base/lease.js';
import { type SigningKeys, signedHeaders, signingKeys } from '../../domain/webhooks/signature.js';
import type { Subscription } from '../../domain/webhooks/subscription.js';
import {
  type AttemptResult,
  endForDeletedSubscription,
  finishAttempt,
  hold,
  replay,
  type WebhookDelivery,
} from '../../domain/webhooks/webhook-delivery.js';
import { assert } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { WebhookResult } from '../../ports/outside.js';
import type { ClaimedDelivery, Tx } from '../../ports/storage.js';
import { stageGaveUpNotices } from '../mail/member-notices.js';
import { openSecret } from './subscriptions.js';

/** For connecting and the response. */
export const SEND_TIMEOUT_MS = 10 * SECOND_MS;
/** Long enough to send and to record the outcome. */
export const DELIVERY_LEASE_MS = 30 * SECOND_MS;

/** A delivery has a row after this time, also while its first attempt runs. */
const STORED_AFTER_MS = SECOND_MS;
const SLOW_PER_BATCH = 100;
/** Longer answers, in characters, are not read with each delivery. */
const SHORT_ANSWER_MAX = 256;

/** Opened secrets in the cache, by their sealed text. */
const SECRETS_MAX = 1_000;

/** Shared by the attempts of one process. */
export interface Sending {
  readonly keysOf: KeysOf;
  /** Deliveries without a row, in their first attempt. They have one when it has ended. */
  readonly unstored: Map<string, WebhookDelivery>;
  /** False in quarantine. */
  readonly isOpen: () => Promise<boolean>;
}

/**
 * Does not reject: if nothing is sent or the outcome cannot be recorded, the lease ends and the
 * attempt counts as lost.
 */
export async function attempt(
  deps: Deps,
  { keysOf, isOpen, unstored }: Sending,
  claimed: ClaimedDelivery,
  done: (result: WebhookResult) => void,
): Promise<void> {
  const { delivery, subscription } = claimed;
  try {
    if (!subscription.active || subscription.paused) {
      await releaseUnsent(deps, delivery);
      return;
    }
    // If a quarantine has started, the delivery is claimed again after its release. One that is
    // handed over has the epoch of its subscription's read.
    if (!unstored.has(delivery.id) && !(await isOpen())) return;
    const startedAtMs = deps.clock.nowMs();
    // After a pause, the lease may end during the attempt and another process send it too.
    if ((delivery.dueAtMs ?? 0) - startedAtMs < SEND_TIMEOUT_MS) return;
    const result = await send(deps, keysOf, claimed, startedAtMs);
    // The next attempt may start while this one is recorded.
    done(result);
    await record(deps, unstored, claimed, result, startedAtMs);
  } catch (error) {
    deps.log.error('a delivery attempt was not made or not recorded', {
      deliveryId: delivery.id,
      error,
    });
  } finally {
    unstored.delete(delivery.id);
  }
}

/**
 * A deleted subscription ends its delivery, a paused one holds it. The subscription is read again:
 * a resume after the claim skips a leased delivery, so it is made due here.
 */
async function releaseUnsent(deps: Deps, claimed: WebhookDelivery): Promise<void> {
  const released = await deps.store.run(async (tx) => {
    const [current, subscription] = await Promise.all([
      tx.deliveries.get(claimed.id),
      tx.subscriptions.get(claimed, claimed.subscriptionId),
    ]);
    if (current === null) return null;
    assert(subscription !== null, 'a delivery has a subscription');
    tx.subscriptions.expect(subscription);
    const nowMs = deps.clock.nowMs();
    return stageIfLeased(tx, current, claimed, (leased) => {
      if (!subscription.active) return endForDeletedSubscription(leased);
      const held = hold(leased, nowMs);
      return subscription.paused ? held : replay(held, { nowMs, subscription });
    });
  });
  if (released !== null && released.nextAttemptAtMs !== null) deps.wake('deliveries');
}

type KeysOf = (subscription: Subscription) => SigningKeys;

/** Opening a sealed secret took a seventh of the time of an attempt. */
export function keptSigningKeys(deps: Deps): KeysOf {
  const opened = new Map<string, SigningKeys>();
  return (subscription) => {
    const known = opened.get(subscription.secretSealed);
    if (known !== undefined) return known;
    const keys = signingKeys(openSecret(deps, subscription));
    if (opened.size >= SECRETS_MAX) opened.clear();
    opened.set(subscription.secretSealed, keys);
    return keys;
  };
}

async function send(
  deps: Deps,
  keysOf: KeysOf,
  { delivery, subscription, body }: ClaimedDelivery,
  startedAtMs: number,
): Promise<WebhookResult> {
  let keys: SigningKeys;
  try {
    keys = keysOf(subscription);
  } catch (error) {
    // The attempts go on, because an operator may restore the key.
    deps.log.error('a webhook secret cannot be opened', { subscriptionId: subscription.id, error });
    const problem = 'the webhook secret cannot be read; rotate it';
    return { responseStatus: null, responseBody: null, error: problem, durationMs: 0 };
  }
  const timestampSeconds = Math.floor(startedAtMs / SECOND_MS);
  return deps.sender.send({
    url: subscription.url,
    headers: signedHeaders({
      keys,
      timestampSeconds,
      body,
      deliveryId: delivery.id,
      eventType: delivery.eventType,
    }),
    body,
  });
}

/** Every attempt is stored; it changes the delivery only while its lease holds. */
async function record(
  deps: Deps,
  unstored: Sending['unstored'],
  { delivery: claimed }: ClaimedDelivery,
  result: WebhookResult,
  startedAtMs: number,
): Promise<void> {
  const { responseStatus, responseBody, error, durationMs } = result;
  const outcome =
    responseStatus === null
      ? { kind: 'unanswered' as const, error: error ?? 'the request failed', durationMs }
      : { kind: 'answered' as const, responseStatus, durationMs };
  const tried: AttemptResult = { startedAtMs, durationMs, responseStatus, responseBody, error };
  const isShort = responseBody === null || responseBody.length <= SHORT_ANSWER_MAX;
  const nowMs = deps.clock.nowMs();
  const finish = (delivery: WebhookDelivery) =>
    finishAttempt(delivery, outcome, nowMs, deps.settings.retryDelaysMs);
  const stageOutcome = (tx: Tx, current: WebhookDelivery | null) => {
    const { id: deliveryId, attempt } = claimed;
    const was = current ?? claimed;
    const isHeld = holdsLease(was, claimed);
    const isInRow = isHeld && isShort && attempt === 1 && was.firstAttempt === null;
    if (!isInRow) {
      const id = deps.ids.next('att', startedAtMs);
      tx.deliveries.logAttempt({ id, deliveryId, attempt, ...tried });
    }
    if (!isHeld) return null;
    const ended = { ...finish(was), ...(isInRow ? { firstAttempt: tried } : {}) };
    if (current === null) tx.deliveries.insert(ended);
    else tx.deliveries.update(ended);
    return ended;
  };
  let isFirstRun = true;
  const finished = await deps.store.run(
    async (tx) => {
      // Most likely unchanged since the claim: it is read only after a conflict.
      const known = unstored.has(claimed.id) ? null : claimed;
      const current = isFirstRun ? known : await tx.deliveries.get(claimed.id);
      isFirstRun = false;
      const ended = stageOutcome(tx, current);
      if (ended !== null) await stageGaveUpNotices({ deps, tx, nowMs }, ended);
      return ended;
    },
    { inQuarantine: true },
  );
  if (finished?.status === 'delivered') deps.metrics?.delivered(nowMs - claimed.createdAtMs);
  else if (finished !== null) noteFailure(deps, finished);
}

/** Stores deliveries whose first attempt is slow, as leased: other hosts leave them alone. */
export async function storeSlow(
  deps: Deps,
  unstored: Sending['unstored'],
  nowMs: number,
): Promise<number> {
  const isSlow = ({ dueAtMs }: WebhookDelivery) =>
    (dueAtMs ?? 0) - DELIVERY_LEASE_MS + STORED_AFTER_MS <= nowMs;
  const slow = [...unstored.values()].filter(isSlow).slice(0, SLOW_PER_BATCH);
  if (slow.length === 0) return 0;
  const stored = await deps.store.run(
    async (tx) => {
      const rows = await Promise.all(slow.map(({ id }) => tx.deliveries.get(id)));
      const missing = slow.filter(({ id }, at) => rows[at] === null && unstored.has(id));
      for (const delivery of missing) tx.deliveries.insert(delivery);
      return missing.length;
    },
    { inQuarantine: true },
  );
  for (const { id } of slow) unstored.delete(id);
  return stored;
}

export function noteFailure(deps: Deps, delivery: WebhookDelivery): void {
  const { id: deliveryId, status, subscriptionId, lastError } = delivery;
  deps.metrics?.undelivered(status === 'dead_letter' ? 'dead_letter' : 'failed', 1);
  if (status !== 'dead_letter') return;
  deps.wake('mails');
  deps.log.warn('a delivery became a dead letter', { deliveryId, subscriptionId, lastError });
}

/** Null if the lease is lost: the delivery was ended, replayed or claimed again. */
function stageIfLeased(
  tx: Tx,
  current: WebhookDelivery,
  claimed: WebhookDelivery,
  move: (delivery: WebhookDelivery) => WebhookDelivery,
): WebhookDelivery | null {
  if (!holdsLease(current, claimed)) return null;
  const moved = move(current);
  tx.deliveries.update(moved);
  return moved;
}
