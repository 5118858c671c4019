// An FX quote of the partner as it was shown to the buyer.
import { formatRate, type Money, rateBetween } from '../base/money.js';
import type { Tenant } from '../base/tenant.js';

/** The code of a refused pay-in: its quote has expired. The payment needs another one. */
export const QUOTE_EXPIRED = 'quote_expired';

/**
 * `locked`: the seller's BRL is fixed until `lockedUntilMs`. `indicative`: it follows the rate at
 * payout, because a payout rate is valid for minutes and a bank transfer may take days.
 */
export type RateKind = 'locked' | 'indicative';

export interface QuoteTerms {
  /** The partner's id of the quote, sent back with the pay-in. */
  readonly partnerQuoteId: string;
  /** What the buyer pays. */
  readonly source: Money;
  /** In the currency paid. */
  readonly fees: Money;
  /** BRL per unit of the currency paid, as a decimal string. */
  readonly rate: string;
  /** BRL to the seller. */
  readonly target: Money;
  readonly rateKind: RateKind;
  readonly lockedUntilMs: number | null;
  readonly expiresAtMs: number;
}

export interface Quote extends Tenant, QuoteTerms {
  readonly id: string;
  readonly paymentId: string;
  readonly createdAtMs: number;
}

/**
 * The VET (valor efetivo total): BRL that reach the seller per unit that the buyer pays, with all
 * fees and the margin in the rate. Rounded half to even to eight decimals; null without an amount.
 */
export function effectiveRate(paid: Money, received: Money): string | null {
  const rate = rateBetween(paid, received);
  return rate === null ? null : formatRate(rate);
}

/** A quote can be confirmed before, not at, its expiry. */
export function isQuoteExpired(quote: QuoteTerms, nowMs: number): boolean {
  return nowMs >= quote.expiresAtMs;
}
