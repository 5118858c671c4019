// Waiting for a condition, by polling: each turn of the event loop, or at an interval.

/** One turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

type Found<T> = Exclude<T, null | undefined | false>;

/** Calls `look` until it returns a value other than null, undefined and false. */
export async function until<T>(look: () => T | Promise<T>, everyMs = 0): Promise<Found<T>> {
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found as Found<T>;
    await (everyMs === 0 ? turn() : new Promise((resolve) => setTimeout(resolve, everyMs)));
  }
}
