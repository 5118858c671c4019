// Deposits of consolidated payments: their shares are stored in one batch with the deposit, and
// change with it. Guards of all payments with a share are part of the batch.
import { tenantOf } from '../../domain/base/tenant.js';
import {
  type MoneyCommand,
  newCommand,
  voidCommand,
} from '../../domain/commands/partner-command.js';
import { arrivalProblem, type ReportProblem } from '../../domain/commands/report-check.js';
import {
  askedTogether,
  correctionProblem,
  inDueOrder,
  isShareCurrent,
  shareReported,
  sharesOf,
  splitAgain,
} from '../../domain/deposits/consolidated-payment.js';
import { type Deposit, type DepositFacts, readAgain } from '../../domain/deposits/deposit.js';
import type { MatchRule } from '../../domain/deposits/deposit-match.js';
import { takenFrom } from '../../domain/payments/funds.js';
import type { Payment } from '../../domain/payments/payment.js';
import { assert } from '../../errors.js';
import type { PartnerEntry } from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import {
  inReview,
  loadPaymentCommands,
  type PaymentCommands,
  type Staged,
  stagePaymentCommands,
} from '../payments/command-changes.js';
import { commandReference, commandSubject } from '../payments/command-references.js';
import { paymentsOf, sharesIn } from '../payments/deposit-shares.js';
import type { Batch } from '../service/batch.js';
import { currentKeyIn } from '../service/service-keys.js';
import {
  type AccountOwner,
  type ConsolidatedPayment,
  isFromBefore,
  namedConsolidated,
  payerOf,
} from './deposit-matching.js';

/** To be called after the batch is stored. */
export interface StagedDeposit {
  readonly deposit: Deposit;
  readonly announce: () => void;
}

export interface StagedShares {
  /** For the deposit. */
  readonly given: Pick<Deposit, 'orgId' | 'paymentId' | 'rule' | 'consolidatedReference'>;
  readonly announce: () => void;
}

/**
 * Stages a pay-in of each payment that gets a share of the deposit. With nothing staged, null if
 * the payer names no consolidated payment, and `undecided` if an operator decides: the payer names
 * several, none of its payments may have money, or a restore may have lost how it was split.
 */
export async function stageShares(
  batch: Batch,
  deposit: Deposit,
  entry: PartnerEntry,
  owner: AccountOwner,
): Promise<StagedShares | 'undecided' | null> {
  const { tx } = batch;
  const [named, ...others] = await namedConsolidated(tx, entry.payer, owner);
  if (named === undefined) return null;
  if (others.length > 0 || (await isFromBefore(tx, entry))) return 'undecided';
  return (await stageSharesOf(batch, deposit, named, 'text')) ?? 'undecided';
}

/**
 * The same for this consolidated payment. Null if none of its payments may have money, or if a rule
 * finds more than may count without an operator.
 */
export async function stageSharesOf(
  batch: Batch,
  deposit: Deposit,
  { reference: consolidatedReference, payments }: ConsolidatedPayment,
  rule: MatchRule | null,
): Promise<StagedShares | null> {
  const { deps, tx } = batch;
  const asked = askedTogether(deposit.amount.currency, payments);
  if (rule !== null && arrivalProblem(asked, deposit.amount) !== null) return null;
  const books = await booksOf(tx, payments);
  const shares = sharesOf(
    deposit.amount,
    [...books.values()].map(({ was }) => was),
  );
  if (shares === null) return null;
  const staged: Staged[] = [];
  for (const { paymentId, amount } of shares) {
    const book = bookOf(books, paymentId);
    staged.push(await stageNewShare(batch, deposit, book, amount.amountMinor));
  }
  const [first] = shares;
  assert(first !== undefined, 'a deposit that is split has shares');
  const { orgId } = bookOf(books, first.paymentId).was.payment;
  const { id: depositId } = deposit;
  return {
    given: { orgId, paymentId: first.paymentId, rule, consolidatedReference },
    announce() {
      announceAll(staged);
      const about = { depositId, consolidatedReference, payments: shares.length };
      deps.log.info('a deposit is split among payments', about);
    },
  };
}

/**
 * Stages all shares of a deposit as the partner's books have it now, and returns the deposit. What
 * cannot be a correction is stored with each share and holds the payouts of its payment, until the
 * books change or an operator accepts it.
 */
export async function stageSharesAgain(
  batch: Batch,
  was: Deposit,
  facts: DepositFacts,
  isAccepted: boolean,
): Promise<StagedDeposit> {
  const { tx, nowMs } = batch;
  const books = await booksOf(tx, await paymentsOf(tx, was));
  const members = [...books.values()];
  const all = members.flatMap(({ commands }) => commands);
  const shares = sharesIn(was, all);
  const asked = askedTogether(
    was.amount.currency,
    members.map((member) => member.was.payment),
  );
  const problem = correctionProblem(was, facts, asked);
  if (problem !== null && !(isAccepted && problem.kind === 'implausible')) {
    return { deposit: was, announce: await stageReview(batch, was, facts, problem, books) };
  }
  const deposit = readAgain(was, facts, nowMs);
  const { end, partnerRef } = deposit;
  const moved = movedBy(batch, deposit);
  const has = splitAgain(
    deposit,
    shares.map((share) => ({ share, takenMinor: takenFrom(share, all) })),
    members.map((member) => member.was),
  );
  const staged: Staged[] = [];
  for (const [paymentId, receivedMinor] of has) {
    const book = bookOf(books, paymentId);
    const share = shares.find((one) => one.paymentId === paymentId);
    if (share === undefined) staged.push(await stageNewShare(batch, deposit, book, receivedMinor));
    else if (!isShareCurrent(share, deposit, receivedMinor)) {
      const next = shareReported(share, { partnerRef, end, receivedMinor }, nowMs);
      staged.push(await stagePaymentCommands(batch, book, next, moved));
    }
  }
  return { deposit, announce: () => announceAll(staged) };
}

/** The same report again changes nothing. */
async function stageReview(
  batch: Batch,
  deposit: Deposit,
  { status, amount, transactionHash = null, asset = null }: DepositFacts,
  problem: ReportProblem,
  books: ReadonlyMap<string, PaymentCommands>,
): Promise<() => void> {
  const { id: depositId, partnerRef } = deposit;
  const text = `the transfer ${depositId}, which was split: ${problem.text}`;
  const received = status === 'completed' ? amount : { ...amount, amountMinor: 0n };
  const report = { status, received, transactionHash, asset, reason: null };
  const staged: Staged[] = [];
  for (const book of books.values()) {
    for (const share of sharesIn(deposit, book.commands)) {
      const fact = { kind: 'payin', reference: share.reference, partnerRef, report } as const;
      const held = inReview(share, { ...problem, text }, fact, batch.nowMs);
      if (held !== share) staged.push(await stagePaymentCommands(batch, book, held, {}));
    }
  }
  return () => {
    announceAll(staged);
    if (staged.length === 0) return;
    const alert = 'a report about a transfer that was split waits for a decision';
    batch.deps.log.error('alert', { alert, depositId, reason: problem.text });
  };
}

async function stageNewShare(
  batch: Batch,
  deposit: Deposit,
  { was, commands }: PaymentCommands,
  receivedMinor: bigint,
): Promise<Staged> {
  const { id: depositId, partnerRef, end } = deposit;
  const amount = { amountMinor: receivedMinor, currency: deposit.amount.currency };
  const of = { kind: 'payin', amount, share: `.${commandSubject(was.payment)}` } as const;
  const share = { ...(await adoptedCommand(batch, deposit, was.payment, of)), depositId };
  const book = { was, commands: [...commands, share], adopted: [share] };
  const next = shareReported(share, { partnerRef, end, receivedMinor }, batch.nowMs);
  return stagePaymentCommands(batch, book, next, movedBy(batch, deposit));
}

/**
 * A command of the payment for the money of the deposit, without a row. Its reference follows from
 * the id at the partner, so that it is the same after a restore.
 */
export async function adoptedCommand(
  { deps, tx, nowMs }: Batch,
  { partner, partnerRef }: Deposit,
  payment: Payment,
  of: Pick<MoneyCommand, 'kind' | 'amount'> & { readonly share?: string },
): Promise<MoneyCommand> {
  const { kind, amount, share = '' } = of;
  const { bytes } = await currentKeyIn(deps, tx, 'partner');
  const subject = `deposit.${partner}.${partnerRef}${share}`;
  const reference = commandReference(bytes, { subject, kind, number: 1 });
  const name = { id: deps.ids.next('cmd', nowMs), reference };
  const what = { kind, amount, payinId: null, paymentId: payment.id };
  const command = voidCommand(newCommand(payment, name, what, nowMs), nowMs);
  return Object.freeze({ ...command, isAdopted: true });
}

/** What each payment keeps of the transfer. */
function movedBy({ deps }: Pick<Batch, 'deps'>, deposit: Deposit) {
  const { transactionHash, asset } = deposit;
  return { transactionHash, asset, payer: payerOf(deps, deposit) };
}

function announceAll(staged: readonly Staged[]): void {
  for (const one of staged) one.announce();
}

/** Read before anything is staged, by payment in due order. */
async function booksOf(
  tx: Tx,
  payments: readonly Payment[],
): Promise<ReadonlyMap<string, PaymentCommands>> {
  const books = inDueOrder(payments).map(
    async ({ id, ...of }) =>
      [id, await loadPaymentCommands(tx, { ...tenantOf(of), paymentId: id })] as const,
  );
  return new Map(await Promise.all(books));
}

function bookOf(books: ReadonlyMap<string, PaymentCommands>, paymentId: string): PaymentCommands {
  const book = books.get(paymentId);
  assert(book !== undefined, 'a share is of a payment of the consolidated one');
  return book;
}
