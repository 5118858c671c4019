// One entry of the partner's books against our side of it as it is now: its order, by the
// partner's id, our reference or its quote, or its receipt.
import {
  isMoneyCommand,
  isOpen,
  type MoneyCommand,
  type PartnerCommand,
} from '../domain/partner-command.js';
import { isTerminal } from '../domain/payment.js';
import {
  compareOrder,
  compareReceipt,
  type Difference,
  isInFlight,
  oursOf,
  theirsOf,
} from '../domain/reconciliation.js';
import { type Mode, tenantOf } from '../domain/tenant.js';
import { assert } from '../errors.js';
import type { PartnerEntry } from '../ports/partner.js';
import type { Tx } from '../ports/storage.js';

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
  const known = await orderWith(tx, mode, entry);
  const named =
    known === null ? await quotedOrder(tx, mode, entry) : await namedOrder(tx, mode, entry);
  // Of several orders with the partner's id, its reference names the right one.
  const own = named?.partnerRef === entry.partnerRef ? named : known;
  const sides = { book: entry.kind, theirs: theirsOf(entry), here: null, there: null };
  if (own !== null && named !== null && named.id !== own.id) {
    return [{ ...sides, kind: 'two_orders', ours: oursOf(own), here: named.id }];
  }
  const order = own ?? named;
  if (order === null) return unordered(tx, partner, mode, entry);
  if (own === null && order.partnerRef !== null) {
    return [{ ...sides, kind: 'two_objects', ours: oursOf(order) }];
  }
  if (order.partnerRef === null) {
    const isYoung = isInFlight(order.lastSentAtMs ?? order.createdAtMs, nowMs);
    return isYoung ? [] : [{ ...sides, kind: 'not_accepted', ours: oursOf(order) }];
  }
  return comparedWith(tx, order, entry);
}

/** An entry without an order: a receipt, or nothing if its money is not here. */
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
      kind: 'unknown_here',
      ours: null,
      theirs: theirsOf(entry),
      here: null,
      there: null,
    },
  ];
}

/** The order with the partner's id. */
async function orderWith(tx: Tx, mode: Mode, { kind, partnerRef }: PartnerEntry) {
  return moneyOrder(await tx.commands.byPartnerRef(mode, kind, partnerRef));
}

/** The order whose reference the partner stores. */
async function namedOrder(tx: Tx, mode: Mode, { kind, reference }: PartnerEntry) {
  const named = reference === null ? null : await tx.commands.byReference(mode, reference);
  return named?.kind === kind ? moneyOrder(named) : null;
}

/** The same, or the pay-in that was sent with the quote of the entry. */
async function quotedOrder(tx: Tx, mode: Mode, entry: PartnerEntry) {
  const named = await namedOrder(tx, mode, entry);
  if (named !== null || entry.partnerQuoteId === null) return named;
  for (const quote of await tx.quotes.byPartnerQuoteId(mode, entry.partnerQuoteId, QUOTES_MAX)) {
    const [payment, all] = await Promise.all([
      tx.payments.get(tenantOf(quote), quote.paymentId),
      tx.commands.ofPayment(tenantOf(quote), quote.paymentId),
    ]);
    const payins = all.filter(({ kind }) => kind === 'payin');
    const unanswered = payins.find(({ partnerRef, lastSentAtMs }) => !partnerRef && lastSentAtMs);
    const order = unanswered ?? (payment?.quoteId === quote.id ? payins.at(-1) : undefined);
    if (order !== undefined) return order;
  }
  return null;
}

function moneyOrder(command: PartnerCommand | null): MoneyCommand | null {
  return command !== null && isMoneyCommand(command) ? command : null;
}

async function comparedWith(
  tx: Tx,
  order: MoneyCommand,
  entry: PartnerEntry,
): Promise<readonly Difference[]> {
  const payment = await tx.payments.get(tenantOf(order), order.paymentId);
  assert(payment !== null, 'an order has its payment');
  // Nobody waits for its money: it is polled rarely, or not at all.
  const isAbandoned = order.kind === 'payin' && (isTerminal(payment.status) || !isOpen(order));
  const isUnpaid = order.receivedMinor === 0n && ['failed', 'returned'].includes(entry.status);
  if (isAbandoned && isUnpaid) return [];
  const found = compareOrder(order, payment, entry);
  const isFailed = order.kind === 'payout' && entry.status === 'failed' && order.end !== 'failed';
  if (!isFailed || !(await isFoundByOperator(tx, order))) return found;
  return found.filter(({ kind }) => kind !== 'status');
}

/** A failed payout does not show where its money is: an operator has found it elsewhere. */
async function isFoundByOperator(tx: Tx, { id }: MoneyCommand): Promise<boolean> {
  const decided = await tx.decisions.ofItem(id);
  return decided.some(({ state, action }) => state === 'done' && action.verb === 'resolve');
}
