// The service over a store in which something happens between two steps of a use case.
import type { Deps } from '../../core/ports/deps.js';
import type { Store, Tx } from '../../core/ports/storage.js';

type WithStore = Pick<Deps, 'store'>;

/** `between` runs after the reads of the nth batch, before it is committed. */
export function racing<D extends WithStore>(deps: D, between: (nth: number, tx: Tx) => unknown): D {
  let batches = 0;
  const run: Store['run'] = (work, options) =>
    deps.store.run(async (tx) => {
      const value = await work(tx);
      batches += 1;
      await between(batches, tx);
      return value;
    }, options);
  return { ...deps, store: { ...deps.store, run } };
}

/** `before` runs before the nth batch; as where a process ends, its error is that of the batch. */
export function interrupted<D extends WithStore>(deps: D, before: (nth: number) => unknown): D {
  let batches = 0;
  const run: Store['run'] = async (work, options) => {
    batches += 1;
    await before(batches);
    return deps.store.run(work, options);
  };
  return { ...deps, store: { ...deps.store, run } };
}

/** The first batches are stored, later ones end with the process. */
export function dying<D extends WithStore>(deps: D, batches: number): D {
  return interrupted(deps, (nth) => {
    if (nth > batches) throw new Error('the process ends');
  });
}
