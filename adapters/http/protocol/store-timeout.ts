// The time limit of one request on the store. At the limit the request is refused; a write that it
// started continues or fails later. Partner calls and slow bodies have other limits.
import { PonteError } from '../../../core/errors.js';
import type { Deps } from '../../../core/ports/deps.js';
import type { RateLimits } from '../../../core/ports/outside.js';
import type { RunOptions, Store, Tx } from '../../../core/ports/storage.js';

/** Three seconds in the queue, and half a second of work. */
const STORE_TIMEOUT_MS = 3_500;
/** How late a refusal may be. */
const CHECK_MS = 50;

interface RunningCall {
  readonly deadlineMs: number;
  readonly refuse: (error: PonteError) => void;
}

/** The calls of all requests. One timer looks at them: a timer for each costs as much as a read. */
const runningCalls = new Set<RunningCall>();
let check: NodeJS.Timeout | null = null;

/** The dependencies of one request, with a limit on its total time on the store. */
export function withStoreTimeout(deps: Deps, timeMs = STORE_TIMEOUT_MS): Deps {
  const limited = new LimitedStore(deps, timeMs);
  return { ...deps, store: limited, rateLimits: limited };
}

class LimitedStore implements Store, RateLimits {
  readonly #store: Store;
  readonly #rateLimits: RateLimits;
  #leftMs: number;
  /** Calls at the same time count once. */
  #running = 0;
  #busySinceMs = 0;

  constructor({ store, rateLimits }: Deps, timeMs: number) {
    this.#store = store;
    this.#rateLimits = rateLimits;
    this.#leftMs = timeMs;
  }

  get kept(): Store['kept'] {
    return this.#store.kept;
  }

  get claims(): Store['claims'] {
    return this.#store.claims;
  }

  run<T>(work: (tx: Tx) => Promise<T>, options?: RunOptions): Promise<T> {
    return this.#limited(this.#store.run(work, options));
  }

  take(request: Parameters<RateLimits['take']>[0]): ReturnType<RateLimits['take']> {
    return this.#limited(this.#rateLimits.take(request));
  }

  migrate(): ReturnType<Store['migrate']> {
    return this.#store.migrate();
  }

  health(): ReturnType<Store['health']> {
    return this.#store.health();
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #limited<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#running === 0) this.#busySinceMs = performance.now();
      this.#running += 1;
      const call: RunningCall = { deadlineMs: this.#busySinceMs + this.#leftMs, refuse: reject };
      const ended = () => {
        runningCalls.delete(call);
        this.#running -= 1;
        if (this.#running === 0) this.#leftMs -= performance.now() - this.#busySinceMs;
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
  }
}

function watch(call: RunningCall): void {
  runningCalls.add(call);
  if (check !== null) return;
  check = setInterval(() => {
    // Results that arrived while the process was busy are read first.
    setImmediate(refuseLateCalls);
  }, CHECK_MS);
  // What ends the process does not wait for it.
  check.unref();
}

function refuseLateCalls(): void {
  const nowMs = performance.now();
  for (const call of runningCalls) {
    if (call.deadlineMs > nowMs) continue;
    runningCalls.delete(call);
    call.refuse(new PonteError('StoreUnavailable', undefined, { retryAfterSeconds: 2 }));
  }
  if (runningCalls.size > 0 || check === null) return;
  clearInterval(check);
  check = null;
}
