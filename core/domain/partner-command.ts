// An order to the settlement partner. The row is committed before the call and stays the record of
// the order until the partner reports its end.
//
// While the order may exist at the partner, no answer to a call is final: a call without an answer
// (`unknown`) and a refusal (`denied`) are settled by a look-up at the partner. Only a look-up that
// succeeded and found nothing counts as "absent".
import { assert } from '../errors.js';
import { backoffMs, type Leased } from './lease.js';
import { type MoveOf, machine } from './machine.js';
import type { Money } from './money.js';
import { type Tenant, tenantOf } from './tenant.js';

export const commandMoves = {
  pending: { send: 'sent', refuse: 'refused', postpone: 'pending', void: 'void', accept: 'done' },
  sent: { accept: 'done', deny: 'denied', postpone: 'pending', lose: 'unknown' },
  unknown: { accept: 'done', absent: 'pending' },
  denied: { accept: 'done', absent: 'refused' },
  done: { refuse: 'refused' },
  refused: { accept: 'done', supersede: 'void' },
  void: { accept: 'done' },
} as const;

export type CommandState = keyof typeof commandMoves;
export type CommandMove = MoveOf<typeof commandMoves>;
const commands = machine(commandMoves);
export const { states: commandStates, next: nextCommandState } = commands;

/** Orders about money, in the order in which one follows from another. */
export const moneyKinds = ['payin', 'payout', 'refund'] as const;
export type MoneyKind = (typeof moneyKinds)[number];

/** Orders about parties: an organization's KYB, a buyer, an account, a seller's off-ramp wallet. */
export const partyKinds = [
  'submit_organization',
  'submit_buyer',
  'submit_account',
  'provision_rails',
] as const;
export type PartyKind = (typeof partyKinds)[number];

export type CommandKind = MoneyKind | PartyKind;
export const commandKinds: readonly CommandKind[] = [...partyKinds, ...moneyKinds];

/** How long one worker may hold a command before another may take it: longer than two calls. */
export const COMMAND_LEASE_MS = 60_000;
/** Waits before the same call or look-up is tried again; the last one repeats. */
export const CALL_BACKOFF_MS = [1_000, 5_000, 15_000, 60_000, 300_000] as const;
/** An accepted order is asked about this soon for the first time. */
export const FIRST_POLL_MS = 2_000;

/** What became of the accepted order at the partner; `open` while it may still change. */
export type OrderEnd = 'open' | 'completed' | 'failed' | 'returned';

/** What every order to the partner has. */
interface Order extends Tenant, Leased {
  readonly id: string;
  /**
   * Our reference and idempotency key at the partner. For money it follows from payment, kind and
   * number: an order that is made again after a restored backup has the same one.
   */
  readonly reference: string;
  readonly state: CommandState;
  /**
   * The exact request, sealed, fixed before the first call. Null until then, and erased of a party
   * once its order is settled.
   */
  readonly request: string | null;
  /** The partner's id of the order; null until the partner accepted or reported it. */
  readonly partnerRef: string | null;
  readonly end: OrderEnd;
  /** Of a pay-in: the total that the partner reported as received, and as confirmed. */
  readonly receivedMinor: bigint;
  readonly confirmedMinor: bigint;
  /** The code of the refusal: to be confirmed by a look-up, or final. */
  readonly refusal: string | null;
  /** An implausible report, as JSON text (report-check.ts): not applied until a person decides. */
  readonly review: string | null;
  /** Calls begun (in `done`: reads) since the last progress. */
  readonly tries: number;
  /** When the last call began that the partner may have seen; null before any call. */
  readonly firstSentAtMs: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly version: number;
}

export interface MoneyCommand extends Order {
  readonly kind: MoneyKind;
  readonly paymentId: string;
  /** Asked from the buyer, paid out, or refunded. */
  readonly amount: Money;
  /** Of a refund: the pay-in command that holds the money. */
  readonly payinId: string | null;
}

export interface PartyCommand extends Order {
  readonly kind: PartyKind;
  readonly subject: Subject;
}

/** The party's record: an organization, a KYC submission of a buyer, or a connected account. */
export interface Subject {
  readonly kind: 'organization' | 'submission' | 'account';
  readonly id: string;
}

export type PartnerCommand = MoneyCommand | PartyCommand;

export function isMoneyCommand(command: PartnerCommand): command is MoneyCommand {
  return 'paymentId' in command;
}

/** What a change of a payment orders from the partner; the use case gives it an id. */
export type CommandDraft = Pick<MoneyCommand, 'kind' | 'amount' | 'payinId'>;

/** An order as it is first stored, due now. */
export function newCommand<
  T extends
    | (CommandDraft & Pick<MoneyCommand, 'paymentId'>)
    | Pick<PartyCommand, 'kind' | 'subject'>,
>(tenant: Tenant, name: Pick<Order, 'id' | 'reference'>, what: T, nowMs: number): T & Order {
  const order: Order = {
    ...tenantOf(tenant),
    ...name,
    state: 'pending',
    request: null,
    partnerRef: null,
    end: 'open',
    receivedMinor: 0n,
    confirmedMinor: 0n,
    refusal: null,
    review: null,
    tries: 0,
    firstSentAtMs: null,
    dueAtMs: nowMs,
    leaseToken: null,
    lastError: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    version: 1,
  };
  return Object.freeze<T & Order>({ ...what, ...order });
}

/**
 * A command that was never sent, or of which the partner surely knows nothing, can be taken back.
 */
export function isVoidable(command: PartnerCommand): boolean {
  return nextCommandState(command.state, 'void') !== null;
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

/** The partner may have this order; only a look-up shows it. */
export function isInDoubt({ state }: PartnerCommand): boolean {
  return nextCommandState(state, 'absent') !== null || state === 'sent';
}

/** An accepted order, or one that ended here although the partner has it: it is asked about. */
export function isPolled({ state, partnerRef }: PartnerCommand): boolean {
  if (partnerRef === null) return false;
  return state === 'done' || state === 'refused' || state === 'void';
}

/** From when on a look-up that finds nothing proves that there is nothing. */
export function absenceCountsAtMs(command: PartnerCommand, effectWithinMs: number): number {
  // A refusal is an answer: that call is over. A party that the partner gets twice does no harm.
  if (command.state === 'denied' || !isMoneyCommand(command)) return 0;
  return (command.firstSentAtMs ?? 0) + effectWithinMs;
}

/** What a stored request is sealed for: it opens for no other command. */
export function requestPurpose({ id }: Pick<PartnerCommand, 'id'>): string {
  return `partner-command:${id}`;
}

/** Tries in vain, some one and a half hours of them, before a person is asked to look. */
export const TRIES_IN_VAIN = 20;

/**
 * An operator must look: at a refused refund, a report held back, and an open order that could not
 * be sent, looked up or asked about for long.
 */
export function isStuck(command: PartnerCommand): boolean {
  const isInVain = isOpen(command) && command.lastError !== null && command.tries >= TRIES_IN_VAIN;
  return isUnpaidRefund(command) || command.review !== null || isInVain;
}

/** The request is fixed and the call is about to be made, by the worker that holds the lease. */
export function sendCommand<C extends PartnerCommand>(
  command: C,
  request: string,
  nowMs: number,
): C {
  const fields = { request, firstSentAtMs: nowMs, tries: command.tries + 1, refusal: null };
  return step(command, 'send', nowMs, fields);
}

/** The partner took the order; its end is asked for until it is reported. */
export function acceptCommand<C extends PartnerCommand>(
  command: C,
  partnerRef: string,
  nowMs: number,
): C {
  return step(command, 'accept', nowMs, {
    partnerRef,
    tries: 0,
    dueAtMs: command.end === 'open' ? nowMs + FIRST_POLL_MS : null,
    leaseToken: null,
    lastError: null,
  });
}

/**
 * The partner refuses the order, which it may have all the same: the worker that holds the lease
 * looks it up next.
 */
export function denyCommand<C extends PartnerCommand>(
  command: C,
  refusal: { readonly code: string; readonly message: string },
  nowMs: number,
): C {
  const lastError = `${refusal.code}: ${refusal.message}`;
  return step(command, 'deny', nowMs, { refusal: refusal.code, lastError });
}

/** The order ends without effect: refused before any call, or failed at the partner. */
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
 * A look-up was done and found nothing. A refused order is refused for good; any other is pending
 * again, as if it was never sent, for the worker that holds the lease. Too early, the order is
 * looked up again later.
 */
export function absentCommand<C extends PartnerCommand>(
  command: C,
  effectWithinMs: number,
  nowMs: number,
): C {
  const doubted = inDoubt(command, nowMs);
  const countsAtMs = absenceCountsAtMs(doubted, effectWithinMs);
  if (nowMs < countsAtMs) {
    return changed(doubted, nowMs, { dueAtMs: countsAtMs, leaseToken: null });
  }
  const over = doubted.state === 'denied' ? { dueAtMs: null, leaseToken: null } : {};
  return step(doubted, 'absent', nowMs, over);
}

/** A look-up could not be done: the order stays in doubt, and is looked up again after a wait. */
export function lookUpAgain<C extends PartnerCommand>(
  command: C,
  reason: string,
  nowMs: number,
): C {
  const tries = command.tries + 1;
  return changed(inDoubt(command, nowMs), nowMs, {
    tries,
    dueAtMs: nowMs + backoffMs(CALL_BACKOFF_MS, tries - 1),
    leaseToken: null,
    lastError: reason,
  });
}

/** This call surely did nothing: the same order is tried again after a wait. */
export function postponeCommand<C extends PartnerCommand>(
  command: C,
  reason: string,
  nowMs: number,
): C {
  // Before any call it was the preparing that failed; that is a try too.
  const tries = command.state === 'pending' ? command.tries + 1 : command.tries;
  return step(command, 'postpone', nowMs, {
    tries,
    dueAtMs: nowMs + backoffMs(CALL_BACKOFF_MS, tries - 1),
    leaseToken: null,
    lastError: reason,
  });
}

/** The answer never came: the order may or may not exist. */
export function loseCommand<C extends PartnerCommand>(
  command: C,
  reason: string,
  nowMs: number,
): C {
  return step(command, 'lose', nowMs, {
    dueAtMs: nowMs + backoffMs(CALL_BACKOFF_MS, command.tries - 1),
    leaseToken: null,
    lastError: reason,
  });
}

export function voidCommand<C extends PartnerCommand>(command: C, nowMs: number): C {
  return step(command, 'void', nowMs, { dueAtMs: null, leaseToken: null });
}

/** A refused refund is not owed any more, or is ordered again by another command. */
export function supersedeCommand<C extends PartnerCommand>(command: C, nowMs: number): C {
  assert(isUnpaidRefund(command), 'only a refused refund is superseded');
  return step(command, 'supersede', nowMs, {});
}

/** A call whose worker lost its lease is in doubt. */
function inDoubt<C extends PartnerCommand>(command: C, nowMs: number): C {
  return command.state === 'sent' ? step(command, 'lose', nowMs, {}) : command;
}

export type CommandFields = Partial<Omit<Order, 'id' | 'version' | 'updatedAtMs'>>;

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
 * is erased once its order can neither be sent nor looked up.
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
