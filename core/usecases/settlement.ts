// What the partner tells, by message or when asked: both come to `applyFact`, which changes
// command, funds, ledger and status in one batch. Messages are stored by their id before they are
// applied, so that doubles are dropped and none is lost. Calls to the partner stand in commands.ts.
import type { Collection } from '../domain/change.js';
import { type Learned, ordersChanged } from '../domain/order-outcomes.js';
import { holdForReview, reportEffect, reportOrder } from '../domain/order-report.js';
import {
  backoffMs,
  CALL_BACKOFF_MS,
  commandKinds,
  newsOf,
  type OrderEnd,
  type PartnerCommand,
  refuseCommand,
  requestPurpose,
} from '../domain/partner-command.js';
import type { Quote } from '../domain/quote.js';
import {
  payinProblem,
  payoutProblem,
  type ReportProblem,
  refundProblem,
} from '../domain/report-check.js';
import { type Mode, type Tenant, tenantOf } from '../domain/tenant.js';
import { assert, PonteError, unreachable } from '../errors.js';
import type { Deps, InboxMessage, PartnerFact, Tx } from '../ports.js';
import { announce, eachByItself, eachDue, loadCollection, stageChange } from './collections.js';
import { partyReported } from './parties.js';
import { verbs } from './partner-verbs.js';

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
 * if applying it fails, a worker goes on with it. In quarantine it is stored and applied after the
 * release: a partner may repeat a refused message for a shorter time than the quarantine lasts.
 * InvalidSignature when it is not genuine.
 */
export async function receivePartnerMessage(deps: Deps, message: PartnerMessage): Promise<void> {
  const partner = deps.partners[message.mode];
  if (partner === null || partner.name !== message.partner) throw new PonteError('NotFound');
  const nowMs = deps.clock.nowMs();
  const read = partner.readInbound(message.headers, message.body, nowMs);
  if (read === null) throw new PonteError('InvalidSignature');
  const stored = await deps.store.run(
    async (tx) => {
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
      const { state } = await tx.epochs.current();
      return state === 'quarantine' ? null : fresh;
    },
    { inQuarantine: true },
  );
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
      cursorOf: ({ messageId, dueAtMs }) => ({ id: messageId, dueAtMs: dueAtMs ?? nowMs }),
      work: (message) => applyMessage(deps, message),
    },
  );
}

type MoneyFact = Exclude<PartnerFact, { readonly kind: 'receiver' }>;

/** How a report came, and whether a person vouches for it. */
export interface ReportSource {
  /**
   * The version of the order when it was asked about: the answer says how the order stands, unless
   * something was learned meanwhile.
   */
  readonly askedVersion?: number;
  /** A person accepted it although it is implausible. */
  readonly accepted?: boolean;
}

/** Applies a fact to the order it is about; applying it twice, late or out of order is harmless. */
export async function applyFact(
  deps: Deps,
  commandId: string,
  fact: PartnerFact,
  source: ReportSource = {},
): Promise<void> {
  if (fact.kind === 'receiver') {
    await applyToParty(deps, commandId, fact);
    return;
  }
  const applied = await deps.store.run(async (tx) => {
    const command = await tx.commands.get(commandId);
    assert(command !== null && command.paymentId !== null, 'an order about money serves a payment');
    const tenant = tenantOf(command);
    const was = await loadCollection(tx, tenant, command.paymentId);
    const commands = await tx.commands.ofPayment(tenant, command.paymentId);
    const quote = await quoteOf(tx, tenant, was);
    const nowMs = deps.clock.nowMs();
    const asked = source.askedVersion === command.version;
    const found = reportProblem(command, fact, quote, asked);
    const problem = source.accepted && found?.kind === 'implausible' ? null : found;
    const next =
      problem === null
        ? commandAfter(command, fact, asked, nowMs)
        : held(command, problem, fact, nowMs);
    if (next === command) return null;
    const learned = problem === null ? learnedOf(next, fact) : {};
    const change = ordersChanged(was, commands, [next], nowMs, learned);
    return { change: await stageChange(deps, tx, was, change), asks: next.dueAtMs === nowMs };
  });
  if (applied === null) return;
  announce(deps, applied.change);
  if (applied.asks) deps.wake('commands');
}

/** A report that waits for a person, with the reason: the text of PartnerCommand.review. */
export interface Review {
  readonly kind: ReportProblem['kind'];
  readonly reason: string;
  readonly fact: MoneyFact;
}

export function readReview(text: string): Review {
  return JSON.parse(text, readAmount) as Review;
}

/** A report that waits for a person says that a pay-in brought nothing, or that it went back. */
export function isPayinDoubted({ kind, review }: PartnerCommand): boolean {
  if (kind !== 'payin' || review === null) return false;
  const { status } = readReview(review).fact.report;
  return status === 'failed' || status === 'returned';
}

function writeReview({ kind, text: reason }: ReportProblem, fact: MoneyFact): string {
  return JSON.stringify({ kind, reason, fact }, writeAmount);
}

function held(command: PartnerCommand, problem: ReportProblem, fact: MoneyFact, nowMs: number) {
  const review = { text: writeReview(problem, fact), end: fact.report.status };
  return holdForReview(withRef(command, fact), review, nowMs);
}

/** An order of which a report waits for a person is asked about by the partner's id. */
function withRef(command: PartnerCommand, { partnerRef }: MoneyFact): PartnerCommand {
  return command.partnerRef === null ? { ...command, partnerRef } : command;
}

async function quoteOf(tx: Tx, tenant: Tenant, { payment }: Collection): Promise<Quote | null> {
  return payment.quoteId === null ? null : tx.quotes.get(tenant, payment.quoteId);
}

/** A payout that is reported as it is known tells nothing new, so there is nothing to check. */
function reportProblem(
  command: PartnerCommand,
  fact: MoneyFact,
  quote: Quote | null,
  asked: boolean,
): ReportProblem | null {
  if (fact.kind === 'payin') return payinProblem(command, fact.report, asked);
  if (fact.kind === 'refund') return refundProblem(command, fact.report.amount, asked);
  const applies = reportEffect(command.end, fact.report.status, asked) === 'apply';
  return applies ? payoutProblem(command, fact.report, quote) : null;
}

/** What a report tells besides the end of its order; a contradicted one tells nothing yet. */
function learnedOf(next: PartnerCommand, fact: MoneyFact): Learned {
  const { report } = fact;
  if (next.end !== report.status) return {};
  if (fact.kind === 'payin') {
    const { transactionHash, reason } = fact.report;
    return { reason, transactionHash };
  }
  if (fact.kind !== 'payout' || fact.report.status !== 'completed') {
    return { reason: report.reason };
  }
  const { settled, fees, fxRate, endToEndId } = fact.report;
  assert(settled !== null && fees !== null && fxRate !== null, 'a checked report tells its sums');
  return { settlement: { settled, fees, fxRate, endToEndId } };
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

/**
 * The order that a fact is about. The partner's id must be the one on record: a message that names
 * another order under our reference is not applied, and a person is told.
 */
async function matchingCommand(deps: Deps, mode: Mode, fact: PartnerFact): Promise<string | null> {
  const fits = ({ mode: its, kind }: PartnerCommand) => its === mode && newsOf[kind] === fact.kind;
  const found = await deps.store.run(async (tx) => {
    const { reference } = fact;
    if (reference === null) return byPartnerRef(tx, mode, fact);
    const named = await tx.commands.byReference(mode, reference);
    return named === null ? [] : [named];
  });
  const command = found.find(fits);
  if (command === undefined) return null;
  const known = command.partnerRef ?? (await lookedUpRef(deps, command, fact));
  if (known === fact.partnerRef) return command.id;
  const { partnerRef } = fact;
  const alert = 'the partner reports another order under our reference than the one on record';
  if (known !== null) deps.log.error('alert', { alert, commandId: command.id, partnerRef });
  return null;
}

/**
 * The partner's id of an order that has none on record, asked of the partner: a message alone could
 * name another order. Null when the partner cannot tell now; then the message is tried again.
 */
async function lookedUpRef(
  deps: Deps,
  command: PartnerCommand,
  { partnerRef }: PartnerFact,
): Promise<string | null> {
  const partner = deps.partners[command.mode];
  // Without a request nothing was sent from here: there is nothing to look up by.
  if (partner === null || command.request === null) return partnerRef;
  const request = deps.secretBox.open(command.request, requestPurpose(command));
  const found = await verbs[command.kind].find(partner, request);
  return found.outcome === 'done' ? (found.value?.partnerRef ?? null) : null;
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
    const next = commandAfter(current, fact, true, deps.clock.nowMs());
    if (next !== current) tx.commands.update(next);
  });
}

function commandAfter(
  command: PartnerCommand,
  fact: PartnerFact,
  asked: boolean,
  nowMs: number,
): PartnerCommand {
  const { partnerRef } = fact;
  const { reason } = fact.report;
  const receivedMinor = fact.kind === 'payin' ? fact.report.receivedMinor : 0n;
  const refunded = fact.kind === 'refund' ? fact.report.amount : null;
  const report = { partnerRef, end: orderEnd(fact), reason, receivedMinor, refunded, asked };
  const next = reportOrder(command, report, nowMs);
  const failed = fact.kind === 'refund' && next.state === 'done' && next.end === 'failed';
  if (!failed) return next;
  return refuseCommand(next, { code: null, message: reason ?? 'refund failed' }, nowMs);
}

function orderEnd(fact: PartnerFact): OrderEnd {
  switch (fact.kind) {
    case 'receiver':
      return fact.report.status === 'verifying' ? 'open' : 'completed';
    case 'payin':
    case 'payout':
    case 'refund':
      return fact.report.status;
    default:
      return unreachable(fact);
  }
}

/** Amounts (`…Minor`) are written as text and read back as bigint. */
function writeAmount(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function readAmount(key: string, value: unknown): unknown {
  return key.endsWith('Minor') && typeof value === 'string' ? BigInt(value) : value;
}

function writeFacts(facts: readonly PartnerFact[]): string {
  return JSON.stringify(facts, writeAmount);
}

function readFacts(text: string): readonly PartnerFact[] {
  return JSON.parse(text, readAmount) as readonly PartnerFact[];
}
