// Prices of the fake partner: its currencies, fees, and a rate to BRL that changes every minute.
// Pure functions of amount and time. Unless its quote is locked, a payout uses the rate of its
// minute.
import { createHash } from 'node:crypto';
import { DAY_MS, MINUTE_MS } from '../../core/domain/base/instant.js';
import {
  add,
  convert,
  divide,
  formatRate,
  type Money,
  money,
  type Rate,
  splitFee,
  subtract,
} from '../../core/domain/base/money.js';
import type { Mode } from '../../core/domain/base/tenant.js';
import type { QuoteTerms } from '../../core/domain/commands/quote.js';
import { assert } from '../../core/errors.js';
import type { PartnerAnswer } from '../../core/ports/partner.js';
import { makeRef } from './fake-ref.js';
import { effectOf, ending } from './fake-values.js';

/** BRL per unit, times 10^8. The rate differs from it by at most 1 %. */
const middleRates: ReadonlyMap<string, bigint> = new Map([
  ['USD', 540_000_000n],
  ['EUR', 590_000_000n],
  ['GBP', 690_000_000n],
]);

export const fakeCurrencies: readonly string[] = [...middleRates.keys()];
export const QUOTE_LIFE_MS = 5 * MINUTE_MS;
/** A locked rate waits for a bank transfer. */
const LOCKED_FOR_MS = 3 * DAY_MS;
const FEE_BASIS_POINTS = 50;
const FEE_FLAT_MINOR = 30n;
/** A daily wave of 0.9 % in both directions, and 0.05 % of noise. */
const WAVE_MINUTES = 1_440;
const WAVE_PPM = 25;
const NOISE_PPM = 4;
/** Rates have four decimals. */
const RATE_STEP = 10_000n;

/** The fees on `source`, and the rest in BRL; null if nothing is left. */
export function priceAt(source: Money, rate: Rate) {
  const fees = add(
    splitFee(source, FEE_BASIS_POINTS, 'ceil').fee,
    money(FEE_FLAT_MINOR, source.currency),
  );
  if (fees.amountMinor >= source.amountMinor) return null;
  const target = convert(subtract(source, fees), rate, 'BRL', 'floor');
  return target.amountMinor > 0n ? { fees, target } : null;
}

/** The test value of the amount may lock the rate. */
export function quoteAt(
  mode: Mode,
  source: Money,
  {
    nowMs,
    rate,
    locked,
  }: { readonly nowMs: number; readonly rate: Rate; readonly locked: boolean },
): PartnerAnswer<QuoteTerms> {
  const price = priceAt(source, rate);
  if (price === null) return { outcome: 'refused', ...amountTooSmall };
  const expiresAtMs = nowMs + QUOTE_LIFE_MS;
  const fields = [source.currency, source.amountMinor, rate.rateScaled, expiresAtMs];
  const isLocked = locked || effectOf(ending(source.amountMinor)) === 'locks_rate';
  const value: QuoteTerms = {
    partnerQuoteId: makeRef(mode, 'quote', fields),
    source,
    ...price,
    rate: formatRate(rate),
    rateKind: isLocked ? 'locked' : 'indicative',
    lockedUntilMs: isLocked ? nowMs + LOCKED_FOR_MS : null,
    expiresAtMs,
  };
  return { outcome: 'done', value };
}

export const amountTooSmall = {
  code: 'amount_too_small',
  message: 'The amount does not cover the fees.',
} as const;

export function rateAt(currency: string, nowMs: number): Rate {
  const middle = middleRates.get(currency);
  assert(middle !== undefined, `the fake partner does not support ${currency}`);
  const minute = Math.floor(nowMs / MINUTE_MS);
  const wave = Math.abs((minute % WAVE_MINUTES) - WAVE_MINUTES / 2) - WAVE_MINUTES / 4;
  const noise = createHash('sha256').update(`${minute}`).digest().readInt8(0);
  const millionths = BigInt(1_000_000 + wave * WAVE_PPM + noise * NOISE_PPM);
  const steps = divide(middle * millionths, 1_000_000n * RATE_STEP, 'floor');
  return { rateScaled: steps * RATE_STEP };
}
