// Points in time as text. Inside they are milliseconds since the epoch; RFC 3339 text exists at
// the edges and in event payloads only. What time it is now is the clock's matter.
//
// The calendar is Howard Hinnant's civil_from_days and days_from_civil ("chrono-Compatible
// Low-Level Date Algorithms", https://howardhinnant.github.io/date_algorithms.html): years begin in
// March, so that a leap day is a year's last day, and 400 years are one era of 146097 days.
import { assert } from '../errors.js';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A clock that is further off is wrong: NTP keeps machines within a tenth of a second. */
export const CLOCK_ERROR_MAX_MS = 10 * SECOND_MS;

/** 0000-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z: the years that four digits can write. */
export const EARLIEST_MS = -62_167_219_200_000;
export const LATEST_MS = 253_402_300_799_999;

const ERA_DAYS = 146_097;
/** Days from 0000-03-01 to 1970-01-01. */
const EPOCH_DAYS = 719_468;

const instantForm =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** Whether the clock was wrong that gave this instant as the present. */
export function isFromWrongClock(atMs: number, nowMs: number): boolean {
  return atMs > nowMs + CLOCK_ERROR_MAX_MS;
}

/** The instant as YYYY-MM-DDThh:mm:ss.sssZ. */
export function formatInstant(atMs: number): string {
  assert(
    Number.isInteger(atMs) && atMs >= EARLIEST_MS && atMs <= LATEST_MS,
    'an instant is whole milliseconds within the years 0000 to 9999',
  );
  const days = Math.floor(atMs / DAY_MS);
  const timeMs = atMs - days * DAY_MS;
  const { year, month, day } = civilFromDays(days);
  const date = `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
  const hours = digits(Math.floor(timeMs / HOUR_MS), 2);
  const minutes = digits(Math.floor(timeMs / MINUTE_MS) % 60, 2);
  const seconds = digits(Math.floor(timeMs / SECOND_MS) % 60, 2);
  return `${date}T${hours}:${minutes}:${seconds}.${digits(timeMs % SECOND_MS, 3)}Z`;
}

/**
 * Milliseconds of an RFC 3339 timestamp with offset or Z; null for anything else, a day that does
 * not exist included. Digits beyond the milliseconds are cut off. A leap second, which ends a day
 * of UTC, is the last millisecond of its minute.
 */
export function parseInstant(text: string): number | null {
  const match = instantForm.exec(text);
  if (match === null) return null;
  const field = (index: number): number => Number.parseInt(match[index] ?? '0', 10);
  const [year, month, day] = [field(1), field(2), field(3)];
  const [hours, minutes, seconds] = [field(4), field(5), field(6)];
  const [offsetHours, offsetMinutes] = [field(9), field(10)];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  if (hours > 23 || minutes > 59 || seconds > 60) return null;
  if (offsetHours > 23 || offsetMinutes > 59) return null;
  const fractionMs = Number.parseInt((match[7] ?? '0').slice(0, 3).padEnd(3, '0'), 10);
  const isLeapSecond = seconds === 60;
  const offsetMs = offsetHours * HOUR_MS + offsetMinutes * MINUTE_MS;
  const localMs =
    daysFromCivil(year, month, day) * DAY_MS +
    hours * HOUR_MS +
    minutes * MINUTE_MS +
    (isLeapSecond ? MINUTE_MS - 1 : seconds * SECOND_MS + fractionMs);
  const atMs = match[8] === '-' ? localMs + offsetMs : localMs - offsetMs;
  if (isLeapSecond && (atMs + 1) % DAY_MS !== 0) return null;
  return atMs >= EARLIEST_MS && atMs <= LATEST_MS ? atMs : null;
}

/** Whether the text is a day of the calendar, as YYYY-MM-DD. */
export function isCalendarDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && parseInstant(`${text}T00:00:00Z`) !== null;
}

interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

function civilFromDays(days: number): CivilDate {
  const shifted = days + EPOCH_DAYS;
  const era = Math.floor(shifted / ERA_DAYS);
  const dayOfEra = shifted - era * ERA_DAYS;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}

function daysFromCivil(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const marchMonth = month > 2 ? month - 3 : month + 9;
  const dayOfYear = Math.floor((153 * marchMonth + 2) / 5) + day - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * ERA_DAYS + dayOfEra - EPOCH_DAYS;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function digits(value: number, width: number): string {
  return `${value}`.padStart(width, '0');
}
