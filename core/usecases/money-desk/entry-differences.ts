// One entry of the partner's books against our side of it as it is now: its command, by the
// partner's id, our reference or its quote, or its receipt.
import { type Mode, tenantOf } from '../../domain/base/tenant.js';
import {
  isMoneyCommand,
  isOpen,
  type MoneyCommand,
  type PartnerCommand,
} from '../../domain/commands/partner-command.js';
import {
  compareCommand,
  compareReceipt,
  type Difference,
  isInFlight,
  oursOf,
  theirsOf,
} from '../../domain/money-desk/reconciliation.js';
import { isTerminal } from '../../domain/payments/payment.js';
import { assert } from '../../errors.js';
import type { PartnerEntry } from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';

/** Payments with one quote of the partner. */
const QUOTES_MAX = 10;

interface Side {
  readonly partner: string;
  readonly mode: Mode;
  readonly nowMs: number;
}

export async function differencesOf(
  tx: Tx,
  { partner, mode, nowMs }: Side,
  entry: PartnerEntry,
): Promise<readonly Difference[]> {
  if (isInFlight(entry.createdAtMs, nowMs)) return [];
  const known = await commandWith(tx, mode, entry);
  const named =
    known === null ? await quotedCommand(tx, mode, entry) : await namedCommand(tx, mode, entry);
  // Of several commands with the partner's id, its reference names the right one.
  const own = named?.partnerRef === entry.partnerRef ? named : known;
  const sides = { book: entry.kind, theirs: theirsOf(entry), here: null, there: null };
  if (own !== null && named !== null && named.id !== own.id) {
    return [{ ...sides, kind: 'duplicate_command', ours: oursOf(own), here: named.id }];
  }
  const command = own ?? named;
  if (command === null) return unordered(tx, partner, mode, entry);
  if (own === null && command.partnerRef !== null) {
    return [{ ...sides, kind: 'duplicate_at_partner', ours: oursOf(command) }];
  }
  if (command.partnerRef === null) {
    const isYoung = isInFlight(command.lastSentAtMs ?? command.createdAtMs, nowMs);
    return isYoung ? [] : [{ ...sides, kind: 'not_accepted', ours: oursOf(command) }];
  }
  return comparedWith(tx, command, entry);
}

/** An entry without a command: a receipt, or nothing if its money is not here. */
async function unordered(
  tx: Tx,
  partner: string,
  mode: Mode,
  entry: PartnerEntry,
): Promise<readonly Difference[]> {
  const { kind, partnerRef, status } = entry;
  const receipt =
    kind === 'payin' ? await tx.receipts.byPartnerRef(partner, mode, partnerRef) : null;
  if (receipt !== null) return compareReceipt(receipt, entry);
  if (kind === 'payin' && (status === 'failed' || status === 'returned')) return [];
  return [
    {
      book: kind,
      kind: 'missing_here',
      ours: null,
      theirs: theirsOf(entry),
      here: null,
      there: null,
    },
  ];
}

/** The command with the partner's id. */
async function commandWith(tx: Tx, mode: Mode, { kind, partnerRef }: PartnerEntry) {
  return moneyCommand(await tx.commands.byPartnerRef(mode, kind, partnerRef));
}

/** The command whose reference the partner stores. */
async function namedCommand(tx: Tx, mode: Mode, { kind, reference }: PartnerEntry) {
  const named = reference === null ? null : await tx.commands.byReference(mode, reference);
  return named?.kind === kind ? moneyCommand(named) : null;
}

/** The same, or the pay-in that was sent with the quote of the entry. */
async function quotedCommand(tx: Tx, mode: Mode, entry: PartnerEntry) {
  const named = await namedCommand(tx, mode, entry);
  if (named !== null || entry.partnerQuoteId === null) return named;
  for (const quote of await tx.quotes.byPartnerQuoteId(mode, entry.partnerQuoteId, QUOTES_MAX)) {
    const [payment, all] = await Promise.all([
      tx.payments.get(tenantOf(quote), quote.paymentId),
      tx.commands.ofPayment(tenantOf(quote), quote.paymentId),
    ]);
    const payins = all.filter(({ kind }) => kind === 'payin');
    const unanswered = payins.find(({ partnerRef, lastSentAtMs }) => !partnerRef && lastSentAtMs);
    const command = unanswered ?? (payment?.quoteId === quote.id ? payins.at(-1) : undefined);
    if (command !== undefined) return command;
  }
  return null;
}

function moneyCommand(command: PartnerCommand | null): MoneyCommand | null {
  return command !== null && isMoneyCommand(command) ? command : null;
}

async function comparedWith(
  tx: Tx,
  command: MoneyCommand,
  entry: PartnerEntry,
): Promise<readonly Difference[]> {
  const payment = await tx.payments.get(tenantOf(command), command.paymentId);
  assert(payment !== null, 'a command has its payment');
  // Nobody waits for its money: it is polled rarely, or not at all.
  const isAbandoned = command.kind === 'payin' && (isTerminal(payment.status) || !isOpen(command));
  const isUnpaid = command.receivedMinor === 0n && ['failed', 'returned'].includes(entry.status);
  if (isAbandoned && isUnpaid) return [];
  const found = compareCommand(command, payment, entry);
  const isFailed =
    command.kind === 'payout' && entry.status === 'failed' && command.end !== 'failed';
  if (!isFailed || !(await isFoundByOperator(tx, command))) return found;
  return found.filter(({ kind }) => kind !== 'status');
}

/** A failed payout does not show where its money is: an operator has found it elsewhere. */
async function isFoundByOperator(tx: Tx, { id }: MoneyCommand): Promise<boolean> {
  const decided = await tx.decisions.ofItem(id);
  return decided.some(({ state, action }) => state === 'done' && action.verb === 'resolve');
}
