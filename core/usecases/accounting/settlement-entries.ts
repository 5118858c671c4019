// Reads the entries for the books of an organization, in the order of their postings.
import {
  type Accounting,
  accountsOn,
  type BookedEntry,
  bookedEntry,
  ENTRY_DELAY_MS,
  noAccounting,
  startOfBookDay,
} from '../../domain/accounting/accounting.js';
import { type EntryFile, type EntryForm, entryFiles } from '../../domain/accounting/entry-file.js';
import {
  type EntryLine,
  entryOf,
  isExchange,
  type PaymentPosting,
  summedLines,
} from '../../domain/accounting/settlement-entry.js';
import type { Tenant } from '../../domain/base/tenant.js';
import { dayOf, daysAfter } from '../../domain/base/time-zone.js';
import {
  originsNamed,
  type Payment,
  type PaymentOrigin,
  paymentOrigins,
} from '../../domain/payments/payment.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { loadOrganization } from '../parties/organizations.js';
import { momentOf } from '../service/id-moments.js';

export const PAGE_POSTINGS = 500;

/** Days are those of the books; null: from the first entry, or up to now. */
export interface EntryRange {
  readonly origins: readonly PaymentOrigin[];
  /** A day (YYYY-MM-DD) or a time. */
  readonly from: string | number | null;
  /** The day is included, the time is not. */
  readonly to: string | number | null;
  /** The last posting that the reader has. */
  readonly afterId: string | null;
}

export const allOfThem: EntryRange = {
  origins: paymentOrigins,
  from: null,
  to: null,
  afterId: null,
};

/** What decides on the day and the names of an entry. */
export interface Books {
  readonly accounting: Accounting;
  readonly timeZone: string;
}

/**
 * Entries that are older than ENTRY_DELAY_MS: a reader that resumes after them misses none. The
 * `lastId` is the last posting that was read, of any origin; null if there is none.
 */
export function readEntries(deps: Deps, tenant: Tenant, range: EntryRange, limit: number) {
  return deps.store.run(async (tx) => {
    const books = await booksOf(tx, tenant);
    const { postings, lastId } = await postingsIn(deps, tx, tenant, momentsIn(books, range), limit);
    const entries = postings.map(async (posting) => {
      const payment = isExchange(posting) ? await tx.payments.get(tenant, posting.subjectId) : null;
      const entry = entryOf(posting, payment?.bookedRate ?? null);
      return bookedEntry(books.accounting, books.timeZone, entry);
    });
    return { entries: await Promise.all(entries), lastId };
  });
}

export function readEntryPayments(
  deps: Deps,
  tenant: Tenant,
  entries: readonly BookedEntry[],
): Promise<ReadonlyMap<string, Payment>> {
  const ids = [...new Set(entries.map(({ subjectId }) => subjectId))];
  return deps.store.run(async (tx) => {
    const found = await Promise.all(ids.map((id) => tx.payments.get(tenant, id)));
    return new Map(found.flatMap((payment) => (payment === null ? [] : [[payment.id, payment]])));
  });
}

export async function allEntries(
  deps: Deps,
  tenant: Tenant,
  range: EntryRange,
): Promise<readonly BookedEntry[]> {
  const all: BookedEntry[] = [];
  for await (const entries of entryPages(deps, tenant, range)) all.push(...entries);
  return all;
}

function entryPages(
  deps: Deps,
  tenant: Tenant,
  range: EntryRange,
): AsyncGenerator<readonly BookedEntry[]> {
  return allPages(range.afterId, async (afterId) => {
    const page = await readEntries(deps, tenant, { ...range, afterId }, PAGE_POSTINGS);
    return { rows: page.entries, lastId: page.lastId };
  });
}

/** What a file of this form has of these days; null: from the first entry, or up to today. */
export async function readEntryFile(
  deps: Deps,
  tenant: Tenant,
  form: EntryForm,
  days: { readonly from: string | null; readonly to: string | null },
): Promise<EntryFile> {
  const { accounting, timeZone } = await deps.store.run((tx) => booksOf(tx, tenant));
  const madeAtMs = deps.clock.nowMs();
  const { from, to } = days;
  const entries = await allEntries(deps, tenant, { ...allOfThem, from, to });
  const opensMs =
    from !== null && entryFiles[form].hasBalances
      ? startOfBookDay(accounting, timeZone, from)
      : null;
  const opening = opensMs === null ? [] : await balancesAt(deps, tenant, accounting, opensMs);
  const toDay = to ?? dayOf(timeZone, madeAtMs);
  const accounts = accountsOn(accounting, toDay);
  const fromDay = from ?? entries[0]?.day ?? toDay;
  return { entries, opening, accounts, fromDay, toDay, madeAtMs };
}

/** The sum of all entries before a time. Those of closed months are not read. */
export async function balancesAt(
  deps: Deps,
  tenant: Tenant,
  { closed }: Pick<Accounting, 'closed'>,
  beforeMs: number,
): Promise<readonly EntryLine[]> {
  const last = closed.findLast((one) => one.summedTo === null && one.untilMs <= beforeMs);
  const range = { ...allOfThem, from: last?.untilMs ?? null, to: beforeMs };
  let balances = last?.balances ?? [];
  for await (const entries of entryPages(deps, tenant, range)) {
    balances = summedLines([...balances, ...entries.flatMap(({ lines }) => lines)]);
  }
  return balances;
}

interface Moments {
  readonly origins: readonly PaymentOrigin[];
  readonly fromMs: number | null;
  /** Not included. */
  readonly beforeMs: number | null;
}

/** All postings of a time, as the ledger has them. */
export function postingPages(
  fresh: () => Deps,
  tenant: Tenant,
  moments: Moments,
): AsyncGenerator<readonly PaymentPosting[]> {
  return allPages(null, async (afterId) => {
    const deps = fresh();
    const { postings, lastId } = await deps.store.run((tx) =>
      postingsIn(deps, tx, tenant, { ...moments, afterId }, PAGE_POSTINGS),
    );
    return { rows: postings, lastId };
  });
}

/** NotFound. */
export async function booksOf(tx: Tx, tenant: Tenant): Promise<Books> {
  const [{ timeZone }, stored] = await Promise.all([
    loadOrganization(tx, tenant.orgId),
    tx.accounting.get(tenant),
  ]);
  return { timeZone, accounting: stored ?? noAccounting(tenant) };
}

function momentsIn({ accounting, timeZone }: Books, { from, to, ...rest }: EntryRange) {
  const startOf = (day: string) => startOfBookDay(accounting, timeZone, day);
  return {
    ...rest,
    fromMs: typeof from === 'string' ? startOf(from) : from,
    beforeMs: typeof to === 'string' ? startOf(daysAfter(to, 1)) : to,
  };
}

async function postingsIn(
  deps: Deps,
  tx: Tx,
  tenant: Tenant,
  { origins, fromMs, beforeMs, afterId }: Moments & Pick<EntryRange, 'afterId'>,
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

async function* allPages<Row>(
  firstId: string | null,
  read: (
    afterId: string | null,
  ) => Promise<{ readonly rows: readonly Row[]; readonly lastId: string | null }>,
): AsyncGenerator<readonly Row[]> {
  for (let afterId = firstId; ; ) {
    const { rows, lastId } = await read(afterId);
    yield rows;
    if (lastId === null || lastId === afterId) return;
    afterId = lastId;
  }
}
