// An FX quote as it was shown to the buyer: what is paid, what it costs, what the seller gets, and
// for how long that holds. It owns no rate; the partner makes quotes.
import type { Money } from './money.js';
import type { Tenant } from './tenant.js';

/**
 * `locked`: the seller's BRL is held until `lockedUntilMs`. `indicative`: the seller's BRL follows
 * the rate at payout, because a payout rate lives minutes and a bank transfer may take days.
 */
export type RateKind = 'locked' | 'indicative';

/** What a partner answers when asked for a quote. */
export interface QuoteTerms {
  /** The partner's id of the quote, sent back with the pay-in. */
  readonly partnerQuoteId: string;
  /** What the buyer pays. */
  readonly source: Money;
  /** What the partner keeps of it, in the currency paid. */
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

/** A quote can be confirmed up to, and not at, its expiry. */
export function isQuoteExpired(quote: QuoteTerms, nowMs: number): boolean {
  return nowMs >= quote.expiresAtMs;
}
