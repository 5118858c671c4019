// Random histories whose settlement partner is the adapter of BlindPay over its simulator: each
// fault of the simulator, on any call, ends with one pay-in and one payout for each payment. A
// failure names the seed: `npm run simulate -- --seed N --partner blindpay --trace` plays it again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate } from './history.js';
import { PlayedHistories } from './played-histories.js';
import { ofBlindPay, ofParties } from './run-profile.js';
import { httpFaultKinds } from './world/faults.js';

const STEPS = 250;
/** Together these histories have every fault, and see all, as in simulation.test.ts. */
const seeds = { usual: [6], short: [2, 4, 5, 9, 12, 24, 37], parties: [7, 15] } as const;

const usual = { steps: STEPS, focus: ofBlindPay };
const parties = { steps: STEPS, focus: { ...ofBlindPay, ...ofParties } };
const played = new PlayedHistories(usual, parties);

test(`histories ${seeds.usual} with BlindPay keep every invariant and recover`, () =>
  played.play(usual, seeds.usual));

test(`short histories ${seeds.short} with BlindPay do too`, () =>
  played.play({ ...usual, steps: 120 }, seeds.short));

test(`histories of parties ${seeds.parties} with BlindPay do too`, () =>
  played.play(parties, seeds.parties));

test('the same seed plays the same history with BlindPay', async () => {
  const again = await simulate(seeds.usual[0], STEPS, ofBlindPay);
  assert.equal(again.traceHash, played.histories[0]?.traceHash);
});

test('every fault of the simulator of BlindPay is injected', () =>
  played.injectAll([...httpFaultKinds, 'otherId']));

test('histories with BlindPay see what they are for', () =>
  played.seeAll([
    'ended settled, funds paid, refund none',
    'released',
    'decided pay_again',
    'ended failed, funds returned_to_buyer, refund needs_review',
    'fault of POST /customers',
    'fault of POST /payins/evm',
    'fault of GET /payins',
    'fault of POST /quotes',
    'fault of POST /payouts/evm',
    'fault of GET /payouts',
  ]));
