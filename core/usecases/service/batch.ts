// What a function that stages writes gets: the unit of work that is open, and its time.
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';

export interface Batch {
  readonly deps: Deps;
  readonly tx: Tx;
  readonly nowMs: number;
}
