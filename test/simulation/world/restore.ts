// Copies of the database with its documents, and the restore of one: every process dies, database
// and documents are what they were; the partner, the receivers and the mailboxes remember what
// happened since. What that excuses is in restore-exemptions.ts.
import { HOUR_MS } from '../../../core/domain/base/instant.js';
import { beginQuarantine } from '../actions/quarantine-release.js';
import type { StateCopy } from '../invariants/observed-state.js';
import { PARTNER_KEY_KEPT_MS } from '../partner/simulated-partner.js';
import type { RestoreCopy } from './simulated-database.js';
import type { World } from './world.js';

export interface WorldCopy {
  readonly atMs: number;
  readonly database: RestoreCopy;
  readonly documents: () => Promise<void>;
  readonly observed: StateCopy;
}

/** Copies that are kept at a time. */
const COPIES_MAX = 5;
/** How often a copy is taken, where any is restored: per step. */
const COPY_CHANCE = 0.1;
/** A copy is restored while the partner keeps the keys of what was ordered since, and not later. */
const COPY_AGE_MS_MAX = PARTNER_KEY_KEPT_MS - 2 * HOUR_MS;

/** Takes a copy from time to time. Call it between two steps, when no call is under way. */
export async function copyNowAndThen(world: World): Promise<void> {
  const { random, profile, copies } = world;
  if (profile.faults.restore === 0 || !random.chance(COPY_CHANCE)) return;
  if (copies.length === COPIES_MAX) copies.splice(random.between(0, COPIES_MAX - 1), 1);
  copies.push({
    atMs: world.nowMs,
    database: await world.database.copy(),
    documents: await world.documents.copy(),
    observed: world.observed.copy(),
  });
}

/** A copy that may be restored; null when there is none. */
export function restorable(world: World): WorldCopy | null {
  const young = world.copies.filter(({ atMs }) => world.nowMs - atMs < COPY_AGE_MS_MAX);
  return young.length === 0 ? null : world.random.pick(young);
}

export async function restore(world: World, copy: WorldCopy): Promise<void> {
  world.trace(`restore of the copy at +${copy.atMs}`);
  for (const host of [...world.hosts]) world.kill(host);
  // What the dead had sent arrives before, and is judged by what was there then.
  await world.look();
  world.database = await copy.database();
  await copy.documents();
  world.observed.goBack(copy.observed);
  await beginQuarantine(world);
  await world.observed.audit(world.store);
  for (const partner of Object.values(world.partners)) partner.restored(copy.atMs);
  world.copies.splice(
    0,
    world.copies.length,
    ...world.copies.filter((one) => one.atMs <= copy.atMs),
  );
  world.populate();
}
