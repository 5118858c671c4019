// What the money desk executes when an operator's decision is confirmed, without its proposal.

import type { Tenant } from '../../core/domain/base/tenant.js';
import type { ServiceAction } from '../../core/domain/money-desk/service-decisions.js';
import type { Deps } from '../../core/ports/deps.js';
import { readServiceItem } from '../../core/usecases/money-desk/service-items.js';
import {
  type OrganizationDossier,
  prepareApproval,
} from '../../core/usecases/parties/organizations.js';
import { operatorNamed } from './samples/operator-samples.js';

const by = [operatorNamed('ana')] as const;

export async function operatorDoes(deps: Deps, id: string, action: ServiceAction): Promise<void> {
  const after = await deps.store.run(async (tx) => {
    const batch = { deps, tx, nowMs: deps.clock.nowMs() };
    const item = await readServiceItem(batch, id, action);
    await item.check(batch);
    return item.stage(batch, by);
  });
  await after();
}

/** Submits the KYB if it was not, and approves it. */
export async function operatorApproves(
  deps: Deps,
  tenant: Tenant,
  given: OrganizationDossier = {},
): Promise<void> {
  await prepareApproval(deps, tenant, given);
  await operatorDoes(deps, tenant.orgId, { verb: 'approve-kyb', mode: tenant.mode });
}
