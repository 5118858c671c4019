// Where the ids of a moment begin, for lists that are in the order of their ids.
import type { Deps } from '../../ports/deps.js';
import { ID_TIME_CHARACTERS } from '../../ports/outside.js';

/** The time in the ids of that moment, without their prefix; no id is older than the epoch. */
export function momentOf({ ids }: Pick<Deps, 'ids'>, atMs: number): string {
  const id = ids.next('pi', Math.max(0, atMs));
  const start = id.indexOf('_') + 1;
  return id.slice(start, start + ID_TIME_CHARACTERS);
}
