// An organization (the integrator) and what it has in each mode: its KYB, its virtual account at
// the partner and the PIX destination that payments without a named seller settle to.
import type { Tenant } from './tenant.js';

export type KybStatus = 'verifying' | 'approved' | 'rejected';

export interface Organization {
  readonly id: string;
  readonly name: string;
  /** A live mode needs this manual approval besides its KYB. */
  readonly productionGrantedAtMs: number | null;
  readonly requiresApproval: boolean;
  readonly createdAtMs: number;
  readonly version: number;
}

/** One row per organization and mode, made with the organization. */
export interface OrganizationProfile extends Tenant {
  /** Null until a KYB submission was started. */
  readonly kybStatus: KybStatus | null;
  /** Our own id of the organization as a party at the partner. */
  readonly receiverId: string | null;
  /** The partner's id of that party; never shown. */
  readonly partnerRef: string | null;
  readonly virtualAccountRef: string | null;
  /** The partner's reference of the PIX destination; the PIX key itself is never stored. */
  readonly destinationRef: string | null;
  readonly version: number;
}

/** KYB approved and a virtual account there: payments can be created. */
export function mayCollect(profile: OrganizationProfile): boolean {
  return profile.kybStatus === 'approved' && profile.virtualAccountRef !== null;
}
