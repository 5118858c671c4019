// Which screen the hosted page of a payment shows: a function of its status, its money and the
// state of its KYC, price and bank details. A payment that ended shows its money first.
import { isQuoteExpired, type Quote } from '../commands/quote.js';
import type { KycState } from '../parties/buyer-kyc.js';
import { isLimited } from '../payments/amount-limit.js';
import { isShortPaid, isUnapproved } from '../payments/change.js';
import type { Funds } from '../payments/funds.js';
import type { PayinInstructions } from '../payments/payin-instructions.js';
import { isTerminal, type Payment, type PaymentStatus } from '../payments/payment.js';

/** Screens of a signed-in buyer. The states of the link and the KYC steps are other pages. */
export const screens = [
  'kyc_form',
  'kyc_verifying',
  'kyc_corrections',
  'price_ask',
  'price',
  'price_expired',
  'price_limit',
  'preparing',
  'bank_details',
  'held',
  'short',
  'arrived',
  'on_the_way',
  'paid',
  'unapproved',
  'kyc_rejected',
  'failed',
  'needs_review',
  'refund_coming',
  'refunded',
  'refund_review',
  'cancelled',
  'expired',
] as const;
export type Screen = (typeof screens)[number];

export interface ScreenFacts {
  readonly payment: Payment;
  readonly funds: Funds;
  readonly kyc: KycState;
  readonly quote: Quote | null;
  readonly instructions: PayinInstructions | null;
  /** The partner has the money and checks it. */
  readonly isOnHold: boolean;
}

const whileOpen: Readonly<
  Record<
    Exclude<PaymentStatus, 'settled' | 'failed' | 'cancelled' | 'expired'>,
    (facts: ScreenFacts, nowMs: number) => Screen
  >
> = {
  awaiting_approval: () => 'kyc_form',
  approved: () => 'kyc_form',
  // Signing in moves it on in the same batch.
  awaiting_buyer: () => 'kyc_form',
  buyer_kyc_pending: ({ kyc }) => {
    if (kyc === 'corrections') return 'kyc_corrections';
    return kyc === 'form' || kyc === 'rejected' ? 'kyc_form' : 'kyc_verifying';
  },
  buyer_kyc_approved: ({ payment, kyc }, nowMs) =>
    whilePaused(kyc) ?? (isLimited(payment, nowMs) ? 'price_limit' : 'price_ask'),
  fx_quoted: ({ payment, quote, kyc }, nowMs) => {
    const paused = whilePaused(kyc);
    if (paused !== null) return paused;
    if (quote !== null && !isQuoteExpired(quote, nowMs)) return 'price';
    return isLimited(payment, nowMs) ? 'price_limit' : 'price_expired';
  },
  on_ramp_pending: ({ payment, funds, instructions, isOnHold }) => {
    if (isShortPaid({ payment, funds })) return 'short';
    if (funds.receivedMinor >= payment.amount.amountMinor) return 'arrived';
    if (isOnHold) return 'held';
    return instructions === null ? 'preparing' : 'bank_details';
  },
  on_chain_confirmed: () => 'arrived',
  offramp_pending: () => 'on_the_way',
};

export function screenOf(facts: ScreenFacts, nowMs: number): Screen {
  const { status } = facts.payment;
  if (isUnapproved(facts)) return 'unapproved';
  if (!isTerminal(status)) return whileOpen[status as keyof typeof whileOpen](facts, nowMs);
  // A payout can come back after the settlement, and be confirmed after a failure.
  if (facts.funds.position === 'paid') return 'paid';
  return (
    moneyScreen(facts.funds) ?? (status === 'settled' ? settledScreen(facts) : endScreen(facts))
  );
}

/** The partner verifies the approved buyer again. */
function whilePaused(kyc: KycState): Screen | null {
  if (kyc === 'verifying') return 'kyc_verifying';
  return kyc === 'corrections' ? 'kyc_corrections' : null;
}

/** A payout that came back is perhaps sent again. */
function settledScreen({ funds: { position } }: ScreenFacts): Screen {
  if (position === 'received') return 'arrived';
  return position === 'payout_ordered' ? 'on_the_way' : 'paid';
}

/** Returns the screen of a payment that ended unpaid; null if no money is or was held. */
function moneyScreen({ position, refund }: Funds): Screen | null {
  if (refund === 'needs_review') return 'refund_review';
  if (position === 'needs_review') return 'needs_review';
  if (refund === 'refund_owed' || refund === 'refund_ordered') return 'refund_coming';
  return refund === 'refunded' ? 'refunded' : null;
}

function endScreen({ payment: { status }, kyc }: ScreenFacts): Screen {
  if (status === 'cancelled' || status === 'expired') return status;
  return kyc === 'rejected' ? 'kyc_rejected' : 'failed';
}
