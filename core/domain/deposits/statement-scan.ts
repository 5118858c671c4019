// The scan of the partner's pay-ins, as a backstop for lost messages. It reads page by page,
// resumes where it stopped, and begins again after a rest.
import { DAY_MS, HOUR_MS } from '../base/instant.js';
import { backoffMs } from '../base/schedules.js';
import type { Mode } from '../base/tenant.js';

export interface StatementScan {
  readonly partner: string;
  readonly mode: Mode;
  /** Entries since then are read. */
  readonly sinceMs: number;
  /** The next page; null: the first. */
  readonly cursor: string | null;
  readonly beganAtMs: number;
  /** When the last scan reached the end. */
  readonly completedAtMs: number | null;
  readonly tries: number;
  readonly dueAtMs: number;
  readonly lastError: string | null;
  readonly version: number;
}

/** Entries are read again for this long: a command may have been in flight, a clock may be off. */
export const SCAN_OVERLAP_MS = 3 * DAY_MS;

/** Money that arrived before the overlap is not read. */
export function firstScan(partner: string, mode: Mode, nowMs: number): StatementScan {
  return {
    partner,
    mode,
    cursor: null,
    sinceMs: nowMs - SCAN_OVERLAP_MS,
    beganAtMs: nowMs,
    completedAtMs: null,
    tries: 0,
    dueAtMs: nowMs,
    lastError: null,
    version: 1,
  };
}

/** Operators must look: nothing finds what messages did not report. */
const SCAN_LATE_MS = 2 * HOUR_MS;

export function isScanLate({ completedAtMs, beganAtMs }: StatementScan, nowMs: number): boolean {
  return nowMs - (completedAtMs ?? beganAtMs) > SCAN_LATE_MS;
}

/** After a page. The next scan begins where this one began, less the overlap. */
export function pageScanned(
  scan: StatementScan,
  nextCursor: string | null,
  nowMs: number,
): StatementScan {
  const { beganAtMs } = scan.cursor === null ? { beganAtMs: nowMs } : scan;
  const read = { ...scan, beganAtMs, tries: 0, lastError: null };
  if (nextCursor !== null) return { ...read, cursor: nextCursor, dueAtMs: nowMs };
  return {
    ...read,
    cursor: null,
    sinceMs: beganAtMs - SCAN_OVERLAP_MS,
    completedAtMs: nowMs,
    dueAtMs: nowMs + backoffMs('statementScan', 0),
  };
}

/** A page that is refused may be of a cursor that has expired: the scan starts over. */
export function scanFailed(
  scan: StatementScan,
  { reason, startsOver }: { readonly reason: string; readonly startsOver: boolean },
  nowMs: number,
): StatementScan {
  return {
    ...scan,
    cursor: startsOver ? null : scan.cursor,
    tries: scan.tries + 1,
    dueAtMs: nowMs + backoffMs('call', scan.tries),
    lastError: reason,
  };
}
