import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ATTEMPTS_MAX } from '../../../../core/domain/webhooks/webhook-delivery.js';
import { DELIVERY_LEASE_MS } from '../../../../core/usecases/webhooks/delivery-attempts.js';
import { deliveryRunner } from '../../../../core/usecases/webhooks/delivery-runner.js';
import { notedMetrics } from '../../../support/noted-metrics.js';
import { scene } from '../../../support/scenes/webhook-scene.js';

/** One event on its way to one receiver, and a runner whose metrics are noted. */
async function opened(t: TestContext) {
  const made = await scene(t);
  const metrics = notedMetrics();
  const deps = { ...made.deps, metrics };
  const runner = deliveryRunner(deps);
  await made.subscribe();
  await made.emit({});
  made.advanceClock(700);
  const attempt = async () => {
    await runner.runOnce(deps.clock.nowMs(), 10);
    await runner.idle();
  };
  return { made, deps, metrics, attempt };
}

test('each attempt is counted by its outcome; a delivery is timed from its event', async (t) => {
  const { made, metrics, attempt } = await opened(t);
  made.answer = () => ({ responseStatus: 503 });
  await attempt();
  assert.deepEqual(metrics.recorded, ['failed 1']);
  made.answer = () => ({});
  made.advanceClock(30_000);
  await attempt();
  assert.deepEqual(metrics.recorded, ['failed 1', 'delivered 30700']);
});

test('the last attempt that fails makes a dead letter', async (t) => {
  const { made, metrics, attempt } = await opened(t);
  made.answer = () => ({ responseStatus: 503 });
  for (let count = 1; count <= ATTEMPTS_MAX; count += 1) {
    await attempt();
    made.advanceClock(86_400_000);
  }
  assert.deepEqual(metrics.recorded, [
    ...Array.from({ length: ATTEMPTS_MAX - 1 }, () => 'failed 1'),
    'dead_letter 1',
  ]);
});

test('attempts that nobody records are counted too, when both sendings are lost', async (t) => {
  const { made, deps, metrics } = await opened(t);
  made.answer = () => new Promise(() => undefined);
  for (let count = 1; count <= ATTEMPTS_MAX; count += 1) {
    for (const _ of ['sent', 'sent again', 'given up']) {
      await deliveryRunner(deps).runOnce(deps.clock.nowMs(), 10);
      made.advanceClock(DELIVERY_LEASE_MS);
    }
    made.advanceClock(86_400_000);
  }
  assert.deepEqual(metrics.recorded, [
    ...Array.from({ length: ATTEMPTS_MAX - 1 }, () => 'failed 1'),
    'dead_letter 1',
  ]);
});

test('an answer that comes when the delivery is another worker’s is not counted', async (t) => {
  const { made, deps, metrics, attempt } = await opened(t);
  const { promise, resolve } = Promise.withResolvers<object>();
  made.answer = () => promise;
  const first = deliveryRunner(deps);
  await first.runOnce(deps.clock.nowMs(), 10);
  made.advanceClock(DELIVERY_LEASE_MS);
  made.answer = () => ({});
  await attempt();
  resolve({});
  await first.idle();
  assert.deepEqual(metrics.recorded, ['delivered 30700']);
});
