// Some random histories, and some that dwell on parties, each of which keeps every invariant of
// invariants.ts; `npm run nightly` plays many more. A failure names the seed:
// `npm run simulate -- --seed N --steps 250 --trace` plays it again, with `--parties` one that
// dwells on parties.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type History, simulate } from './history.js';
import { failureLine } from './report.js';
import { type Focus, ofParties } from './run-profile.js';
import { faultKinds, faultTable } from './world/faults.js';

const SEEDS = 30;
/** So many that a test ends in time on a machine with much else to do. */
const SEEDS_PER_TEST = 10;
const STEPS = 250;
const PARTY_SEEDS = 12;
const PARTY_SEEDS_PER_TEST = 6;
/** A seller has a long way to its first payment. */
const PARTY_STEPS = 400;
const TAIL_LINES = 60;

const histories: History[] = [];

function keepEveryInvariant(first: number, last: number, steps: number, focus: Focus): void {
  const what = focus === ofParties ? 'histories of parties' : 'histories';
  test(`${what} ${first} to ${last} keep every invariant and recover`, async () => {
    for (let seed = first; seed <= last; seed += 1) {
      const history = await simulate(seed, steps, focus);
      const tail = history.trace.slice(-TAIL_LINES).join('\n');
      assert.equal(history.violation, null, `${tail}\n${failureLine(history)}`);
      histories.push(history);
    }
  });
}

for (let first = 1; first <= SEEDS; first += SEEDS_PER_TEST) {
  keepEveryInvariant(first, first + SEEDS_PER_TEST - 1, STEPS, {});
}
for (let first = 1; first <= PARTY_SEEDS; first += PARTY_SEEDS_PER_TEST) {
  keepEveryInvariant(first, first + PARTY_SEEDS_PER_TEST - 1, PARTY_STEPS, ofParties);
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

test('every kind of fault that a seed can draw was injected', () => {
  const injected = new Set(histories.flatMap(({ faults }) => [...faults.keys()]));
  const drawn = faultKinds.simulated.filter((kind) => faultTable[kind].some((rate) => rate > 0));
  // No command is called again before a look-up, so a repeat comes at most after a restore.
  const missing = drawn.filter((kind) => !injected.has(kind) && kind !== 'repeatRefused');
  assert.deepEqual(missing, []);
});

test('the histories have seen what they are for', () => {
  const seen = new Set(histories.flatMap(({ counts }) => [...counts.keys()]));
  for (const what of [
    'ended settled, funds paid, refund none',
    'ended settled, funds paid, refund refunded',
    'ended failed, funds returned_to_buyer, refund refunded',
    'ended cancelled, funds returned_to_buyer, refund refunded',
    'ended expired, funds none, refund none',
    'delivery dead_letter',
    'delivery delivered',
    'approval taken back',
    'KYC approved',
    'KYC rejected',
    'buyer approved',
    'buyer rejected',
    'seller approved, ready once',
    'to a seller, settled',
    'approval refused: SelfApprovalNotAllowed',
    'invitation mail sent',
    'sign_in mail refused',
    'sign_in mail sent',
    'link opened',
    'code entered',
    'document named',
    'receipt mail sent',
    'refunded mail sent',
    'kyc_approved mail dropped',
    'document read',
    'document purged',
  ]) {
    assert.ok(seen.has(what), `no history has seen: ${what}`);
  }
});
