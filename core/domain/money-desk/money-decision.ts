// What operators decide about money: the queues of the money desk, the decisions with their states,
// and the rule of two operators. money-desk.ts applies a decision.
import { machine } from '../base/machine.js';
import { formatAmount, type Money } from '../base/money.js';
import type { Mode } from '../base/tenant.js';
import {
  changed,
  isUnpaidRefund,
  isVoidable,
  type MoneyCommand,
  newCommand,
  supersedeCommand,
  voidCommand,
} from '../commands/partner-command.js';
import { writeAmount } from '../commands/partner-message.js';
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

/** `lapse`: its item has changed since. */
export const decisionMoves = {
  proposed: { confirm: 'done', replace: 'replaced', lapse: 'void' },
  done: {},
  replaced: {},
  void: {},
} as const;

const decisions = machine(decisionMoves);
export const decisionStates = decisions.states;
export type DecisionState = keyof typeof decisionMoves;

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

/** Rows are never removed: they are the audit trail. */
export interface MoneyDecision {
  readonly id: string;
  readonly orgId: string | null;
  readonly mode: Mode;
  /** The id of a command to the partner, of a deposit, or of a payment with a loss. */
  readonly itemId: string;
  /** Counts the decisions about the item from 1. */
  readonly number: number;
  readonly action: MoneyAction;
  readonly evidence: string | null;
  /** What was known about the item. If it differs later, the proposal is void. */
  readonly basis: string;
  readonly state: DecisionState;
  readonly proposedBy: string;
  readonly proposedAtMs: number;
  /** Who confirmed or replaced it; null while proposed. */
  readonly endedBy: string | null;
  readonly endedAtMs: number | null;
  readonly version: number;
}

export const EVIDENCE_LENGTH_MAX = 500;
export const OPERATOR_LENGTH_MAX = 64;

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

export interface AskedDecision
  extends Pick<MoneyDecision, 'itemId' | 'action' | 'evidence' | 'basis'> {
  readonly operator: string;
  /** Replaces another proposal for the item. */
  readonly replace: boolean;
}

/**
 * `execute`: store `decision` with its effect. `propose`: store it. `waits`: the same operator
 * proposed it before. `differs`: another proposal waits. `ended` is a proposal that `decision`
 * takes the place of.
 */
export type DecisionRuling =
  | {
      readonly kind: 'execute' | 'propose';
      readonly decision: MoneyDecision;
      readonly ended: MoneyDecision | null;
    }
  | { readonly kind: 'waits' | 'differs'; readonly decision: MoneyDecision };

/** In live mode two operators give the same command. `known` are all decisions about the item. */
export function ruleOf(
  asked: AskedDecision,
  known: readonly MoneyDecision[],
  item: Pick<MoneyDecision, 'orgId' | 'mode'>,
  id: string,
  nowMs: number,
): DecisionRuling {
  const open = known.find(({ state }) => state === 'proposed') ?? null;
  const { operator, replace, ...what } = asked;
  const proposal: MoneyDecision = Object.freeze({
    orgId: item.orgId,
    mode: item.mode,
    id,
    number: known.length + 1,
    ...what,
    state: 'proposed',
    proposedBy: operator,
    proposedAtMs: nowMs,
    endedBy: null,
    endedAtMs: null,
    version: 1,
  });
  if (item.mode === 'test') {
    return { kind: 'execute', decision: ended(proposal, 'confirm', operator, nowMs), ended: null };
  }
  if (open === null) return { kind: 'propose', decision: proposal, ended: null };
  const replaced = (move: 'replace' | 'lapse') =>
    ({
      kind: 'propose',
      decision: proposal,
      ended: ended(open, move, operator, nowMs),
    }) as const;
  if (open.basis !== asked.basis) return replaced('lapse');
  if (!isSameDecision(open, asked)) {
    return replace ? replaced('replace') : { kind: 'differs', decision: open };
  }
  if (isSameOperator(open.proposedBy, operator)) return { kind: 'waits', decision: open };
  return { kind: 'execute', decision: ended(open, 'confirm', operator, nowMs), ended: null };
}

/** The decision that this command repeats, if it was the last one about the item. */
export function repeated(
  asked: Pick<AskedDecision, 'action' | 'evidence'>,
  known: readonly MoneyDecision[],
): MoneyDecision | null {
  const last = known.findLast(({ state }) => state === 'done') ?? null;
  return last !== null && isSameDecision(last, asked) ? last : null;
}

function isSameDecision(
  left: Pick<MoneyDecision, 'action' | 'evidence'>,
  right: Pick<MoneyDecision, 'action' | 'evidence'>,
): boolean {
  return writeAction(left.action) === writeAction(right.action) && left.evidence === right.evidence;
}

const moneyNames = ['amountMinor', 'currency'] satisfies readonly (keyof Money)[];

/** The same action gives the same text. */
export function writeAction(action: MoneyAction): string {
  const names = [
    'verb',
    'of',
    'paymentId',
    'found',
    'settled',
    'fees',
    'endToEndId',
    ...moneyNames,
  ];
  const minor = JSON.stringify(action, writeAmount);
  return JSON.stringify(JSON.parse(minor), names);
}

/** A name in capitals is not another person. */
function isSameOperator(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

function ended(
  decision: MoneyDecision,
  move: 'confirm' | 'replace' | 'lapse',
  operator: string,
  nowMs: number,
): MoneyDecision {
  const state = decisions.step(decision.state, move);
  return Object.freeze({ ...decision, state, endedBy: operator, endedAtMs: nowMs });
}
