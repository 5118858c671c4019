// The laws of the funds: whatever facts come in whatever order, nothing is lost or made.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  expectFunds,
  type Funds,
  heldMinor,
  nextPosition,
  orderPayout,
  orderRefund,
  oweRefund,
  payinFailed,
  payoutFailed,
  payoutPaid,
  payoutReturned,
  positionMoves,
  receiveFunds,
  refundFellBack,
  refundMoves,
  refundNeedsOperator,
  refundPaid,
  returnedByPartner,
} from '../../../core/domain/funds.js';
import { type LedgerAccount, type Posting, sumByCurrency } from '../../../core/domain/ledger.js';
import { sampleFunds } from '../../support/sample-rows.js';

const FEES_MINOR = 3n;
const SETTLED_MINOR = 5_000n;

interface Step {
  readonly funds: Funds;
  readonly postings: readonly Posting[];
}

const quietly = (funds: Funds): Step => ({ funds, postings: [] });

/** Each fact, where it applies, with an amount from 1 to what there is; null where it does not. */
const facts = {
  expect: (funds: Funds) => quietly(expectFunds(funds)),
  payinFails: (funds: Funds) => quietly(payinFailed(funds)),
  receive: (funds: Funds, part: bigint) => receiveFunds(funds, part * 7n),
  owe: (funds: Funds, part: bigint) =>
    upTo(heldMinor(funds), part, (amount) => oweRefund(funds, amount)),
  orderBack: (funds: Funds, part: bigint) =>
    upTo(funds.refundOwedMinor, part, (amount) => quietly(orderRefund(funds, amount))),
  givenBack: (funds: Funds, part: bigint) =>
    upTo(funds.refundOrderedMinor, part, (amount) => refundPaid(funds, amount)),
  fallsBack: (funds: Funds, part: bigint) =>
    upTo(funds.refundOrderedMinor, part, (amount) => quietly(refundFellBack(funds, amount))),
  refused: (funds: Funds) =>
    funds.refundOwedMinor > 0n ? quietly(refundNeedsOperator(funds)) : null,
  returns: (funds: Funds, part: bigint) => returnedByPartner(funds, part * 7n),
  payOut: (funds: Funds, part: bigint) =>
    nextPosition(funds.position, 'order_payout') === null
      ? null
      : upTo(heldMinor(funds), part, (amount) => quietly(orderPayout(funds, amount))),
  payoutFails: (funds: Funds) => quietly(payoutFailed(funds)),
  payoutReturns: (funds: Funds) =>
    nextPosition(funds.position, 'return') === null ? null : quietly(payoutReturned(funds)),
  payoutArrives: (funds: Funds) =>
    nextPosition(funds.position, 'pay') === null
      ? null
      : payoutPaid(
          funds,
          { amountMinor: FEES_MINOR, currency: 'USD' },
          { amountMinor: SETTLED_MINOR, currency: 'BRL' },
        ),
} as const satisfies Record<string, (funds: Funds, part: bigint) => Step | null>;

const history = fc.array(
  fc.record({
    fact: fc.constantFrom(...(Object.keys(facts) as (keyof typeof facts)[])),
    part: fc.bigInt({ min: 1n, max: 100n }),
  }),
  { maxLength: 60, size: 'max' },
);

/** Runs a history and looks at every step of it. */
function eachStep(look: (funds: Funds, postings: readonly Posting[]) => void): void {
  fc.assert(
    fc.property(history, (steps) => {
      let funds = sampleFunds;
      const postings: Posting[] = [];
      for (const { fact, part } of steps) {
        const step = facts[fact](funds, part);
        if (step === null) continue;
        funds = step.funds;
        postings.push(...step.postings);
        look(funds, postings);
      }
    }),
    { numRuns: 1_000 },
  );
}

test('law: received = held + payout + owed + ordered + refunded, and none is negative', () => {
  eachStep((funds) => {
    const parts = [
      heldMinor(funds),
      funds.payoutMinor,
      funds.refundOwedMinor,
      funds.refundOrderedMinor,
      funds.refundedMinor,
    ];
    for (const part of parts) assert.ok(part >= 0n, `${parts}`);
    assert.equal(
      parts.reduce((sum, part) => sum + part, 0n),
      funds.receivedMinor,
    );
  });
});

test('law: never is more paid out and given back than was received', () => {
  eachStep((funds) => {
    const gone = funds.payoutMinor + funds.refundOrderedMinor + funds.refundedMinor;
    assert.ok(gone <= funds.receivedMinor);
  });
});

test('law: each posting balances, and the ledger sums to zero in every currency', () => {
  eachStep((_funds, postings) => {
    for (const { lines } of postings) {
      assert.ok(lines.length > 0, 'a posting says something');
      for (const sum of sumByCurrency(lines).values()) assert.equal(sum, 0n);
    }
    const all = postings.flatMap(({ lines }) => lines);
    for (const sum of sumByCurrency(all).values()) assert.equal(sum, 0n);
  });
});

test('law: the ledger tells the same as the funds', () => {
  eachStep((funds, postings) => {
    const paid = funds.position === 'paid';
    const inFlight = paid ? 0n : funds.payoutMinor;
    const expected: Readonly<Record<string, bigint>> = {
      'buyer USD': -(funds.receivedMinor - funds.refundedMinor),
      'partner_float USD': heldMinor(funds) + inFlight,
      'refunds USD': funds.refundOwedMinor + funds.refundOrderedMinor,
      'fees USD': paid ? FEES_MINOR : 0n,
      'conversion USD': paid ? funds.payoutMinor - FEES_MINOR : 0n,
      'conversion BRL': paid ? -SETTLED_MINOR : 0n,
      'seller BRL': paid ? SETTLED_MINOR : 0n,
    };
    const balances = balancesOf(postings);
    for (const name of new Set([...Object.keys(expected), ...balances.keys()])) {
      assert.equal(balances.get(name) ?? 0n, expected[name] ?? 0n, name);
    }
  });
});

test('law: position and refund are in their tables and say what the amounts say', () => {
  eachStep((funds) => {
    const { position, refund } = funds;
    const [owed, ordered] = [funds.refundOwedMinor > 0n, funds.refundOrderedMinor > 0n];
    assert.ok(position in positionMoves && refund in refundMoves);
    const handedOut = position === 'payout_ordered' || position === 'paid';
    assert.equal(funds.payoutMinor > 0n, handedOut || position === 'operator', position);
    if (position === 'none' || position === 'expected') assert.equal(funds.receivedMinor, 0n);
    if (position === 'received') assert.ok(heldMinor(funds) > 0n);
    if (position === 'handed_back') {
      assert.ok(heldMinor(funds) === 0n && funds.receivedMinor > 0n);
    }
    if (refund === 'none') assert.ok(!owed && !ordered && funds.refundedMinor === 0n);
    if (refund === 'refund_owed' || refund === 'operator') assert.ok(owed, refund);
    if (refund === 'refund_ordered') assert.ok(!owed && ordered);
    if (refund === 'refunded') assert.ok(!owed && !ordered && funds.refundedMinor > 0n);
    assert.ok(Object.isFrozen(funds));
  });
});

test('law: totals of money received may come twice and in any order', () => {
  const totals = fc.array(fc.bigInt({ min: 0n, max: 50n }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(totals, fc.infiniteStream(fc.nat(1_000)), (reports, order) => {
      const all = (list: readonly bigint[]) =>
        list.reduce(
          ({ funds, postings }, total) => {
            const next = receiveFunds(funds, total);
            return { funds: next.funds, postings: [...postings, ...next.postings] };
          },
          { funds: sampleFunds, postings: [] as Posting[] },
        );
      const shuffled = [...reports, ...reports]
        .map((total) => ({ total, at: order.next().value ?? 0 }))
        .sort((a, b) => a.at - b.at)
        .map(({ total }) => total);
      const once = all(reports);
      const twice = all(shuffled);
      assert.deepEqual(twice.funds, once.funds);
      assert.deepEqual(balancesOf(twice.postings), balancesOf(once.postings));
    }),
  );
});

function upTo(most: bigint, part: bigint, act: (amount: bigint) => Step): Step | null {
  const amount = (most * part + 99n) / 100n;
  return amount === 0n ? null : act(amount);
}

function balancesOf(postings: readonly Posting[]): ReadonlyMap<string, bigint> {
  const balances = new Map<`${LedgerAccount} ${string}`, bigint>();
  for (const { account, money } of postings.flatMap(({ lines }) => lines)) {
    const name = `${account} ${money.currency}` as const;
    balances.set(name, (balances.get(name) ?? 0n) + money.amountMinor);
  }
  return balances;
}
