// A delivery: one event on its way to one subscription, under one id for all attempts and replays.
// This file owns what may happen to it and when the next attempt is due. Sending, signing and
// claiming by lease are not its matter. The interface reserves a status `failed`; nothing makes it.
import { assert, PonteError } from '../errors.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './instant.js';
import type { Leased } from './lease.js';
import { type MoveOf, machine } from './machine.js';
import type { Tenant } from './tenant.js';

export const deliveryMoves = {
  pending: {
    attempt_succeeded: 'delivered',
    attempt_failed: 'pending',
    attempts_exhausted: 'dead_letter',
    subscription_deleted: 'dead_letter',
  },
  delivered: { replay: 'pending' },
  dead_letter: { replay: 'pending' },
} as const;

export type DeliveryStatus = keyof typeof deliveryMoves;
export type DeliveryMove = MoveOf<typeof deliveryMoves>;
const deliveries = machine(deliveryMoves);
export const { states: deliveryStatuses, next: nextDeliveryStatus } = deliveries;

/** Attempts from creation, or from the last replay, until the delivery is a dead letter. */
export const ATTEMPTS_MAX = 7;

/** The waits before attempts 2 to 7, each counted from the end of the attempt before. */
export const RETRY_DELAYS_MS: readonly number[] = [
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  DAY_MS,
];

export interface WebhookDelivery extends Tenant, Leased {
  readonly id: string;
  readonly subscriptionId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly status: DeliveryStatus;
  /** Attempts started since creation or the last replay. */
  readonly attempt: number;
  /** Of the last attempt that was answered. */
  readonly responseStatus: number | null;
  /** When the attempt under way or the next one was planned to start; null once ended. */
  readonly nextAttemptAtMs: number | null;
  /** Whether the attempt under way is sent a second time: the first sending lost its lease. */
  readonly resent: boolean;
  readonly deliveredAtMs: number | null;
  /** How long the last finished attempt took. */
  readonly durationMs: number | null;
  readonly createdAtMs: number;
  readonly version: number;
}

export type AttemptOutcome =
  | { readonly kind: 'answered'; readonly responseStatus: number; readonly durationMs: number }
  | { readonly kind: 'unanswered'; readonly error: string; readonly durationMs: number }
  /** Both sendings lost their leases: whether the receiver was reached is not known. */
  | { readonly kind: 'lease_lost' };

/** A new delivery, due at once. */
export function newDelivery(
  fields: Pick<
    WebhookDelivery,
    'id' | 'orgId' | 'mode' | 'subscriptionId' | 'eventId' | 'eventType' | 'createdAtMs'
  >,
): WebhookDelivery {
  return Object.freeze({
    id: fields.id,
    orgId: fields.orgId,
    mode: fields.mode,
    subscriptionId: fields.subscriptionId,
    eventId: fields.eventId,
    eventType: fields.eventType,
    status: 'pending',
    ...fresh(fields.createdAtMs),
    createdAtMs: fields.createdAtMs,
    version: 1,
  });
}

/**
 * For a due delivery: its attempt was sent twice and lost its lease twice. Finish it as
 * `lease_lost`, do not send.
 */
export function attemptsExhausted({ status, leaseToken, resent }: WebhookDelivery): boolean {
  return status === 'pending' && leaseToken !== null && resent;
}

/**
 * Takes a due delivery. The attempt is counted before it is sent. An attempt that lost its lease is
 * sent once more under the same number, because the receiver may not have been called. It is sent
 * twice at most, so that a crash loop neither uses up attempts nor shortens the retry schedule. The
 * storage's claim does the same in one statement.
 */
export function beginAttempt(
  delivery: WebhookDelivery,
  input: { readonly nowMs: number; readonly leaseToken: string; readonly leaseMs: number },
): WebhookDelivery {
  assert(delivery.status === 'pending', `a ${delivery.status} delivery is not sent`);
  assert(delivery.dueAtMs !== null && delivery.dueAtMs <= input.nowMs, 'only a due one is sent');
  assert(!attemptsExhausted(delivery), 'an attempt is sent twice at most');
  const resent = delivery.leaseToken !== null;
  return Object.freeze({
    ...delivery,
    attempt: delivery.attempt + (resent ? 0 : 1),
    resent,
    leaseToken: input.leaseToken,
    dueAtMs: input.nowMs + input.leaseMs,
  });
}

/** Whether the receiver has taken it. */
export function isSuccess(responseStatus: number): boolean {
  return responseStatus >= 200 && responseStatus <= 299;
}

/**
 * The delivery after its counted attempt ended. Any 2xx is success; everything else, redirects and
 * lost leases included, is a failure. The caller checks that the lease is still the sender's, so a
 * late answer changes nothing.
 */
export function finishAttempt(
  delivery: WebhookDelivery,
  outcome: AttemptOutcome,
  nowMs: number,
  retryDelaysMs: readonly number[] = RETRY_DELAYS_MS,
): WebhookDelivery {
  assert(delivery.attempt >= 1, 'only an attempt that was counted can end');
  const result = resultOf(outcome);
  const durationMs = outcome.kind === 'lease_lost' ? null : outcome.durationMs;
  if (result.error === null) {
    return ended(delivery, 'attempt_succeeded', { ...result, durationMs, deliveredAtMs: nowMs });
  }
  if (delivery.attempt >= ATTEMPTS_MAX) {
    return ended(delivery, 'attempts_exhausted', { ...result, durationMs, deliveredAtMs: null });
  }
  const delayMs = retryDelaysMs[delivery.attempt - 1];
  assert(
    delayMs !== undefined,
    `${ATTEMPTS_MAX - 1} retry delays, one before each attempt but one`,
  );
  return Object.freeze({
    ...delivery,
    status: deliveries.step(delivery.status, 'attempt_failed'),
    responseStatus: result.responseStatus,
    lastError: result.error,
    nextAttemptAtMs: nowMs + delayMs,
    dueAtMs: nowMs + delayMs,
    leaseToken: null,
    resent: false,
    durationMs,
  });
}

/** An ended delivery of an active subscription goes out again: same id, attempts from one. */
export function replay(
  delivery: WebhookDelivery,
  input: { readonly nowMs: number; readonly subscriptionActive: boolean },
): WebhookDelivery {
  if (!input.subscriptionActive) {
    throw new PonteError(
      'DeliveryNotReplayable',
      'The subscription of this delivery was deleted. Create a subscription and read the events.',
    );
  }
  const status = nextDeliveryStatus(delivery.status, 'replay');
  if (status === null) {
    throw new PonteError(
      'DeliveryNotReplayable',
      'This delivery is still pending and is attempted by itself at nextAttemptAt.',
    );
  }
  return Object.freeze({ ...delivery, status, ...fresh(input.nowMs) });
}

/** A pending delivery, under way or not, ends with its subscription. */
export function endForDeletedSubscription(delivery: WebhookDelivery): WebhookDelivery {
  return ended(delivery, 'subscription_deleted', {
    responseStatus: delivery.responseStatus,
    error: 'subscription deleted',
    durationMs: delivery.durationMs,
    deliveredAtMs: null,
  });
}

interface AttemptResult {
  readonly responseStatus: number | null;
  /** Null means delivered. */
  readonly error: string | null;
}

function resultOf(outcome: AttemptOutcome): AttemptResult {
  switch (outcome.kind) {
    case 'answered': {
      const { responseStatus } = outcome;
      const error = isSuccess(responseStatus) ? null : `the receiver answered ${responseStatus}`;
      return { responseStatus, error };
    }
    case 'unanswered':
      return { responseStatus: null, error: outcome.error };
    case 'lease_lost':
      return { responseStatus: null, error: 'the sending host stopped during the attempt' };
  }
}

/** What creation and replay have in common. */
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
  last: AttemptResult & Pick<WebhookDelivery, 'durationMs' | 'deliveredAtMs'>,
): WebhookDelivery {
  return Object.freeze({
    ...delivery,
    status: deliveries.step(delivery.status, move),
    responseStatus: last.responseStatus,
    lastError: last.error,
    nextAttemptAtMs: null,
    dueAtMs: null,
    leaseToken: null,
    resent: false,
    deliveredAtMs: last.deliveredAtMs,
    durationMs: last.durationMs,
  });
}

export interface DeliveryAttempt {
  readonly id: string;
  readonly deliveryId: string;
  readonly attempt: number;
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly responseStatus: number | null;
  /** The first 4 KiB of the answer at most, as text; null when there was none. */
  readonly responseBody: string | null;
  readonly error: string | null;
}
