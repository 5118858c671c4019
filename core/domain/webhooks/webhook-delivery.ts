// A delivery: one event for one subscription, under one id for all attempts and replays: its states
// and when the next attempt is due. The status `failed` of the API is never used.
import { assert, PonteError } from '../../errors.js';
import type { Leased } from '../base/lease.js';
import { type MoveOf, machine } from '../base/machine.js';
import { schedules } from '../base/schedules.js';
import type { Tenant } from '../base/tenant.js';
import { sendFailures } from './send-failure.js';
import type { Subscription } from './subscription.js';

export const deliveryMoves = {
  pending: {
    attempt_succeeded: 'delivered',
    attempt_failed: 'pending',
    attempts_exhausted: 'dead_letter',
    subscription_deleted: 'dead_letter',
    hold: 'pending',
    replay: 'pending',
  },
  delivered: { replay: 'pending' },
  dead_letter: { replay: 'pending' },
} as const;

export type DeliveryStatus = keyof typeof deliveryMoves;
export type DeliveryMove = MoveOf<typeof deliveryMoves>;
const deliveries = machine(deliveryMoves);
export const deliveryStatuses = deliveries.states;

/** Attempts after the creation or the last replay. */
export const ATTEMPTS_MAX = schedules.webhookAttempt.waitsMs.length + 1;

/** What of a subscription decides whether its deliveries are sent. */
type SendState = Pick<Subscription, 'active' | 'paused'>;

export interface WebhookDelivery extends Tenant, Leased {
  readonly id: string;
  readonly subscriptionId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly status: DeliveryStatus;
  /** Attempts started since creation or the last replay. */
  readonly attempt: number;
  /** The status of the answer to the last attempt; null without one. */
  readonly responseStatus: number | null;
  /** The planned start of the current or next attempt; null once ended, and while it is held. */
  readonly nextAttemptAtMs: number | null;
  /**
   * The current attempt is sent a second time, because the first one lost its lease. When the
   * second lease is lost too, the delivery is due: finish it as `lease_lost`, do not send it.
   */
  readonly resent: boolean;
  readonly deliveredAtMs: number | null;
  /** How long the last finished attempt took. */
  readonly durationMs: number | null;
  /** When its event was created. */
  readonly createdAtMs: number;
  /** Only if it ended before the delivery was stored. Other attempts have their own rows. */
  readonly firstAttempt: AttemptResult | null;
  readonly version: number;
}

export type AttemptOutcome =
  | { readonly kind: 'answered'; readonly responseStatus: number; readonly durationMs: number }
  | { readonly kind: 'unanswered'; readonly error: string; readonly durationMs: number }
  /** Sent twice, and both leases were lost: the receiver may have been called. */
  | { readonly kind: 'lease_lost' };

export function newDelivery(
  fields: Pick<
    WebhookDelivery,
    'id' | 'orgId' | 'mode' | 'subscriptionId' | 'eventId' | 'eventType' | 'createdAtMs'
  >,
): WebhookDelivery {
  const made = { status: 'pending', firstAttempt: null, version: 1 } as const;
  return Object.freeze({ ...fields, ...made, ...fresh(fields.createdAtMs) });
}

/**
 * Leases a due delivery. The attempt is counted before it is sent. An attempt that lost its lease
 * is sent once more under the same number, because the receiver may not have been called. So a
 * crash loop neither uses up attempts nor shortens the retry schedule. The storage's claim does the
 * same in one statement.
 */
export function beginAttempt(
  delivery: WebhookDelivery,
  input: { readonly nowMs: number; readonly leaseToken: string; readonly leaseMs: number },
): WebhookDelivery {
  assert(delivery.status === 'pending', `a ${delivery.status} delivery is not sent`);
  assert(delivery.dueAtMs !== null && delivery.dueAtMs <= input.nowMs, 'only a due one is sent');
  assert(!delivery.resent, 'an attempt is sent twice at most');
  const resent = delivery.leaseToken !== null;
  return Object.freeze({
    ...delivery,
    attempt: delivery.attempt + (resent ? 0 : 1),
    resent,
    leaseToken: input.leaseToken,
    dueAtMs: input.nowMs + input.leaseMs,
  });
}

export function isSuccess(responseStatus: number): boolean {
  return responseStatus >= 200 && responseStatus <= 299;
}

/**
 * The delivery after its counted attempt ended. Any 2xx is success; everything else, including
 * redirects and lost leases, is a failure. The caller checks that the sender still holds the lease.
 */
export function finishAttempt(
  delivery: WebhookDelivery,
  outcome: AttemptOutcome,
  nowMs: number,
  retryDelaysMs: readonly number[],
): WebhookDelivery {
  const { attempt } = delivery;
  assert(attempt >= 1, 'only an attempt that was counted can end');
  const responseStatus = outcome.kind === 'answered' ? outcome.responseStatus : null;
  const durationMs = outcome.kind === 'lease_lost' ? null : outcome.durationMs;
  const result = { responseStatus, durationMs, lastError: errorOf(outcome) };
  if (result.lastError === null) {
    return ended(delivery, 'attempt_succeeded', { ...result, deliveredAtMs: nowMs });
  }
  if (attempt >= ATTEMPTS_MAX) return ended(delivery, 'attempts_exhausted', result);
  const delayMs = retryDelaysMs[attempt - 1];
  assert(delayMs !== undefined, 'there is a retry delay after each attempt but the last');
  const dueAtMs = nowMs + delayMs;
  return released(delivery, 'attempt_failed', { ...result, nextAttemptAtMs: dueAtMs, dueAtMs });
}

/**
 * A delivery of a subscription that sends goes out now, also one that waits for its next attempt:
 * same id, attempts from one.
 */
export function replay(
  delivery: WebhookDelivery,
  { nowMs, subscription }: { readonly nowMs: number; readonly subscription: SendState },
): WebhookDelivery {
  if (!subscription.active) {
    const message = 'The subscription was deleted. Create a subscription and read the events.';
    throw new PonteError('DeliveryNotReplayable', message);
  }
  if (subscription.paused) {
    const message = 'The subscription is paused. Resume it: its waiting deliveries are sent.';
    throw new PonteError('DeliveryNotReplayable', message);
  }
  if (isBeingSent(delivery)) {
    const message = 'The delivery is being sent now. Read it again in a minute.';
    throw new PonteError('DeliveryNotReplayable', message);
  }
  const status = deliveries.step(delivery.status, 'replay');
  return Object.freeze({ ...delivery, status, ...fresh(nowMs) });
}

/** An attempt runs, or its lease was lost and another worker takes it over. */
export function isBeingSent({ status, leaseToken }: WebhookDelivery): boolean {
  return status === 'pending' && leaseToken !== null;
}

/** A claimed delivery of a paused subscription was not sent. It waits for the end of the pause. */
export function hold(delivery: WebhookDelivery, nowMs: number): WebhookDelivery {
  const attempt = delivery.attempt - (delivery.resent ? 0 : 1);
  const dueAtMs = nowMs + schedules.webhookHold.waitsMs[0];
  return released(delivery, 'hold', { attempt, nextAttemptAtMs: null, dueAtMs });
}

/** A pending delivery, in flight or not, ends with its subscription. */
export function endForDeletedSubscription(delivery: WebhookDelivery): WebhookDelivery {
  return ended(delivery, 'subscription_deleted', { lastError: sendFailures.subscription_deleted });
}

/** Returns null if the receiver accepted it. */
function errorOf(outcome: AttemptOutcome): string | null {
  switch (outcome.kind) {
    case 'answered':
      return isSuccess(outcome.responseStatus)
        ? null
        : `the receiver answered ${outcome.responseStatus}`;
    case 'unanswered':
      return outcome.error;
    case 'lease_lost':
      return sendFailures.host_stopped;
  }
}

function fresh(nowMs: number) {
  return {
    attempt: 0,
    responseStatus: null,
    lastError: null,
    nextAttemptAtMs: nowMs,
    dueAtMs: nowMs,
    leaseToken: null,
    resent: false,
    deliveredAtMs: null,
    durationMs: null,
  } as const;
}

function ended(
  delivery: WebhookDelivery,
  move: DeliveryMove,
  fields: Partial<WebhookDelivery>,
): WebhookDelivery {
  const cleared = { nextAttemptAtMs: null, dueAtMs: null, deliveredAtMs: null };
  return released(delivery, move, { ...cleared, ...fields });
}

function released(
  delivery: WebhookDelivery,
  move: DeliveryMove,
  fields: Partial<WebhookDelivery>,
): WebhookDelivery {
  const status = deliveries.step(delivery.status, move);
  return Object.freeze({ ...delivery, ...fields, status, leaseToken: null, resent: false });
}

export interface DeliveryAttempt extends AttemptResult {
  /** That of the delivery, if its row has the attempt. */
  readonly id: string;
  readonly deliveryId: string;
  readonly attempt: number;
}

export interface AttemptResult {
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly responseStatus: number | null;
  /** The first 4 KiB of the response; null without one. */
  readonly responseBody: string | null;
  readonly error: string | null;
}
