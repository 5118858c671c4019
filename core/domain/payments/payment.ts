// The payment, whose origin is a payment intent or an invoice: its states and data.
// Where the money is: funds.ts. What one cause changes: change.ts.
import type { Locale } from '../base/locale.js';
import { type MoveOf, machine } from '../base/machine.js';
import type { Money } from '../base/money.js';
import type { Tenant } from '../base/tenant.js';
import type { Asset } from '../commands/asset.js';
import type { SettlementFacts } from '../commands/settlement.js';
import type { LimitHit } from './amount-limit.js';
import type { ColleagueApproval } from './colleague-approval.js';
import type { FailureCode } from './failure.js';
import type { FiscalDocument } from './fiscal-document.js';
import type { PayerFacts } from './payer-facts.js';
import type { PayerRelation } from './payer-relation.js';
import type { PayinInstructions } from './payin-instructions.js';
import type { Purpose } from './purpose.js';

export const paymentMoves = {
  awaiting_approval: {
    approve: 'approved',
    cancel: 'cancelled',
    expire: 'expired',
    fail: 'failed',
  },
  approved: { invite: 'awaiting_buyer', cancel: 'cancelled', expire: 'expired', fail: 'failed' },
  awaiting_buyer: {
    sign_in: 'buyer_kyc_pending',
    sign_in_verified: 'buyer_kyc_approved',
    cancel: 'cancelled',
    expire: 'expired',
    fail: 'failed',
  },
  buyer_kyc_pending: {
    kyc_approved: 'buyer_kyc_approved',
    kyc_rejected: 'failed',
    cancel: 'cancelled',
    expire: 'expired',
    fail: 'failed',
  },
  buyer_kyc_approved: {
    quote: 'fx_quoted',
    kyc_rejected: 'failed',
    cancel: 'cancelled',
    expire: 'expired',
    fail: 'failed',
  },
  fx_quoted: {
    quote: 'fx_quoted',
    confirm: 'on_ramp_pending',
    kyc_rejected: 'failed',
    cancel: 'cancelled',
    expire: 'expired',
    fail: 'failed',
  },
  on_ramp_pending: {
    quote_expired: 'fx_quoted',
    payin_completed: 'on_chain_confirmed',
    cancel: 'cancelled',
    expire: 'expired',
    fail: 'failed',
  },
  on_chain_confirmed: { send_payout: 'offramp_pending', cancel: 'cancelled', fail: 'failed' },
  offramp_pending: { payout_completed: 'settled', fail: 'failed' },
  settled: {},
  failed: {},
  cancelled: {},
  expired: {},
} as const;

export type PaymentStatus = keyof typeof paymentMoves;
export type PaymentMove = MoveOf<typeof paymentMoves>;
export const { states: paymentStatuses, next: nextStatus, isTerminal } = machine(paymentMoves);

export type PaymentOrigin = 'payment_intent' | 'invoice';

export const paymentIdPrefixes = {
  payment_intent: 'pi',
  invoice: 'inv',
} as const satisfies Record<PaymentOrigin, string>;

export const paymentOrigins = Object.keys(paymentIdPrefixes) as readonly PaymentOrigin[];

/** The order of lists: the ids of all origins, without their prefix, sort by creation. */
export function newestFirst(left: Pick<Payment, 'id'>, right: Pick<Payment, 'id'>): number {
  return bareId(left.id) < bareId(right.id) ? 1 : -1;
}

export function bareId(id: string): string {
  return id.slice(id.indexOf('_') + 1);
}

/** Prefix of the integrator's id in a path. */
export const EXTERNAL_PREFIX = 'ext_';

/** The externalId in a text that may have the prefix. */
export function externalIdIn(text: string): string {
  return text.startsWith(EXTERNAL_PREFIX) ? text.slice(EXTERNAL_PREFIX.length) : text;
}

/** Which of these origins the payment in a path may have: by its id, or any with `ext_`. */
export function originsNamed(
  idOrExternalId: string,
  origins: readonly PaymentOrigin[],
): readonly PaymentOrigin[] {
  if (idOrExternalId.startsWith(EXTERNAL_PREFIX)) return origins;
  return origins.filter((origin) => idOrExternalId.startsWith(`${paymentIdPrefixes[origin]}_`));
}

/** Sent by the integrator; it pre-fills forms and proves nothing. */
export interface BuyerHint {
  readonly email: string;
  readonly name: string | null;
  readonly country: string | null;
  readonly phone: string | null;
}

export interface Payment extends Tenant {
  readonly id: string;
  readonly origin: PaymentOrigin;
  /** Random value in the URL of the hosted page. */
  readonly publicId: string;
  readonly externalId: string | null;
  readonly status: PaymentStatus;
  readonly amount: Money;
  /** The seller's number of an invoice. */
  readonly number: string | null;
  /** YYYY-MM-DD, of an invoice; for information only. */
  readonly dueDate: string | null;
  /** `accountableMember` of the API key that created it, or `accountableCreator`. */
  readonly createdByMemberId: string | null;
  /** Whether it was created to wait for an approval. Invoices of earlier releases have false. */
  readonly requiresApproval: boolean;
  readonly approvedByMemberId: string | null;
  /** When the buyer of an invoice was last sent a link. */
  readonly invitedAtMs: number | null;
  /** When the next reminder of the due date is due (reminder.ts); null if there is none. */
  readonly remindAtMs: number | null;
  readonly buyerId: string;
  readonly buyer: BuyerHint;
  /** The connected seller that is paid; null: the organization itself. */
  readonly sellerExternalId: string | null;
  /** The legal name of who is paid, as of the creation; null if it was not stored then. */
  readonly payeeName: string | null;
  /** The partner's reference of the PIX destination, as of the creation or the last new payout. */
  readonly destination: string;
  /** Reported by the partner; null if the integrator did not say. */
  readonly purpose: Purpose | null;
  /** Null if the integrator did not say. */
  readonly payerRelation: PayerRelation | null;
  /** What the seller issued for it; null if the integrator did not say. */
  readonly fiscalDocument: FiscalDocument | null;
  /** BRL per unit at which the payee booked the amount, a decimal string; null if not said. */
  readonly bookedRate: string | null;
  readonly returnUrl: string | null;
  /** The buyer's order; null if the integrator did not say. */
  readonly purchaseOrder: string | null;
  /** What the buyer's books call the payment; null if the integrator did not say. */
  readonly buyerReference: string | null;
  /** The document that the buyer can download: the seller's own invoice. Null if there is none. */
  readonly attachmentDocumentId: string | null;
  /** JSON text exactly as sent; null if absent. */
  readonly display: string | null;
  /** JSON text exactly as sent; '{}' if absent. */
  readonly metadata: string;
  readonly expiresAtMs: number | null;
  /** The language of mails to the buyer, which signed in by mail; null before that. */
  readonly buyerLocale: Locale | null;
  /** Null unless a quote was refused because of a limit of the payee. */
  readonly limitHit: LimitHit | null;
  /** Null unless the buyer asked a colleague to approve. */
  readonly colleagueApproval: ColleagueApproval | null;
  /** The current quote (quote.ts). */
  readonly quoteId: string | null;
  /** The language in which the buyer confirmed that quote; null if unknown. */
  readonly confirmedLocale: Locale | null;
  /** When the buyer lost its KYC approval after the confirmation; null once it has it again. */
  readonly approvalLostAtMs: number | null;
  /** How to pay; null until the partner accepts the pay-in. */
  readonly payinInstructions: PayinInstructions | null;
  /** The check code of these instructions (bank-record.ts). */
  readonly bankDetailsCode: string | null;
  /** Names the transfer that also pays the others with it (consolidated-payment.ts). */
  readonly consolidatedReference: string | null;
  /** When the whole amount was reported as received; from then on it does not expire. */
  readonly coveredAtMs: number | null;
  readonly transactionHash: string | null;
  /** What a pay-in brought to the payee's wallet, as last reported: all of a shared transfer. */
  readonly payinAsset: Asset | null;
  /** Null until the price is confirmed. */
  readonly payer: PayerFacts | null;
  /** The first of its settlements; it stays if its payout comes back (settlement.ts). */
  readonly settlement: SettlementFacts | null;
  /** When `settlement` was reported. */
  readonly settledAtMs: number | null;
  readonly failureCode: FailureCode | null;
  readonly failureReason: string | null;
  readonly cancelReason: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly version: number;
}

/** A payment that needs no approval, or has it: the integrator invites the buyer of an intent. */
export const approvedStatus = {
  payment_intent: 'awaiting_buyer',
  invoice: 'approved',
} as const satisfies Record<PaymentOrigin, PaymentStatus>;

export function firstStatus(origin: PaymentOrigin, requiresApproval: boolean): PaymentStatus {
  return requiresApproval ? 'awaiting_approval' : approvedStatus[origin];
}

/** The hosted page opens with the approval of an intent, with the invitation of an invoice. */
export function isPageOpen(payment: Payment): boolean {
  const { origin, requiresApproval, approvedByMemberId, invitedAtMs } = payment;
  if (origin === 'invoice') return invitedAtMs !== null;
  return !requiresApproval || approvedByMemberId !== null;
}

export function isCancellable(status: PaymentStatus): boolean {
  return nextStatus(status, 'cancel') !== null;
}

export function isExpirable(status: PaymentStatus): boolean {
  return nextStatus(status, 'expire') !== null;
}

/** The buyer has passed KYC, and the payment runs. */
export const verifiedStatuses: readonly PaymentStatus[] = paymentStatuses
  .slice(paymentStatuses.indexOf('buyer_kyc_approved'))
  .filter((status) => !isTerminal(status));

/** Orders the statuses on the way to `settled`; null for the other terminal statuses. */
export function progress(status: PaymentStatus): number | null {
  if (isTerminal(status) && status !== 'settled') return null;
  return paymentStatuses.indexOf(status);
}

/** A test payment that the sandbox moves to `to`. */
export interface Advance extends Tenant {
  readonly paymentId: string;
  readonly to: PaymentStatus;
  readonly dueAtMs: number;
  readonly tries: number;
  readonly version: number;
}
