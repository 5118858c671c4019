// The time that one request may spend with the store, whatever the database does: then it is
// answered, and what it began goes on or fails by itself. Calls to the partner and bodies that
// come slowly have limits elsewhere.
import { PonteError } from '../../core/errors.js';
import type { Deps } from '../../core/ports.js';

/** What is promised is three seconds in the queue; the rest is work. */
export const STORE_TIME_MS = 3_500;

/** Dependencies for one request: what it does with the store takes so long in all. */
export function withinStoreTime(deps: Deps, timeMs = STORE_TIME_MS): Deps {
  let leftMs = timeMs;
  const limited = async <T>(work: Promise<T>): Promise<T> => {
    const startedMs = performance.now();
    const { promise: over, reject } = Promise.withResolvers<never>();
    // What has come meanwhile is read first: the process may have been busy itself.
    const refusal = () => new PonteError('StoreUnavailable', undefined, { retryAfterSeconds: 2 });
    const refuse = () => setImmediate(() => reject(refusal()));
    const timer = setTimeout(refuse, Math.max(leftMs, 0));
    try {
      return await Promise.race([work, over]);
    } finally {
      clearTimeout(timer);
      leftMs -= performance.now() - startedMs;
    }
  };
  return {
    ...deps,
    store: { ...deps.store, run: (work, options) => limited(deps.store.run(work, options)) },
    rateLimits: { take: (asked) => limited(deps.rateLimits.take(asked)) },
  };
}
