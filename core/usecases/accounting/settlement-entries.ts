// Reads the entries for the books of an organization, in the order of their postings.

import {
  entryOf,
  isExchange,
  type PaymentPosting,
  type SettlementEntry,
} from '../../domain/accounting/settlement-entry.js';
import { MINUTE_MS } from '../../domain/base/instant.js';
import type { Tenant } from '../../domain/base/tenant.js';
import { originsNamed, type PaymentOrigin } from '../../domain/payments/payment.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { momentOf } from '../service/id-moments.js';

const PAGE_POSTINGS = 500;
/** No batch takes longer from its clock to its commit, so no older entry appears after these. */
export const ENTRY_DELAY_MS = MINUTE_MS;

export interface EntryRange {
  readonly origins: readonly PaymentOrigin[];
  /** Null: from the first one. */
  readonly fromMs: number | null;
  /** Not included; null: up to now. */
  readonly beforeMs: number | null;
  /** The last posting that the reader has. */
  readonly afterId: string | null;
}

export interface EntryPage {
  readonly entries: readonly SettlementEntry[];
  /** The last posting that was read, of any origin; null if there is none. */
  readonly lastId: string | null;
}

/** Entries that are older than ENTRY_DELAY_MS: a reader that resumes after them misses none. */
export function readEntries(
  deps: Deps,
  tenant: Tenant,
  range: EntryRange,
  limit: number,
): Promise<EntryPage> {
  return deps.store.run(async (tx) => {
    const { postings, lastId } = await postingsIn(deps, tx, tenant, range, limit);
    const entries = postings.map(async (posting) => {
      const payment = isExchange(posting) ? await tx.payments.get(tenant, posting.subjectId) : null;
      return entryOf(posting, payment?.bookedRate ?? null);
    });
    return { entries: await Promise.all(entries), lastId };
  });
}

/** All entries of a range. */
export function allEntries(
  deps: Deps,
  tenant: Tenant,
  range: EntryRange,
): Promise<readonly SettlementEntry[]> {
  return allPages(range, async (from) => {
    const { entries, lastId } = await readEntries(deps, tenant, from, PAGE_POSTINGS);
    return { rows: entries, lastId };
  });
}

/** All postings of a range, as the ledger has them. */
export function allPostings(
  deps: Deps,
  tenant: Tenant,
  range: EntryRange,
): Promise<readonly PaymentPosting[]> {
  return allPages(range, async (from) => {
    const { postings, lastId } = await deps.store.run((tx) =>
      postingsIn(deps, tx, tenant, from, PAGE_POSTINGS),
    );
    return { rows: postings, lastId };
  });
}

async function postingsIn(
  deps: Deps,
  tx: Tx,
  tenant: Tenant,
  { origins, fromMs, beforeMs, afterId }: EntryRange,
  limit: number,
) {
  const untilMs = deps.clock.nowMs() - ENTRY_DELAY_MS;
  const from = fromMs === null ? 'pst_' : `pst_${momentOf(deps, fromMs)}`;
  const page = {
    afterId: afterId !== null && afterId > from ? afterId : from,
    beforeId: `pst_${momentOf(deps, Math.min(beforeMs ?? untilMs, untilMs))}`,
    limit,
  };
  const found = await tx.ledger.page(tenant, page);
  const postings = found.filter(({ subjectId }) => originsNamed(subjectId, origins).length > 0);
  return { postings, lastId: found.at(-1)?.id ?? afterId };
}

async function allPages<Row>(
  range: EntryRange,
  read: (
    range: EntryRange,
  ) => Promise<{ readonly rows: readonly Row[]; readonly lastId: string | null }>,
): Promise<readonly Row[]> {
  const all: Row[] = [];
  for (let { afterId } = range; ; ) {
    const { rows, lastId } = await read({ ...range, afterId });
    all.push(...rows);
    if (lastId === null || lastId === afterId) return all;
    afterId = lastId;
  }
}
