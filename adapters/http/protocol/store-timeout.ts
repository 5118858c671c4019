// The time limit of one request on the store. At the limit the request is refused; a write that it
// started continues or fails later. Partner calls and slow bodies have other limits.
import { PonteError } from '../../../core/errors.js';
import type { Deps } from '../../../core/ports/deps.js';

/** Three seconds in the queue, and half a second of work. */
export const STORE_TIMEOUT_MS = 3_500;
/** How late a refusal may be. */
const CHECK_MS = 50;

interface RunningCall {
  readonly deadlineMs: number;
  readonly refuse: () => void;
}

/** The calls of all requests. One timer looks at them: a timer for each costs as much as a read. */
const runningCalls = new Set<RunningCall>();
let check: NodeJS.Timeout | null = null;

/** The dependencies of one request, with a limit on its total time on the store. */
export function withStoreTimeout(deps: Deps, timeMs = STORE_TIMEOUT_MS): Deps {
  let leftMs = timeMs;
  const limited = <T>(work: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const startedMs = performance.now();
      const refuse = () =>
        reject(new PonteError('StoreUnavailable', undefined, { retryAfterSeconds: 2 }));
      const call: RunningCall = { deadlineMs: startedMs + leftMs, refuse };
      const ended = () => {
        runningCalls.delete(call);
        leftMs -= performance.now() - startedMs;
      };
      watch(call);
      work.then(
        (value) => {
          ended();
          resolve(value);
        },
        (error: unknown) => {
          ended();
          reject(error);
        },
      );
    });
  const { store, rateLimits } = deps;
  return {
    ...deps,
    // Named one by one: a copy of the store would compute its figures.
    store: {
      run: (work, options) => limited(store.run(work, options)),
      claims: store.claims,
      migrate: () => store.migrate(),
      health: () => store.health(),
      close: () => store.close(),
    },
    rateLimits: { take: (request) => limited(rateLimits.take(request)) },
  };
}

function watch(call: RunningCall): void {
  runningCalls.add(call);
  check ??= setInterval(() => {
    // Results that arrived while the process was busy are read first.
    setImmediate(refuseLateCalls);
  }, CHECK_MS);
}

function refuseLateCalls(): void {
  const nowMs = performance.now();
  for (const call of runningCalls) {
    if (call.deadlineMs > nowMs) continue;
    runningCalls.delete(call);
    call.refuse();
  }
  if (runningCalls.size > 0 || check === null) return;
  clearInterval(check);
  check = null;
}
