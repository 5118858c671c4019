// A feed whose first events were pruned.
import type { Tenant } from '../../../core/domain/base/tenant.js';
import type { DomainEvent } from '../../../core/domain/payments/event.js';
import type { Store } from '../../../core/ports/storage.js';
import { anEvent } from '../samples/domain-samples.js';

/** Stores events up to the sequence `last`, and removes those before `oldest`. */
export async function prunedFeed(
  store: Pick<Store, 'run'>,
  tenant: Tenant,
  { oldest, last }: { readonly oldest: number; readonly last: number },
  fieldsOf: (id: string) => Partial<DomainEvent> = () => ({}),
): Promise<void> {
  await store.run(async (tx) => {
    for (let sequence = 1; sequence <= last; sequence += 1) {
      const id = `evt_${tenant.orgId}_${sequence}`;
      tx.feed.append(anEvent({ ...tenant, id, ...fieldsOf(id) }));
    }
  });
  await store.run(async (tx) => tx.retention.removeEvents(tenant, 0, oldest - 1));
}
