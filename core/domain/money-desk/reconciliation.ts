// What can differ between the partner's books and ours: the kinds, in the order of a report, and
// the comparison of one command with its entry.
import { MINUTE_MS } from '../base/instant.js';
import { formatAmount, type Money, sameMoney } from '../base/money.js';
import type { Mode } from '../base/tenant.js';
import type { CommandEnd, MoneyCommand, MoneyKind } from '../commands/partner-command.js';
import { reviewName } from '../commands/report-check.js';
import type { Deposit } from '../deposits/deposit.js';
import type { Payment } from '../payments/payment.js';

/** What one comparison found. */
export interface ReconciliationResult {
  /** Entries and commands since then were compared. */
  readonly sinceMs: number;
  readonly endedAtMs: number;
  readonly entries: number;
  readonly commands: number;
  /** Differences and wallets that hold something else than the ledger says. */
  readonly differences: number;
  /** Lists, entries and wallets that could not be read. */
  readonly unread: number;
}

/** The comparisons that run by themselves with one partner. */
export interface ScheduledReconciliation {
  readonly partner: string;
  readonly mode: Mode;
  /** Null before the first one. */
  readonly last: ReconciliationResult | null;
  readonly dueAtMs: number;
  readonly version: number;
}

/** Money at risk first. Within a kind, payouts are first, then larger amounts. */
export const differenceKinds = [
  /** The partner executed one command twice. */
  'duplicate_at_partner',
  /** Two commands have one object: its money is counted twice. */
  'duplicate_command',
  /** In the partner's books, and no command or deposit of ours. */
  'missing_here',
  /** Accepted by the partner, and not in its books. */
  'missing_at_partner',
  /** In the partner's books under our command, which counts as not placed. */
  'not_accepted',
  'amount',
  /** The BRL that reached the seller, or the rate. */
  'settlement',
  'status',
  /** Money that nobody ordered, until an operator decides. */
  'deposit_unmatched',
  /** A report that was held back, until an operator decides. */
  'report_in_review',
] as const;

export type DifferenceKind = (typeof differenceKinds)[number];

export interface Difference {
  readonly kind: DifferenceKind;
  readonly book: MoneyKind;
  readonly ours: Ours | null;
  readonly theirs: Theirs | null;
  /** What both sides say, where they differ. */
  readonly here: string | null;
  readonly there: string | null;
}

/** A command or a deposit. */
export interface Ours {
  readonly what: 'command' | 'deposit';
  readonly id: string;
  readonly orgId: string | null;
  readonly paymentId: string | null;
  readonly reference: string | null;
  readonly partnerRef: string | null;
  readonly status: string;
  readonly amount: Money;
  /** When the partner is asked next; null: never. */
  readonly dueAtMs: number | null;
  /** The name of a report that was held back. */
  readonly report: string | null;
}

/** What an entry of the partner's books says. */
export interface EntryFacts extends Theirs {
  readonly kind: MoneyKind;
  readonly reference: string | null;
  readonly settled?: Money | null;
  readonly fxRate?: string | null;
}

/** Without the payer. */
export interface Theirs {
  readonly partnerRef: string;
  readonly status: CommandEnd;
  readonly amount: Money;
  readonly createdAtMs: number;
}

/** A message or an answer may be on its way for this long. */
const IN_FLIGHT_MS = 5 * MINUTE_MS;

export function mayBeOnItsWay(sinceMs: number, nowMs: number): boolean {
  return nowMs - sinceMs < IN_FLIGHT_MS;
}

export function oursOf(command: MoneyCommand): Ours {
  const { id, orgId, paymentId, reference, partnerRef, amount, dueAtMs } = command;
  return {
    what: 'command',
    id,
    orgId,
    paymentId,
    reference,
    partnerRef,
    amount,
    dueAtMs,
    status: command.state === 'done' ? command.end : command.state,
    report: command.review === null ? null : reviewName(command.review),
  };
}

export function depositSide(deposit: Deposit): Ours {
  const { id, orgId, paymentId, partnerRef, state, end, amount } = deposit;
  const status = state === 'waiting' ? end : state;
  const none = { reference: null, report: null, dueAtMs: null };
  return { what: 'deposit', id, orgId, paymentId, partnerRef, status, amount, ...none };
}

export function theirsOf({ partnerRef, status, amount, createdAtMs }: EntryFacts): Theirs {
  return { partnerRef, status, amount, createdAtMs };
}

/**
 * An accepted command against its entry. One whose report was held back differs until it counts.
 */
export function compareCommand(
  command: MoneyCommand,
  payment: Pick<Payment, 'settlement'>,
  entry: EntryFacts,
): readonly Difference[] {
  if (command.review !== null) return [];
  const sides = { book: entry.kind, ours: oursOf(command), theirs: theirsOf(entry) };
  return [
    ...amountTexts(command, entry).map((texts) => ({
      kind: 'amount' as const,
      ...sides,
      ...texts,
    })),
    ...settlementTexts(payment, entry).map((texts) => ({
      kind: 'settlement' as const,
      ...sides,
      ...texts,
    })),
    ...(command.end === entry.status
      ? []
      : [{ kind: 'status' as const, ...sides, here: command.end, there: entry.status }]),
  ];
}

/** The amount of a deposit that was decided on stays, so only its end counts then. */
export function compareDeposit(deposit: Deposit, entry: EntryFacts): readonly Difference[] {
  const sides = { book: entry.kind, ours: depositSide(deposit), theirs: theirsOf(entry) };
  const isSplit = deposit.consolidatedReference !== null && entry.status === 'completed';
  const isOpen = deposit.state === 'waiting' || isSplit;
  const [here, there] = [moneyText(deposit.amount), moneyText(entry.amount)];
  return [
    ...(isOpen && here !== there ? [{ kind: 'amount' as const, ...sides, here, there }] : []),
    ...(deposit.end === entry.status
      ? []
      : [{ kind: 'status' as const, ...sides, here: deposit.end, there: entry.status }]),
  ];
}

interface Texts {
  readonly here: string;
  readonly there: string;
}

function unless(isSame: boolean, here: string, there: string): readonly Texts[] {
  return isSame ? [] : [{ here, there }];
}

/** Compares what arrived, if a pay-in completed on both sides. */
function amountTexts(command: MoneyCommand, entry: EntryFacts): readonly Texts[] {
  const { amount, kind, end, receivedMinor } = command;
  const isReceived = kind === 'payin' && end === 'completed' && entry.status === 'completed';
  const here = isReceived ? { ...amount, amountMinor: receivedMinor } : amount;
  // Without our reference, the partner's amount of a payout lacks the fees.
  if (kind === 'payout' && entry.reference === null) return [];
  // What arrives may differ from the command; it counts when it has arrived.
  if (kind === 'payin' && !isReceived && entry.status === 'completed') return [];
  return unless(sameMoney(here, entry.amount), moneyText(here), moneyText(entry.amount));
}

function settlementTexts(
  { settlement }: Pick<Payment, 'settlement'>,
  { kind, settled, fxRate }: EntryFacts,
): readonly Texts[] {
  if (kind !== 'payout' || settlement === null || !settled) return [];
  const here = `${moneyText(settlement.settled)} at ${settlement.fxRate}`;
  const there = `${moneyText(settled)} at ${fxRate ?? settlement.fxRate}`;
  return unless(here === there, here, there);
}

export function moneyText({ amountMinor, currency }: Money): string {
  return `${formatAmount(amountMinor)} ${currency}`;
}

/** In the order of a report. */
export function sorted(differences: readonly Difference[]): readonly Difference[] {
  const rank = ({ kind, book }: Difference) =>
    2 * differenceKinds.indexOf(kind) + (book === 'payout' ? 0 : 1);
  const minor = ({ ours, theirs }: Difference) => (theirs ?? ours)?.amount.amountMinor ?? 0n;
  return differences.toSorted((left, right) => {
    const [less, more] = [minor(left), minor(right)];
    return rank(left) - rank(right) || (less === more ? 0 : less > more ? -1 : 1);
  });
}
