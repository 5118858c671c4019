// Slots bound how many rows of a kind may exist at a time. Each row is created in a numbered slot,
// and a unique index keeps two rows out of one slot. So the bound holds under concurrency without a
// shared counter row.
import { invalid } from '../../errors.js';

/**
 * A free slot below `slots`, chosen by a random byte because concurrent creates would all take the
 * first one. ValidationError with this message if none is free.
 */
export function freeSlot(
  taken: readonly number[],
  slots: number,
  [random = 0]: Uint8Array,
  message: string,
): number {
  const free = Array.from({ length: slots }, (_, slot) => slot).filter(
    (slot) => !taken.includes(slot),
  );
  const slot = free[Math.floor((random / 256) * free.length)];
  if (slot === undefined) throw invalid(message);
  return slot;
}
