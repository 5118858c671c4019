// Random histories whose settlement partner is the adapter of BlindPay over its simulator: each
// fault of the simulator, on any call, ends with one pay-in and one payout for each payment. A
// failure names the seed: `npm run simulate -- --seed N --partner blindpay --trace` plays it again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type History, simulate } from './history.js';
import { failureLine } from './report.js';
import { ofBlindPay, ofParties } from './run-profile.js';
import { httpFaultKinds } from './world/faults.js';

const SEEDS = 14;
const STEPS = 250;
const PARTY_SEEDS = 3;
const TAIL_LINES = 60;

const histories: History[] = [];

for (const [what, seeds, focus] of [
  ['histories', SEEDS, ofBlindPay],
  ['histories of parties', PARTY_SEEDS, { ...ofBlindPay, ...ofParties }],
] as const) {
  test(`${what} with BlindPay keep every invariant and recover`, async () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const history = await simulate(seed, STEPS, focus);
      const tail = history.trace.slice(-TAIL_LINES).join('\n');
      assert.equal(history.violation, null, `${tail}\n${failureLine(history)}`);
      histories.push(history);
    }
  });
}

test('the same seed plays the same history with BlindPay', async () => {
  const again = await simulate(1, STEPS, ofBlindPay);
  assert.equal(again.traceHash, histories[0]?.traceHash);
});

test('every fault of the simulator of BlindPay was injected', () => {
  const injected = new Set(histories.flatMap(({ faults }) => [...faults.keys()]));
  assert.deepEqual(
    httpFaultKinds.filter((kind) => !injected.has(kind)),
    [],
  );
});

test('the histories with BlindPay have seen what they are for', () => {
  const seen = new Set(histories.flatMap(({ counts }) => [...counts.keys()]));
  for (const what of [
    'ended settled, funds paid, refund none',
    'released',
    'ended failed, funds returned_to_buyer, refund needs_review',
    'fault of POST /customers',
    'fault of POST /payins/evm',
    'fault of GET /payins',
    'fault of POST /quotes',
    'fault of POST /payouts/evm',
    'fault of GET /payouts',
  ]) {
    assert.ok(seen.has(what), `no history has seen: ${what}`);
  }
});
