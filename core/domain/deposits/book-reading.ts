// The readings of the partner's books, as a backstop for lost messages. A transfer that has ended
// may still be recalled or returned, so each book is read three times: often what is new, twice a
// day what ended in the last days, and once a day all that may still change. A reading goes page by
// page, resumes where it stopped, and begins again after a rest.
//
// A message may be lost, and a bank may take money back after a payment has ended: so books are
// read again every 15 minutes for three days, twice a day for ten days, once a day for ninety days.
import { DAY_MS, HOUR_MS } from '../base/instant.js';
import { backoffMs, type ScheduleName } from '../base/schedules.js';
import type { Mode } from '../base/tenant.js';

/** What a partner lists, each kind in its own book. */
export const entryKinds = ['payin', 'payout'] as const;
export type EntryKind = (typeof entryKinds)[number];

interface SpanRule {
  /** Entries that are older than the reading before, less this, are not read. */
  readonly windowMs: number;
  readonly schedule: ScheduleName;
}

/** A bank transfer takes a week at most; its end is watched from then on. */
const TRANSFER_MS = 7 * DAY_MS;

/** `recent` overlaps: a command may have been in flight, a clock may be off. */
export const spans = {
  recent: { windowMs: 3 * DAY_MS, schedule: 'recentReading' },
  watched: { windowMs: TRANSFER_MS + 10 * DAY_MS, schedule: 'watchedReading' },
  complete: { windowMs: TRANSFER_MS + 90 * DAY_MS, schedule: 'completeReading' },
} as const satisfies Readonly<Record<string, SpanRule>>;

export type Span = keyof typeof spans;
export const spanNames = Object.keys(spans) as readonly Span[];

export interface BookReading {
  readonly partner: string;
  readonly mode: Mode;
  readonly book: EntryKind;
  readonly span: Span;
  /** Entries before are not ours: the partner had them before this service. */
  readonly fromMs: number;
  /** Entries since then are read. */
  readonly sinceMs: number;
  /** The next page; null: the first. */
  readonly cursor: string | null;
  readonly beganAtMs: number;
  /** When the last reading reached the end. */
  readonly completedAtMs: number | null;
  readonly tries: number;
  readonly dueAtMs: number;
  readonly lastError: string | null;
  readonly version: number;
}

/** Money that arrived before, and before the first command, is not read. */
export function firstReading(
  of: Pick<BookReading, 'partner' | 'mode' | 'book' | 'span'>,
  firstCommandAtMs: number | null,
  nowMs: number,
): BookReading {
  const fromMs = Math.min(firstCommandAtMs ?? nowMs, nowMs) - spans.recent.windowMs;
  return {
    ...of,
    fromMs,
    sinceMs: fromMs,
    cursor: null,
    beganAtMs: nowMs,
    completedAtMs: null,
    tries: 0,
    dueAtMs: nowMs,
    lastError: null,
    version: 1,
  };
}

/**
 * Due, or older than the release of a restored database, whose books may have entries that nothing
 * here knows. A reading that failed waits.
 */
export function isReadingDue(
  { dueAtMs, tries, beganAtMs }: BookReading,
  releasedAtMs: number | null,
  nowMs: number,
): boolean {
  const isBefore = releasedAtMs !== null && beganAtMs < releasedAtMs;
  return dueAtMs <= nowMs || (isBefore && tries === 0);
}

/** A reading of many pages takes a while. */
const LATE_AFTER_MS = 2 * HOUR_MS;

/** After this time operators must look: nothing finds what messages did not report. */
export function lateAfterMs(span: Span): number {
  return backoffMs(spans[span].schedule, 0) + LATE_AFTER_MS;
}

export function isReadingLate(
  { span, completedAtMs, beganAtMs }: BookReading,
  nowMs: number,
): boolean {
  return nowMs - (completedAtMs ?? beganAtMs) > lateAfterMs(span);
}

/** After a page. The next reading begins where this one began, less its window. */
export function pageRead(
  reading: BookReading,
  nextCursor: string | null,
  nowMs: number,
): BookReading {
  const { beganAtMs } = reading.cursor === null ? { beganAtMs: nowMs } : reading;
  const read = { ...reading, beganAtMs, tries: 0, lastError: null };
  if (nextCursor !== null) return { ...read, cursor: nextCursor, dueAtMs: nowMs };
  const { windowMs, schedule } = spans[reading.span];
  return {
    ...read,
    cursor: null,
    sinceMs: Math.max(reading.fromMs, beganAtMs - windowMs),
    completedAtMs: nowMs,
    dueAtMs: nowMs + backoffMs(schedule, 0),
  };
}

/** A page that is refused may be of a cursor that has expired: the reading starts over. */
export function readingFailed(
  reading: BookReading,
  { reason, startsOver }: { readonly reason: string; readonly startsOver: boolean },
  nowMs: number,
): BookReading {
  return {
    ...reading,
    cursor: startsOver ? null : reading.cursor,
    tries: reading.tries + 1,
    dueAtMs: nowMs + backoffMs('call', reading.tries),
    lastError: reason,
  };
}
