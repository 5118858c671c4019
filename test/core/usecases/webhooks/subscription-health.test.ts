import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../../core/domain/base/instant.js';
import { schedules } from '../../../../core/domain/base/schedules.js';
import { listDead } from '../../../../core/usecases/webhooks/deliveries.js';
import {
  listFailing,
  listHealth,
  readHealth,
} from '../../../../core/usecases/webhooks/subscription-health.js';
import { deleteSubscription } from '../../../../core/usecases/webhooks/subscriptions.js';
import { scene, strangers, tenant } from '../../../support/scenes/webhook-scene.js';

test('the health of a subscription counts a day, and what waits or was given up', async (t) => {
  const made = await scene(t);
  const { subscription } = await made.subscribe(['invoice.*']);
  await made.subscribe(['*'], { tenant: strangers[0]! });
  const health = () => readHealth(made.deps, subscription);
  const none = { recent: 0, delivered: 0, pending: 0, dead: 0, oldestPendingAtMs: null };
  assert.deepEqual(await health(), { ...none, subscription, lastFailure: null });
  await made.emit({ type: 'invoice.created' }, { type: 'invoice.settled' });
  await made.settle();
  assert.deepEqual(await health(), {
    ...none,
    recent: 2,
    delivered: 2,
    subscription,
    lastFailure: null,
  });
  made.advanceClock(DAY_MS + HOUR_MS);
  made.answer = () => ({ responseStatus: 502 });
  const failsAtMs = made.deps.clock.nowMs();
  await made.emit({ type: 'invoice.created' });
  await made.settle();
  const failing = await health();
  const [found, ...others] = await listFailing(made.deps, tenant);
  assert.equal(found?.delivery.id, failing.lastFailure?.delivery.id);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [failing.recent, failing.delivered, failing.pending, failing.oldestPendingAtMs],
    [1, 0, 1, failsAtMs],
  );
  const { delivery, atMs } = failing.lastFailure ?? assert.fail('an attempt failed');
  assert.deepEqual([delivery.responseStatus, atMs], [502, failsAtMs]);
  for (const waitMs of schedules.webhookAttempt.waitsMs) {
    made.advanceClock(waitMs);
    await made.settle();
  }
  const dead = await health();
  assert.deepEqual([dead.pending, dead.dead, dead.oldestPendingAtMs], [0, 1, null]);
  assert.equal(dead.lastFailure?.atMs, made.deps.clock.nowMs());
  assert.deepEqual(await listHealth(made.deps, tenant), [dead]);
  assert.deepEqual(await listFailing(made.deps, tenant), [], 'it is not tried again');
});

test('dead letters are listed by active subscription: a deleted one cannot replay them', async (t) => {
  const made = await scene(t);
  const [first, second, gone] = [
    await made.subscribe(),
    await made.subscribe(['webhook.*']),
    await made.subscribe(),
  ];
  made.answer = () => ({ responseStatus: 500 });
  await made.emit({ type: 'invoice.created' }, { type: 'invoice.settled' });
  for (const waitMs of [0, ...schedules.webhookAttempt.waitsMs]) {
    made.advanceClock(waitMs);
    await made.settle();
  }
  await deleteSubscription(made.deps, tenant, gone.subscription.id);
  const listed = await listDead(made.deps, tenant, 5);
  assert.deepEqual(
    listed.map(({ subscription, dead }) => [subscription.id, dead.length]),
    [[first.subscription.id, 2]],
  );
  assert.ok(second.subscription.active);
  assert.equal((await listDead(made.deps, tenant, 1))[0]?.dead.length, 1);
  assert.deepEqual(await listDead(made.deps, strangers[0]!, 5), []);
});
