// The effect of a partner's report on its command, and the schedule of polls. Reports arrive late,
// twice and out of order. Their effect on money is in command-outcomes.ts.
import { type Money, sameMoney } from '../base/money.js';
import { backoffMs } from '../base/schedules.js';
import {
  type CommandEnd,
  type CommandState,
  changed,
  isMoneyCommand,
  isPolled,
  type MoneyCommand,
  nextCommandState,
  type PartnerCommand,
} from './partner-command.js';
import { isPayinShort, lateFromMs, markLate, pollsOf, pollWaitMs } from './poll-plan.js';

/** `poll`: poll the command, because the report may be older than the known end. */
export type ReportEffect = 'apply' | 'poll' | 'ignore';

/** Rows: the known end. Columns: the reported end. Only the answer to a poll replaces an end. */
const endMoves: Readonly<Record<CommandEnd, Readonly<Record<CommandEnd, ReportEffect>>>> = {
  open: { open: 'ignore', completed: 'apply', failed: 'apply', returned: 'apply' },
  completed: { open: 'ignore', completed: 'ignore', failed: 'poll', returned: 'poll' },
  failed: { open: 'ignore', completed: 'poll', failed: 'ignore', returned: 'poll' },
  returned: { open: 'ignore', completed: 'poll', failed: 'ignore', returned: 'ignore' },
};

/** `polled`: the report answers a poll, so it is the current state. */
export function reportEffect(was: CommandEnd, reported: CommandEnd, polled: boolean): ReportEffect {
  const effect = endMoves[was][reported];
  return effect === 'poll' && polled ? 'apply' : effect;
}

/** What an operator overruled has no effect if it is reported again. */
export function effectOn(
  { end, overruled }: Pick<PartnerCommand, 'end' | 'overruled'>,
  reported: CommandEnd,
  polled: boolean,
): ReportEffect {
  return reported === overruled ? 'ignore' : reportEffect(end, reported, polled);
}

/** A poll found no end. For an abandoned pay-in, the wait is at least its time since then. */
export function pollAgain<C extends PartnerCommand>(
  command: C,
  lastError: string | null,
  nowMs: number,
  abandonedAtMs: number | null = null,
): C {
  const tries = command.tries + 1;
  const isAbandoned = abandonedAtMs !== null;
  const marked = isAbandoned ? command : markLate(command, nowMs);
  const agoMs = isAbandoned
    ? Math.min(nowMs - abandonedAtMs, backoffMs('abandonedPoll', tries))
    : 0;
  const waitMs = Math.max(pollWaitMs(command, tries, nowMs), agoMs);
  const lateMs = isAbandoned ? null : lateFromMs(command);
  const dueAtMs = nowMs + waitMs;
  return changed(marked, nowMs, {
    tries,
    // The alert is not delayed by a long wait.
    dueAtMs: lateMs !== null && lateMs > nowMs ? Math.min(dueAtMs, lateMs) : dueAtMs,
    leaseToken: null,
    lastError,
  });
}

/** A poll found nothing new about an ended command. */
export function stopPolling<C extends PartnerCommand>(command: C, nowMs: number): C {
  return changed(command, nowMs, { dueAtMs: null, leaseToken: null, lastError: null });
}

/** Another command about the party replaces it: its reports do not count any more. */
export function replaceCommand<C extends PartnerCommand>(command: C, nowMs: number): C {
  return stopPolling(changed(command, nowMs, { end: 'completed', tries: 0 }), nowMs);
}

/** The partner waits for a party that it had decided on: the command is polled again. */
export function reopenCommand<C extends PartnerCommand>(command: C, nowMs: number): C {
  if (command.end === 'open') return command;
  return changed(command, nowMs, {
    end: 'open',
    heldSinceMs: nowMs,
    lateAtMs: null,
    tries: 0,
    dueAtMs: nowMs + backoffMs('commandPoll', 0),
  });
}

/** Only the answer to a poll counts: a report contradicts the end, or a message reports nothing. */
export function pollNow<C extends PartnerCommand>(command: C, nowMs: number): C {
  return changed(command, nowMs, { dueAtMs: nowMs, leaseToken: null });
}

export interface CommandReport {
  readonly partnerRef: string;
  readonly end: CommandEnd;
  readonly reason: string | null;
  /** What a pay-in has received so far. */
  readonly receivedMinor: bigint;
  /** The amount of a refund; null for other kinds. */
  readonly refunded: Money | null;
  /** The partner checks the money. */
  readonly held?: boolean;
  readonly polled: boolean;
  /** A person accepted the report: its total counts even if it is smaller. */
  readonly accepted?: boolean;
}

/**
 * The command after a report. A command that is reported exists. Totals only grow, unless a person
 * accepts a smaller one or the pay-in was returned. A failed payout is polled until its money is
 * reported.
 */
export function reportCommand<C extends PartnerCommand>(
  command: C,
  report: CommandReport,
  nowMs: number,
): C {
  const isOld = mayBeOld(command, report);
  const effect = isOld ? 'poll' : effectOn(command, report.end, report.polled);
  // Nothing is added to a total by zero.
  const stated = isOld ? { ...report, receivedMinor: 0n } : report;
  const known = withReport(command, stated, report.polled || effect === 'apply', nowMs);
  if (effect === 'poll') return pollNow(known, nowMs);
  const state = revivedState(command, report.end);
  if (effect === 'ignore' && (state === command.state || command.end !== 'open')) {
    return polledAgain(known, report, nowMs);
  }
  const end = effect === 'apply' ? report.end : command.end;
  const next = { ...known, state, end };
  // A message may be older than the report under review.
  const isDoubted = command.review !== null && !report.polled && isPolled(next);
  // A command that stays refused or void is not polled.
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

/** What came before it went back. A partner that does not say reports nothing received. */
function isReturnedTotal({ end, receivedMinor }: CommandReport): boolean {
  return end === 'returned' && receivedMinor > 0n;
}

/**
 * A message lowers the total, or has a larger one than the command, which has ended: it may be
 * older than a smaller total that counts.
 */
function mayBeOld(command: PartnerCommand, report: CommandReport): boolean {
  const { polled, accepted = false, end, receivedMinor } = report;
  if (polled || accepted) return false;
  if (isReturnedTotal(report) && receivedMinor < command.receivedMinor) return true;
  if (command.end === 'open') return false;
  const confirmedMinor = end === 'completed' ? receivedMinor : 0n;
  return receivedMinor > command.receivedMinor || confirmedMinor > command.confirmedMinor;
}

/** A refused or void command that failed at the partner stays, except a payout, which has money. */
function revivedState({ kind, state }: PartnerCommand, reported: CommandEnd): CommandState {
  const isOver = state === 'refused' || state === 'void';
  if (isOver && kind !== 'payout' && (reported === 'failed' || reported === 'returned'))
    return state;
  return nextCommandState(state, 'accept') ?? state;
}

/** The same end again: only a poll of a failed command goes on. */
function polledAgain<C extends PartnerCommand>(
  known: C,
  { end, polled }: CommandReport,
  nowMs: number,
): C {
  if (!polled || known.state !== 'done' || known.end !== 'failed' || end !== 'failed') return known;
  const tries = known.tries + 1;
  const dueAtMs = nextPollAtMs(known, tries, nowMs);
  return changed(known, nowMs, { tries, dueAtMs, leaseToken: null });
}

/**
 * Returns `command` itself if the report states nothing new. `counts`: it answers a poll or gives
 * the command its end, so it ends a review and may lower a total.
 */
function withReport<C extends PartnerCommand>(
  command: C,
  report: CommandReport,
  counts: boolean,
  nowMs: number,
): C {
  const { receivedMinor, end, refunded, accepted = false } = report;
  const isReturn = counts && command.overruled !== end && isReturnedTotal(report);
  const mayFall = accepted || isReturn;
  const total = mayFall ? (_known: bigint, stated: bigint) => stated : larger;
  const confirmedMinor = end === 'completed' ? receivedMinor : 0n;
  const heldSinceMs = heldSince(command, report, nowMs);
  const isSameHold = heldSinceMs === command.heldSinceMs;
  const next = {
    partnerRef: command.partnerRef ?? report.partnerRef,
    receivedMinor: total(command.receivedMinor, receivedMinor),
    confirmedMinor: total(command.confirmedMinor, confirmedMinor),
    review: counts ? null : command.review,
    heldSinceMs,
    // A hold is late after another time.
    lateAtMs: isSameHold ? command.lateAtMs : null,
  };
  const amounts =
    refunded !== null && isMoneyCommand(command) && !sameMoney(command.amount, refunded)
      ? { amount: refunded }
      : null;
  const same =
    amounts === null &&
    isSameHold &&
    next.partnerRef === command.partnerRef &&
    next.receivedMinor === command.receivedMinor &&
    next.confirmedMinor === command.confirmedMinor &&
    next.review === command.review;
  return same ? command : Object.freeze<C>({ ...command, ...next, ...amounts });
}

/** A message may be old: only the answer to a poll begins or ends a hold. */
function heldSince(command: PartnerCommand, report: CommandReport, nowMs: number): number | null {
  const { polled, end, held = false } = report;
  if (!polled || end !== 'open' || command.end !== 'open') return command.heldSinceMs;
  return held ? (command.heldSinceMs ?? nowMs) : null;
}

/**
 * Stores an implausible report for an operator; polls become rare. A command that is reported open
 * or completed exists even if its amounts are wrong, so its money is not free.
 */
export function holdForReview(
  command: MoneyCommand,
  review: { readonly text: string; readonly end: CommandEnd },
  nowMs: number,
): MoneyCommand {
  const isThere = review.end === 'open' || review.end === 'completed';
  // Once a command ended at the partner, only the answer to a poll counts.
  const exists = isThere && command.end === 'open';
  const state = (exists ? nextCommandState(command.state, 'accept') : null) ?? command.state;
  if (command.review === review.text && command.state === state) return command;
  const held = { ...command, state, review: review.text };
  const dueAtMs = nowMs + backoffMs('reviewPoll', 0);
  const polls = isPolled(held) ? { dueAtMs, leaseToken: null } : {};
  return changed(command, nowMs, { state, review: review.text, ...polls });
}

/** Returns null if the end is final. */
function nextPollAtMs(command: PartnerCommand, tries: number, nowMs: number): number | null {
  const { kind, end } = command;
  const short = end === 'completed' && isPayinShort(command);
  const isOver = kind !== 'payout' && tries >= pollsOf(command);
  const polled = end === 'open' || short || (end === 'failed' && !isOver);
  return polled ? nowMs + pollWaitMs(command, tries, nowMs) : null;
}

function larger(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}
