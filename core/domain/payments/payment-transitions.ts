// Changes of a payment except those by commands: requests, KYC decisions, quotes and expiry. Each
// function returns everything that must be stored in one batch. Its guards come first and refuse;
// after them the change must succeed. The partner's part is in command-outcomes.ts.
import { PonteError } from '../../errors.js';
import { mailboxKey } from '../base/email-address.js';
import type { Locale } from '../base/locale.js';
import type { CommandDraft, MoneyCommand } from '../commands/partner-command.js';
import { isQuoteExpired, type Quote } from '../commands/quote.js';
import { type AmountLimit, limitName } from './amount-limit.js';
import {
  type Change,
  type MoveFields,
  type PaymentAggregate,
  unchanged,
  withMove,
} from './change.js';
import {
  type ApprovalDecision,
  type ColleagueApproval,
  lacksColleagueApproval,
  nextColleagueApproval,
} from './colleague-approval.js';
import { givenInstructions, withDerivedMoney } from './command-outcomes.js';
import { failure } from './failure.js';
import { type FiscalDocument, writeFiscalDocument } from './fiscal-document.js';
import { writeOffPostings } from './funds.js';
import { type VerifiedPayer, withVerified } from './payer-facts.js';
import type { PayinInstructions } from './payin-instructions.js';
import {
  approvedStatus,
  isCancellable,
  isTerminal,
  nextStatus,
  type Payment,
  verifiedStatuses,
} from './payment.js';

/** A second person approves a payment; an approved one is unchanged. */
export function approved(was: PaymentAggregate, memberId: string, nowMs: number): Change {
  const { origin, status, createdByMemberId } = was.payment;
  if (createdByMemberId === memberId) throw new PonteError('SelfApprovalNotAllowed');
  if (status === approvedStatus[origin]) return unchanged(was);
  const approvedByMemberId = memberId;
  const change = withMove(unchanged(was), 'approve', nowMs, { approvedByMemberId });
  return origin === 'invoice' ? change : withMove(change, 'invite', nowMs);
}

/** The buyer of an invoice is sent a link, for the first time or again. */
export function invited(was: PaymentAggregate, nowMs: number): Change {
  const { payment } = was;
  if (nextStatus(payment.status, 'invite') !== null) {
    return withMove(unchanged(was), 'invite', nowMs, { invitedAtMs: nowMs });
  }
  if (payment.status === 'awaiting_buyer' && payment.invitedAtMs !== null) {
    return { ...unchanged(was), payment: Object.freeze({ ...payment, invitedAtMs: nowMs }) };
  }
  const message = `Only an approved invoice can invite its buyer; this one is ${payment.status}.`;
  throw new PonteError('InvoiceNotApproved', message);
}

/**
 * The buyer proved its mailbox. `verified`: its KYC is approved, so a payment that waits goes on.
 */
export function signedIn(was: PaymentAggregate, verified: boolean, nowMs: number): Change {
  const { payment } = was;
  const waits = nextStatus(payment.status, 'kyc_approved') !== null;
  if (verified && waits) return withMove(unchanged(was), 'kyc_approved', nowMs);
  if (nextStatus(payment.status, 'sign_in') === null) return unchanged(was);
  if (!verified) return withMove(unchanged(was), 'sign_in', nowMs);
  if (payment.origin === 'invoice') return withMove(unchanged(was), 'sign_in_verified', nowMs);
  return withMove(withMove(unchanged(was), 'sign_in', nowMs), 'kyc_approved', nowMs);
}

/**
 * Adds or replaces the fiscal document, in every status: it is often issued after the money came.
 * No settlement entry or extract has it, so a closed month stays as it is.
 */
export function documented(was: PaymentAggregate, sent: FiscalDocument, nowMs: number): Change {
  const { payment } = was;
  const stored = payment.fiscalDocument && writeFiscalDocument(payment.fiscalDocument);
  if (stored === writeFiscalDocument(sent)) return unchanged(was);
  const fiscalDocument = Object.freeze(sent);
  const next = { ...payment, fiscalDocument, updatedAtMs: nowMs };
  return { ...unchanged(was), payment: Object.freeze(next) };
}

/** Operators write off what is lost so far. */
export function lossWrittenOff(was: PaymentAggregate): Change {
  const funds = Object.freeze({ ...was.funds, writtenOffMinor: was.funds.lossMinor });
  return { ...unchanged(was), funds, postings: writeOffPostings(was.funds, funds) };
}

/**
 * An approval moves a payment that waits for it, or restores one that was lost. A rejection fails a
 * payment up to the quote; later its payout waits for an operator.
 */
export function kycDecided(
  was: PaymentAggregate,
  commands: readonly MoneyCommand[],
  decision: 'approve' | 'reject',
  reason: string | null,
  nowMs: number,
): Change {
  const move = decision === 'approve' ? 'kyc_approved' : 'kyc_rejected';
  if (nextStatus(was.payment.status, move) === null) {
    return decision === 'approve' ? approvalRestored(was, nowMs) : approvalLost(was, nowMs);
  }
  if (decision === 'approve') return withMove(unchanged(was), move, nowMs);
  const why = failure('buyer_rejected', reason ?? 'buyer KYC rejected');
  return ended(was, commands, 'kyc_rejected', why, nowMs);
}

function approvalRestored(was: PaymentAggregate, nowMs: number): Change {
  const { payment } = was;
  if (payment.approvalLostAtMs === null || isTerminal(payment.status)) return unchanged(was);
  const restored = { ...payment, approvalLostAtMs: null, updatedAtMs: nowMs };
  return { ...unchanged(was), payment: Object.freeze(restored) };
}

function approvalLost(was: PaymentAggregate, nowMs: number): Change {
  const { payment, funds } = was;
  const isVerified = verifiedStatuses.includes(payment.status);
  if (!isVerified || payment.approvalLostAtMs !== null) return unchanged(was);
  const where = funds.payoutMinor > 0n ? 'is sent already' : 'waits for an operator';
  return {
    ...unchanged(was),
    payment: Object.freeze({ ...payment, approvalLostAtMs: nowMs, updatedAtMs: nowMs }),
    alerts: [`the buyer was rejected after its approval: the payout ${where}`],
  };
}

export function quoted(was: PaymentAggregate, quote: Quote, nowMs: number): Change {
  const { limitHit: hit } = was.payment;
  const lifted = hit === null ? {} : { limitHit: Object.freeze({ ...hit, isLifted: true }) };
  return withMove(unchanged(was), 'quote', nowMs, { quoteId: quote.id, ...lifted });
}

/** The payment stays: the limit may be raised, or its period end. */
export function limited(was: PaymentAggregate, limit: AmountLimit, nowMs: number): Change {
  const { payment } = was;
  if (nextStatus(payment.status, 'quote') === null) return unchanged(was);
  const limitHit = Object.freeze({ ...limit, atMs: nowMs, isLifted: false });
  const alert = `no price for the buyer: the amount is over ${limitName(limit.period)}`;
  return {
    ...unchanged(was),
    payment: Object.freeze({ ...payment, limitHit, updatedAtMs: nowMs }),
    // One is enough: the buyer may ask again and again.
    alerts: payment.limitHit === null ? [alert] : [],
  };
}

export function quoteRefused(
  was: PaymentAggregate,
  commands: readonly MoneyCommand[],
  code: string,
  nowMs: number,
): Change {
  if (nextStatus(was.payment.status, 'quote') === null) return unchanged(was);
  const why = failure('quote_refused', `quote refused: ${code}`);
  return ended(was, commands, 'fail', why, nowMs);
}

/**
 * The buyer asks a colleague to approve, or another one. SelfApprovalNotAllowed for the buyer's own
 * mailbox; PaymentStateConflict unless the price is next, and once it is approved.
 */
export function colleagueApprovalAsked(
  was: PaymentAggregate,
  email: string,
  nowMs: number,
): Change {
  const { buyer, colleagueApproval } = was.payment;
  if (mailboxKey(email) === mailboxKey(buyer.email)) throw new PonteError('SelfApprovalNotAllowed');
  const state =
    colleagueApproval === null ? 'asked' : nextColleagueApproval(colleagueApproval.state, 'ask');
  const asked = { email, askedAtMs: nowMs, decidedAtMs: null, reason: null };
  return withColleagueApproval(was, state && { ...asked, state }, nowMs);
}

/** The colleague decides. PaymentStateConflict if the decision is not awaited any more. */
export function colleagueApprovalDecided(
  was: PaymentAggregate,
  decision: ApprovalDecision,
  reason: string | null,
  nowMs: number,
): Change {
  const { colleagueApproval } = was.payment;
  const state = colleagueApproval && nextColleagueApproval(colleagueApproval.state, decision);
  const decided = colleagueApproval && state && { ...colleagueApproval, state };
  return withColleagueApproval(was, decided && { ...decided, decidedAtMs: nowMs, reason }, nowMs);
}

/** Whether a colleague may still be asked, or decide: the price is asked for or shown. */
export function takesColleagueApproval({ status }: Pick<Payment, 'status'>): boolean {
  return nextStatus(status, 'quote') !== null;
}

function withColleagueApproval(
  was: PaymentAggregate,
  colleagueApproval: ColleagueApproval | null,
  nowMs: number,
): Change {
  const { payment } = was;
  if (colleagueApproval === null || !takesColleagueApproval(payment)) {
    throw new PonteError('PaymentStateConflict');
  }
  const next = {
    ...payment,
    colleagueApproval: Object.freeze(colleagueApproval),
    updatedAtMs: nowMs,
  };
  return { ...unchanged(was), payment: Object.freeze(next) };
}

/** Who confirms, and in which language. */
export interface Confirmation {
  readonly locale: Locale | null;
  /** Null if the name of the verified buyer is not known. */
  readonly payer: VerifiedPayer | null;
}

const unknownConfirmation: Confirmation = { locale: null, payer: null };

/** The buyer accepts the quote: the pay-in becomes a command. */
export function confirmed(
  was: PaymentAggregate,
  commands: readonly MoneyCommand[],
  quote: Quote,
  nowMs: number,
  by: Confirmation = unknownConfirmation,
): Change {
  const change = priceAccepted(was, quote, nowMs, by);
  const payin: CommandDraft = { kind: 'payin', amount: was.payment.amount, payinId: null };
  return withDerivedMoney({ ...change, commands: [payin] }, was, commands, nowMs);
}

function priceAccepted(
  was: PaymentAggregate,
  quote: Quote,
  nowMs: number,
  { locale, payer: verified }: Confirmation,
): Change {
  if (lacksColleagueApproval(was.payment)) {
    throw new PonteError(
      'PaymentStateConflict',
      'The colleague whom the buyer asked must approve.',
    );
  }
  if (isQuoteExpired(quote, nowMs)) throw new PonteError('QuoteExpired');
  const { payment } = was;
  const payer = verified === null ? payment.payer : withVerified(payment.payer, verified);
  return withMove(unchanged(was), 'confirm', nowMs, { confirmedLocale: locale, payer });
}

/** Whether one transfer may pay it with others; without a price it gets one first. */
export function isConsolidatable({ payment, funds }: PaymentAggregate): boolean {
  const { status, payinInstructions, consolidatedReference, approvalLostAtMs } = payment;
  if (consolidatedReference !== null || approvalLostAtMs !== null) return false;
  if (lacksColleagueApproval(payment)) return false;
  if (status === 'buyer_kyc_approved' || status === 'fx_quoted') return true;
  return status === 'on_ramp_pending' && payinInstructions !== null && funds.receivedMinor === 0n;
}

/** The transfer that pays several payments. */
export interface ConsolidatedTransfer {
  readonly reference: string;
  readonly instructions: PayinInstructions;
}

/**
 * The buyer pays by one transfer for several payments. It accepts the price of one that waits for
 * that, and no pay-in is ordered. PaymentStateConflict, QuoteExpired.
 */
export function consolidated(
  was: PaymentAggregate,
  commands: readonly MoneyCommand[],
  quote: Quote | null,
  { reference, instructions }: ConsolidatedTransfer,
  nowMs: number,
  by: Confirmation,
): Change {
  const isPriced = was.payment.status === 'on_ramp_pending';
  if (!isConsolidatable(was) || (quote === null && !isPriced)) {
    throw new PonteError('PaymentStateConflict');
  }
  const begun = isPriced || quote === null ? unchanged(was) : priceAccepted(was, quote, nowMs, by);
  const payment = Object.freeze({
    ...begun.payment,
    ...givenInstructions(begun.payment, instructions, nowMs),
    consolidatedReference: reference,
    updatedAtMs: nowMs,
  });
  return withDerivedMoney({ ...begun, payment }, was, commands, nowMs);
}

/** Allowed until the payout is sent to the partner. Unsent commands become void. */
export function cancelled(
  was: PaymentAggregate,
  commands: readonly MoneyCommand[],
  reason: string,
  nowMs: number,
): Change {
  if (was.payment.status === 'cancelled') return unchanged(was);
  if (!isCancellable(was.payment.status)) throw new PonteError('PaymentNotCancellable');
  return ended(was, commands, 'cancel', { cancelReason: reason }, nowMs);
}

/** Unchanged once the partner has reported all the funds. */
export function expired(
  was: PaymentAggregate,
  commands: readonly MoneyCommand[],
  nowMs: number,
): Change {
  const { status, expiresAtMs, coveredAtMs } = was.payment;
  if (nextStatus(status, 'expire') === null || coveredAtMs !== null) return unchanged(was);
  if (expiresAtMs === null || expiresAtMs > nowMs) return unchanged(was);
  return ended(was, commands, 'expire', {}, nowMs);
}

export function failedByOperator(
  was: PaymentAggregate,
  commands: readonly MoneyCommand[],
  reason: string,
  nowMs: number,
): Change {
  if (isTerminal(was.payment.status)) throw new PonteError('PaymentStateConflict');
  return ended(was, commands, 'fail', failure('operator', reason), nowMs);
}

function ended(
  was: PaymentAggregate,
  commands: readonly MoneyCommand[],
  move: 'cancel' | 'expire' | 'fail' | 'kyc_rejected',
  fields: MoveFields,
  nowMs: number,
): Change {
  return withDerivedMoney(withMove(unchanged(was), move, nowMs, fields), was, commands, nowMs);
}
