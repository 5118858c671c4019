// An organization (the integrator) and what it has in each mode: its KYB, the terms, its virtual
// account at the partner and the PIX destination that payments without a named seller settle to.
import { PonteError } from '../errors.js';
import type { Dossier } from './dossier.js';
import { type MoveOf, machine } from './machine.js';
import type { Tenant } from './tenant.js';

/** `overrule` is an operator's word. Nothing submitted is null outside. */
export const kybMoves = {
  none: { submit: 'verifying' },
  verifying: { approve: 'approved', reject: 'rejected', overrule: 'approved' },
  approved: { reject: 'rejected' },
  rejected: { submit: 'verifying', overrule: 'approved' },
} as const;

export type KybStatus = Exclude<keyof typeof kybMoves, 'none'>;
export type KybMove = MoveOf<typeof kybMoves>;
const kyb = machine(kybMoves);
export const kybStatuses = kyb.states.filter((status) => status !== 'none');

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
  /** Our own id of the organization as a party at the partner; a fresh one for each submission. */
  readonly receiverId: string | null;
  /** The order of the newest submission: news of an earlier one decides nothing any more. */
  readonly kybCommandId: string | null;
  /** The partner's id of that party; never shown. */
  readonly partnerRef: string | null;
  readonly virtualAccountRef: string | null;
  /** The partner's reference of the PIX destination; the PIX key itself is never stored. */
  readonly destinationRef: string | null;
  /** The partner's id of the accepted terms, where it gives one. */
  readonly tosId: string | null;
  readonly tosAcceptedAtMs: number | null;
  readonly version: number;
}

/** The test number of Brazilian tax systems, with valid check digits. */
const SANDBOX_CNPJ = '99.999.999/0001-91';

/** The dossier of an organization in the sandbox. Its name can be a magic value. */
export function sandboxKyb({ id, name }: Organization): Dossier {
  return { email: `${id}@sandbox.invalid`, legalName: name, cnpj: SANDBOX_CNPJ };
}

export function nextKybStatus(status: KybStatus | null, move: KybMove): KybStatus | null {
  return kyb.next(status ?? 'none', move);
}

/** KYB approved and a virtual account there: payments can be created. */
export function mayCollect(profile: OrganizationProfile): boolean {
  return profile.kybStatus === 'approved' && profile.virtualAccountRef !== null;
}

/** Until the mode is activated: by its KYB, in live mode after production access was granted. */
export function needsOnboarding(
  organization: Organization,
  { mode, kybStatus }: OrganizationProfile,
): boolean {
  const granted = mode === 'test' || organization.productionGrantedAtMs !== null;
  return kybStatus !== 'approved' || !granted;
}

/** The KYB is handed to the partner, as a fresh party; the profile as it is when it is there. */
export function kybSubmitted(
  profile: OrganizationProfile,
  submission: { readonly receiverId: string; readonly kybCommandId: string },
): OrganizationProfile {
  const kybStatus = nextKybStatus(profile.kybStatus, 'submit');
  if (kybStatus === null) return profile;
  // The account and the destination were those of the party before.
  const fresh = { partnerRef: null, virtualAccountRef: null, destinationRef: null };
  return Object.freeze({ ...profile, ...submission, ...fresh, kybStatus });
}

/** The partner knows the party, and perhaps decided on it. */
export function kybReported(
  profile: OrganizationProfile,
  partnerRef: string | null,
  status: 'verifying' | 'approved' | 'rejected',
): OrganizationProfile {
  const known =
    profile.partnerRef === null && partnerRef !== null
      ? Object.freeze({ ...profile, partnerRef })
      : profile;
  if (status === 'verifying') return known;
  return kybDecided(known, status === 'approved' ? 'approve' : 'reject');
}

/** The profile as it is when the decision does not fit. */
export function kybDecided(
  profile: OrganizationProfile,
  move: 'approve' | 'reject' | 'overrule',
): OrganizationProfile {
  const kybStatus = nextKybStatus(profile.kybStatus, move);
  return kybStatus === null ? profile : Object.freeze({ ...profile, kybStatus });
}

/** The terms are accepted once; the partner's id of them may follow, and then stays. */
export function termsAccepted(
  profile: OrganizationProfile,
  tosId: string | null,
  nowMs: number,
): OrganizationProfile {
  if (tosId !== null && profile.tosId !== null && tosId !== profile.tosId) {
    throw new PonteError('TosIdMismatch');
  }
  const known = profile.tosId ?? tosId;
  if (profile.tosAcceptedAtMs !== null && known === profile.tosId) return profile;
  return Object.freeze({
    ...profile,
    tosId: known,
    tosAcceptedAtMs: profile.tosAcceptedAtMs ?? nowMs,
  });
}
