// Some random histories, and some that dwell on parties or on people, each of which keeps every
// invariant of invariants.ts; `npm run nightly` plays many more. A failure names the seed:
// `npm run simulate -- --seed N --steps 250 --trace` plays it again, with `--parties`, `--people`
// or `--transfers` one that dwells on them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate } from './history.js';
import { PlayedHistories } from './played-histories.js';
import { ofParties, ofPeople, ofTransfers } from './run-profile.js';
import { faultKinds, faultTable } from './world/faults.js';

const usual = { steps: 250, focus: {} };
const parties = { steps: 250, focus: ofParties };
const people = { steps: 250, focus: ofPeople };
const transfers = { steps: 250, focus: ofTransfers };
const short = 120;
/**
 * The same each time: a change fails because of what it changed. Together these histories have
 * every fault and see what they are for, most of it twice. If they no longer do, more are played,
 * and the end of the run says so.
 */
const chosen = [
  ['histories', { ...usual, steps: short }, [17, 32]],
  ['longer histories', usual, [1]],
  ['histories of parties', parties, [1, 7, 12, 22]],
  ['histories of people', people, [22, 29, 34, 35]],
  ['histories of transfers for several payments', { ...transfers, steps: short }, [1, 36, 39]],
  ['longer histories of transfers', transfers, [28, 31]],
] as const;
const played = new PlayedHistories(usual, parties, people, transfers);

for (const [what, kind, seeds] of chosen)
  test(`${what} ${seeds} keep every invariant and recover`, () => played.play(kind, seeds));

test('the same seed plays the same history, another seed another one', async () => {
  const [first, other] = played.histories;
  const [[, { steps }, [seed]]] = chosen;
  const again = await simulate(seed, steps);
  assert.equal(again.traceHash, first?.traceHash);
  assert.notEqual(other?.traceHash, first?.traceHash);
});

test('every kind of fault that a seed can draw is injected', async () => {
  const drawn = faultKinds.simulated.filter((kind) => faultTable[kind].some((rate) => rate > 0));
  // No command is called again before a look-up, so a repeat comes at most after a restore.
  await played.injectAll(drawn.filter((kind) => kind !== 'repeatRefused'));
});

test('histories see what they are for', () =>
  played.seeAll([
    'ended settled, funds paid, refund none',
    'paid together',
    'transfer for several payments',
    'ended settled, funds paid, refund refunded',
    'ended failed, funds returned_to_buyer, refund refunded',
    'ended cancelled, funds returned_to_buyer, refund refunded',
    'ended expired, funds none, refund none',
    'decided pay_again',
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
    'confirmation',
    'confirmation refused: DecisionNotAllowed',
    'operator removed',
    'proposal refused: OperatorNotAllowed',
    'member removed',
    'key used',
    'key refused: InvalidApiKey',
    'makesKey refused: InvalidToken',
  ]));
