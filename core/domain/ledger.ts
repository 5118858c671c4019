// Double-entry postings. Every fact about money is one balanced posting: for each currency its
// lines sum to zero. Postings are only ever appended. What each fact posts stands in funds.ts.
import { assert } from '../errors.js';
import type { Money } from './money.js';

/**
 * The accounts of one payment. `buyer` and `seller` lie outside the service (negative: paid in,
 * positive: paid out), `partner_float` is money the partner holds for the payment, `refunds` is
 * money owed back, `conversion` is where one currency becomes another, `fees` what the partner
 * kept, `losses` what the house pays because more left than arrived (negative).
 */
export const ledgerAccounts = [
  'buyer',
  'partner_float',
  'conversion',
  'fees',
  'seller',
  'refunds',
  'losses',
] as const;
export type LedgerAccount = (typeof ledgerAccounts)[number];

/** In the order in which one change may make several. */
export const postingKinds = [
  'funds_received',
  'loss',
  'loss_recovered',
  'refund_owed',
  'refund_withdrawn',
  'refund_paid',
  'refund_bounced',
  'returned_by_partner',
  'return_reversed',
  'payout_paid',
  'payout_returned',
] as const;
export type PostingKind = (typeof postingKinds)[number];

export interface LedgerLine {
  readonly account: LedgerAccount;
  readonly money: Money;
}

export interface Posting {
  readonly kind: PostingKind;
  readonly lines: readonly LedgerLine[];
}

/** A move of `money` from one account to another. */
export function transfer(from: LedgerAccount, to: LedgerAccount, money: Money): LedgerLine[] {
  return [
    { account: from, money: { amountMinor: -money.amountMinor, currency: money.currency } },
    { account: to, money },
  ];
}

/** A posting of these lines without the empty ones; unbalanced lines are a programmer's error. */
export function posting(kind: PostingKind, lines: readonly LedgerLine[]): Posting {
  const balances = sumByCurrency(lines);
  for (const [currency, sum] of balances) {
    assert(sum === 0n, `the posting ${kind} is off by ${sum} in ${currency}`);
  }
  return Object.freeze({ kind, lines: lines.filter((line) => line.money.amountMinor !== 0n) });
}

/** The sum of the lines of each currency; all zero for any set of whole postings. */
export function sumByCurrency(lines: readonly LedgerLine[]): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { money } of lines) {
    sums.set(money.currency, (sums.get(money.currency) ?? 0n) + money.amountMinor);
  }
  return sums;
}

export interface StoredPosting extends Posting {
  readonly id: string;
  readonly atMs: number;
}
