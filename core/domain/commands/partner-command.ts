// A command to the settlement partner. The row is committed before the call and stays the record of
// the command until the partner reports its end.
//
// While the command may exist at the partner, no answer to a call is final: a look-up decides a
// call without an answer (`unknown`) and a refusal (`denied`). Only a look-up that succeeds and
// finds nothing counts as "absent".
import { assert } from '../../errors.js';
import type { Leased } from '../base/lease.js';
import { type MoveOf, machine } from '../base/machine.js';
import type { Money } from '../base/money.js';
import { backoffMs } from '../base/schedules.js';
import { type Tenant, tenantOf } from '../base/tenant.js';
import type { Settlement } from './settlement.js';

export const commandMoves = {
  pending: { send: 'sent', refuse: 'refused', postpone: 'pending', void: 'void', accept: 'done' },
  sent: { accept: 'done', deny: 'denied', postpone: 'pending', lose: 'unknown' },
  unknown: { accept: 'done', absent: 'pending' },
  denied: { accept: 'done', absent: 'refused' },
  done: { refuse: 'refused', disown: 'unknown' },
  refused: { accept: 'done', supersede: 'void' },
  void: { accept: 'done' },
} as const;

export type CommandState = keyof typeof commandMoves;
export type CommandMove = MoveOf<typeof commandMoves>;
const commands = machine(commandMoves);
export const { states: commandStates, next: nextCommandState } = commands;

/** Commands about money, in the order in which they follow each other. */
export const moneyKinds = ['payin', 'payout', 'refund'] as const;
export type MoneyKind = (typeof moneyKinds)[number];

/**
 * Commands about parties: an organization's KYB, a buyer, an account, a seller's off-ramp wallet.
 */
export const partyCommandKinds = [
  'submit_organization',
  'submit_buyer',
  'submit_account',
  'provision_rails',
] as const;
type PartyCommandKind = (typeof partyCommandKinds)[number];

export type CommandKind = MoneyKind | PartyCommandKind;
export const commandKinds: readonly CommandKind[] = [...partyCommandKinds, ...moneyKinds];

/** The code of a read whose object another request made (`CommandCalls` of the port). */
export const MADE_BY_ANOTHER = 'made_by_another';

/** Longer than two calls. */
export const COMMAND_LEASE_MS = 60_000;

/** The end of the command at the partner; `open` while it has none. */
export type CommandEnd = 'open' | 'completed' | 'failed' | 'returned';

interface CommandBase extends Tenant, Leased {
  readonly id: string;
  /** Our reference and idempotency key at the partner (command-references.ts). */
  readonly reference: string;
  readonly state: CommandState;
  /** The exact request, sealed, fixed before the first call; erased for a party in the end. */
  readonly request: string | null;
  /** The partner's id of the command; null until the partner accepted or reported it. */
  readonly partnerRef: string | null;
  /** Its money is a share of this deposit, which is read in its place (consolidated-payment.ts). */
  readonly depositId: string | null;
  /** Made for money that nobody ordered; a command that was sent may turn out to have its id. */
  readonly isAdopted: boolean;
  readonly end: CommandEnd;
  /** An end that the partner reports and an operator overruled: its repeats do not count. */
  readonly overruled: CommandEnd | null;
  /**
   * A payout without effect: it was refused, or came back after the settlement. An operator decides
   * who gets its money.
   */
  readonly isUndecided: boolean;
  /** The total that the partner reported as received for a pay-in. */
  readonly receivedMinor: bigint;
  /** The total that the partner reported as confirmed for a pay-in. */
  readonly confirmedMinor: bigint;
  /** What reached the seller by a payout, oldest first. */
  readonly settlements: readonly Settlement[];
  /** The code of the last refusal, also of a payout that is tried again. */
  readonly refusal: string | null;
  /** Since when the partner checks the money of the command; null while it does not. */
  readonly heldSinceMs: number | null;
  /** When operators were alerted because it has no end; null before. */
  readonly lateAtMs: number | null;
  /** An implausible report as JSON text, not applied until an operator decides. */
  readonly review: string | null;
  /** Calls (in `done`: polls) since the last progress. */
  readonly tries: number;
  /** When the last call started that the partner may have received. */
  readonly lastSentAtMs: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /**
   * The partner's instance that the command was made for, the only one that is asked about it; null
   * before it is stored, and if none was configured.
   */
  readonly instance: string | null;
  readonly version: number;
}

export interface MoneyCommand extends CommandBase {
  readonly kind: MoneyKind;
  readonly paymentId: string;
  readonly amount: Money;
  /** The pay-in command that holds the money of a refund. */
  readonly payinId: string | null;
}

export interface PartyCommand extends CommandBase {
  readonly kind: PartyCommandKind;
  readonly subject: Subject;
}

export interface Subject {
  readonly kind: 'organization' | 'submission' | 'account';
  readonly id: string;
}

export type PartnerCommand = MoneyCommand | PartyCommand;

export function isMoneyCommand(command: PartnerCommand): command is MoneyCommand {
  return 'paymentId' in command;
}

/** The use case gives it an id. */
export type CommandDraft = Pick<MoneyCommand, 'kind' | 'amount' | 'payinId'>;

/** Due now. */
export function newCommand<
  T extends
    | (CommandDraft & Pick<MoneyCommand, 'paymentId'>)
    | Pick<PartyCommand, 'kind' | 'subject'>,
>(
  tenant: Tenant,
  name: Pick<CommandBase, 'id' | 'reference'>,
  what: T,
  nowMs: number,
): T & CommandBase {
  const input: CommandBase = {
    ...tenantOf(tenant),
    ...name,
    state: 'pending',
    request: null,
    partnerRef: null,
    depositId: null,
    isAdopted: false,
    end: 'open',
    overruled: null,
    isUndecided: false,
    receivedMinor: 0n,
    confirmedMinor: 0n,
    settlements: [],
    refusal: null,
    review: null,
    heldSinceMs: null,
    lateAtMs: null,
    tries: 0,
    lastSentAtMs: null,
    dueAtMs: nowMs,
    leaseToken: null,
    lastError: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    instance: null,
    version: 1,
  };
  return Object.freeze<T & CommandBase>({ ...what, ...input });
}

/** Never sent, or certainly absent at the partner. */
export function isVoidable(command: PartnerCommand): boolean {
  return nextCommandState(command.state, 'void') !== null;
}

/** The partner refuses this payout, for now or for good, and its money is here. */
export function isRefusedPayout(command: PartnerCommand): boolean {
  const { kind, state, refusal } = command;
  if (kind !== 'payout' || state === 'done' || state === 'void') return false;
  return state === 'refused' ? command.isUndecided : refusal !== null;
}

/** A refund that the partner refused or failed: the buyer must be paid back by other means. */
export function isUnpaidRefund(command: PartnerCommand): command is MoneyCommand {
  return command.kind === 'refund' && command.state === 'refused';
}

/** Neither ended here nor at the partner. */
export function isOpen(command: PartnerCommand): boolean {
  if (command.state === 'done') return command.end === 'open';
  return command.state !== 'refused' && command.state !== 'void';
}

/** The partner may have this command; only a look-up shows it. */
export function isInDoubt({ state }: PartnerCommand): boolean {
  return nextCommandState(state, 'absent') !== null || state === 'sent';
}

/** A pay-in that the partner may have under an id that is not known yet. */
export function isPayinInFlight(command: PartnerCommand): boolean {
  const { kind, partnerRef, lastSentAtMs } = command;
  return kind === 'payin' && partnerRef === null && lastSentAtMs !== null && isOpen(command);
}

/** Ended without money, or a report that would bring it is under review. */
export function hasBroughtNothing(payin: PartnerCommand): boolean {
  return payin.receivedMinor === 0n && (!isOpen(payin) || payin.review !== null);
}

/** Accepted, or ended here although the partner has it. */
export function isPolled({ state, partnerRef, depositId }: PartnerCommand): boolean {
  if (partnerRef === null || depositId !== null) return false;
  return state === 'done' || state === 'refused' || state === 'void';
}

/** When a look-up that finds nothing starts to prove that there is no command. */
export function absenceCountsAtMs(command: PartnerCommand, effectWithinMs: number): number {
  // After a refusal the call is over. A party that is submitted twice does no harm.
  if (command.state === 'denied' || !isMoneyCommand(command)) return 0;
  return (command.lastSentAtMs ?? 0) + effectWithinMs;
}

export function requestPurpose({ id }: Pick<PartnerCommand, 'id'>): string {
  return `partner-command:${id}`;
}

/** Failed tries, in about one and a half hours, before an operator must look. */
export const STUCK_AFTER_TRIES = 20;

/**
 * An operator must look: a refused refund or payout, a report under review, or a command that keeps
 * failing.
 */
export function isStuck(command: PartnerCommand): boolean {
  const keepsFailing =
    isOpen(command) && command.lastError !== null && command.tries >= STUCK_AFTER_TRIES;
  const isRefused = isUnpaidRefund(command) || isRefusedPayout(command);
  return isRefused || command.review !== null || keepsFailing;
}

/** The request is fixed; the worker that holds the lease calls next. */
export function sendCommand<C extends PartnerCommand>(
  command: C,
  request: string,
  nowMs: number,
): C {
  const fields = { request, lastSentAtMs: nowMs, tries: command.tries + 1 };
  return step(command, 'send', nowMs, fields);
}

/** The partner accepted the command; it is polled until its end is reported. */
export function acceptCommand<C extends PartnerCommand>(
  command: C,
  partnerRef: string,
  nowMs: number,
): C {
  return step(command, 'accept', nowMs, {
    partnerRef,
    tries: 0,
    dueAtMs: command.end === 'open' ? nowMs + backoffMs('commandPoll', 0) : null,
    leaseToken: null,
    lastError: null,
    refusal: null,
  });
}

/**
 * The partner refuses the command but may have it: the worker that holds the lease looks it up
 * next.
 */
export function denyCommand<C extends PartnerCommand>(
  command: C,
  refusal: { readonly code: string; readonly message: string },
  nowMs: number,
): C {
  const lastError = `${refusal.code}: ${refusal.message}`;
  return step(command, 'deny', nowMs, { refusal: refusal.code, lastError });
}

/** The command ends without effect: refused before any call, or failed at the partner. */
export function refuseCommand<C extends PartnerCommand>(
  command: C,
  refusal: { readonly code: string | null; readonly message: string },
  nowMs: number,
): C {
  const { code, message } = refusal;
  const lastError = code === null ? message : `${code}: ${message}`;
  const fields = { refusal: code, dueAtMs: null, leaseToken: null, lastError };
  return step(command, 'refuse', nowMs, fields);
}

/**
 * A look-up found nothing. A denied command is refused; any other is pending again, for the worker
 * that holds the lease. If it was too early to count when the partner was asked, the command is
 * looked up again later: the answer says nothing of what arrives while it is on its way.
 */
export function recordAbsence<C extends PartnerCommand>(
  command: C,
  effectWithinMs: number,
  nowMs: number,
  askedAtMs = nowMs,
): C {
  const doubted = inDoubt(command, nowMs);
  const countsAtMs = absenceCountsAtMs(doubted, effectWithinMs);
  if (askedAtMs < countsAtMs) {
    return changed(doubted, nowMs, { dueAtMs: countsAtMs, leaseToken: null });
  }
  const released = doubted.state === 'denied' ? { dueAtMs: null, leaseToken: null } : {};
  return step(doubted, 'absent', nowMs, released);
}

/** A look-up failed: the command stays in doubt until the next one. */
export function lookUpAgain<C extends PartnerCommand>(
  command: C,
  reason: string,
  nowMs: number,
): C {
  const tries = command.tries + 1;
  return changed(inDoubt(command, nowMs), nowMs, {
    tries,
    dueAtMs: nowMs + backoffMs('call', tries - 1),
    leaseToken: null,
    lastError: reason,
  });
}

/**
 * The call had no effect: the command is sent again after a wait. `refusal` is the code if the
 * partner refused it for now.
 */
export function postponeCommand<C extends PartnerCommand>(
  command: C,
  reason: string,
  nowMs: number,
  refusal: string | null = null,
): C {
  // A failure of `prepare` counts as a try too.
  const tries = command.state === 'pending' ? command.tries + 1 : command.tries;
  return step(command, 'postpone', nowMs, {
    tries,
    dueAtMs: nowMs + backoffMs('call', tries - 1),
    leaseToken: null,
    lastError: reason,
    refusal: refusal ?? command.refusal,
  });
}

/** No answer: the command may exist. */
export function markUnknown<C extends PartnerCommand>(
  command: C,
  reason: string,
  nowMs: number,
): C {
  return step(command, 'lose', nowMs, {
    dueAtMs: nowMs + backoffMs('call', command.tries - 1),
    leaseToken: null,
    lastError: reason,
  });
}

/**
 * Accepted, with nothing booked: its id may prove to be that of another command, with which its
 * call was answered.
 */
export function isDisownable(command: MoneyCommand): boolean {
  const { state, end, receivedMinor, request, isAdopted, depositId } = command;
  const isOwn = !isAdopted && depositId === null && request !== null;
  return isOwn && state === 'done' && end === 'open' && receivedMinor === 0n;
}

/** A pay-in that was not read since its last answer: the id of the answer may be another's. */
export function isUnreadPayin(command: MoneyCommand): boolean {
  const { kind, tries, lastError } = command;
  return kind === 'payin' && isDisownable(command) && (tries === 0 || lastError !== null);
}

/** The id is that of another command. What this one's call did is looked up. */
export function disownCommand(command: MoneyCommand, reason: string, nowMs: number): MoneyCommand {
  assert(isDisownable(command), 'a command that has moved money keeps its id');
  return step(command, 'disown', nowMs, {
    partnerRef: null,
    heldSinceMs: null,
    lateAtMs: null,
    review: null,
    tries: 0,
    dueAtMs: nowMs,
    leaseToken: null,
    lastError: reason,
  });
}

export function voidCommand<C extends PartnerCommand>(command: C, nowMs: number): C {
  return step(command, 'void', nowMs, { dueAtMs: null, leaseToken: null });
}

/** Another command takes the place of a refund that the partner does not have. */
export function replacedRefund(refund: MoneyCommand, nowMs: number): MoneyCommand {
  return isUnpaidRefund(refund) ? supersedeCommand(refund, nowMs) : voidCommand(refund, nowMs);
}

/** A refused refund is no longer owed, or another command sends it again. */
export function supersedeCommand<C extends PartnerCommand>(command: C, nowMs: number): C {
  assert(isUnpaidRefund(command), 'only a refused refund is superseded');
  return step(command, 'supersede', nowMs, {});
}

/** As it is stored, and as an operator says that it ended. */
export interface ByHand {
  readonly draft: MoneyCommand;
  readonly paid: MoneyCommand;
}

/**
 * A person paid this refund or payout by other means. Another command, which the partner never
 * gets, takes its place: if the partner pays this one all the same, the second payment is booked as
 * a loss.
 */
export function paidByHand(
  command: MoneyCommand,
  name: Pick<MoneyCommand, 'id' | 'reference'>,
  nowMs: number,
): ByHand {
  const { kind, amount, payinId, paymentId } = command;
  const what = { kind, amount, payinId, paymentId };
  const draft = voidCommand(newCommand(command, name, what, nowMs), nowMs);
  return { draft, paid: changed(draft, nowMs, { state: 'done', end: 'completed' }) };
}

/** A call whose worker lost its lease is in doubt. */
function inDoubt<C extends PartnerCommand>(command: C, nowMs: number): C {
  return command.state === 'sent' ? step(command, 'lose', nowMs, {}) : command;
}

type CommandFields = Partial<Omit<CommandBase, 'id' | 'version' | 'updatedAtMs'>>;

function step<C extends PartnerCommand>(
  command: C,
  move: CommandMove,
  nowMs: number,
  fields: CommandFields,
): C {
  return changed(command, nowMs, { ...fields, state: commands.step(command.state, move) });
}

/**
 * `command` with some fields changed; the state changes by the table only. The dossier of a party
 * is erased once its command can neither be sent nor looked up.
 */
export function changed<C extends PartnerCommand>(
  command: C,
  nowMs: number,
  fields: CommandFields,
): C {
  const next: C = { ...command, ...fields, updatedAtMs: nowMs };
  const isOver = next.state !== 'pending' && !isInDoubt(next);
  return Object.freeze(isOver && !isMoneyCommand(next) ? { ...next, request: null } : next);
}
