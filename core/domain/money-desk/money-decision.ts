// What operators decide about money: the queues of the money desk, and what a decision relies on.
// proposal.ts has the rule of two operators.
import { shownAmount } from '../base/money.js';
import {
  isOpen,
  isRefusedPayout,
  isUnpaidRefund,
  isVoidable,
  type MoneyCommand,
  type PartnerCommand,
} from '../commands/partner-command.js';
import { reviewKind, reviewName } from '../commands/report-check.js';
import { type Deposit, type DepositState, isUnmatched } from '../deposits/deposit.js';
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
function isPayoutLate(command: MoneyCommand): boolean {
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

/** It may be prepared afresh and sent again: one operator is enough. */
export function isSendableAgain(
  command: MoneyCommand,
  { takesRefunds }: { readonly takesRefunds: boolean },
): boolean {
  if (command.review !== null) return false;
  const isPayout = command.state !== 'done' && isPayoutDecidable(command);
  return isPayout || (takesRefunds && isUnpaidRefund(command));
}

/** Another read at the partner may end the wait. */
export function isAskable(command: MoneyCommand): boolean {
  return command.review !== null || (isPayoutLate(command) && !isPayoutDecidable(command));
}

const depositTexts: Readonly<Record<DepositState, string>> = {
  waiting: 'is not here yet: the partner has not completed it',
  assigned: 'is assigned to a payment',
  returned: 'went back: the partner returned it',
  refunded: 'was paid back',
  resolved: 'was settled otherwise',
  withdrawn: 'was withdrawn by the operator',
};

export function whyNotUnmatched(deposit: Deposit): string | null {
  if (isUnmatched(deposit)) return null;
  const { id, state, paymentId, rule } = deposit;
  const by = rule === null ? '' : ` by the rule "${rule}"`;
  const to = paymentId === null ? '' : `, ${paymentId}${by}`;
  return `The money of ${id} ${depositTexts[state]}${to}.`;
}

/** Who gets the money of a payout. */
export function whyNotDecidable(item: MoneyCommand): string | null {
  const { id, state, end } = item;
  if (isPayoutDecidable(item)) return null;
  if (item.review !== null) return underReview(item);
  return `The partner has or may have the payout ${id}, or it is on its way: ${state}/${end}.`;
}

export function whyNotRefundable(item: MoneyCommand): string | null {
  const { id, state, end } = item;
  if (item.review !== null) return underReview(item);
  if (isRefundableByHand(item)) return null;
  if (state === 'void') return `The refund ${id} is withdrawn: it is not owed, or another one is.`;
  if (state === 'done' && end === 'completed') return `The refund ${id} is paid.`;
  return (
    `The partner has or may have the refund ${id}. Wait for its outcome; ` +
    `ponte commands retry ${id} asks now.`
  );
}

export function whyNotResolvable(item: MoneyCommand): string | null {
  const { id, state, end } = item;
  if (isResolvable(item)) return null;
  if (item.review !== null) return underReview(item);
  return `The payout ${id} is not in review: it is ${state}/${end}.`;
}

export function whyNotAcceptable({ id, review }: MoneyCommand): string | null {
  const isUsable = review !== null && reviewKind(review) === 'implausible';
  return isUsable ? null : `No report of ${id} can be booked.`;
}

export function whyNotWrittenOff({
  payment: { id },
  funds,
  commands,
}: PaymentAggregate & { readonly commands: readonly MoneyCommand[] }): string | null {
  if (openLossOf(funds).amountMinor === 0n) return `${id} has no loss, or it is written off.`;
  const back = commands.find(isPayoutBack);
  if (back === undefined) return null;
  return `The payout ${back.id} came back: decide about it first, its money may cover the loss.`;
}

function underReview({ id }: MoneyCommand): string {
  const todo = `Read it: ponte commands list --stuck. Then ponte commands accept ${id}.`;
  return `A report about ${id} is under review. ${todo}`;
}

function isRefusedOrLate(command: MoneyCommand): boolean {
  return isRefusedPayout(command) || isPayoutLate(command);
}

/** What a decision may rely on. */
export interface Touched {
  readonly command: PartnerCommand;
  readonly deposit: Deposit;
  readonly payment: PaymentAggregate;
  /** Where the seller would be paid; null: nowhere. */
  readonly destination: string | null;
}

declare const isBasis: unique symbol;
/** What a decision relies on, in words: if it changes, a proposal is void. */
export type Basis = string & { readonly [isBasis]: true };

const parts: { readonly [K in keyof Touched]: (value: Touched[K]) => string } = {
  command: ({ state, end, review, ...of }) =>
    [
      `${state}/${end}`,
      ...('amount' in of ? [shownAmount(of.amount)] : []),
      ...(review === null ? [] : [`report ${reviewName(review)}`]),
    ].join(', '),
  deposit: ({ state, end, amount }) => `${state}/${end}, ${shownAmount(amount)}`,
  payment: ({ payment: { status, amount }, funds }) => {
    const loss = openLossOf(funds);
    const lost = loss.amountMinor === 0n ? '' : `, loss ${shownAmount(loss)}`;
    const missing = shownAmount(missingOf(amount, funds));
    return `payment ${status}, funds ${funds.position}, missing ${missing}${lost}`;
  },
  destination: (destination) => `to ${destination ?? 'no destination'}`,
};

/** A basis that lacks what the decision touches does not compile. */
export function basisOf<K extends keyof Touched>(
  touches: readonly K[],
  touched: Pick<Touched, K>,
): Basis {
  const text = <P extends K>(name: P) => parts[name](touched[name]);
  return touches.map(text).join(', ') as Basis;
}
