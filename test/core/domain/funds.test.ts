import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  expectFunds,
  type Funds,
  heldMinor,
  nextPosition,
  nextRefund,
  orderPayout,
  orderRefund,
  oweRefund,
  type Position,
  type PositionMove,
  payinFailed,
  payoutFailed,
  payoutPaid,
  payoutReturned,
  positionMoves,
  type RefundMove,
  type RefundState,
  receiveFunds,
  refundFellBack,
  refundMoves,
  refundNeedsOperator,
  refundPaid,
  returnedByPartner,
} from '../../../core/domain/funds.js';
import { AssertionFailure } from '../../../core/errors.js';
import { sampleFunds } from '../../support/sample-rows.js';

const usd = (amountMinor: bigint) => ({ amountMinor, currency: 'USD' });
const brl = (amountMinor: bigint) => ({ amountMinor, currency: 'BRL' });

const noPosition: Record<PositionMove, Position | null> = {
  order_payin: null,
  payin_failed: null,
  receive: null,
  order_payout: null,
  pay: null,
  lose_sight: null,
  return: null,
  hand_back: null,
};

const positionMatrix: Record<Position, Record<PositionMove, Position | null>> = {
  none: { ...noPosition, order_payin: 'expected', receive: 'received' },
  expected: {
    ...noPosition,
    order_payin: 'expected',
    payin_failed: 'none',
    receive: 'received',
  },
  received: {
    ...noPosition,
    receive: 'received',
    order_payout: 'payout_ordered',
    hand_back: 'handed_back',
  },
  payout_ordered: {
    ...noPosition,
    receive: 'payout_ordered',
    pay: 'paid',
    lose_sight: 'operator',
    return: 'received',
  },
  paid: { ...noPosition, receive: 'paid' },
  handed_back: { ...noPosition, receive: 'received' },
  operator: { ...noPosition, receive: 'operator', pay: 'paid', return: 'received' },
};

const noRefund: Record<RefundMove, RefundState | null> = {
  owe: null,
  order_all: null,
  order_part: null,
  given_back: null,
  given_back_part: null,
  owed_given_back: null,
  lose_sight: null,
};

const refundMatrix: Record<RefundState, Record<RefundMove, RefundState | null>> = {
  none: { ...noRefund, owe: 'refund_owed', given_back: 'refunded' },
  refund_owed: {
    owe: 'refund_owed',
    order_all: 'refund_ordered',
    order_part: 'refund_owed',
    given_back: 'refunded',
    given_back_part: 'refund_owed',
    owed_given_back: 'refund_ordered',
    lose_sight: 'operator',
  },
  refund_ordered: {
    ...noRefund,
    owe: 'refund_owed',
    given_back: 'refunded',
    given_back_part: 'refund_ordered',
    lose_sight: 'operator',
  },
  refunded: { ...noRefund, owe: 'refund_owed', given_back: 'refunded' },
  operator: {
    owe: 'operator',
    order_all: 'refund_ordered',
    order_part: 'operator',
    given_back: 'refunded',
    given_back_part: 'operator',
    owed_given_back: 'refund_ordered',
    lose_sight: 'operator',
  },
};

test('every position and move is as the table says, and no other move is made', () => {
  assert.deepEqual(Object.keys(positionMoves), Object.keys(positionMatrix));
  for (const [position, row] of Object.entries(positionMatrix)) {
    for (const [move, expected] of Object.entries(row)) {
      const name = `${position} ${move}`;
      assert.equal(nextPosition(position as Position, move as PositionMove), expected, name);
    }
    for (const move of Object.keys(positionMoves[position as Position])) assert.ok(move in row);
  }
});

test('every refund state and move is as the table says, and no other move is made', () => {
  assert.deepEqual(Object.keys(refundMoves), Object.keys(refundMatrix));
  for (const [refund, row] of Object.entries(refundMatrix)) {
    for (const [move, expected] of Object.entries(row)) {
      const name = `${refund} ${move}`;
      assert.equal(nextRefund(refund as RefundState, move as RefundMove), expected, name);
    }
    for (const move of Object.keys(refundMoves[refund as RefundState])) assert.ok(move in row);
  }
});

const received = receiveFunds(expectFunds(sampleFunds), 10_000n).funds;
const inFlight = orderPayout(received, 10_000n);
const lost = payoutFailed(inFlight);
const owing = oweRefund(received, 4_000n).funds;
const ordered = orderRefund(owing, 4_000n);

/** The amounts in the order of the equation: received, held, payout, owed, ordered, refunded. */
function amounts(funds: Funds): readonly bigint[] {
  return [
    funds.receivedMinor,
    heldMinor(funds),
    funds.payoutMinor,
    funds.refundOwedMinor,
    funds.refundOrderedMinor,
    funds.refundedMinor,
  ];
}

test('the way of the principal is none, expected, received, payout_ordered, paid', () => {
  const paid = payoutPaid(inFlight, usd(100n), brl(51_480n)).funds;
  const way = [sampleFunds, expectFunds(sampleFunds), received, inFlight, paid];
  assert.deepEqual(
    way.map(({ position }) => position),
    ['none', 'expected', 'received', 'payout_ordered', 'paid'],
  );
  assert.deepEqual(amounts(paid), [10_000n, 0n, 10_000n, 0n, 0n, 0n]);
  for (const funds of way) assert.ok(Object.isFrozen(funds));
});

test('the way of a refund is owed, ordered, refunded, and money all owed is handed back', () => {
  const all = oweRefund(received, 10_000n).funds;
  const back = refundPaid(orderRefund(all, 10_000n), 10_000n).funds;
  const way = [received, all, orderRefund(all, 10_000n), back];
  assert.deepEqual(
    way.map(({ refund, position }) => `${refund} ${position}`),
    [
      'none received',
      'refund_owed handed_back',
      'refund_ordered handed_back',
      'refunded handed_back',
    ],
  );
  assert.deepEqual(amounts(back), [10_000n, 0n, 0n, 0n, 0n, 10_000n]);
});

test('smaller or equal totals of money received are old news', () => {
  for (const total of [10_000n, 9_999n, 0n, -1n]) {
    assert.deepEqual(receiveFunds(received, total), { funds: received, postings: [] });
  }
  const more = receiveFunds(received, 10_001n);
  assert.deepEqual(more.postings, [
    {
      kind: 'funds_received',
      lines: [
        { account: 'buyer', money: usd(-1n) },
        { account: 'partner_float', money: usd(1n) },
      ],
    },
  ]);
});

test('money counts in whatever position it arrives', () => {
  const everywhere: readonly Funds[] = [
    ...[sampleFunds, expectFunds(sampleFunds), received, inFlight, lost, owing, ordered],
    payoutPaid(inFlight, usd(100n), brl(1n)).funds,
    oweRefund(received, 10_000n).funds,
  ];
  for (const funds of everywhere) {
    const later = receiveFunds(funds, 20_000n).funds;
    const name = `${funds.position} ${funds.refund}`;
    assert.equal(later.receivedMinor, 20_000n, name);
    assert.equal(heldMinor(later) - heldMinor(funds), 20_000n - funds.receivedMinor, name);
  }
});

test('never is more paid out, owed, ordered or given back than there is', () => {
  const refusals: readonly (readonly [name: string, act: () => unknown])[] = [
    ['payout of more than is held', () => orderPayout(received, 10_001n)],
    ['payout of what is owed back', () => orderPayout(owing, 6_001n)],
    ['payout of nothing', () => orderPayout(received, 0n)],
    ['a second payout', () => orderPayout(receiveFunds(inFlight, 30_000n).funds, 10_000n)],
    ['a payout without money', () => orderPayout(sampleFunds, 1n)],
    ['owing more than is held', () => oweRefund(owing, 6_001n)],
    ['owing what is paid out', () => oweRefund(inFlight, 1n)],
    ['owing nothing', () => oweRefund(received, 0n)],
    ['ordering back more than is owed', () => orderRefund(owing, 4_001n)],
    ['ordering back nothing', () => orderRefund(owing, 0n)],
    ['ordering back twice', () => orderRefund(ordered, 1n)],
    ['given back more than was ordered', () => refundPaid(ordered, 4_001n)],
    ['given back nothing', () => refundPaid(ordered, 0n)],
    ['given back unordered', () => refundPaid(owing, 1n)],
    ['falling back unordered', () => refundFellBack(owing, 1n)],
    ['paid without a payout', () => payoutPaid(received, usd(0n), brl(1n))],
    [
      'paid twice',
      () => payoutPaid(payoutPaid(inFlight, usd(0n), brl(1n)).funds, usd(0n), brl(1n)),
    ],
    ['fees in another currency', () => payoutPaid(inFlight, brl(1n), brl(1n))],
    ['returned without a payout', () => payoutReturned(received)],
    ['no debt for an operator', () => refundNeedsOperator(received)],
  ];
  for (const [name, act] of refusals) assert.throws(act, AssertionFailure, name);
});

test('a completed payout is converted, fees stay with the partner, the seller gets BRL', () => {
  const { postings } = payoutPaid(inFlight, usd(100n), brl(51_480n));
  assert.deepEqual(postings, [
    {
      kind: 'payout_paid',
      lines: [
        { account: 'partner_float', money: usd(-10_000n) },
        { account: 'fees', money: usd(100n) },
        { account: 'conversion', money: usd(9_900n) },
        { account: 'conversion', money: brl(-51_480n) },
        { account: 'seller', money: brl(51_480n) },
      ],
    },
  ]);
});

test('a payout that failed leaves the position unknown until the tokens come back', () => {
  assert.equal(lost.position, 'operator');
  assert.deepEqual(amounts(lost), amounts(inFlight), 'nothing is held, nothing is owed yet');
  assert.equal(payoutFailed(lost), lost);
  assert.throws(() => oweRefund(lost, 1n), AssertionFailure);
  const back = payoutReturned(lost);
  assert.deepEqual([back.position, heldMinor(back), back.payoutMinor], ['received', 10_000n, 0n]);
});

test('failed then completed: the funds say paid', () => {
  assert.equal(payoutPaid(lost, usd(100n), brl(51_480n)).funds.position, 'paid');
});

test('a failed pay-in expects nothing more, and money that did arrive stays', () => {
  assert.equal(payinFailed(expectFunds(sampleFunds)).position, 'none');
  assert.equal(payinFailed(received), received);
  assert.equal(expectFunds(received), received);
});

test('a refund that failed is owed again, and a person must look until it is ordered anew', () => {
  const back = refundFellBack(ordered, 4_000n);
  assert.deepEqual([back.refund, ...amounts(back)], ['operator', ...amounts(owing)]);
  assert.equal(oweRefund(back, 1_000n).funds.refund, 'operator');
  assert.equal(orderRefund(back, 1_000n).refund, 'operator');
  const again = orderRefund(back, 4_000n);
  assert.equal(again.refund, 'refund_ordered');
  assert.equal(refundPaid(again, 4_000n).funds.refund, 'refunded');
});

test('a refund that the partner will not take is a debt for an operator', () => {
  const debt = refundNeedsOperator(owing);
  assert.deepEqual([debt.refund, ...amounts(debt)], ['operator', ...amounts(owing)]);
});

test('what the partner gives back by itself ends the debt first, then what is held', () => {
  const part = returnedByPartner(owing, 3_000n);
  assert.deepEqual(
    [part.funds.refund, ...amounts(part.funds)],
    ['refund_owed', 10_000n, 6_000n, 0n, 1_000n, 0n, 3_000n],
  );
  const all = returnedByPartner(owing, 10_000n);
  assert.deepEqual(
    [all.funds.refund, all.funds.position, ...amounts(all.funds)],
    ['refunded', 'handed_back', 10_000n, 0n, 0n, 0n, 0n, 10_000n],
  );
  assert.deepEqual(all.postings[0]?.lines, [
    { account: 'refunds', money: usd(-4_000n) },
    { account: 'buyer', money: usd(4_000n) },
    { account: 'partner_float', money: usd(-6_000n) },
    { account: 'buyer', money: usd(6_000n) },
  ]);
  assert.deepEqual(returnedByPartner(sampleFunds, 5n), { funds: sampleFunds, postings: [] });
});

test('what was ordered back stays ordered when the partner gives the rest back by itself', () => {
  const owingMore = oweRefund(ordered, 1_000n).funds;
  for (const funds of [owingMore, refundNeedsOperator(owingMore)]) {
    const back = returnedByPartner(funds, 6_000n).funds;
    assert.deepEqual(
      [back.refund, ...amounts(back)],
      ['refund_ordered', 10_000n, 0n, 0n, 0n, 4_000n, 6_000n],
    );
    assert.equal(refundPaid(back, 4_000n).funds.refund, 'refunded');
  }
});
