// Where the money of a payment is. Apart from the status, because money can arrive after a cancel
// and a payout can be in doubt: facts about money always count, whatever the status says. Two
// tables: the way of the principal, and beside it what is owed back to the buyer. Each fact also
// yields its ledger posting.
import { assert } from '../errors.js';
import { type Posting, posting, transfer } from './ledger.js';
import type { Money } from './money.js';
import type { Tenant } from './tenant.js';

export const positionMoves = {
  none: { order_payin: 'expected', receive: 'received' },
  expected: { receive: 'received', payin_failed: 'none', order_payin: 'expected' },
  received: { receive: 'received', order_payout: 'payout_ordered', hand_back: 'handed_back' },
  payout_ordered: {
    receive: 'payout_ordered',
    pay: 'paid',
    lose_sight: 'operator',
    return: 'received',
  },
  paid: { receive: 'paid' },
  handed_back: { receive: 'received' },
  operator: { receive: 'operator', pay: 'paid', return: 'received' },
} as const satisfies Record<Position, Partial<Record<PositionMove, Position>>>;

export const refundMoves = {
  none: { owe: 'refund_owed', given_back: 'refunded' },
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
    owe: 'refund_owed',
    given_back: 'refunded',
    given_back_part: 'refund_ordered',
    lose_sight: 'operator',
  },
  refunded: { owe: 'refund_owed', given_back: 'refunded' },
  operator: {
    owe: 'operator',
    order_all: 'refund_ordered',
    order_part: 'operator',
    given_back: 'refunded',
    given_back_part: 'operator',
    owed_given_back: 'refund_ordered',
    lose_sight: 'operator',
  },
} as const satisfies Record<RefundState, Partial<Record<RefundMove, RefundState>>>;

export type Position =
  | 'none'
  | 'expected'
  | 'received'
  | 'payout_ordered'
  | 'paid'
  | 'handed_back'
  | 'operator';

export type PositionMove =
  | 'order_payin'
  | 'payin_failed'
  | 'receive'
  | 'order_payout'
  | 'pay'
  | 'lose_sight'
  | 'return'
  | 'hand_back';

export type RefundState = 'none' | 'refund_owed' | 'refund_ordered' | 'refunded' | 'operator';

export type RefundMove =
  | 'owe'
  | 'order_all'
  | 'order_part'
  | 'given_back'
  | 'given_back_part'
  | 'owed_given_back'
  | 'lose_sight';

/**
 * All amounts are minor units of the payment's currency. At any time
 * received = held + payout + owed + ordered + refunded, and none of them is negative.
 */
export interface Funds extends Tenant {
  readonly paymentId: string;
  readonly currency: string;
  readonly position: Position;
  readonly refund: RefundState;
  /** Everything the partner ever reported as received from the buyer. */
  readonly receivedMinor: bigint;
  /** What was handed to a payout: in flight, lost sight of, or paid. */
  readonly payoutMinor: bigint;
  /** Owed back to the buyer and not yet ordered from the partner. */
  readonly refundOwedMinor: bigint;
  /** Ordered from the partner and not yet confirmed by it. */
  readonly refundOrderedMinor: bigint;
  readonly refundedMinor: bigint;
  readonly version: number;
}

/** Funds after a fact, with the postings of that fact. */
export interface FundsChange {
  readonly funds: Funds;
  readonly postings: readonly Posting[];
}

export function noFunds(tenant: Tenant, paymentId: string, currency: string): Funds {
  return Object.freeze({
    orgId: tenant.orgId,
    mode: tenant.mode,
    paymentId,
    currency,
    position: 'none',
    refund: 'none',
    receivedMinor: 0n,
    payoutMinor: 0n,
    refundOwedMinor: 0n,
    refundOrderedMinor: 0n,
    refundedMinor: 0n,
    version: 1,
  });
}

/** What the partner holds for the payment and nobody has a claim on yet. */
export function heldMinor(funds: Funds): bigint {
  return (
    funds.receivedMinor -
    funds.payoutMinor -
    funds.refundOwedMinor -
    funds.refundOrderedMinor -
    funds.refundedMinor
  );
}

export function nextPosition(position: Position, move: PositionMove): Position | null {
  const row: Partial<Record<PositionMove, Position>> = positionMoves[position];
  return row[move] ?? null;
}

export function nextRefund(refund: RefundState, move: RefundMove): RefundState | null {
  const row: Partial<Record<RefundMove, RefundState>> = refundMoves[refund];
  return row[move] ?? null;
}

/** A pay-in was ordered: money may come from now on. */
export function expectFunds(funds: Funds): Funds {
  if (nextPosition(funds.position, 'order_payin') === null) return funds;
  return moved(funds, 'order_payin', {});
}

/** The pay-in ended without (further) money. Money that did arrive stays where it is. */
export function payinFailed(funds: Funds): Funds {
  if (nextPosition(funds.position, 'payin_failed') === null) return funds;
  return moved(funds, 'payin_failed', {});
}

/**
 * The partner reports `totalMinor` received in all. Smaller or equal totals are old news: reports
 * may come twice and out of order.
 */
export function receiveFunds(funds: Funds, totalMinor: bigint): FundsChange {
  const freshMinor = totalMinor - funds.receivedMinor;
  if (freshMinor <= 0n) return { funds, postings: [] };
  return {
    funds: moved(funds, 'receive', { receivedMinor: totalMinor }),
    postings: [
      posting('funds_received', transfer('buyer', 'partner_float', money(funds, freshMinor))),
    ],
  };
}

/** `amountMinor` of the held money belongs to the buyer again. */
export function oweRefund(funds: Funds, amountMinor: bigint): FundsChange {
  assert(amountMinor > 0n && amountMinor <= heldMinor(funds), 'only held money can be owed back');
  const owed = withRefund(funds, 'owe', { refundOwedMinor: funds.refundOwedMinor + amountMinor });
  const emptied = heldMinor(owed) === 0n && nextPosition(owed.position, 'hand_back') !== null;
  return {
    funds: emptied ? moved(owed, 'hand_back', {}) : owed,
    postings: [
      posting('refund_owed', transfer('partner_float', 'refunds', money(funds, amountMinor))),
    ],
  };
}

/**
 * The order to refund `amountMinor` is taken in hand; the partner is called after this is stored.
 */
export function orderRefund(funds: Funds, amountMinor: bigint): Funds {
  assert(
    amountMinor > 0n && amountMinor <= funds.refundOwedMinor,
    'only owed money is ordered back',
  );
  const owedMinor = funds.refundOwedMinor - amountMinor;
  return withRefund(funds, owedMinor === 0n ? 'order_all' : 'order_part', {
    refundOwedMinor: owedMinor,
    refundOrderedMinor: funds.refundOrderedMinor + amountMinor,
  });
}

/** The partner confirms that `amountMinor` of the ordered refunds reached the buyer. */
export function refundPaid(funds: Funds, amountMinor: bigint): FundsChange {
  assert(amountMinor > 0n && amountMinor <= funds.refundOrderedMinor, 'only ordered money is back');
  const orderedMinor = funds.refundOrderedMinor - amountMinor;
  const open = orderedMinor + funds.refundOwedMinor > 0n;
  return {
    funds: withRefund(funds, open ? 'given_back_part' : 'given_back', {
      refundOrderedMinor: orderedMinor,
      refundedMinor: funds.refundedMinor + amountMinor,
    }),
    postings: [posting('refund_paid', transfer('refunds', 'buyer', money(funds, amountMinor)))],
  };
}

/** A refund cannot be had from the partner by itself: the debt is a person's task. */
export function refundNeedsOperator(funds: Funds): Funds {
  return withRefund(funds, 'lose_sight', {});
}

/** The ordered refund did not happen and is owed as before. */
export function refundFellBack(funds: Funds, amountMinor: bigint): Funds {
  assert(
    amountMinor > 0n && amountMinor <= funds.refundOrderedMinor,
    'only ordered money falls back',
  );
  return refundNeedsOperator({
    ...funds,
    refundOwedMinor: funds.refundOwedMinor + amountMinor,
    refundOrderedMinor: funds.refundOrderedMinor - amountMinor,
  });
}

/**
 * The partner sent held money back to the buyer of its own accord (a pay-in it refunded): at most
 * what is held or owed; what was ordered is confirmed by refundPaid.
 */
export function returnedByPartner(funds: Funds, amountMinor: bigint): FundsChange {
  const fromOwed = smaller(amountMinor, funds.refundOwedMinor);
  const fromHeld = smaller(amountMinor - fromOwed, heldMinor(funds));
  const total = fromOwed + fromHeld;
  if (total === 0n) return { funds, postings: [] };
  const owedMinor = funds.refundOwedMinor - fromOwed;
  const returned = withRefund(funds, returnMove(funds, fromOwed), {
    refundOwedMinor: owedMinor,
    refundedMinor: funds.refundedMinor + total,
  });
  const emptied =
    heldMinor(returned) === 0n && nextPosition(returned.position, 'hand_back') !== null;
  return {
    funds: emptied ? moved(returned, 'hand_back', {}) : returned,
    postings: [
      posting('returned_by_partner', [
        ...transfer('refunds', 'buyer', money(funds, fromOwed)),
        ...transfer('partner_float', 'buyer', money(funds, fromHeld)),
      ]),
    ],
  };
}

/** The payout of `amountMinor` is taken in hand; the partner is called after this is stored. */
export function orderPayout(funds: Funds, amountMinor: bigint): Funds {
  assert(amountMinor > 0n && amountMinor <= heldMinor(funds), 'only held money is paid out');
  return moved(funds, 'order_payout', { payoutMinor: amountMinor });
}

/**
 * The payout reached the seller: `fees` of it stayed with the partner, `settled` is the BRL paid.
 */
export function payoutPaid(funds: Funds, fees: Money, settled: Money): FundsChange {
  assert(fees.currency === funds.currency, 'payout fees are in the currency paid');
  const spent = money(funds, funds.payoutMinor);
  const converted = money(funds, funds.payoutMinor - fees.amountMinor);
  return {
    funds: moved(funds, 'pay', {}),
    postings: [
      posting('payout_paid', [
        { account: 'partner_float', money: { ...spent, amountMinor: -spent.amountMinor } },
        { account: 'fees', money: fees },
        { account: 'conversion', money: converted },
        ...transfer('conversion', 'seller', settled),
      ]),
    ],
  };
}

/** A payout failed: nobody knows where the money is until the partner says so. */
export function payoutFailed(funds: Funds): Funds {
  if (nextPosition(funds.position, 'lose_sight') === null) return funds;
  return moved(funds, 'lose_sight', {});
}

/** The partner says that the tokens of the failed payout came back: the money is held again. */
export function payoutReturned(funds: Funds): Funds {
  return moved(funds, 'return', { payoutMinor: 0n });
}

/** What is still open when the partner gave `fromOwed` of the owed money back by itself. */
function returnMove(funds: Funds, fromOwed: bigint): RefundMove {
  const owedMinor = funds.refundOwedMinor - fromOwed;
  if (owedMinor + funds.refundOrderedMinor === 0n) return 'given_back';
  return owedMinor === 0n && fromOwed > 0n ? 'owed_given_back' : 'given_back_part';
}

type Amounts = Partial<
  Pick<
    Funds,
    'receivedMinor' | 'payoutMinor' | 'refundOwedMinor' | 'refundOrderedMinor' | 'refundedMinor'
  >
>;

function moved(funds: Funds, move: PositionMove, amounts: Amounts): Funds {
  const position = nextPosition(funds.position, move);
  assert(position !== null, `funds in ${funds.position} know no ${move}`);
  return Object.freeze({ ...funds, ...amounts, position });
}

function withRefund(funds: Funds, move: RefundMove, amounts: Amounts): Funds {
  const refund = nextRefund(funds.refund, move);
  assert(refund !== null, `a refund in ${funds.refund} knows no ${move}`);
  return Object.freeze({ ...funds, ...amounts, refund });
}

function money(funds: Funds, amountMinor: bigint): Money {
  return { amountMinor, currency: funds.currency };
}

function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}
