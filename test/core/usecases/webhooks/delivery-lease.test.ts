import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SECOND_MS } from '../../../../core/domain/base/instant.js';
import type { Deps } from '../../../../core/ports/deps.js';
import {
  DELIVERY_LEASE_MS,
  SEND_TIMEOUT_MS,
} from '../../../../core/usecases/webhooks/delivery-attempts.js';
import { deliveryRunner } from '../../../../core/usecases/webhooks/delivery-runner.js';
import { heldAnswer, scene } from '../../../support/scenes/webhook-scene.js';
import { valuesOf } from '../../../support/values-of.js';
import { until } from '../../../support/wait.js';

/** One subscription and one delivery to it, due now. */
async function opened(t: TestContext) {
  const made = await scene(t);
  const { subscription } = await made.subscribe();
  await made.emit({});
  return { made, subscriptionId: subscription.id };
}

test('the lease is longer than a receiver has for its answer', () => {
  assert.equal(SEND_TIMEOUT_MS, 10_000);
  assert.ok(DELIVERY_LEASE_MS > SEND_TIMEOUT_MS);
});

test('what is under way is not taken by another host before its lease ends', async (t) => {
  const { made } = await opened(t);
  const { answer, release } = heldAnswer();
  made.answer = () => answer;
  await made.runner.runOnce(made.deps.clock.nowMs(), 10);
  await until(() => made.sent.length === 1);
  const other = deliveryRunner(made.deps);
  made.advanceClock(DELIVERY_LEASE_MS - 1);
  assert.equal(await other.runOnce(made.deps.clock.nowMs(), 10), 0);
  release();
  await made.runner.idle();
  assert.equal(made.sent.length, 1);
});

test('an attempt that lost its lease is sent again, and its late answer changes nothing', async (t) => {
  const { made, subscriptionId } = await opened(t);
  const { answer, release } = heldAnswer();
  made.answer = () => answer;
  await made.runner.runOnce(made.deps.clock.nowMs(), 10);
  await until(() => made.sent.length === 1);
  made.advanceClock(DELIVERY_LEASE_MS);
  made.answer = () => ({ responseStatus: 500 });
  const other = deliveryRunner(made.deps);
  assert.equal(await other.runOnce(made.deps.clock.nowMs(), 10), 1);
  await other.idle();
  const retried = await made.onlyDelivery(subscriptionId);
  assert.deepEqual([retried.status, retried.attempt], ['pending', 1]);
  release({ responseStatus: 200 });
  await made.runner.idle();
  assert.deepEqual(await made.onlyDelivery(subscriptionId), retried);
  assert.deepEqual(
    (await made.attempts(retried.id)).map((one) => [one.attempt, one.responseStatus]).sort(),
    [
      [1, 200],
      [1, 500],
    ],
  );
});

test('hosts that die during each attempt make seven, with the waits of any others', async (t) => {
  const { made, subscriptionId } = await opened(t);
  made.answer = () => new Promise(() => undefined);
  for (let attempt = 1; attempt <= 7; attempt += 1) {
    for (const sending of [1, 2]) {
      assert.equal(await deliveryRunner(made.deps).runOnce(made.deps.clock.nowMs(), 10), 1);
      const { attempt: counted, resent } = await made.onlyDelivery(subscriptionId);
      assert.deepEqual([counted, resent], [attempt, sending === 2]);
      await until(() => made.sent.length === 2 * (attempt - 1) + sending);
      made.advanceClock(DELIVERY_LEASE_MS);
    }
    assert.equal(await deliveryRunner(made.deps).runOnce(made.deps.clock.nowMs(), 10), 1);
    const delayMs = made.deps.settings.retryDelaysMs[attempt - 1] ?? 0;
    made.advanceClock(delayMs - 1);
    assert.equal(await deliveryRunner(made.deps).runOnce(made.deps.clock.nowMs(), 10), 0);
    made.advanceClock(1);
  }
  const dead = await made.onlyDelivery(subscriptionId);
  assert.partialDeepStrictEqual(dead, { status: 'dead_letter', attempt: 7 });
  assert.partialDeepStrictEqual(dead, { lastError: 'the sending host stopped during the attempt' });
  assert.equal(made.sent.length, 14);
  assert.ok(made.log.some(({ message }) => message === 'a delivery became a dead letter'));
  assert.equal(await deliveryRunner(made.deps).runOnce(made.deps.clock.nowMs(), 10), 0);
});

test('starts one after the other, each cut short, use up no attempts', async (t) => {
  const { made, subscriptionId } = await opened(t);
  made.answer = () => new Promise(() => undefined);
  const firstAtMs = made.deps.clock.nowMs();
  for (let start = 0; start < 100; start += 1) {
    await made.deps.store.claims.releaseAll(made.deps.clock.nowMs());
    const runner = deliveryRunner(made.deps);
    while ((await runner.runOnce(made.deps.clock.nowMs(), 10)) > 0);
    const { attempt, resent, leaseToken } = await made.onlyDelivery(subscriptionId);
    const sends = 2 * (attempt - 1) + (resent ? 2 : 1);
    if (leaseToken !== null) await until(() => made.sent.length === sends);
    made.advanceClock(SECOND_MS);
  }
  const { status, attempt } = await made.onlyDelivery(subscriptionId);
  assert.deepEqual([status, attempt], ['pending', 2]);
  assert.deepEqual(
    made.sent.map(({ atMs }) => (atMs - firstAtMs) / SECOND_MS),
    [0, 1, 32, 33],
    'once more at once; then 30 s after that one was lost, 2 min and so on',
  );
});

test('a host that starts again takes up at once what it had under way', async (t) => {
  const { made, subscriptionId } = await opened(t);
  made.answer = () => new Promise(() => undefined);
  await made.runner.runOnce(made.deps.clock.nowMs(), 10);
  // Only an attempt that is counted is under way.
  await until(() => made.sent.length === 1);
  made.advanceClock(1_000);
  await made.deps.store.claims.releaseAll(made.deps.clock.nowMs());
  made.answer = () => ({});
  const restarted = deliveryRunner(made.deps);
  assert.equal(await restarted.runOnce(made.deps.clock.nowMs(), 10), 1);
  await restarted.idle();
  const row = await made.onlyDelivery(subscriptionId);
  assert.deepEqual([row.status, row.attempt], ['delivered', 1]);
});

test('an outcome that cannot be stored is logged and its attempt is sent again', async (t) => {
  const { made, subscriptionId } = await opened(t);
  let broken = true;
  const deps: Deps = {
    ...made.deps,
    store: {
      ...made.deps.store,
      run: (work) =>
        broken ? Promise.reject(new Error('the disk is full')) : made.deps.store.run(work),
    },
  };
  const runner = deliveryRunner(deps);
  assert.equal(await runner.runOnce(deps.clock.nowMs(), 10), 1);
  await runner.idle();
  assert.deepEqual(valuesOf(made.log, 'message'), [
    'a delivery attempt was not made or not recorded',
  ]);
  broken = false;
  made.advanceClock(DELIVERY_LEASE_MS);
  assert.equal(await runner.runOnce(deps.clock.nowMs(), 10), 1);
  await runner.idle();
  const row = await made.onlyDelivery(subscriptionId);
  assert.deepEqual([row.status, row.attempt], ['delivered', 1]);
});
