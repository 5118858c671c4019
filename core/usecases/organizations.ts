// Organizations: making them, and bringing them to where payments can be created in a mode (KYB at
// the partner, PIX destination, virtual account). Each step is stored before the next begins and
// is keyed at the partner, so that any of these calls can be repeated after a failure.

import type { KybStatus, Organization, OrganizationProfile } from '../domain/organization.js';
import { hasUnstorableText } from '../domain/raw-json.js';
import { type Mode, modes, type Tenant, tenantOf } from '../domain/tenant.js';
import { assert, PonteError } from '../errors.js';
import type { Deps, PartnerAnswer, ReceiverReport, SettlementPartner } from '../ports.js';

const NAME_LENGTH_MAX = 200;
const PIX_KEY_LENGTH_MAX = 140;

export interface OrganizationView {
  readonly organization: Organization;
  readonly profiles: Readonly<Record<Mode, OrganizationProfile>>;
}

export interface PixDestination {
  /** Goes to the partner and nowhere else. */
  readonly pixKey: string;
  readonly accountHolderName: string;
}

/**
 * A new organization. With `sandboxKyb` it can collect in test mode at once: KYB approved, a PIX
 * destination and a virtual account at the test partner.
 */
export async function createOrganization(
  deps: Deps,
  input: { readonly name: string; readonly sandboxKyb: boolean },
): Promise<OrganizationView> {
  const name = checkedText('name', input.name, NAME_LENGTH_MAX);
  const nowMs = deps.clock.nowMs();
  const organization: Organization = Object.freeze({
    id: deps.ids.next('org', nowMs),
    name,
    productionGrantedAtMs: null,
    requiresApproval: false,
    createdAtMs: nowMs,
    version: 1,
  });
  const profiles = modes.map((mode) => newProfile({ orgId: organization.id, mode }));
  await deps.store.run(async (tx) => tx.organizations.insert(organization, profiles));
  if (input.sandboxKyb) {
    await clearSandbox(deps, organization).catch((error: unknown) => {
      if (!(error instanceof PonteError)) throw error;
      const text = `${organization.id} was created, but its sandbox is not ready: ${error.message}`;
      throw new PonteError(error.code, text, { cause: error });
    });
  }
  return readOrganization(deps, organization.id);
}

export async function listOrganizations(deps: Deps): Promise<readonly Organization[]> {
  return deps.store.run((tx) => tx.organizations.list());
}

export async function readOrganization(deps: Deps, orgId: string): Promise<OrganizationView> {
  return deps.store.run(async (tx) => {
    const [organization, test, live] = await Promise.all([
      tx.organizations.get(orgId),
      tx.organizations.profile({ orgId, mode: 'test' }),
      tx.organizations.profile({ orgId, mode: 'live' }),
    ]);
    if (organization === null) throw new PonteError('NotFound');
    assert(test !== null && live !== null, 'an organization has a profile in each mode');
    return { organization, profiles: { test, live } };
  });
}

/** Submits the KYB, or asks again for the decision on one that is being verified. */
export async function submitKyb(deps: Deps, tenant: Tenant): Promise<OrganizationView> {
  const { organization } = await readOrganization(deps, tenant.orgId);
  await submitted(deps, organization, tenant);
  await provisioned(deps, tenant);
  return readOrganization(deps, tenant.orgId);
}

/** An operator's word that the KYB is approved; the virtual account follows the PIX destination. */
export async function approveKyb(deps: Deps, tenant: Tenant): Promise<OrganizationView> {
  const { organization } = await readOrganization(deps, tenant.orgId);
  if (tenant.mode === 'live' && organization.productionGrantedAtMs === null) {
    throw new PonteError('ProductionAccessNotApproved');
  }
  await submitted(deps, organization, tenant);
  await changeProfile(deps, tenant, (profile) => ({ ...profile, kybStatus: 'approved' }));
  await provisioned(deps, tenant);
  return readOrganization(deps, tenant.orgId);
}

/** Where payments without a named seller settle to. Another destination replaces the one before. */
export async function configurePayout(
  deps: Deps,
  tenant: Tenant,
  destination: PixDestination,
): Promise<OrganizationView> {
  const { profiles } = await readOrganization(deps, tenant.orgId);
  const { kybStatus, partnerRef } = profiles[tenant.mode];
  if (kybStatus !== 'approved' || partnerRef === null) {
    throw new PonteError('KybNotApproved', 'The KYB is not approved. Approve it, then configure.');
  }
  await registered(deps, tenant, partnerRef, destination);
  await provisioned(deps, tenant);
  return readOrganization(deps, tenant.orgId);
}

/** The manual approval that a live mode needs besides its KYB. Again it changes nothing. */
export async function grantProduction(deps: Deps, orgId: string): Promise<OrganizationView> {
  const nowMs = deps.clock.nowMs();
  await deps.store.run(async (tx) => {
    const organization = await tx.organizations.get(orgId);
    if (organization === null) throw new PonteError('NotFound');
    if (organization.productionGrantedAtMs !== null) return;
    tx.organizations.update(Object.freeze({ ...organization, productionGrantedAtMs: nowMs }));
  });
  if (deps.partners.live !== null) await provisioned(deps, { orgId, mode: 'live' });
  return readOrganization(deps, orgId);
}

/** Everything a test mode needs, in the order the partner wants it. */
async function clearSandbox(deps: Deps, organization: Organization): Promise<void> {
  const tenant: Tenant = { orgId: organization.id, mode: 'test' };
  await submitted(deps, organization, tenant);
  const { profiles } = await readOrganization(deps, organization.id);
  const { kybStatus, partnerRef } = profiles.test;
  if (kybStatus !== 'approved' || partnerRef === null) return;
  const pixKey = `${organization.id}@sandbox.invalid`;
  await registered(deps, tenant, partnerRef, { pixKey, accountHolderName: organization.name });
  await provisioned(deps, tenant);
}

/** The organization is a party at the partner, and what the partner decided on it is known. */
async function submitted(deps: Deps, organization: Organization, tenant: Tenant): Promise<void> {
  const partner = partnerOf(deps, tenant.mode);
  const receiverId = deps.ids.next('rcv', deps.clock.nowMs());
  // Our reference is stored before the call, so that a repeat finds the same party. A rejected
  // organization starts anew, as another party.
  const profile = await changeProfile(deps, tenant, (was) =>
    was.receiverId === null || was.kybStatus === 'rejected'
      ? { ...was, receiverId, partnerRef: null, kybStatus: 'verifying' }
      : was,
  );
  if (profile.kybStatus === 'approved') return;
  const partnerRef = profile.partnerRef ?? (await found(partner, organization, profile));
  const report =
    partnerRef === null
      ? done(await partner.submitReceiver(await requestFor(partner, organization, profile)))
      : { ...done(await partner.receiver(partnerRef)), partnerRef };
  await changeProfile(deps, tenant, (was) =>
    was.receiverId === profile.receiverId
      ? { ...was, partnerRef: report.partnerRef, kybStatus: afterReport(was.kybStatus, report) }
      : was,
  );
}

/** The party that an earlier call made whose answer never came. */
async function found(
  partner: SettlementPartner,
  organization: Organization,
  profile: OrganizationProfile,
): Promise<string | null> {
  const request = await requestFor(partner, organization, profile);
  return done(await partner.findReceiver(request))?.partnerRef ?? null;
}

async function requestFor(
  partner: SettlementPartner,
  organization: Organization,
  profile: OrganizationProfile,
): Promise<string> {
  assert(profile.receiverId !== null, 'a submitted organization has a reference');
  const request = await partner.prepareReceiver({
    reference: profile.receiverId,
    role: 'seller',
    entityType: 'business',
    // An organization has no address of its own here; the partner wants one per party.
    email: `${organization.id}@organizations.invalid`,
    firstName: null,
    lastName: null,
    legalName: organization.name,
    country: 'BR',
  });
  return done(request);
}

async function registered(
  deps: Deps,
  tenant: Tenant,
  receiverRef: string,
  destination: PixDestination,
): Promise<void> {
  const pixKey = checkedText('pixKey', destination.pixKey, PIX_KEY_LENGTH_MAX);
  const accountHolderName = checkedText(
    'accountHolderName',
    destination.accountHolderName,
    NAME_LENGTH_MAX,
  );
  const key = deps.secretBox.mac(
    JSON.stringify([tenant.orgId, tenant.mode, pixKey, accountHolderName]),
    'pix-destination',
  );
  const partner = partnerOf(deps, tenant.mode);
  const { destinationRef } = done(
    await partner.registerPixDestination({ receiverRef, pixKey, accountHolderName, key }),
  );
  await changeProfile(deps, tenant, (profile) => ({ ...profile, destinationRef }));
}

/** The virtual account is there, if everything before it is. */
async function provisioned(deps: Deps, tenant: Tenant): Promise<void> {
  const { organization, profiles } = await readOrganization(deps, tenant.orgId);
  const { kybStatus, partnerRef, destinationRef, virtualAccountRef } = profiles[tenant.mode];
  if (tenant.mode === 'live' && organization.productionGrantedAtMs === null) return;
  if (kybStatus !== 'approved' || virtualAccountRef !== null) return;
  if (partnerRef === null || destinationRef === null) return;
  const rails = done(
    await partnerOf(deps, tenant.mode).provisionRails({
      receiverRef: partnerRef,
      destinationRef,
      key: deps.secretBox.mac(JSON.stringify([tenant.orgId, tenant.mode]), 'virtual-account'),
    }),
  );
  await changeProfile(deps, tenant, (profile) => ({
    ...profile,
    virtualAccountRef: rails.virtualAccountRef,
  }));
}

async function changeProfile(
  deps: Deps,
  tenant: Tenant,
  change: (profile: OrganizationProfile) => OrganizationProfile,
): Promise<OrganizationProfile> {
  return deps.store.run(async (tx) => {
    const profile = await tx.organizations.profile(tenantOf(tenant));
    if (profile === null) throw new PonteError('NotFound');
    const changed = change(profile);
    if (changed !== profile) tx.organizations.updateProfile(Object.freeze(changed));
    return changed;
  });
}

/** An operator's approval is not taken back by a partner that is still looking. */
function afterReport(was: KybStatus | null, report: ReceiverReport): KybStatus {
  return was === 'approved' && report.status === 'verifying' ? 'approved' : report.status;
}

function newProfile(tenant: Tenant): OrganizationProfile {
  return Object.freeze({
    ...tenant,
    kybStatus: null,
    receiverId: null,
    partnerRef: null,
    virtualAccountRef: null,
    destinationRef: null,
    version: 1,
  });
}

function partnerOf(deps: Deps, mode: Mode): SettlementPartner {
  const partner = deps.partners[mode];
  if (partner === null) {
    throw new PonteError(
      'ValidationError',
      `mode: no settlement partner is configured for ${mode}`,
    );
  }
  return partner;
}

/** Every call here can be repeated with its key, so a call in doubt is one to repeat. */
function done<T>(answer: PartnerAnswer<T>): T {
  switch (answer.outcome) {
    case 'done':
      return answer.value;
    case 'refused':
      throw new PonteError(
        'ValidationError',
        `The settlement partner refuses: ${answer.message} (${answer.code})`,
      );
    case 'later':
    case 'unknown':
      throw new PonteError('PartnerUnavailable', undefined, { cause: answer.reason });
  }
}

function checkedText(field: string, text: string, lengthMax: number): string {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > lengthMax || hasUnstorableText(trimmed)) {
    throw new PonteError('ValidationError', `${field}: give 1 to ${lengthMax} characters of text`);
  }
  return trimmed;
}
