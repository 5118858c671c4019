// The one way in which what an organization has in a mode is changed, and what becomes of its KYB
// when the partner tells something. The operators' steps stand in organizations.ts.
import { kybReported, type OrganizationProfile } from '../domain/organization.js';
import type { PartnerCommand } from '../domain/partner-command.js';
import { type Tenant, tenantOf } from '../domain/tenant.js';
import { PonteError } from '../errors.js';
import type { Deps, ReceiverReport, Tx } from '../ports.js';

export async function changeProfile(
  deps: Deps,
  tenant: Tenant,
  change: (was: OrganizationProfile) => OrganizationProfile,
): Promise<OrganizationProfile> {
  return deps.store.run(async (tx) => {
    const was = await loadProfile(tx, tenant);
    const changed = change(was);
    if (changed !== was) tx.organizations.updateProfile(Object.freeze(changed));
    return changed;
  });
}

export async function loadProfile(tx: Tx, tenant: Tenant): Promise<OrganizationProfile> {
  const profile = await tx.organizations.profile(tenantOf(tenant));
  if (profile === null) throw new PonteError('NotFound');
  return profile;
}

/** News of an earlier submission changes nothing. */
export async function organizationReported(
  deps: Deps,
  command: PartnerCommand,
  partnerRef: string | null,
  report: ReceiverReport,
): Promise<void> {
  await changeProfile(deps, tenantOf(command), (was) =>
    was.kybCommandId === command.id ? kybReported(was, partnerRef, report.status) : was,
  );
}
