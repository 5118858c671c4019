// A connected account: an integrator's own client (a seller or a known buyer), verified at the
// partner. This file owns what its status may become and when a seller is ready to collect.
import type { Tenant } from './tenant.js';

export const accountMoves = {
  created: { submit: 'verifying' },
  verifying: { approve: 'approved', reject: 'rejected' },
  approved: { reject: 'rejected' },
  rejected: { submit: 'verifying' },
} as const satisfies Record<AccountStatus, Partial<Record<AccountMove, AccountStatus>>>;

export type AccountStatus = 'created' | 'verifying' | 'approved' | 'rejected';
export type AccountMove = 'submit' | 'approve' | 'reject';

export const roles = ['seller', 'buyer'] as const;
export type Role = (typeof roles)[number];
export const entityTypes = ['business', 'individual'] as const;
export type EntityType = (typeof entityTypes)[number];

export const accountStatuses = Object.keys(accountMoves) as readonly AccountStatus[];

export interface ConnectedAccount extends Tenant {
  readonly id: string;
  /** The integrator's key, unique per tenant. */
  readonly externalId: string | null;
  readonly role: Role;
  readonly entityType: EntityType;
  readonly status: AccountStatus;
  /** Our own id of the party at the partner; a fresh one for each submission. */
  readonly receiverId: string | null;
  /** The partner's id of the party; never shown. */
  readonly partnerRef: string | null;
  readonly email: string | null;
  readonly legalName: string | null;
  readonly displayName: string | null;
  readonly country: string | null;
  /** Sealed by the secret box; never returned. */
  readonly taxIdSealed: string | null;
  readonly taxIdLast4: string | null;
  /** Our key of the terms session last minted; null before the first. */
  readonly tosSessionKey: string | null;
  readonly tosId: string | null;
  /** The partner's reference of the PIX destination; the PIX key itself is never stored. */
  readonly destinationRef: string | null;
  /** The partner's off-ramp wallet (settlement rails). */
  readonly railsRef: string | null;
  /** When connected_account.ready_to_collect was fired: it fires once. */
  readonly readyAtMs: number | null;
  readonly reason: string | null;
  readonly approvedAtMs: number | null;
  readonly rejectedAtMs: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly version: number;
}

export function nextAccountStatus(status: AccountStatus, move: AccountMove): AccountStatus | null {
  const row: Partial<Record<AccountMove, AccountStatus>> = accountMoves[status];
  return row[move] ?? null;
}

/** While one of these, a submit answers with the account as it is. */
export function isSubmitted(status: AccountStatus): boolean {
  return nextAccountStatus(status, 'submit') === null;
}

/** A seller that can be named on a payment: verified, off-ramp wallet, PIX destination. */
export function readyToCollect(account: ConnectedAccount): boolean {
  return (
    account.role === 'seller' &&
    account.status === 'approved' &&
    account.railsRef !== null &&
    account.destinationRef !== null
  );
}
