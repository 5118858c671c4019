// Amounts and rates: exact integers inside, decimal strings at the edges, never a float. Every
// division names its rounding. All currencies have two decimals: no partner may list another one.
import { assert } from '../../errors.js';
import { plainSigns } from './typed-text.js';

/** `floor` rounds towards minus infinity, `ceil` towards plus infinity, `half-even` to nearest. */
export type Rounding = 'floor' | 'ceil' | 'half-even';

export interface Money {
  /** Hundredths of the currency's unit. */
  readonly amountMinor: bigint;
  readonly currency: string;
}

/** Units of the target currency per unit of the source currency, times 10^8. */
export interface Rate {
  readonly rateScaled: bigint;
}

const RATE_DECIMALS = 8;
const RATE_SCALE = 10n ** 8n;
const BASIS_POINTS = 10_000n;

const amountForm = /^([0-9]{1,12})(?:\.([0-9]{1,2}))?$/;
const rateForm = /^([0-9]{1,12})(?:\.([0-9]{1,8}))?$/;

/** ISO 4217 (list one of 2026): currencies of 0, 3 and 4 decimals. */
const otherCurrencies: ReadonlySet<string> = new Set(
  (
    'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF ' +
    'BHD IQD JOD KWD LYD OMR TND CLF UYW'
  ).split(' '),
);

/** Those of the currencies that an amount of ours cannot state. */
export function withoutHundredths(currencies: readonly string[]): readonly string[] {
  return currencies.filter((currency) => otherCurrencies.has(currency));
}

export function money(amountMinor: bigint, currency: string): Money {
  return Object.freeze({ amountMinor, currency });
}

/** Minor units of an amount such as '10', '10.5' or '10.50', else null. */
export function parseAmount(text: string): bigint | null {
  const match = amountForm.exec(text);
  if (match === null) return null;
  return BigInt(`${match[1]}${(match[2] ?? '').padEnd(2, '0')}`);
}

/**
 * Thousands in groups of three, divided by one character that is not the decimal sign. The first
 * group does not begin with 0: '0.500' has three decimals and is no amount.
 */
const grouped = String.raw`[1-9][0-9]{0,2}(?:([.,\u0020'’])[0-9]{3})(?:\1[0-9]{3})*`;
const typedForm = new RegExp(`^(?:(?:${grouped})|[0-9]+)(?:([.,])([0-9]{1,2}))?$`, 'u');

/** The decimal sign of Arabic numbers, which divides no thousands, before three decimals. */
const arabicThousandths = /\u066b\p{Nd}{3}/u;

/**
 * Minor units of an amount as people type it in any language: '1,250.00', '1.250,00', '1250',
 * '١٬٢٥٠٫٠٠'.
 */
export function parseTypedAmount(text: string): bigint | null {
  if (arabicThousandths.test(text)) return null;
  const typed = typedForm.exec(plainSigns(text).trim()) ?? [];
  const [whole = '', divider, sign = '', decimals = ''] = typed;
  if (divider === sign) return null;
  const digits = whole.slice(0, whole.length - sign.length - decimals.length);
  const units = digits.replaceAll(/[^0-9]/g, '');
  return parseAmount(sign === '' ? units : `${units}.${decimals}`);
}

const groupsForm = /^[0-9]{1,4}([.,\u0020'’])[0-9]{1,4}(?:\1[0-9]{1,4})+(?:[.,][0-9]{1,2})?$/u;

/**
 * A number that is no amount because its groups are not of three digits, such as '1,23,456.78' of
 * India: it is not guessed whether a digit is missing.
 */
export function hasOtherGroups(text: string): boolean {
  return parseTypedAmount(text) === null && groupsForm.test(plainSigns(text).trim());
}

export function formatAmount(amountMinor: bigint): string {
  return formatScaled(amountMinor, 2);
}

export function add(left: Money, right: Money): Money {
  assertSameCurrency(left, right);
  return money(left.amountMinor + right.amountMinor, left.currency);
}

export function subtract(left: Money, right: Money): Money {
  assertSameCurrency(left, right);
  return money(left.amountMinor - right.amountMinor, left.currency);
}

/** A rate above zero with at most eight decimals, else null. */
export function parseRate(text: string): Rate | null {
  const match = rateForm.exec(text);
  if (match === null) return null;
  const rateScaled = BigInt(`${match[1]}${(match[2] ?? '').padEnd(RATE_DECIMALS, '0')}`);
  return rateScaled === 0n ? null : Object.freeze({ rateScaled });
}

/** As a person types it, also with a decimal comma, in the form of `formatRate`; else null. */
export function parseTypedRate(text: string): string | null {
  const rate = parseRate(plainSigns(text).trim().replace(',', '.'));
  return rate === null ? null : formatRate(rate);
}

/** A rate with at least two decimals and no trailing zero after them: '5.40', '5.4321'. */
export function formatRate(rate: Rate): string {
  const text = formatScaled(rate.rateScaled, RATE_DECIMALS);
  let end = text.length;
  while (text[end - 1] === '0' && text[end - 3] !== '.') end -= 1;
  return text.slice(0, end);
}

export function convert(source: Money, rate: Rate, currency: string, rounding: Rounding): Money {
  return money(divide(source.amountMinor * rate.rateScaled, RATE_SCALE, rounding), currency);
}

/** The rate at which `source` gives `target`; null unless it is above zero. */
export function rateBetween(source: Money, target: Money): Rate | null {
  if (source.amountMinor <= 0n) return null;
  const rateScaled = divide(target.amountMinor * RATE_SCALE, source.amountMinor, 'half-even');
  return rateScaled > 0n ? Object.freeze({ rateScaled }) : null;
}

/** The parts add up to the amount. */
export function splitFee(total: Money, basisPoints: number, rounding: Rounding) {
  assert(
    Number.isInteger(basisPoints) && basisPoints >= 0 && basisPoints <= 10_000,
    'basisPoints is a whole number from 0 to 10000',
  );
  const feeMinor = divide(total.amountMinor * BigInt(basisPoints), BASIS_POINTS, rounding);
  const fee = money(feeMinor, total.currency);
  return { fee, rest: subtract(total, fee) };
}

/** The quotient by a positive divisor, rounded as named. */
export function divide(numerator: bigint, divisor: bigint, rounding: Rounding): bigint {
  assert(divisor > 0n, 'a divisor is above zero');
  // bigint division truncates towards zero; a non-negative remainder gives the floor.
  const cut = numerator / divisor;
  const floor = numerator % divisor < 0n ? cut - 1n : cut;
  const remainder = numerator - floor * divisor;
  if (remainder === 0n) return floor;
  switch (rounding) {
    case 'floor':
      return floor;
    case 'ceil':
      return floor + 1n;
    case 'half-even': {
      const twice = remainder * 2n;
      const up = twice > divisor || (twice === divisor && floor % 2n !== 0n);
      return up ? floor + 1n : floor;
    }
  }
}

/** With its currency. */
export function shownAmount({ amountMinor, currency }: Money): string {
  return `${formatAmount(amountMinor)} ${currency}`;
}

export function sameMoney(left: Money, right: Money): boolean {
  return left.amountMinor === right.amountMinor && left.currency === right.currency;
}

export function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function formatScaled(value: bigint, decimals: number): string {
  const sign = value < 0n ? '-' : '';
  const digits = `${absolute(value)}`.padStart(decimals + 1, '0');
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

function assertSameCurrency(left: Money, right: Money): void {
  assert(left.currency === right.currency, `${left.currency} and ${right.currency} do not add up`);
}
