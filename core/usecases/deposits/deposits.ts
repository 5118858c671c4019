// Money that nobody ordered. A pay-in in the partner's books that no command owns becomes a
// deposit. It is read again until its end, and assigned to the one payment that it can only be for;
// else it waits for an operator.
//
// A command may own a pay-in while its call has no answer: a message can come first. So commands in
// flight are read before the ids that are known. A pay-in with the quote of such a command, or
// without a quote in the account of its party, waits; the message is tried again, and the next
// reading of the books finds the rest. A command may also turn out to have the pay-in of a deposit:
// the first report that brings it money takes the deposit over (`stageOwned`), whose version guards
// both sides. Money that was settled otherwise before waits for an operator.
//
// Postings of a deposit have no organization, because it may become known later. They are the
// differences of `depositBalances`, so repeated reads lead to the same sums.

import { type Mode, tenantOf } from '../../domain/base/tenant.js';
import {
  type CommandReport,
  pollNow,
  type ReportEffect,
  reportCommand,
  reportEffect,
} from '../../domain/commands/command-report.js';
import {
  acceptCommand,
  type CommandEnd,
  hasBroughtNothing,
  isMoneyCommand,
  type MoneyCommand,
  type PartnerCommand,
} from '../../domain/commands/partner-command.js';
import type { Payer } from '../../domain/commands/payer.js';
import { claimMinor } from '../../domain/deposits/consolidated-payment.js';
import {
  type Deposit,
  type DepositFacts,
  decideDeposit,
  depositPosting,
  depositTenant,
  hasMoney,
  isUnmatched,
  newDeposit,
  nextDepositState,
  payerPurpose,
  readAgain,
} from '../../domain/deposits/deposit.js';
import { type PaymentMatch, takesMoney } from '../../domain/deposits/deposit-match.js';
import { isTerminal, type Payment } from '../../domain/payments/payment.js';
import { assert, expectFound, invalid, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerEntry } from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import { stageMoneyCommand } from '../payments/command-changes.js';
import { loadPayment } from '../payments/payment-store.js';
import type { Batch } from '../service/batch.js';
import { atInstance } from '../service/partner-calls.js';
import { bookAlerts } from './books.js';
import {
  adoptedCommand,
  type StagedDeposit,
  type StagedShares,
  stageShares,
  stageSharesAgain,
  stageSharesOf,
} from './consolidated-deposits.js';
import {
  accountOwner,
  type ConsolidatedPayment,
  findMatch,
  isTo,
  namedConsolidated,
  ownershipOf,
  payerOf,
} from './deposit-matching.js';
import type { BooksOf } from './our-rows.js';

/**
 * `deposit`: its row is current. `none`: no money came, or all of it is gone. `owned`: a command
 * has it or may have it. `no answer`: the partner could not be asked.
 */
export type DepositOutcome = 'deposit' | 'none' | 'owned' | 'no answer';

/**
 * Reads an entry of the partner's books and stores it as a deposit unless a command may own it.
 * `alsoStage` is part of the batch of `deposit` and `none`.
 */
export async function readDeposit(
  deps: Deps,
  mode: Mode,
  { book, partnerRef }: Pick<Deposit, 'book' | 'partnerRef'>,
  alsoStage: (tx: Tx) => Promise<void> = async () => undefined,
): Promise<DepositOutcome> {
  const partner = deps.partners[mode];
  const answer = await (partner?.statement?.read(book, partnerRef) ??
    partner?.sandbox?.readEntry(book, partnerRef));
  if (partner === null || answer?.outcome !== 'done') return 'no answer';
  return storeEntry(deps, { partner: partner.name, mode }, answer.value, alsoStage);
}

/** The same, for an entry as the books have it now. */
export async function storeEntry(
  deps: Deps,
  of: BooksOf,
  entry: PartnerEntry,
  alsoStage: (tx: Tx) => Promise<void> = async () => undefined,
): Promise<Exclude<DepositOutcome, 'no answer'>> {
  const stored = await deps.store.run(async (tx) => {
    const batch = { deps, tx, nowMs: deps.clock.nowMs() };
    const staged = await stageEntry(batch, of, entry);
    if (staged.outcome !== 'owned') await alsoStage(tx);
    return staged;
  });
  stored.announce();
  return stored.outcome;
}

interface StagedEntry {
  readonly outcome: Exclude<DepositOutcome, 'no answer'>;
  readonly announce: () => void;
}

async function stageEntry(
  batch: Batch,
  { partner, mode }: BooksOf,
  entry: PartnerEntry,
): Promise<StagedEntry> {
  const { deps, tx, nowMs } = batch;
  const quiet = { announce: () => undefined };
  const owner = await accountOwner(tx, mode, entry.partyRef);
  const ownership = await ownershipOf(tx, mode, entry, owner, nowMs);
  if (ownership === 'owned') return { outcome: 'owned', ...quiet };
  const was = await tx.deposits.byPartnerRef(partner, mode, entry.kind, entry.partnerRef);
  if (was === null && !hasMoney(entry)) return { outcome: 'none', ...quiet };
  if (was !== null && was.consolidatedReference !== null) {
    const { announce } = await stageSplit(batch, was, entry);
    return { outcome: 'deposit', announce };
  }
  const known = was ?? firstDeposit(batch, partner, mode, entry);
  const of = { orgId: owner?.orgId ?? null, accountId: owner?.accountId ?? null };
  const named = known.orgId === null ? { ...known, ...of } : known;
  const read = readAgain(withPayer(deps, named, entry.payer), entry, nowMs);
  const arrived = read.book === 'payin' && isUnmatched(read) && known.end !== 'completed';
  const payee = arrived && ownership === 'nobody' ? owner : null;
  const split = payee === null ? null : await stageShares(batch, read, entry, payee);
  const match = payee === null || split !== null ? null : await findMatch(tx, entry, payee);
  const shared = match === null ? split : await stageMatchedShares(batch, read, match);
  if (shared !== null && shared !== 'undecided') {
    stageDeposit(batch, was, [read, decideDeposit(read, 'assign', shared.given, nowMs)]);
    return { outcome: 'deposit', announce: shared.announce };
  }
  if (match === null || shared === 'undecided') {
    stageDeposit(batch, was, [read]);
    return { outcome: 'deposit', announce: () => announceRead(deps, known, read) };
  }
  const staged = await stageMatched(batch, was, read, match);
  return { outcome: 'deposit', announce: staged.announce };
}

/**
 * Stages a deposit that was split with its shares. `isAccepted`: an operator accepts these facts.
 */
export async function stageSplit(
  batch: Batch,
  was: Deposit,
  facts: DepositFacts,
  isAccepted = false,
): Promise<StagedDeposit> {
  const staged = await stageSharesAgain(batch, was, facts, isAccepted);
  stageDeposit(batch, was, [staged.deposit]);
  return staged;
}

function firstDeposit(
  { deps, nowMs }: Batch,
  partner: string,
  mode: Mode,
  { kind: book, partnerRef, partyRef, amount, createdAtMs: enteredAtMs }: PartnerEntry,
): Deposit {
  const id = deps.ids.next('dep', nowMs);
  const unknown = { orgId: null, accountId: null, payerSealed: null };
  const given = { id, partner, mode, book, partnerRef, partyRef, amount, enteredAtMs };
  return newDeposit({ ...given, ...unknown }, nowMs);
}

/** The first statement about the payer stays: banks add little, and a text is sealed once. */
function withPayer(deps: Deps, deposit: Deposit, payer: Payer | null): Deposit {
  if (payer === null || deposit.payerSealed !== null) return deposit;
  const payerSealed = deps.secretBox.seal(JSON.stringify(payer), payerPurpose(deposit));
  return { ...deposit, payerSealed };
}

/**
 * Stages the decision of an operator, or of `rule`, for a batch that also stores its evidence. If
 * the payer names the consolidated payment that the payment is part of, all of its payments get
 * their shares. The deposit was read in the same run. NotFound, DepositDecided,
 * PaymentStateConflict, ValidationError.
 */
export async function stageAssignment(
  batch: Batch,
  deposit: Deposit,
  paymentId: string,
  rule: PaymentMatch['rule'] | null = null,
): Promise<StagedDeposit> {
  const consolidated = await expectAssignable(batch, deposit, paymentId);
  if (deposit.book === 'payout') return stageWithdrawn(batch, deposit, paymentId);
  if (consolidated === null) return stageMatched(batch, deposit, deposit, { paymentId, rule });
  const split = await stageSharesOf(batch, deposit, consolidated, rule);
  if (split === null) throw new PonteError('PaymentStateConflict');
  const assigned = decideDeposit(deposit, 'assign', split.given, batch.nowMs);
  stageDeposit(batch, deposit, [assigned]);
  return { deposit: assigned, announce: split.announce };
}

/**
 * Returns the consolidated payment that gets the money; null: the payment alone. NotFound,
 * DepositDecided, PaymentStateConflict, ValidationError.
 */
export async function expectAssignable(
  { deps, tx }: Pick<Batch, 'deps' | 'tx'>,
  deposit: Deposit,
  paymentId: string,
): Promise<ConsolidatedPayment | null> {
  await expectUndecided(tx, deposit);
  const payment = await tx.payments.find(paymentId);
  if (payment === null || payment.mode !== deposit.mode) {
    throw new PonteError('NotFound', `There is no payment ${paymentId} in ${deposit.mode} mode.`);
  }
  const owner = await accountOwner(tx, deposit.mode, deposit.partyRef);
  if (owner !== null && !isTo(payment, owner)) {
    throw invalid('The money is in the account of another party.');
  }
  if (payment.amount.currency !== deposit.amount.currency) {
    throw invalid('The money is in another currency.');
  }
  const { status, amount, consolidatedReference } = payment;
  if (deposit.book === 'payout') {
    if (isTerminal(status)) return null;
    throw new PonteError('PaymentStateConflict', 'Its own payout may still be sent.');
  }
  if (!takesMoney({ status, missing: amount }, deposit.amount)) {
    throw new PonteError('PaymentStateConflict');
  }
  const named = await namedConsolidated(tx, payerOf(deps, deposit), payment);
  const own = named.find(({ reference }) => reference === consolidatedReference) ?? null;
  if (named.length === 0) return lackingTogether(tx, deposit, payment);
  if (own !== null) return own;
  const ids = named.flatMap(({ payments }) => payments.map(({ id }) => id)).join(', ');
  throw invalid(`The payer names a transfer for other payments. Assign it to one of them: ${ids}`);
}

/** The consolidated payment of this payment, if it lacks exactly the money: null otherwise. */
async function lackingTogether(
  tx: Tx,
  { amount }: Deposit,
  payment: Payment,
): Promise<ConsolidatedPayment | null> {
  const { consolidatedReference: reference } = payment;
  if (reference === null) return null;
  const payments = await tx.payments.consolidated(payment, reference);
  const stored = await Promise.all(payments.map((one) => loadPayment(tx, tenantOf(one), one.id)));
  const claims = stored.map((one) => claimMinor(one));
  const own = stored.find((one) => one.payment.id === payment.id);
  const sumMinor = claims.reduce((sum, one) => sum + one, 0n);
  const isShared = own !== undefined && claimMinor(own) < amount.amountMinor;
  return isShared && sumMinor === amount.amountMinor ? { reference, payments } : null;
}

/** The same, for a deposit that was paid back. DepositDecided. */
export function stageRefund(batch: Batch, deposit: Deposit): Promise<StagedDeposit> {
  return stageDecision(batch, deposit, 'refund');
}

/** The same, for a deposit that was booked otherwise. DepositDecided. */
export function stageResolution(batch: Batch, deposit: Deposit): Promise<StagedDeposit> {
  return stageDecision(batch, deposit, 'resolve');
}

/** The same, for a withdrawal whose money the operator has. DepositDecided. */
export function stageWithdrawal(batch: Batch, deposit: Deposit): Promise<StagedDeposit> {
  return stageDecision(batch, deposit, 'withdraw');
}

async function stageDecision(
  batch: Batch,
  was: Deposit,
  move: 'refund' | 'resolve' | 'withdraw',
): Promise<StagedDeposit> {
  await expectUndecided(batch.tx, was);
  const deposit = decideDeposit(was, move, {}, batch.nowMs);
  stageDeposit(batch, was, [deposit]);
  return { deposit, announce: () => undefined };
}

/**
 * Its version guards the answer: a command that books its pay-in changes it. A command that brings
 * no money leaves the decision to an operator. DepositDecided.
 */
export async function expectUndecided(tx: Tx, deposit: Deposit): Promise<void> {
  const { mode, book, partnerRef } = deposit;
  const command = await tx.commands.byPartnerRef(mode, book, partnerRef);
  const isFree = command === null || hasBroughtNothing(command);
  if (!isFree || !isUnmatched(deposit)) throw new PonteError('DepositDecided');
}

/** Null if the match is one payment alone. */
async function stageMatchedShares(
  batch: Batch,
  read: Deposit,
  { rule, paymentId, consolidatedReference: reference }: PaymentMatch,
): Promise<StagedShares | 'undecided' | null> {
  if (reference === null) return null;
  const payment = await batch.tx.payments.find(paymentId);
  assert(payment !== null, 'a payment that was matched is there');
  const payments = await batch.tx.payments.consolidated(payment, reference);
  return (await stageSharesOf(batch, read, { reference, payments }, rule)) ?? 'undecided';
}

/**
 * Stages a pay-in of the payment with the partner's id of the deposit. From then on reports about
 * the id are its own.
 */
async function stageMatched(
  batch: Batch,
  was: Deposit | null,
  read: Deposit,
  { paymentId, rule }: { readonly paymentId: string; readonly rule: PaymentMatch['rule'] | null },
): Promise<StagedDeposit> {
  const { deps, tx, nowMs } = batch;
  const { partnerRef, amount, transactionHash, asset } = read;
  const payment = expectFound(await tx.payments.find(paymentId));
  const command = await adoptedCommand(batch, read, payment, { kind: 'payin', amount });
  const report: CommandReport = {
    partnerRef,
    receivedMinor: amount.amountMinor,
    reason: null,
    refunded: null,
    end: 'completed',
    polled: true,
  };
  const staged = await stageMoneyCommand(
    batch,
    command,
    () => reportCommand(acceptCommand(command, partnerRef, nowMs), report, nowMs),
    { transactionHash, asset, payer: payerOf(deps, read) },
    [command],
  );
  const given = { orgId: payment.orgId, paymentId, rule };
  const assigned = decideDeposit(read, 'assign', given, nowMs);
  stageDeposit(batch, was, read === was ? [assigned] : [read, assigned]);
  const announce = () => {
    staged.announce();
    deps.log.info('a deposit is assigned to a payment', { depositId: read.id, paymentId, rule });
  };
  return { deposit: assigned, announce };
}

/**
 * Stages another payout of the payment with the partner's id of the withdrawal. It is polled as any
 * payout, so what the seller got, and the loss, follow from the partner's report.
 */
async function stageWithdrawn(
  batch: Batch,
  was: Deposit,
  paymentId: string,
): Promise<StagedDeposit> {
  const { deps, tx, nowMs } = batch;
  const { partnerRef, amount } = was;
  const payment = expectFound(await tx.payments.find(paymentId));
  const command = await adoptedCommand(batch, was, payment, { kind: 'payout', amount });
  const accept = () => pollNow(acceptCommand(command, partnerRef, nowMs), nowMs);
  const staged = await stageMoneyCommand(batch, command, accept, {}, [command]);
  const given = { orgId: payment.orgId, paymentId, rule: null };
  const assigned = decideDeposit(was, 'assign', given, nowMs);
  stageDeposit(batch, was, [assigned]);
  const announce = () => {
    staged.announce();
    deps.wake('commands');
  };
  return { deposit: assigned, announce };
}

/**
 * The deposit of a pay-in or payout that this command turns out to have: a backup lacked the
 * command, and the partner finds its transaction. Null once the command has booked it.
 */
export async function depositOf(
  { deps, tx }: Batch,
  command: MoneyCommand,
  partnerRef: string,
): Promise<Deposit | null> {
  const { mode, kind: book } = command;
  if (book === 'refund') return null;
  const partner = deps.partners[mode]?.name ?? '';
  const deposit = await tx.deposits.byPartnerRef(partner, mode, book, partnerRef);
  return deposit === null || (await isBookedBy(tx, command, deposit)) ? null : deposit;
}

/**
 * An id of the partner is that of one command about money: another one that is accepted with it
 * would count the same money again. If only the command of a deposit has it, reports wait for an
 * operator instead. The database refuses the second of two in one instant.
 */
export async function isIdOfAnother(
  batch: Batch,
  command: MoneyCommand,
  partnerRef: string,
): Promise<boolean> {
  const others = await othersWithId(batch, command, partnerRef);
  if (others.length === 0) return false;
  if (others.some(({ isAdopted }) => !isAdopted)) return true;
  return (await depositOf(batch, command, partnerRef)) === null;
}

export async function othersWithId(
  { deps, tx }: Pick<Batch, 'deps' | 'tx'>,
  command: MoneyCommand,
  partnerRef: string,
): Promise<readonly MoneyCommand[]> {
  const { id, mode, kind } = command;
  const found = await tx.commands.allByPartnerRef(mode, kind, partnerRef);
  // Two instances may have the same ids.
  const { instance } = atInstance(deps, command);
  return found.filter(isMoneyCommand).filter((one) => one.id !== id && one.instance === instance);
}

export interface OwnerReport {
  readonly status: CommandEnd;
  /** It answers a poll; it is not a message. */
  readonly isCurrent: boolean;
}

/**
 * What a report means for the deposit whose command, after it, has no money. Only the partner's
 * books say that money arrived; a message that it is gone may be older than they are. One that was
 * split moves with its shares.
 */
export function effectOnDeposit(
  deposit: Deposit,
  command: Pick<PartnerCommand, 'kind' | 'end' | 'receivedMinor'>,
  { status, isCurrent }: OwnerReport,
): ReportEffect {
  const isGone = status === 'failed' || status === 'returned';
  const isSplit = deposit.consolidatedReference !== null;
  if (isSplit || !isGone || command.end !== status || hasMoved(command)) return 'ignore';
  return reportEffect(deposit.end, status, isCurrent);
}

/**
 * Stages what a report about the command means for that deposit. The money of a pay-in is booked
 * once: by the command that has it. A deposit whose command brings none ends as the command does.
 */
export function stageOwned(
  batch: Batch,
  deposit: Deposit,
  command: MoneyCommand,
  report: OwnerReport,
): () => void {
  const { deps, nowMs } = batch;
  const { orgId, paymentId } = command;
  if (!hasMoved(command)) {
    if (effectOnDeposit(deposit, command, report) !== 'apply') return () => undefined;
    const read = readAgain(deposit, { status: report.status, amount: deposit.amount }, nowMs);
    stageDeposit(batch, deposit, [read]);
    return () => announceRead(deps, deposit, read);
  }
  if (nextDepositState(deposit.state, 'own') !== null) {
    const given = { orgId, paymentId, rule: 'quote' } as const;
    stageDeposit(batch, deposit, [decideDeposit(deposit, 'own', given, nowMs)]);
  }
  return () => undefined;
}

/** The deposit is assigned, and no other command has counted its money. */
async function isBookedBy(tx: Tx, command: MoneyCommand, deposit: Deposit): Promise<boolean> {
  const { state, orgId, mode, paymentId, partnerRef } = deposit;
  if (state !== 'assigned' || orgId === null || paymentId === null) return false;
  const commands = await tx.commands.ofPayment({ orgId, mode }, paymentId);
  return !commands.some(
    (one) =>
      one.id !== command.id &&
      one.kind === command.kind &&
      one.partnerRef === partnerRef &&
      hasMoved(one),
  );
}

/** Whether the command has booked money. */
function hasMoved({
  kind,
  end,
  receivedMinor,
}: Pick<PartnerCommand, 'kind' | 'end' | 'receivedMinor'>) {
  return kind === 'payout' ? end === 'completed' : receivedMinor > 0n;
}

/** Stages the row as of the last step, and a posting for each step. */
function stageDeposit(
  { deps, tx, nowMs }: Batch,
  was: Deposit | null,
  steps: readonly Deposit[],
): void {
  let before = was;
  for (const next of steps) {
    const posting = depositPosting(before, next);
    if (posting !== null) {
      const { id, atMs } = deps.ids.posting(nowMs);
      tx.ledger.append(depositTenant(next), next.id, id, posting, atMs);
    }
    before = next;
  }
  if (before === null || before === was) return;
  if (was === null) tx.deposits.insert(before);
  else tx.deposits.update(before);
}

function announceRead(deps: Deps, was: Deposit, read: Deposit): void {
  if (read.end === was.end) return;
  const isDecided =
    read.paymentId === null && read.state !== 'waiting' && read.state !== 'returned';
  const alert = isUnmatched(read)
    ? read.book === 'payout'
      ? bookAlerts.payoutWithoutCommand
      : 'money that nobody ordered waits for a decision'
    : isDecided && read.end !== 'completed'
      ? 'the partner took back money that an operator had decided on'
      : null;
  if (alert !== null) deps.log.error('alert', { alert, depositId: read.id });
}
