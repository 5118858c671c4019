// Amounts, rates and times as text. Formatting takes decimal strings, so no amount becomes a float.
// Times are those of a zone, UTC or that of an organization, and say so; on the pages of buyers the
// browser script rewrites them to the zone of the reader.
import { countries } from '../../../core/domain/base/countries.js';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../core/domain/base/instant.js';
import type { Locale } from '../../../core/domain/base/locale.js';
import { formatAmount, type Money } from '../../../core/domain/base/money.js';
import { DEFAULT_TIME_ZONE, dayOf, daysAfter } from '../../../core/domain/base/time-zone.js';
import { type Asset, assetText } from '../../../core/domain/commands/asset.js';

export interface Format {
  /** With the ISO code and a no-break space: `USD 1,234.50`. */
  readonly money: (money: Money) => string;
  /** Without the code: `1,234.50`. */
  readonly digits: (money: Money) => string;
  /** With four decimals, rounded half to even. */
  readonly rate: (rate: string) => string;
  /** `1,730.75 USDC (polygon)`. */
  readonly asset: (asset: Asset) => string;
  readonly count: (count: number) => string;
  /** `1.2 MB`, `84 kB`. */
  readonly fileSize: (bytes: number) => string;
  /** `2.5`. */
  readonly oneDecimal: (value: number) => string;
  /** `12 ms` below a second, `1.2 s` above. */
  readonly duration: (durationMs: number) => string;
  /** A day of the calendar (YYYY-MM-DD), the same in every zone: `30 November 2026`. */
  readonly date: (day: string) => string;
  /** `30 November 2026`. */
  readonly day: (atMs: number) => string;
  /** `15:58 UTC`, `12:58 GMT-3`. */
  readonly time: (atMs: number) => string;
  /** `17 November 2026, 15:58 UTC`. */
  readonly instant: (atMs: number) => string;
  /** `17 Nov, 15:58`, for tables. */
  readonly short: (atMs: number) => string;
  /** `17 Nov, 15:58:03`. */
  readonly exact: (atMs: number) => string;
  /** Above the rows of a day: `Today, 28 Nov 2026`, `Thursday, 26 Nov 2026`. */
  readonly dayHead: (atMs: number, nowMs: number) => string;
  /** `15:58`, below the day. */
  readonly clock: (atMs: number) => string;
  /** A day of the calendar: `26 Nov 2026`. */
  readonly shortDate: (day: string) => string;
  /** `November 2026`. */
  readonly month: (atMs: number) => string;
  /** `17 Nov`. */
  readonly shortDay: (atMs: number) => string;
  /** The last whole day of UTC before the instant; the instant itself if that day is over. */
  readonly deadline: (atMs: number, nowMs: number) => string;
  /** The day in Brasília, which is the payee's. */
  readonly brasiliaDay: (atMs: number) => string;
  /** `17 November 2026, 15:58`, in Brasília. */
  readonly brasilia: (atMs: number) => string;
  /** The name of a country; a code of none stays as it is. */
  readonly country: (code: string | null) => string | null;
}

/** Days in tables: Brazilian ones have digits, as `29 de nov. de 2026` is long. */
const tableDays = {
  en: { day: 'numeric', month: 'short' },
  'pt-BR': { day: '2-digit', month: '2-digit' },
  es: { day: 'numeric', month: 'short' },
} as const satisfies Record<Locale, Intl.DateTimeFormatOptions>;

/** The day comes before the month in all three. */
const dateLocales = { en: 'en-GB', 'pt-BR': 'pt-BR', es: 'es' } as const satisfies Record<
  Locale,
  string
>;

const MEGABYTE = 1_000_000;
const NO_BREAK_SPACE = '\u00a0';
const UTC = 'UTC';
const RATE_DECIMALS = 4;

/** Where Spanish is written with a decimal point: `12,480.00`. */
const SPANISH_WITH_POINT = 'es-419';
type NumberLocale = Locale | typeof SPANISH_WITH_POINT;

/** What a format depends on besides the language. */
type Reader = Readonly<{ hasDecimalPoint?: boolean; timeZone?: string }>;

const formats = new Map<string, Format>();
/** Formats that are kept, of a language and a zone each; others are made again. */
const FORMATS_MAX = 500;

/** Other languages than Spanish write numbers in one way. */
export function formatOf(
  locale: Locale,
  { hasDecimalPoint = false, timeZone = UTC }: Reader = {},
): Format {
  const numbers = locale === 'es' && hasDecimalPoint ? SPANISH_WITH_POINT : locale;
  const name = `${numbers} ${timeZone}`;
  const known = formats.get(name) ?? createFormat(locale, numbers, timeZone);
  if (formats.size < FORMATS_MAX) formats.set(name, known);
  return known;
}

/** To be pasted into a bank's form: `1234.50`. */
export function plainAmount({ amountMinor }: Money): string {
  return formatAmount(amountMinor);
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

function createFormat(locale: Locale, numbers: NumberLocale, timeZone: string): Format {
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
  const names = new Intl.DisplayNames([locale], { type: 'region' });
  const date = { day: 'numeric', month: 'long', year: 'numeric' } as const;
  const own = (options: Intl.DateTimeFormatOptions) => dateFormat(locale, { ...options, timeZone });
  const months = own({ month: 'long', year: 'numeric' });
  const shortDays = own(tableDays[locale]);
  const days = own(date);
  const shortDate = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  const weekdays = own({ weekday: 'long' });
  const fewDays = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const zoneDays = own(shortDate);
  const utcShortDays = dateFormat(locale, tableDate(locale));
  const utcDays = dateFormat(locale, { ...date, timeZone: UTC });
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const times = own(clock);
  const exactTimes = own({ ...clock, second: '2-digit' });
  const brasiliaTimes = dateFormat(locale, { ...clock, timeZone: DEFAULT_TIME_ZONE });
  const brasiliaDays = dateFormat(locale, { ...date, timeZone: DEFAULT_TIME_ZONE });
  const time = (atMs: number) =>
    `${times.format(atMs)}${NO_BREAK_SPACE}${offsetName(timeZone, atMs)}`;
  const instant = (atMs: number) => `${days.format(atMs)}, ${time(atMs)}`;
  return {
    money: ({ amountMinor, currency }) => inCurrency(currency).format(decimal(amountMinor)),
    digits: ({ amountMinor }) => amounts.format(decimal(amountMinor)),
    rate: (rate) => rates.format(rate as Intl.StringNumericLiteral),
    asset: assetsIn(numbers),
    count: (count) => counts.format(count),
    fileSize: (bytes) =>
      bytes < MEGABYTE
        ? `${counts.format(Math.ceil(bytes / 1_000))}${NO_BREAK_SPACE}kB`
        : `${tenths.format(bytes / MEGABYTE)}${NO_BREAK_SPACE}MB`,
    oneDecimal: (value) => tenths.format(value),
    duration: (durationMs) =>
      durationMs < SECOND_MS ? `${durationMs} ms` : `${tenths.format(durationMs / SECOND_MS)} s`,
    date: (day) => utcDays.format(Date.parse(`${day}T00:00:00Z`)),
    day: (atMs) => days.format(atMs),
    time,
    instant,
    short: (atMs) => `${shortDays.format(atMs)}, ${times.format(atMs)}`,
    exact: (atMs) => `${shortDays.format(atMs)}, ${exactTimes.format(atMs)}`,
    dayHead(atMs, nowMs) {
      const [day, today] = [dayOf(timeZone, atMs), dayOf(timeZone, nowMs)];
      const ago = [0, -1].find((count) => day === daysAfter(today, count));
      const name = ago === undefined ? weekdays.format(atMs) : fewDays.format(ago, 'day');
      return `${name.charAt(0).toUpperCase()}${name.slice(1)}, ${zoneDays.format(atMs)}`;
    },
    clock: (atMs) => times.format(atMs),
    shortDate: (day) => utcShortDays.format(Date.parse(`${day}T00:00:00Z`)),
    month: (atMs) => months.format(atMs),
    shortDay: (atMs) => shortDays.format(atMs),
    deadline: (atMs, nowMs) =>
      isLastDay(atMs, nowMs) ? instant(atMs) : utcDays.format(lastWholeDayMs(atMs)),
    brasiliaDay: (atMs) => brasiliaDays.format(atMs),
    brasilia: (atMs) => `${brasiliaDays.format(atMs)}, ${brasiliaTimes.format(atMs)}`,
    country: (code) => (code !== null && countries.includes(code) && names.of(code)) || code,
  };
}

function tableDate(locale: Locale): Intl.DateTimeFormatOptions {
  return { ...tableDays[locale], year: 'numeric', timeZone: UTC };
}

function currencyFormat(locale: NumberLocale, currency: string): Intl.NumberFormat {
  const options = { style: 'currency', currencyDisplay: 'code', useGrouping: 'always' } as const;
  // Also for a currency that ICU writes without decimals.
  const decimals = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return new Intl.NumberFormat(locale, { ...options, ...decimals, currency });
}

function dateFormat(locale: Locale, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(dateLocales[locale], options);
}

/** The zone as it is at the instant, in every language alike: `UTC`, `GMT-3`. */
function offsetName(timeZone: string, atMs: number): string {
  if (timeZone === UTC) return UTC;
  const options = { timeZone, timeZoneName: 'shortOffset' } as const;
  const parts = new Intl.DateTimeFormat('en', options).formatToParts(atMs);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
}

function decimal(amountMinor: bigint): Intl.StringNumericLiteral {
  return formatAmount(amountMinor) as Intl.StringNumericLiteral;
}

function assetsIn(numbers: string): Format['asset'] {
  const quantities = new Intl.NumberFormat(numbers, {
    minimumFractionDigits: 2,
    maximumFractionDigits: 18,
  });
  return ({ quantity, ...asset }) =>
    assetText({
      ...asset,
      quantity: quantity && quantities.format(quantity as Intl.StringNumericLiteral),
    });
}
