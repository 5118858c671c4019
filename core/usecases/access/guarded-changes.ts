// Guards what a page changes by its session: the session may end while the body of the request or
// an answer of the partner is awaited.
import type { Deps } from '../../ports/deps.js';
import { type Store, type Tx, withRun } from '../../ports/storage.js';

/** Reads what must still be so; what it returns refuses, or guards the batch. */
export type ReadGuard = (tx: Tx) => Promise<() => void>;

/** Dependencies whose batches are guarded where they change something. */
export function guarded(deps: Deps, read: ReadGuard): Deps {
  const { store } = deps;
  const run: Store['run'] = (work, options) =>
    store.run(async (tx) => {
      // Before the work: a table is not read after a write to it.
      const guard = await read(tx);
      const value = await work(tx);
      if (tx.changes().length > 0) guard();
      return value;
    }, options);
  return { ...deps, store: withRun(store, run) };
}
