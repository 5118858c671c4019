// Work that comes from many callers at once and is done in groups: whoever comes while all lanes
// are busy goes with the next group, so that groups grow with the load and nobody waits for a
// group to fill.

export interface GatheringOptions<Item> {
  /** Groups under way at once. */
  readonly lanes: number;
  /** Items in one group at most. */
  readonly groupMax: number;
  /** Does all of them, and tells each its outcome; never rejects. */
  readonly work: (group: readonly Item[]) => Promise<void>;
}

export class Gathering<Item> {
  readonly #options: GatheringOptions<Item>;
  #waiting: Item[] = [];
  #busy = 0;
  #scheduled = false;
  #idle: PromiseWithResolvers<void> | null = null;

  constructor(options: GatheringOptions<Item>) {
    this.#options = options;
  }

  /** What comes in the same turn of the event loop goes together. */
  add(item: Item): void {
    this.#waiting.push(item);
    this.#schedule();
  }

  /** Resolves when nothing waits and nothing is under way. */
  idle(): Promise<void> {
    if (this.#busy === 0 && this.#waiting.length === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers();
    return this.#idle.promise;
  }

  #schedule(): void {
    if (this.#scheduled || this.#busy >= this.#options.lanes || this.#waiting.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#take();
    });
  }

  async #take(): Promise<void> {
    const group = this.#waiting.slice(0, this.#options.groupMax);
    this.#waiting = this.#waiting.slice(this.#options.groupMax);
    this.#busy += 1;
    this.#schedule();
    await this.#options.work(group);
    this.#busy -= 1;
    this.#schedule();
    if (this.#busy > 0 || this.#waiting.length > 0) return;
    this.#idle?.resolve();
    this.#idle = null;
  }
}
