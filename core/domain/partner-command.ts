// One thing that the settlement partner must do for us. The row is committed before the call, its
// id is our idempotency key at the partner, and it stays the record of the order until the partner
// reports its end. A call whose outcome is unknown is never taken for a failure, and stays in doubt
// however a later call of the same order ends, until the partner tells.
import { assert } from '../errors.js';
import type { Money } from './money.js';
import type { Tenant } from './tenant.js';

export const commandMoves = {
  pending: { send: 'sent', accept: 'done', refuse: 'refused', postpone: 'pending', void: 'void' },
  sent: { accept: 'done', refuse: 'refused', postpone: 'pending', lose: 'unknown' },
  unknown: {
    send: 'unknown',
    accept: 'done',
    refuse: 'refused',
    postpone: 'unknown',
    lose: 'unknown',
  },
  done: { refuse: 'refused' },
  refused: { supersede: 'void' },
  void: {},
} as const satisfies Record<CommandState, Partial<Record<CommandMove, CommandState>>>;

export type CommandState = 'pending' | 'sent' | 'unknown' | 'done' | 'refused' | 'void';

export type CommandMove = 'send' | 'accept' | 'refuse' | 'postpone' | 'lose' | 'void' | 'supersede';

/** What the partner tells of each kind of order later; null: its answer to the call is all. */
export const newsOf = {
  /** An organization's own KYB. */
  submit_organization: 'receiver',
  submit_buyer: 'receiver',
  submit_account: 'receiver',
  /** The off-ramp wallet of a seller. */
  provision_rails: null,
  payin: 'payin',
  payout: 'payout',
  refund: 'refund',
} as const satisfies Readonly<Record<string, string | null>>;

export type CommandKind = keyof typeof newsOf;

export const commandKinds = Object.keys(newsOf) as readonly CommandKind[];

/**
 * How long after the first call in doubt its key surely still protects us: 24 h at the partner,
 * less 1 h.
 */
export const KEY_KEPT_MS = 23 * 3_600_000;
/** No call of the partner lasts longer: then its outcome is in doubt. Adapters see to it. */
export const PARTNER_CALL_MS = 20_000;
/** How long one worker may hold a command before another may take it: longer than two calls. */
export const COMMAND_LEASE_MS = 60_000;
/** Waits before the same call is tried again; the last one repeats. */
export const CALL_BACKOFF_MS = [1_000, 5_000, 15_000, 60_000, 300_000] as const;
/** Waits between questions about an order whose end was not reported yet; the last one repeats. */
export const POLL_BACKOFF_MS = [2_000, 3_000, 5_000, 15_000, 60_000, 300_000, 900_000] as const;

/** Waits between questions about a failed payout: until told, nobody knows where its money is. */
export const FAILED_PAYOUT_BACKOFF_MS = [...POLL_BACKOFF_MS, 3_600_000] as const;
/** An abandoned pay-in is asked about ever more rarely, and at last once in this time. */
export const ABANDONED_POLL_MAX_MS = 86_400_000;

/** What became of the accepted order at the partner; `open` while it may still change. */
export type OrderEnd = 'open' | 'completed' | 'failed' | 'returned';

export interface PartnerCommand extends Tenant {
  /** Also our idempotency key and our reference at the partner. */
  readonly id: string;
  readonly kind: CommandKind;
  /** The one thing it serves: a payment, a KYC submission, an account; else the organization. */
  readonly paymentId: string | null;
  readonly submissionId: string | null;
  readonly accountId: string | null;
  /** The money it is about: asked from the buyer, paid out, or given back; null for parties. */
  readonly amount: Money | null;
  readonly state: CommandState;
  /** The exact request, sealed, fixed before the first call; null until then. */
  readonly request: string | null;
  /** The partner's id of the order; null until it accepted or reported it. */
  readonly partnerRef: string | null;
  readonly end: OrderEnd;
  /** Calls begun (in `done`: questions asked) since the last change for the better. */
  readonly tries: number;
  /** The first call that the partner may have seen; null before any call. */
  readonly firstSentAtMs: number | null;
  /** When a worker must look next; null when there is nothing to do by itself. */
  readonly dueAtMs: number | null;
  readonly leaseToken: string | null;
  readonly lastError: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly version: number;
}

/** What a change of a payment asks of the partner; the use case gives it an id. */
export interface CommandDraft {
  readonly kind: CommandKind;
  readonly amount: Money | null;
}

export function nextCommandState(state: CommandState, move: CommandMove): CommandState | null {
  const row: Partial<Record<CommandMove, CommandState>> = commandMoves[state];
  return row[move] ?? null;
}

/**
 * A command that was never sent, or of which the partner surely knows nothing, can be taken back.
 */
export function isVoidable(command: PartnerCommand): boolean {
  return nextCommandState(command.state, 'void') !== null;
}

/**
 * A refund that the partner refused or failed, and did not pay after all: the buyer must be paid
 * back by other means.
 */
export function isDebt(command: PartnerCommand): boolean {
  if (command.kind !== 'refund' || command.state !== 'refused') return false;
  return command.end !== 'completed';
}

/** Neither ended here nor at the partner. */
export function isOpen(command: PartnerCommand): boolean {
  if (command.state === 'done') return command.end === 'open';
  return command.state !== 'refused' && command.state !== 'void';
}

/** A call in doubt may be repeated while the partner keeps our key; then only be read back. */
export function mayRepeat(command: PartnerCommand, nowMs: number): boolean {
  if (command.state === 'pending' || command.firstSentAtMs === null) return true;
  return nowMs < command.firstSentAtMs + KEY_KEPT_MS;
}

/** What a stored request is sealed for: it opens for no other command. */
export function requestPurpose({ id }: Pick<PartnerCommand, 'id'>): string {
  return `partner-command:${id}`;
}

/** It was sent, its key is forgotten by now, and the partner does not know it. */
export function isLost(command: PartnerCommand): boolean {
  return command.state === 'unknown' && command.dueAtMs === null;
}

/** Work that the service will not finish by itself: an operator must look. */
export function isStuck(command: PartnerCommand): boolean {
  return isLost(command) || (command.dueAtMs === null && isDebt(command));
}

/** The request is fixed and the call is about to be made, by the worker that holds the lease. */
export function sendCommand(
  command: PartnerCommand,
  request: string,
  nowMs: number,
): PartnerCommand {
  const fields = {
    request,
    firstSentAtMs: command.state === 'pending' ? nowMs : command.firstSentAtMs,
    tries: command.tries + 1,
  };
  return step(inDoubt(command, nowMs), 'send', nowMs, fields);
}

/** The partner took the order; its end is asked for until it is reported. */
export function acceptCommand(
  command: PartnerCommand,
  partnerRef: string,
  nowMs: number,
): PartnerCommand {
  return step(command, 'accept', nowMs, {
    partnerRef,
    tries: 0,
    dueAtMs: command.end === 'open' ? nowMs + POLL_BACKOFF_MS[0] : null,
    leaseToken: null,
    lastError: null,
  });
}

export function refuseCommand(
  command: PartnerCommand,
  reason: string,
  nowMs: number,
): PartnerCommand {
  return step(command, 'refuse', nowMs, { dueAtMs: null, leaseToken: null, lastError: reason });
}

/**
 * This call surely did nothing: the same order is tried again after a wait. It is pending as if it
 * was never sent, unless an earlier call is in doubt.
 */
export function postponeCommand(
  command: PartnerCommand,
  reason: string,
  nowMs: number,
): PartnerCommand {
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
export function loseCommand(
  command: PartnerCommand,
  reason: string,
  nowMs: number,
): PartnerCommand {
  return step(command, 'lose', nowMs, {
    dueAtMs: nowMs + backoffMs(CALL_BACKOFF_MS, command.tries - 1),
    leaseToken: null,
    lastError: reason,
  });
}

export function voidCommand(command: PartnerCommand, nowMs: number): PartnerCommand {
  return step(command, 'void', nowMs, { dueAtMs: null, leaseToken: null });
}

/** An operator orders a refused refund again, under a new command that takes this one's place. */
export function supersedeCommand(command: PartnerCommand, nowMs: number): PartnerCommand {
  assert(isDebt(command), 'only a refused refund is ordered again');
  return step(command, 'supersede', nowMs, {});
}

/** Nobody may repeat it and the partner knows nothing of it: it waits for an operator. */
export function leaveToOperator(
  command: PartnerCommand,
  reason: string,
  nowMs: number,
): PartnerCommand {
  const fields = { dueAtMs: null, leaseToken: null, lastError: reason };
  return changed(inDoubt(command, nowMs), nowMs, fields);
}

/** The partner does not know the order: the same request goes out again, and its key anew. */
export function repeatCommand(command: PartnerCommand, nowMs: number): PartnerCommand {
  const fields = { dueAtMs: nowMs, leaseToken: null, tries: 0, firstSentAtMs: nowMs };
  return changed(inDoubt(command, nowMs), nowMs, fields);
}

/**
 * Look again later: the question was asked and the order had not ended. Where nobody waits for it
 * since `abandonedAtMs`, as long again passes at least.
 */
export function askAgain(
  command: PartnerCommand,
  lastError: string | null,
  nowMs: number,
  abandonedAtMs: number | null = null,
): PartnerCommand {
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

/**
 * The partner told how the order stands. An order that is told of was accepted, whatever we knew.
 * A failed one may still be returned or turn out completed: it is asked about for a while, and a
 * payout until that is known. What was returned stays so: anything else that is told of it then is
 * older.
 */
export function reportOrder(
  command: PartnerCommand,
  partnerRef: string,
  end: OrderEnd,
  nowMs: number,
): PartnerCommand {
  const known = changed(command, nowMs, { partnerRef: command.partnerRef ?? partnerRef });
  if (end === 'open') return known.partnerRef === command.partnerRef ? command : known;
  if (command.end === 'returned') return command;
  if (end === command.end && end !== 'failed') return command;
  const tries = end === command.end ? command.tries + 1 : 0;
  const state = nextCommandState(command.state, 'accept') ?? command.state;
  const waitsMs = pollWaitsMs(command, end);
  const asked = command.kind === 'payout' || tries < waitsMs.length;
  return changed(known, nowMs, {
    state,
    end,
    tries,
    dueAtMs:
      state === 'done' && end === 'failed' && asked ? nowMs + backoffMs(waitsMs, tries) : null,
    leaseToken: null,
  });
}

export function backoffMs(waitsMs: readonly number[], tries: number): number {
  const waitMs = waitsMs[tries < waitsMs.length ? tries : waitsMs.length - 1];
  assert(waitMs !== undefined, 'a backoff needs at least one wait');
  return waitMs;
}

function pollWaitsMs({ kind }: PartnerCommand, end: OrderEnd): readonly number[] {
  return kind === 'payout' && end === 'failed' ? FAILED_PAYOUT_BACKOFF_MS : POLL_BACKOFF_MS;
}

/** A call whose worker lost its lease is in doubt. */
function inDoubt(command: PartnerCommand, nowMs: number): PartnerCommand {
  return command.state === 'sent' ? step(command, 'lose', nowMs, {}) : command;
}

type Fields = Partial<Omit<PartnerCommand, 'id' | 'kind' | 'version' | 'updatedAtMs'>>;

function step(command: PartnerCommand, move: CommandMove, nowMs: number, fields: Fields) {
  const state = nextCommandState(command.state, move);
  assert(state !== null, `a ${command.state} partner command knows no ${move}`);
  return changed(command, nowMs, { ...fields, state });
}

function changed(command: PartnerCommand, nowMs: number, fields: Fields): PartnerCommand {
  return Object.freeze({ ...command, ...fields, updatedAtMs: nowMs });
}
