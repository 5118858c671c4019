// How many places for deliveries in flight a receiver has, and how they are shared over tenants
// whose receivers hang.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { deliveryRunner } from '../../../../core/usecases/webhooks/delivery-runner.js';
import {
  IN_FLIGHT_PER_SUBSCRIPTION,
  WINDOW_GROWTH_MAX,
} from '../../../../core/usecases/webhooks/delivery-window.js';
import type { Answer } from '../../../support/scenes/test-world.js';
import { heldAnswer, scene, unanswered } from '../../../support/scenes/webhook-scene.js';
import { turn, until } from '../../../support/wait.js';

/** Deliveries that end like this, one after the other; then how many may be under way at once. */
async function placesAfter(t: TestContext, answers: readonly Awaited<Answer>[]): Promise<number> {
  const made = await scene(t);
  await made.subscribe();
  for (const answer of answers) {
    made.answer = () => answer;
    await made.emitMany(1);
    await made.runner.runOnce(made.deps.clock.nowMs(), 1);
    await made.runner.idle();
  }
  const { answer, release } = heldAnswer();
  made.answer = () => answer;
  await made.emitMany(IN_FLIGHT_PER_SUBSCRIPTION + WINDOW_GROWTH_MAX + 10);
  while ((await made.runner.runOnce(made.deps.clock.nowMs(), 300)) > 0);
  const places = made.runner.inFlight();
  release();
  await made.runner.idle();
  return places;
}

const quick = { durationMs: 250 } as const;

test('a receiver earns one more place with each delivery that it takes quickly', async (t) => {
  assert.equal(await placesAfter(t, [quick, quick, quick]), IN_FLIGHT_PER_SUBSCRIPTION + 3);
  const many = Array.from({ length: WINDOW_GROWTH_MAX + 10 }, () => quick);
  assert.equal(await placesAfter(t, many), 256);
});

test('it loses them when it is slow once, refuses one, or does not answer', async (t) => {
  for (const last of [
    { durationMs: 251 },
    { ...quick, responseStatus: 429 },
    { ...quick, responseStatus: 302 },
    { ...unanswered, durationMs: 1 },
  ]) {
    assert.equal(await placesAfter(t, [quick, quick, last]), IN_FLIGHT_PER_SUBSCRIPTION);
  }
});

test('one tenant takes half of all places at most, however many of its receivers hang', async (t) => {
  const made = await scene(t);
  const { answer, release } = heldAnswer();
  made.answer = ({ url }) => (url.startsWith('https://slow') ? answer : {});
  for (const name of ['slow-1', 'slow-2', 'slow-3', 'slow-4', 'slow-5']) {
    await made.subscribe(['*'], { url: `https://${name}.example/` });
  }
  await made.emitMany(8);
  const runner = deliveryRunner(made.deps, 8);
  const runAll = async () => {
    while ((await runner.runOnce(made.deps.clock.nowMs(), 100)) > 0);
  };
  await runAll();
  assert.equal(runner.inFlight(), 4);
  const other = { orgId: 'org_2', mode: 'test' } as const;
  const quick = await made.subscribe(['*'], { url: 'https://quick.example/', tenant: other });
  await made.emitMany(20, other);
  const toQuick = () => made.sent.filter(({ url }) => url === quick.subscription.url).length;
  while (toQuick() < 20) {
    await runAll();
    await turn();
  }
  await until(() => runner.inFlight() === 4);
  await runAll();
  const wokenBefore = made.woken.length;
  release();
  await runner.idle();
  assert.ok(made.woken.length > wokenBefore, 'who found no place is looked at again');
});

test('however many tenants have hanging receivers, the next one finds a place', async (t) => {
  const made = await scene(t);
  const { answer, release } = heldAnswer();
  made.answer = () => answer;
  const runner = deliveryRunner(made.deps, 64);
  const counts: number[] = [];
  for (const orgId of ['org_a', 'org_b', 'org_c', 'org_d']) {
    const of = { orgId, mode: 'test' } as const;
    for (const name of ['one', 'two', 'three']) {
      await made.subscribe(['*'], { url: `https://${name}.example/`, tenant: of });
    }
    await made.emitMany(32, of);
    const before = runner.inFlight();
    while ((await runner.runOnce(made.deps.clock.nowMs(), 7)) > 0);
    counts.push(runner.inFlight() - before);
  }
  assert.deepEqual(counts, [32, 16, 8, 4]);
  release();
  await runner.idle();
  assert.equal(runner.inFlight(), 0);
});
