// Money that nobody ordered. A pay-in in the partner's books that no command owns becomes a
// receipt. It is read again until its end, and assigned to the one payment that it can only be for;
// else it waits for a person.
import type { Mode } from '../../domain/base/tenant.js';
import { type CommandReport, reportCommand } from '../../domain/commands/command-report.js';
import {
  acceptCommand,
  type MoneyCommand,
  newCommand,
  voidCommand,
} from '../../domain/commands/partner-command.js';
import {
  decideReceipt,
  hasMoney,
  isUnmatched,
  newReceipt,
  payerPurpose,
  type Receipt,
  readAgain,
  receiptPosting,
  receiptTenant,
} from '../../domain/deposits/receipt.js';
import { type PaymentMatch, takesMoney } from '../../domain/deposits/receipt-match.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerEntry, Payer } from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import { stageMoneyCommand } from '../payments/command-changes.js';
import { commandReference } from '../payments/command-references.js';
import type { Batch } from '../service/batch.js';
import { currentKeyIn } from '../service/service-keys.js';
import type { BooksOf } from './our-rows.js';
import { findMatch, isOwned, isTo, ownerOf } from './receipt-matching.js';

/**
 * `receipt`: its row is current. `none`: no money came, or all of it is gone. `owned`: a command
 * has it or may have it. `no answer`: the partner could not be asked.
 */
export type ReceiptOutcome = 'receipt' | 'none' | 'owned' | 'no answer';

/** To be called after the batch is stored. */
export interface StagedReceipt {
  readonly receipt: Receipt;
  readonly announce: () => void;
}

/**
 * Reads a pay-in in the partner's books and stores it as a receipt unless a command may own it.
 * `alsoStage` is part of the batch of `receipt` and `none`.
 */
export async function readReceipt(
  deps: Deps,
  mode: Mode,
  partnerRef: string,
  alsoStage: (tx: Tx) => Promise<void> = async () => undefined,
): Promise<ReceiptOutcome> {
  const partner = deps.partners[mode];
  if (partner?.statement === undefined) return 'no answer';
  const answer = await partner.statement.read('payin', partnerRef);
  if (answer.outcome !== 'done') return 'no answer';
  return storeEntry(deps, { partner: partner.name, mode }, answer.value, alsoStage);
}

/** The same, for a pay-in as the books have it now. */
export async function storeEntry(
  deps: Deps,
  of: BooksOf,
  entry: PartnerEntry,
  alsoStage: (tx: Tx) => Promise<void> = async () => undefined,
): Promise<Exclude<ReceiptOutcome, 'no answer'>> {
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
  readonly outcome: Exclude<ReceiptOutcome, 'no answer'>;
  readonly announce: () => void;
}

async function stageEntry(
  batch: Batch,
  { partner, mode }: BooksOf,
  entry: PartnerEntry,
): Promise<StagedEntry> {
  const { deps, tx, nowMs } = batch;
  const quiet = { announce: () => undefined };
  const owner = await ownerOf(tx, mode, entry.partyRef);
  if (await isOwned(tx, mode, entry, owner)) return { outcome: 'owned', ...quiet };
  const was = await tx.receipts.byPartnerRef(partner, mode, entry.partnerRef);
  if (was === null && !hasMoney(entry)) return { outcome: 'none', ...quiet };
  const known = was ?? firstReceipt(batch, partner, mode, entry);
  const of = { orgId: owner?.orgId ?? null, accountId: owner?.accountId ?? null };
  const named = known.orgId === null ? { ...known, ...of } : known;
  const read = readAgain(withPayer(deps, named, entry.payer), entry, nowMs);
  const arrived = isUnmatched(read) && known.end !== 'completed';
  const match = arrived && owner !== null ? await findMatch(tx, entry, owner) : null;
  if (match === null) {
    stageReceipt(batch, was, [read]);
    return { outcome: 'receipt', announce: () => announceRead(deps, known, read) };
  }
  const staged = await stageMatched(batch, was, read, match);
  return { outcome: 'receipt', announce: staged.announce };
}

function firstReceipt(
  { deps, nowMs }: Batch,
  partner: string,
  mode: Mode,
  { partnerRef, partyRef, amount, createdAtMs: enteredAtMs }: PartnerEntry,
): Receipt {
  const id = deps.ids.next('rct', nowMs);
  const unknown = { orgId: null, accountId: null, payerSealed: null };
  const given = { id, partner, mode, partnerRef, partyRef, amount, enteredAtMs };
  return newReceipt({ ...given, ...unknown }, nowMs);
}

/** The first statement about the payer stays: banks add little, and a text is sealed once. */
function withPayer(deps: Deps, receipt: Receipt, payer: Payer | null): Receipt {
  if (payer === null || receipt.payerSealed !== null) return receipt;
  const payerSealed = deps.secretBox.seal(JSON.stringify(payer), payerPurpose(receipt));
  return { ...receipt, payerSealed };
}

/** Personal data: never logged. Null if the bank says nothing. */
export function payerOf(deps: Pick<Deps, 'secretBox'>, receipt: Receipt): Payer | null {
  const { payerSealed } = receipt;
  if (payerSealed === null) return null;
  return JSON.parse(deps.secretBox.open(payerSealed, payerPurpose(receipt))) as Payer;
}

/**
 * Stages the decision of a person, or of `rule`, for a batch that also stores its evidence. The
 * receipt was read in the same run. NotFound, ReceiptDecided, PaymentStateConflict,
 * ValidationError.
 */
export async function stageAssignment(
  batch: Batch,
  receipt: Receipt,
  paymentId: string,
  rule: PaymentMatch['rule'] | null = null,
): Promise<StagedReceipt> {
  await expectAssignable(batch.tx, receipt, paymentId);
  return stageMatched(batch, receipt, receipt, { paymentId, rule });
}

/** NotFound, ReceiptDecided, PaymentStateConflict, ValidationError. */
export async function expectAssignable(tx: Tx, receipt: Receipt, paymentId: string): Promise<void> {
  expectUnmatched(receipt);
  const payment = await tx.payments.find(paymentId);
  if (payment === null || payment.mode !== receipt.mode) {
    throw new PonteError('NotFound', `There is no payment ${paymentId} in ${receipt.mode} mode.`);
  }
  const owner = await ownerOf(tx, receipt.mode, receipt.partyRef);
  if (owner !== null && !isTo(payment, owner)) {
    throw new PonteError('ValidationError', 'The money is in the account of another party.');
  }
  if (payment.amount.currency !== receipt.amount.currency) {
    throw new PonteError('ValidationError', 'The money is in another currency.');
  }
  const { status, amount } = payment;
  if (!takesMoney({ status, missing: amount }, receipt.amount)) {
    throw new PonteError('PaymentStateConflict');
  }
}

/** The same, for a receipt that was paid back. ReceiptDecided. */
export function stageRefund(batch: Batch, receipt: Receipt): StagedReceipt {
  return stageDecision(batch, receipt, 'refund');
}

/** The same, for a receipt that was booked otherwise. ReceiptDecided. */
export function stageResolution(batch: Batch, receipt: Receipt): StagedReceipt {
  return stageDecision(batch, receipt, 'resolve');
}

function stageDecision(batch: Batch, was: Receipt, move: 'refund' | 'resolve'): StagedReceipt {
  expectUnmatched(was);
  const receipt = decideReceipt(was, move, {}, batch.nowMs);
  stageReceipt(batch, was, [receipt]);
  return { receipt, announce: () => undefined };
}

function expectUnmatched(receipt: Receipt): void {
  if (!isUnmatched(receipt)) throw new PonteError('ReceiptDecided');
}

/**
 * Stages a pay-in of the payment with the partner's id of the receipt. Its reference follows from
 * that id, so that it is the same after a restore. From then on reports about the id are its own.
 */
async function stageMatched(
  batch: Batch,
  was: Receipt | null,
  read: Receipt,
  { paymentId, rule }: { readonly paymentId: string; readonly rule: PaymentMatch['rule'] | null },
): Promise<StagedReceipt> {
  const { deps, tx, nowMs } = batch;
  const { partner, partnerRef, amount, transactionHash } = read;
  const payment = await tx.payments.find(paymentId);
  if (payment === null) throw new PonteError('NotFound');
  const { bytes } = await currentKeyIn(deps, tx, 'partner');
  const subject = `receipt.${partner}.${partnerRef}`;
  const reference = commandReference(bytes, { subject, kind: 'payin', number: 1 });
  const name = { id: deps.ids.next('cmd', nowMs), reference };
  const what = { kind: 'payin', amount, payinId: null, paymentId } as const;
  const command = voidCommand(newCommand(payment, name, what, nowMs), nowMs);
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
    { transactionHash },
    [command],
  );
  const given = { orgId: payment.orgId, paymentId, rule };
  const assigned = decideReceipt(read, 'assign', given, nowMs);
  stageReceipt(batch, was, read === was ? [assigned] : [read, assigned]);
  const announce = () => {
    staged.announce();
    deps.log.info('a receipt is assigned to a payment', { receiptId: read.id, paymentId, rule });
  };
  return { receipt: assigned, announce };
}

/**
 * Stages the receipt of a pay-in that its command turns out to have: a payment that a backup lacked
 * is created again, and the partner finds its pay-in. The money counts for the payment, once.
 */
export async function stageOwned(
  batch: Batch,
  { mode, orgId, paymentId }: MoneyCommand,
  partnerRef: string,
): Promise<void> {
  const partner = batch.deps.partners[mode]?.name ?? '';
  const receipt = await batch.tx.receipts.byPartnerRef(partner, mode, partnerRef);
  if (receipt === null || receipt.state !== 'waiting') return;
  const given = { orgId, paymentId, rule: 'quote' } as const;
  stageReceipt(batch, receipt, [decideReceipt(receipt, 'assign', given, batch.nowMs)]);
}

/** Stages the row as of the last step, and a posting for each step. */
function stageReceipt(
  { deps, tx, nowMs }: Batch,
  was: Receipt | null,
  steps: readonly Receipt[],
): void {
  let before = was;
  for (const next of steps) {
    const posting = receiptPosting(before, next);
    if (posting !== null) {
      tx.ledger.append(receiptTenant(next), next.id, deps.ids.next('pst', nowMs), posting, nowMs);
    }
    before = next;
  }
  if (before === null || before === was) return;
  if (was === null) tx.receipts.insert(before);
  else tx.receipts.update(before);
}

function announceRead(deps: Deps, was: Receipt, read: Receipt): void {
  if (read.end === was.end) return;
  const isDecided = read.state === 'refunded' || read.state === 'resolved';
  const alert = isUnmatched(read)
    ? 'money that nobody ordered waits for a decision'
    : isDecided && read.end !== 'completed'
      ? 'the partner took back money that an operator had decided on'
      : null;
  if (alert !== null) deps.log.error('alert', { alert, receiptId: read.id });
}
