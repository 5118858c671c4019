// How a transfer for several payments is split, and what its shares become when the bank changes
// it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { money } from '../../../../core/domain/base/money.js';
import {
  inDueOrder,
  sharesAfter,
  sharesOf,
  splitOf,
} from '../../../../core/domain/deposits/consolidated-payment.js';
import { noFunds } from '../../../../core/domain/payments/funds.js';
import type { Payment } from '../../../../core/domain/payments/payment.js';
import { aDeposit } from '../../../support/samples/deposit-samples.js';
import { aBarePayment, T0 } from '../../../support/samples/domain-samples.js';
import { completedPayin } from '../../../support/samples/sample-rows.js';

const usd = (amountMinor: bigint) => money(amountMinor, 'USD');

function member(id: string, amountMinor: bigint, fields: Partial<Payment> = {}) {
  const payment = aBarePayment({
    id,
    amount: usd(amountMinor),
    status: 'on_ramp_pending',
    createdAtMs: T0,
    ...fields,
  });
  return { payment, funds: noFunds(payment, id, 'USD') };
}

function shown(amountMinor: bigint, members: readonly ReturnType<typeof member>[]) {
  return sharesOf(usd(amountMinor), members)?.map(
    ({ paymentId, amount }) => `${paymentId} ${amount.amountMinor}`,
  );
}

test('payments are paid in the order of due date, creation and id', () => {
  const ids = inDueOrder([
    { id: 'd', dueDate: null, createdAtMs: 1 },
    { id: 'c', dueDate: '2026-12-01', createdAtMs: 3 },
    { id: 'b', dueDate: '2026-12-01', createdAtMs: 2 },
    { id: 'a', dueDate: '2026-12-01', createdAtMs: 3 },
  ]).map(({ id }) => id);
  assert.deepEqual(ids, ['b', 'a', 'c', 'd']);
});

const members = [
  member('late', 300n, { dueDate: '2026-12-03' }),
  member('first', 100n, { dueDate: '2026-12-01' }),
  member('second', 200n, { dueDate: '2026-12-02' }),
];

for (const [amountMinor, split] of [
  [600n, ['first 100', 'second 200', 'late 300']],
  [599n, ['first 100', 'second 200', 'late 299']],
  [250n, ['first 100', 'second 150']],
  [100n, ['first 100']],
  [1n, ['first 1']],
  [650n, ['first 100', 'second 200', 'late 350']],
] as const) {
  test(`${amountMinor} of 600 is split: ${split.join(', ')}`, () => {
    assert.deepEqual(shown(amountMinor, members), split);
  });
}

test('a payment that ended unpaid or has its money gets nothing, unless none lacks any', () => {
  const over = member('over', 100n, { status: 'cancelled', dueDate: '2026-11-01' });
  const full = member('full', 200n, { dueDate: '2026-11-02' });
  const paid = { ...full, funds: { ...full.funds, receivedMinor: 200n } };
  assert.deepEqual(shown(300n, [over, paid, member('open', 50n)]), ['open 300']);
  assert.deepEqual(shown(300n, [over, paid]), ['full 300'], 'the last one, which owes it back');
  const early = member('early', 100n, { status: 'buyer_kyc_approved' });
  assert.equal(shown(300n, [early]), undefined, 'a person decides');
});

test('money that went back is lacking again', () => {
  const back = member('back', 100n, { dueDate: '2026-11-01' });
  const funds = { ...back.funds, receivedMinor: 100n, refundedMinor: 100n };
  assert.deepEqual(shown(150n, [{ ...back, funds }, member('open', 50n)]), ['back 100', 'open 50']);
});

test('a split keeps the sum, fills in order, and gives the rest to the last', () => {
  const claims = fc.array(fc.bigInt({ min: 1n, max: 10n ** 12n }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 13n }), claims, (total, claimed) => {
      const split = splitOf(total, claimed);
      assert.equal(
        split.reduce((sum, share) => sum + share, 0n),
        total,
      );
      split.forEach((share, at) => {
        const isLast = at === split.length - 1;
        assert.ok(share >= 0n && (isLast || share <= (claimed[at] ?? 0n)));
        // One that is not full leaves nothing to those after it.
        const isFull = share >= (claimed[at] ?? 0n);
        assert.ok(isFull || split.slice(at + 1).every((later) => later === 0n));
      });
    }),
  );
});

const shares = (['one', 'two'] as const).map((id, at) => {
  const amountMinor = [100n, 200n][at] ?? 0n;
  const payin = completedPayin(id, amountMinor, amountMinor);
  return { ...payin, depositId: 'rct_1', dueAtMs: null };
});

for (const [end, amountMinor, expected] of [
  ['returned', 300n, ['returned 100 null', 'returned 200 null']],
  ['completed', 300n, ['completed 100 null', 'completed 200 null']],
  ['completed', 310n, ['completed 100 null', 'completed 210 null']],
  ['completed', 250n, ['completed 100 null', 'completed 150 null']],
  ['completed', 60n, ['completed 60 null', 'completed 0 null']],
] as const) {
  test(`shares of 100 and 200 after ${end} ${amountMinor}, and not polled`, () => {
    const deposit = aDeposit({ end, amount: usd(amountMinor), state: 'assigned' });
    const after = sharesAfter(deposit, shares, T0 + 1);
    assert.deepEqual(
      after.map((one) => `${one.end} ${one.receivedMinor} ${one.dueAtMs}`),
      expected,
    );
    assert.deepEqual(sharesAfter(deposit, after, T0 + 2), after, 'a repeat changes nothing');
  });
}

test('a recall that was reversed brings all shares back', () => {
  const gone = sharesAfter(aDeposit({ end: 'returned', amount: usd(300n) }), shares, T0 + 1);
  const again = sharesAfter(aDeposit({ end: 'completed', amount: usd(300n) }), gone, T0 + 2);
  assert.deepEqual(
    again.map((one) => `${one.end} ${one.receivedMinor}`),
    ['completed 100', 'completed 200'],
  );
});
