// The history of PIX destinations: a row for each one that was set. A change of one may be held,
// and is stopped by the links in the mails about it until it takes effect.
import type { Tenant } from '../base/tenant.js';

/** How long a change is held in live mode, by the setting of the organization. */
export const HOLD_HOURS_MAX = 72;
export const HOLD_HOURS = 24;

export interface DestinationChange extends Tenant {
  readonly id: string;
  /** The seller; null: the organization itself. */
  readonly accountId: string | null;
  /** Destinations as references of the partner; null: there was none. */
  readonly fromRef: string | null;
  readonly toRef: string;
  /** The id of the API key, or of the operator who proposed it. */
  readonly changedBy: string;
  readonly createdAtMs: number;
  /** `createdAtMs` if it was not held. */
  readonly effectiveAtMs: number;
  readonly stoppedAtMs: number | null;
  /** When another change came while it was held. */
  readonly replacedAtMs: number | null;
  readonly version: number;
}

export type ChangeState = 'held' | 'effective' | 'stopped' | 'replaced';

export function changeState(change: DestinationChange, nowMs: number): ChangeState {
  if (change.stoppedAtMs !== null) return 'stopped';
  if (change.replacedAtMs !== null) return 'replaced';
  return nowMs < change.effectiveAtMs ? 'held' : 'effective';
}

/** What the code in the link of its mails is a keyed hash of. */
export function stopText({ orgId, mode, id }: DestinationChange): string {
  return `${orgId} ${mode} ${id}`;
}
