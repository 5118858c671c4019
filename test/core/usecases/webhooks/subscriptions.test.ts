import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../../core/domain/base/instant.js';
import { schedules } from '../../../../core/domain/base/schedules.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { listDead } from '../../../../core/usecases/webhooks/deliveries.js';
import { deliveryRunner } from '../../../../core/usecases/webhooks/delivery-runner.js';
import { missingSearch } from '../../../../core/usecases/webhooks/event-deliveries.js';
import {
  listFailing,
  listHealth,
  readHealth,
} from '../../../../core/usecases/webhooks/subscription-health.js';
import {
  changeSubscription,
  createSubscription,
  deleteSubscription,
  listSubscriptions,
  openSecret,
  overlappingIn,
  rotateSecret,
  testSubscription,
} from '../../../../core/usecases/webhooks/subscriptions.js';
import { interrupted, racing } from '../../../support/racing-store.js';
import { STARTS_AT_MS } from '../../../support/scenes/test-world.js';
import {
  emitBy,
  type Scene,
  scene,
  strangers,
  tenant,
  url,
} from '../../../support/scenes/webhook-scene.js';
import { valuesOf } from '../../../support/values-of.js';

test('a subscription is stored with its types, active, its secret sealed', async (t) => {
  const { deps } = await scene(t);
  const input = { url, eventTypes: ['invoice.*', 'payment_intent.settled', 'invoice.*'] };
  const { subscription, secret } = await createSubscription(deps, tenant, input);
  assert.match(subscription.id, /^whs_/);
  assert.deepEqual(
    { ...subscription, secretSealed: '' },
    {
      ...tenant,
      id: subscription.id,
      url,
      eventTypes: ['invoice.*', 'payment_intent.settled'],
      active: true,
      paused: false,
      slot: subscription.slot,
      secretSealed: '',
      createdAtMs: STARTS_AT_MS,
      updatedAtMs: STARTS_AT_MS,
      version: 1,
    },
  );
  const [stored] = await listSubscriptions(deps, tenant);
  assert.deepEqual(stored, subscription);
  assert.equal(JSON.stringify(stored).includes(secret), false);
  assert.equal(openSecret(deps, subscription), secret);
});

test('those of a mode that send the same events to the same URL are found', async (t) => {
  const { deps } = await scene(t);
  const live = { ...tenant, mode: 'live' } as const;
  const make = async (of: Tenant, ...eventTypes: readonly string[]) =>
    (await createSubscription(deps, of, { url, eventTypes })).subscription.id;
  for (let count = 0; count < 2; count += 1) await make({ ...tenant, mode: 'test' }, '*');
  const [first] = [await make(live, 'invoice.*'), await make(live, 'payment_intent.settled')];
  assert.deepEqual(await overlappingIn(deps, 'live', 9), []);
  const second = await make(live, 'invoice.settled');
  assert.deepEqual((await overlappingIn(deps, 'live', 9)).toSorted(), [first, second].toSorted());
  assert.equal((await overlappingIn(deps, 'test', 9)).length, 2);
});

test('a secret is whsec_ and the standard base64 of 32 random bytes', async (t) => {
  const { subscribe } = await scene(t);
  const secrets = [];
  for (let count = 0; count < 20; count += 1) secrets.push((await subscribe()).secret);
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32);
  }
  assert.equal(new Set(secrets).size, 20);
});

test('a sealed secret opens for its own subscription only', async (t) => {
  const { deps, subscribe } = await scene(t);
  const [mine, other] = [await subscribe(), await subscribe()];
  assert.throws(() => openSecret(deps, { ...mine.subscription, id: other.subscription.id }));
});

test('a URL that may not be called is refused, naming url and why', async (t) => {
  const made = await scene(t);
  made.refusal = (asked) => (asked === url ? 'The URL must use https.' : null);
  const refused = { code: 'ValidationError', message: /^url: The URL must use https\.$/ };
  await assert.rejects(made.subscribe(), refused);
  assert.deepEqual(await listSubscriptions(made.deps, tenant), []);
});

const typeRefusals: readonly (readonly [eventTypes: readonly string[], message: RegExp])[] = [
  [[], /^eventTypes: Name at least one/],
  [['payment_intent.paid'], /^eventTypes: Unknown: payment_intent\.paid\. /],
  [['invoice.created', 'nonsense', 'payments.*'], /Unknown: nonsense, payments\.\*\. /],
  [['payment_intent'], /Unknown: payment_intent\. /],
  [['*.created'], /Unknown: \*\.created\. /],
  [['payment_intent.awaiting_approval'], /Unknown/],
  [['Invoice.Created'], /Unknown/],
  [[' *'], /Unknown/],
  [['a', 'b', 'c', 'd', 'e', 'f'], /Unknown: a, b, c, d, e, …\. /],
  [['a'.repeat(5_000)], /Unknown: a{100}\. /],
];

test('event types that do not exist are refused by name, and there is at least one', async (t) => {
  const { deps, subscribe } = await scene(t);
  for (const [eventTypes, message] of typeRefusals) {
    await assert.rejects(subscribe(eventTypes), { code: 'ValidationError', message: message });
  }
  assert.deepEqual(await listSubscriptions(deps, tenant), []);
});

const tooMany = { code: 'ValidationError', message: /100 active webhook subscriptions/ };

test('a tenant has at most 100 active subscriptions; deleted ones do not count', async (t) => {
  const { deps, subscribe } = await scene(t);
  const { subscription } = await subscribe();
  for (let count = 1; count < 100; count += 1) await subscribe();
  await assert.rejects(subscribe(), tooMany);
  for (const stranger of strangers) await subscribe(['*'], { tenant: stranger });
  await deleteSubscription(deps, tenant, subscription.id);
  await subscribe();
  assert.equal((await listSubscriptions(deps, tenant)).length, 101);
});

test('creates that race pass the limit by none', async (t) => {
  const { deps, subscribe } = await scene(t);
  for (let count = 0; count < 60; count += 1) await subscribe();
  const made = await Promise.allSettled(Array.from({ length: 80 }, () => subscribe()));
  const active = (await listSubscriptions(deps, tenant)).filter((one) => one.active);
  assert.equal(active.length, 60 + made.filter(({ status }) => status === 'fulfilled').length);
  assert.ok(active.length <= 100, `${active.length}`);
  // Some creates lose every race and are refused as transient; the loop uses up the rest.
  while ((await Promise.allSettled([subscribe()]))[0]?.status === 'fulfilled');
  assert.equal((await listSubscriptions(deps, tenant)).length, 100);
  await assert.rejects(subscribe(), tooMany);
});

test('a list has every active subscription and the 100 newest deleted ones', async (t) => {
  const { deps, subscribe, advanceClock } = await scene(t);
  const oldest = await subscribe();
  const deleted: string[] = [];
  for (let count = 0; count < 103; count += 1) {
    advanceClock(1);
    const { subscription } = await subscribe();
    await deleteSubscription(deps, tenant, subscription.id);
    deleted.push(subscription.id);
  }
  const listed = await listSubscriptions(deps, tenant);
  const newest = deleted.slice(3).reverse();
  assert.deepEqual(valuesOf(listed, 'id'), [...newest, oldest.subscription.id]);
  const [gone = ''] = deleted;
  assert.equal((await deleteSubscription(deps, tenant, gone)).active, false, 'it is still there');
});

test('a list shows the tenant its own, newest first, deleted ones inactive', async (t) => {
  const made = await scene(t);
  const first = await made.subscribe();
  made.advanceClock(5);
  const second = await made.subscribe();
  await deleteSubscription(made.deps, tenant, first.subscription.id);
  const rows = await listSubscriptions(made.deps, tenant);
  assert.deepEqual(valuesOf(rows, 'id'), [second.subscription.id, first.subscription.id]);
  assert.deepEqual(valuesOf(rows, 'active'), [true, false]);
  for (const stranger of strangers) {
    assert.deepEqual(await listSubscriptions(made.deps, stranger), []);
  }
});

test('a rotation replaces the secret immediately', async (t) => {
  const made = await scene(t);
  const { subscription, secret } = await made.subscribe();
  made.advanceClock(1_000);
  const rotated = await rotateSecret(made.deps, tenant, subscription.id);
  assert.notEqual(rotated.secret, secret);
  assert.match(rotated.secret, /^whsec_/);
  const [stored = assert.fail()] = await listSubscriptions(made.deps, tenant);
  assert.equal(openSecret(made.deps, stored), rotated.secret);
  assert.deepEqual([stored.updatedAtMs, stored.createdAtMs], [STARTS_AT_MS + 1_000, STARTS_AT_MS]);
});

test('rotations that race leave the secret of one of them', async (t) => {
  const { deps, subscribe } = await scene(t);
  const { subscription } = await subscribe();
  const rotations = await Promise.all(
    [1, 2, 3].map(() => rotateSecret(deps, tenant, subscription.id)),
  );
  const [stored = assert.fail()] = await listSubscriptions(deps, tenant);
  assert.ok(rotations.map(({ secret }) => secret).includes(openSecret(deps, stored)));
  assert.equal(stored.version, 4);
});

test('of rotations of one version that race, one replaces the secret', async (t) => {
  const { deps, subscribe } = await scene(t);
  const { id, version } = (await subscribe()).subscription;
  const rotations = await Promise.all([1, 2, 3].map(() => rotateSecret(deps, tenant, id, version)));
  const [made, ...others] = rotations.filter((rotation) => rotation !== null);
  assert.deepEqual(others, []);
  const [stored = assert.fail()] = await listSubscriptions(deps, tenant);
  assert.equal(openSecret(deps, stored), made?.secret);
});

test('a deletion ends what is pending as dead letters: subscription deleted', async (t) => {
  const made = await scene(t);
  const { deps } = made;
  const { subscription } = await made.subscribe();
  const other = await made.subscribe();
  await made.emit({});
  await made.settle();
  await made.emit(...Array.from({ length: 250 }, () => ({})));
  made.advanceClock(1_000);
  const deleted = await deleteSubscription(deps, tenant, subscription.id);
  assert.deepEqual([deleted.active, deleted.updatedAtMs], [false, STARTS_AT_MS + 1_000]);
  const rows = await made.deliveries(subscription.id);
  assert.equal(rows.length, 251);
  const dead = rows.filter(({ status }) => status === 'dead_letter');
  assert.equal(dead.length, 250);
  for (const { lastError, dueAtMs, nextAttemptAtMs } of dead) {
    assert.deepEqual([lastError, dueAtMs, nextAttemptAtMs], ['subscription deleted', null, null]);
  }
  const untouched = await made.deliveries(other.subscription.id);
  assert.equal(untouched.filter(({ status }) => status === 'pending').length, 250);
});

test('a repeated deletion answers the same and ends what an interrupted one left', async (t) => {
  const made = await scene(t);
  const { subscription } = await made.subscribe();
  await made.emit({});
  // The first one got no further than its first batch.
  await made.deps.store.run(async (tx) => {
    const found = (await tx.subscriptions.get(tenant, subscription.id)) ?? assert.fail();
    tx.subscriptions.update({ ...found, active: false });
  });
  const again = await deleteSubscription(made.deps, tenant, subscription.id);
  assert.deepEqual([again.active, again.updatedAtMs], [false, STARTS_AT_MS]);
  assert.equal((await made.deliveries(subscription.id))[0]?.status, 'dead_letter');
});

/** Stores an event whose batch has read the subscriptions before `change`. */
async function emitAcross(made: Scene, change: () => Promise<unknown>): Promise<void> {
  await emitBy(
    racing(made.deps, (nth) => (nth === 1 ? change() : null)),
    {},
  );
}

test('an event that is stored after a subscription was deleted has no delivery to it', async (t) => {
  const made = await scene(t);
  const { subscription } = await made.subscribe();
  await emitAcross(made, () => deleteSubscription(made.deps, tenant, subscription.id));
  assert.deepEqual(await made.deliveries(subscription.id), []);
  assert.equal((await made.feed()).length, 1);
});

test('an event that is stored after a subscription was created has a delivery to it', async (t) => {
  const made = await scene(t);
  const created: string[] = [];
  await emitAcross(made, async () => created.push((await made.subscribe()).subscription.id));
  await missingSearch(made.deps)({ all: true });
  assert.equal((await made.deliveries(created[0] ?? '')).length, 1);
});

test('a test sends webhook.test to this one alone and answers with the delivery', async (t) => {
  const made = await scene(t);
  const { subscription } = await made.subscribe(['invoice.created']);
  await made.subscribe(['*']);
  const delivery = await testSubscription(made.deps, tenant, subscription.id);
  assert.partialDeepStrictEqual(delivery, { status: 'pending', eventType: 'webhook.test' });
  assert.partialDeepStrictEqual(delivery, { attempt: 0, subscriptionId: subscription.id });
  assert.ok(made.woken.includes('deliveries'));
  await made.settle();
  assert.equal(made.sent.length, 1);
  assert.deepEqual(JSON.parse(made.sent[0]?.body ?? ''), {
    event: 'webhook.test',
    data: {
      subscriptionId: subscription.id,
      externalEventId: delivery.eventId,
      occurredAt: '2030-01-01T00:00:00.000Z',
    },
  });
  const [row] = await made.deliveries(subscription.id);
  assert.deepEqual([row?.id, row?.status], [delivery.id, 'delivered']);
});

test('a test event has its place in the feed, between all others', async (t) => {
  const made = await scene(t);
  const { subscription } = await made.subscribe();
  const { deps } = made;
  await Promise.all([
    made.emit({}),
    testSubscription(deps, tenant, subscription.id),
    testSubscription(deps, tenant, subscription.id),
    made.emit({}),
  ]);
  await made.settle();
  const rows = await made.feed();
  assert.deepEqual(valuesOf(rows, 'sequence'), [1, 2, 3, 4]);
  assert.equal(rows.filter(({ type }) => type === 'webhook.test').length, 2);
  assert.equal(made.sent.length, 4);
});

test('one of another tenant, an unknown one and a deleted one are not found', async (t) => {
  const { deps, subscribe } = await scene(t);
  const { subscription } = await subscribe();
  const gone = await subscribe();
  await deleteSubscription(deps, tenant, gone.subscription.id);
  const cases: readonly (readonly [Tenant, string])[] = [
    ...strangers.map((stranger) => [stranger, subscription.id] as const),
    [tenant, 'whs_unknown'],
  ];
  for (const [of, id] of cases) {
    for (const operation of [rotateSecret, deleteSubscription, testSubscription]) {
      await assert.rejects(operation(deps, of, id), { code: 'NotFound' });
    }
  }
  for (const operation of [rotateSecret, testSubscription]) {
    const refused = operation(deps, tenant, gone.subscription.id);
    await assert.rejects(refused, { code: 'NotFound', message: /was deleted/ });
  }
});

/** A subscription in a pause, with one delivery that failed before it. */
async function paused(t: TestContext) {
  const made = await scene(t);
  const { subscription } = await made.subscribe();
  const { id } = subscription;
  made.answer = () => ({ responseStatus: 503 });
  await made.emit({});
  await made.settle();
  await changeSubscription(made.deps, tenant, id, { paused: true });
  made.answer = () => ({});
  const from = made.sent.length;
  const sent = () => made.sent.length - from;
  const resume = () => changeSubscription(made.deps, tenant, id, { paused: false });
  return { made, id, sent, resume };
}

test('nothing is sent in a pause, and after it all that happened is', async (t) => {
  const { made, id, sent, resume } = await paused(t);
  await made.emit({}, {});
  const { deps, settle } = made;
  assert.equal(await missingSearch(deps)({ all: true }), 0);
  made.advanceClock(schedules.webhookAttempt.waitsMs[0]);
  await settle();
  const held = await made.onlyDelivery(id);
  assert.deepEqual([sent(), held.status, held.attempt], [0, 'pending', 1]);
  assert.equal(held.nextAttemptAtMs, null);

  await resume();
  await settle();
  assert.deepEqual([sent(), (await made.onlyDelivery(id)).status], [1, 'delivered']);
  assert.equal(await missingSearch(deps)({ all: true }), 2);
  await settle();
  assert.equal(sent(), 3);
  const states = (await made.deliveries(id)).map(({ status }) => status);
  assert.deepEqual(states, ['delivered', 'delivered', 'delivered']);
});

test('the types at the resume decide which events of the pause are sent', async (t) => {
  const { made, id, sent } = await paused(t);
  await made.emit({ type: 'invoice.created' }, { type: 'payment_intent.created' });
  const change = { paused: false, eventTypes: ['invoice.*'] };
  await changeSubscription(made.deps, tenant, id, change);
  assert.equal(await missingSearch(made.deps)({ all: true }), 1);
  await made.settle();
  const types = valuesOf(await made.deliveries(id), 'eventType').toSorted();
  assert.deepEqual(types, ['invoice.created', 'payment_intent.created']);
  assert.equal(sent(), 2, 'what waited is sent by any types');
});

test('a sender that dispatches by itself sends nothing in a pause either', async (t) => {
  const { made, id, sent, resume } = await paused(t);
  const dispatching = { ...made.deps, dispatch: () => made.runner.dispatch() };
  await emitBy(dispatching, {});
  await made.runner.idle();
  assert.deepEqual([sent(), (await made.deliveries(id)).length], [0, 1]);
  await resume();
  await emitBy(dispatching, {});
  await made.runner.idle();
  await made.settle();
  assert.equal(sent(), 2, 'the one that waited, and the new one');
});

test('a paused subscription takes no test, and a repeated resumption sends what waits', async (t) => {
  const { made, id, sent, resume } = await paused(t);
  await assert.rejects(testSubscription(made.deps, tenant, id), { code: 'DeliveryNotReplayable' });
  await resume();
  await made.settle();
  made.answer = () => ({ responseStatus: 503 });
  await testSubscription(made.deps, tenant, id);
  await made.settle();
  made.answer = () => ({});
  await resume();
  await made.settle();
  assert.equal(sent(), 3);
  assert.deepEqual(valuesOf(await made.deliveries(id), 'status'), ['delivered', 'delivered']);
});

test('a delivery that is claimed in a pause and released after it is sent at once', async (t) => {
  for (const resumes of ['before the release', 'during the release']) {
    const { made, id, sent, resume } = await paused(t);
    let resumed: Promise<unknown> | null = null;
    const resumeOnce = () => {
      resumed ??= resume();
      return resumed;
    };
    made.advanceClock(schedules.webhookAttempt.waitsMs[0]);
    const changed = resumes === 'before the release' ? interrupted : racing;
    const runner = deliveryRunner(changed(made.deps, resumeOnce));
    assert.equal(await runner.runOnce(made.deps.clock.nowMs(), 10), 1);
    await runner.idle();
    assert.deepEqual([sent(), made.woken.at(-1)], [0, 'deliveries'], resumes);
    const released = await made.onlyDelivery(id);
    assert.equal(released.nextAttemptAtMs, made.deps.clock.nowMs(), resumes);
    await made.settle();
    const { status, attempt } = await made.onlyDelivery(id);
    assert.deepEqual([sent(), status, attempt], [1, 'delivered', 1], resumes);
  }
});

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
