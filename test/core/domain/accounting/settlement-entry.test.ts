// Entries of postings: what was converted, at the rate of the payee.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryOf } from '../../../../core/domain/accounting/settlement-entry.js';
import { money } from '../../../../core/domain/base/money.js';
import { sumByCurrency } from '../../../../core/domain/payments/ledger.js';
import { samplePostings } from '../../../support/samples/entry-samples.js';

test('what was converted is booked at the rate of the payee, and the rest is a difference', () => {
  const [received, payout] = samplePostings;
  assert.ok(received !== undefined && payout !== undefined);
  assert.equal(entryOf(received, '5.00'), received, 'nothing is converted yet');
  assert.equal(entryOf(payout, null), payout);
  for (const [rate, differenceMinor] of [
    ['5.00', 540_570n - 496_850n],
    ['6.00', 540_570n - 596_220n],
  ] as const) {
    const { lines } = entryOf(payout, rate);
    assert.deepEqual(lines.slice(payout.lines.length), [
      { account: 'conversion', money: money(differenceMinor, 'BRL') },
      { account: 'exchange_difference', money: money(-differenceMinor, 'BRL') },
    ]);
    assert.equal(sumByCurrency(lines).get('BRL'), 0n);
    // A payout that comes back reverses each line.
    const back = payout.lines.map((line) => ({
      ...line,
      money: money(-line.money.amountMinor, line.money.currency),
    }));
    const reversed = entryOf({ ...payout, kind: 'payout_returned', lines: back }, rate);
    assert.deepEqual(reversed.lines.at(-1)?.money, money(differenceMinor, 'BRL'));
  }
});
