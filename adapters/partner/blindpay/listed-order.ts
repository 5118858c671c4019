// The order of BlindPay's lists, which is not documented, and they have no filter by time. A list
// that has run from new to old for a while is read to its first item before the start, any other
// one to its end.

/** A list in another order seldom begins with so many falling times: once in 3.6 million. */
const FALLS_MIN = 10;

export interface ListPlace {
  /** The time of the last item that was read. */
  readonly atMs: number | null;
  /** How often the time has fallen; null once it has risen. */
  readonly falls: number | null;
}

export const listStart: ListPlace = { atMs: null, falls: 0 };

export function placeAfter({ atMs: lastMs, falls }: ListPlace, atMs: number): ListPlace {
  if (!Number.isFinite(atMs)) return { atMs: lastMs, falls: null };
  if (lastMs === null || atMs === lastMs || falls === null) return { atMs, falls };
  return { atMs, falls: atMs < lastMs ? falls + 1 : null };
}

/** No item since this time follows. */
export function isPast({ atMs, falls }: ListPlace, sinceMs: number): boolean {
  return falls !== null && falls >= FALLS_MIN && atMs !== null && atMs < sinceMs;
}
