// How a transfer for several payments is split, and what its shares become when the bank changes
// it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { money } from '../../../../core/domain/base/money.js';
import type { CommandEnd } from '../../../../core/domain/commands/partner-command.js';
import {
  correctionProblem,
  inDueOrder,
  isShareCurrent,
  shareReported,
  sharesOf,
  splitAgain,
  splitOf,
} from '../../../../core/domain/deposits/consolidated-payment.js';
import { isCurrentDeposit } from '../../../../core/domain/deposits/deposit.js';
import { noFunds } from '../../../../core/domain/payments/funds.js';
import type { Payment } from '../../../../core/domain/payments/payment.js';
import {
  PartnerLedger,
  type PartnerTransaction,
} from '../../../simulation/partner/partner-ledger.js';
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
  return { payment, funds: noFunds(payment) };
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

test('a settled payment gets what it lost, and nothing for what was refunded', () => {
  const back = member('back', 100n, { status: 'settled', dueDate: '2026-11-01' });
  const funds = { ...back.funds, receivedMinor: 100n, refundedMinor: 100n };
  const open = member('open', 50n);
  assert.deepEqual(shown(50n, [{ ...back, funds }, open]), ['open 50']);
  const lost = { ...funds, payoutMinor: 100n, lossMinor: 100n };
  assert.deepEqual(shown(150n, [{ ...back, funds: lost }, open]), ['back 100', 'open 50']);
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

const shares = (['one', 'two'] as const).map((paymentId, at) => {
  const amountMinor = [100n, 200n][at] ?? 0n;
  const payin = completedPayin(paymentId, amountMinor, amountMinor);
  return { ...payin, paymentId, depositId: 'dep_1', dueAtMs: null };
});

const split = (end: CommandEnd, amountMinor = 300n) =>
  aDeposit({ end, amount: usd(amountMinor), state: 'assigned', consolidatedReference: 'R' });

for (const [end, stated, problem] of [
  ['completed', ['completed', 300n], null],
  ['completed', ['completed', 301n], null],
  ['completed', ['completed', 1_200n], null],
  ['completed', ['completed', 1_201n], 'implausible'],
  ['completed', ['completed', 300_000n], 'implausible'],
  ['completed', ['completed', 299n], 'implausible'],
  ['completed', ['completed', 0n], 'unusable'],
  ['completed', ['failed', 300n], 'implausible'],
  ['completed', ['returned', 0n], null],
  ['completed', ['open', 0n], null],
  ['returned', ['completed', 300n], null],
  ['returned', ['completed', 299n], 'implausible'],
  ['returned', ['failed', 0n], null],
] as const) {
  const [status, amountMinor] = stated;
  test(`300 of 600 asked, ${end}, then ${status} ${amountMinor}: ${problem ?? 'applied'}`, () => {
    const facts = { status, amount: usd(amountMinor) };
    assert.equal(correctionProblem(split(end), facts, usd(600n))?.kind ?? null, problem);
  });
}

test('a correction to another currency cannot be booked', () => {
  const facts = { status: 'completed', amount: money(300n, 'EUR') } as const;
  assert.equal(correctionProblem(split('completed'), facts, usd(600n))?.kind, 'unusable');
  assert.equal(isCurrentDeposit(split('completed'), facts), false);
});

for (const [end, amountMinor, expected] of [
  ['returned', 300n, ['one 100', 'two 200']],
  ['completed', 300n, ['one 100', 'two 200']],
  ['completed', 310n, ['one 100', 'two 200', 'three 10']],
  ['completed', 350n, ['one 100', 'two 200', 'three 50']],
  ['completed', 360n, ['one 100', 'two 200', 'three 60']],
  ['completed', 250n, ['one 100', 'two 150']],
  ['completed', 60n, ['one 60', 'two 0']],
  ['failed', 300n, ['one 0', 'two 0']],
] as const) {
  test(`shares of 100 and 200 after ${end} ${amountMinor}: ${expected.join(', ')}`, () => {
    const paid = (id: string, amount: bigint) => {
      const one = member(id, amount, { dueDate: `2026-11-0${amount / 100n}` });
      return { ...one, funds: { ...one.funds, receivedMinor: amount } };
    };
    const all = [paid('one', 100n), paid('two', 200n), member('three', 50n)];
    const untaken = shares.map((share) => ({ share, takenMinor: 0n }));
    const has = splitAgain(split(end, amountMinor), untaken, all);
    assert.deepEqual(
      [...has].map(([paymentId, receivedMinor]) => `${paymentId} ${receivedMinor}`),
      expected,
    );
  });
}

test('a refund is held against its transfer: no other share has what went back', () => {
  const after = (totalMinor: bigint, taken: readonly bigint[]) => {
    const held = shares.map((share, at) => ({ share, takenMinor: taken[at] ?? 0n }));
    return [...splitAgain(split('returned', totalMinor), held, []).values()];
  };
  assert.deepEqual(after(300n, [0n, 150n]), [100n, 200n]);
  assert.deepEqual(after(200n, [0n, 150n]), [50n, 150n]);
  assert.deepEqual(after(150n, [0n, 150n]), [0n, 150n]);
  assert.deepEqual(after(100n, [0n, 150n]), [0n, 100n]);
  const minor = fc.bigInt({ min: 0n, max: 300n });
  fc.assert(
    fc.property(minor, minor, minor, (totalMinor, first, second) => {
      const has = after(totalMinor, [first, second]);
      const sum = (all: readonly bigint[]) => all.reduce((one, more) => one + more, 0n);
      assert.equal(sum(has), totalMinor);
      const taken = [first, second].map((one, at) => {
        const had = shares[at]?.receivedMinor ?? 0n;
        return one < had ? one : had;
      });
      // What the bank took back: all that did not go back before.
      const back = has.map((one, at) => one - (taken[at] ?? 0n)).filter((one) => one > 0n);
      const leftMinor = totalMinor - sum(taken);
      assert.equal(sum(back), leftMinor > 0n ? leftMinor : 0n);
      assert.deepEqual(modelled(totalMinor, taken), has, 'as the simulated partner splits it');
    }),
  );
});

/** The same by the books of the simulated partner, which judge the shares of a history. */
function modelled(totalMinor: bigint, taken: readonly bigint[]): readonly bigint[] {
  const books = new PartnerLedger(
    (reference) => reference,
    () => shares.map(({ paymentId: owner, receivedMinor: claimMinor }) => ({ owner, claimMinor })),
  );
  const booked = (kind: 'payin' | 'refund', reference: string, amountMinor: bigint) => {
    const known = {
      kind,
      mode: 'test',
      ref: `${kind} ${reference}`,
      reference,
      request: '',
    } as const;
    const made: PartnerTransaction = {
      ...known,
      amount: usd(amountMinor),
      settlement: null,
      payinRef: 'payin all',
      takenAfterRefusal: false,
      takenAtMs: T0,
      status: 'completed',
      receivedMinor: kind === 'payin' ? amountMinor : 0n,
      history: [],
      ...(kind === 'payin'
        ? { collected: { reference: null, partyRef: null, repeats: null } }
        : {}),
    };
    books.take(made);
    return made;
  };
  const all = booked('payin', 'all', totalMinor);
  for (const [at, { paymentId }] of shares.entries()) booked('refund', paymentId, taken[at] ?? 0n);
  return books.sharesOf(all).map(({ got }) => got.receivedMinor);
}

test('what a share reports is not polled, and ends its review', () => {
  const [share] = shares;
  assert.ok(share);
  const report = { partnerRef: 'pa_9', end: 'completed', receivedMinor: 120n } as const;
  const next = shareReported({ ...share, review: '{}' }, report, T0 + 1);
  const { end, receivedMinor, dueAtMs, review } = next;
  assert.deepEqual([end, receivedMinor, dueAtMs, review], ['completed', 120n, null, null]);
  assert.equal(isShareCurrent(next, { end: 'completed' }, 120n), true);
  for (const other of [{ review: '{}' }, { end: 'returned' }, { receivedMinor: 1n }] as const) {
    assert.equal(isShareCurrent({ ...next, ...other }, { end: 'completed' }, 120n), false);
  }
});
