// What the settlement partner wants of a party that it knows: corrections, further information, or
// its new terms. The same three columns for organizations, accounts and KYC submissions.
import { DAY_MS } from '../base/instant.js';

/** A thing that the partner wants, in its words. */
export interface Correction {
  /** A field of the dossier as the partner names it, or the partner's key of a question. */
  readonly field: string;
  readonly reason: string;
}

export interface PartyDue {
  /** What is due, as JSON text; null: nothing. */
  readonly corrections: string | null;
  /** The last moment of an answer; null: the partner names none. */
  readonly answerByMs: number | null;
  /** When operators were alerted that the answer is late. */
  readonly answerAlertedAtMs: number | null;
}

export const nothingDue: PartyDue = {
  corrections: null,
  answerByMs: null,
  answerAlertedAtMs: null,
};

/** New terms of the partner: they are accepted in a browser, not sent with a dossier. */
export const TERMS = 'tosId';

/**
 * The code of a refused quote or pay-in: the party of the destination must act first. The payment
 * waits, and the party is read.
 */
export const PARTY_BLOCKED = 'party_blocked';

/** BlindPay rejects after 27 days; operators are alerted when 20 have passed. */
const ALERT_BEFORE_MS = 7 * DAY_MS;

export function correctionsOf({
  corrections,
}: Pick<PartyDue, 'corrections'>): readonly Correction[] {
  return corrections === null ? [] : (JSON.parse(corrections) as readonly Correction[]);
}

export function isDue(due: Pick<PartyDue, 'corrections'>, field: string): boolean {
  return correctionsOf(due).some((one) => one.field === field);
}

/** What is due by a report; the columns as they were if the report changes none. */
export function dueReported(
  { corrections, answerByMs, answerAlertedAtMs }: PartyDue,
  report: { readonly corrections?: readonly Correction[]; readonly answerByMs?: number | null },
): PartyDue {
  const asked = writeCorrections(report.corrections ?? []);
  if (asked === null) return nothingDue;
  const byMs = report.answerByMs ?? null;
  // A new request has a new time limit.
  const isSame = asked === corrections && byMs === answerByMs;
  return {
    corrections: asked,
    answerByMs: byMs,
    answerAlertedAtMs: isSame ? answerAlertedAtMs : null,
  };
}

export function isSameDue(one: PartyDue, other: PartyDue): boolean {
  return (
    one.corrections === other.corrections &&
    one.answerByMs === other.answerByMs &&
    one.answerAlertedAtMs === other.answerAlertedAtMs
  );
}

/** Something new is due. */
export function isAsked(was: PartyDue, next: PartyDue): boolean {
  return next.corrections !== null && next.corrections !== was.corrections;
}

/** The same, marked if it is time to alert: once for each time limit. */
export function alertedIfLate(due: PartyDue, nowMs: number): PartyDue {
  const { answerByMs, answerAlertedAtMs } = due;
  const isLate = answerByMs !== null && nowMs >= answerByMs - ALERT_BEFORE_MS;
  return isLate && answerAlertedAtMs === null ? { ...due, answerAlertedAtMs: nowMs } : due;
}

function writeCorrections(corrections: readonly Correction[]): string | null {
  if (corrections.length === 0) return null;
  return JSON.stringify(corrections.map(({ field, reason }) => ({ field, reason })));
}
