// Events that the runner of the process sends after their commit: a delivery is stored when its
// first attempt has ended, or when there is no slot for it.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { webhookHeaders } from '../../../../core/domain/webhooks/signature.js';
import type { Deps } from '../../../../core/ports/deps.js';
import type { Store } from '../../../../core/ports/storage.js';
import { DELIVERY_LEASE_MS } from '../../../../core/usecases/webhooks/delivery-attempts.js';
import {
  type DeliveryRunner,
  deliveryRunner,
} from '../../../../core/usecases/webhooks/delivery-runner.js';
import { IN_FLIGHT_PER_SUBSCRIPTION } from '../../../../core/usecases/webhooks/delivery-window.js';
import { missingSearch } from '../../../../core/usecases/webhooks/event-deliveries.js';
import {
  deleteSubscription,
  rotateSecret,
} from '../../../../core/usecases/webhooks/subscriptions.js';
import { racing } from '../../../support/racing-store.js';
import { type Answer, STARTS_AT_MS } from '../../../support/scenes/test-world.js';
import {
  emitBy,
  type Scene,
  scene,
  tenant,
  url,
  verified,
} from '../../../support/scenes/webhook-scene.js';
import { rowsOf, valuesOf } from '../../../support/values-of.js';
import { until } from '../../../support/wait.js';

/** Too slow to earn more places. */
const slowly = { durationMs: 1_000 } as const;

/** A scene with one subscription, whose runner has looked for what waited before it. */
async function opened(t: TestContext, runnerOf: (deps: Deps) => DeliveryRunner = deliveryRunner) {
  const made = await scene(t);
  made.answer = () => slowly;
  const { subscription } = await made.subscribe();
  const claims = { count: 0 };
  const looking: Looking = { count: 0, until: Promise.resolve() };
  const deps: Deps = {
    ...made.deps,
    store: watched(made.deps.store, claims, looking),
    dispatch: () => runner.dispatch(),
  };
  const runner = runnerOf(deps);
  await runner.runOnce(deps.clock.nowMs(), 10);
  /** Events of one batch, with deliveries for this runner. */
  const emitted = (count: number, by: Deps = deps) =>
    emitBy(by, ...Array.from({ length: count }, () => ({})));
  const rows = () => made.deliveries(subscription.id);
  return { made, deps, runner, subscription, claims, looking, emitted, rows };
}

/** Looks for who waits: how many were made, and until when their answers are held back. */
interface Looking {
  count: number;
  until: Promise<void>;
}

function watched(store: Store, claimed: { count: number }, looking: Looking): Store {
  const deliveries: Store['claims']['deliveries'] = (claim) => {
    claimed.count += 1;
    return store.claims.deliveries(claim);
  };
  const dueSubscriptions: Store['claims']['dueSubscriptions'] = async (nowMs) => {
    const found = await store.claims.dueSubscriptions(nowMs);
    looking.count += 1;
    await looking.until;
    return found;
  };
  return { ...store, claims: { ...store.claims, deliveries, dueSubscriptions } };
}

/** Answers that come when the test says so, in the order in which they were asked for. */
function held(made: Scene) {
  const waiting: ((answer: Awaited<Answer>) => void)[] = [];
  let released = 0;
  made.answer = () =>
    new Promise((resolve) => {
      if (released === 0) waiting.push(resolve);
      else {
        released -= 1;
        resolve(slowly);
      }
    });
  return {
    // Those that are begun and not sent yet included.
    release: (count: number) => {
      const sent = waiting.splice(0, count);
      for (const resolve of sent) resolve(slowly);
      released += count - sent.length;
    },
    /** All answers come, and everything under way at this runner ends. */
    finish: async (runner: DeliveryRunner) => {
      made.answer = () => slowly;
      for (const resolve of waiting.splice(0)) resolve(slowly);
      await runner.idle();
    },
  };
}

test('a delivery with a slot is sent without a claim, and stored once its attempt has ended', async (t) => {
  const { made, runner, claims, emitted, rows } = await opened(t);
  const { finish } = held(made);
  const [event] = await emitted(1);
  await until(() => made.sent.length === 1);
  assert.deepEqual(await rows(), []);
  assert.equal(made.sent[0]?.body, event?.body);
  await finish(runner);
  const [row, ...more] = await rows();
  assert.partialDeepStrictEqual(row, { status: 'delivered', attempt: 1, leaseToken: null });
  assert.deepEqual([row?.version, row?.eventId, more], [1, event?.id, []]);
  assert.equal(made.sent[0]?.headers[webhookHeaders.deliveryId], row?.id);
  assert.deepEqual([(await made.attempts(row?.id ?? '')).length, claims.count], [1, 0]);
  assert.ok(!made.woken.includes('deliveries'), 'nothing is to be claimed');
});

test('the first attempt is in the row of its delivery, unless the answer is long', async (t) => {
  const { made, runner, emitted, rows } = await opened(t);
  const answers = ['taken', 'x'.repeat(257)];
  made.answer = () => ({ ...slowly, responseBody: answers[made.sent.length - 1] ?? '' });
  for (const _ of answers) {
    await emitted(1);
    await runner.idle();
    made.advanceClock(1);
  }
  // The newest first.
  const stored = (await rows()).toReversed();
  const inRow = stored.map(({ firstAttempt }) => firstAttempt?.responseBody ?? null);
  assert.deepEqual(inRow, ['taken', null]);
  const attempts = await Promise.all(stored.map(({ id }) => made.attempts(id)));
  assert.deepEqual(
    attempts.map((of) => of.map(({ attempt, responseBody }) => [attempt, responseBody])),
    answers.map((answer) => [[1, answer]]),
  );
});

test('a first attempt that fails is stored as pending, and tried again', async (t) => {
  const { made, deps, runner, emitted, rows } = await opened(t);
  made.answer = () => ({ responseStatus: 500 });
  await emitted(1);
  await runner.idle();
  const [row] = await rows();
  assert.ok(row);
  const [delayMs = 0] = deps.settings.retryDelaysMs;
  assert.partialDeepStrictEqual(row, { status: 'pending', attempt: 1, responseStatus: 500 });
  assert.equal(row?.nextAttemptAtMs, STARTS_AT_MS + delayMs);
  made.answer = () => slowly;
  made.advanceClock(delayMs);
  assert.equal(await runner.runOnce(deps.clock.nowMs(), 10), 1);
  await runner.idle();
  assert.deepEqual([made.sent.length, (await rows())[0]?.attempt], [2, 2]);
  const attempts = await made.attempts(row.id);
  assert.deepEqual(rowsOf(attempts, 'attempt', 'responseStatus'), [
    [1, 500],
    [2, 200],
  ]);
});

test('a delivery whose first attempt is slow is stored as leased; its end changes that row', async (t) => {
  const { made, deps, runner, emitted, rows } = await opened(t);
  const { finish } = held(made);
  await emitted(1);
  await until(() => made.sent.length === 1);
  assert.equal(await runner.storeSlow(deps.clock.nowMs()), 0);
  made.advanceClock(1_000);
  assert.equal(await runner.storeSlow(deps.clock.nowMs()), 1);
  assert.equal(await runner.storeSlow(deps.clock.nowMs()), 0);
  const [row] = await rows();
  assert.deepEqual(
    [row?.status, row?.attempt, row?.nextAttemptAtMs, row?.dueAtMs],
    ['pending', 1, STARTS_AT_MS, STARTS_AT_MS + DELIVERY_LEASE_MS],
  );
  assert.ok(row?.leaseToken?.startsWith(deps.store.claims.owner));
  await finish(runner);
  const [delivered, ...more] = await rows();
  assert.deepEqual([delivered?.id, delivered?.status, more], [row?.id, 'delivered', []]);
});

test('an attempt that ends after another host stored its delivery is logged with it', async (t) => {
  const { made, deps, runner, emitted, rows } = await opened(t);
  const { finish } = held(made);
  await emitted(1);
  await until(() => made.sent.length === 1);
  assert.equal(await missingSearch(made.deps)({ all: true }), 1);
  await finish(runner);
  const [row, ...more] = await rows();
  assert.deepEqual([row?.status, row?.attempt, more], ['pending', 0, []]);
  assert.equal((await made.attempts(row?.id ?? '')).length, 1);
  assert.equal(await runner.runOnce(deps.clock.nowMs(), 10), 1);
  await runner.idle();
  const ids = made.sent.map(({ headers }) => headers[webhookHeaders.deliveryId]);
  assert.deepEqual(ids, [row?.id, row?.id]);
});

test('the outcome of one delivery that conflicts leaves the others as they are', async (t) => {
  const { made, runner, emitted, rows } = await opened(t);
  const { finish } = held(made);
  await emitted(1);
  await until(() => made.sent.length === 1);
  await missingSearch(made.deps)({ all: true });
  await emitted(2);
  await until(() => made.sent.length === 3);
  await finish(runner);
  const statuses = (await rows()).map(({ status }) => status).toSorted();
  assert.deepEqual(statuses, ['delivered', 'delivered', 'pending']);
});

test('until a runner has looked, what is new waits behind what may be there', async (t) => {
  const { made, deps, rows } = await opened(t);
  const started = deliveryRunner(deps);
  await emitBy({ ...deps, dispatch: () => started.dispatch() }, {});
  const [row, ...more] = await rows();
  assert.deepEqual([row?.attempt, row?.leaseToken, more], [0, null, []]);
  assert.ok(made.woken.includes('deliveries'));
});

test('there are as many slots as for claimed ones; a delivery without one waits to be claimed', async (t) => {
  const { made, runner, deps, emitted, rows } = await opened(t);
  const { finish } = held(made);
  await emitted(IN_FLIGHT_PER_SUBSCRIPTION + 3);
  await until(async () => (await rows()).length === 3);
  assert.equal(runner.inFlight(), IN_FLIGHT_PER_SUBSCRIPTION);
  const waiting = await rows();
  for (const { attempt, dueAtMs } of waiting)
    assert.deepEqual([attempt, dueAtMs], [0, STARTS_AT_MS]);
  await until(() => made.woken.at(-1) === 'deliveries');
  assert.equal(await runner.runOnce(deps.clock.nowMs(), 100), 0);
  await finish(runner);
  assert.equal(await runner.runOnce(deps.clock.nowMs(), 100), 3);
  await runner.idle();
  assert.ok((await rows()).every(({ status }) => status === 'delivered'));
});

test('of new deliveries too, a tenant gets at most half of all slots', async (t) => {
  const { made, runner, emitted } = await opened(t, (deps) => deliveryRunner(deps, 8));
  const { finish } = held(made);
  await made.subscribe();
  await emitted(5);
  await until(() => made.woken.includes('deliveries'));
  assert.equal(runner.inFlight(), 4);
  await finish(runner);
});

test('while older deliveries wait, new ones go behind them: all begin in order', async (t) => {
  const { made, deps, runner, claims, emitted } = await opened(t);
  const { release, finish } = held(made);
  const nowMs = deps.clock.nowMs();
  const ids = (events: readonly { readonly body: string }[]) => events.map(({ body }) => body);
  const wokenTimes = () => made.woken.filter((work) => work === 'deliveries').length;
  const first = await emitted(IN_FLIGHT_PER_SUBSCRIPTION + 1);
  await until(() => wokenTimes() === 1);
  release(5);
  await until(() => runner.inFlight() === IN_FLIGHT_PER_SUBSCRIPTION - 5);
  // There are slots, and an older one waits.
  made.advanceClock(1);
  const wokenBefore = wokenTimes();
  const second = await emitted(1);
  await until(() => wokenTimes() > wokenBefore);
  assert.equal(runner.inFlight(), IN_FLIGHT_PER_SUBSCRIPTION - 5);
  assert.equal(await runner.runOnce(nowMs + 1, 100), 2);
  made.advanceClock(1);
  const third = await emitted(1);
  // None waits: it is sent at once.
  await until(() => runner.inFlight() === IN_FLIGHT_PER_SUBSCRIPTION - 2);
  assert.equal(claims.count, 1);
  await finish(runner);
  assert.deepEqual(ids(made.sent), ids([...first, ...second, ...third]));
});

test('what a batch leaves waiting is not overlooked by a look that came before it', async (t) => {
  const { made, deps, emitted, rows, runner, looking } = await opened(t);
  const { release, finish } = held(made);
  await emitted(IN_FLIGHT_PER_SUBSCRIPTION - 1);
  made.advanceClock(1_000);
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  looking.until = answered;
  const run = runner.runOnce(deps.clock.nowMs(), 100);
  await until(() => looking.count === 2);
  await emitted(2);
  const waiting = async () => (await rows()).filter(({ status }) => status === 'pending').length;
  await until(async () => (await waiting()) === 1);
  answer();
  assert.equal(await run, 0);
  release(1);
  await until(() => runner.inFlight() === IN_FLIGHT_PER_SUBSCRIPTION - 1);
  await emitted(1);
  // The third one waits behind the second.
  await until(async () => (await waiting()) === 2);
  await finish(runner);
});

test('a batch that is not stored sends nothing', async (t) => {
  const { made, deps, runner, emitted } = await opened(t);
  const failing = racing(deps, () => Promise.reject(new Error('the disk is full')));
  await assert.rejects(emitted(3, failing), { message: 'the disk is full' });
  await runner.idle();
  assert.deepEqual([made.sent.length, runner.inFlight()], [0, 0]);
});

test('a subscription that is deleted before the commit gets no delivery', async (t) => {
  const { made, deps, runner, subscription, emitted, rows } = await opened(t);
  await emitted(
    2,
    racing(deps, () => deleteSubscription(made.deps, tenant, subscription.id)),
  );
  await runner.idle();
  assert.deepEqual(made.sent, []);
  assert.deepEqual(await rows(), []);
  assert.equal((await made.feed()).length, 2);
});

test('a secret that is rotated before the commit signs the delivery', async (t) => {
  const { made, deps, runner, subscription, emitted } = await opened(t);
  const secrets: string[] = [];
  const rotating = racing(deps, async (run) => {
    if (run > 1) return;
    secrets.push((await rotateSecret(made.deps, tenant, subscription.id)).secret);
  });
  await emitted(1, rotating);
  await runner.idle();
  assert.ok(verified(made.sent[0], secrets[0]).valid);
});

test('a subscription that is created after an event gets it from no dispatch', async (t) => {
  const { made, deps, runner, emitted } = await opened(t);
  const younger = racing(deps, async () => {
    made.advanceClock(1);
    await made.subscribe(['*'], { url: 'https://younger.example/' });
  });
  await emitted(1, younger);
  await runner.idle();
  assert.deepEqual(valuesOf(made.sent, 'url'), [url]);
});
