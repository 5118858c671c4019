// The payment: one aggregate behind both creation surfaces (payment intent and invoice). This file
// owns what its status may become and what a payment is made of. Where the money is stands in
// funds.ts; what one cause changes in payment, funds and commands together is in change.ts.
import { type MoveOf, machine } from './machine.js';
import type { Money } from './money.js';
import type { Tenant } from './tenant.js';

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
    cancel: 'cancelled',
    expire: 'expired',
    fail: 'failed',
  },
  fx_quoted: {
    quote: 'fx_quoted',
    confirm: 'on_ramp_pending',
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
  on_chain_confirmed: { take_payout: 'offramp_pending', cancel: 'cancelled', fail: 'failed' },
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

/** What ids begin with. */
export const paymentIdPrefixes = {
  payment_intent: 'pi',
  invoice: 'inv',
} as const satisfies Record<PaymentOrigin, string>;

export const paymentOrigins = Object.keys(paymentIdPrefixes) as readonly PaymentOrigin[];

/** What a reference by the integrator's own id begins with. */
export const EXTERNAL_PREFIX = 'ext_';

/**
 * The origin of the payment that a reference names, if it is one of these: of an id by its prefix,
 * of `ext_<externalId>` the first one. The payment need not exist.
 */
export function originNamed(
  reference: string,
  origins: readonly PaymentOrigin[],
): PaymentOrigin | null {
  if (reference.startsWith(EXTERNAL_PREFIX)) return origins[0] ?? null;
  const named = origins.find((origin) => reference.startsWith(`${paymentIdPrefixes[origin]}_`));
  return named ?? null;
}

/**
 * What the integrator said of the buyer for this payment; it pre-fills forms and proves nothing.
 */
export interface BuyerHint {
  readonly email: string;
  readonly name: string | null;
  readonly country: string | null;
  readonly phone: string | null;
}

/** What the partner reported of the completed payout. */
export interface SettlementFacts {
  /** BRL that reached the seller. */
  readonly settled: Money;
  /** What the partner kept, in the payment's currency. */
  readonly fees: Money;
  /** BRL per unit of the payment's currency, as a decimal string. */
  readonly fxRate: string;
  /** The BACEN end-to-end id of the PIX transfer; null when the partner does not tell it. */
  readonly endToEndId: string | null;
}

export interface Payment extends Tenant {
  readonly id: string;
  readonly origin: PaymentOrigin;
  /** Random value of the hosted page's URL; knowing an id does not reveal it. */
  readonly publicId: string;
  readonly externalId: string | null;
  readonly status: PaymentStatus;
  readonly amount: Money;
  /** An invoice's own number, as it is called between seller and buyer. */
  readonly number: string | null;
  /** The day by which an invoice is to be paid, YYYY-MM-DD; nothing happens by itself then. */
  readonly dueDate: string | null;
  /** Who made an invoice by hand; null where a key did. */
  readonly createdByMemberId: string | null;
  readonly approvedByMemberId: string | null;
  /** When an invoice's buyer was last sent a link by mail; null before the first. */
  readonly invitedAtMs: number | null;
  readonly buyerId: string;
  readonly buyer: BuyerHint;
  /** The connected seller that is paid; null when the organization itself is. */
  readonly sellerExternalId: string | null;
  /** The partner's reference of the PIX destination, fixed at creation. */
  readonly destination: string;
  readonly returnUrl: string | null;
  /** JSON text exactly as the integrator sent it; null when absent. */
  readonly display: string | null;
  /** JSON text exactly as the integrator sent it; '{}' when absent. */
  readonly metadata: string;
  readonly expiresAtMs: number | null;
  /** The quote last shown to the buyer (quote.ts). */
  readonly quoteId: string | null;
  /** What the buyer must do to pay, as the partner gave it (JSON text); null before the pay-in. */
  readonly payinInstructions: string | null;
  /** When the partner had reported everything asked for as received: no expiry from then on. */
  readonly coveredAtMs: number | null;
  readonly transactionHash: string | null;
  readonly settlement: SettlementFacts | null;
  readonly failureReason: string | null;
  readonly cancelReason: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly version: number;
}

/** Where a payment starts. The call that creates an intent is its approval and its invitation. */
export function firstStatus(origin: PaymentOrigin, requiresApproval: boolean): PaymentStatus {
  if (origin === 'payment_intent') return 'awaiting_buyer';
  return requiresApproval ? 'awaiting_approval' : 'approved';
}

/** Whether the buyer may come to the hosted page: an invoice's after it was invited. */
export function isPageOpen({ origin, invitedAtMs }: Payment): boolean {
  return origin === 'payment_intent' || invitedAtMs !== null;
}

export function isCancellable(status: PaymentStatus): boolean {
  return nextStatus(status, 'cancel') !== null;
}

export function isExpirable(status: PaymentStatus): boolean {
  return nextStatus(status, 'expire') !== null;
}

/** How far along the way to `settled` a status is; null for statuses that left that way. */
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
