// Bounds the concurrent work of a process. A worker starts work in a free slot and does not wait,
// so that a call that hangs occupies its slot and delays nothing else. Slots are counted in total
// and by group.
export interface Runner {
  /** Starts at most `limit` due pieces without waiting. Returns how many. Not reentrant. */
  runOnce(nowMs: number, limit: number): Promise<number>;
  /** Pieces without a recorded outcome. */
  inFlight(): number;
  /** Resolves when nothing is in flight. */
  idle(): Promise<void>;
}

/** The group of all work. */
const ALL = '';

export class ConcurrencyLimiter {
  readonly #wake: () => void;
  readonly #reserved = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();
  readonly #awaited = new Set<string>();

  /** `wake` is called when a slot becomes free after `onAvailable`. */
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
