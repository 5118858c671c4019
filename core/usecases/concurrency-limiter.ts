// Bounds the work that a process runs without waiting for it: a worker starts it where a slot is
// free and goes on, so that a call that hangs keeps its slot and delays nothing else. Slots are
// counted in total and by group. How many there are is each runner's rule.
export interface Runner {
  /** Starts at most `limit` due pieces and waits for none. Returns how many. Not reentrant. */
  runOnce(nowMs: number, limit: number): Promise<number>;
  /** Pieces started whose outcome is not recorded yet. */
  inFlight(): number;
  /** Resolves when nothing is in flight. */
  idle(): Promise<void>;
}

/** The group that all work belongs to. */
const ALL = '';

export class ConcurrencyLimiter {
  readonly #wake: () => void;
  readonly #reserved = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();
  readonly #awaited = new Set<string>();

  /** `wake` is called when a slot is free that `onAvailable` asked for. */
  constructor(wake: () => void) {
    this.#wake = wake;
  }

  /** Slots that are taken, in total or by one group. */
  reserved(group = ALL): number {
    return this.#reserved.get(group) ?? 0;
  }

  reserve(groups: readonly string[], count: number): void {
    for (const group of [ALL, ...groups]) this.#reserved.set(group, this.reserved(group) + count);
  }

  release(groups: readonly string[], count: number): void {
    let isAwaited = false;
    for (const group of [ALL, ...groups]) {
      const left = this.reserved(group) - count;
      if (left === 0) this.#reserved.delete(group);
      else this.#reserved.set(group, left);
      if (count > 0 && this.#awaited.delete(group)) isAwaited = true;
    }
    if (isAwaited) this.#wake();
  }

  /** Work waits for a slot of this group: wakes the worker once one is free. */
  onAvailable(group = ALL): void {
    this.#awaited.add(group);
  }

  /**
   * Runs `work`, which must not reject, in a reserved slot. The slot is released when `work` calls
   * `done` or ends; what it does after `done` still counts as in flight.
   */
  run(groups: readonly string[], work: (done: () => void) => Promise<void>): void {
    let isReserved = true;
    const done = () => {
      if (isReserved) this.release(groups, 1);
      isReserved = false;
    };
    const running = work(done).finally(() => {
      this.#running.delete(running);
      done();
    });
    this.#running.add(running);
  }

  inFlight(): number {
    return this.#running.size;
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
