// What the partner tells, by message or when asked: both come to `applyFact`, which changes
// command, funds, ledger and status in one batch. Messages are stored by their id before they are
// applied, so that doubles are dropped and none is lost. Calls to the partner stand in commands.ts.
import {
  type Change,
  type Collection,
  debtUnlessReturned,
  payinReported,
  payoutReported,
  refundContradicted,
  refundReported,
  unchanged,
} from '../domain/collection.js';
import {
  backoffMs,
  CALL_BACKOFF_MS,
  commandKinds,
  isOpen,
  newsOf,
  type OrderEnd,
  type PartnerCommand,
  refuseCommand,
  reportOrder,
} from '../domain/partner-command.js';
import { type Mode, tenantOf } from '../domain/tenant.js';
import { assert, PonteError, unreachable } from '../errors.js';
import type { Deps, InboxMessage, PartnerFact, Tx } from '../ports.js';
import {
  announce,
  eachByItself,
  eachDue,
  loadCollection,
  stageChange,
  withCommandChanged,
} from './collections.js';
import { partyReported } from './parties.js';

/** Tries of a message that fits no order (it may just be being recorded) or cannot be applied. */
const MESSAGE_TRIES_MAX = 12;

export interface PartnerMessage {
  readonly partner: string;
  readonly mode: Mode;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The raw bytes as received. */
  readonly body: Uint8Array;
}

/**
 * Verifies, stores and applies a message of the partner. When this returns, the message is stored;
 * if applying it fails, a worker goes on with it. InvalidSignature when it is not genuine.
 */
export async function receivePartnerMessage(deps: Deps, message: PartnerMessage): Promise<void> {
  const partner = deps.partners[message.mode];
  if (partner === null || partner.name !== message.partner) throw new PonteError('NotFound');
  const nowMs = deps.clock.nowMs();
  const read = partner.readInbound(message.headers, message.body, nowMs);
  if (read === null) throw new PonteError('InvalidSignature');
  const stored = await deps.store.run(async (tx) => {
    const known = await tx.inbox.get(partner.name, message.mode, read.messageId);
    if (known !== null) return null;
    const fresh: InboxMessage = {
      partner: partner.name,
      mode: message.mode,
      messageId: read.messageId,
      facts: writeFacts(read.facts),
      receivedAtMs: nowMs,
      dueAtMs: nowMs + backoffMs(CALL_BACKOFF_MS, 0),
      tries: 0,
      version: 1,
    };
    tx.inbox.insert(fresh);
    return fresh;
  });
  // What fails here stays due: the message is stored, and a worker applies it again.
  if (stored !== null) {
    await eachByItself(deps, 'inbox', [stored], (fresh) => applyMessage(deps, fresh));
  }
}

/** Applies messages that were stored and not applied; returns how many it did. */
export async function runInbox(deps: Deps, nowMs: number, limit: number): Promise<number> {
  return eachDue(
    deps,
    'inbox',
    { nowMs, limit },
    {
      read: (page) => deps.store.run((tx) => tx.inbox.unapplied(page)),
      placeOf: ({ messageId, dueAtMs }) => ({ id: messageId, dueAtMs: dueAtMs ?? nowMs }),
      work: (message) => applyMessage(deps, message),
    },
  );
}

/** Applies a fact to the order it is about; applying it twice, late or out of order is harmless. */
export async function applyFact(deps: Deps, commandId: string, fact: PartnerFact): Promise<void> {
  if (fact.kind === 'receiver') {
    await applyToParty(deps, commandId, fact);
    return;
  }
  const change = await deps.store.run(async (tx) => {
    const command = await tx.commands.get(commandId);
    assert(command !== null && command.paymentId !== null, 'an order about money serves a payment');
    const was = await loadCollection(tx, tenantOf(command), command.paymentId);
    const nowMs = deps.clock.nowMs();
    const commands = await tx.commands.ofPayment(tenantOf(command), command.paymentId);
    const next = debtUnlessReturned(commandAfter(command, fact, nowMs), commands, nowMs);
    const decided = reported(command, commands, fact, was, nowMs);
    const change = next === command ? decided : withCommandChanged(decided, next);
    stageChange(deps, tx, was, change);
    return change;
  });
  announce(deps, change);
}

async function applyMessage(deps: Deps, message: InboxMessage): Promise<void> {
  try {
    const unmatched = await applyFacts(deps, message);
    await tried(deps, message, unmatched === 0);
  } catch (error) {
    await tried(deps, message, false);
    throw error;
  }
}

/** Returns how many facts fit no order. */
async function applyFacts(deps: Deps, message: InboxMessage): Promise<number> {
  let unmatched = 0;
  for (const fact of readFacts(message.facts)) {
    const commandId = await matchingCommand(deps, message.mode, fact);
    if (commandId !== null) await applyFact(deps, commandId, fact);
    else unmatched += 1;
  }
  return unmatched;
}

/** One more try of a message is over; what is not applied after the last one is a person's task. */
async function tried(deps: Deps, message: InboxMessage, applied: boolean): Promise<void> {
  const { partner, mode, messageId } = message;
  const givenUp = await deps.store.run(async (tx) => {
    const row = await tx.inbox.get(partner, mode, messageId);
    assert(row !== null, 'a stored message stays');
    const tries = row.tries + 1;
    const done = applied || tries >= MESSAGE_TRIES_MAX;
    const dueAtMs = done ? null : deps.clock.nowMs() + backoffMs(CALL_BACKOFF_MS, tries);
    tx.inbox.update({ ...row, tries, dueAtMs });
    return done && !applied;
  });
  if (givenUp) deps.log.error('alert', { alert: 'a partner message was not applied', messageId });
}

async function matchingCommand(deps: Deps, mode: Mode, fact: PartnerFact): Promise<string | null> {
  return deps.store.run(async (tx) => {
    const named = fact.reference === null ? null : await tx.commands.get(fact.reference);
    const found = named === null ? await byPartnerRef(tx, mode, fact) : [named];
    const fits = ({ mode: its, kind }: PartnerCommand) =>
      its === mode && newsOf[kind] === fact.kind;
    return found.find(fits)?.id ?? null;
  });
}

async function byPartnerRef(tx: Tx, mode: Mode, { kind, partnerRef }: PartnerFact) {
  const kinds = commandKinds.filter((its) => newsOf[its] === kind);
  const found = await Promise.all(
    kinds.map((its) => tx.commands.byPartnerRef(mode, its, partnerRef)),
  );
  return found.filter((command) => command !== null);
}

async function applyToParty(
  deps: Deps,
  commandId: string,
  fact: PartnerFact & { readonly kind: 'receiver' },
): Promise<void> {
  const command = await deps.store.run((tx) => tx.commands.get(commandId));
  assert(command !== null, 'a command stays');
  await partyReported(deps, command, fact.partnerRef, fact.report);
  // Last, so that polling goes on until every waiting payment has moved.
  await deps.store.run(async (tx) => {
    const current = await tx.commands.get(commandId);
    assert(current !== null, 'a command stays');
    const next = commandAfter(current, fact, deps.clock.nowMs());
    if (next !== current) tx.commands.update(next);
  });
}

function commandAfter(command: PartnerCommand, fact: PartnerFact, nowMs: number): PartnerCommand {
  const next = reportOrder(command, fact.partnerRef, orderEnd(command, fact), nowMs);
  const refundFailed = fact.kind === 'refund' && fact.report.status === 'failed';
  if (!refundFailed || !isOpen(command)) return next;
  return refuseCommand(next, fact.report.reason ?? 'refund failed', nowMs);
}

function orderEnd(command: PartnerCommand, fact: PartnerFact): OrderEnd {
  switch (fact.kind) {
    case 'receiver':
      return fact.report.status === 'verifying' ? 'open' : 'completed';
    case 'payin': {
      const { status, receivedMinor } = fact.report;
      // One that came short may be topped up: it is asked about as before.
      const short = receivedMinor < (command.amount?.amountMinor ?? 0n);
      return status === 'completed' && short ? 'open' : status;
    }
    case 'payout':
    case 'refund':
      return fact.report.status;
    default:
      return unreachable(fact);
  }
}

function reported(
  command: PartnerCommand,
  commands: readonly PartnerCommand[],
  fact: Exclude<PartnerFact, { readonly kind: 'receiver' }>,
  was: Collection,
  nowMs: number,
): Change {
  switch (fact.kind) {
    case 'payin':
      return payinReported(was, commands, fact.report, nowMs);
    case 'payout':
      return payoutReported(was, commands, fact.report, nowMs);
    case 'refund': {
      const { status } = fact.report;
      if (status === 'open' || status === command.end) return unchanged(was);
      assert(command.amount !== null, 'a refund has an amount');
      const { amountMinor } = command.amount;
      // An order ends once; only the first report of its end is the one that was waited for.
      if (!isOpen(command)) return refundContradicted(was, status, amountMinor);
      return refundReported(was, commands, status, amountMinor, nowMs);
    }
    default:
      return unreachable(fact);
  }
}

/** Amounts (`…Minor`) are written as text and read back as bigint. */
function writeFacts(facts: readonly PartnerFact[]): string {
  return JSON.stringify(facts, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}

function readFacts(text: string): readonly PartnerFact[] {
  return JSON.parse(text, (key, value: unknown) =>
    key.endsWith('Minor') && typeof value === 'string' ? BigInt(value) : value,
  ) as readonly PartnerFact[];
}
