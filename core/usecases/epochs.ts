// Beginning an epoch, and ending its quarantine. The store refuses what a quarantine forbids; calls
// to the partner before which nothing is stored ask here first.
import {
  type Epoch,
  type EpochCause,
  nextEpoch,
  type Release,
  releaseEpoch,
} from '../domain/epoch.js';
import { PonteError } from '../errors.js';
import type { Deps } from '../ports.js';

type Needs = Pick<Deps, 'store' | 'clock' | 'log'>;

export function currentEpoch({ store }: Pick<Deps, 'store'>): Promise<Epoch> {
  return store.run((tx) => tx.epochs.current());
}

/**
 * Begins a new epoch in quarantine. The state may be an earlier one: what was ordered, numbered and
 * sent after it is unknown here. Several hosts may notice that a server lost commits: the first one
 * begins the quarantine, and the others find it.
 */
export async function beginEpoch(deps: Needs, cause: Exclude<EpochCause, 'made'>): Promise<Epoch> {
  const epoch = await deps.store.run(
    async (tx) => {
      const last = await tx.epochs.current();
      if (cause === 'timeline' && last.state === 'quarantine') return last;
      const next = nextEpoch(last, cause, deps.clock.nowMs());
      tx.epochs.update({ ...last, state: 'over' });
      tx.epochs.insert(next);
      return next;
    },
    { inQuarantine: true },
  );
  deps.log.warn('the database is in quarantine', { epoch: epoch.number, cause });
  return epoch;
}

/** Ends the quarantine; what waits goes on within seconds, on every host. */
export async function endQuarantine(deps: Needs, release: Release): Promise<Epoch> {
  const epoch = await deps.store.run(
    async (tx) => {
      const released = releaseEpoch(await tx.epochs.current(), release, deps.clock.nowMs());
      tx.epochs.update(released);
      return released;
    },
    { inQuarantine: true },
  );
  const { number, releasedBy, forcedBecause } = epoch;
  deps.log.warn('the quarantine has ended', { epoch: number, releasedBy, forcedBecause });
  return epoch;
}

/** For calls that reach outside before anything is stored. */
export async function refuseInQuarantine(deps: Pick<Deps, 'store'>): Promise<void> {
  const { state } = await currentEpoch(deps);
  if (state === 'quarantine') throw new PonteError('InQuarantine');
}

/**
 * For workers, right before they send what they claimed earlier: false in quarantine. All who ask
 * while one read runs share the next one, so that a burst costs no read for each.
 */
export function openEpochCheck(deps: Pick<Deps, 'store'>): () => Promise<boolean> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<boolean> | null = null;
  return () => {
    next ??= running.then(async () => {
      next = null;
      const reading = currentEpoch(deps);
      running = reading.catch(() => undefined);
      return (await reading).state !== 'quarantine';
    });
    return next;
  };
}
