// Organizations, and their onboarding in a mode: terms, KYB at the partner, PIX destination, rails.
// KYB and rails are commands to the partner, stored before the call. The call that registers the
// destination has a key at the partner, so that it can be repeated after a failure.
import { isMemberId } from '../../domain/access/api-key.js';
import { isActiveMember, scopesOf } from '../../domain/access/member.js';
import { allows } from '../../domain/access/scope.js';
import { developmentOperator } from '../../domain/base/actor.js';
import { checkedText } from '../../domain/base/checked-text.js';
import { type Mode, modes, type Tenant } from '../../domain/base/tenant.js';
import { readTimeZone } from '../../domain/base/time-zone.js';
import type { PartnerCommand } from '../../domain/commands/partner-command.js';
import { isAnswer } from '../../domain/hosted/party-answer.js';
import {
  type Contact,
  type ContactName,
  contactKinds,
  contactNames,
  contacts,
  hasContact,
} from '../../domain/parties/contact.js';
import { HOLD_HOURS } from '../../domain/parties/destination-change.js';
import type { Dossier } from '../../domain/parties/dossier.js';
import {
  newOrganization,
  type Organization,
  type OrganizationProfile,
  organizationTermsAccepted,
  payableOrganization,
  sandboxKyb,
} from '../../domain/parties/organization.js';
import { decided, isSubmitted, newParty, submitted } from '../../domain/parties/party.js';
import { isDue, TERMS } from '../../domain/parties/party-due.js';
import { needsRails, noPayout } from '../../domain/parties/payee.js';
import type { PaymentOrigin } from '../../domain/payments/payment.js';
import { assert, expectFound, invalid, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerAnswer, SettlementPartner } from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import type { Batch } from '../service/batch.js';
import { callSafely, expectAccepted, requirePartner } from '../service/partner-calls.js';
import { partnerKey } from '../service/service-keys.js';
import { stageSubmitted } from './documents.js';
import { type FormSent, formSent, isFormVersion } from './kyc-drafts.js';
import { stageTaken } from './party-commands.js';
import { loadProfile, organizationKind, stageProfile } from './party-kinds.js';
import {
  type PixDestination,
  type RegisteredDestination,
  registerDestination,
  stagePayoutOf,
} from './party-payouts.js';
import { stagePartyRead } from './party-reports.js';
import { isAsKnown, refuseTier, submitParty } from './party-submissions.js';

/** An organization as a party of the partner. */
const PARTY = { role: 'seller', entityType: 'business' } as const;

/** The dossier of an organization's KYB; `acceptTerms` records the terms. */
export type OrganizationDossier = Omit<Dossier, 'tosId'>;

const NAME_LENGTH_MAX = 200;
const TOS_ID_LENGTH_MAX = 200;

export interface OrganizationView {
  readonly organization: Organization;
  readonly profiles: Readonly<Record<Mode, OrganizationProfile>>;
}

/** With `sandboxKyb` it can collect in test mode immediately. */
export async function createOrganization(
  deps: Deps,
  input: { readonly name: string; readonly sandboxKyb: boolean },
): Promise<OrganizationView> {
  const name = checkedText('name', input.name, NAME_LENGTH_MAX);
  const nowMs = deps.clock.nowMs();
  const organization = newOrganization(deps.ids.next('org', nowMs), name, nowMs);
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
  await submittedKyb(deps, tenant, given);
  return readOrganization(deps, tenant.orgId);
}

/** Submits the KYB that an operator approves, if it was not. */
export async function prepareApproval(
  deps: Deps,
  tenant: Tenant,
  given: OrganizationDossier = {},
): Promise<void> {
  await deps.store.run((tx) => expectApprovable(tx, tenant));
  await submittedKyb(deps, tenant, given);
}

/** ProductionAccessNotApproved, NotFound. */
export async function expectApprovable(tx: Tx, { orgId, mode }: Tenant): Promise<void> {
  const { productionGrantedAtMs } = await loadOrganization(tx, orgId);
  if (mode === 'live' && productionGrantedAtMs === null) {
    throw new PonteError('ProductionAccessNotApproved');
  }
}

/** The same for a KYB that is submitted. Returns what is to be called after the batch is stored. */
export async function stageApproval(batch: Batch, tenant: Tenant): Promise<() => void> {
  const { deps, tx, nowMs } = batch;
  const was = await loadProfile(tx, tenant);
  await organizationKind.stage(batch, was, decided(was, 'overrule', null, nowMs));
  return () => deps.wake('commands');
}

/** Submits the organization if it was not, and returns the profile after the partner's answer. */
async function submittedKyb(
  deps: Deps,
  tenant: Tenant,
  given: OrganizationDossier,
): Promise<OrganizationProfile> {
  const known = await deps.store.run((tx) => loadProfile(tx, tenant));
  await configuredPartner(deps, tenant);
  if (!isSubmitted(known.status) || isAnswer(known, given)) {
    expectAccepted(await sendDossier(deps, known, given, null), true);
  } else await runTaken(deps, known.commandId);
  const profile = await deps.store.run((tx) => loadProfile(tx, tenant));
  if (profile.status === 'verifying' && profile.partnerRef === null) {
    throw new PonteError('PartnerUnavailable');
  }
  return profile;
}

/**
 * Submits what a member filled in on the form, if its draft still has this version. `refused`: the
 * partner does not take the data.
 */
export async function submitKybForm(
  deps: Deps,
  tenant: Tenant,
  given: OrganizationDossier,
  version: number,
): Promise<FormSent> {
  const known = await deps.store.run((tx) => loadProfile(tx, tenant));
  await configuredPartner(deps, tenant);
  if (isSubmitted(known.status) && !isAnswer(known, given)) return { outcome: 'changed' };
  return formSent(await sendDossier(deps, known, given, version));
}

/** Done with null: nothing was submitted. `formVersion` is null for a dossier of an operator. */
function sendDossier(
  deps: Deps,
  known: OrganizationProfile,
  given: OrganizationDossier,
  formVersion: number | null,
): Promise<PartnerAnswer<{ readonly id: string } | null>> {
  const { orgId, tosId, partnerRef } = known;
  const isNew = !isSubmitted(known.status);
  refuseTier(PARTY.entityType, given);
  return submitParty(deps, known, {
    kind: 'organization',
    ...PARTY,
    dossier: isNew ? { ...given, country: given.country ?? 'BR', tosId } : given,
    previousRef: isNew ? null : partnerRef,
    due: isNew ? null : known,
    async stage(batch, commandId) {
      const was = await loadProfile(batch.tx, known);
      const { deps, tx } = batch;
      if (!isAsKnown(was, known)) return null;
      if (!(await isFormVersion(tx, was, orgId, formVersion))) return null;
      await stageSubmitted(deps, tx, was, { party: 'organization', id: orgId }, given);
      await organizationKind.stage(batch, was, submitted(was, commandId));
      return { id: orgId, replacedCommandId: was.commandId };
    },
  });
}

/** Runs an open command about the organization, unless another process does. */
async function runTaken(deps: Deps, commandId: string | null): Promise<void> {
  const taken = await deps.store.run((tx) =>
    stageTaken({ deps, tx, nowMs: deps.clock.nowMs() }, commandId),
  );
  if (taken !== null) await deps.runCommand(deps, taken);
}

async function configuredPartner(deps: Deps, { mode }: Tenant): Promise<SettlementPartner> {
  if (deps.partners[mode] !== null) return requirePartner(deps, { mode });
  const text = `mode: no settlement partner is configured for ${mode}. `;
  const advice = 'Configure one, the same for the server and for this command.';
  throw invalid(text + advice);
}

/**
 * The organization has accepted the partner's terms under this `tosId`. If the partner requires one
 * and none is given, the ValidationError contains the URL to get it.
 */
export async function acceptOrganizationTerms(
  deps: Deps,
  tenant: Tenant,
  tosId: string | null,
): Promise<OrganizationView> {
  const given = tosId === null ? null : checkedText('tosId', tosId, TOS_ID_LENGTH_MAX);
  const profile = await deps.store.run((tx) => loadProfile(tx, tenant));
  await configuredPartner(deps, tenant);
  if (given === null && needsTerms(deps, profile)) {
    const url = await termsUrl(deps, tenant, deps.settings.payUrl);
    throw invalid(`tosId: accept the terms at ${url} and give the tos_id of the redirect.`);
  }
  const isNew = isDue(profile, TERMS);
  await changeProfile(deps, tenant, async (was, { tx, nowMs }) => {
    // They are due until a read shows that the partner has them.
    if (isNew) await stagePartyRead(tx, was.commandId, nowMs);
    return organizationTermsAccepted(was, given, nowMs);
  });
  return readOrganization(deps, tenant.orgId);
}

/** What the partner requires of its KYB, in addition to dossier.ts. */
function requiredOfOrganization(
  { partners }: Pick<Deps, 'partners'>,
  { mode }: Pick<Tenant, 'mode'>,
): readonly (keyof Dossier)[] {
  return partners[mode]?.requirements(PARTY.role, PARTY.entityType) ?? [];
}

/** Whether the organization must accept terms on a page of the partner. */
export function needsTerms(deps: Pick<Deps, 'partners'>, profile: OrganizationProfile): boolean {
  const required = requiredOfOrganization(deps, profile);
  return isDue(profile, TERMS) || (required.includes('tosId') && profile.tosId === null);
}

/** Where it accepts them; the page leads back to `redirectUrl` with a `tos_id`. */
export async function termsUrl(deps: Deps, tenant: Tenant, redirectUrl: string): Promise<string> {
  const profile = await deps.store.run((tx) => loadProfile(tx, tenant));
  const partner = await configuredPartner(deps, tenant);
  const key = await partnerKey(deps, 'terms', [tenant.orgId, tenant.mode, redirectUrl]);
  const partyRef = isDue(profile, TERMS) ? profile.partnerRef : null;
  const answer = await callSafely(() => partner.startTos({ redirectUrl, key, partyRef }));
  return expectAccepted(answer, true).url;
}

async function changeProfile(
  deps: Deps,
  tenant: Tenant,
  change: (was: OrganizationProfile, batch: Batch) => Promise<OrganizationProfile>,
): Promise<void> {
  await deps.store.run(async (tx) => {
    const batch = { deps, tx, nowMs: deps.clock.nowMs() };
    const was = await loadProfile(tx, tenant);
    await organizationKind.stage(batch, was, await change(was, batch));
  });
  deps.wake('commands');
}

/**
 * For payments without a named seller. A new destination replaces the one before; `changedBy` is
 * the id of a member or an operator.
 */
export async function configurePayout(
  deps: Deps,
  tenant: Tenant,
  destination: PixDestination,
  changedBy: string,
): Promise<OrganizationView> {
  const registered = await registerPayout(deps, tenant, destination);
  const after = await deps.store.run(async (tx) => {
    await expectOwner(tx, tenant, changedBy);
    return stagePayout({ deps, tx, nowMs: deps.clock.nowMs() }, tenant, registered, changedBy);
  });
  await after();
  return readOrganization(deps, tenant.orgId);
}

/**
 * A member who changes what owners change may have been removed, or given another role, since the
 * request began. InvalidToken, InsufficientScope.
 */
export async function expectOwner(
  tx: Tx,
  { orgId }: Pick<Tenant, 'orgId'>,
  changedBy: string,
): Promise<void> {
  if (!isMemberId(changedBy)) return;
  const member = await tx.members.get(orgId, changedBy);
  if (member === null || !isActiveMember(member)) throw new PonteError('InvalidToken');
  if (!allows(scopesOf(member.role), 'org:write')) throw new PonteError('InsufficientScope');
  tx.members.expect(member);
}

const asPayee = {
  kind: organizationKind,
  payableParty: payableOrganization,
  seller: () => null,
  // The dossier of an organization is not kept.
  taxId: () => null,
};

/** Registers the destination at the partner. Nothing is paid to it. */
export async function registerPayout(
  deps: Deps,
  tenant: Tenant,
  destination: PixDestination,
): Promise<RegisteredDestination> {
  payableOrganization(await deps.store.run((tx) => loadProfile(tx, tenant)));
  await configuredPartner(deps, tenant);
  return registerDestination(deps, tenant, tenant.orgId, asPayee, destination);
}

/** Returns what is to be called after the batch is stored. */
export async function stagePayout(
  batch: Batch,
  tenant: Tenant,
  registered: RegisteredDestination,
  changedBy: string,
): Promise<() => Promise<void>> {
  const origin = isMemberId(changedBy) ? 'member' : 'operator';
  const by = { origin, changedBy, mayRedirect: true } as const;
  const destination = { ...registered, pixKey: null };
  const after = await stagePayoutOf(batch, tenant, tenant.orgId, asPayee, destination, by);
  return async () => {
    await after();
    await refuseWithoutRails(batch.deps, tenant);
  };
}

/** The command for the rails has ended without them, or waits for its next attempt. */
async function refuseWithoutRails(deps: Deps, tenant: Tenant): Promise<void> {
  const command = await deps.store.run(async (tx) => {
    const { railsCommandId, railsRef } = await loadProfile(tx, tenant);
    return railsCommandId === null || railsRef !== null ? null : tx.commands.get(railsCommandId);
  });
  if (command === null) return;
  if (command.state !== 'refused') throw new PonteError('PartnerUnavailable');
  const text = `The settlement partner refuses the virtual account (${command.refusal}).`;
  throw invalid(`${text} Configure the payout again.`);
}

/** A buyer whose money is missing must find a person to ask. ValidationError. */
export function requireContact(organization: Organization): void {
  if (hasContact(organization)) return;
  const command = `ponte org support ${organization.id}`;
  throw invalid(`Live mode requires a support e-mail address or phone number: ${command}.`);
}

/**
 * The manual approval that live mode requires. A repeat changes nothing. Returns what is to be
 * called after the batch is stored. ValidationError.
 */
export async function stageProduction(batch: Batch, orgId: string): Promise<() => Promise<void>> {
  const { deps, tx, nowMs } = batch;
  const tenant = { orgId, mode: 'live' } as const;
  const was = await loadOrganization(tx, orgId);
  if (was.productionGrantedAtMs === null) {
    requireContact(was);
    tx.organizations.update(Object.freeze({ ...was, productionGrantedAtMs: nowMs }));
  }
  const rails = await stageLiveRails(batch, await loadProfile(tx, tenant));
  return async () => {
    if (deps.partners.live === null) return;
    if (rails !== null) await deps.runCommand(deps, rails);
    await refuseWithoutRails(deps, tenant);
  };
}

async function stageLiveRails(
  batch: Batch,
  profile: OrganizationProfile,
): Promise<PartnerCommand | null> {
  const lease = batch.deps.store.claims.newLease();
  if (needsRails(profile)) return stageProfile(batch, profile, true, lease);
  batch.tx.organizations.expectProfile(profile);
  return profile.railsRef === null ? stageTaken(batch, profile.railsCommandId) : null;
}

/** Whether a second person must approve invoices, or payment intents, in both modes. */
export async function requireApproval(
  deps: Deps,
  orgId: string,
  requiresApproval: boolean,
  origin: PaymentOrigin = 'invoice',
): Promise<OrganizationView> {
  await deps.store.run((tx) => stageSecondApproval(tx, orgId, requiresApproval, origin));
  return readOrganization(deps, orgId);
}

export async function stageSecondApproval(
  tx: Tx,
  orgId: string,
  requiresApproval: boolean,
  origin: PaymentOrigin,
): Promise<void> {
  if (origin === 'invoice') {
    const was = await loadOrganization(tx, orgId);
    if (was.requiresApproval === requiresApproval) return;
    tx.organizations.update(Object.freeze({ ...was, requiresApproval }));
    return;
  }
  for (const mode of modes) {
    const profile = await loadProfile(tx, { orgId, mode });
    if (profile.intentsNeedApproval === requiresApproval) continue;
    const next = { ...profile, intentsNeedApproval: requiresApproval };
    tx.organizations.updateProfile(Object.freeze(next));
  }
}

/** What buyers are shown. What is not given stays; an empty text removes it. ValidationError. */
export async function setSupportContact(
  deps: Deps,
  orgId: string,
  given: Partial<Record<ContactName, string>>,
): Promise<OrganizationView> {
  const contact = contactIn(given);
  await changeOrganization(deps, orgId, (was) => withContact(was, contact));
  return readOrganization(deps, orgId);
}

/** Sets whose days its lists, files and plots have, in both modes. ValidationError. */
export async function setTimeZone(
  deps: Deps,
  orgId: string,
  given: string,
): Promise<OrganizationView> {
  const timeZone = timeZoneIn(given);
  await changeOrganization(deps, orgId, (was) =>
    was.timeZone === timeZone ? was : { ...was, timeZone },
  );
  return readOrganization(deps, orgId);
}

/** ValidationError. */
export function timeZoneIn(text: string): string {
  const timeZone = readTimeZone(text);
  if (timeZone !== null) return timeZone;
  throw invalid('timeZone: give a name of the IANA database, for example America/Sao_Paulo.');
}

/** What the texts say; an empty one is null. ValidationError. */
export function contactIn(given: Partial<Record<ContactName, string>>): Partial<Contact> {
  const entries = contactNames.flatMap((name) => {
    const text = given[name];
    if (text === undefined) return [];
    const { read, form } = contactKinds[contacts[name].kind];
    const value = text.trim() === '' ? null : read(text);
    if (value !== null || text.trim() === '') return [[name, value] as const];
    throw invalid(`${name}: give ${form}, or an empty text for none.`);
  });
  return Object.fromEntries(entries);
}

/** The same object if nothing changes. ValidationError. */
export function withContact(was: Organization, contact: Partial<Contact>): Organization {
  const names = Object.keys(contact) as ContactName[];
  if (names.every((name) => was[name] === contact[name])) return was;
  const next = { ...was, ...contact };
  if (was.productionGrantedAtMs !== null && hasContact(was)) requireContact(next);
  return next;
}

/** An organization of test mode can collect, once the partner has approved it. */
export async function openSandbox(deps: Deps, organization: Organization): Promise<void> {
  const tenant: Tenant = { orgId: organization.id, mode: 'test' };
  const { status, partnerRef } = await submittedKyb(deps, tenant, sandboxKyb(organization));
  if (status !== 'approved' || partnerRef === null) return;
  const pixKey = `${organization.id}@sandbox.invalid`;
  const destination = { pixKey, accountHolderName: organization.name };
  await configurePayout(deps, tenant, destination, developmentOperator.id);
}

/** For operators. Null if there is no such organization. */
export async function readOrganizationName(
  { store }: Pick<Deps, 'store'>,
  orgId: string | null,
): Promise<string | null> {
  if (orgId === null) return null;
  return (await store.run((tx) => tx.organizations.get(orgId)))?.name ?? null;
}

/** NotFound. */
export async function loadOrganization(tx: Tx, orgId: string): Promise<Organization> {
  return expectFound(await tx.organizations.get(orgId));
}

/** Unchanged if `change` returns what it was given. */
async function changeOrganization(
  deps: Deps,
  orgId: string,
  change: (was: Organization) => Organization,
): Promise<void> {
  await deps.store.run(async (tx) => {
    const was = await loadOrganization(tx, orgId);
    const next = change(was);
    if (next !== was) tx.organizations.update(Object.freeze(next));
  });
}

function newProfile(tenant: Tenant): OrganizationProfile {
  return Object.freeze({
    ...tenant,
    status: null,
    ...newParty,
    ...noPayout,
    tosAcceptedAtMs: null,
    intentsNeedApproval: false,
    payoutHoldHours: HOLD_HOURS,
    version: 1,
  });
}
