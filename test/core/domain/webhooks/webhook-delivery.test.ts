import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { schedules } from '../../../../core/domain/base/schedules.js';
import {
  ATTEMPTS_MAX,
  type AttemptOutcome,
  beginAttempt,
  type DeliveryMove,
  type DeliveryStatus,
  deliveryStatuses,
  endForDeletedSubscription,
  finishAttempt,
  hold,
  isBeingSent,
  newDelivery,
  replay,
  type WebhookDelivery,
} from '../../../../core/domain/webhooks/webhook-delivery.js';
import { AssertionFailure, PonteError } from '../../../../core/errors.js';
import { lawRuns } from '../../../support/law-runs.js';

const START_MS = 1_790_000_000_000;
const LEASE_MS = 20_000;

const created = newDelivery({
  id: 'whd_1',
  orgId: 'org_1',
  mode: 'test',
  subscriptionId: 'whs_1',
  eventId: 'evt_1',
  eventType: 'payment_intent.settled',
  createdAtMs: START_MS,
});

const ok: AttemptOutcome = { kind: 'answered', responseStatus: 204, durationMs: 12 };
const refused: AttemptOutcome = { kind: 'answered', responseStatus: 500, durationMs: 40 };
const hung: AttemptOutcome = {
  kind: 'unanswered',
  error: 'no answer within 10 s',
  durationMs: 10_000,
};
const lost: AttemptOutcome = { kind: 'lease_lost' };
const sending = { active: true, paused: false };
const retryDelaysMs = schedules.webhookAttempt.waitsMs;

function begin(delivery: WebhookDelivery, nowMs: number): WebhookDelivery {
  return beginAttempt(delivery, { nowMs, leaseToken: 'lease_1', leaseMs: LEASE_MS });
}

function finished(
  delivery: WebhookDelivery,
  outcome: AttemptOutcome,
  nowMs: number,
): WebhookDelivery {
  return finishAttempt(delivery, outcome, nowMs, retryDelaysMs);
}

function attempt(delivery: WebhookDelivery, outcome: AttemptOutcome): WebhookDelivery {
  const nowMs = delivery.dueAtMs ?? assert.fail();
  return finished(begin(delivery, nowMs), outcome, nowMs);
}

/** Both sendings of its next attempt were begun and lost; due at `nowMs`. */
function lostTwice(delivery: WebhookDelivery, nowMs: number): WebhookDelivery {
  const lostOnce = { ...begin(delivery, delivery.dueAtMs ?? nowMs), dueAtMs: nowMs };
  return { ...begin(lostOnce, nowMs), dueAtMs: nowMs };
}

function failed(times: number): WebhookDelivery {
  let delivery = created;
  for (let made = 0; made < times; made += 1) delivery = attempt(delivery, refused);
  return delivery;
}

const matrix: Record<DeliveryStatus, Partial<Record<DeliveryMove, DeliveryStatus>>> = {
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
};

/** Each move as the function that makes it, and what a refusal of it is. */
const makers: Record<
  DeliveryMove,
  {
    readonly make: (delivery: WebhookDelivery) => WebhookDelivery;
    readonly refusal: typeof AssertionFailure | typeof PonteError;
  }
> = {
  attempt_succeeded: {
    make: (delivery) => finished(delivery, ok, START_MS),
    refusal: AssertionFailure,
  },
  attempt_failed: {
    make: (delivery) => finished({ ...delivery, attempt: 1 }, refused, START_MS),
    refusal: AssertionFailure,
  },
  attempts_exhausted: {
    make: (delivery) => finished({ ...delivery, attempt: ATTEMPTS_MAX }, refused, START_MS),
    refusal: AssertionFailure,
  },
  subscription_deleted: { make: endForDeletedSubscription, refusal: AssertionFailure },
  hold: { make: (delivery) => hold(delivery, START_MS), refusal: AssertionFailure },
  replay: {
    make: (delivery) =>
      replay({ ...delivery, leaseToken: null }, { nowMs: START_MS, subscription: sending }),
    refusal: PonteError,
  },
};

const examples: Record<DeliveryStatus, WebhookDelivery> = {
  pending: begin(created, START_MS),
  delivered: attempt(created, ok),
  dead_letter: failed(ATTEMPTS_MAX),
};

test('every status and move is as the table says, and no other move is made', () => {
  assert.deepEqual(deliveryStatuses, Object.keys(matrix));
  for (const status of deliveryStatuses) {
    assert.equal(examples[status].status, status);
    for (const [move, { make, refusal }] of Object.entries(makers)) {
      const expected = matrix[status][move as DeliveryMove];
      const name = `${status} ${move}`;
      if (expected === undefined) assert.throws(() => make(examples[status]), refusal, name);
      else assert.equal(make(examples[status]).status, expected, name);
    }
  }
});

test('a new delivery is pending and due immediately', () => {
  assert.partialDeepStrictEqual(created, { status: 'pending', attempt: 0, dueAtMs: START_MS });
  assert.equal(created.nextAttemptAtMs, START_MS);
  assert.ok(Object.isFrozen(created));
});

test('an attempt is counted and leased before it is sent', () => {
  const sending = begin(created, START_MS + 5);
  assert.partialDeepStrictEqual(sending, { status: 'pending', attempt: 1, leaseToken: 'lease_1' });
  assert.equal(sending.dueAtMs, START_MS + 5 + LEASE_MS);
});

test('what is not due, ended or spent is not sent', () => {
  assert.throws(() => begin(created, START_MS - 1), AssertionFailure);
  assert.throws(() => begin(begin(created, START_MS), START_MS + LEASE_MS - 1), AssertionFailure);
  assert.throws(() => begin(examples.delivered, START_MS), AssertionFailure);
  assert.throws(() => begin(examples.dead_letter, START_MS), AssertionFailure);
  assert.throws(() => begin(lostTwice(created, START_MS), START_MS), AssertionFailure);
});

test('only a started attempt can end', () => {
  assert.throws(() => finished(created, ok, START_MS), AssertionFailure);
});

test('any 2xx delivers, everything else fails', () => {
  for (const responseStatus of [199, 200, 204, 299, 300, 301, 404, 410, 500]) {
    const status = [200, 204, 299].includes(responseStatus) ? 'delivered' : 'pending';
    const after = attempt(created, { kind: 'answered', responseStatus, durationMs: 3 });
    assert.equal(after.status, status, `${responseStatus}`);
    assert.equal(after.responseStatus, responseStatus);
    assert.equal(after.durationMs, 3);
    assert.equal(after.lastError === null, status === 'delivered');
  }
  assert.equal(attempt(created, hung).lastError, 'no answer within 10 s');
  assert.equal(attempt(created, hung).responseStatus, null);
});

test('a delivered delivery has its time, no error and no next attempt', () => {
  const failed = attempt(created, refused);
  assert.ok(failed.dueAtMs !== null);
  const delivered = finished(begin(failed, failed.dueAtMs), ok, failed.dueAtMs + 12);
  assert.equal(delivered.status, 'delivered');
  assert.equal(delivered.deliveredAtMs, failed.dueAtMs + 12);
  assert.partialDeepStrictEqual(delivered, { lastError: null, attempt: 2 });
  assert.partialDeepStrictEqual(delivered, { nextAttemptAtMs: null, dueAtMs: null });
  assert.partialDeepStrictEqual(delivered, { leaseToken: null });
});

test('attempts 2 to 7 come 30 s, 2 min, 10 min, 1 h, 6 h and 24 h after the one before', () => {
  const waitsSeconds = [30, 120, 600, 3_600, 21_600, 86_400];
  let delivery = created;
  for (const [index, waitSeconds] of waitsSeconds.entries()) {
    const startMs = delivery.dueAtMs ?? assert.fail();
    const endMs = startMs + 10_000;
    delivery = finished(begin(delivery, startMs), hung, endMs);
    assert.equal(delivery.status, 'pending');
    assert.equal(delivery.attempt, index + 1);
    assert.equal(delivery.nextAttemptAtMs, endMs + waitSeconds * 1_000);
    assert.equal(delivery.dueAtMs, delivery.nextAttemptAtMs);
    assert.equal(delivery.leaseToken, null);
  }
  delivery = attempt(delivery, refused);
  assert.partialDeepStrictEqual(delivery, { status: 'dead_letter', attempt: ATTEMPTS_MAX });
  assert.partialDeepStrictEqual(delivery, { nextAttemptAtMs: null, dueAtMs: null });
  assert.equal(delivery.lastError, 'the receiver answered 500');
});

test('the seventh attempt can still deliver', () => {
  assert.equal(attempt(failed(ATTEMPTS_MAX - 1), ok).status, 'delivered');
});

test('other waits can be given, one before each attempt but the first', () => {
  const after = finishAttempt(begin(created, START_MS), refused, START_MS, [1, 2, 3, 4, 5, 6]);
  assert.deepEqual([after.dueAtMs, retryDelaysMs.length], [START_MS + 1, ATTEMPTS_MAX - 1]);
  assert.throws(
    () => finishAttempt(begin(created, START_MS), refused, START_MS, []),
    AssertionFailure,
  );
});

test('an attempt that lost its lease is sent again immediately, under its number', () => {
  const sending = begin(created, START_MS);
  const leaseEndMs = START_MS + LEASE_MS;
  assert.equal(sending.resent, false);
  const again = begin(sending, leaseEndMs);
  assert.deepEqual([again.attempt, again.resent, again.dueAtMs], [1, true, leaseEndMs + LEASE_MS]);
  assert.equal(finished(again, ok, leaseEndMs).status, 'delivered');
  const failed = finished(again, refused, leaseEndMs);
  assert.deepEqual([failed.attempt, failed.resent], [1, false]);
});

test('an attempt that lost its lease twice has failed: the next one waits as after any', () => {
  let delivery = created;
  for (const [index, delayMs] of retryDelaysMs.entries()) {
    const lostAtMs = (delivery.dueAtMs ?? 0) + 1_000;
    const spent = lostTwice(delivery, lostAtMs);
    assert.equal(spent.resent, true);
    delivery = finished(spent, lost, lostAtMs);
    assert.deepEqual([delivery.status, delivery.attempt], ['pending', index + 1]);
    assert.equal(delivery.dueAtMs, lostAtMs + delayMs);
    assert.deepEqual([delivery.leaseToken, delivery.resent], [null, false]);
    assert.equal(delivery.resent, false);
  }
});

test('a seventh attempt that lost its lease twice makes a dead letter and is not sent again', () => {
  const dead = finished(lostTwice(failed(ATTEMPTS_MAX - 1), START_MS), lost, START_MS);
  assert.deepEqual([dead.status, dead.attempt], ['dead_letter', ATTEMPTS_MAX]);
  assert.equal(dead.resent, false);
});

test('a replay is the same delivery, due immediately, with attempts counted from one', () => {
  for (const ended of [examples.delivered, examples.dead_letter, failed(2)]) {
    const nowMs = START_MS + 1_000_000;
    const again = replay(ended, { nowMs, subscription: sending });
    assert.deepEqual(again, {
      ...created,
      nextAttemptAtMs: nowMs,
      dueAtMs: nowMs,
      version: ended.version,
    });
    assert.equal(begin(again, nowMs).attempt, 1);
  }
});

test('a delivery in flight, or of a deleted or paused subscription, is not replayed', () => {
  const refusals = [
    [examples.dead_letter, { active: false, paused: false }, /was deleted/],
    [examples.dead_letter, { active: true, paused: true }, /is paused/],
    [examples.pending, sending, /is being sent/],
  ] as const;
  for (const [delivery, subscription, message] of refusals) {
    assert.throws(() => replay(delivery, { nowMs: START_MS, subscription }), {
      code: 'DeliveryNotReplayable',
      message,
    });
  }
});

test('a held delivery was not sent: its attempt does not count, and it waits', () => {
  const nowMs = START_MS + 10;
  const held = hold(begin(created, nowMs), nowMs);
  assert.partialDeepStrictEqual(held, { attempt: 0, leaseToken: null, nextAttemptAtMs: null });
  assert.ok(held.dueAtMs !== null && held.dueAtMs > nowMs + LEASE_MS);
  const lostOnce = { ...begin(created, nowMs), dueAtMs: nowMs };
  assert.equal(hold(begin(lostOnce, nowMs), nowMs).attempt, 1, 'the lost one may have been sent');
});

test('pending deliveries end with their subscription, under way or not', () => {
  for (const pending of [created, begin(created, START_MS), attempt(created, refused)]) {
    const ended = endForDeletedSubscription(pending);
    assert.deepEqual([ended.status, ended.lastError], ['dead_letter', 'subscription deleted']);
    assert.partialDeepStrictEqual(ended, { nextAttemptAtMs: null, dueAtMs: null });
    assert.partialDeepStrictEqual(ended, { leaseToken: null, deliveredAtMs: null });
  }
});

test('law: no history leaves the table or the schedule, or makes more than seven attempts', () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('attempt' as const),
      outcome: fc.constantFrom(ok, refused, refused, refused, hung),
    }),
    fc.record({ kind: fc.constantFrom(...(['crash', 'crash', 'replay', 'delete'] as const)) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let delivery = created;
      let nowMs = START_MS;
      /** When each sending of each attempt since the last replay began. */
      let sendings: number[][] = [];
      const send = () => {
        nowMs = Math.max(nowMs, delivery.dueAtMs ?? nowMs);
        if (delivery.resent) {
          delivery = finished(delivery, lost, nowMs);
          return false;
        }
        delivery = begin(delivery, nowMs);
        const last = sendings[delivery.attempt - 2]?.at(-1);
        const delayMs = retryDelaysMs[delivery.attempt - 2] ?? 0;
        assert.ok(last === undefined || nowMs >= last + delayMs, 'attempts keep their distance');
        sendings[delivery.attempt - 1] = [...(sendings[delivery.attempt - 1] ?? []), nowMs];
        return true;
      };
      for (const each of steps) {
        nowMs += 1;
        const pending = delivery.status === 'pending';
        if (each.kind === 'attempt' && pending) {
          if (send()) delivery = finished(delivery, each.outcome, nowMs);
        } else if (each.kind === 'crash' && pending) {
          // The next start ends the lease at once.
          if (send()) delivery = { ...delivery, dueAtMs: nowMs };
        } else if (each.kind === 'delete' && pending) {
          delivery = endForDeletedSubscription(delivery);
        } else if (each.kind === 'replay' && !isBeingSent(delivery)) {
          delivery = replay(delivery, { nowMs, subscription: sending });
          sendings = [];
        }
        assert.ok(deliveryStatuses.includes(delivery.status));
        assert.partialDeepStrictEqual(delivery, { id: created.id, eventId: created.eventId });
        assert.equal(delivery.attempt, sendings.length);
        assert.ok(sendings.every(({ length }) => length <= 2));
        assert.ok(delivery.attempt <= ATTEMPTS_MAX);
        assert.equal(delivery.dueAtMs === null, delivery.status !== 'pending');
        assert.equal(delivery.deliveredAtMs !== null, delivery.status === 'delivered');
      }
    }),
    { numRuns: lawRuns(500) },
  );
});
