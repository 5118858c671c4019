import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  clientNetwork,
  gcraStep,
  quotaAfter,
  type RateLimit,
} from '../../../../core/domain/service/rate-limit.js';
import { AssertionFailure } from '../../../../core/errors.js';

const START_MS = 1_790_000_000_000;
const defaults: RateLimit = { perMinute: 600, burst: 100 };

const anyLimit = fc.record({
  perMinute: fc.integer({ min: 1, max: 200_000 }),
  burst: fc.integer({ min: 1, max: 300 }),
});

/** The times at which requests are allowed, when one comes at each of these times. */
function allowedAt(limit: RateLimit, timesMs: readonly number[]): number[] {
  let tatMicros: number | null = null;
  return timesMs.filter((nowMs) => {
    const step = gcraStep({ tatMicros, nowMs, ...limit });
    tatMicros = step.tatMicros;
    return step.allowed;
  });
}

test('a rested key may make the whole burst at once, and not one more', () => {
  const timesMs = new Array<number>(150).fill(START_MS);
  assert.equal(allowedAt(defaults, timesMs).length, 100);
});

test('after a burst requests are allowed evenly, one per interval', () => {
  const burst = new Array<number>(100).fill(START_MS);
  const everyMs = Array.from({ length: 1_000 }, (_, index) => START_MS + index + 1);
  const allowed = allowedAt(defaults, [...burst, ...everyMs]).slice(100);
  assert.deepEqual(
    allowed,
    Array.from({ length: 10 }, (_, index) => START_MS + (index + 1) * 100),
  );
});

test('a refusal states whole seconds, rounded up, at least one, and costs nothing', () => {
  const burst = { perMinute: 6, burst: 1 };
  const first = gcraStep({ tatMicros: null, nowMs: START_MS, ...burst });
  assert.deepEqual(first, {
    allowed: true,
    tatMicros: (START_MS + 10_000) * 1_000,
    retryAfterSeconds: 0,
  });
  for (const [afterMs, retryAfterSeconds] of [
    [0, 10],
    [1, 10],
    [1_000, 9],
    [9_001, 1],
    [9_999, 1],
  ] as const) {
    const step = gcraStep({ tatMicros: first.tatMicros, nowMs: START_MS + afterMs, ...burst });
    assert.deepEqual(step, { allowed: false, tatMicros: first.tatMicros, retryAfterSeconds });
  }
  const next = gcraStep({ tatMicros: first.tatMicros, nowMs: START_MS + 10_000, ...burst });
  assert.equal(next.allowed, true);
});

test('law: a clock that was ahead and is right again leaves a limit that was used up at most', () => {
  fc.assert(
    fc.property(anyLimit, fc.nat(3_600_000), fc.nat(300), (limit, aheadMs, requests) => {
      let tatMicros: number | null = null;
      const take = (nowMs: number) => {
        const step = gcraStep({ tatMicros, nowMs, ...limit });
        tatMicros = step.tatMicros;
        return step;
      };
      for (let made = 0; made < requests; made += 1) take(START_MS + aheadMs);
      const { allowed, retryAfterSeconds } = take(START_MS);
      assert.ok(retryAfterSeconds <= Math.ceil(60 / limit.perMinute), `${retryAfterSeconds} s`);
      // One that is allowed may be the last one of the burst.
      assert.ok(allowed || take(START_MS + 1_000 * retryAfterSeconds).allowed);
    }),
  );
});

test('a rate of 0 allows everything', () => {
  const timesMs = new Array<number>(1_000).fill(START_MS);
  assert.equal(allowedAt({ perMinute: 0, burst: 1 }, timesMs).length, 1_000);
});

test('a negative rate or an empty burst is a programmer error', () => {
  const state = { tatMicros: null, nowMs: START_MS };
  assert.throws(() => gcraStep({ ...state, perMinute: -1, burst: 1 }), AssertionFailure);
  assert.throws(() => gcraStep({ ...state, perMinute: 1, burst: 0 }), AssertionFailure);
});

test('law: no window holds more than the burst and the rate times the window', () => {
  const gaps = fc.array(fc.oneof(fc.constant(0), fc.nat(50), fc.nat(20_000)), { maxLength: 200 });
  fc.assert(
    fc.property(anyLimit, gaps, (limit, gapsMs) => {
      let nowMs = START_MS;
      const timesMs = gapsMs.map((gapMs) => {
        nowMs += gapMs;
        return nowMs;
      });
      const allowed = allowedAt(limit, timesMs);
      for (const [from, startMs] of allowed.entries()) {
        for (const [to, endMs] of allowed.entries()) {
          if (to < from) continue;
          const most = limit.burst + ((endMs - startMs) * limit.perMinute) / 60_000;
          assert.ok(to - from + 1 <= most, `${to - from + 1} within ${endMs - startMs} ms`);
        }
      }
    }),
  );
});

test('a rate that does not divide a minute is not exceeded in a minute of trying', () => {
  const limit = { perMinute: 70_000, burst: 10 };
  const timesMs = Array.from({ length: 120_000 }, (_, index) => START_MS + Math.floor(index / 2));
  assert.ok(allowedAt(limit, timesMs).length <= 70_010);
});

test('law: after the wait that a refusal names, the request is allowed', () => {
  fc.assert(
    fc.property(anyLimit, fc.nat(600), fc.nat(60_000), (limit, requests, laterMs) => {
      let tatMicros: number | null = null;
      for (let made = 0; made < requests; made += 1) {
        tatMicros = gcraStep({ tatMicros, nowMs: START_MS, ...limit }).tatMicros;
      }
      const nowMs = START_MS + laterMs;
      const step = gcraStep({ tatMicros, nowMs, ...limit });
      if (step.allowed) return assert.equal(step.retryAfterSeconds, 0);
      assert.ok(Number.isInteger(step.retryAfterSeconds) && step.retryAfterSeconds >= 1);
      const again = nowMs + step.retryAfterSeconds * 1_000;
      assert.equal(gcraStep({ tatMicros: step.tatMicros, nowMs: again, ...limit }).allowed, true);
      const secondBefore = again - 1_000;
      const early = gcraStep({ tatMicros: step.tatMicros, nowMs: secondBefore, ...limit });
      assert.equal(early.allowed, false);
    }),
  );
});

test('law: a client that keeps to the rate is never refused, wherever the clock starts', () => {
  fc.assert(
    fc.property(anyLimit, fc.nat(1_000), (limit, startMs) => {
      const intervalMs = Math.ceil(60_000 / limit.perMinute) + 1;
      const timesMs = Array.from({ length: 200 }, (_, index) => startMs + index * intervalMs);
      assert.equal(allowedAt(limit, timesMs).length, 200);
    }),
  );
});

test('law: as many requests as remain are allowed at once; after the reset the quota is whole', () => {
  fc.assert(
    fc.property(anyLimit, fc.nat(300), fc.nat(60_000), (limit, requests, laterMs) => {
      let tatMicros = START_MS * 1_000;
      const take = (nowMs: number) => {
        const step = gcraStep({ tatMicros, nowMs, ...limit });
        tatMicros = step.tatMicros;
        return step.allowed;
      };
      for (let made = 0; made < requests; made += 1) take(START_MS);
      const nowMs = START_MS + laterMs;
      const { quota, remaining, resetSeconds, windowSeconds } = quotaAfter(limit, tatMicros, nowMs);
      assert.ok(remaining <= quota && resetSeconds <= windowSeconds);
      const whole = quotaAfter(limit, tatMicros, nowMs + 1_000 * resetSeconds);
      assert.deepEqual([whole.remaining, whole.resetSeconds], [quota, 0]);
      for (let made = 0; made < remaining; made += 1) assert.ok(take(nowMs));
      assert.equal(take(nowMs), false);
    }),
  );
});

test('law: what is stored is a whole number that every database keeps', () => {
  fc.assert(
    fc.property(anyLimit, fc.nat(300), (limit, requests) => {
      let tatMicros: number | null = null;
      for (let made = 0; made <= requests; made += 1) {
        tatMicros = gcraStep({ tatMicros, nowMs: START_MS, ...limit }).tatMicros;
      }
      assert.ok(Number.isSafeInteger(tatMicros));
    }),
  );
});

test('a client is its IPv4 address, or the /64 network that its IPv6 address is in', () => {
  for (const [address, expected] of [
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['2001:db8::2:3:4:5:6', '2001:db8:0:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1', 'fe80:0:0:0::/64'],
  ] as const) {
    assert.equal(clientNetwork(address), expected, address);
  }
});
