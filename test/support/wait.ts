// Waiting for a condition. It is polled in every turn of the event loop at first, for work of this
// process, and then at an interval.
const TURNS_MS = 5;
const EVERY_MS = 20;

/** Not those that a test mocks. */
const { setTimeout: later } = globalThis;
const now = performance.now.bind(performance);

type Found<T> = Exclude<T, null | undefined | false | ''>;

/** One turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Calls `look` until it returns a value other than null, undefined, false and the empty text: a
 * file is empty before another process has written it.
 */
export async function until<T>(look: () => T | Promise<T>): Promise<Found<T>> {
  for (const sinceMs = now(); ; ) {
    const found = await look();
    const isThere = found !== null && found !== undefined && found !== false && found !== '';
    if (isThere) return found as Found<T>;
    const isSoon = now() - sinceMs < TURNS_MS;
    await (isSoon ? turn() : new Promise((resolve) => later(resolve, EVERY_MS)));
  }
}
