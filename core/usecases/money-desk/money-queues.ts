// What waits at the money desk: money that nobody ordered, payments that are short of money, whose
// buyer is not approved any more or that have a loss, refunds that are owed, commands in review.
// Each row says what is known and what an operator can do.

import { type Money, money } from '../../domain/base/money.js';
import { type Mode, tenantOf } from '../../domain/base/tenant.js';
import { isMoneyCommand, type MoneyCommand } from '../../domain/commands/partner-command.js';
import type { Payer } from '../../domain/commands/payer.js';
import { reviewName } from '../../domain/commands/report-check.js';
import { type Deposit, isUnmatched } from '../../domain/deposits/deposit.js';
import { type DecisionName, offeredFor } from '../../domain/money-desk/decisions.js';
import {
  type CommandQueue,
  type MoneyQueue,
  moneyQueues,
  queueOf,
} from '../../domain/money-desk/money-decision.js';
import { isExpired, type Proposal } from '../../domain/money-desk/proposal.js';
import { isServiceAction } from '../../domain/money-desk/service-decisions.js';
import { isShortPaid, isUnapproved } from '../../domain/payments/change.js';
import { type Funds, heldMinor, missingOf, openLossOf } from '../../domain/payments/funds.js';
import type { Payment, PaymentStatus } from '../../domain/payments/payment.js';
import { endOf } from '../../domain/payments/situation.js';
import { expectFound, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { ProposalFilter, QueuePage, Tx } from '../../ports/storage.js';
import { AWAITING_MAX, accountOwner, payerOf } from '../deposits/deposit-matching.js';
import { readReview } from '../payments/command-changes.js';
import { loadPayment } from '../payments/payment-store.js';
import { readItem, requestOfAction } from './desk-items.js';

type QueueContext = Pick<Deps, 'store' | 'secretBox' | 'partners' | 'clock'>;

export interface QueueRow {
  readonly queue: MoneyQueue;
  /** The id of a deposit, a payment or a command. */
  readonly id: string;
  readonly kind: 'deposit' | 'withdrawal' | 'payment' | MoneyCommand['kind'];
  /** Null if the party of a deposit is unknown. */
  readonly orgId: string | null;
  readonly mode: Mode;
  /** Null for a deposit. */
  readonly paymentId: string | null;
  /** Its amount; what a short payment lacks, an unapproved one received, a lost one lost. */
  readonly amount: Money;
  /**
   * Unmatched and short: the money arrived. Unapproved: the approval was lost. Owed: the debt
   * arose. In review: the command was sent. Lost: the loss was booked.
   */
  readonly sinceMs: number;
  readonly known: Known;
  /** What an operator can do about it. */
  readonly steps: readonly DecisionName[];
  readonly proposal: ListedProposal | null;
}

export interface ListedProposal extends Proposal {
  /** Its item has changed since. */
  readonly isVoid: boolean;
  readonly isExpired: boolean;
}

export type Known =
  /** A payout that nobody ordered; its id at the partner. */
  | { readonly kind: 'withdrawal'; readonly partnerRef: string }
  | {
      readonly kind: 'deposit';
      /** Personal data: never logged. */
      readonly payer: Payer | null;
      /** Payments to the same party that wait for money, the likeliest first. */
      readonly candidates: readonly ListedCandidate[];
    }
  | {
      readonly kind: 'short';
      readonly held: Money;
      readonly asked: Money;
      /** The day that the payer was given. */
      readonly endsAtMs: number | null;
    }
  | { readonly kind: 'unapproved'; readonly status: PaymentStatus; readonly asked: Money }
  | { readonly kind: 'lost'; readonly received: Money }
  | { readonly kind: 'refund'; readonly state: OpenRefundState; readonly error: string | null }
  | { readonly kind: 'payout'; readonly state: WaitingPayoutState; readonly error: string | null }
  | {
      readonly kind: 'review';
      /** By which `commands accept` names the report. */
      readonly report: string;
      readonly reason: string;
      /** It can be booked as it is. */
      readonly isUsable: boolean;
    };

export interface ListedCandidate {
  readonly paymentId: string;
  readonly externalId: string | null;
  readonly missing: Money;
}

/**
 * `failing`: refused or put off, and sent again. `refused`: for good. `back`: after the settlement.
 * `failed`: its money is not back.
 */
type WaitingPayoutState = 'failing' | 'refused' | 'in_doubt' | 'open' | 'failed' | 'back';

/** `refused`: or failed. `in_doubt`: the partner may have it. */
type OpenRefundState = 'unsent' | 'in_doubt' | 'accepted' | 'refused';

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

/** Candidates that are shown. */
const CANDIDATES_MAX = 3;

/** One queue after the other, each in id order. */
export async function listQueues(
  deps: QueueContext,
  { queue: only, after, limit, orgId, mode }: QueueFilter,
): Promise<readonly QueueRow[]> {
  const isAsked: IsAsked = (row) =>
    (orgId === null || row.orgId === orgId) && (mode === null || row.mode === mode);
  const first = after === null ? 0 : moneyQueues.indexOf(after.queue);
  const rows: QueueRow[] = [];
  for (const queue of moneyQueues.slice(first)) {
    if (only !== null && queue !== only) continue;
    let afterId = after?.queue === queue ? after.id : null;
    while (rows.length < limit) {
      const page = { afterId, limit };
      const read = (tx: Tx) => readers[queue]({ deps, tx }, page, isAsked);
      const { lastId, found } = await deps.store.run(read);
      rows.push(...found);
      if (lastId === null) break;
      afterId = lastId;
    }
  }
  return rows.slice(0, limit);
}

/** An item with all that was decided about it, oldest first. */
export interface QueueItem {
  readonly row: QueueRow;
  readonly decisions: readonly ListedProposal[];
}

/** NotFound, also if it waits in this queue no more. */
export async function readQueueItem(
  deps: QueueContext,
  queue: MoneyQueue,
  id: string,
): Promise<QueueItem> {
  return deps.store.run(async (tx) => {
    const row = expectFound(await rowOf({ deps, tx }, queue, id));
    return { row, decisions: await decisionsAbout(tx, [id], deps.clock.nowMs()) };
  });
}

/** Null: it is not in this queue. */
async function rowOf(read: Read, queue: MoneyQueue, id: string): Promise<QueueRow | null> {
  const { tx } = read;
  if (queue === 'unmatched') {
    const deposit = await tx.deposits.get(id);
    return deposit === null || !isUnmatched(deposit) ? null : depositRow(read, deposit);
  }
  if (queue === 'owed' || queue === 'in_review') {
    const command = await tx.commands.get(id);
    const isIn = command !== null && isMoneyCommand(command) && queueOf(command) === queue;
    return isIn ? commandRow(read, queue, command) : null;
  }
  const payment = await tx.payments.find(id);
  if (payment === null) return null;
  if (queue === 'unapproved') return unapprovedRow(read, payment);
  const funds = await tx.funds.get(tenantOf(payment), id);
  if (funds === null) return null;
  return queue === 'short' ? shortRow(read, { ...funds, id }) : lostRow(read, { ...funds, id });
}

/** A proposal, and the row of its item; null if that is in no queue. NotFound. */
export async function readListedProposal(
  deps: QueueContext,
  id: string,
): Promise<{ readonly proposal: ListedProposal; readonly row: QueueRow | null }> {
  return deps.store.run(async (tx) => {
    const proposal = expectFound(await tx.proposals.get(id));
    const rows = await Promise.all(
      moneyQueues.map((queue) => rowOf({ deps, tx }, queue, proposal.itemId)),
    );
    const row = rows.find((one) => one !== null) ?? null;
    return { proposal: await listed(tx, proposal, deps.clock.nowMs()), row };
  });
}

/** All that was decided or proposed about these items, oldest first. */
export async function decisionsAbout(
  tx: Tx,
  itemIds: readonly string[],
  nowMs: number,
): Promise<readonly ListedProposal[]> {
  const found = await Promise.all(itemIds.map((id) => tx.proposals.ofItem(id)));
  const inOrder = found.flat().toSorted((one, other) => one.proposedAtMs - other.proposedAtMs);
  return Promise.all(inOrder.map((proposal) => listed(tx, proposal, nowMs)));
}

/** Newest first. */
export function listProposals(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  filter: ProposalFilter,
): Promise<readonly ListedProposal[]> {
  return store.run(async (tx) => {
    const found = await tx.proposals.list(filter);
    return Promise.all(found.map((proposal) => listed(tx, proposal, clock.nowMs())));
  });
}

async function listed(tx: Tx, proposal: Proposal, nowMs: number): Promise<ListedProposal> {
  if (proposal.state !== 'proposed') return { ...proposal, isVoid: false, isExpired: false };
  const { itemId, action } = proposal;
  const basis = await readItem({ tx, nowMs }, itemId, requestOfAction(action)).then(
    (item) => item.basis,
    (error: unknown) => {
      if (error instanceof PonteError) return null;
      throw error;
    },
  );
  const isVoid = basis !== proposal.basis;
  return { ...proposal, isVoid, isExpired: isExpired(proposal, nowMs) };
}

interface Read {
  readonly deps: QueueContext;
  readonly tx: Tx;
}

type IsAsked = (row: Pick<QueueRow, 'orgId' | 'mode'>) => boolean;

interface QueueRows {
  /** The id of the last row that was read; null if there was none. */
  readonly lastId: string | null;
  readonly found: readonly QueueRow[];
}

type Reader = (read: Read, page: QueuePage, isAsked: IsAsked) => Promise<QueueRows>;

const readers: Readonly<Record<MoneyQueue, Reader>> = {
  unmatched: reader((tx, page) => tx.moneyQueues.deposits(page), depositRow),
  short: fundsReader((tx, page) => tx.moneyQueues.received(page), shortRow),
  unapproved: reader((tx, page) => tx.moneyQueues.unapproved(page), unapprovedRow),
  owed: commandReader('owed'),
  in_review: commandReader('in_review'),
  lost: fundsReader((tx, page) => tx.moneyQueues.lost(page), lostRow),
};

function commandReader(queue: CommandQueue): Reader {
  return reader(
    (tx, page) => tx.moneyQueues.commands(queue, page),
    (read, command) => commandRow(read, queue, command),
  );
}

type FundsRow = Funds & { readonly id: string };

function fundsReader(
  readPage: (tx: Tx, page: QueuePage) => Promise<readonly Funds[]>,
  toRow: (read: Read, item: FundsRow) => Promise<QueueRow | null>,
): Reader {
  return reader<FundsRow>(
    async (tx, page) =>
      (await readPage(tx, page)).map((funds) => ({ ...funds, id: funds.paymentId })),
    toRow,
  );
}

/** `toRow` gives null if the item does not belong to the queue. */
function reader<T extends Parameters<IsAsked>[0] & { readonly id: string }>(
  readPage: (tx: Tx, page: QueuePage) => Promise<readonly T[]>,
  toRow: (read: Read, item: T) => Promise<QueueRow | null>,
): Reader {
  return async (read, page, isAsked) => {
    const items = await readPage(read.tx, page);
    const rows = await Promise.all(items.filter(isAsked).map((item) => toRow(read, item)));
    return { lastId: items.at(-1)?.id ?? null, found: rows.filter((row) => row !== null) };
  };
}

async function depositRow({ deps, tx }: Read, deposit: Deposit): Promise<QueueRow> {
  const { id, orgId, mode, book, partnerRef, amount, completedAtMs, createdAtMs } = deposit;
  const isIn = book === 'payin';
  const candidates = isIn ? await candidatesFor(tx, deposit) : [];
  return {
    queue: 'unmatched',
    id,
    kind: isIn ? 'deposit' : 'withdrawal',
    orgId,
    mode,
    paymentId: null,
    amount,
    sinceMs: completedAtMs ?? createdAtMs,
    known: isIn
      ? { kind: 'deposit', payer: payerOf(deps, deposit), candidates }
      : { kind: 'withdrawal', partnerRef },
    steps: offeredFor(isIn ? 'deposit' : 'withdrawal', deposit),
    proposal: await openProposal({ deps, tx }, id),
  };
}

async function candidatesFor(
  tx: Tx,
  { mode, partyRef, amount }: Deposit,
): Promise<readonly ListedCandidate[]> {
  const payee = await accountOwner(tx, mode, partyRef);
  if (payee === null) return [];
  const { sellerExternalId } = payee;
  const awaiting = await tx.payments.awaitingMoney(payee, sellerExternalId, AWAITING_MAX);
  const candidates = await Promise.all(
    awaiting.map(async (payment) => {
      const { id: paymentId, externalId, amount: asked } = payment;
      const missing = missingOf(asked, await tx.funds.of(payment));
      return { paymentId, externalId, missing };
    }),
  );
  const isExact = ({ missing }: ListedCandidate) => missing.amountMinor === amount.amountMinor;
  const alike = candidates.filter(({ missing }) => missing.currency === amount.currency);
  const likeliest = [...alike.filter(isExact), ...alike.filter((one) => !isExact(one))];
  return likeliest.slice(0, CANDIDATES_MAX);
}

async function shortRow({ tx }: Read, { id, ...of }: FundsRow): Promise<QueueRow | null> {
  const tenant = tenantOf(of);
  const [{ payment, funds }, postings] = await Promise.all([
    loadPayment(tx, tenant, id),
    tx.ledger.ofSubject(tenant, id),
  ]);
  if (!isShortPaid({ payment, funds })) return null;
  const { amount } = payment;
  const held = money(heldMinor(funds), funds.currency);
  const missing = missingOf(amount, funds);
  return {
    ...tenant,
    queue: 'short',
    id,
    kind: 'payment',
    paymentId: id,
    amount: missing,
    sinceMs: postings.find(({ kind }) => kind === 'funds_received')?.atMs ?? payment.updatedAtMs,
    known: { kind: 'short', held, asked: amount, endsAtMs: endOf(payment) },
    steps: offeredFor('short', { payment, funds }),
    proposal: null,
  };
}

/** Null if the payout was sent before. */
async function unapprovedRow({ tx }: Read, { id, ...of }: Payment): Promise<QueueRow | null> {
  const stored = await loadPayment(tx, tenantOf(of), id);
  if (!isUnapproved(stored)) return null;
  const { payment, funds } = stored;
  const { status, amount: asked, approvalLostAtMs, updatedAtMs } = payment;
  return {
    ...tenantOf(payment),
    queue: 'unapproved',
    id,
    kind: 'payment',
    paymentId: id,
    amount: money(heldMinor(funds), funds.currency),
    sinceMs: approvalLostAtMs ?? updatedAtMs,
    known: { kind: 'unapproved', status, asked },
    steps: offeredFor('unapproved', stored),
    proposal: null,
  };
}

async function lostRow({ deps, tx }: Read, { id, ...of }: FundsRow): Promise<QueueRow | null> {
  const tenant = tenantOf(of);
  const [{ payment, funds }, postings, commands] = await Promise.all([
    loadPayment(tx, tenant, id),
    tx.ledger.ofSubject(tenant, id),
    tx.commands.ofPayment(tenant, id),
  ]);
  const amount = openLossOf(funds);
  if (amount.amountMinor === 0n) return null;
  return {
    ...tenant,
    queue: 'lost',
    id,
    kind: 'payment',
    paymentId: id,
    amount,
    sinceMs: postings.findLast(({ kind }) => kind === 'loss')?.atMs ?? payment.updatedAtMs,
    known: { kind: 'lost', received: money(funds.receivedMinor, funds.currency) },
    steps: offeredFor('lost', { payment, funds, commands }),
    proposal: await openProposal({ deps, tx }, id),
  };
}

async function commandRow(
  { deps, tx }: Read,
  queue: CommandQueue,
  command: MoneyCommand,
): Promise<QueueRow> {
  const { id, kind, paymentId, amount, createdAtMs, lastSentAtMs } = command;
  return {
    ...tenantOf(command),
    queue,
    id,
    kind,
    paymentId,
    amount,
    sinceMs: queue === 'owed' ? createdAtMs : (lastSentAtMs ?? createdAtMs),
    known: knownOf(command),
    steps: offeredFor(kind, command, deps.partners[command.mode]?.refundsByHand !== true),
    proposal: await openProposal({ deps, tx }, id),
  };
}

async function openProposal({ deps, tx }: Read, id: string): Promise<ListedProposal | null> {
  const isOpen = ({ state, action }: Proposal) => state === 'proposed' && !isServiceAction(action);
  const open = (await tx.proposals.ofItem(id)).find(isOpen);
  return open === undefined ? null : listed(tx, open, deps.clock.nowMs());
}

function knownOf(command: MoneyCommand): Known {
  const { kind, review, lastError: error } = command;
  if (review !== null) {
    const { reason, kind: problem } = readReview(review);
    const isUsable = problem === 'implausible';
    return { kind: 'review', report: reviewName(review), reason, isUsable };
  }
  if (kind === 'payout') return { kind, state: payoutState(command), error };
  return { kind: 'refund', state: refundState(command), error };
}

function payoutState({ state, end }: MoneyCommand): WaitingPayoutState {
  if (state === 'done') return ends[end];
  if (state === 'pending') return 'failing';
  return state === 'refused' ? 'refused' : 'in_doubt';
}

const ends = { open: 'open', completed: 'open', failed: 'failed', returned: 'back' } as const;

function refundState(command: MoneyCommand): OpenRefundState {
  if (command.state === 'refused') return 'refused';
  if (command.state === 'pending') return 'unsent';
  return command.state === 'done' ? 'accepted' : 'in_doubt';
}
