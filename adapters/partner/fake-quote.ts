// Prices of the fake partner: its currencies, fees, and a rate to BRL that changes every minute.
// Pure functions of amount and time. Quotes are indicative: a payout uses the rate of its minute.
import { createHash } from 'node:crypto';
import { MINUTE_MS } from '../../core/domain/instant.js';
import {
  add,
  convert,
  divide,
  type Money,
  money,
  type Rate,
  splitFee,
  subtract,
} from '../../core/domain/money.js';
import { assert } from '../../core/errors.js';

/** BRL per unit, times 10^8. The rate differs from it by at most 1 %. */
const middleRates: ReadonlyMap<string, bigint> = new Map([
  ['USD', 540_000_000n],
  ['EUR', 590_000_000n],
  ['GBP', 690_000_000n],
]);

export const fakeCurrencies: readonly string[] = [...middleRates.keys()];
export const QUOTE_LIFE_MS = 5 * MINUTE_MS;
const FEE_BASIS_POINTS = 50;
const FEE_FLAT_MINOR = 30n;
/** A daily wave of 0.9 % in both directions, and 0.05 % of noise. */
const WAVE_MINUTES = 1_440;
const WAVE_PPM = 25;
const NOISE_PPM = 4;
/** Rates have four decimals. */
const RATE_STEP = 10_000n;

export interface Price {
  readonly fees: Money;
  readonly target: Money;
}

/** The fees on `source`, and the rest in BRL; null if nothing is left. */
export function priceAt(source: Money, rate: Rate): Price | null {
  const fees = add(
    splitFee(source, FEE_BASIS_POINTS, 'ceil').fee,
    money(FEE_FLAT_MINOR, source.currency),
  );
  if (fees.amountMinor >= source.amountMinor) return null;
  const target = convert(subtract(source, fees), rate, 'BRL', 'floor');
  return target.amountMinor > 0n ? { fees, target } : null;
}

/** The rate of the minute. */
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
