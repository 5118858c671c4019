// Starts an epoch and ends its quarantine. The store refuses writes in quarantine; calls to the
// partner before any write check here first.
import {
  type Epoch,
  nextEpoch,
  type QuarantineCause,
  type Release,
  releaseEpoch,
} from '../../domain/service/epoch.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';

type EpochContext = Pick<Deps, 'clock' | 'log'> & { readonly store: Pick<Deps['store'], 'run'> };

export function currentEpoch({ store }: Pick<Deps, 'store'>): Promise<Epoch> {
  return store.run((tx) => tx.epochs.current());
}

export function quarantineRestored(deps: EpochContext): Promise<Epoch> {
  return startEpoch(deps, { cause: 'restored' });
}

/**
 * For a PostgreSQL server that took over without acknowledged commits. Each host calls this, some
 * of them late: only the first call for a timeline starts a quarantine.
 */
export function quarantineLostCommits(deps: EpochContext, timeline: number): Promise<Epoch> {
  return startEpoch(deps, { cause: 'lost_commits', timeline });
}

async function startEpoch(deps: EpochContext, cause: QuarantineCause): Promise<Epoch> {
  const started = await deps.store.run(
    async (tx) => {
      const last = await tx.epochs.current();
      const isKnown = cause.cause === 'lost_commits' && (await isCovered(tx, cause.timeline));
      if (isKnown) return { epoch: last, isNew: false };
      const next = nextEpoch(last, cause, deps.clock.nowMs());
      tx.epochs.update({ ...last, state: 'over' });
      tx.epochs.insert(next);
      return { epoch: next, isNew: true };
    },
    { inQuarantine: true },
  );
  const { epoch, isNew } = started;
  const fields = { epoch: epoch.number, cause: cause.cause };
  if (isNew) deps.log.warn('the database is in quarantine', fields);
  return epoch;
}

/** Whether an epoch has started after these lost commits. */
async function isCovered(tx: Tx, timeline: number): Promise<boolean> {
  const epochs = await tx.epochs.list();
  return epochs.some((epoch) => epoch.timeline !== null && epoch.timeline >= timeline);
}

/** Workers on every host go on within seconds. */
export async function endQuarantine(deps: EpochContext, release: Release): Promise<Epoch> {
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

/** For calls to the partner before anything is stored. */
export async function refuseInQuarantine(deps: Pick<Deps, 'store'>): Promise<void> {
  const { state } = await currentEpoch(deps);
  if (state === 'quarantine') throw new PonteError('InQuarantine');
}

/**
 * For workers, right before they send: false in quarantine. Callers during one read share the next
 * one, so that a burst takes few reads.
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
