// A hundred random histories, each of which keeps every invariant of invariants.ts. A failure names
// the seed; `npm run simulate -- --seed N --steps 250 --trace` plays it again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type History, simulate } from './history.js';

const SEEDS = 100;
/** So many that a test ends in time on a machine with much else to do. */
const SEEDS_PER_TEST = 20;
const STEPS = 250;
const TAIL_LINES = 60;

const histories: History[] = [];

for (let first = 1; first <= SEEDS; first += SEEDS_PER_TEST) {
  const last = first + SEEDS_PER_TEST - 1;
  test(`histories ${first} to ${last} keep every invariant and heal`, async () => {
    for (let seed = first; seed <= last; seed += 1) {
      const history = await simulate(seed, STEPS);
      const { violation, trace } = history;
      const tail = trace.slice(-TAIL_LINES).join('\n');
      const { step, invariant, detail } = violation ?? {};
      assert.equal(violation, null, `${tail}\nseed ${seed}, step ${step}: ${invariant}: ${detail}`);
      histories.push(history);
    }
  });
}

test('the same seed plays the same history, another seed another one', async () => {
  const [first, again, other] = [
    await simulate(7, STEPS),
    await simulate(7, STEPS),
    await simulate(8, STEPS),
  ];
  assert.equal(again.traceHash, first.traceHash);
  assert.notEqual(other.traceHash, first.traceHash);
});

test('the histories have seen what they are for', () => {
  const seen = new Set(histories.flatMap(({ counts }) => [...counts.keys()]));
  for (const what of [
    'crash',
    'message lost',
    'message doubled',
    'call lostOnTheWay',
    'call lateOnTheWay',
    'call answerLost',
    'call noConnection',
    'order refused',
    'ended settled, funds paid, refund none',
    'ended settled, funds paid, refund refunded',
    'ended failed, funds handed_back, refund refunded',
    'ended cancelled, funds handed_back, refund refunded',
    'ended expired, funds none, refund none',
    'delivery dead_letter',
    'delivery delivered',
  ]) {
    assert.ok(seen.has(what), `no history has seen: ${what}`);
  }
});
