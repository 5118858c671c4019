// What a report of the partner does to the order that it is about, and when the partner is asked
// next. Reports come late, twice and out of order; what they do to the money is in
// order-outcomes.ts.
import { backoffMs } from './lease.js';
import type { Money } from './money.js';
import {
  type CommandState,
  changed,
  FIRST_POLL_MS,
  isMoneyCommand,
  isPolled,
  type MoneyCommand,
  nextCommandState,
  type OrderEnd,
  type PartnerCommand,
} from './partner-command.js';

/** What a report does to the end that is known. */
export type ReportEffect = 'apply' | 'ask' | 'ignore';

/**
 * Reports come late and out of order. After a reported end, a message with another end may be older
 * or may be a change (`ask`): only the partner's answer to a question counts.
 */
const endMoves: Readonly<Record<OrderEnd, Readonly<Record<OrderEnd, ReportEffect>>>> = {
  open: { open: 'ignore', completed: 'apply', failed: 'apply', returned: 'apply' },
  completed: { open: 'ignore', completed: 'ignore', failed: 'ask', returned: 'ask' },
  failed: { open: 'ignore', completed: 'ask', failed: 'ignore', returned: 'ask' },
  returned: { open: 'ignore', completed: 'ask', failed: 'ignore', returned: 'ignore' },
};

/** `asked`: the report answers a question of ours, so it is how the order stands now. */
export function reportEffect(was: OrderEnd, reported: OrderEnd, asked: boolean): ReportEffect {
  const effect = endMoves[was][reported];
  return effect === 'ask' && asked ? 'apply' : effect;
}

/** Waits between questions about an order whose end was not reported yet; the last one repeats. */
export const POLL_BACKOFF_MS = [
  FIRST_POLL_MS,
  3_000,
  5_000,
  15_000,
  60_000,
  300_000,
  900_000,
] as const;

/** Waits between questions about a failed payout: until reported, its money is missing. */
export const FAILED_PAYOUT_BACKOFF_MS = [...POLL_BACKOFF_MS, 3_600_000] as const;
/** An abandoned pay-in is polled ever more rarely, at last once in this time. */
export const ABANDONED_POLL_MAX_MS = 86_400_000;
/** After this the buyer of an ended payment is not expected to pay: only messages still count. */
export const ABANDONED_POLL_FOR_MS = 180 * ABANDONED_POLL_MAX_MS;

/**
 * Look again later: the question was asked and the order had not ended. Where nobody waits for it
 * since `abandonedAtMs`, as long again passes at least.
 */
export function askAgain<C extends PartnerCommand>(
  command: C,
  lastError: string | null,
  nowMs: number,
  abandonedAtMs: number | null = null,
): C {
  const tries = command.tries + 1;
  const waitMs = backoffMs(pollWaitsMs(command, command.end), tries);
  const agoMs = abandonedAtMs === null ? 0 : Math.min(nowMs - abandonedAtMs, ABANDONED_POLL_MAX_MS);
  return changed(command, nowMs, {
    tries,
    dueAtMs: nowMs + Math.max(waitMs, agoMs),
    leaseToken: null,
    lastError,
  });
}

/** A poll that brought nothing new of an order that has ended: nothing is due any more. */
export function stopAsking<C extends PartnerCommand>(command: C, nowMs: number): C {
  return changed(command, nowMs, { dueAtMs: null, leaseToken: null, lastError: null });
}

/** Ask the partner how the order stands now, before a report that contradicts its end counts. */
export function askAtOnce<C extends PartnerCommand>(command: C, nowMs: number): C {
  return changed(command, nowMs, { dueAtMs: nowMs, leaseToken: null });
}

export interface OrderReport {
  readonly partnerRef: string;
  readonly end: OrderEnd;
  /** What the partner says of a failure. */
  readonly reason: string | null;
  /** Of a pay-in: the total received so far. */
  readonly receivedMinor: bigint;
  /** Of a refund: what the order gives back; null of anything else. */
  readonly refunded: Money | null;
  readonly asked: boolean;
}

/**
 * The partner reports how the order stands. An order that is reported exists.
 * Totals only grow, so old and double reports are harmless. A failed payout is polled until the
 * partner says where its money is.
 */
export function reportOrder<C extends PartnerCommand>(
  command: C,
  report: OrderReport,
  nowMs: number,
): C {
  const effect = reportEffect(command.end, report.end, report.asked);
  const known = withReport(command, report, report.asked || effect === 'apply');
  if (effect === 'ask') return askAtOnce(known, nowMs);
  const state = revivedState(command, report.end);
  if (effect === 'ignore' && (state === command.state || command.end !== 'open')) {
    return askedAgain(known, report, nowMs);
  }
  const end = effect === 'apply' ? report.end : command.end;
  const next = { ...known, state, end };
  // A message may be older than the report that waited for a person.
  const isDoubted = command.review !== null && !report.asked && isPolled(next);
  // An order that stays refused or void is not polled.
  const pollAtMs = state === 'done' ? nextPollAtMs(next, 0, nowMs) : null;
  return changed(known, nowMs, {
    state,
    end,
    tries: 0,
    dueAtMs: isDoubted ? nowMs : pollAtMs,
    leaseToken: null,
    lastError: report.reason,
  });
}

/** What ended here without an order, and failed there, changes nothing but for a payout's money. */
function revivedState({ kind, state }: PartnerCommand, reported: OrderEnd): CommandState {
  const isOver = state === 'refused' || state === 'void';
  if (isOver && kind !== 'payout' && (reported === 'failed' || reported === 'returned'))
    return state;
  return nextCommandState(state, 'accept') ?? state;
}

/** The same end once more: only a question about a failed order counts, and goes on. */
function askedAgain<C extends PartnerCommand>(
  known: C,
  { end, asked }: OrderReport,
  nowMs: number,
): C {
  if (!asked || known.state !== 'done' || known.end !== 'failed' || end !== 'failed') return known;
  const tries = known.tries + 1;
  const dueAtMs = nextPollAtMs(known, tries, nowMs);
  return changed(known, nowMs, { tries, dueAtMs, leaseToken: null });
}

/** Yields `command` itself where the report says nothing new. */
function withReport<C extends PartnerCommand>(
  command: C,
  report: OrderReport,
  reviewed: boolean,
): C {
  const { receivedMinor, end, refunded } = report;
  const confirmedMinor = end === 'completed' ? receivedMinor : 0n;
  const next = {
    partnerRef: command.partnerRef ?? report.partnerRef,
    receivedMinor: larger(command.receivedMinor, receivedMinor),
    confirmedMinor: larger(command.confirmedMinor, confirmedMinor),
    review: reviewed ? null : command.review,
  };
  const amounts =
    refunded !== null && isMoneyCommand(command) && !sameMoney(command.amount, refunded)
      ? { amount: refunded }
      : null;
  const same =
    amounts === null &&
    next.partnerRef === command.partnerRef &&
    next.receivedMinor === command.receivedMinor &&
    next.confirmedMinor === command.confirmedMinor &&
    next.review === command.review;
  return same ? command : Object.freeze<C>({ ...command, ...next, ...amounts });
}

/**
 * An implausible report is kept for a person; the partner is asked again, but rarely. An order that
 * is reported open or completed exists even if its amounts are wrong, so its money is not free.
 */
export function holdForReview(
  command: MoneyCommand,
  review: { readonly text: string; readonly end: OrderEnd },
  nowMs: number,
): MoneyCommand {
  const isThere = review.end === 'open' || review.end === 'completed';
  // Of an order that ended at the partner only its answer counts.
  const exists = isThere && command.end === 'open';
  const state = (exists ? nextCommandState(command.state, 'accept') : null) ?? command.state;
  if (command.review === review.text && command.state === state) return command;
  const held = { ...command, state, review: review.text };
  const waitMs = backoffMs(POLL_BACKOFF_MS, POLL_BACKOFF_MS.length);
  const asks = isPolled(held) ? { dueAtMs: nowMs + waitMs, leaseToken: null } : {};
  return changed(command, nowMs, { state, review: review.text, ...asks });
}

/** When to ask next; null where the end is final, or nothing more is to be expected. */
function nextPollAtMs(command: PartnerCommand, tries: number, nowMs: number): number | null {
  const { kind, end } = command;
  const waitsMs = pollWaitsMs(command, end);
  const short = end === 'completed' && isShort(command);
  const asked =
    end === 'open' || short || (end === 'failed' && (kind === 'payout' || tries < waitsMs.length));
  return asked ? nowMs + backoffMs(waitsMs, tries) : null;
}

/** A pay-in that brought less than was asked may be topped up. */
export function isShort(command: PartnerCommand): boolean {
  return command.kind === 'payin' && command.receivedMinor < command.amount.amountMinor;
}

function pollWaitsMs({ kind }: PartnerCommand, end: OrderEnd): readonly number[] {
  return kind === 'payout' && end === 'failed' ? FAILED_PAYOUT_BACKOFF_MS : POLL_BACKOFF_MS;
}

function sameMoney(left: Money, right: Money): boolean {
  return left.amountMinor === right.amountMinor && left.currency === right.currency;
}

function larger(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}
