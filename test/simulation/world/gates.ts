// Processes that can die between any two awaits. Every call of a simulated process to the world
// outside waits at a gate; the simulator opens gates in an order of its choice, and a process that
// was killed never gets through one again. Nothing here knows what is behind a gate.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** No call into a store takes as long, on however busy a machine. */
const CALL_MS_MAX = 60_000;
const HANGS = 'a call into the store does not return';

export interface Gate {
  readonly process: SimulatedProcess;
  readonly label: string;
  readonly sinceMs: number;
  readonly open: () => void;
  /** What may still happen in the world although the process that asked for it is dead. */
  readonly afterlife: (() => void) | null;
}

export class SimulatedProcess {
  readonly name: string;
  alive = true;

  constructor(name: string) {
    this.name = name;
  }
}

export class Gates {
  readonly #nowMs: () => number;
  readonly #isClosed: () => boolean;
  #waiting: Gate[] = [];
  #busy = 0;
  #rest: PromiseWithResolvers<void> | null = null;

  /** `isClosed` is asked at each gate: an open one lets through at once. */
  constructor(nowMs: () => number, isClosed: () => boolean) {
    this.#nowMs = nowMs;
    this.#isClosed = isClosed;
  }

  get waiting(): readonly Gate[] {
    return this.#waiting;
  }

  /** Waits until the simulator opens it; for ever when the process is dead by then. */
  pass(
    process: SimulatedProcess,
    label: string,
    afterlife: (() => void) | null = null,
  ): Promise<void> {
    return new Promise((resolve) => {
      if (!process.alive) return;
      if (!this.#isClosed()) {
        resolve();
        return;
      }
      const sinceMs = this.#nowMs();
      this.#waiting.push({ process, label, sinceMs, open: resolve, afterlife });
    });
  }

  open(gate: Gate): void {
    this.#waiting.splice(this.#waiting.indexOf(gate), 1);
    gate.open();
  }

  /** The process is gone; its gates never open. */
  kill(process: SimulatedProcess): readonly Gate[] {
    process.alive = false;
    const left = this.#waiting.filter((gate) => gate.process === process);
    this.#waiting = this.#waiting.filter((gate) => gate.process !== process);
    return left;
  }

  /** Counts a call into real code that needs turns of the event loop. */
  async real<T>(call: () => Promise<T>): Promise<T> {
    this.#busy += 1;
    try {
      return await call();
    } finally {
      this.#leave();
    }
  }

  /** Excludes work of a process inside a store call from the count: it may wait at gates. */
  async outside<T>(work: () => Promise<T>): Promise<T> {
    this.#leave();
    try {
      return await work();
    } finally {
      this.#busy += 1;
    }
  }

  /** Returns when every process waits at a gate or has nothing to do. */
  async settle(): Promise<void> {
    for (;;) {
      await nextTurn();
      if (this.#busy === 0) return;
      this.#rest = Promise.withResolvers();
      const timer = setTimeout(this.#rest.reject, CALL_MS_MAX, new Error(HANGS));
      await this.#rest.promise.finally(() => clearTimeout(timer));
    }
  }

  #leave(): void {
    this.#busy -= 1;
    if (this.#busy === 0) this.#rest?.resolve();
  }
}
