// What an operator does after a restore: the partner is read back until a check is complete, then
// the database is released. Checks fail, are interrupted by crashes and resume, like all else.
import { checkRestored, isCheckComplete } from '../../../core/usecases/money-desk/restore-check.js';
import { endQuarantine, quarantineRestored } from '../../../core/usecases/service/epochs.js';
import type { SimulatedHost } from '../world/simulated-host.js';
import type { World } from '../world/world.js';

const mute = () => undefined;
const log = { debug: mute, info: mute, warn: mute, error: mute };

/** A quarantine, and the process in which the operator's command runs; null when none does. */
export interface Quarantine {
  worker: SimulatedHost | null;
}

export async function beginQuarantine(world: World): Promise<void> {
  const clock = { nowMs: () => world.nowMs };
  const { number } = await quarantineRestored({ store: world.store, clock, log });
  world.trace(`epoch ${number} begins in quarantine`);
  world.quarantine = { worker: null };
  world.observed.quarantine.isOn = true;
}

/** Begins a check, or the release after a complete one, unless one is under way. */
export function operatorReleases(world: World, host: SimulatedHost): void {
  const { quarantine } = world;
  if (quarantine === null) return;
  if (quarantine.worker !== null && world.hosts.includes(quarantine.worker)) return;
  quarantine.worker = host;
  const over = () => {
    quarantine.worker = null;
  };
  const release = () =>
    endQuarantine(host.deps, { by: 'operator', forcedBecause: null }).then(() => {
      world.quarantine = null;
      world.observed.exempt.released(world.observed.payments);
      world.count('released');
    });
  host.begin('check after the restore', () => checkRestored(host.deps, mute), {
    refused: over,
    done: (counts) => {
      if (isCheckComplete(counts)) host.begin('release', release, { refused: over });
      else over();
    },
  });
}
