// Repeated log lines: the first one is written, then one a minute with the count.

const REPEAT_WINDOW_MS = 60_000;
/** Distinct lines that are tracked. Beyond this limit, every line is written. */
const LINES_MAX = 1_000;

/** The text of a line without its time, and how to write it; `repeated` is null for the first. */
export interface Line {
  readonly text: string;
  readonly write: (repeated: number | null) => void;
}

export class Repeats {
  /** Repeats of each line since it was last written. */
  readonly #counts = new Map<string, number>();

  note({ text, write }: Line): void {
    const count = this.#counts.get(text);
    if (count !== undefined) {
      this.#counts.set(text, count + 1);
      return;
    }
    write(null);
    if (this.#counts.size < LINES_MAX) this.#remember({ text, write });
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
