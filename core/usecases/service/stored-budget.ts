// Counts what the requests of a tenant store against its budget.
import type { Tenant } from '../../domain/base/tenant.js';
import { type BudgetPart, storedBy } from '../../domain/service/storage-limits.js';
import type { Deps } from '../../ports/deps.js';
import { type Store, withRun } from '../../ports/storage.js';
import { takeStored } from './rate-limits.js';

/** Dependencies whose batches take what they store. StorageLimitExceeded. */
export function budgeted(deps: Deps, tenant: Tenant, part: BudgetPart): Deps {
  const { store } = deps;
  const run: Store['run'] = (work, options) =>
    store.run(async (tx) => {
      const value = await work(tx);
      await takeStored(deps, tenant, part, storedBy(tx.changes()));
      return value;
    }, options);
  return { ...deps, store: withRun(store, run) };
}
