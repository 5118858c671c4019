// What an organization decides about its books in one mode. Each change is in the audit log.
import {
  type Accounting,
  noAccounting,
  withAccounts,
  withClosed,
} from '../../domain/accounting/accounting.js';
import type { Tenant } from '../../domain/base/tenant.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { type Books, booksOf } from './settlement-entries.js';

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

/** Also closes the months before it. A repeat changes nothing. ValidationError. */
export function closeMonth(deps: Deps, tenant: Tenant, month: string): Promise<Accounting> {
  const nowMs = deps.clock.nowMs();
  return change(deps, tenant, ({ accounting, timeZone }) =>
    withClosed(accounting, month, { nowMs, timeZone }),
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
