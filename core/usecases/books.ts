// Whether the books balance: every payment's postings sum to zero in each currency. They are
// looked at page by page, each as of a moment of its own. That is as good as one moment for all,
// because a posting is stored whole; and however long the ledger is, no statement takes long and
// nothing that the database would clean up is held.
import type { Deps, LedgerSum } from '../ports.js';

const PAYMENTS_PER_PAGE = 1_000;

/** What is not zero, `max` of it at most; empty when the books are right. */
export async function findImbalances(
  { store }: Pick<Deps, 'store'>,
  max: number,
): Promise<readonly LedgerSum[]> {
  const found: LedgerSum[] = [];
  for (let last: LedgerSum | null = null; found.length < max; ) {
    const behind = last;
    const sums: readonly LedgerSum[] = await store.run((tx) =>
      tx.ledger.sums(behind, PAYMENTS_PER_PAGE),
    );
    found.push(...sums.filter(({ sum }) => sum.amountMinor !== 0n));
    last = sums.at(-1) ?? null;
    if (last === null) break;
  }
  return found.slice(0, max);
}
