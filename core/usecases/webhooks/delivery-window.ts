// How many attempts a subscription may have in flight in this process. A tenant occupies at most as
// many slots as it leaves free: a single tenant gets half of them, and there is always a slot for
// the next tenant. A receiver that responds fast gets a larger window.
import { tenantKey } from '../../domain/base/tenant.js';
import { isSuccess } from '../../domain/webhooks/webhook-delivery.js';
import type { WebhookResult } from '../../ports/outside.js';
import type { Claims } from '../../ports/storage.js';
import type { ConcurrencyLimiter } from '../service/concurrency-limiter.js';

/** Attempts in flight to one subscription, in one process, before its window grows. */
export const IN_FLIGHT_PER_SUBSCRIPTION = 32;
/** A window grows by one slot with each fast success; any other outcome resets it. */
export const WINDOW_GROWTH_MAX = 224;
/** Attempts of all subscriptions: each is a socket, and descriptors are bounded. */
export const IN_FLIGHT_MAX = 4_096;
const FAST_RESPONSE_MS = 250;
/** Windows in memory; above this all are reset. */
const WINDOWS_MAX = 10_000;

export type DueSubscription = Awaited<ReturnType<Claims['dueSubscriptions']>>[number];

export class ConcurrencyWindow {
  readonly #limiter: ConcurrencyLimiter;
  readonly #inFlightMax: number;
  readonly #growth = new Map<string, number>();

  constructor(limiter: ConcurrencyLimiter, inFlightMax: number) {
    this.#limiter = limiter;
    this.#inFlightMax = inFlightMax;
  }

  free(): number {
    return this.#inFlightMax - this.#limiter.reserved();
  }

  /** Slots for this subscription; if none, the worker is woken once one is free. */
  freeFor(due: DueSubscription): number {
    const growth = this.#growth.get(due.id) ?? 0;
    const own = IN_FLIGHT_PER_SUBSCRIPTION + growth - this.#limiter.reserved(due.id);
    if (own <= 0) this.#limiter.onAvailable(due.id);
    const spare = this.free() - this.#limiter.reserved(tenantKey(due));
    if (spare <= 0) this.#limiter.onAvailable();
    // Each slot counts twice: one more for its tenant, one fewer free.
    return Math.max(0, Math.min(own, Math.ceil(spare / 2)));
  }

  reserve(due: DueSubscription, count: number): void {
    this.#limiter.reserve(groupsOf(due), count);
  }

  release(due: DueSubscription, count: number): void {
    this.#limiter.release(groupsOf(due), count);
  }

  /** Runs an attempt in a reserved slot until it calls `done`. */
  run(
    due: DueSubscription,
    attempt: (done: (result: WebhookResult) => void) => Promise<void>,
  ): void {
    this.#limiter.run(groupsOf(due), (done) =>
      attempt((result) => {
        this.#note(due, result);
        done();
      }),
    );
  }

  #note({ id }: DueSubscription, { responseStatus, durationMs }: WebhookResult): void {
    if (this.#growth.size >= WINDOWS_MAX) this.#growth.clear();
    const isFast =
      durationMs <= FAST_RESPONSE_MS && responseStatus !== null && isSuccess(responseStatus);
    const growth = (this.#growth.get(id) ?? 0) + 1;
    if (isFast) this.#growth.set(id, Math.min(WINDOW_GROWTH_MAX, growth));
    else this.#growth.delete(id);
  }
}

function groupsOf(due: DueSubscription): readonly string[] {
  return [tenantKey(due), due.id];
}
