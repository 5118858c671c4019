// The time limit of one request on the store. At the limit the request is refused; a write that it
// started continues or fails later. Partner calls and slow bodies have other limits.
import { PonteError } from '../../../core/errors.js';
import type { Deps } from '../../../core/ports/deps.js';

/** Three seconds in the queue, and half a second of work. */
export const STORE_TIMEOUT_MS = 3_500;

/** The dependencies of one request, with a limit on its total time on the store. */
export function withStoreTimeout(deps: Deps, timeMs = STORE_TIMEOUT_MS): Deps {
  let leftMs = timeMs;
  const limited = async <T>(work: Promise<T>): Promise<T> => {
    const startedMs = performance.now();
    const { promise: timeout, reject } = Promise.withResolvers<never>();
    // Results that arrived while the process was busy are read first.
    const refusal = () => new PonteError('StoreUnavailable', undefined, { retryAfterSeconds: 2 });
    const refuse = () => setImmediate(() => reject(refusal()));
    const timer = setTimeout(refuse, Math.max(leftMs, 0));
    try {
      return await Promise.race([work, timeout]);
    } finally {
      clearTimeout(timer);
      leftMs -= performance.now() - startedMs;
    }
  };
  return {
    ...deps,
    store: { ...deps.store, run: (work, options) => limited(deps.store.run(work, options)) },
    rateLimits: { take: (request) => limited(deps.rateLimits.take(request)) },
  };
}
