// What waits at the money desk: payments that are short of money, refunds that are owed, orders out
// of sight. Each row says what is known and which steps an operator can take.
import { heldMinor } from '../domain/funds.js';
import { type Money, money } from '../domain/money.js';
import {
  basisOf,
  isPayoutOutOfSight,
  isRefundableByHand,
  type MoneyDecision,
  type MoneyQueue,
  moneyQueues,
  type OrderQueue,
} from '../domain/money-decision.js';
import { isMoneyCommand, isUnpaidRefund, type MoneyCommand } from '../domain/partner-command.js';
import type { Payment } from '../domain/payment.js';
import { reviewName } from '../domain/report-check.js';
import { type Mode, type Tenant, tenantOf } from '../domain/tenant.js';
import type { Deps } from '../ports/deps.js';
import type { DecisionFilter, QueuePage, Tx } from '../ports/storage.js';
import { readReview } from './order-changes.js';
import { loadPayment } from './payment-store.js';

/** What an operator can do about a row. `retry`: order it again. `ask`: read it at the partner. */
export type DeskStep = 'cancel' | 'retry' | 'ask' | 'refund' | 'returned' | 'paid' | 'accept';

export interface QueueRow extends Tenant {
  readonly queue: MoneyQueue;
  /** Of a payment or an order. */
  readonly id: string;
  readonly kind: 'payment' | MoneyCommand['kind'];
  readonly paymentId: string;
  /** Of a short payment: what is missing. */
  readonly amount: Money;
  /** Short: the first money arrived. Owed: the debt arose. Out of sight: the order was sent. */
  readonly sinceMs: number;
  /** In words, for operators. */
  readonly known: Known;
  readonly steps: readonly DeskStep[];
  /** By which `commands accept` names the report under review. */
  readonly report: string | null;
  readonly proposal: ListedDecision | null;
}

export interface ListedDecision extends MoneyDecision {
  /** A proposal whose item has changed since. */
  readonly isVoid: boolean;
}

export type Known =
  | {
      readonly kind: 'short';
      readonly held: Money;
      readonly asked: Money;
      readonly expiresAtMs: number | null;
    }
  | { readonly kind: 'refund'; readonly state: RefundState; readonly error: string | null }
  | { readonly kind: 'payout_failed'; readonly error: string | null }
  | {
      readonly kind: 'review';
      readonly reason: string;
      readonly isUsable: boolean;
    };

/** `refused`: or failed. `in_doubt`: the partner may have it. */
type RefundState = 'unsent' | 'in_doubt' | 'ordered' | 'refused';

export interface QueueCursor {
  readonly queue: MoneyQueue;
  readonly id: string;
}

/** Null selects all. */
export interface QueueFilter extends Pick<QueuePage, 'limit'> {
  readonly orgId: string | null;
  readonly mode: Mode | null;
  /** Null: all of them, in the order of `moneyQueues`. */
  readonly queue: MoneyQueue | null;
  /** The last row of the page before. */
  readonly after: QueueCursor | null;
}

/** One queue after the other, each in id order. */
export async function listQueues(
  { store }: Pick<Deps, 'store'>,
  { queue: only, after, limit, orgId, mode }: QueueFilter,
): Promise<readonly QueueRow[]> {
  const isAsked = (row: Tenant) =>
    (orgId === null || row.orgId === orgId) && (mode === null || row.mode === mode);
  const first = after === null ? 0 : moneyQueues.indexOf(after.queue);
  const rows: QueueRow[] = [];
  for (const queue of moneyQueues.slice(first)) {
    if (only !== null && queue !== only) continue;
    let afterId = after?.queue === queue ? after.id : null;
    while (rows.length < limit) {
      const page = { afterId, limit };
      const { lastId, found } = await store.run((tx) => readers[queue](tx, page, isAsked));
      rows.push(...found);
      if (lastId === null) break;
      afterId = lastId;
    }
  }
  return rows.slice(0, limit);
}

/** Newest first. */
export function listDecisions(
  { store }: Pick<Deps, 'store'>,
  filter: DecisionFilter,
): Promise<readonly ListedDecision[]> {
  return store.run(async (tx) => {
    const found = await tx.decisions.list(filter);
    return Promise.all(found.map((decision) => listed(tx, decision)));
  });
}

async function listed(tx: Tx, decision: MoneyDecision): Promise<ListedDecision> {
  if (decision.state !== 'proposed') return { ...decision, isVoid: false };
  const item = await tx.commands.get(decision.itemId);
  const isVoid = item === null || !isMoneyCommand(item) || basisOf(item) !== decision.basis;
  return { ...decision, isVoid };
}

interface QueueRows {
  /** Of the last row that was read; null if there was none. */
  readonly lastId: string | null;
  readonly found: readonly QueueRow[];
}

type Reader = (tx: Tx, page: QueuePage, isAsked: (row: Tenant) => boolean) => Promise<QueueRows>;

const readers: Readonly<Record<MoneyQueue, Reader>> = {
  short: async (tx, page, isAsked) =>
    rowsOf(await tx.moneyQueues.short(page), isAsked, (payment) => shortRow(tx, payment)),
  owed: orderReader('owed'),
  out_of_sight: orderReader('out_of_sight'),
};

function orderReader(queue: OrderQueue): Reader {
  return async (tx, page, isAsked) =>
    rowsOf(await tx.moneyQueues.orders(queue, page), isAsked, (order) =>
      orderRow(tx, queue, order),
    );
}

async function rowsOf<T extends Tenant & { readonly id: string }>(
  read: readonly T[],
  isAsked: (row: Tenant) => boolean,
  toRow: (item: T) => Promise<QueueRow>,
): Promise<QueueRows> {
  const found = await Promise.all(read.filter(isAsked).map(toRow));
  return { lastId: read.at(-1)?.id ?? null, found };
}

async function shortRow(tx: Tx, { id, ...found }: Payment): Promise<QueueRow> {
  const tenant = tenantOf(found);
  const [{ payment, funds }, postings] = await Promise.all([
    loadPayment(tx, tenant, id),
    tx.ledger.ofPayment(tenant, id),
  ]);
  const { amount, expiresAtMs } = payment;
  const held = money(heldMinor(funds), funds.currency);
  const missing = money(amount.amountMinor - held.amountMinor, amount.currency);
  return {
    ...{ ...tenant, queue: 'short', id, kind: 'payment', paymentId: id, amount: missing },
    sinceMs: postings.find(({ kind }) => kind === 'funds_received')?.atMs ?? payment.updatedAtMs,
    known: { kind: 'short', held, asked: amount, expiresAtMs },
    ...{ steps: ['cancel'], report: null, proposal: null },
  };
}

async function orderRow(tx: Tx, queue: OrderQueue, order: MoneyCommand): Promise<QueueRow> {
  const { id, kind, paymentId, amount, review, createdAtMs, lastSentAtMs } = order;
  const decisions = await tx.decisions.ofItem(id);
  const open = decisions.find(({ state }) => state === 'proposed');
  return {
    ...{ ...tenantOf(order), queue, id, kind, paymentId, amount },
    sinceMs: queue === 'owed' ? createdAtMs : (lastSentAtMs ?? createdAtMs),
    known: knownOf(order),
    steps: stepsOf(order),
    report: review === null ? null : reviewName(review),
    proposal: open === undefined ? null : { ...open, isVoid: open.basis !== basisOf(order) },
  };
}

function knownOf(order: MoneyCommand): Known {
  const { kind, review, lastError: error } = order;
  if (review !== null) {
    const { reason, kind: problem } = readReview(review);
    return { kind: 'review', reason, isUsable: problem === 'implausible' };
  }
  if (kind === 'payout') return { kind: 'payout_failed', error };
  return { kind: 'refund', state: refundState(order), error };
}

function refundState(order: MoneyCommand): RefundState {
  if (order.state === 'refused') return 'refused';
  if (order.state === 'pending') return 'unsent';
  return order.state === 'done' ? 'ordered' : 'in_doubt';
}

function stepsOf(order: MoneyCommand): readonly DeskStep[] {
  const { review } = order;
  const steps: DeskStep[] = [];
  if (review !== null && readReview(review).kind === 'implausible') steps.push('accept');
  if (review !== null) steps.push('ask');
  if (isPayoutOutOfSight(order)) steps.push('returned', 'paid');
  if (review === null && isUnpaidRefund(order)) steps.push('retry');
  if (review === null && isRefundableByHand(order)) steps.push('refund');
  return steps;
}
