// Submits the KYB of an organization to the partner, and its answers to what the partner wants.
import { type Dossier, missingFields } from '../domain/dossier.js';
import {
  kybAnswered,
  kybSubmitted,
  nextKybStatus,
  type OrganizationProfile,
} from '../domain/organization.js';
import { COMMAND_LEASE_MS, isOpen, type PartnerCommand } from '../domain/partner-command.js';
import { isAnswer, unanswered } from '../domain/party-answer.js';
import { type Tenant, tenantOf } from '../domain/tenant.js';
import { assert, PonteError } from '../errors.js';
import type { Deps } from '../ports/deps.js';
import type { PartnerAnswer, SettlementPartner } from '../ports/partner.js';
import type { Tx } from '../ports/storage.js';
import { runInline } from './command-runner.js';
import { partyOrder, refuseTier, stageReplaced } from './onboarding.js';
import { loadProfile } from './organization-changes.js';
import { expectDone, partnerOf } from './partner-calls.js';

/** An organization as a party of the partner. */
export const PARTY = { role: 'seller', entityType: 'business' } as const;

/** The dossier of an organization's KYB; `acceptTerms` records the terms. */
export type OrganizationDossier = Omit<Dossier, 'tosId'>;

/** Submits the organization if it was not, and returns the profile after the partner's answer. */
export async function submitted(
  deps: Deps,
  tenant: Tenant,
  given: OrganizationDossier,
): Promise<OrganizationProfile> {
  const known = await deps.store.run((tx) => loadProfile(tx, tenant));
  const partner = await configuredPartner(deps, tenant);
  const isNew = nextKybStatus(known.kybStatus, 'submit') !== null;
  const isSent = isNew || isAnswer(known, given);
  const command = isSent
    ? await recordedSubmission(deps, partner, known, given)
    : await deps.store.run((tx) => takenSubmission(deps, tx, tenant));
  if (command !== null) await runInline(deps, command);
  const profile = await deps.store.run((tx) => loadProfile(tx, tenant));
  if (profile.kybStatus === 'verifying' && profile.partnerRef === null) {
    throw new PonteError('PartnerUnavailable');
  }
  return profile;
}

/** A new order, leased to the caller: the KYB, or an answer to what the partner wants. */
async function recordedSubmission(
  deps: Deps,
  partner: SettlementPartner,
  profile: OrganizationProfile,
  given: OrganizationDossier,
): Promise<PartnerCommand | null> {
  const tenant = tenantOf(profile);
  const isNew = nextKybStatus(profile.kybStatus, 'submit') !== null;
  const dossier = isNew
    ? wholeDossier(partner, profile, given)
    : checkedDossier(given, unanswered(profile, given));
  const previousRef = isNew ? null : profile.partnerRef;
  const nowMs = deps.clock.nowMs();
  const commandId = deps.ids.next('cmd', nowMs);
  const party = { ...dossier, ...PARTY, reference: commandId, previousRef };
  const request = done(await partner.receiver.prepare(party));
  const order = { id: commandId, kind: 'submit_organization', request } as const;
  const lease = deps.store.claims.newLease();
  const subject = { kind: 'organization', id: tenant.orgId } as const;
  const command = partyOrder(deps, tenant, { ...order, subject, lease });
  return deps.store.run(async (tx) => {
    const was = await loadProfile(tx, tenant);
    const receiverId = deps.ids.next('rcv', nowMs);
    const next = isNew
      ? kybSubmitted(was, { receiverId, kybCommandId: commandId })
      : kybAnswered(was, commandId);
    // Somebody else may have submitted or answered since.
    if (next === was || was.version !== profile.version) return null;
    if (!isNew) await stageReplaced(deps, tx, was.kybCommandId);
    tx.organizations.updateProfile(next);
    tx.commands.insert(command);
    return command;
  });
}

function wholeDossier(
  partner: SettlementPartner,
  { tosId }: OrganizationProfile,
  given: OrganizationDossier,
): Dossier {
  const { role, entityType } = PARTY;
  refuseTier(entityType, given);
  const dossier = { ...given, country: given.country ?? 'BR', tosId };
  const extra = partner.requirements(role, entityType);
  return checkedDossier(dossier, missingFields(role, entityType, dossier, extra));
}

function checkedDossier(dossier: Dossier, missing: readonly string[]): Dossier {
  if (missing.length === 0) return dossier;
  const paths = missing.join(', ');
  const text = `${paths}: the KYB of an organization needs these. Submit it with them.`;
  throw new PonteError('ValidationError', text);
}

/** The current order, leased to the caller; null if it has ended or is leased. */
async function takenSubmission(deps: Deps, tx: Tx, tenant: Tenant): Promise<PartnerCommand | null> {
  const { kybCommandId } = await loadProfile(tx, tenant);
  assert(kybCommandId !== null, 'a submitted KYB has its order');
  const command = await tx.commands.get(kybCommandId);
  assert(command !== null, 'an order stays');
  const nowMs = deps.clock.nowMs();
  const held = command.leaseToken !== null && (command.dueAtMs ?? 0) > nowMs;
  if (!isOpen(command) || held) return null;
  const dueAtMs = nowMs + COMMAND_LEASE_MS;
  const taken = Object.freeze({ ...command, leaseToken: deps.store.claims.newLease(), dueAtMs });
  tx.commands.update(taken);
  return taken;
}

export function configuredPartner(deps: Deps, { mode }: Tenant): Promise<SettlementPartner> {
  if (deps.partners[mode] !== null) return partnerOf(deps, { mode });
  const text = `mode: no settlement partner is configured for ${mode}. `;
  const advice = 'Configure one, the same for the server and for this command.';
  throw new PonteError('ValidationError', text + advice);
}

/** With the partner's code, for operators. */
export function done<T>(answer: PartnerAnswer<T>): T {
  if (answer.outcome !== 'refused') return expectDone(answer);
  const message = `The settlement partner refuses: ${answer.message} (${answer.code})`;
  return expectDone({ ...answer, message });
}
