// Which row of ours an entry of the partner's books belongs to: a command, by the partner's id, our
// reference or its quote, or a deposit. The readings of the books, the check after a restore and
// the reconciliation ask here.
import { sameMoney } from '../../domain/base/money.js';
import type { Mode } from '../../domain/base/tenant.js';
import { effectOn } from '../../domain/commands/command-report.js';
import {
  type CommandKind,
  isMoneyCommand,
  isOpen,
  type MoneyCommand,
  type PartnerCommand,
} from '../../domain/commands/partner-command.js';
import { hasMoney, isCurrentDeposit } from '../../domain/deposits/deposit.js';
import type { PartnerEntry } from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import { isInReview } from '../payments/deposit-shares.js';

/** Payments with one quote of the partner. */
const QUOTES_MAX = 10;

/**
 * The commands that an entry or a message of the partner may be of, by how each is known. They may
 * differ: a partner executes a reference twice, or has its id before our row has it. Commands of
 * any kind are found by the reference that the partner stores.
 */
export async function commandsKnownBy(
  tx: Tx,
  mode: Mode,
  kinds: readonly CommandKind[],
  { partnerRef, reference }: Pick<PartnerEntry, 'partnerRef' | 'reference'>,
) {
  const [byReference, byId] = await Promise.all([
    ofReference(tx, mode, reference),
    ofPartnerRef(tx, mode, kinds, partnerRef),
  ]);
  return { byId, byReference };
}

/**
 * The command that a message names by its reference, else those with the partner's id: the
 * reference of an adopted pay-in is not the one that the partner may have.
 */
export async function commandsNamedBy(
  tx: Tx,
  mode: Mode,
  kinds: readonly CommandKind[],
  { partnerRef, reference }: Pick<PartnerEntry, 'partnerRef' | 'reference'>,
): Promise<readonly PartnerCommand[]> {
  const named = await ofReference(tx, mode, reference);
  return named === null ? ofPartnerRef(tx, mode, kinds, partnerRef) : [named];
}

async function ofReference(tx: Tx, mode: Mode, reference: string | null) {
  return reference === null ? null : tx.commands.byReference(mode, reference);
}

async function ofPartnerRef(tx: Tx, mode: Mode, kinds: readonly CommandKind[], ref: string) {
  const found = await Promise.all(kinds.map((kind) => tx.commands.byPartnerRef(mode, kind, ref)));
  return found.filter((command) => command !== null);
}

/** The quotes that the partner names in an entry, each with the pay-ins of its payment. */
export async function quotedPayins(
  tx: Tx,
  mode: Mode,
  { partnerQuoteId }: Pick<PartnerEntry, 'partnerQuoteId'>,
) {
  if (partnerQuoteId === null) return [];
  const quotes = await tx.quotes.byPartnerQuoteId(mode, partnerQuoteId, QUOTES_MAX);
  return Promise.all(
    quotes.map(async (quote) => {
      const commands = await tx.commands.ofPayment(quote, quote.paymentId);
      return { quote, payins: commands.filter(({ kind }) => kind === 'payin') };
    }),
  );
}

export interface BooksOf {
  readonly partner: string;
  readonly mode: Mode;
}

/**
 * `own`: the command with the partner's id. `named`: the one whose reference the partner stores, or
 * the pay-in that was sent with the quote. Only without a command there is a deposit.
 */
export async function ourRowsOf(tx: Tx, { partner, mode }: BooksOf, entry: PartnerEntry) {
  const { kind, partnerRef } = entry;
  const { byId, byReference } = await commandsKnownBy(tx, mode, [kind], entry);
  const known = moneyCommand(byId[0] ?? null);
  const ofReference = byReference?.kind === kind ? moneyCommand(byReference) : null;
  const named = ofReference ?? (known === null ? await quotedCommand(tx, mode, entry) : null);
  // Of several commands with the partner's id, the one that has the money is read, else the named.
  const isNamed = named?.partnerRef === partnerRef && known?.receivedMinor === 0n;
  const own = isNamed ? named : known;
  const isOwned = own !== null || (named !== null && named.partnerRef === null);
  const deposit = isOwned ? null : await tx.deposits.byPartnerRef(partner, mode, kind, partnerRef);
  return { own, named, deposit };
}

/**
 * How an entry differs from our rows. `behind`: the books say more than the command, or have a
 * command that counts as refused or void. `without_command`: no command has it, and its deposit
 * differs, or it has none although there is money.
 */
export type Standing =
  | { readonly kind: 'current' | 'without_command' }
  | { readonly kind: 'behind'; readonly command: MoneyCommand };

export async function standingOf(tx: Tx, of: BooksOf, entry: PartnerEntry): Promise<Standing> {
  const { own, named, deposit } = await ourRowsOf(tx, of, entry);
  if (own !== null) {
    return isBehind(own, entry) ? { kind: 'behind', command: own } : { kind: 'current' };
  }
  // A quote names a payment, for which the pay-in may become a deposit first.
  if (named?.partnerRef === null && named.reference === entry.reference) {
    // A look-up decides whether the partner has a command that has no answer.
    return isOpen(named) ? { kind: 'current' } : { kind: 'behind', command: named };
  }
  const isWithout = deposit === null && !hasMoney(entry);
  const isKnown =
    deposit !== null && isCurrentDeposit(deposit, entry) && !(await isInReview(tx, deposit));
  return { kind: isWithout || isKnown ? 'current' : 'without_command' };
}

/**
 * The books say more than the command: a message was lost, or has not arrived. A report under
 * review has its own polls.
 */
export function isBehind(
  command: MoneyCommand,
  { kind, status, amount }: Pick<PartnerEntry, 'kind' | 'status' | 'amount'>,
): boolean {
  if (command.review !== null || command.overruled === status) return false;
  if (effectOn(command, status, true) === 'apply') return true;
  const isReceived = kind === 'payin' && status === 'completed' && command.end === 'completed';
  const { amount: ordered, receivedMinor } = command;
  return isReceived && !sameMoney(amount, { ...ordered, amountMinor: receivedMinor });
}

/** The pay-in that was sent with the quote of the entry. */
async function quotedCommand(tx: Tx, mode: Mode, entry: PartnerEntry) {
  for (const { quote, payins } of await quotedPayins(tx, mode, entry)) {
    // A pay-in that had ended before the quote was made was sent with another one.
    const sent = payins.filter(
      (command) => isOpen(command) || command.createdAtMs >= quote.createdAtMs,
    );
    const unanswered = sent.find(({ partnerRef, lastSentAtMs }) => !partnerRef && lastSentAtMs);
    if (unanswered !== undefined) return unanswered;
    const payment = await tx.payments.get(quote, quote.paymentId);
    const last = sent.at(-1);
    if (payment?.quoteId === quote.id && last !== undefined) return last;
  }
  return null;
}

function moneyCommand(command: PartnerCommand | null): MoneyCommand | null {
  return command !== null && isMoneyCommand(command) ? command : null;
}
