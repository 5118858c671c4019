// Events from before a subscription: sent once each, in the order of the feed, on request.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type Backfilled,
  backfill,
  backfillNext,
} from '../../../../core/usecases/webhooks/backfill.js';
import {
  changeSubscription,
  deleteSubscription,
} from '../../../../core/usecases/webhooks/subscriptions.js';
import { scene, strangers, tenant } from '../../../support/scenes/webhook-scene.js';

/** Three events, then a subscription to two of them, then one more event. */
async function opened(t: TestContext) {
  const made = await scene(t);
  const types = ['payment_intent.created', 'connected_account.created', 'payment_intent.settled'];
  for (const type of types) {
    await made.emit({ type });
    made.advanceClock(1_000);
  }
  const { subscription } = await made.subscribe(['payment_intent.*']);
  await made.emit({ type: 'payment_intent.failed' });
  await made.settle();
  const ask = (after: number, batchesMax?: number): Promise<Backfilled> =>
    backfill(made.deps, tenant, subscription.id, after, batchesMax);
  const got = () => made.sent.map(({ body }) => JSON.parse(String(body)).event);
  return { made, subscription, ask, got };
}

test('a subscription gets the earlier events of its types, in their order, once each', async (t) => {
  const { made, ask, got } = await opened(t);
  assert.deepEqual(got(), ['payment_intent.failed']);
  assert.deepEqual(await ask(0), { queued: 2, nextAfter: 3, hasMore: false });
  assert.ok(made.woken.includes('deliveries'));
  await made.settle();
  const all = ['payment_intent.failed', 'payment_intent.created', 'payment_intent.settled'];
  assert.deepEqual(got(), all);
  assert.deepEqual(await ask(0), { queued: 0, nextAfter: 3, hasMore: false });
  await made.settle();
  assert.deepEqual(got(), all);
});

test('it begins after the place that is given, and at the oldest event that is kept', async (t) => {
  const { made, ask } = await opened(t);
  assert.deepEqual(await ask(2), { queued: 1, nextAfter: 3, hasMore: false });
  assert.deepEqual(await ask(9), { queued: 0, nextAfter: 9, hasMore: false });
  await made.deps.store.run(async (tx) => tx.retention.removeEvents(tenant, 0, 2));
  assert.equal((await made.feed())[0]?.sequence, 3);
  assert.deepEqual(await ask(0, 1), { queued: 0, nextAfter: 3, hasMore: false });
});

test('a long feed is sent by a request after another', async (t) => {
  const made = await scene(t);
  await made.emitMany(1_100);
  const { subscription } = await made.subscribe();
  const ask = (after: number) => backfill(made.deps, tenant, subscription.id, after, 1);
  assert.deepEqual(await ask(0), { queued: 500, nextAfter: 500, hasMore: true });
  assert.deepEqual(await ask(500), { queued: 500, nextAfter: 1_000, hasMore: true });
  assert.deepEqual(await ask(1_000), { queued: 100, nextAfter: 1_100, hasMore: false });
  assert.deepEqual(await ask(0), { queued: 0, nextAfter: 500, hasMore: true });
});

test('a page sends so many at a time, and a repeat goes on with those that are missing', async (t) => {
  const made = await scene(t);
  await made.emitMany(2_100);
  const { subscription } = await made.subscribe();
  const next = () => backfillNext(made.deps, tenant, subscription.id);
  assert.deepEqual(await next(), { queued: 2_000, nextAfter: 2_000, hasMore: true });
  assert.deepEqual(await next(), { queued: 100, nextAfter: 2_100, hasMore: false });
  assert.deepEqual(await next(), { queued: 0, nextAfter: 2_100, hasMore: false });
});

test('a paused subscription, a deleted one and one of a stranger are refused', async (t) => {
  const { made, subscription, ask } = await opened(t);
  const { deps } = made;
  const change = (paused: boolean) => changeSubscription(deps, tenant, subscription.id, { paused });
  await change(true);
  await assert.rejects(ask(0), { code: 'DeliveryNotReplayable', message: /is paused/ });
  await change(false);
  for (const stranger of strangers) {
    await assert.rejects(backfill(deps, stranger, subscription.id, 0), { code: 'NotFound' });
  }
  await deleteSubscription(deps, tenant, subscription.id);
  await assert.rejects(ask(0), { code: 'NotFound' });
});
