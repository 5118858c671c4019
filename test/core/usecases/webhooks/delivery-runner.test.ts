import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schedules } from '../../../../core/domain/base/schedules.js';
import { webhookHeaders } from '../../../../core/domain/webhooks/signature.js';
import type { Deps } from '../../../../core/ports/deps.js';
import type { WebhookResult } from '../../../../core/ports/outside.js';
import { replayDelivery } from '../../../../core/usecases/webhooks/deliveries.js';
import { deliveryRunner } from '../../../../core/usecases/webhooks/delivery-runner.js';
import { IN_FLIGHT_PER_SUBSCRIPTION } from '../../../../core/usecases/webhooks/delivery-window.js';
import {
  deleteSubscription,
  rotateSecret,
} from '../../../../core/usecases/webhooks/subscriptions.js';
import { STARTS_AT_MS } from '../../../support/scenes/test-world.js';
import {
  heldAnswer,
  scene,
  tenant,
  unanswered,
  verified,
} from '../../../support/scenes/webhook-scene.js';
import { rowsOf, valuesOf } from '../../../support/values-of.js';
import { turn, until } from '../../../support/wait.js';

test('a webhook has the body of its event and the headers of the interface', async (t) => {
  const made = await scene(t);
  const { subscription, secret } = await made.subscribe();
  const [event] = await made.emit({});
  made.advanceClock(1_999);
  await made.settle();
  const delivery = await made.onlyDelivery(subscription.id);
  const [sent] = made.sent;
  assert.deepEqual(Object.keys(sent?.headers ?? {}), [
    'Content-Type',
    'X-Service-Signature',
    'X-Service-Delivery-Id',
    'X-Service-Event-Type',
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
  ]);
  assert.equal(sent?.headers['Content-Type'], 'application/json');
  assert.equal(sent?.headers['X-Service-Delivery-Id'], delivery.id);
  assert.deepEqual([sent?.headers['X-Service-Event-Type'], sent?.body], [event?.type, event?.body]);
  assert.equal(sent?.url, subscription.url);
  const timestampSeconds = Math.floor((STARTS_AT_MS + 1_999) / 1_000);
  assert.deepEqual(verified(sent, secret), { valid: true, timestampSeconds });
});

const outcomes: readonly (readonly [answer: Partial<WebhookResult>, lastError: string | null])[] = [
  ...[200, 201, 204, 299].map((responseStatus) => [{ responseStatus }, null] as const),
  ...[301, 307, 400, 410, 429, 500].map(
    (responseStatus) => [{ responseStatus }, `the receiver answered ${responseStatus}`] as const,
  ),
  [unanswered, 'the connection was refused'],
];

test('a 2xx is delivered; everything else is tried again', async (t) => {
  for (const [answer, lastError] of outcomes) {
    const status = lastError === null ? 'delivered' : 'pending';
    const made = await scene(t);
    made.answer = () => answer;
    const { subscription } = await made.subscribe();
    await made.emit({});
    await made.settle();
    const row = await made.onlyDelivery(subscription.id);
    assert.deepEqual([row.status, row.lastError, row.attempt], [status, lastError, 1]);
    assert.partialDeepStrictEqual(row, { responseStatus: answer.responseStatus, leaseToken: null });
    const deliveredAtMs = status === 'delivered' ? STARTS_AT_MS : null;
    const nextAttemptAtMs = status === 'delivered' ? null : STARTS_AT_MS + 30_000;
    assert.deepEqual([row.deliveredAtMs, row.nextAttemptAtMs], [deliveredAtMs, nextAttemptAtMs]);
    assert.equal(made.sent.length, 1);
  }
});

test('seven attempts on schedule, the same bytes each time, then a dead letter', async (t) => {
  const made = await scene(t);
  made.answer = () => ({ responseStatus: 503, responseBody: 'not now', durationMs: 40 });
  const { subscription, secret } = await made.subscribe();
  await made.emit({});
  await made.settle();
  const plannedMs = [STARTS_AT_MS];
  for (const delayMs of schedules.webhookAttempt.waitsMs) {
    const dueAtMs = (plannedMs.at(-1) ?? 0) + delayMs;
    const row = await made.onlyDelivery(subscription.id);
    assert.deepEqual([row.status, row.nextAttemptAtMs], ['pending', dueAtMs]);
    assert.equal(await made.deps.store.claims.nextDueAtMs(), dueAtMs);
    made.advanceClock(delayMs - 1);
    await made.settle();
    assert.equal(made.sent.length, plannedMs.length);
    made.advanceClock(1);
    await made.settle();
    plannedMs.push(dueAtMs);
  }
  assert.deepEqual(valuesOf(made.sent, 'atMs'), plannedMs);
  const dead = await made.onlyDelivery(subscription.id);
  assert.deepEqual(
    [dead.status, dead.attempt, dead.lastError, dead.nextAttemptAtMs, dead.dueAtMs],
    ['dead_letter', 7, 'the receiver answered 503', null, null],
  );
  assert.equal(await made.deps.store.claims.nextDueAtMs(), null);
  const [first] = made.sent;
  for (const sent of made.sent) {
    const { body, headers, atMs } = sent;
    assert.deepEqual([body, headers[webhookHeaders.deliveryId]], [first?.body, dead.id]);
    const timestampSeconds = Math.floor(atMs / 1_000);
    assert.deepEqual(verified(sent, secret), { valid: true, timestampSeconds });
  }
  const attempts = await made.attempts(dead.id);
  assert.deepEqual(
    rowsOf(attempts, 'attempt', 'startedAtMs'),
    plannedMs.map((atMs, index) => [index + 1, atMs]),
  );
  for (const { responseStatus, responseBody, error, durationMs } of attempts) {
    assert.deepEqual([responseStatus, responseBody, error, durationMs], [503, 'not now', null, 40]);
  }
  assert.ok(made.log.some(({ message }) => message === 'a delivery became a dead letter'));
  made.advanceClock(365 * 86_400_000);
  await made.settle();
  assert.equal(made.sent.length, 7);
});

test('a replayed dead letter has seven attempts again, under the same id', async (t) => {
  const made = await scene(t);
  made.answer = () => unanswered;
  const { subscription } = await made.subscribe();
  await made.emit({});
  await made.exhaust();
  const dead = await made.onlyDelivery(subscription.id);
  assert.equal(dead.status, 'dead_letter');
  made.advanceClock(1_000);
  await replayDelivery(made.deps, tenant, subscription.id, dead.id);
  for (const delayMs of [0, ...schedules.webhookAttempt.waitsMs.slice(0, -1)]) {
    made.advanceClock(delayMs);
    await made.settle();
  }
  const again = await made.onlyDelivery(subscription.id);
  assert.deepEqual([again.id, again.status, again.attempt], [dead.id, 'pending', 6]);
  made.answer = () => ({});
  made.advanceClock(schedules.webhookAttempt.waitsMs.at(-1) ?? 0);
  await made.settle();
  const delivered = await made.onlyDelivery(subscription.id);
  assert.partialDeepStrictEqual(delivered, { id: dead.id, status: 'delivered', attempt: 7 });
  assert.partialDeepStrictEqual(delivered, { lastError: null });
  const ids = made.sent.map(({ headers }) => headers[webhookHeaders.deliveryId]);
  assert.deepEqual([...new Set(ids)], [dead.id]);
  assert.deepEqual([new Set(made.sent.map(({ body }) => body)).size, made.sent.length], [1, 14]);
  assert.deepEqual(
    valuesOf(await made.attempts(dead.id), 'attempt'),
    [1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7],
  );
});

test('the wait is counted from the end of the attempt, by the configured delays', async (t) => {
  const made = await scene(t);
  const deps: Deps = {
    ...made.deps,
    settings: { ...made.deps.settings, retryDelaysMs: [5, 5, 5, 5, 5, 5] },
  };
  made.answer = () => {
    made.advanceClock(2_000);
    return { responseStatus: 500 };
  };
  const { subscription } = await made.subscribe();
  await made.emitMany(1);
  const runner = deliveryRunner(deps);
  await runner.runOnce(STARTS_AT_MS, 10);
  await runner.idle();
  const row = await made.onlyDelivery(subscription.id);
  assert.equal(row.nextAttemptAtMs, STARTS_AT_MS + 2_005);
});

test('a rotated secret signs the next attempt', async (t) => {
  const made = await scene(t);
  made.answer = () => ({ responseStatus: 500 });
  const { subscription, secret } = await made.subscribe();
  await made.emit({});
  await made.settle();
  const rotated = await rotateSecret(made.deps, tenant, subscription.id);
  made.advanceClock(30_000);
  await made.settle();
  for (const [index, valid] of [
    [0, { [secret]: true, [rotated.secret]: false }],
    [1, { [secret]: false, [rotated.secret]: true }],
  ] as const) {
    for (const [key, expected] of Object.entries(valid)) {
      assert.equal(verified(made.sent[index], key).valid, expected);
    }
  }
});

test('one hanging subscription does not delay another', async (t) => {
  const made = await scene(t);
  const slow = await made.subscribe(['*'], { url: 'https://slow.example/' });
  const quick = await made.subscribe(['*'], { url: 'https://quick.example/' });
  const { answer, release } = heldAnswer();
  made.answer = ({ url }) => (url === slow.subscription.url ? answer : {});
  await made.emitMany(200);
  const toQuick = () => made.sent.filter(({ url }) => url === quick.subscription.url).length;
  const toSlow = () => made.sent.filter(({ url }) => url === slow.subscription.url).length;
  for (let runs = 0; toQuick() < 200; runs += 1) {
    assert.ok(runs < 1_000, 'the quick one gets all of its deliveries');
    await made.runner.runOnce(made.deps.clock.nowMs(), 50);
    await turn();
  }
  await until(() => made.runner.inFlight() === IN_FLIGHT_PER_SUBSCRIPTION);
  const rows = await made.deliveries(quick.subscription.id);
  assert.ok(rows.every(({ status }) => status === 'delivered'));
  assert.equal(toSlow(), IN_FLIGHT_PER_SUBSCRIPTION);
  assert.equal(await made.runner.runOnce(made.deps.clock.nowMs(), 50), 0);
  release();
  await made.settle();
  assert.equal(toSlow(), 200);
});

test('when a slot is free, a subscription that found none is claimed again', async (t) => {
  const made = await scene(t);
  await made.subscribe();
  const { answer, release } = heldAnswer();
  made.answer = () => answer;
  await made.emitMany(IN_FLIGHT_PER_SUBSCRIPTION + 1);
  while ((await made.runner.runOnce(made.deps.clock.nowMs(), 100)) > 0);
  assert.equal(made.runner.inFlight(), IN_FLIGHT_PER_SUBSCRIPTION);
  const wokenBefore = made.woken.length;
  release();
  await until(() => made.woken.length > wokenBefore);
  assert.equal(made.woken.at(-1), 'deliveries');
  assert.ok((await made.runner.runOnce(made.deps.clock.nowMs(), 100)) > 0);
  await made.runner.idle();
  assert.deepEqual([made.runner.inFlight(), made.sent.length], [0, IN_FLIGHT_PER_SUBSCRIPTION + 1]);
});

test('a run begins no more than its limit, and the next one goes on with the others', async (t) => {
  const made = await scene(t);
  const urls = ['a', 'b', 'c', 'd', 'e'].map((name) => `https://${name}.example/`);
  for (const url of urls) await made.subscribe(['*'], { url });
  await made.emitMany(3);
  const { answer, release } = heldAnswer();
  made.answer = () => answer;
  for (const expected of [2, 2, 2]) {
    assert.equal(await made.runner.runOnce(made.deps.clock.nowMs(), 2), expected);
  }
  // Nobody is served twice while others were not served at all.
  await until(() => made.sent.length === 6);
  assert.deepEqual([...new Set(made.sent.map(({ url }) => url))].sort(), urls);
  release();
  await made.settle();
  assert.equal(made.sent.length, 15);
});

test('who is known to wait is served without a look; who is not, soon', async (t) => {
  const made = await scene(t);
  const { store } = made.deps;
  let looks = 0;
  const dueSubscriptions: typeof store.claims.dueSubscriptions = (nowMs) => {
    looks += 1;
    return store.claims.dueSubscriptions(nowMs);
  };
  const claims = { ...store.claims, dueSubscriptions };
  const runner = deliveryRunner({ ...made.deps, store: { ...store, claims } });
  const run = async () => {
    const begun = await runner.runOnce(made.deps.clock.nowMs(), 10);
    await runner.idle();
    return begun;
  };
  await made.subscribe(['payment_intent.*']);
  const other = await made.subscribe(['invoice.*'], { url: 'https://other.example/' });
  await made.emitMany(60);
  assert.deepEqual([await run(), await run(), looks], [10, 10, 1]);
  await made.emit({ type: 'invoice.created' });
  made.advanceClock(24);
  assert.deepEqual([await run(), looks], [10, 1]);
  made.advanceClock(1);
  assert.deepEqual([await run(), looks], [6, 2]);
  assert.equal(made.sent.filter(({ url }) => url === other.subscription.url).length, 1);
  while ((await run()) > 0);
  assert.equal(made.sent.length, 61);
});

test('a subscription that was deleted ends its deliveries without sending them', async (t) => {
  const made = await scene(t);
  const { subscription } = await made.subscribe();
  await made.emitMany(3);
  await made.deps.store.run(async (tx) => {
    const found = (await tx.subscriptions.get(tenant, subscription.id)) ?? assert.fail();
    tx.subscriptions.update({ ...found, active: false });
  });
  await made.settle();
  assert.deepEqual(made.sent, []);
  for (const row of await made.deliveries(subscription.id)) {
    assert.deepEqual([row.status, row.lastError], ['dead_letter', 'subscription deleted']);
    assert.deepEqual(await made.attempts(row.id), []);
  }
});

test('an answer that comes after the deletion is logged and changes nothing', async (t) => {
  const made = await scene(t);
  const { subscription } = await made.subscribe();
  const { answer, release } = heldAnswer();
  made.answer = () => answer;
  await made.emitMany(1);
  await made.runner.runOnce(made.deps.clock.nowMs(), 10);
  await deleteSubscription(made.deps, tenant, subscription.id);
  release({ responseStatus: 200 });
  await made.runner.idle();
  const row = await made.onlyDelivery(subscription.id);
  assert.deepEqual([row.status, row.lastError], ['dead_letter', 'subscription deleted']);
  assert.deepEqual(valuesOf(await made.attempts(row.id), 'responseStatus'), [200]);
});

test('a secret that cannot be opened fails the attempt and sends nothing', async (t) => {
  const made = await scene(t);
  const { subscription } = await made.subscribe();
  await made.emitMany(1);
  const deps: Deps = {
    ...made.deps,
    secretBox: {
      ...made.deps.secretBox,
      open: () => {
        throw new Error('no such key');
      },
    },
  };
  const runner = deliveryRunner(deps);
  await runner.runOnce(deps.clock.nowMs(), 10);
  await runner.idle();
  const row = await made.onlyDelivery(subscription.id);
  assert.partialDeepStrictEqual(row, { status: 'pending', attempt: 1 });
  assert.partialDeepStrictEqual(row, { lastError: 'the webhook secret cannot be read; rotate it' });
  assert.deepEqual(made.sent, []);
  assert.ok(made.log.some(({ message }) => message === 'a webhook secret cannot be opened'));
});
