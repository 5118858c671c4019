// What an organization decides about its books in one mode. Each change is in the audit log.
import {
  type Accounting,
  closingOf,
  noAccounting,
  withAccounts,
  withClosed,
} from '../../domain/accounting/accounting.js';
import type { Tenant } from '../../domain/base/tenant.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { type Books, balancesAt, booksOf } from './settlement-entries.js';

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
  for (;;) {
    const nowMs = deps.clock.nowMs();
    const { accounting: was, timeZone } = await deps.store.run((tx) => booksOf(tx, tenant));
    const closing = closingOf(was, month, { nowMs, timeZone });
    if (closing === null) return was;
    // No entry before this time changes any more, so its sum is read before the batch.
    const balances = await balancesAt(deps, tenant, was, closing.untilMs);
    const next = withClosed(was, { ...closing, balances });
    const stored = await change(deps, tenant, ({ accounting }) =>
      accounting.version === was.version ? next : accounting,
    );
    if (stored === next) return next;
  }
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
