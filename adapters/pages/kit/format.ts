// Amounts, rates and times as text. Formatting takes decimal strings, so no amount becomes a float.
// Times are UTC and say so; the browser script rewrites them to the zone of the reader.
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../core/domain/base/instant.js';
import type { Locale } from '../../../core/domain/base/locale.js';
import { formatAmount, type Money } from '../../../core/domain/base/money.js';

export interface Format {
  /** With the ISO code and a no-break space: `USD 1,234.50`. */
  readonly money: (money: Money) => string;
  /** Without the code: `1,234.50`. */
  readonly digits: (money: Money) => string;
  /** With four decimals, rounded half to even. */
  readonly rate: (rate: string) => string;
  readonly count: (count: number) => string;
  /** `1.2 MB`, `84 kB`. */
  readonly fileSize: (bytes: number) => string;
  /** `2.5`. */
  readonly oneDecimal: (value: number) => string;
  /** With one decimal: `0.3`. */
  readonly seconds: (durationMs: number) => string;
  /** `30 November 2026`. */
  readonly day: (atMs: number) => string;
  /** `15:58 UTC`. */
  readonly time: (atMs: number) => string;
  /** `17 November 2026, 15:58 UTC`. */
  readonly instant: (atMs: number) => string;
  /** `17 Nov, 15:58`, in UTC, for tables. */
  readonly short: (atMs: number) => string;
  /** `17 Nov, 15:58:03`, in UTC. */
  readonly exact: (atMs: number) => string;
  /** `November 2026`. */
  readonly month: (atMs: number) => string;
  /** `17 Nov`. */
  readonly shortDay: (atMs: number) => string;
  /** The last whole day before the instant; the instant itself if that day is over. */
  readonly deadline: (atMs: number, nowMs: number) => string;
  /** The day in Brasília, which is the payee's. */
  readonly brasiliaDay: (atMs: number) => string;
  /** `17 November 2026, 15:58`, in Brasília. */
  readonly brasilia: (atMs: number) => string;
}

/** The day comes before the month in all three. */
const dateLocales = { en: 'en-GB', 'pt-BR': 'pt-BR', es: 'es' } as const satisfies Record<
  Locale,
  string
>;

const MEGABYTE = 1_000_000;
const NO_BREAK_SPACE = '\u00a0';
const BRASILIA = 'America/Sao_Paulo';
const RATE_DECIMALS = 4;

/** Where Spanish is written with a decimal point: `12,480.00`. */
const SPANISH_WITH_POINT = 'es-419';
type NumberLocale = Locale | typeof SPANISH_WITH_POINT;

const formats = new Map<NumberLocale, Format>();

/** Other languages than Spanish write numbers in one way. */
export function formatOf(locale: Locale, hasDecimalPoint = false): Format {
  const numbers = locale === 'es' && hasDecimalPoint ? SPANISH_WITH_POINT : locale;
  const known = formats.get(numbers) ?? createFormat(locale, numbers);
  formats.set(numbers, known);
  return known;
}

/** To be pasted into a bank's form: `1234.50`. */
export function plainAmount({ amountMinor }: Money): string {
  return formatAmount(amountMinor);
}

/** A day as YYYY-MM-DD, in UTC, so that no zone shifts it. */
export function dayMs(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

/**
 * The last whole day before an instant at which something ends: what arrives on that day is in
 * time everywhere. An end within the last minute of a day counts as the end of that day.
 */
export function lastWholeDayMs(endMs: number): number {
  return Math.floor((endMs + MINUTE_MS) / DAY_MS) * DAY_MS - DAY_MS;
}

/** Whether no whole day is left before the instant. */
export function isLastDay(endMs: number, nowMs: number): boolean {
  return lastWholeDayMs(endMs) + DAY_MS <= nowMs;
}

/** A sentence that ends with a name such as `Ltd.` has one full stop. */
export function sentence(text: string): string {
  return text.replace(/\.\.$/, '.');
}

function createFormat(locale: Locale, numbers: NumberLocale): Format {
  const currencies = new Map<string, Intl.NumberFormat>();
  const inCurrency = (currency: string) => {
    const known = currencies.get(currency) ?? currencyFormat(numbers, currency);
    currencies.set(currency, known);
    return known;
  };
  const amounts = new Intl.NumberFormat(numbers, {
    minimumFractionDigits: 2,
    useGrouping: 'always',
  });
  const rates = new Intl.NumberFormat(numbers, {
    minimumFractionDigits: RATE_DECIMALS,
    maximumFractionDigits: RATE_DECIMALS,
    roundingMode: 'halfEven',
  });
  const counts = new Intl.NumberFormat(numbers);
  const tenths = new Intl.NumberFormat(numbers, {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  const date = { day: 'numeric', month: 'long', year: 'numeric' } as const;
  const months = dateFormat(locale, { month: 'long', year: 'numeric' });
  const shortDays = dateFormat(locale, { day: 'numeric', month: 'short' });
  const days = dateFormat(locale, date);
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const times = dateFormat(locale, clock);
  const exactTimes = dateFormat(locale, { ...clock, second: '2-digit' });
  const brasiliaTimes = dateFormat(locale, { ...clock, timeZone: BRASILIA });
  const brasiliaDays = dateFormat(locale, { ...date, timeZone: BRASILIA });
  const time = (atMs: number) => `${times.format(atMs)}${NO_BREAK_SPACE}UTC`;
  const instant = (atMs: number) => `${days.format(atMs)}, ${time(atMs)}`;
  return {
    money: ({ amountMinor, currency }) => inCurrency(currency).format(decimal(amountMinor)),
    digits: ({ amountMinor }) => amounts.format(decimal(amountMinor)),
    rate: (rate) => rates.format(rate as Intl.StringNumericLiteral),
    count: (count) => counts.format(count),
    fileSize: (bytes) =>
      bytes < MEGABYTE
        ? `${counts.format(Math.ceil(bytes / 1_000))}${NO_BREAK_SPACE}kB`
        : `${tenths.format(bytes / MEGABYTE)}${NO_BREAK_SPACE}MB`,
    oneDecimal: (value) => tenths.format(value),
    seconds: (durationMs) => tenths.format(durationMs / SECOND_MS),
    day: (atMs) => days.format(atMs),
    time,
    instant,
    short: (atMs) => `${shortDays.format(atMs)}, ${times.format(atMs)}`,
    exact: (atMs) => `${shortDays.format(atMs)}, ${exactTimes.format(atMs)}`,
    month: (atMs) => months.format(atMs),
    shortDay: (atMs) => shortDays.format(atMs),
    deadline: (atMs, nowMs) =>
      isLastDay(atMs, nowMs) ? instant(atMs) : days.format(lastWholeDayMs(atMs)),
    brasiliaDay: (atMs) => brasiliaDays.format(atMs),
    brasilia: (atMs) => `${brasiliaDays.format(atMs)}, ${brasiliaTimes.format(atMs)}`,
  };
}

function currencyFormat(locale: NumberLocale, currency: string): Intl.NumberFormat {
  const options = { style: 'currency', currencyDisplay: 'code', useGrouping: 'always' } as const;
  // Also for a currency that ICU writes without decimals.
  const decimals = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return new Intl.NumberFormat(locale, { ...options, ...decimals, currency });
}

function dateFormat(locale: Locale, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(dateLocales[locale], { timeZone: 'UTC', ...options });
}

function decimal(amountMinor: bigint): Intl.StringNumericLiteral {
  return formatAmount(amountMinor) as Intl.StringNumericLiteral;
}
