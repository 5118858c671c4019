// The turns of tenants. What looks for rows (a list, a search, a page) is made without a pause, so
// a tenant that asks for many at once would keep all others waiting until the last one is made. In
// each turn of the event loop a few of a tenant begin; the rest wait for the next turn, and
// requests of others come in between.

/** Eight searches take some 25 ms. */
const BEGIN_PER_TURN = 8;

/** When a request of this organization may begin; null for now. */
export type TurnOf = (orgId: string) => Promise<void> | null;

export function tenantTurns(): TurnOf {
  const begun = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();
  const nextTurn = () => {
    begun.clear();
    if (waiting.size > 0) setImmediate(nextTurn);
    for (const [orgId, queue] of waiting) {
      const first = queue.splice(0, BEGIN_PER_TURN);
      begun.set(orgId, first.length);
      if (queue.length === 0) waiting.delete(orgId);
      for (const begin of first) begin();
    }
  };
  return (orgId) => {
    if (begun.size === 0) setImmediate(nextTurn);
    const count = begun.get(orgId) ?? 0;
    if (count < BEGIN_PER_TURN) {
      begun.set(orgId, count + 1);
      return null;
    }
    const queue = waiting.get(orgId) ?? [];
    waiting.set(orgId, queue);
    return new Promise((begin) => queue.push(begin));
  };
}
