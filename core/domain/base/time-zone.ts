// The days of an organization: which instants a day of its time zone has. Instants are stored in
// UTC; a day exists in lists, filters, files and plots only.
import { DAY_MS, EARLIEST_MS, HOUR_MS, LATEST_MS } from './instant.js';

/** The zone of an organization that has chosen none: that of Brasília, where sellers are paid. */
export const DEFAULT_TIME_ZONE = 'America/Sao_Paulo';

/** No day of a zone begins further from its midnight in UTC, even where a day is skipped. */
const OFFSET_MAX_MS = 40 * HOUR_MS;
const NAME_LENGTH_MAX = 60;

/**
 * The name in the IANA database, as it is written there; null for any other text. Offsets such as
 * `-03:00` and abbreviations such as `EST` are refused: they have no summer time.
 */
export function readTimeZone(text: string): string | null {
  const name = text.trim();
  if (name.toUpperCase() === 'UTC') return 'UTC';
  if (name.length > NAME_LENGTH_MAX || !/^[a-z_]+(?:\/[a-z0-9_+-]+){1,2}$/i.test(name)) return null;
  const all = Intl.supportedValuesOf('timeZone');
  const known = all.find((zone) => zone.toLowerCase() === name.toLowerCase());
  return known ?? otherName(name);
}

/** `2026-11-28 15:58:03`, as a clock on the wall shows it. */
export function localTime(timeZone: string, atMs: number): string {
  return clockOf(timeZone).format(atMs).padStart('YYYY-MM-DD hh:mm:ss'.length, '0');
}

export function dayOf(timeZone: string, atMs: number): string {
  return localTime(timeZone, atMs).slice(0, 'YYYY-MM-DD'.length);
}

/**
 * The first instant of a day (YYYY-MM-DD). Where the clock skips midnight, the day begins at 01:00;
 * a day that the zone skips begins and ends with the next one. The days of a zone therefore follow
 * each other without a gap, and each instant belongs to one of them.
 */
export function startOfDay(timeZone: string, day: string): number {
  return firstInstant(timeZone, day, 0, (atMs) => dayOf(timeZone, atMs) >= day);
}

/** Exclusive: the first instant of the next day. */
export function endOfDay(timeZone: string, day: string): number {
  return firstInstant(timeZone, day, DAY_MS, (atMs) => dayOf(timeZone, atMs) > day);
}

/**
 * Around a day: the first instant at which it holds, as it does at all later ones. Usually it is so
 * long after the day begins.
 */
function firstInstant(
  timeZone: string,
  day: string,
  laterMs: number,
  holds: (atMs: number) => boolean,
): number {
  const midnightMs = utcMidnight(day);
  const localMs = Date.parse(`${localTime(timeZone, midnightMs).replace(' ', 'T')}Z`);
  // Where the clock does not change. The search takes six times longer.
  const usualMs = midnightMs + laterMs - (localMs - midnightMs);
  if (holds(usualMs) && !holds(usualMs - 1)) return usualMs;
  let beforeMs = midnightMs - OFFSET_MAX_MS;
  let firstMs = midnightMs + OFFSET_MAX_MS + DAY_MS;
  while (firstMs - beforeMs > 1) {
    const middleMs = Math.floor((beforeMs + firstMs) / 2);
    if (holds(middleMs)) firstMs = middleMs;
    else beforeMs = middleMs;
  }
  return firstMs;
}

/**
 * The day so many days later, by the calendar: days of 23 or 25 hours count as others. The first
 * and the last day that four digits can write have none beyond them.
 */
export function daysAfter(day: string, count: number): string {
  return isoDay(utcMidnight(day) + count * DAY_MS);
}

/** A month of a year, from 1; null: the whole year. */
export interface Period {
  readonly year: number;
  readonly month: number | null;
}

/** The first and the last day. */
export function daysOf({ year, month }: Period): { readonly from: string; readonly to: string } {
  const [first, next] = month === null ? [1, 13] : [month, month + 1];
  return { from: isoDay(Date.UTC(year, first - 1)), to: isoDay(Date.UTC(year, next - 1, 0)) };
}

/** The year of the instant. */
export function yearOf(timeZone: string, atMs: number): Period {
  return { year: Number.parseInt(dayOf(timeZone, atMs), 10), month: null };
}

/** `beforeMs` is exclusive. */
export function rangeOf(timeZone: string, period: Period) {
  const { from, to } = daysOf(period);
  return { fromMs: startOfDay(timeZone, from), beforeMs: endOfDay(timeZone, to) };
}

function isoDay(atMs: number): string {
  const writtenMs = Math.min(Math.max(atMs, EARLIEST_MS), LATEST_MS);
  return new Date(writtenMs).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

function utcMidnight(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Swedish writes times as ISO 8601 does. */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known =
    clocks.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone });
  clocks.set(timeZone, known);
  return known;
}

/** Other names of a zone, such as `Europe/Kyiv`, keep their spelling. */
function otherName(name: string): string | null {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    return /(?:^|\/)[a-z]/.test(name) ? timeZone : name;
  } catch {
    return null;
  }
}
