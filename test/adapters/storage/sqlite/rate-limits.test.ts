import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newMemoryRateLimits } from '../../../../adapters/storage/sqlite/rate-limits.js';
import type { RateLimits } from '../../../../core/ports/outside.js';
import { T0 } from '../../../support/samples/domain-samples.js';

const limit = { perMinute: 60, burst: 2 } as const;

/** The seconds to wait, null if taken. */
async function takenBy(
  limits: RateLimits,
  request: Parameters<RateLimits['take']>[0],
): Promise<number | null> {
  return (await limits.take(request)).retryAfterSeconds;
}

test('a key has its burst, then waits; another key is not touched by that', async () => {
  const limits = newMemoryRateLimits();
  const take = (key: string, nowMs: number) =>
    takenBy(limits, { buckets: [{ ...limit, key }], nowMs });
  assert.deepEqual(
    [await take('a', T0), await take('a', T0), await take('a', T0), await take('b', T0)],
    [null, null, 1, null],
  );
  assert.deepEqual([await take('a', T0 + 1_000), await take('a', T0 + 1_000)], [null, 1]);
});

test('requests at the same time take one slot each', async () => {
  const limits = newMemoryRateLimits();
  const taken = await Promise.all(
    Array.from({ length: 10 }, () =>
      takenBy(limits, { buckets: [{ ...limit, key: 'a' }], nowMs: T0 }),
    ),
  );
  assert.equal(taken.filter((seconds) => seconds === null).length, limit.burst);
});

test('rested keys are forgotten as new ones come, and find their whole burst again', async () => {
  const limits = newMemoryRateLimits();
  for (let index = 0; index < 1_000; index += 1) {
    await takenBy(limits, { buckets: [{ ...limit, key: `k${index}` }], nowMs: T0 });
  }
  assert.equal(limits.size, 1_000);
  for (let index = 0; index < 1_000; index += 1) {
    await takenBy(limits, {
      buckets: [{ ...limit, key: 'one' }],
      nowMs: T0 + 60_000 * (index + 1),
    });
  }
  assert.equal(limits.size, 1);
});

test('keys are bounded: the one unused for longest goes first', async () => {
  const limits = newMemoryRateLimits(3);
  const take = (key: string) =>
    takenBy(limits, { buckets: [{ perMinute: 1, burst: 1, key }], nowMs: T0 });
  for (const key of ['a', 'b', 'c']) assert.equal(await take(key), null);
  assert.equal(await take('a'), 60);
  assert.equal(await take('d'), null);
  assert.equal(limits.size, 3);
  assert.equal(await take('a'), 60, 'used since, so kept');
  assert.equal(await take('b'), null, 'forgotten');
});

test('a request takes from all its buckets, or from none', async () => {
  const limits = newMemoryRateLimits();
  const all = { key: 'all', perMinute: 60, burst: 3 };
  const take = (key: string) => takenBy(limits, { buckets: [{ ...limit, key }, all], nowMs: T0 });
  // The third one of a takes nothing from all, the second one of b finds the last of it taken.
  const answers = [await take('a'), await take('a'), await take('a'), await take('b')];
  assert.deepEqual(answers, [null, null, 1, null]);
  assert.equal(await take('b'), 1);
  assert.equal(await takenBy(limits, { buckets: [{ ...limit, key: 'b' }], nowMs: T0 }), null);
});
