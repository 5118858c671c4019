// The simulator catches a service that is broken on purpose, each variant by the rule it breaks.
// Each invariant has one here. The nightly run catches all.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { always, atTheEnd, inTheLongRun } from '../invariants/invariants.js';
import { testCaught } from './mutant-search.js';
import { mutants } from './mutants.js';

/** Invariants that no mutant of this run breaks, and why. */
const unbroken: Readonly<Record<string, string>> = {
  noApprovalIsUsedThatWasTakenBack: 'its mutant takes 20 s: nightly',
  noPayoutForARejectedBuyer: 'its mutant takes 20 s: nightly',
  ...Object.fromEntries(
    [
      'nothingAcknowledgedIsLost',
      'noCauseIsMailedTwice',
      'neverPaidOutMoreThanReceived',
      'everyDebtHasItsCommand',
      'noWorkIsLeft',
      'everyDeliveryEnded',
      'owedMoneyIsReallyGivenBack',
      'theStoreHoldsNothingElse',
    ].map((name) => [name, 'no mutant names it yet']),
  ),
};

const here = mutants.filter(({ nightly }) => !nightly);

test('every invariant is broken by a mutant of this run, but for those listed', () => {
  const broken = new Set<string>(here.flatMap(({ caughtBy }) => caughtBy));
  const invariants = Object.keys({ ...always, ...atTheEnd, ...inTheLongRun });
  assert.deepEqual(
    invariants.filter((name) => !broken.has(name)).toSorted(),
    Object.keys(unbroken).toSorted(),
  );
});

test('mutants have unique names', () => {
  assert.equal(new Set(mutants.map(({ name }) => name)).size, mutants.length);
});

testCaught(here);
