// A limit of the payee at the partner, or the cap per transfer of the rule under which it pays out:
// the buyer gets no price for an amount over it.
import type { Money } from '../base/money.js';

/**
 * Says whether it limits one payment, or all payments of a day or month by the partner's calendar.
 * `transfer`: it is the cap, AmountAboveCap where no payment is kept.
 */
export const limitPeriods = ['payment', 'day', 'month', 'unknown', 'transfer'] as const;
export type LimitPeriod = (typeof limitPeriods)[number];

/** In the words of operators. */
export function limitName(period: LimitPeriod): string {
  return period === 'transfer' ? 'the cap per transfer' : `a limit of the payee (${period})`;
}

export interface AmountLimit {
  readonly period: LimitPeriod;
  /** What the payee may still receive, zero or more; null if the partner does not say. */
  readonly left: Money | null;
  /** When the period ends; null if waiting does not help or the end is unknown. */
  readonly untilMs: number | null;
}

/** The latest refusal of a quote for this reason. */
export interface LimitHit extends AmountLimit {
  readonly atMs: number;
  /** A later quote was given. */
  readonly isLifted: boolean;
}

/** Until the period ends or a quote is given. */
export function isLimited({ limitHit }: { limitHit: LimitHit | null }, nowMs: number): boolean {
  if (limitHit === null || limitHit.isLifted) return false;
  return limitHit.untilMs === null || nowMs < limitHit.untilMs;
}
