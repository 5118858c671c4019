// Where the money of a payment is. It is separate from the status, because money can arrive after a
// cancellation and a payout can be in doubt: reports about money count in any status.
//
// Funds follow from the orders to the partner: `sumsOf` adds them up, and the ledger postings of a
// change are the difference of two sums. So if reports arrive late, twice or out of order, funds,
// ledger and orders still agree.
import { assert } from '../errors.js';
import { type LedgerAccount, type Posting, posting, transfer } from './ledger.js';
import type { Money } from './money.js';
import { type CommandState, isOpen, type MoneyCommand, type OrderEnd } from './partner-command.js';
import type { SettlementFacts } from './payment.js';
import type { Tenant } from './tenant.js';

/** Where the money of an order is, by its state and, once accepted, by its end. */
type Stage = 'none' | 'planned' | 'moving' | 'moved' | 'missing' | 'owed';

const stages = {
  payout: {
    pending: 'planned',
    sent: 'moving',
    unknown: 'moving',
    denied: 'moving',
    done: { open: 'moving', completed: 'moved', failed: 'missing', returned: 'none' },
    refused: 'none',
    void: 'none',
  },
  refund: {
    pending: 'planned',
    sent: 'moving',
    unknown: 'moving',
    denied: 'moving',
    done: { open: 'moving', completed: 'moved', failed: 'owed', returned: 'owed' },
    refused: 'owed',
    void: 'none',
  },
} as const satisfies Record<
  'payout' | 'refund',
  Record<Exclude<CommandState, 'done'>, Stage> & { readonly done: Record<OrderEnd, Stage> }
>;

export const positions = [
  'none',
  'expected',
  'received',
  'payout_ordered',
  'paid',
  /** Returned or owed to the buyer. */
  'returned_to_buyer',
  'needs_review',
] as const;
export type Position = (typeof positions)[number];

export const refundStates = [
  'none',
  'refund_owed',
  'refund_ordered',
  'refunded',
  'needs_review',
] as const;
export type RefundState = (typeof refundStates)[number];

/**
 * All amounts are minor units of the payment's currency, and none is negative. At any time
 * received + loss = held + payout + owed + ordered + refunded.
 */
export interface Funds extends Tenant {
  readonly paymentId: string;
  readonly currency: string;
  readonly position: Position;
  /** `needs_review`: the partner refused or failed a refund. */
  readonly refund: RefundState;
  /** Over all pay-ins. */
  readonly receivedMinor: bigint;
  /** Payouts that were sent, paid, or failed without a return. */
  readonly payoutMinor: bigint;
  /** Owed to the buyer; its refund is not sent, or was refused or failed. */
  readonly refundOwedMinor: bigint;
  /** Refunds sent to the partner, not confirmed. */
  readonly refundOrderedMinor: bigint;
  /** Refunded, or returned by the partner. */
  readonly refundedMinor: bigint;
  /** What left beyond what was received: the operator of the service pays it. */
  readonly lossMinor: bigint;
  readonly version: number;
}

/** The sums of a payment's orders, in minor units of its currency. */
export interface MoneySums {
  readonly receivedMinor: bigint;
  readonly payoutMinor: bigint;
  readonly paidMinor: bigint;
  readonly missingMinor: bigint;
  readonly owedMinor: bigint;
  readonly orderedMinor: bigint;
  readonly refundedMinor: bigint;
  /** Returned to the buyer by the partner, without an order of ours. */
  readonly returnedMinor: bigint;
  readonly lossMinor: bigint;
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
    lossMinor: 0n,
    version: 1,
  });
}

/** Received money that is not allocated to a payout or refund. */
export function heldMinor(funds: Omit<Funds, keyof Tenant | 'position' | 'refund'>): bigint {
  return (
    funds.receivedMinor +
    funds.lossMinor -
    funds.payoutMinor -
    funds.refundOwedMinor -
    funds.refundOrderedMinor -
    funds.refundedMinor
  );
}

/** `none` for a pay-in, whose money counts by `receivedMinor`. */
export function stageOf({ kind, state, end }: MoneyCommand): Stage {
  if (kind !== 'payout' && kind !== 'refund') return 'none';
  return state === 'done' ? stages[kind].done[end] : stages[kind][state];
}

export function sumsOf(orders: readonly MoneyCommand[]): MoneySums {
  const payouts = (stage: Stage) => total(orders, 'payout', stage);
  const refunds = (stage: Stage) => total(orders, 'refund', stage);
  const payins = orders.filter(({ kind }) => kind === 'payin');
  const receivedMinor = sum(payins.map((payin) => payin.receivedMinor));
  const returnedMinor = sum(payins.map((payin) => returnedOf(payin, orders)));
  const paidMinor = payouts('moved');
  const missingMinor = payouts('missing');
  const payoutMinor = payouts('moving') + paidMinor + missingMinor;
  const owedMinor = refunds('planned') + refunds('owed');
  const orderedMinor = refunds('moving');
  const refundedMinor = refunds('moved');
  const spentMinor = payoutMinor + owedMinor + orderedMinor + refundedMinor + returnedMinor;
  const lossMinor = spentMinor > receivedMinor ? spentMinor - receivedMinor : 0n;
  return {
    ...{ receivedMinor, payoutMinor, paidMinor, missingMinor },
    ...{ owedMinor, orderedMinor, refundedMinor, returnedMinor, lossMinor },
  };
}

/** What can be refunded from this pay-in: nothing once it was returned. */
export function freeOfPayin(payin: MoneyCommand, orders: readonly MoneyCommand[]): bigint {
  if (payin.end === 'returned') return 0n;
  return payin.receivedMinor - refundsOf(payin, orders, ['planned', 'owed', 'moving', 'moved']);
}

export function fundsOf(was: Funds, orders: readonly MoneyCommand[]): Funds {
  const sums = sumsOf(orders);
  const amounts = {
    receivedMinor: sums.receivedMinor,
    payoutMinor: sums.payoutMinor,
    refundOwedMinor: sums.owedMinor,
    refundOrderedMinor: sums.orderedMinor,
    refundedMinor: sums.refundedMinor + sums.returnedMinor,
    lossMinor: sums.lossMinor,
  };
  const next = { ...was, ...amounts };
  const position = positionOf(sums, heldMinor(next), orders);
  const refund = refundStateOf(sums, orders);
  return Object.freeze({ ...next, position, refund });
}

/** The version aside. */
export function sameFunds(left: Funds, right: Funds): boolean {
  return (
    left.position === right.position &&
    left.refund === right.refund &&
    fundsAmounts.every((name) => left[name] === right[name])
  );
}

export const fundsAmounts = [
  'receivedMinor',
  'payoutMinor',
  'refundOwedMinor',
  'refundOrderedMinor',
  'refundedMinor',
  'lossMinor',
] as const satisfies readonly (keyof Funds)[];

/** The postings of a change of the orders, in the order in which money moves. */
export function postingsBetween(
  was: MoneySums,
  next: MoneySums,
  currency: string,
  settlement: SettlementFacts | null,
): readonly Posting[] {
  const rise = (name: keyof MoneySums) => next[name] - was[name];
  const owingMinor = rise('owedMinor') + rise('orderedMinor') + rise('refundedMinor');
  const moves = [
    ['receivedMinor', 'funds_received', 'buyer', 'partner_float', rise('receivedMinor')],
    ['lossMinor', 'loss', 'losses', 'partner_float', rise('lossMinor')],
    ['owedMinor', 'refund_owed', 'partner_float', 'refunds', owingMinor],
    ['refundedMinor', 'refund_paid', 'refunds', 'buyer', rise('refundedMinor')],
    ['returnedMinor', 'returned_by_partner', 'partner_float', 'buyer', rise('returnedMinor')],
  ] as const;
  const postings = moves
    .filter(([, , , , amountMinor]) => amountMinor !== 0n)
    .map(([, kind, from, to, amountMinor]) => {
      const name = amountMinor < 0n ? reversals[kind] : kind;
      assert(name !== null, `${kind} is never reversed`);
      return posting(name, transfer(from, to, { amountMinor, currency }));
    });
  const paid = payoutPosting(rise('paidMinor'), currency, settlement);
  return paid === null ? postings : [...postings, paid];
}

/** The opposite of each posting; received money stays received. */
const reversals = {
  funds_received: null,
  loss: 'loss_recovered',
  refund_owed: 'refund_withdrawn',
  refund_paid: 'refund_bounced',
  returned_by_partner: 'return_reversed',
} as const;

/** The expected balances of a payment's accounts; zero where absent. */
export function balancesOf(
  sums: MoneySums,
  currency: string,
  settlement: SettlementFacts | null,
): ReadonlyMap<string, bigint> {
  const paid = payoutPosting(sums.paidMinor, currency, settlement);
  const balances = new Map<string, bigint>();
  const add = (account: LedgerAccount, of: string, amountMinor: bigint) => {
    const name = balanceName(account, of);
    balances.set(name, (balances.get(name) ?? 0n) + amountMinor);
  };
  const backMinor = sums.refundedMinor + sums.returnedMinor;
  const owingMinor = sums.owedMinor + sums.orderedMinor;
  add('buyer', currency, backMinor - sums.receivedMinor);
  add('refunds', currency, owingMinor);
  add('losses', currency, -sums.lossMinor);
  add('partner_float', currency, sums.receivedMinor + sums.lossMinor - backMinor - owingMinor);
  for (const line of paid?.lines ?? [])
    add(line.account, line.money.currency, line.money.amountMinor);
  return balances;
}

export function balanceName(account: LedgerAccount, currency: string): string {
  return `${account} ${currency}`;
}

/** The payout reached the seller; negative: it was returned, so each line is reversed. */
function payoutPosting(
  paidMinor: bigint,
  currency: string,
  settlement: SettlementFacts | null,
): Posting | null {
  if (paidMinor === 0n) return null;
  assert(settlement !== null, 'a paid payout has its settlement');
  const { fees, settled } = settlement;
  const sign = paidMinor > 0n ? 1n : -1n;
  const signed = (money: Money) => ({ ...money, amountMinor: sign * money.amountMinor });
  return posting(sign > 0n ? 'payout_paid' : 'payout_returned', [
    { account: 'partner_float', money: { amountMinor: -paidMinor, currency } },
    { account: 'fees', money: signed(fees) },
    {
      account: 'conversion',
      money: { amountMinor: paidMinor - sign * fees.amountMinor, currency },
    },
    ...transfer('conversion', 'seller', signed(settled)),
  ]);
}

function positionOf(sums: MoneySums, held: bigint, orders: readonly MoneyCommand[]): Position {
  const reviewed = orders.some(({ kind, review }) => kind !== 'refund' && review !== null);
  if (sums.missingMinor > 0n || reviewed) return 'needs_review';
  if (sums.paidMinor > 0n) return 'paid';
  if (sums.payoutMinor > 0n) return 'payout_ordered';
  if (sums.receivedMinor > 0n) return held > 0n ? 'received' : 'returned_to_buyer';
  return orders.some((order) => order.kind === 'payin' && isOpen(order)) ? 'expected' : 'none';
}

function refundStateOf(sums: MoneySums, orders: readonly MoneyCommand[]): RefundState {
  if (orders.some((order) => order.kind === 'refund' && stageOf(order) === 'owed')) {
    return 'needs_review';
  }
  if (sums.owedMinor > 0n) return 'refund_owed';
  if (sums.orderedMinor > 0n) return 'refund_ordered';
  return sums.refundedMinor + sums.returnedMinor > 0n ? 'refunded' : 'none';
}

/** A returned pay-in went back to the buyer, except for what our refunds took or may still take. */
function returnedOf(payin: MoneyCommand, orders: readonly MoneyCommand[]): bigint {
  if (payin.end !== 'returned') return 0n;
  const takenMinor = refundsOf(payin, orders, ['moving', 'moved']);
  return payin.receivedMinor > takenMinor ? payin.receivedMinor - takenMinor : 0n;
}

function refundsOf(
  payin: MoneyCommand,
  orders: readonly MoneyCommand[],
  counted: readonly Stage[],
): bigint {
  const refunds = orders.filter(
    (order) =>
      order.kind === 'refund' && order.payinId === payin.id && counted.includes(stageOf(order)),
  );
  return sum(refunds.map(({ amount }) => amount.amountMinor));
}

function total(orders: readonly MoneyCommand[], kind: 'payout' | 'refund', stage: Stage): bigint {
  const found = orders.filter((order) => order.kind === kind && stageOf(order) === stage);
  return sum(found.map(({ amount }) => amount.amountMinor));
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((whole, amount) => whole + amount, 0n);
}
