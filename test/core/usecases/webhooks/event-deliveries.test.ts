// Deliveries without a row: after a crash they are found behind the cursor of their subscription.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { webhookHeaders } from '../../../../core/domain/webhooks/signature.js';
import type { Deps } from '../../../../core/ports/deps.js';
import { quarantineRestored } from '../../../../core/usecases/service/epochs.js';
import { deliveryRunner } from '../../../../core/usecases/webhooks/delivery-runner.js';
import { missingSearch } from '../../../../core/usecases/webhooks/event-deliveries.js';
import { deleteSubscription } from '../../../../core/usecases/webhooks/subscriptions.js';
import { emitBy, scene, tenant } from '../../../support/scenes/webhook-scene.js';
import { valuesOf } from '../../../support/values-of.js';
import { until } from '../../../support/wait.js';

/** A subscription, and a host that dies between the commit of an event and its deliveries. */
async function opened(t: TestContext) {
  const made = await scene(t);
  const { subscription } = await made.subscribe(['payment_intent.*']);
  const crashing: Deps = { ...made.deps, dispatch: () => () => undefined };
  const lost = (count = 1, type = 'payment_intent.created') =>
    emitBy(crashing, ...Array.from({ length: count }, () => ({ type })));
  const rows = () => made.deliveries(subscription.id);
  const cursor = async () => {
    const behind = await made.deps.store.run((tx) => tx.subscriptions.behind('', 10));
    return behind.find((one) => one.subscription.id === subscription.id)?.cursor ?? 'at the head';
  };
  return { made, deps: made.deps, subscription, lost, rows, cursor };
}

test('a delivery that a crash left without a row is stored and sent', async (t) => {
  const { made, deps, lost, rows } = await opened(t);
  const [event] = await lost();
  assert.equal(await missingSearch(deps)({ all: true }), 1);
  assert.ok(made.woken.includes('deliveries'));
  await made.settle();
  const [row, ...more] = await rows();
  assert.deepEqual([row?.eventId, row?.status, more], [event?.id, 'delivered', []]);
});

test('it has the id under which it was sent before the crash', async (t) => {
  const { made, deps } = await opened(t);
  const dying = deliveryRunner(deps);
  await dying.runOnce(deps.clock.nowMs(), 10);
  // Its answer never comes.
  const { promise: never, resolve: end } = Promise.withResolvers<object>();
  made.answer = () => never;
  await emitBy({ ...deps, dispatch: () => dying.dispatch() }, {});
  await until(() => made.sent.length === 1);
  made.answer = () => ({});
  await missingSearch(deps)({ all: true });
  await made.settle();
  const [before, after] = made.sent.map(({ headers }) => headers[webhookHeaders.deliveryId]);
  assert.equal(made.sent.length, 2);
  assert.equal(after, before);
  end({});
  await dying.idle();
});

test('while hosts send, a search takes only what the search before it has seen', async (t) => {
  const { deps, lost, rows } = await opened(t);
  const search = missingSearch(deps);
  await lost();
  assert.equal(await search(), 0);
  await lost();
  assert.equal(await search(), 1);
  assert.equal((await rows()).length, 1);
  assert.equal(await search(), 1);
  assert.equal(await search(), 0);
  assert.equal((await rows()).length, 2);
});

test('the cursor never passes an event whose delivery may have no row', async (t) => {
  const { deps, lost, cursor } = await opened(t);
  const search = missingSearch(deps);
  await lost(2);
  await search();
  assert.equal(await cursor(), 0);
  await lost(1);
  await search();
  assert.equal(await cursor(), 2);
  await search();
  assert.equal(await cursor(), 'at the head');
});

test('what has a row, or another type, is not missing', async (t) => {
  const { made, deps, lost, rows } = await opened(t);
  await made.emit({});
  await lost(2, 'invoice.created');
  assert.equal(await missingSearch(deps)({ all: true }), 0);
  assert.equal((await rows()).length, 1);
});

test('each of more events than one batch takes is found', async (t) => {
  const { deps, lost, rows } = await opened(t);
  const events = await lost(1_001);
  assert.equal(await missingSearch(deps)({ all: true }), 1_001);
  const found = valuesOf(await rows(), 'eventId').toSorted();
  assert.deepEqual(found.length, 1_000);
  assert.ok(found.every((id) => events.some((event) => event.id === id)));
});

test('a subscription gets no event from before it, and none once it is deleted', async (t) => {
  const { made, deps, subscription, lost, rows } = await opened(t);
  await lost();
  await deleteSubscription(deps, tenant, subscription.id);
  const younger = await made.subscribe();
  assert.equal(await missingSearch(deps)({ all: true }), 0);
  assert.deepEqual([await rows(), await made.deliveries(younger.subscription.id)], [[], []]);
});

test('in quarantine what is missing is stored, and not sent before the release', async (t) => {
  const { made, deps, lost, rows } = await opened(t);
  await lost();
  await quarantineRestored(deps);
  assert.equal(await missingSearch(deps)({ all: true }), 1);
  await made.settle();
  assert.deepEqual([(await rows()).length, made.sent.length], [1, 0]);
});
