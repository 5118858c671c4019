// What operators decide about money: the queues of the money desk, and what a decision relies on.
// proposal.ts has the rule of two operators.
import { formatAmount, type Money } from '../base/money.js';
import {
  changed,
  isUnpaidRefund,
  isVoidable,
  type MoneyCommand,
  newCommand,
  supersedeCommand,
  voidCommand,
} from '../commands/partner-command.js';
import { reviewName } from '../commands/report-check.js';
import type { Deposit } from '../deposits/deposit.js';
import { type Funds, openLossOf } from '../payments/funds.js';

/**
 * `unmatched`: deposits without a payment. `short`: payments that received less than asked.
 * `unapproved`: payments whose buyer was rejected after its approval. `owed`: refunds that are not
 * completed. `in_review`: payouts that failed and did not return or came back after the settlement,
 * and commands with a report under review. `lost`: payments of which more left than arrived.
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
 * means; of a payout that came back, its money is owed to the buyer. `pay-again`: it goes to the
 * seller again. `returned` and `paid`: where the money of a payout is. `otherwise`: a deposit was
 * settled outside of Ponte. `write-off`: the loss of a payment is final.
 */
export type MoneyAction =
  | { readonly verb: 'assign'; readonly paymentId: string }
  | { readonly verb: 'refund'; readonly of?: 'payout' }
  | { readonly verb: 'pay-again' }
  | { readonly verb: 'write-off' }
  | { readonly verb: 'resolve'; readonly found: 'returned' | 'otherwise' }
  | {
      readonly verb: 'resolve';
      readonly found: 'paid';
      readonly settled: Money;
      readonly fees: Money;
      readonly endToEndId: string;
    };

/** The queue of a command; null if it needs nobody. */
export function queueOf(command: MoneyCommand): CommandQueue | null {
  const { kind, state, end, review } = command;
  if (review !== null) return 'in_review';
  if (isPayoutInReview(command) || isPayoutBack(command)) return 'in_review';
  const isOver = state === 'void' || (state === 'done' && end === 'completed');
  return kind === 'refund' && !isOver ? 'owed' : null;
}

/** Never sent, or refused for good: the partner does not have this refund. */
export function isRefundableByHand(command: MoneyCommand): boolean {
  return command.kind === 'refund' && (isUnpaidRefund(command) || isVoidable(command));
}

/**
 * Nobody but a person can say where its money is. One that is open or paid is not among them, even
 * if a report is held: the partner may still pay it.
 */
export function isPayoutInReview(command: MoneyCommand): boolean {
  const { kind, state, end } = command;
  return kind === 'payout' && state === 'done' && end === 'failed';
}

/** It came back or was refused after the settlement, and nobody has decided who gets its money. */
export function isPayoutBack({ kind, isUndecided }: MoneyCommand): boolean {
  return kind === 'payout' && isUndecided;
}

/** What a decision relies on: if it changes, a proposal is void. */
export function basisOf(item: MoneyCommand | Deposit): string {
  const { state, end, amount } = item;
  const review = 'review' in item ? item.review : null;
  const reviewed = review === null ? '' : `, report ${reviewName(review)}`;
  return `${state}/${end}, ${formatAmount(amount.amountMinor)} ${amount.currency}${reviewed}`;
}

/** The same of a payment. */
export function basisOfLoss(funds: Funds): string {
  const { amountMinor, currency } = openLossOf(funds);
  return `loss ${formatAmount(amountMinor)} ${currency}`;
}

/**
 * A person paid this refund by other means. Another command, which the partner never gets, takes
 * its place: if the partner pays this one all the same, the second payment is booked as a loss.
 */
export function paidByHand(
  refund: MoneyCommand,
  name: Pick<MoneyCommand, 'id' | 'reference'>,
  nowMs: number,
): { readonly ended: MoneyCommand; readonly draft: MoneyCommand; readonly paid: MoneyCommand } {
  const { kind, amount, payinId, paymentId } = refund;
  const ended = isUnpaidRefund(refund)
    ? supersedeCommand(refund, nowMs)
    : voidCommand(refund, nowMs);
  const draft = voidCommand(
    newCommand(refund, name, { kind, amount, payinId, paymentId }, nowMs),
    nowMs,
  );
  return { ended, draft, paid: changed(draft, nowMs, { state: 'done', end: 'completed' }) };
}
