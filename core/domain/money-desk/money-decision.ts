// What operators decide about money: the queues of the money desk, and what a decision relies on.
// proposal.ts has the rule of two operators.
import { formatAmount, type Money } from '../base/money.js';
import {
  isOpen,
  isRefusedPayout,
  isUnpaidRefund,
  isVoidable,
  type MoneyCommand,
  type PartnerCommand,
} from '../commands/partner-command.js';
import { reviewName } from '../commands/report-check.js';
import type { Deposit } from '../deposits/deposit.js';
import type { PaymentAggregate } from '../payments/change.js';
import { missingOf, openLossOf } from '../payments/funds.js';

/**
 * `unmatched`: deposits without a payment. `short`: payments that received less than asked.
 * `unapproved`: payments whose buyer was rejected after its approval. `owed`: refunds that are not
 * completed. `in_review`: payouts that are refused, have had no end for too long, failed and did
 * not return, or came back after the settlement, and commands with a report under review. `lost`:
 * payments of which more left than arrived.
 */
export const moneyQueues = [
  'unmatched',
  'short',
  'unapproved',
  'owed',
  'in_review',
  'lost',
] as const;
export type MoneyQueue = (typeof moneyQueues)[number];
/** Queues of commands to the partner. */
export const commandQueues = ['owed', 'in_review'] as const satisfies readonly MoneyQueue[];
export type CommandQueue = (typeof commandQueues)[number];

/**
 * `assign`: a deposit is a pay-in of this payment. `refund`: the payer was paid back by other
 * means; of a payout, its money is owed to the buyer. `pay-again`: it goes to the seller by another
 * payout. `returned` and `paid`: where the money of a payout is. `otherwise`: a deposit was
 * settled outside of Ponte. `withdrawn`: the operator has the money of a withdrawal. `write-off`:
 * the loss of a payment is final.
 */
export type MoneyAction =
  | { readonly verb: 'assign'; readonly paymentId: string }
  | { readonly verb: 'refund'; readonly of?: 'payout' }
  | { readonly verb: 'pay-again' }
  | { readonly verb: 'write-off' }
  | { readonly verb: 'resolve'; readonly found: 'returned' | 'otherwise' | 'withdrawn' }
  | {
      readonly verb: 'resolve';
      readonly found: 'paid';
      readonly settled: Money;
      readonly fees: Money;
      readonly endToEndId: string;
      /** The operator paid by other means; absent: the partner did. */
      readonly by?: 'hand';
    };

/** The queue of a command; null if it needs nobody. */
export function queueOf(command: MoneyCommand): CommandQueue | null {
  const { kind, state, end, review } = command;
  if (review !== null) return 'in_review';
  if (isResolvable(command) || isPayoutBack(command)) return 'in_review';
  if (isRefusedOrLate(command)) return 'in_review';
  const isOver = state === 'void' || (state === 'done' && end === 'completed');
  return kind === 'refund' && !isOver ? 'owed' : null;
}

/** Never sent, or refused for good: the partner does not have this refund. */
export function isRefundableByHand(command: MoneyCommand): boolean {
  return command.kind === 'refund' && (isUnpaidRefund(command) || isVoidable(command));
}

/**
 * A person can say where its money is: it failed, its report is under review, or it has had no end
 * for too long.
 */
export function isResolvable(command: MoneyCommand): boolean {
  const { kind, state, end, review } = command;
  if (kind !== 'payout' || state !== 'done') return false;
  return end === 'failed' || review !== null || isPayoutLate(command);
}

/** It was refused for good or came back, and nobody has decided who gets its money. */
export function isPayoutBack({ kind, isUndecided }: MoneyCommand): boolean {
  return kind === 'payout' && isUndecided;
}

/** It keeps failing, or is in doubt or without an end for longer than a payout takes. */
export function isPayoutLate(command: MoneyCommand): boolean {
  return command.kind === 'payout' && command.lateAtMs !== null && isOpen(command);
}

/**
 * The partner does not have this payout, and it does not go out by itself or has failed to: who
 * gets its money can be decided.
 */
export function isPayoutDecidable(command: MoneyCommand): boolean {
  if (command.review !== null) return false;
  return isPayoutBack(command) || (isRefusedOrLate(command) && isVoidable(command));
}

function isRefusedOrLate(command: MoneyCommand): boolean {
  return isRefusedPayout(command) || isPayoutLate(command);
}

/** What a decision may rely on. */
interface Touched {
  readonly command: PartnerCommand;
  readonly deposit: Deposit;
  readonly payment: PaymentAggregate;
  /** Where the seller would be paid; null: nowhere. */
  readonly destination: string | null;
}

/** What each decision relies on: a basis that lacks a part of it does not compile. */
export const decisionTouches = {
  'assign deposit': ['deposit', 'payment'],
  'refund deposit': ['deposit'],
  'resolve deposit': ['deposit'],
  'refund refund': ['command', 'payment'],
  'refund payout': ['command', 'payment', 'destination'],
  'pay-again payout': ['command', 'payment', 'destination'],
  'resolve payout': ['command', 'payment'],
  'accept report of payment': ['command', 'payment'],
  'accept report of party': ['command'],
  'write-off payment': ['payment'],
  'cancel payment': ['payment'],
  'fail payment': ['payment'],
} as const satisfies Readonly<Record<string, readonly (keyof Touched)[]>>;

export type DecisionName = keyof typeof decisionTouches;

declare const isBasis: unique symbol;
/** What a decision relies on, in words: if it changes, a proposal is void. */
export type Basis = string & { readonly [isBasis]: true };

const parts: { readonly [K in keyof Touched]: (value: Touched[K]) => string } = {
  command: ({ state, end, review, ...of }) =>
    [
      `${state}/${end}`,
      ...('amount' in of ? [amountText(of.amount)] : []),
      ...(review === null ? [] : [`report ${reviewName(review)}`]),
    ].join(', '),
  deposit: ({ state, end, amount }) => `${state}/${end}, ${amountText(amount)}`,
  payment: ({ payment: { status, amount }, funds }) => {
    const loss = openLossOf(funds);
    const lost = loss.amountMinor === 0n ? '' : `, loss ${amountText(loss)}`;
    const missing = amountText(missingOf(amount, funds));
    return `payment ${status}, funds ${funds.position}, missing ${missing}${lost}`;
  },
  destination: (destination) => `to ${destination ?? 'no destination'}`,
};

export function basisOf<D extends DecisionName>(
  decision: D,
  touched: Pick<Touched, (typeof decisionTouches)[D][number]>,
): Basis {
  const text = <K extends keyof Touched>(name: K) => parts[name]((touched as Touched)[name]);
  return decisionTouches[decision].map(text).join(', ') as Basis;
}

function amountText({ amountMinor, currency }: Money): string {
  return `${formatAmount(amountMinor)} ${currency}`;
}
