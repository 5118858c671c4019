// A buyer and the KYC submissions made for it. A buyer is one identity per mode and e-mail; a
// submission belongs to one tenant, so that a rejection touches only that tenant's payments. An
// approval is reused over tenants when the buyer itself signs in.
import type { Mode, Tenant } from './tenant.js';

export const kycMoves = {
  not_started: { submit: 'verifying', adopt: 'approved' },
  pending: { submit: 'verifying', adopt: 'approved' },
  verifying: { approve: 'approved', reject: 'rejected', adopt: 'approved' },
  approved: { reject: 'rejected' },
  rejected: {},
} as const satisfies Record<KycStatus, Partial<Record<KycMove, KycStatus>>>;

export type KycStatus = 'not_started' | 'pending' | 'verifying' | 'approved' | 'rejected';
export type KycMove = 'submit' | 'approve' | 'reject' | 'adopt';

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
  /** What was said of the buyer before the hosted form is filled in, sealed; null afterwards. */
  readonly draftSealed: string | null;
  readonly submittedAtMs: number;
  readonly approvedAtMs: number | null;
  readonly rejectedAtMs: number | null;
  readonly createdAtMs: number;
  readonly version: number;
}

export function nextKycStatus(status: KycStatus, move: KycMove): KycStatus | null {
  const row: Partial<Record<KycMove, KycStatus>> = kycMoves[status];
  return row[move] ?? null;
}

/** While one of these, a new start answers with the submission there is. */
export function isInFlightOrApproved(status: KycStatus): boolean {
  return status === 'verifying' || status === 'approved';
}

/**
 * What a tenant knows of a buyer: by its current submission there (null: none), unless a connected
 * account of the buyer's address counts as KYC.
 */
export function knownKycStatus(current: KycStatus | null, accountCounts: boolean): KycStatus {
  return accountCounts ? 'approved' : (current ?? 'not_started');
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
