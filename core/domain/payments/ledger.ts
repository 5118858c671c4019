// Double-entry postings about a payment or a deposit: for each currency the lines sum to zero.
// Postings are append-only. funds.ts and deposit.ts derive them.
import { assert } from '../../errors.js';
import type { Money } from '../base/money.js';

/**
 * `buyer`, `seller` and `operator` are outside the service (negative: paid in, positive: paid out);
 * `operator` is the operator's own bank, which pays refunds and sellers by hand. The partner holds
 * `partner_float`, `refunds` (owed to the buyer), `suspense` (deposits that nobody has decided on)
 * and `adjustments` (deposits that operators refunded by hand or booked otherwise). What left
 * without an order of ours lowers `suspense` until an operator decides, then `adjustments`, or the
 * float if the operator has it.
 * `conversion`: exchanged between currencies. `fees`: charged by the partner. `losses`: left beyond
 * what arrived (negative); `write_offs`: losses that operators have written off (negative).
 */
export const ledgerAccounts = [
  'buyer',
  'partner_float',
  'conversion',
  'fees',
  'seller',
  'refunds',
  'losses',
  'operator',
  'suspense',
  'adjustments',
  'write_offs',
] as const;
export type LedgerAccount = (typeof ledgerAccounts)[number];

/** In the order of the postings of one change. */
export const postingKinds = [
  'funds_received',
  'funds_corrected',
  'loss',
  'loss_recovered',
  'refund_owed',
  'refund_withdrawn',
  'refund_paid',
  'refund_bounced',
  'refund_by_hand',
  'refund_by_hand_reversed',
  'returned_by_partner',
  'return_reversed',
  'payout_paid',
  'payout_returned',
  'payout_by_hand',
  'payout_by_hand_reversed',
  'loss_written_off',
  'write_off_reversed',
  'deposit_assigned',
  'deposit_resolved',
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

export function transfer(from: LedgerAccount, to: LedgerAccount, money: Money): LedgerLine[] {
  return [
    { account: from, money: { amountMinor: -money.amountMinor, currency: money.currency } },
    { account: to, money },
  ];
}

/** Leaves out empty lines; unbalanced lines are a programmer's error. */
export function posting(kind: PostingKind, lines: readonly LedgerLine[]): Posting {
  const balances = sumByCurrency(lines);
  for (const [currency, sum] of balances) {
    assert(sum === 0n, `the posting ${kind} is off by ${sum} in ${currency}`);
  }
  return Object.freeze({ kind, lines: lines.filter((line) => line.money.amountMinor !== 0n) });
}

/** All zero for any set of postings. */
export function sumByCurrency(
  lines: readonly Pick<LedgerLine, 'money'>[],
): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { money } of lines) {
    sums.set(money.currency, (sums.get(money.currency) ?? 0n) + money.amountMinor);
  }
  return sums;
}

/** The farthest from the buyer first. */
const ends: readonly LedgerAccount[] = ['seller', 'partner_float', 'refunds', 'buyer'];

/** The money of a posting where it went, without the fees. */
export function movedIn(lines: readonly LedgerLine[]): Money | null {
  const into = lines.filter(({ money: { amountMinor } }) => amountMinor > 0n);
  const line = ends.map((end) => into.find(({ account }) => account === end)).find(Boolean);
  return (line ?? into[0])?.money ?? null;
}

export interface StoredPosting extends Posting {
  readonly id: string;
  readonly atMs: number;
}
