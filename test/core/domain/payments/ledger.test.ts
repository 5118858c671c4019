import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type LedgerLine,
  ledgerAccounts,
  posting,
  sumByCurrency,
  transfer,
} from '../../../../core/domain/payments/ledger.js';
import { AssertionFailure } from '../../../../core/errors.js';

const usd = (amountMinor: bigint) => ({ amountMinor, currency: 'USD' });
const brl = (amountMinor: bigint) => ({ amountMinor, currency: 'BRL' });

const anyLine: fc.Arbitrary<LedgerLine> = fc.record({
  account: fc.constantFrom(...ledgerAccounts),
  money: fc.record({
    amountMinor: fc.bigInt({ min: -1_000n, max: 1_000n }),
    currency: fc.constantFrom('USD', 'EUR', 'BRL'),
  }),
});

test('a transfer takes from one account what it gives to another', () => {
  assert.deepEqual(transfer('buyer', 'partner_float', usd(5n)), [
    { account: 'buyer', money: usd(-5n) },
    { account: 'partner_float', money: usd(5n) },
  ]);
});

test('a posting that does not balance in each currency is refused', () => {
  const crossed = [
    { account: 'buyer', money: usd(-5n) },
    { account: 'seller', money: brl(5n) },
  ] as const;
  assert.throws(() => posting('payout_paid', crossed), AssertionFailure);
  assert.throws(() => posting('payout_paid', crossed.slice(0, 1)), AssertionFailure);
});

test('empty lines are left out of a posting', () => {
  const lines = [...transfer('refunds', 'buyer', usd(0n)), ...transfer('fees', 'buyer', usd(7n))];
  const made = posting('returned_by_partner', lines);
  assert.deepEqual(made, {
    kind: 'returned_by_partner',
    lines: transfer('fees', 'buyer', usd(7n)),
  });
  assert.ok(Object.isFrozen(made));
});

test('law: a posting is made exactly when every currency sums to zero', () => {
  fc.assert(
    fc.property(fc.array(anyLine), (lines) => {
      const balanced = [...sumByCurrency(lines).values()].every((sum) => sum === 0n);
      if (!balanced) {
        assert.throws(() => posting('payout_paid', lines), AssertionFailure);
        return;
      }
      const kept = posting('payout_paid', lines).lines;
      assert.ok([...sumByCurrency(kept).values()].every((sum) => sum === 0n));
    }),
  );
});

test('law: any set of transfers sums to zero in every currency', () => {
  const anyTransfer = fc
    .tuple(anyLine, fc.constantFrom(...ledgerAccounts))
    .map(([{ account, money }, to]) => transfer(account, to, money));
  fc.assert(
    fc.property(fc.array(anyTransfer), (transfers) => {
      for (const [currency, sum] of sumByCurrency(transfers.flat())) {
        assert.equal(sum, 0n, currency);
      }
    }),
  );
});
