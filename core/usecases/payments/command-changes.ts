// Changes of commands to the partner, each stored in one batch with everything that follows from
// it. Reports are checked before they are applied; an implausible one waits for an operator's
// decision.
import type { Money } from '../../domain/base/money.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import {
  type CommandReport,
  holdForReview,
  pollNow,
  reportCommand,
} from '../../domain/commands/command-report.js';
import {
  isPolled,
  type MoneyCommand,
  type PartnerCommand,
  refuseCommand,
} from '../../domain/commands/partner-command.js';
import { readAmount, writeAmount } from '../../domain/commands/partner-message.js';
import type { Quote } from '../../domain/commands/quote.js';
import type { DriftLimits, ReportProblem } from '../../domain/commands/report-check.js';
import {
  type Change,
  type PaymentWithCommands,
  storedAfter,
} from '../../domain/payments/change.js';
import {
  commandsChanged,
  payoutDecided,
  type ReportedDetails,
} from '../../domain/payments/command-outcomes.js';
import type { Payment } from '../../domain/payments/payment.js';
import { assert } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerFact } from '../../ports/partner.js';
import type { RunOptions, Tx } from '../../ports/storage.js';
import type { Batch } from '../service/batch.js';
import { atInstance } from '../service/partner-calls.js';
import { stageBankDetails } from './bank-details.js';
import { announce, loadPayment, stageChange } from './payment-store.js';

/** A command with its stored version and, if it is about money, what is known of its payment. */
export interface KnownCommand {
  readonly command: PartnerCommand;
  readonly payment: PaymentWithCommands | null;
}

export interface Staged extends KnownCommand {
  /** False while a report needs another batch: stage it again. */
  readonly isComplete: boolean;
  /** To be called after the batch is stored. */
  readonly announce: () => void;
}

export interface ReportSource {
  /** The version that was polled: the answer is current unless the command has changed since. */
  readonly polledVersion?: number;
  /** A person accepted the implausible report. */
  readonly accepted?: boolean;
  /** A further change of the command in the same batch; `payment` is null for a party. */
  readonly alsoChange?: <C extends PartnerCommand>(next: C, payment: Payment | null) => C;
}

/** Runs `stage` in as many batches as it needs; null if it gives up. */
export async function storeStaged(
  deps: Deps,
  stage: (batch: Batch) => Promise<Staged | null>,
  options?: RunOptions,
): Promise<KnownCommand | null> {
  for (;;) {
    const work = (tx: Tx) => stage({ deps, tx, nowMs: deps.clock.nowMs() });
    const staged = await deps.store.run(work, options);
    staged?.announce();
    if (staged === null || staged.isComplete) return staged;
  }
}

/**
 * A worker polls the command next, which has this id at the partner. `alsoStage` is part of the
 * same batch.
 */
export async function pollSoon(
  deps: Deps,
  known: PartnerCommand,
  partnerRef: string,
  alsoStage: (tx: Tx) => Promise<void> = async () => undefined,
): Promise<void> {
  await storeStaged(deps, async (batch) => {
    const command = await batch.tx.commands.known(known);
    assert(command !== null, 'a command stays');
    await alsoStage(batch.tx);
    const named = { ...command, partnerRef: command.partnerRef ?? partnerRef };
    // A command in doubt, which may have lost this id, is looked up.
    return stageCommand(batch, pollNow(isPolled(named) ? named : command, batch.nowMs));
  });
  deps.wake('commands');
}

/** Stages the command only. */
export function stageCommand({ tx }: Batch, next: PartnerCommand): Staged {
  tx.commands.update(next);
  return staged(next, () => undefined);
}

export function unchangedCommand(command: PartnerCommand): Staged {
  return { command, payment: null, isComplete: true, announce: () => undefined };
}

/**
 * Stages a command about money with all that follows from it. `adopted` are commands without a row.
 */
export async function stageMoneyCommand(
  batch: Batch,
  command: MoneyCommand,
  decide: (commands: readonly MoneyCommand[]) => MoneyCommand,
  details: ReportedDetails = {},
  adopted: readonly MoneyCommand[] = [],
): Promise<Staged> {
  const { was, commands: stored } = await loadPaymentCommands(batch.tx, command);
  const commands = [...stored, ...adopted];
  return stagePaymentCommands(batch, { was, commands, adopted }, decide(commands), details);
}

export interface Reported<R> {
  readonly command: MoneyCommand;
  readonly report: R;
  /** By the payment. */
  readonly asked: Money;
  readonly quote: Quote | null;
  /** All about money of the payment. */
  readonly commands: readonly MoneyCommand[];
  /** The report is current. */
  readonly polled: boolean;
  readonly drift: DriftLimits;
}

export interface Alert {
  readonly alert: string;
  readonly reason: string;
}

/** The rules for reports of one kind of command about money. */
export interface ReportRules<R> {
  problem(reported: Reported<R>): ReportProblem | null;
  /** Raised once the report has ended the command. */
  alert?(reported: Reported<R>): Alert | null;
  sums(report: R): Pick<CommandReport, 'receivedMinor' | 'refunded' | 'held'>;
  /** Applied if the report ends the command. */
  details(report: R): ReportedDetails;
}

/** Stages the effect of a report, or the report itself if it fails its check. */
export async function stageReport<R extends MoneyFact['report']>(
  batch: Batch,
  command: MoneyCommand,
  fact: { readonly partnerRef: string; readonly report: R } & MoneyFact,
  source: ReportSource,
  rules: ReportRules<R>,
): Promise<Staged> {
  const { tx, nowMs, deps } = batch;
  const books = await loadPaymentCommands(tx, command);
  const { payment } = books.was;
  const quote =
    payment.quoteId === null ? null : await tx.quotes.get(tenantOf(command), payment.quoteId);
  const { report } = fact;
  const polled = source.polledVersion === command.version;
  const asked = payment.amount;
  const { drift } = deps.settings;
  const stated = { command, report, asked, quote, commands: books.commands, polled, drift };
  const found = rules.problem(stated);
  const { accepted = false } = source;
  const problem = accepted && found?.kind === 'implausible' ? null : found;
  const next =
    problem === null
      ? reported(command, fact, { ...rules.sums(report), polled, accepted }, nowMs)
      : inReview(command, problem, fact, nowMs);
  const last = source.alsoChange?.(next, payment) ?? next;
  if (next === command) {
    return last === command ? unchangedCommand(command) : stageCommand(batch, last);
  }
  // A report that contradicts the known end waits for a poll.
  const isApplied = problem === null && next.end === report.status;
  const stored = await stagePaymentCommands(
    batch,
    books,
    last,
    isApplied ? rules.details(report) : payerIn(fact),
  );
  const alert = isApplied && next.end !== command.end ? rules.alert?.(stated) : null;
  const polls = last.dueAtMs === nowMs;
  return {
    ...stored,
    announce: () => {
      stored.announce();
      if (alert)
        deps.log.error('alert', { ...alert, commandId: command.id, paymentId: payment.id });
      if (polls) deps.wake('commands');
    },
  };
}

export type MoneyFact = Exclude<PartnerFact, { readonly kind: 'party' }>;

/** The JSON of PartnerCommand.review, without the payer, whom the payment keeps. */
interface Review {
  readonly kind: ReportProblem['kind'];
  readonly reason: string;
  readonly fact: MoneyFact;
}

export function readReview(text: string): Review {
  return JSON.parse(text, readAmount) as Review;
}

/**
 * The report under review states that there is less to pay out: a pay-in failed, was returned or
 * brought less, or a refund is of more than was ordered, or of another currency, as one from before
 * a restore may be. One about a transfer that was split does not say which share has less.
 */
export function holdsPayouts(command: MoneyCommand): boolean {
  const { kind, review, depositId, amount } = command;
  if (review === null || kind === 'payout') return false;
  if (depositId !== null) return true;
  const { fact } = readReview(review);
  if (fact.kind === 'refund') {
    const { amountMinor, currency } = fact.report.amount;
    return currency !== amount.currency || amountMinor > amount.amountMinor;
  }
  const { status } = fact.report;
  const isLess = fact.kind === 'payin' && isLessThan(fact.report.received, command);
  return status === 'failed' || status === 'returned' || isLess;
}

/** Money in another currency is none in that of the payment. */
function isLessThan({ amountMinor, currency }: Money, { amount, receivedMinor }: MoneyCommand) {
  const isOther = currency !== amount.currency && receivedMinor > 0n;
  return isOther || amountMinor < receivedMinor;
}

export interface PaymentCommands extends PaymentWithCommands {
  /** Commands without a row. */
  readonly adopted?: readonly MoneyCommand[];
}

/** The payment is read first: its version guards the commands. */
export async function loadPaymentCommands(
  tx: Tx,
  of: Tenant & Pick<MoneyCommand, 'paymentId'>,
): Promise<PaymentCommands> {
  const tenant = tenantOf(of);
  const was = await loadPayment(tx, tenant, of.paymentId);
  return { was, commands: await tx.commands.ofPayment(tenant, of.paymentId) };
}

/** Reads no commands: those of several payments may be staged in one batch. */
export async function stagePaymentCommands(
  { deps, tx, nowMs }: Batch,
  { was, commands, adopted = [] }: PaymentCommands,
  next: MoneyCommand,
  details: ReportedDetails,
): Promise<Staged> {
  const change: Change = commandsChanged(was, commands, [next], nowMs, details);
  const stored = await stageChange(deps, tx, was, change, adopted, commands);
  await stageBankDetails({ deps, tx, nowMs }, was.payment, stored.payment);
  const isNew = adopted.some(({ id }) => id === next.id);
  // The change may have added to it.
  const last = stored.changedCommands.find(({ id }) => id === next.id) ?? next;
  const { command, ...rest } = staged(last, () => announce(deps, stored));
  const payment = adopted.length > 0 ? null : storedAfter({ was, commands }, stored);
  return { ...rest, payment, command: isNew ? atInstance(deps, last) : command };
}

/**
 * Stages who gets the money of a payout that the partner does not have. The seller is paid to
 * `destination`: null is the one of the payment.
 */
export async function stagePayoutDecided(
  batch: Batch,
  payout: MoneyCommand,
  to: 'buyer' | 'seller',
  destination: string | null = null,
): Promise<PaymentCommands & { readonly staged: Staged }> {
  const { deps, tx, nowMs } = batch;
  const { was: stored, commands } = await loadPaymentCommands(tx, payout);
  const payment =
    destination === null ? stored.payment : Object.freeze({ ...stored.payment, destination });
  const was = { ...stored, payment };
  const change = payoutDecided(was, commands, payout, to, nowMs);
  const done = await stageChange(deps, tx, stored, change, [], commands);
  return { was, commands, staged: staged(payout, () => announce(deps, done)) };
}

function staged(next: PartnerCommand, after: () => void): Staged {
  const command = { ...next, version: next.version + 1 };
  return { command, payment: null, isComplete: true, announce: after };
}

function reported(
  command: MoneyCommand,
  { partnerRef, report: { status: end, reason } }: MoneyFact,
  known: Pick<CommandReport, 'receivedMinor' | 'refunded' | 'held' | 'polled' | 'accepted'>,
  nowMs: number,
): MoneyCommand {
  const next = reportCommand(command, { ...known, partnerRef, end, reason }, nowMs);
  if (next.kind !== 'refund' || next.state !== 'done' || next.end !== 'failed') return next;
  // An operator must pay the buyer back.
  return refuseCommand(next, { code: null, message: reason ?? 'refund failed' }, nowMs);
}

/** A report that does not count yet says who sent the money. */
function payerIn(fact: MoneyFact): ReportedDetails {
  return fact.kind === 'payin' ? { payer: fact.report.payer ?? null } : {};
}

/** The report waits for an operator. Polls need the partner's id. */
export function inReview(
  command: MoneyCommand,
  { kind, text: reason }: ReportProblem,
  fact: MoneyFact,
  nowMs: number,
): MoneyCommand {
  const review: Review = { kind, reason, fact };
  const text = JSON.stringify(review, (name, value) =>
    name === 'payer' ? undefined : writeAmount(name, value),
  );
  const named = command.partnerRef === null ? { ...command, partnerRef: fact.partnerRef } : command;
  return holdForReview(named, { text, end: fact.report.status }, nowMs);
}
