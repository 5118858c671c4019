// A buyer and the KYC submissions made for it. A buyer is one identity per mode and e-mail; a
// submission belongs to one tenant, so that a rejection touches only that tenant's payments. An
// approval is reused over tenants when the buyer itself signs in.
import { type MoveOf, machine } from './machine.js';
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
  approved: { reject: 'rejected' },
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

export interface KycSubmission extends Tenant {
  readonly id: string;
  readonly buyerId: string;
  /** Unguessable value in the address of the hosted form; null when none was asked for. */
  readonly flowId: string | null;
  /** Our own id of the party at the partner. */
  readonly receiverId: string;
  readonly status: KycStatus;
  /**
   * The partner's id of the party; never shown. An adopted approval has that of the party it was
   * given to: it stands and falls with it.
   */
  readonly partnerRef: string | null;
  readonly reason: string | null;
  /** The partner's id of the terms that were accepted: the first one that was told stays. */
  readonly tosId: string | null;
  /** What was said of the buyer before its dossier, sealed; null from the dossier on. */
  readonly draftSealed: string | null;
  readonly submittedAtMs: number;
  readonly approvedAtMs: number | null;
  readonly rejectedAtMs: number | null;
  readonly createdAtMs: number;
  readonly version: number;
}

/**
 * Nothing was forwarded to the partner: the next dossier joins this submission, which is
 * `verifying` all the same. Its draft is the mark. Rows of earlier versions are `pending`.
 */
export function awaitsDossier(submission: Pick<KycSubmission, 'status' | 'draftSealed'>): boolean {
  const { status, draftSealed } = submission;
  if (status === 'verifying') return draftSealed !== null;
  return nextKycStatus(status, 'submit') !== null;
}

/** A new start answers with this submission as it is: the partner has it, or has approved it. */
export function isInFlightOrApproved(
  submission: Pick<KycSubmission, 'status' | 'draftSealed'>,
): boolean {
  const { status } = submission;
  return (status === 'verifying' || status === 'approved') && !awaitsDossier(submission);
}

/**
 * What a tenant knows of a buyer: by its current submission there (null: none), unless a connected
 * account of the buyer's address counts as KYC.
 */
export function knownKycStatus(current: KycStatus | null, accountCounts: boolean): KycStatus {
  return accountCounts ? 'approved' : (current ?? 'not_started');
}

/** RFC 5321: a path is 256 octets, its angle brackets included. */
const EMAIL_LENGTH_MAX = 254;
const emailForm = /^(?:[\w'+-]+\.)*[\w'+-]*[\w+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;

/**
 * An e-mail address as it is stored: as given, without the white space around it. Null for
 * anything else, as white space or control characters inside.
 */
export function readEmail(text: string): string | null {
  const address = text.trim();
  return address.length <= EMAIL_LENGTH_MAX && emailForm.test(address) ? address : null;
}

/** Addresses are compared trimmed and lower-cased. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}

/** The submission after the partner's decision; unchanged when the decision no longer fits. */
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
    approvedAtMs: decision === 'approve' ? nowMs : submission.approvedAtMs,
    rejectedAtMs: decision === 'reject' ? nowMs : null,
  });
}

/** The submission after its buyer brought the approval of another tenant along. */
export function adopted(
  submission: KycSubmission,
  { partnerRef }: KycSubmission,
  nowMs: number,
): KycSubmission {
  // Nothing is waited for any more, the form neither.
  const settled = { status: 'approved', approvedAtMs: nowMs, draftSealed: null } as const;
  return Object.freeze({ ...submission, ...settled, partnerRef });
}

/**
 * The partner took back the approval that this submission adopted. Why, and when, is the other
 * tenant's; without a time it fails no payment of this one.
 */
export function withdrawn(submission: KycSubmission): KycSubmission {
  const status = nextKycStatus(submission.status, 'reject');
  return status === null ? submission : Object.freeze({ ...submission, status });
}

/** Binds a sealed draft to its submission. */
export function draftPurpose({ id }: Pick<KycSubmission, 'id'>): string {
  return `kyc-draft:${id}`;
}
