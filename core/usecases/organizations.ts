// Organizations, and their onboarding in a mode: terms, KYB at the partner, PIX destination,
// virtual account. The KYB is an order to the partner. Each later step is stored before the next
// one and has a key at the partner, so that every call can be repeated after a failure.
import { readEmail } from '../domain/buyer-kyc.js';
import {
  kybDecided,
  type Organization,
  type OrganizationProfile,
  readPhone,
  readWebsite,
  type SupportContact,
  sandboxKyb,
  termsAccepted,
} from '../domain/organization.js';
import { isDue, nothingDue, TERMS } from '../domain/party-due.js';
import { hasUnstorableText } from '../domain/raw-json.js';
import { type Mode, modes, type Tenant } from '../domain/tenant.js';
import { assert, PonteError } from '../errors.js';
import type { Deps } from '../ports/deps.js';
import { changeOrganization, changeProfile, loadProfile } from './organization-changes.js';
import {
  configuredPartner,
  done,
  type OrganizationDossier,
  PARTY,
  submitted,
} from './organization-submissions.js';
import { stagePartyRead } from './party-reports.js';
import { announceRedirect, stagePayoutNotices } from './payout-notices.js';
import { partnerKey } from './service-keys.js';

const NAME_LENGTH_MAX = 200;
const PIX_KEY_LENGTH_MAX = 140;
const TOS_ID_LENGTH_MAX = 200;

export interface OrganizationView {
  readonly organization: Organization;
  readonly profiles: Readonly<Record<Mode, OrganizationProfile>>;
}

export interface PixDestination {
  /** Sent to the partner; neither stored nor logged. */
  readonly pixKey: string;
  readonly accountHolderName: string;
}

/** With `sandboxKyb` it can collect in test mode immediately. */
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
    ...{ supportEmail: null, supportPhone: null, website: null },
    createdAtMs: nowMs,
    version: 1,
  });
  const profiles = modes.map((mode) => newProfile({ orgId: organization.id, mode }));
  await deps.store.run(async (tx) => tx.organizations.insert(organization, profiles));
  if (input.sandboxKyb) {
    await openSandbox(deps, organization).catch((error: unknown) => {
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

/** Submits the KYB, or polls one that is being verified. ValidationError lists missing fields. */
export async function submitKyb(
  deps: Deps,
  tenant: Tenant,
  given: OrganizationDossier = {},
): Promise<OrganizationView> {
  await submitted(deps, tenant, given);
  return readOrganization(deps, tenant.orgId);
}

/** An operator approves the KYB, which is submitted first if it was not. */
export async function approveKyb(
  deps: Deps,
  tenant: Tenant,
  given: OrganizationDossier = {},
): Promise<OrganizationView> {
  const { organization } = await readOrganization(deps, tenant.orgId);
  if (tenant.mode === 'live' && organization.productionGrantedAtMs === null) {
    throw new PonteError('ProductionAccessNotApproved');
  }
  await submitted(deps, tenant, given);
  await changeProfile(deps, tenant, (was) => kybDecided(was, 'overrule'));
  return readOrganization(deps, tenant.orgId);
}

/**
 * The organization has accepted the partner's terms under this `tosId`. If the partner requires one
 * and none is given, the ValidationError contains the URL to get it.
 */
export async function acceptTerms(
  deps: Deps,
  tenant: Tenant,
  tosId: string | null,
): Promise<OrganizationView> {
  const given = tosId === null ? null : checkedText('tosId', tosId, TOS_ID_LENGTH_MAX);
  const { profiles } = await readOrganization(deps, tenant.orgId);
  const partner = await configuredPartner(deps, tenant);
  const profile = profiles[tenant.mode];
  const isRequired = partner.requirements(PARTY.role, PARTY.entityType).includes('tosId');
  const isNew = isDue(profile, TERMS);
  if (given === null && (isNew || (isRequired && profile.tosId === null))) {
    const key = await partnerKey(deps, 'terms', [tenant.orgId, tenant.mode]);
    const receiverRef = isNew ? profile.partnerRef : null;
    const redirectUrl = deps.settings.payUrl;
    const { url } = done(await partner.startTos({ redirectUrl, key, receiverRef }));
    const text = `tosId: accept the terms at ${url} and give the tos_id of the redirect.`;
    throw new PonteError('ValidationError', text);
  }
  const nowMs = deps.clock.nowMs();
  await changeProfile(deps, tenant, (was) => termsAccepted(was, given, nowMs));
  if (isNew) {
    // They are due until a read shows that the partner has them.
    await deps.store.run((tx) => stagePartyRead(tx, profile.kybCommandId, nowMs));
    deps.wake('commands');
  }
  return readOrganization(deps, tenant.orgId);
}

/** For payments without a named seller. A new destination replaces the one before. */
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

/** The manual approval that live mode requires. A repeat changes nothing. */
export async function grantProduction(deps: Deps, orgId: string): Promise<OrganizationView> {
  const nowMs = deps.clock.nowMs();
  await changeOrganization(deps, orgId, (was) =>
    was.productionGrantedAtMs === null ? { ...was, productionGrantedAtMs: nowMs } : was,
  );
  if (deps.partners.live !== null) await provisioned(deps, { orgId, mode: 'live' });
  return readOrganization(deps, orgId);
}

/** Whether a second person must approve invoices. */
export async function requireApproval(
  deps: Deps,
  orgId: string,
  requiresApproval: boolean,
): Promise<OrganizationView> {
  await changeOrganization(deps, orgId, (was) =>
    was.requiresApproval === requiresApproval ? was : { ...was, requiresApproval },
  );
  return readOrganization(deps, orgId);
}

const supportReaders = {
  supportEmail: [readEmail, 'an e-mail address'],
  supportPhone: [readPhone, 'a phone number of digits, blanks and + ( ) . / -'],
  website: [readWebsite, 'an http or https URL'],
} as const satisfies Record<keyof SupportContact, unknown>;

/** What buyers are shown. What is not given stays; an empty text removes it. ValidationError. */
export async function setSupportContact(
  deps: Deps,
  orgId: string,
  given: Readonly<Partial<Record<keyof SupportContact, string>>>,
): Promise<OrganizationView> {
  const names = Object.keys(supportReaders) as (keyof SupportContact)[];
  const entries = names.flatMap((name) => {
    const text = given[name];
    if (text === undefined) return [];
    const [read, form] = supportReaders[name];
    const value = text.trim() === '' ? null : read(text);
    if (value !== null || text.trim() === '') return [[name, value] as const];
    throw new PonteError('ValidationError', `${name}: give ${form}, or an empty text for none.`);
  });
  const contact: Partial<SupportContact> = Object.fromEntries(entries);
  await changeOrganization(deps, orgId, (was) =>
    entries.some(([name, value]) => was[name] !== value) ? { ...was, ...contact } : was,
  );
  return readOrganization(deps, orgId);
}

/** All steps of test mode, in the order of the partner. */
/** An organization of test mode can collect, once the partner has approved it. */
export async function openSandbox(deps: Deps, organization: Organization): Promise<void> {
  const tenant: Tenant = { orgId: organization.id, mode: 'test' };
  const { kybStatus, partnerRef } = await submitted(deps, tenant, sandboxKyb(organization));
  if (kybStatus !== 'approved' || partnerRef === null) return;
  const pixKey = `${organization.id}@sandbox.invalid`;
  await registered(deps, tenant, partnerRef, { pixKey, accountHolderName: organization.name });
  await provisioned(deps, tenant);
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
  const bound = [tenant.orgId, tenant.mode, receiverRef, pixKey, accountHolderName];
  const key = await partnerKey(deps, 'pix-destination', bound);
  const partner = await configuredPartner(deps, tenant);
  const { destinationRef } = done(
    await partner.registerPixDestination({ receiverRef, pixKey, accountHolderName, key }),
  );
  const redirected = await deps.store.run(async (tx) => {
    const was = await loadProfile(tx, tenant);
    const same = was.destinationRef === destinationRef;
    if (was.partnerRef !== receiverRef || same) return false;
    const another = was.destinationRef !== null;
    if (another) await stagePayoutNotices(deps, tx, tenant, null);
    tx.organizations.updateProfile(Object.freeze({ ...was, destinationRef }));
    return another;
  });
  if (redirected) announceRedirect(deps, tenant, null);
}

/** Provisions the virtual account if all earlier steps are done. */
async function provisioned(deps: Deps, tenant: Tenant): Promise<void> {
  const { organization, profiles } = await readOrganization(deps, tenant.orgId);
  const { kybStatus, partnerRef, destinationRef, virtualAccountRef } = profiles[tenant.mode];
  if (tenant.mode === 'live' && organization.productionGrantedAtMs === null) return;
  if (kybStatus !== 'approved' || virtualAccountRef !== null) return;
  if (partnerRef === null || destinationRef === null) return;
  const bound = [tenant.orgId, tenant.mode, partnerRef, destinationRef];
  const partner = await configuredPartner(deps, tenant);
  const rails = done(
    await partner.provisionRails({
      receiverRef: partnerRef,
      destinationRef,
      key: await partnerKey(deps, 'virtual-account', bound),
    }),
  );
  const { virtualAccountRef: opened } = rails;
  await changeProfile(deps, tenant, (was) =>
    was.partnerRef === partnerRef ? { ...was, virtualAccountRef: opened } : was,
  );
}

function newProfile(tenant: Tenant): OrganizationProfile {
  return Object.freeze({
    ...tenant,
    kybStatus: null,
    receiverId: null,
    kybCommandId: null,
    partnerRef: null,
    virtualAccountRef: null,
    destinationRef: null,
    tosId: null,
    tosAcceptedAtMs: null,
    ...nothingDue,
    version: 1,
  });
}

function checkedText(field: string, text: string, lengthMax: number): string {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > lengthMax || hasUnstorableText(trimmed)) {
    throw new PonteError('ValidationError', `${field}: give 1 to ${lengthMax} characters of text.`);
  }
  return trimmed;
}
