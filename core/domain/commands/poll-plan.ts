// How often a command is read at the partner, by its kind, state and age, and from when on it is
// late: operators are alerted once, and the buyer's page says so. Ages start at stored times.
// Messages are the usual way; each causes a read at once.
import { DAY_MS, HOUR_MS } from '../base/instant.js';
import { backoffMs, type Schedule, type ScheduleName, schedules } from '../base/schedules.js';
import { type CommandKind, isMoneyCommand, type PartnerCommand } from './partner-command.js';

/**
 * `held`: the partner checks the money, or waits for an answer of the party. `short`: less arrived
 * than was requested.
 */
export type PollState = 'open' | 'held' | 'short' | 'ended';

interface PollPlan {
  readonly schedule: ScheduleName;
  readonly late: Late | null;
}

interface Late {
  readonly after: string;
  readonly atMs: (sinceMs: number) => number;
}

const oneHour: Late = { after: '1 hour', atMs: (sinceMs) => sinceMs + HOUR_MS };
const fiveDays: Late = { after: '5 business days', atMs: afterBusinessDays(5) };
const thirtyDays: Late = { after: '30 days', atMs: (sinceMs) => sinceMs + 30 * DAY_MS };

const days: PollPlan = { schedule: 'commandPoll', late: fiveDays };
const endedPlan: PollPlan = { schedule: 'endedPoll', late: null };
const payout: PollPlan = { schedule: 'payoutPoll', late: oneHour };
const party: Readonly<Record<PollState, PollPlan>> = {
  // The time limit of an answer has an alert (party-due.ts).
  open: days,
  held: { ...days, late: null },
  short: endedPlan,
  ended: endedPlan,
};

/** BlindPay names five business days for a transfer and thirty days for a hold. */
const pollPlans: Readonly<Record<CommandKind, Readonly<Record<PollState, PollPlan>>>> = {
  payin: { open: days, held: { ...days, late: thirtyDays }, short: days, ended: endedPlan },
  payout: {
    open: payout,
    held: payout,
    short: endedPlan,
    ended: { schedule: 'failedPayoutPoll', late: null },
  },
  refund: { open: days, held: days, short: endedPlan, ended: endedPlan },
  submit_organization: party,
  submit_buyer: party,
  submit_account: party,
  // Not read: the call itself is repeated.
  provision_rails: party,
};

/** `tries` are polls since the last progress. */
export function pollWaitMs(command: PartnerCommand, tries: number, nowMs: number): number {
  const { schedule } = planOf(command);
  const { slower = [] }: Schedule = schedules[schedule];
  const ageMs = nowMs - sinceMs(command);
  const [, slowMs] = slower.findLast(([fromMs]) => ageMs >= fromMs) ?? [0, 0];
  return Math.max(backoffMs(schedule, tries), slowMs);
}

/** Polls in quick succession, after which a failed command is over. */
export function pollsOf(command: PartnerCommand): number {
  return schedules[planOf(command).schedule].waitsMs.length;
}

/** When the command is late; null if it never is. */
export function lateFromMs(command: PartnerCommand): number | null {
  if (command.state === 'refused' || command.state === 'void') return null;
  return planOf(command).late?.atMs(sinceMs(command)) ?? null;
}

export function isLate(command: PartnerCommand, nowMs: number): boolean {
  const fromMs = lateFromMs(command);
  return fromMs !== null && nowMs >= fromMs;
}

/** Whether the decision on a party that was submitted then is late. */
export function isDecisionLate(submittedAtMs: number, nowMs: number): boolean {
  return nowMs >= fiveDays.atMs(submittedAtMs);
}

/** The alert is stored with the command, so that it is raised once. */
export function markLate<C extends PartnerCommand>(command: C, nowMs: number): C {
  if (command.lateAtMs !== null || !isLate(command, nowMs)) return command;
  return Object.freeze<C>({ ...command, lateAtMs: nowMs });
}

export function lateAlert(command: PartnerCommand): string {
  const { after = '' } = planOf(command).late ?? {};
  return `a command has had no end for ${after}: ${command.kind}, ${stateOf(command)}`;
}

/** A pay-in that received less than was requested may be topped up. */
export function isPayinShort(command: PartnerCommand): boolean {
  return command.kind === 'payin' && command.receivedMinor < command.amount.amountMinor;
}

function planOf(command: PartnerCommand): PollPlan {
  return pollPlans[command.kind][stateOf(command)];
}

function stateOf(command: PartnerCommand): PollState {
  const { end } = command;
  if (end === 'open') return command.heldSinceMs === null ? 'open' : 'held';
  return end === 'completed' && isMoneyCommand(command) && isPayinShort(command)
    ? 'short'
    : 'ended';
}

function sinceMs({ heldSinceMs, createdAtMs }: PartnerCommand): number {
  return heldSinceMs ?? createdAtMs;
}

/** Monday to Friday of UTC; bank holidays are not known here. */
function afterBusinessDays(count: number): Late['atMs'] {
  return (since) => {
    let atMs = since;
    for (let left = count; left > 0; ) {
      atMs += DAY_MS;
      const weekday = new Date(atMs).getUTCDay();
      if (weekday !== 0 && weekday !== 6) left -= 1;
    }
    return atMs;
  };
}
