// The table of parties: how a party of each kind is loaded, what is stored with a change of it, and
// what follows from a decision of the partner. What all kinds share is in
// core/domain/parties/party.ts.
import { emailKey } from '../../domain/base/email-address.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import type { PartyCommand, Subject } from '../../domain/commands/partner-command.js';
import { fieldNamed } from '../../domain/hosted/kyc-fields.js';
import {
  areCorrectionsAsked,
  type KycSubmission,
  withoutData,
} from '../../domain/parties/buyer-kyc.js';
import {
  accountEvents,
  type ConnectedAccount,
  changedAccount,
} from '../../domain/parties/connected-account.js';
import type { DocumentOwner } from '../../domain/parties/document.js';
import { changedProfile, type OrganizationProfile } from '../../domain/parties/organization.js';
import { isDecision, isSubmitted, type Party } from '../../domain/parties/party.js';
import { correctionsOf, isAsked, nothingDue } from '../../domain/parties/party-due.js';
import { needsRails, type Payee } from '../../domain/parties/payee.js';
import { accountEvent } from '../../domain/payments/event.js';
import { assert, expectFound } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { PartyReport } from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import { stageFormDecided, stageKycMore } from '../mail/kyc-notices.js';
import type { Batch } from '../service/batch.js';
import { stageEvents } from '../webhooks/feed.js';
import {
  nothingStaged,
  rejectionTime,
  type StagedDecision,
  stageDecided,
  stageWithdrawn,
} from './buyer-decisions.js';
import { stagePurge } from './documents.js';
import {
  readDraft,
  sealDossier,
  sealDraft,
  stageAnsweredDraft,
  stageReportedDraft,
} from './kyc-drafts.js';
import { partyCommand } from './party-commands.js';

export interface IncomingPartyReport {
  readonly partnerRef: string | null;
  readonly report: PartyReport;
  /** The answer to a call: not older than what is known. */
  readonly isCurrent: boolean;
}

export interface PartyKind<P extends Party = Party> {
  /** NotFound. */
  load(tx: Tx, tenant: Tenant, id: string): Promise<P>;
  /**
   * Stages a change, if it is one, and what follows from it. Returns the command for the rails, if
   * the change leads to one: due now, or leased to the caller.
   */
  stage(batch: Batch, was: P, changed: P, lease?: string | null): Promise<PartyCommand | null>;
  /** What an alert says about the party. */
  about(party: P): Readonly<Record<string, string>>;
  /** New terms are due of an approved party too: later calls need them. */
  readonly needsTerms: boolean;
  /** What it means that the partner refuses the dossier of a new party. */
  refusal(deps: Deps, party: P, code: string): PartyReport;
  /** Something new is due that neither a page nor the API asks for. */
  needsOperator(deps: Deps, was: P, next: P, reported: IncomingPartyReport): boolean;
  /** The time of a decision, where it is not the time of the report. */
  decidedAtMs(batch: Batch, was: P, report: PartyReport): Promise<number>;
  /** Stages what follows from the decision. */
  followUp(batch: Batch, party: P, reported: IncomingPartyReport): Promise<StagedDecision>;
}

export const organizationKind: PartyKind<OrganizationProfile> = {
  load: loadProfile,
  async stage(batch, was, changed, lease = null) {
    if (changed === was) return null;
    const { deps, tx } = batch;
    const next = changedProfile(was, changed);
    await stageReportedDraft(deps, tx, next.orgId, was, next);
    if (isDecision(was, next)) stagePurge(deps, tx, tenantOf(next), ownDocuments(next));
    const isReady = needsRails(next) && (await hasProductionAccess(batch.tx, next));
    return stageProfile(batch, next, isReady, lease);
  },
  about: ({ orgId, mode }) => ({ orgId, mode }),
  needsTerms: true,
  refusal: rejection,
  needsOperator: (_, was, next) => isAsked(was, next),
  decidedAtMs: async ({ nowMs }) => nowMs,
  async followUp({ deps, tx }, profile) {
    const isAnswered = profile.corrections === null && isSubmitted(profile.status);
    if (isAnswered) {
      stagePurge(deps, tx, tenantOf(profile), ownDocuments(profile));
      await stageAnsweredDraft(tx, profile, profile.orgId);
    }
    return nothingStaged;
  },
};

export const accountKind: PartyKind<ConnectedAccount> = {
  load: loadAccount,
  async stage(batch, was, changed, lease = null) {
    if (changed === was) return null;
    const { deps, tx, nowMs } = batch;
    const next = changedAccount(was, changed, nowMs);
    const rails = needsRails(next)
      ? stageRails(batch, { kind: 'account', id: next.id }, next, lease)
      : null;
    tx.accounts.update(withRails(next, rails));
    await stageAccountEvents(deps, tx, was, next);
    await stageReportedDraft(deps, tx, next.id, was, next);
    if (isDecision(was, next)) {
      stagePurge(deps, tx, tenantOf(next), { party: 'account', id: next.id });
    }
    return rails;
  },
  about: ({ id }) => ({ accountId: id }),
  needsTerms: true,
  refusal: rejection,
  // The API shows it.
  needsOperator: () => false,
  decidedAtMs: async ({ nowMs }) => nowMs,
  async followUp({ deps, tx }, account) {
    const { id, corrections, email } = account;
    const tenant = tenantOf(account);
    const isAnswered = corrections === null && isSubmitted(account.status);
    if (isAnswered) {
      stagePurge(deps, tx, tenant, { party: 'account', id });
      await stageAnsweredDraft(tx, tenant, id);
    }
    if (account.role !== 'buyer' || email === null) return nothingStaged;
    const buyer = await tx.buyers.byEmail(tenant.mode, emailKey(email));
    return buyer === null ? nothingStaged : stageDecided(deps, tx, tenant, buyer.id);
  },
};

const submissionKind: PartyKind<KycSubmission> = {
  load: loadSubmission,
  async stage({ deps, tx }, was, changed) {
    if (changed === was) return null;
    const next = withForm(deps, was, changed);
    tx.buyers.updateSubmission(next);
    if (isDecision(was, next)) {
      stagePurge(deps, tx, tenantOf(next), { party: 'buyer', id: next.buyerId });
      await stageFormDecided(deps, tx, next);
    }
    if (areCorrectionsAsked(was, next)) await stageKycMore(deps, tx, next);
    return null;
  },
  about: ({ id }) => ({ submissionId: id }),
  needsTerms: false,
  // The code names a field of the form, which the buyer corrects. A dossier of the API is rejected,
  // and the integrator starts again.
  refusal: (deps, submission, code) =>
    readDraft(deps, submission).isHosted
      ? { status: 'verifying', reason: code, corrections: [{ field: code, reason: '' }] }
      : rejection(deps, submission, code),
  needsOperator(deps, was, next, { partnerRef }) {
    // The form of an approved buyer is lost.
    if (next.status !== 'verifying') return isAsked(isDecision(was, next) ? nothingDue : was, next);
    const isOnForm = readDraft(deps, was).isHosted || was.status === 'approved';
    const isUnplaced = correctionsOf(next).some(({ field }) => fieldNamed(field) === null);
    // A refusal has another alert.
    return isOnForm && isUnplaced && partnerRef !== null && isAsked(was, next);
  },
  decidedAtMs: async ({ tx, nowMs }, was, { status }) =>
    status === 'rejected' ? rejectionTime(tx, was, nowMs) : nowMs,
  async followUp({ deps, tx }, submission, { partnerRef, report: { status } }) {
    const { buyerId, corrections } = submission;
    const tenant = tenantOf(submission);
    if (partnerRef !== null && status === 'rejected') {
      const staged = await stageWithdrawn(deps, tx, tenant.mode, partnerRef);
      if (staged !== null) return staged;
    }
    // Documents of an answer are not needed any more.
    if (corrections === null) stagePurge(deps, tx, tenant, { party: 'buyer', id: buyerId });
    return stageDecided(deps, tx, tenant, buyerId);
  },
};

/** Parties that payments are paid to. */
export const payeeKinds: Readonly<Record<'organization' | 'account', PartyKind<Payee & Tenant>>> = {
  organization: organizationKind,
  account: accountKind,
};

export const partyKinds: Readonly<Record<Subject['kind'], PartyKind>> = {
  ...payeeKinds,
  submission: submissionKind,
};

function ownDocuments({ orgId }: OrganizationProfile): DocumentOwner {
  return { party: 'organization', id: orgId };
}

function rejection(_deps: Deps, _party: Party, code: string): PartyReport {
  return { status: 'rejected', reason: code };
}

export async function loadProfile(tx: Tx, tenant: Tenant): Promise<OrganizationProfile> {
  return expectFound(await tx.organizations.profile(tenantOf(tenant)));
}

export async function loadAccount(tx: Tx, tenant: Tenant, id: string): Promise<ConnectedAccount> {
  return expectFound(await tx.accounts.get(tenantOf(tenant), id));
}

export async function loadSubmission(tx: Tx, tenant: Tenant, id: string): Promise<KycSubmission> {
  const submission = await tx.buyers.submissionById(tenantOf(tenant), id);
  assert(submission !== null, 'a submission stays');
  return submission;
}

/** Stages the profile, with the command for its rails if it is ready for them. */
export function stageProfile(
  batch: Batch,
  profile: OrganizationProfile,
  isReady: boolean,
  lease: string | null,
): PartyCommand | null {
  const subject = { kind: 'organization', id: profile.orgId } as const;
  const rails = isReady ? stageRails(batch, subject, profile, lease) : null;
  batch.tx.organizations.updateProfile(withRails(profile, rails));
  return rails;
}

/** Live mode needs production access too; granting it requests the rails. */
async function hasProductionAccess(tx: Tx, { orgId, mode }: Tenant): Promise<boolean> {
  if (mode === 'test') return true;
  const organization = await tx.organizations.get(orgId);
  assert(organization !== null, 'an organization stays');
  tx.organizations.expect(organization);
  return organization.productionGrantedAtMs !== null;
}

/** The request of `provision_rails`, stored as sealed JSON. */
export interface RailsRequest {
  readonly partyRef: string;
  readonly destinationRef: string;
  readonly key: string;
}

function stageRails(
  { deps, tx, nowMs }: Batch,
  subject: Subject,
  payee: Payee & Tenant,
  lease: string | null,
): PartyCommand {
  const { partnerRef: partyRef, destinationRef } = payee;
  assert(partyRef !== null && destinationRef !== null, 'rails lead to a PIX destination');
  const id = deps.ids.next('cmd', nowMs);
  const request: RailsRequest = { partyRef, destinationRef, key: id };
  const fields = { id, kind: 'provision_rails', subject, lease } as const;
  const command = partyCommand(deps, payee, { ...fields, request: JSON.stringify(request) });
  tx.commands.insert(command);
  return command;
}

function withRails<P extends Payee>(payee: P, rails: PartyCommand | null): P {
  return rails === null ? payee : Object.freeze({ ...payee, railsCommandId: rails.id });
}

export async function stageAccountEvents(
  deps: Deps,
  tx: Tx,
  was: ConnectedAccount | null,
  next: ConnectedAccount,
): Promise<void> {
  const events = accountEvents(was, next).map((happened) =>
    accountEvent(next, happened, deps.ids.next('evt', next.updatedAtMs)),
  );
  await stageEvents(deps, tx, events);
}

/**
 * The dossier that the partner verifies becomes the draft of the form while it asks for
 * corrections, and a dossier again if it withdraws them. A decision erases both.
 */
function withForm(deps: Deps, was: KycSubmission, next: KycSubmission): KycSubmission {
  if (isDecision(was, next)) return Object.freeze({ ...next, ...withoutData });
  const draft = readDraft(deps, was);
  if (areCorrectionsAsked(was, next)) {
    const draftSealed = sealDraft(deps, next, { ...draft, corrected: [] });
    return Object.freeze({ ...next, draftSealed, dossierSealed: null });
  }
  const isWithdrawn = was.corrections !== null && next.corrections === null;
  if (!isWithdrawn || next.status !== 'verifying' || next.draftSealed === null) return next;
  return Object.freeze({
    ...next,
    draftSealed: null,
    dossierSealed: sealDossier(deps, next, draft),
  });
}
