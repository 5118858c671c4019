// Slots bound how many of a thing there may be at a time: each thing is created in a numbered slot,
// and a unique index keeps two of them out of one slot. So the bound holds however many are created
// at the same time, and no row is shared that all of them would have to change.

/**
 * A free slot below `slots`; null when all are taken. Any of them, by a random byte: creates that
 * race would all want the first one.
 */
export function freeSlot(
  taken: readonly number[],
  slots: number,
  [random = 0]: Uint8Array,
): number | null {
  const free = Array.from({ length: slots }, (_, slot) => slot).filter((slot) => {
    return !taken.includes(slot);
  });
  return free[Math.floor((random / 256) * free.length)] ?? null;
}
