// Waiting for a condition. It is polled in every turn of the event loop at first, for work of this
// process, and then at an interval.
const TURNS = 100;
const EVERY_MS = 10;

type Found<T> = Exclude<T, null | undefined | false>;

/** One turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Calls `look` until it returns a value other than null, undefined and false. */
export async function until<T>(look: () => T | Promise<T>): Promise<Found<T>> {
  for (let polls = 1; ; polls += 1) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found as Found<T>;
    await (polls < TURNS ? turn() : new Promise((resolve) => setTimeout(resolve, EVERY_MS)));
  }
}
