// An organization (the integrator) and its profile in each mode: KYB, terms, the virtual account at
// the partner and the PIX destination of payments without a named seller.
import { PonteError } from '../errors.js';
import type { Dossier } from './dossier.js';
import { type MoveOf, machine } from './machine.js';
import { isDue, isSameDue, nothingDue, type PartyDue, TERMS } from './party-due.js';
import type { Tenant } from './tenant.js';

/** `overrule` is an operator's decision. Outside this file, `none` is null. */
export const kybMoves = {
  none: { submit: 'verifying' },
  verifying: { approve: 'approved', reject: 'rejected', overrule: 'approved' },
  approved: { reject: 'rejected', pause: 'verifying' },
  rejected: { submit: 'verifying', overrule: 'approved' },
} as const;

export type KybStatus = Exclude<keyof typeof kybMoves, 'none'>;
export type KybMove = MoveOf<typeof kybMoves>;
const kyb = machine(kybMoves);
export const kybStatuses = kyb.states.filter((status) => status !== 'none');

export interface Organization {
  readonly id: string;
  readonly name: string;
  /** Live mode requires this manual approval and the KYB. */
  readonly productionGrantedAtMs: number | null;
  readonly requiresApproval: boolean;
  /** Shown to buyers, like the two below; null: none. */
  readonly supportEmail: string | null;
  readonly supportPhone: string | null;
  /** An http or https URL. */
  readonly website: string | null;
  readonly createdAtMs: number;
  readonly version: number;
}

/** How a buyer reaches the organization. */
export type SupportContact = Pick<Organization, 'supportEmail' | 'supportPhone' | 'website'>;

/** Created with the organization, one for each mode. */
export interface OrganizationProfile extends Tenant, PartyDue {
  /** Null before the first submission. */
  readonly kybStatus: KybStatus | null;
  /** Our id of the organization as a party at the partner; new for each submission. */
  readonly receiverId: string | null;
  /** The order of the latest submission; reports about earlier ones are ignored. */
  readonly kybCommandId: string | null;
  /** The partner's id of that party; never shown. */
  readonly partnerRef: string | null;
  readonly virtualAccountRef: string | null;
  /** The partner's reference of the PIX destination; the PIX key itself is never stored. */
  readonly destinationRef: string | null;
  /** The partner's id of the accepted terms, if it gives one. */
  readonly tosId: string | null;
  readonly tosAcceptedAtMs: number | null;
  readonly version: number;
}

const PHONE_DIGITS_MIN = 5;
const PHONE_LENGTH_MAX = 40;
const WEBSITE_LENGTH_MAX = 200;
const phoneForm = /^\+?[0-9(][0-9 ()./-]*$/;
const websiteForm = /^https?:\/\/[^\s/?#@]+([/?#]\S*)?$/i;

/** The phone number without surrounding blanks; null for any other text. */
export function readPhone(text: string): string | null {
  const phone = text.trim();
  const isLong = phone.replace(/[^0-9]/g, '').length >= PHONE_DIGITS_MIN;
  return isLong && phone.length <= PHONE_LENGTH_MAX && phoneForm.test(phone) ? phone : null;
}

/** The normalized http or https URL without a password; null for any other text. */
export function readWebsite(text: string): string | null {
  const url = text.trim();
  if (!websiteForm.test(url) || !URL.canParse(url)) return null;
  const { href } = new URL(url);
  return href.length <= WEBSITE_LENGTH_MAX ? href : null;
}

export interface NamedProfile {
  readonly profile: OrganizationProfile;
  /** Of the organization. */
  readonly name: string;
}

/** The test number of Brazilian tax systems, with valid check digits. */
const SANDBOX_CNPJ = '99.999.999/0001-91';

/** The sandbox dossier. The name may be a test value of the partner. */
export function sandboxKyb({ id, name }: Organization): Dossier {
  return { email: `${id}@sandbox.invalid`, legalName: name, cnpj: SANDBOX_CNPJ };
}

export function nextKybStatus(status: KybStatus | null, move: KybMove): KybStatus | null {
  return kyb.next(status ?? 'none', move);
}

/** Payments can be created. */
export function mayCollect(profile: OrganizationProfile): boolean {
  return profile.kybStatus === 'approved' && profile.virtualAccountRef !== null;
}

/** Until the KYB is approved and, in live mode, production access is granted. */
export function needsOnboarding(
  organization: Organization,
  { mode, kybStatus }: OrganizationProfile,
): boolean {
  const granted = mode === 'test' || organization.productionGrantedAtMs !== null;
  return kybStatus !== 'approved' || !granted;
}

/** Submits the KYB as a new party; unchanged where the table has no such move. */
export function kybSubmitted(
  profile: OrganizationProfile,
  submission: { readonly receiverId: string; readonly kybCommandId: string },
): OrganizationProfile {
  const kybStatus = nextKybStatus(profile.kybStatus, 'submit');
  if (kybStatus === null) return profile;
  // Virtual account and destination belong to the earlier party.
  const fresh = { partnerRef: null, virtualAccountRef: null, destinationRef: null };
  return Object.freeze({ ...profile, ...submission, ...fresh, ...nothingDue, kybStatus });
}

/** Answers what the partner wants of the party that it knows. */
export function kybAnswered(
  profile: OrganizationProfile,
  kybCommandId: string,
): OrganizationProfile {
  return Object.freeze({ ...profile, kybCommandId, ...nothingDue });
}

/** `reason` is the partner's, of a rejection. */
export function kybReported(
  profile: OrganizationProfile,
  partnerRef: string | null,
  status: 'verifying' | 'approved' | 'paused' | 'rejected',
  reason: string | null = null,
): OrganizationProfile {
  const known =
    partnerRef !== null && isParty(profile, partnerRef, status)
      ? withParty(profile, partnerRef)
      : profile;
  if (status === 'verifying') return known;
  if (status !== 'rejected') return kybDecided(known, status === 'approved' ? 'approve' : 'pause');
  const rejected = kybDecided(known, 'reject');
  if (rejected === known) return known;
  // Terms serve one party of the partner; it may also have refused them.
  const areUsed = known.partnerRef !== null || reason === TERMS;
  const unused = areUsed ? { tosId: null, tosAcceptedAtMs: null } : {};
  return Object.freeze({ ...rejected, ...nothingDue, ...unused });
}

/** The first party counts, until the partner approves another one. */
function isParty({ partnerRef: known }: OrganizationProfile, partnerRef: string, status: string) {
  return known === null || (status === 'approved' && known !== partnerRef);
}

function withParty(profile: OrganizationProfile, partnerRef: string): OrganizationProfile {
  const fresh = { virtualAccountRef: null, destinationRef: null };
  return Object.freeze({ ...profile, partnerRef, ...(profile.partnerRef === null ? {} : fresh) });
}

/** Unchanged where the table has no such move. */
export function kybDecided(
  profile: OrganizationProfile,
  move: 'approve' | 'reject' | 'overrule' | 'pause',
): OrganizationProfile {
  const kybStatus = nextKybStatus(profile.kybStatus, move);
  return kybStatus === null ? profile : Object.freeze({ ...profile, kybStatus });
}

export function kybWithDue(profile: OrganizationProfile, due: PartyDue): OrganizationProfile {
  return isSameDue(profile, due) ? profile : Object.freeze({ ...profile, ...due });
}

/** The terms are accepted once; the partner's id of them may follow. */
export function termsAccepted(
  profile: OrganizationProfile,
  tosId: string | null,
  nowMs: number,
): OrganizationProfile {
  const isNew = tosId !== null && profile.tosId !== null && tosId !== profile.tosId;
  const isRenewed = isNew && isDue(profile, TERMS);
  if (isNew && !isRenewed) throw new PonteError('TosIdMismatch');
  const known = isRenewed ? tosId : (profile.tosId ?? tosId);
  if (profile.tosAcceptedAtMs !== null && known === profile.tosId) return profile;
  return Object.freeze({
    ...profile,
    tosId: known,
    tosAcceptedAtMs: isRenewed ? nowMs : (profile.tosAcceptedAtMs ?? nowMs),
  });
}
