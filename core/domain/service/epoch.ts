// The epochs of a database. A restored database holds an earlier state and reuses sequence numbers
// of its feed, so it starts a new epoch. The epoch starts in quarantine: nothing is ordered, sent
// or decided until it is reconciled with the partner and an operator releases it.
import { PonteError } from '../../errors.js';
import { SECOND_MS } from '../base/instant.js';

/** `initial`: the first. `restored`: from a backup. `lost_commits`: the server lost commits. */
export const epochCauses = ['initial', 'restored', 'lost_commits'] as const;

/** `over`: another epoch has started. */
export const epochStates = ['open', 'quarantine', 'over'] as const;
export type EpochState = (typeof epochStates)[number];

export interface Epoch {
  /** 1, later the Unix time in seconds: two restores of one backup have different numbers. */
  readonly number: number;
  readonly cause: (typeof epochCauses)[number];
  readonly state: EpochState;
  readonly beganAtMs: number;
  /** The timeline of the PostgreSQL server that lacks commits; null for other causes. */
  readonly timeline: number | null;
  /** The cursor and counts of an interrupted check, as JSON text. */
  readonly checkProgress: string | null;
  readonly checkedAtMs: number | null;
  readonly releasedAtMs: number | null;
  readonly releasedBy: string | null;
  /** Why it was released without a complete check. */
  readonly forcedBecause: string | null;
  readonly version: number;
}

export type QuarantineCause =
  | { readonly cause: 'restored' }
  | { readonly cause: 'lost_commits'; readonly timeline: number };

/** The epoch that follows `last`, in quarantine. */
export function nextEpoch(last: Epoch, cause: QuarantineCause, nowMs: number): Epoch {
  return Object.freeze({
    number: Math.max(last.number + 1, Math.floor(nowMs / SECOND_MS)),
    cause: cause.cause,
    state: 'quarantine',
    beganAtMs: nowMs,
    timeline: cause.cause === 'lost_commits' ? cause.timeline : null,
    checkProgress: null,
    checkedAtMs: null,
    releasedAtMs: null,
    releasedBy: null,
    forcedBecause: null,
    version: 1,
  });
}

export interface Release {
  readonly by: string;
  /** Null to require a complete check. */
  readonly forcedBecause: string | null;
}

/** NotQuarantined, CheckIncomplete. */
export function releaseEpoch(epoch: Epoch, release: Release, nowMs: number): Epoch {
  if (epoch.state !== 'quarantine') throw new PonteError('NotQuarantined');
  const { by: releasedBy, forcedBecause } = release;
  const isChecked = epoch.checkedAtMs !== null;
  if (!isChecked && forcedBecause === null) throw new PonteError('CheckIncomplete');
  const reason = isChecked ? null : forcedBecause;
  const fields = { releasedAtMs: nowMs, releasedBy, forcedBecause: reason };
  return Object.freeze({ ...epoch, state: 'open', ...fields });
}
