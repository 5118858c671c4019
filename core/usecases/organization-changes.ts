// Changes of an organization and its profile, and the partner's reports about its KYB.
import {
  kybReported,
  kybWithDue,
  type Organization,
  type OrganizationProfile,
} from '../domain/organization.js';
import type { PartyCommand } from '../domain/partner-command.js';
import { type Tenant, tenantOf } from '../domain/tenant.js';
import { PonteError } from '../errors.js';
import type { Deps } from '../ports/deps.js';
import type { Tx } from '../ports/storage.js';
import type { Batch } from './batch.js';
import {
  alertsOf,
  askedAlert,
  complete,
  dueNow,
  type PartyReport,
  type PartyStaged,
  stageAnswerRefused,
} from './party-reports.js';

/** Unchanged if `change` returns what it was given. NotFound. */
export async function changeOrganization(
  deps: Deps,
  orgId: string,
  change: (was: Organization) => Organization,
): Promise<void> {
  await deps.store.run(async (tx) => {
    const was = await tx.organizations.get(orgId);
    if (was === null) throw new PonteError('NotFound');
    const next = change(was);
    if (next !== was) tx.organizations.update(Object.freeze(next));
  });
}

export async function changeProfile(
  deps: Deps,
  tenant: Tenant,
  change: (was: OrganizationProfile) => OrganizationProfile,
): Promise<OrganizationProfile> {
  return deps.store.run(async (tx) => {
    const was = await loadProfile(tx, tenant);
    const changed = change(was);
    stageProfile(tx, was, changed);
    return changed;
  });
}

export async function loadProfile(tx: Tx, tenant: Tenant): Promise<OrganizationProfile> {
  const profile = await tx.organizations.profile(tenantOf(tenant));
  if (profile === null) throw new PonteError('NotFound');
  return profile;
}

/** Stages a report about the KYB; one about an earlier submission changes nothing. */
export async function organizationReported(
  { tx, nowMs }: Pick<Batch, 'tx' | 'nowMs'>,
  command: PartyCommand,
  reported: PartyReport,
): Promise<PartyStaged> {
  const was = await loadProfile(tx, command);
  if (was.kybCommandId !== command.id) return complete;
  const { partnerRef, report } = reported;
  const decided = kybReported(was, partnerRef, report.status, report.reason);
  const next = kybWithDue(decided, dueNow(was, decided, reported, nowMs));
  stageProfile(tx, was, next);
  const about = { orgId: was.orgId, mode: was.mode };
  const alerts = [...askedAlert(was, next, about), ...alertsOf(was, next, about)];
  return { ...complete, alerts };
}

/** True if the refused order was an answer: the profile stays as it is. */
export async function organizationAnswerRefused(
  batch: Pick<Batch, 'tx' | 'nowMs'>,
  command: PartyCommand,
): Promise<boolean> {
  const was = await loadProfile(batch.tx, command);
  if (was.kybCommandId !== command.id) return false;
  const kybCommandId = await stageAnswerRefused(batch, command, was.partnerRef);
  if (kybCommandId === null) return false;
  stageProfile(batch.tx, was, { ...was, kybCommandId });
  return true;
}

function stageProfile(tx: Tx, was: OrganizationProfile, next: OrganizationProfile): void {
  if (next !== was) tx.organizations.updateProfile(Object.freeze(next));
}
