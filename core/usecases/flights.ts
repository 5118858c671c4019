// Work that is under way in this process and that no worker waits for: its worker begins it where
// there is a place, and goes on, so that a call that hangs takes its own place and delays nobody
// else. Places are counted in all and by group; how many there are is each runner's rule.
export interface Runner {
  /**
   * Begins due work, `limit` pieces at most, and waits for none. Returns how many. One run at a
   * time.
   */
  runOnce(nowMs: number, limit: number): Promise<number>;
  /** Pieces under way: begun, or their outcome not yet recorded. */
  inFlight(): number;
  /** Resolves when nothing is in flight. */
  idle(): Promise<void>;
}

/** The group that everything belongs to. */
const ALL = '';

export class Flights {
  readonly #wake: () => void;
  readonly #held = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();
  readonly #missed = new Set<string>();

  /** `wake` is called when a place is free that somebody missed. */
  constructor(wake: () => void) {
    this.#wake = wake;
  }

  /** Places that are taken, in all or by one group. */
  held(group = ALL): number {
    return this.#held.get(group) ?? 0;
  }

  /** Takes places ahead of the claim that tells how many are used. */
  hold(groups: readonly string[], count: number): void {
    for (const group of [ALL, ...groups]) this.#held.set(group, this.held(group) + count);
  }

  /** Gives places back. */
  free(groups: readonly string[], count: number): void {
    let isMissed = false;
    for (const group of [ALL, ...groups]) {
      const left = this.held(group) - count;
      if (left === 0) this.#held.delete(group);
      else this.#held.set(group, left);
      if (count > 0 && this.#missed.delete(group)) isMissed = true;
    }
    if (isMissed) this.#wake();
  }

  /** There is work and no place for it: the worker is woken once this group has one again. */
  miss(group = ALL): void {
    this.#missed.add(group);
  }

  /**
   * On a place that is held, until the work calls `landed` or ends. `work` does not reject; what it
   * does after it has landed still counts as under way.
   */
  begin(groups: readonly string[], work: (landed: () => void) => Promise<void>): void {
    let isHeld = true;
    const land = () => {
      if (isHeld) this.free(groups, 1);
      isHeld = false;
    };
    const running = work(land).finally(() => {
      this.#running.delete(running);
      land();
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
