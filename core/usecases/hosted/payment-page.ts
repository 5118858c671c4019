// What the hosted page of a payment shows, read for one request. Nothing is changed here.
import type { Money } from '../../domain/base/money.js';
import { tenantOf } from '../../domain/base/tenant.js';
import { rangeOf, yearOf } from '../../domain/base/time-zone.js';
import { isOpen, type MoneyCommand } from '../../domain/commands/partner-command.js';
import { isDecisionLate, isLate, isPayinShort } from '../../domain/commands/poll-plan.js';
import { inDueOrder } from '../../domain/deposits/consolidated-payment.js';
import { type Screen, screenOf } from '../../domain/hosted/hosted-screen.js';
import { isPayoutBack } from '../../domain/money-desk/money-decision.js';
import { type KycSubmission, kycStateOf } from '../../domain/parties/buyer-kyc.js';
import { type ConnectedAccount, payeeNameOf } from '../../domain/parties/connected-account.js';
import type { PaymentAggregate } from '../../domain/payments/change.js';
import { type EventNote, reportedStatus } from '../../domain/payments/event.js';
import type { PostingKind, StoredPosting } from '../../domain/payments/ledger.js';
import {
  isPageOpen,
  isTerminal,
  type Payment,
  paymentStatuses,
} from '../../domain/payments/payment.js';
import { assert, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { attachmentOf } from '../parties/attachments.js';
import { offeredPapers } from '../parties/vendor-papers.js';
import { readBankDetails } from '../payments/bank-details.js';
import { asksFacts } from './buyer-steps.js';

/** More are not counted. */
export const OPEN_COUNT_MAX = 20;

/** The buyer still decides how to pay. */
const beforeMoney: readonly Screen[] = [
  'price_ask',
  'price',
  'price_expired',
  'price_limit',
  'bank_details',
];

export type PaymentPage = Awaited<ReturnType<typeof readPaymentPage>>;

/** A transfer whose money was split among payments of one buyer. */
export interface SharedTransfer {
  readonly amount: Money;
  /** The other payments that have money of it, in due order. */
  readonly others: readonly Payment[];
}

/** NotFound for an unknown id, and while `isPageOpen` is false. */
export async function openPage(tx: Tx, publicId: string): Promise<Payment> {
  const payment = await tx.payments.byPublicId(publicId);
  if (payment === null || !isPageOpen(payment)) throw new PonteError('NotFound');
  return payment;
}

/** NotFound as in `openPage`. */
export async function readPaymentPage(deps: Deps, publicId: string) {
  const nowMs = deps.clock.nowMs();
  const read = await deps.store.run(async (tx) => {
    const { id, buyerId, quoteId, ...rest } = await openPage(tx, publicId);
    const tenant = tenantOf(rest);
    const { sellerExternalId } = rest;
    const [view, organization, quote, submission, versions, postings, commands, seller, events] =
      await Promise.all([
        tx.views.get(tenant, id),
        tx.organizations.get(tenant.orgId),
        quoteId === null ? null : tx.quotes.get(tenant, quoteId),
        tx.buyers.submission(tenant, buyerId),
        tx.views.pageVersions(tenant, [id]),
        tx.ledger.ofSubject(tenant, id),
        tx.commands.ofPayment(tenant, id),
        sellerExternalId === null ? null : tx.accounts.byExternalId(tenant, sellerExternalId),
        isTerminal(rest.status) ? tx.feed.ofSubject(tenant, id) : [],
      ]);
    assert(view !== null && organization !== null, 'a payment and its organization stay');
    const kyc = kycStateOf(view.kycStatus, submission);
    const { payment, funds } = view;
    const attachment = await attachmentOf(tx, payment);
    const consolidated = await readConsolidated(tx, payment);
    const awaited = awaitedOf(commands);
    const isOnHold = awaited?.kind === 'payin' && awaited.heldSinceMs !== null;
    const instructions = payment.payinInstructions;
    const { timeZone } = organization;
    const presentYear = rangeOf(timeZone, yearOf(timeZone, nowMs));
    const screen = screenOf({ payment, funds, kyc, quote, instructions, isOnHold }, nowMs);
    return {
      ...view,
      organization,
      quote,
      /** Null before the first KYC with this organization. */
      submission,
      kyc,
      screen,
      /** The buyer may confirm two facts of a dossier in place of the form. */
      asksFacts: screen === 'kyc_form' && (await asksFacts(deps, tx, payment)),
      /** The seller's own invoice. */
      attachment,
      /** Documents for the buyer's files can be downloaded. */
      hasVendorPapers: (await offeredPapers(tx, payment, nowMs)).length > 0,
      /** Null if it is unknown or the organization is paid. */
      payeeTaxIdLast4: taxIdLast4Of(payment, seller),
      /** After the settlement; an operator decides what happens. */
      isPayoutBack: commands.some(isPayoutBack),
      consolidated,
      /** The transfers that paid this payment and others. */
      sharedTransfers:
        payment.status === 'settled'
          ? await sharedTransfersOf(tx, payment, commands, consolidated)
          : [],
      /** In this year's list of the buyer, one more than OPEN_COUNT_MAX for more. */
      openPayments: beforeMoney.includes(screen)
        ? await openPaymentsOf(tx, payment, presentYear)
        : 0,
      /** What the buyer waits for takes longer than it should. */
      isLate: isWaitLate(payment, submission, awaited, nowMs),
      moneyTimes: moneyTimesOf(postings, commands),
      /** Settled, failed, cancelled or expired; null if that is not known. */
      endedAtMs: endedAtMsOf(events),
      pageVersion: versions[0]?.version ?? '',
      nowMs,
    };
  });
  const { payment } = read;
  const hasDetails = payment.payinInstructions !== null;
  const check = hasDetails ? await readBankDetails(deps, tenantOf(payment), payment.id) : null;
  /** How to check the bank details; null without them. */
  return { ...read, check };
}

/** The payments that one transfer pays, in due order; none if it pays this one alone. */
export async function readConsolidated(
  tx: Tx,
  payment: Payment,
): Promise<readonly PaymentAggregate[]> {
  if (payment.consolidatedReference === null) return [];
  const tenant = tenantOf(payment);
  const payments = await tx.payments.consolidated(tenant, payment.consolidatedReference);
  return Promise.all(
    inDueOrder(payments).map(async (one) => ({ payment: one, funds: await tx.funds.of(one) })),
  );
}

async function sharedTransfersOf(
  tx: Tx,
  { id, buyerId }: Payment,
  commands: readonly MoneyCommand[],
  consolidated: readonly PaymentAggregate[],
): Promise<readonly SharedTransfer[]> {
  const all = consolidated.map(({ payment }) => payment);
  const ofOthers = await Promise.all(
    all
      .filter((one) => one.id !== id && one.buyerId === buyerId)
      .map(async (one) => ({ payment: one, commands: await tx.commands.ofPayment(one, one.id) })),
  );
  const depositIds = new Set(commands.filter(hasMoneyOfDeposit).map(({ depositId }) => depositId));
  const found = [...depositIds].map(async (depositId) => {
    const deposit = await tx.deposits.get(depositId ?? '');
    const others = ofOthers.filter((other) =>
      other.commands.some((one) => one.depositId === depositId && hasMoneyOfDeposit(one)),
    );
    if (deposit === null || others.length === 0) return [];
    return [{ amount: deposit.amount, others: others.map(({ payment }) => payment) }];
  });
  return (await Promise.all(found)).flat();
}

function hasMoneyOfDeposit({ depositId, receivedMinor }: MoneyCommand): boolean {
  return depositId !== null && receivedMinor > 0n;
}

async function openPaymentsOf(
  tx: Tx,
  payment: Payment,
  range: ReturnType<typeof rangeOf>,
): Promise<number> {
  const tenant = tenantOf(payment);
  const limit = OPEN_COUNT_MAX + 1;
  const place = { ...range, beforeId: '', limit };
  const ofStatuses = paymentStatuses
    .filter((status) => !isTerminal(status))
    .map((status) => tx.payments.newestOfBuyer(tenant, payment.buyerId, status, place));
  const found = (await Promise.all(ofStatuses)).flat().filter(isPageOpen);
  return Math.min(found.length, limit);
}

/** Null if the account has another name than at the creation of the payment. */
export function taxIdLast4Of(
  { payeeName }: Payment,
  seller: ConnectedAccount | null,
): string | null {
  if (seller === null || payeeNameOf(seller) !== payeeName) return null;
  return seller.taxIdLast4;
}

/** The command that a payment waits for. */
function awaitedOf(commands: readonly MoneyCommand[]): MoneyCommand | null {
  const waits = (command: MoneyCommand) =>
    isOpen(command) || (command.end === 'completed' && isPayinShort(command));
  return commands.findLast((command) => command.kind !== 'refund' && waits(command)) ?? null;
}

function isWaitLate(
  { status }: Payment,
  submission: KycSubmission | null,
  awaited: MoneyCommand | null,
  nowMs: number,
): boolean {
  if (isTerminal(status)) return false;
  if (awaited !== null) return isLate(awaited, nowMs);
  const isVerifying = submission?.status === 'verifying' && submission.commandId !== null;
  return isVerifying && isDecisionLate(submission.submittedAtMs, nowMs);
}

/** Later changes of a payment that ended have no such event. Null once the events are removed. */
function endedAtMsOf(events: readonly EventNote[]): number | null {
  const ended = events.findLast(({ type }) => {
    const status = reportedStatus(type);
    return status !== null && isTerminal(status);
  });
  return ended?.createdAtMs ?? null;
}

/** The latest of each kind; null if there is none. */
export function moneyTimesOf(
  postings: readonly StoredPosting[],
  commands: readonly MoneyCommand[],
) {
  const latest = (...kinds: readonly PostingKind[]) =>
    postings.findLast(({ kind }) => kinds.includes(kind))?.atMs ?? null;
  return {
    receivedAtMs: latest('funds_received'),
    refundOrderedAtMs: commands.findLast(isSentRefund)?.lastSentAtMs ?? null,
    refundedAtMs: latest('refund_paid', 'refund_by_hand', 'returned_by_partner'),
    payoutBackAtMs: latest('payout_returned'),
    /** A refund came back, or was owed. */
    refundOwedAtMs: latest('refund_bounced', 'refund_owed'),
  };
}

function isSentRefund({ kind, lastSentAtMs }: MoneyCommand): boolean {
  return kind === 'refund' && lastSentAtMs !== null;
}
