// The epochs of a database. A restored database holds an earlier state, and numbers of its feed are
// given twice: a new epoch tells the two lives apart. It begins in quarantine, in which nothing is
// ordered, sent or decided until the partner was asked what it did and an operator releases it.
import { PonteError } from '../errors.js';
import { SECOND_MS } from './instant.js';

/** `made`: the first. `restored`: from a backup. `timeline`: the server lost commits. */
export const epochCauses = ['made', 'restored', 'timeline'] as const;
export type EpochCause = (typeof epochCauses)[number];

/** `over`: another epoch has begun. */
export const epochStates = ['open', 'quarantine', 'over'] as const;
export type EpochState = (typeof epochStates)[number];

export interface Epoch {
  /**
   * 1 for the first. A later one is numbered by the second at which it began, so that two restores
   * of one backup have different numbers.
   */
  readonly number: number;
  readonly cause: EpochCause;
  readonly state: EpochState;
  readonly beganAtMs: number;
  /** Of cause `timeline`: the timeline of the PostgreSQL server that lacks commits. */
  readonly timeline: number | null;
  /** Where a check resumes and what it has counted, as JSON text; null before the first page. */
  readonly checkProgress: string | null;
  /** When a check was complete; null before. */
  readonly checkedAtMs: number | null;
  readonly releasedAtMs: number | null;
  readonly releasedBy: string | null;
  /** Why it was released without a complete check. */
  readonly forcedBecause: string | null;
  readonly version: number;
}

/** What begins a quarantine; the timeline is that of the server that lacks commits. */
export type QuarantineCause =
  | { readonly cause: 'restored' }
  | { readonly cause: 'timeline'; readonly timeline: number };

/** The epoch that follows `last`, in quarantine. */
export function nextEpoch(last: Epoch, cause: QuarantineCause, nowMs: number): Epoch {
  return Object.freeze({
    number: Math.max(last.number + 1, Math.floor(nowMs / SECOND_MS)),
    cause: cause.cause,
    state: 'quarantine',
    beganAtMs: nowMs,
    timeline: cause.cause === 'timeline' ? cause.timeline : null,
    checkProgress: null,
    checkedAtMs: null,
    releasedAtMs: null,
    releasedBy: null,
    forcedBecause: null,
    version: 1,
  });
}

export interface Release {
  /** Who releases it. */
  readonly by: string;
  /** Why it is released although the check is not complete; null to require a complete check. */
  readonly forcedBecause: string | null;
}

/** Ends the quarantine. NotQuarantined if there is none, CheckIncomplete without a check. */
export function releaseEpoch(epoch: Epoch, release: Release, nowMs: number): Epoch {
  if (epoch.state !== 'quarantine') throw new PonteError('NotQuarantined');
  const { by: releasedBy, forcedBecause } = release;
  const isChecked = epoch.checkedAtMs !== null;
  if (!isChecked && forcedBecause === null) throw new PonteError('CheckIncomplete');
  const reason = isChecked ? null : forcedBecause;
  const fields = { releasedAtMs: nowMs, releasedBy, forcedBecause: reason };
  return Object.freeze({ ...epoch, state: 'open', ...fields });
}
