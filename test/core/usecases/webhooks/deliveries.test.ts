import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import type { DeliveryStatus } from '../../../../core/domain/webhooks/webhook-delivery.js';
import {
  listDeliveries,
  listOfEvent,
  readByOperator,
  readDelivery,
  replayAllDead,
  replayByOperator,
  replayDeadLetters,
  replayDelivery,
  resendEvent,
} from '../../../../core/usecases/webhooks/deliveries.js';
import {
  changeSubscription,
  deleteSubscription,
} from '../../../../core/usecases/webhooks/subscriptions.js';
import { interrupted, racing } from '../../../support/racing-store.js';
import { aDelivery } from '../../../support/samples/domain-samples.js';
import {
  heldAnswer,
  type Scene,
  scene,
  strangers,
  tenant,
  unanswered,
} from '../../../support/scenes/webhook-scene.js';
import { rowsOf, valuesOf } from '../../../support/values-of.js';

/** Fails everything that is pending until it is a dead letter. */
async function kill(made: Scene): Promise<void> {
  made.answer = () => unanswered;
  await made.exhaust();
}

test('deliveries of a subscription are listed newest first, page by page', async (t) => {
  const made = await scene(t);
  const { subscription } = await made.subscribe();
  await made.subscribe();
  for (let count = 0; count < 7; count += 1) {
    await made.emit({});
    await made.settle();
    made.advanceClock(1);
  }
  const seen: string[] = [];
  for (let beforeId: string | null = null; ; ) {
    const page = { subscriptionId: subscription.id, status: null, beforeId, limit: 3 };
    const rows = await listDeliveries(made.deps, tenant, page);
    for (const row of rows) {
      assert.equal(row.subscriptionId, subscription.id);
      seen.push(row.id);
    }
    if (rows.length < 3) break;
    beforeId = seen.at(-1) ?? null;
  }
  assert.equal(new Set(seen).size, 7);
  assert.deepEqual(seen, [...seen].sort().reverse());
});

test('deliveries stay readable after the deletion, and only for their tenant', async (t) => {
  const { made, subscription } = await attempted(t);
  await deleteSubscription(made.deps, tenant, subscription.id);
  const listed = (of: Tenant, subscriptionId: string) =>
    listDeliveries(made.deps, of, { subscriptionId, status: null, beforeId: null, limit: 10 });
  assert.equal((await listed(tenant, subscription.id)).length, 1);
  for (const [of, id] of [
    ...strangers.map((stranger) => [stranger, subscription.id] as const),
    [tenant, 'whs_unknown'] as const,
  ]) {
    await assert.rejects(listed(of, id), { code: 'NotFound' });
  }
});

test('an operator reads a delivery with every attempt', async (t) => {
  const failure = { responseStatus: 500, responseBody: 'oh' };
  const { made, subscription, id } = await attempted(t, () => failure);
  made.answer = () => ({});
  made.advanceClock(30_000);
  await made.settle();
  const { delivery, attempts } = await readByOperator(made.deps, id);
  assert.deepEqual([delivery], await made.deliveries(subscription.id));
  assert.deepEqual(rowsOf(attempts, 'attempt', 'responseBody'), [
    [1, 'oh'],
    [2, 'ok'],
  ]);
  await assert.rejects(readByOperator(made.deps, 'whd_unknown'), { code: 'NotFound' });
});

test('a tenant reads a delivery of its subscription with the event, and no other one', async (t) => {
  const { made, subscription, id } = await attempted(t);
  const other = await made.subscribe(['webhook.*']);
  const read = await readDelivery(made.deps, tenant, subscription.id, id);
  const [event] = await made.feed();
  assert.deepEqual(
    [read.event, read.subscription.id, read.attempts.length],
    [event, subscription.id, 1],
  );
  for (const place of [
    ...strangers.map((stranger) => [stranger, subscription.id, id] as const),
    [tenant, other.subscription.id, id] as const,
    [tenant, subscription.id, 'whd_unknown'] as const,
  ]) {
    await assert.rejects(readDelivery(made.deps, ...place), { code: 'NotFound' });
  }
  assert.deepEqual(await listOfEvent(made.deps, tenant, read.event.id), [read.delivery]);
  assert.deepEqual(await listOfEvent(made.deps, strangers[0]!, read.event.id), []);
});

/** A subscription, and the one delivery to it that was attempted. */
async function attempted(t: TestContext, answer?: Scene['answer']) {
  const made = await scene(t);
  const { subscription } = await made.subscribe();
  if (answer !== undefined) made.answer = answer;
  await made.emit({});
  await made.settle();
  const [row] = await made.deliveries(subscription.id);
  return { made, subscription, row, id: row?.id ?? '' };
}

test('a delivered one is replayed under its id, with the same bytes', async (t) => {
  const { made, subscription, row: first } = await attempted(t);
  made.advanceClock(5_000);
  const replayed = await replayDelivery(made.deps, tenant, subscription.id, first?.id ?? '');
  assert.deepEqual(
    [replayed.id, replayed.status, replayed.attempt, replayed.nextAttemptAtMs],
    [first?.id, 'pending', 0, made.deps.clock.nowMs()],
  );
  assert.deepEqual([replayed.responseStatus, replayed.deliveredAtMs], [null, null]);
  assert.equal(made.woken.at(-1), 'deliveries');
  await made.settle();
  const [again, ...others] = await made.deliveries(subscription.id);
  assert.deepEqual([again?.id, again?.status, again?.attempt], [first?.id, 'delivered', 1]);
  assert.deepEqual(others, []);
  assert.equal(made.sent.length, 2);
  assert.equal(made.sent[0]?.body, made.sent[1]?.body);
});

test('a delivery that waits for its next attempt is sent now', async (t) => {
  const { made, subscription, row: failed, id } = await attempted(t, () => unanswered);
  assert.deepEqual([failed?.status, failed?.attempt], ['pending', 1]);
  made.answer = () => ({});
  for (const replaying of [
    () => replayDelivery(made.deps, tenant, subscription.id, id),
    () => replayByOperator(made.deps, id),
  ]) {
    await replaying();
    await made.settle();
    const [row] = await made.deliveries(subscription.id);
    assert.deepEqual([row?.id, row?.status, row?.attempt], [id, 'delivered', 1]);
  }
});

test('a delivery in flight is not replayed', async (t) => {
  const made = await scene(t);
  const { subscription } = await made.subscribe();
  const { answer, release } = heldAnswer();
  made.answer = () => answer;
  await made.emit({});
  await made.runner.runOnce(made.deps.clock.nowMs(), 10);
  const { id } = await made.onlyDelivery(subscription.id);
  await assert.rejects(replayDelivery(made.deps, tenant, subscription.id, id), {
    code: 'DeliveryNotReplayable',
    message: /is being sent/,
  });
  release();
  await made.runner.idle();
});

test('an event is sent again to one subscription, also one whose types leave it out', async (t) => {
  const { made, subscription, row } = await attempted(t);
  const { subscription: later } = await made.subscribe(['invoice.*']);
  const eventId = row?.eventId ?? '';
  const to = (subscriptionId: string, of = tenant) =>
    resendEvent(made.deps, of, { eventId, subscriptionId });
  const again = await to(subscription.id);
  const first = await to(later.id);
  assert.deepEqual([again.id, again.status, first.status], [row?.id, 'pending', 'pending']);
  assert.equal((await to(later.id)).id, first.id, 'a repeat is the same delivery');
  await made.settle();
  assert.deepEqual(
    valuesOf(made.sent, 'body'),
    Array.from({ length: 3 }, () => made.sent[0]?.body),
  );
  assert.equal((await made.onlyDelivery(later.id)).status, 'delivered');
  for (const stranger of strangers) {
    await assert.rejects(to(subscription.id, stranger), { code: 'NotFound' });
  }
  await deleteSubscription(made.deps, tenant, later.id);
  await assert.rejects(to(later.id), { code: 'NotFound' });
});

test('an event that is pruned while it is sent again gets no delivery', async (t) => {
  const made = await scene(t);
  await made.emit({});
  const [{ id: eventId } = assert.fail('no event')] = await made.feed();
  const { subscription: later } = await made.subscribe(['invoice.*']);
  const { store } = made.deps;
  const prune = () =>
    store.run(async (tx) => {
      const event = (await tx.feed.get(tenant, eventId)) ?? assert.fail('no event');
      tx.retention.removeEvents(tenant, event.sequence - 1, event.sequence);
    });
  const deps = racing(made.deps, (nth) => (nth === 1 ? prune() : null));
  const late = resendEvent(deps, tenant, { eventId, subscriptionId: later.id });
  await assert.rejects(late, { code: 'NotFound' });
  assert.deepEqual(await made.deliveries(later.id), []);
});

test('an event is sent again also when it has more than 100 deliveries', async (t) => {
  const { made, subscription, row, id } = await attempted(t);
  const eventId = row?.eventId ?? '';
  await made.deps.store.run(async (tx) => {
    for (let index = 1_000; index < 1_100; index += 1) {
      const first = `whd_${'0'.repeat(20)}${index}`;
      tx.deliveries.insert(aDelivery({ ...tenant, id: first, subscriptionId: 'whs_1', eventId }));
    }
  });
  const again = await resendEvent(made.deps, tenant, { eventId, subscriptionId: subscription.id });
  assert.deepEqual([again.id, again.status], [id, 'pending']);
  assert.equal((await made.deliveries(subscription.id)).length, 1);
});

test('a delivery of a deleted subscription is not replayed', async (t) => {
  const { made, subscription, id } = await attempted(t);
  await deleteSubscription(made.deps, tenant, subscription.id);
  for (const replaying of [
    () => replayDelivery(made.deps, tenant, subscription.id, id),
    () => replayByOperator(made.deps, id),
  ]) {
    await assert.rejects(replaying, { code: 'DeliveryNotReplayable', message: /was deleted/ });
  }
});

test('only a delivery of the tenant and of the named subscription is found', async (t) => {
  const { made, subscription, id } = await attempted(t);
  const other = await made.subscribe();
  const cases: readonly (readonly [Tenant, string, string])[] = [
    ...strangers.map((stranger) => [stranger, subscription.id, id] as const),
    [tenant, other.subscription.id, id],
    [tenant, 'whs_unknown', id],
    [tenant, subscription.id, 'whd_unknown'],
  ];
  for (const place of cases) {
    await assert.rejects(replayDelivery(made.deps, ...place), { code: 'NotFound' });
  }
  await assert.rejects(replayByOperator(made.deps, 'whd_unknown'), { code: 'NotFound' });
});

test('replays that race send it once more, not twice', async (t) => {
  const { made, subscription, id } = await attempted(t);
  const results = await Promise.allSettled(
    [1, 2, 3].map(() => replayDelivery(made.deps, tenant, subscription.id, id)),
  );
  assert.ok(results.every(({ status }) => status === 'fulfilled'));
  await made.settle();
  assert.equal(made.sent.length, 2);
});

test('an operator replays a dead letter by its id alone', async (t) => {
  const made = await scene(t);
  const { subscription } = await made.subscribe();
  await made.emit({});
  await kill(made);
  const [dead] = await made.deliveries(subscription.id);
  assert.equal(dead?.status, 'dead_letter');
  made.answer = () => ({});
  const replayed = await replayByOperator(made.deps, dead?.id ?? '');
  assert.deepEqual([replayed.status, replayed.attempt], ['pending', 0]);
  assert.equal(made.woken.at(-1), 'deliveries');
  await made.settle();
  assert.equal((await made.deliveries(subscription.id))[0]?.status, 'delivered');
});

test('the dead letters of one subscription are replayed, the newest thousand at once', async (t) => {
  const made = await scene(t);
  const { subscription } = await made.subscribe();
  const other = await made.subscribe();
  const deadOf = (subscriptionId: string, index: number) =>
    aDelivery({
      ...tenant,
      id: `whd_${subscriptionId}_${String(index).padStart(4, '0')}`,
      subscriptionId,
      status: 'dead_letter',
      nextAttemptAtMs: null,
      dueAtMs: null,
    });
  await made.deps.store.run(async (tx) => {
    for (let index = 0; index < 1_001; index += 1) {
      tx.deliveries.insert(deadOf(subscription.id, index));
    }
    tx.deliveries.insert(deadOf(other.subscription.id, 0));
  });
  const idsOf = async (subscriptionId: string, status: DeliveryStatus | null) => {
    const page = { subscriptionId, status, beforeId: null, limit: 2_000 };
    return (await listDeliveries(made.deps, tenant, page)).map(({ id }) => id);
  };
  const replayed = () => replayDeadLetters(made.deps, tenant, subscription.id);
  assert.deepEqual(await replayed(), { replayed: 1_000, hasMore: true });
  assert.deepEqual(await idsOf(subscription.id, 'dead_letter'), [deadOf(subscription.id, 0).id]);
  assert.deepEqual(await replayed(), { replayed: 1, hasMore: false });
  assert.deepEqual(await replayed(), { replayed: 0, hasMore: false });
  assert.equal((await idsOf(subscription.id, 'pending')).length, 1_001);
  assert.equal((await idsOf(other.subscription.id, 'dead_letter')).length, 1);
  const refused = { code: 'NotFound' };
  await assert.rejects(replayDeadLetters(made.deps, strangers[0]!, subscription.id), refused);
  await deleteSubscription(made.deps, tenant, subscription.id);
  await assert.rejects(replayed(), refused);
});

test('dead letters of a paused subscription are not replayed', async (t) => {
  const made = await scene(t);
  const { subscription } = await made.subscribe();
  await made.emit({});
  await kill(made);
  const change = (paused: boolean) =>
    changeSubscription(made.deps, tenant, subscription.id, { paused });
  const replayed = (deps = made.deps) => replayDeadLetters(deps, tenant, subscription.id);
  const refused = { code: 'DeliveryNotReplayable', message: /is paused/ };
  const pausing = interrupted(made.deps, (nth) => (nth === 2 ? change(true) : null));
  await assert.rejects(replayed(pausing), refused, 'paused between two batches');
  await assert.rejects(replayed(), refused);
  assert.equal(await replayAllDead(made.deps), 0);
  await change(false);
  assert.deepEqual(await replayed(), { replayed: 1, hasMore: false });
});

test('all dead letters of active subscriptions are replayed, each once', async (t) => {
  const made = await scene(t);
  const first = await made.subscribe(['invoice.*']);
  const second = await made.subscribe(['invoice.*'], { tenant: strangers[0]! });
  const gone = await made.subscribe(['invoice.*']);
  const fine = await made.subscribe(['webhook.*', 'payment_intent.*']);
  await made.emit(
    ...Array.from({ length: 130 }, () => ({ type: 'invoice.created' })),
    ...Array.from({ length: 20 }, () => ({ ...strangers[0]!, type: 'invoice.created' })),
  );
  await kill(made);
  await deleteSubscription(made.deps, tenant, gone.subscription.id);
  made.answer = () => ({});
  await made.emit({});
  await made.settle();
  assert.deepEqual([await replayAllDead(made.deps), await replayAllDead(made.deps)], [150, 0]);
  await made.settle();
  for (const [{ subscription }, count, status] of [
    [first, 130, 'delivered'],
    [second, 20, 'delivered'],
    [gone, 130, 'dead_letter'],
    [fine, 1, 'delivered'],
  ] as const) {
    const rows = await made.deliveries(subscription.id);
    assert.deepEqual([rows.length, [...new Set(rows.map((row) => row.status))]], [count, [status]]);
  }
});
