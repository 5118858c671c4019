// Repeated log lines: the first one is written, then one a minute with the count. What strangers
// send cannot fill the log: lines of requests are limited in number too.

const REPEAT_WINDOW_MS = 60_000;
/**
 * Distinct lines that are tracked. Beyond this limit, lines of requests are counted together, and
 * every other line is written.
 */
const LINES_MAX = 1_000;

/** The text of a line without its time, and how to write it; `repeated` is null for the first. */
export interface Line {
  readonly text: string;
  /** Whether a request caused it. */
  readonly isOfRequest: boolean;
  readonly write: (repeated: number | null) => void;
}

export class Repeats {
  /** Repeats of each line since it was last written. */
  readonly #counts = new Map<string, number>();
  readonly #writeLeftOut: (lines: number) => void;
  #leftOut = 0;

  /** `writeLeftOut` writes how many lines of a minute were counted together. */
  constructor(writeLeftOut: (lines: number) => void) {
    this.#writeLeftOut = writeLeftOut;
  }

  note(line: Line): void {
    const count = this.#counts.get(line.text);
    if (count !== undefined) {
      this.#counts.set(line.text, count + 1);
      return;
    }
    if (this.#counts.size < LINES_MAX) {
      line.write(null);
      this.#remember(line);
    } else if (line.isOfRequest) this.#leaveOut();
    else line.write(null);
  }

  #leaveOut(): void {
    this.#leftOut += 1;
    if (this.#leftOut > 1) return;
    setTimeout(() => {
      this.#writeLeftOut(this.#leftOut);
      this.#leftOut = 0;
    }, REPEAT_WINDOW_MS).unref();
  }

  #remember(line: Line): void {
    this.#counts.set(line.text, 0);
    // The timer does not keep the process alive.
    setTimeout(() => this.#writeAgain(line), REPEAT_WINDOW_MS).unref();
  }

  #writeAgain(line: Line): void {
    const count = this.#counts.get(line.text) ?? 0;
    this.#counts.delete(line.text);
    if (count === 0) return;
    line.write(count);
    this.#remember(line);
  }
}
