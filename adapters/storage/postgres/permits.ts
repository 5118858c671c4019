// A semaphore: a fixed number of permits, granted in the order of the requests.

export class Permits {
  #free: number;
  readonly #waiting: ((granted: boolean) => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** False when none is free in time. Null: no time limit. */
  take(timeoutMs: number | null): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const answer = (granted: boolean) => {
        clearTimeout(timer);
        resolve(granted);
      };
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(answer), 1);
        answer(false);
      };
      const timer = timeoutMs === null ? undefined : setTimeout(giveUp, timeoutMs);
      this.#waiting.push(answer);
    });
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next(true);
  }
}
