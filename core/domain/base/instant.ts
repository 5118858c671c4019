// Points in time as text. Inside the service an instant is milliseconds since the epoch; RFC 3339
// text exists at the edges and in event payloads only.
import { assert } from '../../errors.js';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A clock that is further off is wrong: NTP keeps machines within a tenth of a second. */
export const CLOCK_ERROR_MAX_MS = 10 * SECOND_MS;

/** 0000-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z: the years that four digits can write. */
export const EARLIEST_MS = -62_167_219_200_000;
export const LATEST_MS = 253_402_300_799_999;

const timeForm =
  String.raw`(?<hours>[01]\d|2[0-3]):(?<minutes>[0-5]\d):(?<seconds>[0-5]\d|60)` +
  String.raw`(?:\.(?<fraction>\d+))?`;
const offsetForm = String.raw`(?<sign>[+-])(?<offsetHours>[01]\d|2[0-3]):(?<offsetMinutes>[0-5]\d)`;
const instantForm = new RegExp(
  String.raw`^(?<date>\d{4}-\d\d-\d\d)[Tt]${timeForm}(?:[Zz]|${offsetForm})$`,
);

/** Whether an instant that a clock gave as the present shows that the clock was wrong. */
export function isFromWrongClock(atMs: number, nowMs: number): boolean {
  return atMs > nowMs + CLOCK_ERROR_MAX_MS;
}

/** The last minute that was formatted: instants of one answer often share it, and Date is slow. */
let lastMinute = { startMs: Number.NaN, text: '' };

/** The instant as YYYY-MM-DDThh:mm:ss.sssZ. */
export function formatInstant(atMs: number): string {
  assert(
    Number.isInteger(atMs) && atMs >= EARLIEST_MS && atMs <= LATEST_MS,
    'an instant is whole milliseconds within the years 0000 to 9999',
  );
  const startMs = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
  if (startMs !== lastMinute.startMs) {
    lastMinute = {
      startMs,
      text: new Date(startMs).toISOString().slice(0, 'YYYY-MM-DDThh:mm:'.length),
    };
  }
  const restMs = atMs - startMs;
  const seconds = `${Math.floor(restMs / SECOND_MS)}`.padStart(2, '0');
  return `${lastMinute.text}${seconds}.${`${restMs % SECOND_MS}`.padStart(3, '0')}Z`;
}

export function instantOrNull(atMs: number | null | undefined): string | null {
  return atMs === null || atMs === undefined ? null : formatInstant(atMs);
}

/**
 * Milliseconds of an RFC 3339 timestamp with an offset or Z; null for anything else, including a
 * day that does not exist. Digits beyond the milliseconds are cut off. A leap second, which ends a
 * day of UTC, is the last millisecond of its minute.
 */
export function parseInstant(text: string): number | null {
  const fields = instantForm.exec(text)?.groups;
  if (fields === undefined) return null;
  const { date = '', fraction = '', sign } = fields;
  const dayMs = Date.parse(`${date}T00:00:00Z`);
  // Date.parse reads 30 February as 2 March.
  if (Number.isNaN(dayMs) || !formatInstant(dayMs).startsWith(date)) return null;
  const field = (name: string) => Number.parseInt(fields[name] ?? '0', 10);
  const isLeapSecond = field('seconds') === 60;
  const fractionMs = Number.parseInt(fraction.slice(0, 3).padEnd(3, '0'), 10);
  const secondsMs = isLeapSecond ? MINUTE_MS - 1 : field('seconds') * SECOND_MS + fractionMs;
  const localMs = dayMs + field('hours') * HOUR_MS + field('minutes') * MINUTE_MS + secondsMs;
  const offsetMs = field('offsetHours') * HOUR_MS + field('offsetMinutes') * MINUTE_MS;
  const atMs = sign === '-' ? localMs + offsetMs : localMs - offsetMs;
  if (isLeapSecond && (atMs + 1) % DAY_MS !== 0) return null;
  return atMs >= EARLIEST_MS && atMs <= LATEST_MS ? atMs : null;
}

/** Whether the text is a day of the calendar, as YYYY-MM-DD. */
export function isCalendarDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && parseInstant(`${text}T00:00:00Z`) !== null;
}

/** As `35 minutes`, `5 hours` or `3 days`. */
export function formatDuration(durationMs: number): string {
  const minutes = Math.floor(durationMs / MINUTE_MS);
  if (minutes < 120) return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
}
