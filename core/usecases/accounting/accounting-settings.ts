// What an organization decides about its books in one mode. Each change is in the audit log.
import {
  type Accounting,
  closingOf,
  noAccounting,
  summingOf,
  withAccounts,
  withClosed,
  withSum,
} from '../../domain/accounting/accounting.js';
import { summedLines } from '../../domain/accounting/settlement-entry.js';
import type { Tenant } from '../../domain/base/tenant.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import type { Batch } from '../service/batch.js';
import { eachSeparately } from '../service/due-work.js';
import {
  allOfThem,
  type Books,
  booksOf,
  PAGE_POSTINGS,
  readEntries,
} from './settlement-entries.js';

/** Entries that a request or a run of the worker adds to the balances of a closed month. */
const SUMMED_MAX = 4 * PAGE_POSTINGS;

export async function readAccounting(
  { store }: Pick<Deps, 'store'>,
  tenant: Tenant,
): Promise<Accounting> {
  return store.run(async (tx) => (await tx.accounting.get(tenant)) ?? noAccounting(tenant));
}

/** What is not named stays. Closed months keep their names. ValidationError. */
export function setAccounts(
  deps: Deps,
  tenant: Tenant,
  given: Accounting['accounts'],
): Promise<Accounting> {
  return change(deps, tenant, ({ accounting }) => withAccounts(accounting, given));
}

/**
 * Also closes the months before it. A repeat changes nothing. It has no inverse: what was reported
 * stays, and a correction is an entry of a later month. ValidationError.
 */
export async function closeMonth(deps: Deps, tenant: Tenant, month: string): Promise<Accounting> {
  await deps.store.run((tx) => stageClosed({ deps, tx, nowMs: deps.clock.nowMs() }, tenant, month));
  await addToSum(deps, tenant);
  return readAccounting(deps, tenant);
}

/** NotFound, ValidationError. `addToSum` begins with its balances. */
export async function stageClosed(
  { deps, tx, nowMs }: Batch,
  tenant: Tenant,
  month: string,
): Promise<void> {
  const { accounting, timeZone } = await booksOf(tx, tenant);
  const closing = closingOf(accounting, month, { nowMs, timeZone });
  if (closing === null) return;
  // The clock may go back into the month. Another process does not learn of it.
  deps.ids.postedUntil(closing.untilMs);
  tx.accounting.put(withClosed(accounting, closing));
}

/** Sums what is left of closed months, SUMMED_MAX entries of each tenant; returns how many. */
export async function runClosings(deps: Deps, _nowMs: number, limit: number): Promise<number> {
  const due = await deps.store.run((tx) => tx.accounting.summing(limit));
  return eachSeparately(deps, 'closings', due, (tenant) => addToSum(deps, tenant));
}

/**
 * Adds the next entries to the balances of the oldest closed month without all. The first one has
 * all history: no request reads that. No entry before its end changes any more.
 */
export async function addToSum(deps: Deps, tenant: Tenant): Promise<void> {
  const was = await readAccounting(deps, tenant);
  const summing = summingOf(was);
  if (summing === null) return;
  const { month, fromMs, opening } = summing;
  const isFirst = month.summedTo === '';
  const lines = isFirst ? [...opening] : [...month.balances];
  let summedTo = month.summedTo;
  for (let left = SUMMED_MAX; left > 0 && summedTo !== null; left -= PAGE_POSTINGS) {
    const range = { ...allOfThem, from: fromMs, to: month.untilMs, afterId: summedTo };
    const { entries, lastId } = await readEntries(deps, tenant, range, PAGE_POSTINGS);
    lines.push(...entries.flatMap((entry) => entry.lines));
    summedTo = lastId === summedTo ? null : lastId;
  }
  const sum = { balances: summedLines(lines), summedTo };
  await change(deps, tenant, ({ accounting }) =>
    accounting.version === was.version ? withSum(was, month, sum) : accounting,
  );
}

function change(
  { store }: Pick<Deps, 'store'>,
  tenant: Tenant,
  decide: (books: Books) => Accounting,
): Promise<Accounting> {
  return store.run(async (tx: Tx) => {
    const books = await booksOf(tx, tenant);
    const next = decide(books);
    if (next !== books.accounting) tx.accounting.put(next);
    return next;
  });
}
