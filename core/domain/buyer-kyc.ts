// A buyer and its KYC submissions. A buyer is one identity per mode and e-mail address. A
// submission belongs to one tenant, so that a rejection affects only that tenant's payments. When
// the buyer signs in, an approval with another tenant is adopted.
import { type MoveOf, machine } from './machine.js';
import { isSameDue, nothingDue, type PartyDue } from './party-due.js';
import type { Mode, Tenant } from './tenant.js';

export const kycMoves = {
  not_started: { submit: 'verifying', adopt: 'approved' },
  pending: { submit: 'verifying', adopt: 'approved' },
  verifying: {
    submit: 'verifying',
    approve: 'approved',
    reject: 'rejected',
    adopt: 'approved',
  },
  approved: { reject: 'rejected', pause: 'verifying' },
  rejected: {},
} as const;

export type KycStatus = keyof typeof kycMoves;
export type KycMove = MoveOf<typeof kycMoves>;
export const { states: kycStatuses, next: nextKycStatus } = machine(kycMoves);

export interface Buyer {
  readonly id: string;
  readonly mode: Mode;
  /** As first given; compared by `emailKey`. */
  readonly email: string;
  readonly emailKey: string;
  readonly createdAtMs: number;
}

export interface KycSubmission extends Tenant, PartyDue {
  readonly id: string;
  readonly buyerId: string;
  /** Random value in the URL of the hosted form; null if none was requested. */
  readonly flowId: string | null;
  /** Our own id of the party at the partner. */
  readonly receiverId: string;
  readonly status: KycStatus;
  /** The partner's id of the party; never shown. An adopted approval has that of its origin. */
  readonly partnerRef: string | null;
  readonly reason: string | null;
  /** The partner's id of the accepted terms; the first one stays. */
  readonly tosId: string | null;
  /** Data of the buyer for the hosted form, sealed; null once the dossier is submitted. */
  readonly draftSealed: string | null;
  /** The submitted dossier, sealed until the decision: the partner may ask for corrections. */
  readonly dossierSealed: string | null;
  /** The order of the latest dossier; reports about earlier ones are ignored. */
  readonly submitCommandId: string | null;
  readonly submittedAtMs: number;
  readonly approvedAtMs: number | null;
  readonly rejectedAtMs: number | null;
  readonly createdAtMs: number;
  readonly version: number;
}

/**
 * Nothing was forwarded to the partner yet: the next dossier joins this submission. It is
 * `verifying` with a draft. `pending` is a status of the API that Ponte does not write.
 */
export function awaitsDossier(submission: Pick<KycSubmission, 'status' | 'draftSealed'>): boolean {
  const { status, draftSealed } = submission;
  if (status === 'verifying') return draftSealed !== null;
  return nextKycStatus(status, 'submit') !== null;
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

/** RFC 5321: a path is 256 octets, its angle brackets included. */
const EMAIL_LENGTH_MAX = 254;
const emailForm = /^(?:[\w'+-]+\.)*[\w'+-]*[\w+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;

/** The trimmed e-mail address; null for any other text. */
export function readEmail(text: string): string | null {
  const address = text.trim();
  return address.length <= EMAIL_LENGTH_MAX && emailForm.test(address) ? address : null;
}

/** Addresses are equal if their keys are. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}

/** Unchanged where the table has no such move. */
export function decideSubmission(
  submission: KycSubmission,
  decision: 'approve' | 'reject',
  reason: string | null,
  nowMs: number,
): KycSubmission {
  const status = nextKycStatus(submission.status, decision);
  if (status === null) return submission;
  return Object.freeze({
    ...submission,
    status,
    reason,
    ...withoutData,
    approvedAtMs: decision === 'approve' ? nowMs : submission.approvedAtMs,
    rejectedAtMs: decision === 'reject' ? nowMs : null,
  });
}

/** After a decision nothing of the dossier is kept. */
const withoutData = { draftSealed: null, dossierSealed: null, ...nothingDue } as const;

/** Takes over the approval of the buyer's submission with another tenant. */
export function adopted(
  submission: KycSubmission,
  { partnerRef }: KycSubmission,
  nowMs: number,
): KycSubmission {
  const settled = { status: 'approved', approvedAtMs: nowMs, ...withoutData } as const;
  return Object.freeze({ ...submission, ...settled, partnerRef });
}

/**
 * The partner withdrew the approval that this submission adopted. Reason and time are the other
 * tenant's; without a time no payment of this tenant fails.
 */
export function withdrawn(submission: KycSubmission): KycSubmission {
  const status = nextKycStatus(submission.status, 'reject');
  return status === null ? submission : Object.freeze({ ...submission, status });
}

/** The partner suspends its approval. */
export function paused(submission: KycSubmission): KycSubmission {
  const status = nextKycStatus(submission.status, 'pause');
  return status === null ? submission : Object.freeze({ ...submission, status });
}

/**
 * The partner asks for corrections of the submitted dossier: it becomes the draft of the next one.
 * Unchanged unless the partner is verifying it, and by a repeat.
 */
export function correctionsAsked(
  submission: KycSubmission,
  due: PartyDue,
  draftSealed: string,
): KycSubmission {
  if (submission.status !== 'verifying' || isSameDue(submission, due)) return submission;
  if (submission.corrections === due.corrections) return Object.freeze({ ...submission, ...due });
  return Object.freeze({ ...submission, ...due, draftSealed, dossierSealed: null });
}

/** The partner wants nothing any more, without an answer of ours: the draft is a dossier again. */
export function correctionsWithdrawn(
  submission: KycSubmission,
  dossierSealed: string,
): KycSubmission {
  const { status, draftSealed, corrections } = submission;
  if (status !== 'verifying' || draftSealed === null || corrections === null) return submission;
  return Object.freeze({ ...submission, draftSealed: null, dossierSealed, ...nothingDue });
}

/** What the partner wants of a buyer that stays approved. */
export function dueWhileApproved(submission: KycSubmission, due: PartyDue): KycSubmission {
  if (submission.status !== 'approved' || isSameDue(submission, due)) return submission;
  return Object.freeze({ ...submission, ...due });
}

export function draftPurpose({ id }: Pick<KycSubmission, 'id'>): string {
  return `kyc-draft:${id}`;
}

export function dossierPurpose({ id }: Pick<KycSubmission, 'id'>): string {
  return `kyc-dossier:${id}`;
}
