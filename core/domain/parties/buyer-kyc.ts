// A buyer and its KYC submissions. A buyer is one identity per mode and e-mail address. A
// submission belongs to one tenant, so that a rejection affects only that tenant's payments. When
// the buyer signs in, an approval with another tenant may be adopted (identity-facts.ts).
import type { Mode, Tenant } from '../base/tenant.js';
import type { IdentityFacts } from './identity-facts.js';
import { decided, nextPartyStatus, type Party, partyStatuses } from './party.js';
import { isAsked, nothingDue } from './party-due.js';

/** The first two are `none` in the table of parties. Ponte does not write `pending`. */
export const kycStatuses = ['not_started', 'pending', ...partyStatuses] as const;
export type KycStatus = (typeof kycStatuses)[number];

export interface Buyer {
  readonly id: string;
  readonly mode: Mode;
  /** As first given; compared by `emailKey`. */
  readonly email: string;
  readonly emailKey: string;
  readonly createdAtMs: number;
}

/** An adopted approval has the `partnerRef` of its origin. */
export interface KycSubmission extends Tenant, Party, IdentityFacts {
  readonly id: string;
  readonly buyerId: string;
  /** Random value in the URL of the hosted form; null if none was requested. */
  readonly flowId: string | null;
  /** Our id of the party, shown by the API. */
  readonly receiverId: string;
  readonly status: KycStatus;
  /** Data of the buyer for the hosted form, sealed; null once the dossier is submitted. */
  readonly draftSealed: string | null;
  /** The submitted dossier, sealed until the decision: the partner may ask for corrections. */
  readonly dossierSealed: string | null;
  readonly submittedAtMs: number;
  readonly createdAtMs: number;
  readonly version: number;
}

/**
 * Nothing was forwarded to the partner yet: the next dossier joins this submission. It is
 * `verifying` with a draft. A rejected one stays so: the next start makes another submission.
 */
export function awaitsDossier(submission: Pick<KycSubmission, 'status' | 'draftSealed'>): boolean {
  const { status, draftSealed } = submission;
  if (status === 'verifying') return draftSealed !== null;
  return status !== 'rejected' && nextPartyStatus(status, 'submit') !== null;
}

/** The partner verifies it or has approved it: a new start returns it unchanged. */
export function isInFlightOrApproved(
  submission: Pick<KycSubmission, 'status' | 'draftSealed'>,
): boolean {
  const { status } = submission;
  return (status === 'verifying' || status === 'approved') && !awaitsDossier(submission);
}

/** What the hosted page shows of the KYC. `form`: the buyer has not submitted a dossier. */
export type KycState = 'form' | 'verifying' | 'corrections' | 'approved' | 'rejected';

/** `known` is the KYC of the buyer for the tenant; `current` is null before the first start. */
export function kycStateOf(
  known: KycStatus,
  current: Pick<KycSubmission, 'status' | 'draftSealed' | 'corrections'> | null,
): KycState {
  if (known === 'approved' || known === 'rejected') return known;
  if (current === null) return 'form';
  if (!awaitsDossier(current)) return 'verifying';
  return current.corrections === null ? 'form' : 'corrections';
}

/** The KYC of a buyer for a tenant, by its current submission or an approved connected account. */
export function knownKycStatus(current: KycStatus | null, accountCounts: boolean): KycStatus {
  return accountCounts ? 'approved' : (current ?? 'not_started');
}

/** Takes over the approval with another tenant: the person stands by its dossier. */
export function adopted(
  submission: KycSubmission,
  { partnerRef, legalName, country, bornHash, taxHash, documentHash }: KycSubmission,
  nowMs: number,
): KycSubmission {
  const approved = decided(submission, 'adopt', submission.reason, nowMs);
  const facts = {
    legalName,
    country,
    bornHash,
    taxHash,
    documentHash,
    submittedBy: 'person',
  } as const;
  return Object.freeze({ ...approved, ...withoutData, ...nothingDue, ...facts, partnerRef });
}

/** What a decision erases: of the dossier only `IdentityFacts` are kept after it. */
export const withoutData = { draftSealed: null, dossierSealed: null } as const;

/**
 * The partner withdrew the approval that this submission adopted. Reason and time are the other
 * tenant's; without a time no payment of this tenant fails.
 */
export function withdrawnSubmission(submission: KycSubmission): KycSubmission {
  return decided(submission, 'reject', submission.reason, null);
}

/** The partner asks for other corrections of the dossier that it is verifying. */
export function areCorrectionsAsked(was: KycSubmission, next: KycSubmission): boolean {
  return next.status === 'verifying' && isAsked(was, next);
}

export function draftPurpose({ id }: Pick<KycSubmission, 'id'>): string {
  return `kyc-draft:${id}`;
}

export function dossierPurpose({ id }: Pick<KycSubmission, 'id'>): string {
  return `kyc-dossier:${id}`;
}
