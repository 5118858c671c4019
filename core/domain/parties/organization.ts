// An organization (the integrator) and its profile in each mode: KYB, terms, and where payments
// without a named seller are paid.
import { PonteError } from '../../errors.js';
import type { Tenant } from '../base/tenant.js';
import { plainSigns } from '../base/typed-text.js';
import type { Dossier } from './dossier.js';
import { areTermsUsed, isDecision, type PartyStatus, withTerms } from './party.js';
import { isDue, TERMS } from './party-due.js';
import { type Payee, withOwnPayout } from './payee.js';

export interface Organization {
  readonly id: string;
  readonly name: string;
  /** Live mode requires this manual approval and the KYB. */
  readonly productionGrantedAtMs: number | null;
  /** Whether invoices need the approval of a second person. */
  readonly requiresApproval: boolean;
  /** Whether buyers of invoices are reminded of the due date by mail. */
  readonly sendsReminders: boolean;
  /** Whether payees are mailed the proof of each settled payment. */
  readonly sendsSettlementNotices: boolean;
  /** Owners and admins act in live mode by a passkey only; so does a fresh proof of anybody. */
  readonly requiresPasskey: boolean;
  /** Shown to buyers, like the four below; null: none. */
  readonly supportEmail: string | null;
  readonly supportPhone: string | null;
  /** An http or https URL, as the two below. */
  readonly website: string | null;
  readonly privacyUrl: string | null;
  readonly termsUrl: string | null;
  /** `#rrggbb`, readable (accent-color.ts); null: that of Ponte. */
  readonly accentColor: string | null;
  /** The hash of its logo (logo.ts); null: none. */
  readonly logoHash: string | null;
  /** Whose days are those of its lists, files and plots; as `readTimeZone` gives it. */
  readonly timeZone: string;
  readonly createdAtMs: number;
  readonly version: number;
}

/** How a buyer reaches the organization. */
export type SupportContact = Pick<Organization, 'supportEmail' | 'supportPhone' | 'website'>;

/** What a buyer may read before sending data; null: the operator's (deps.ts). */
export type LegalLinks = Pick<Organization, 'privacyUrl' | 'termsUrl'>;

/** Whether a buyer finds a person to ask, which live mode requires. */
export function hasContact({ supportEmail, supportPhone }: SupportContact): boolean {
  return supportEmail !== null || supportPhone !== null;
}

/** Created with the organization, one for each mode. */
export interface OrganizationProfile extends Tenant, Payee {
  /** The status of the KYB; null before the first submission. */
  readonly status: PartyStatus | null;
  readonly tosAcceptedAtMs: number | null;
  /** The same for payment intents. It is in the row that each create reads and guards. */
  readonly intentsNeedApproval: boolean;
  /** How long a changed PIX destination is held in live mode. */
  readonly payoutHoldHours: number;
  readonly version: number;
}

const PHONE_DIGITS_MIN = 5;
const PHONE_LENGTH_MAX = 40;
const WEBSITE_LENGTH_MAX = 200;
const phoneForm = /^\+?[0-9(][0-9 ()./-]*$/;
const websiteForm = /^https?:\/\/[^\s/?#@]+([/?#]\S*)?$/i;

/** The phone number without surrounding blanks; null for any other text. */
export function readPhone(text: string): string | null {
  const phone = plainSigns(text).trim();
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
  /** Belongs to the organization. */
  readonly name: string;
}

/** The test number of Brazilian tax systems, with valid check digits. */
const SANDBOX_CNPJ = '99.999.999/0001-91';

/** The sandbox dossier. The name may be a test value of the partner. */
export function sandboxKyb({ id, name }: Organization): Dossier {
  return { email: `${id}@sandbox.invalid`, legalName: name, cnpj: SANDBOX_CNPJ };
}

/** What an organization needs to collect in a mode, in this order, and whether it has it. */
const collectNeeds = {
  kyb: ({ status }) => status === 'approved',
  support_contact: ({ mode }, organization) => mode === 'test' || hasContact(organization),
  production_access: ({ mode }, { productionGrantedAtMs }) =>
    mode === 'test' || productionGrantedAtMs !== null,
  pix_destination: ({ destinationRef }) => destinationRef !== null,
  virtual_account: ({ railsRef }) => railsRef !== null,
} as const satisfies Record<string, Need>;

type Need = (profile: OrganizationProfile, organization: Organization) => boolean;
export type CollectNeed = keyof typeof collectNeeds;
export const collectNeedNames = Object.keys(collectNeeds) as readonly CollectNeed[];

export interface Lack {
  readonly need: CollectNeed;
  /** A few words for people, such as `no PIX destination`. */
  readonly message: string;
}

/** What is missing to collect; empty: ready. */
export function lacksToCollect(
  organization: Organization,
  profile: OrganizationProfile,
): readonly Lack[] {
  return collectNeedNames
    .filter((need) => !collectNeeds[need](profile, organization))
    .map((need) => ({ need, message: lackMessage(need, profile) }));
}

function lackMessage(need: CollectNeed, { status }: OrganizationProfile): string {
  if (need === 'kyb') return status === null ? 'KYB not started' : `KYB ${status}`;
  const words = need.replaceAll('_', ' ').replace('pix', 'PIX');
  return `no ${words}`;
}

/** Payments can be created, to sellers at least. */
export function mayCollect(profile: OrganizationProfile): boolean {
  return collectNeeds.kyb(profile) && collectNeeds.virtual_account(profile);
}

/** Until the KYB is approved and, in live mode, production access is granted. */
export function needsOnboarding(organization: Organization, profile: OrganizationProfile): boolean {
  return !collectNeeds.kyb(profile) || !collectNeeds.production_access(profile, organization);
}

/** The partner's id of the approved organization. KybNotApproved, also if it is not `known`. */
export function payableOrganization(
  profile: OrganizationProfile,
  known = profile.partnerRef,
): string {
  const { status, partnerRef } = profile;
  if (status === 'approved' && partnerRef !== null && partnerRef === known) return partnerRef;
  throw new PonteError('KybNotApproved', 'The KYB is not approved. Approve it, then configure.');
}

/** The changed profile with what follows from the change. */
export function changedProfile(
  was: OrganizationProfile,
  changed: OrganizationProfile,
): OrganizationProfile {
  const next = withOwnPayout(was, changed);
  if (!isDecision(was, next) || !areTermsUsed(next)) return next;
  return Object.freeze({ ...next, tosAcceptedAtMs: null });
}

/** The terms are accepted once; the partner's id of them may follow. TosIdMismatch. */
export function organizationTermsAccepted(
  profile: OrganizationProfile,
  tosId: string | null,
  nowMs: number,
): OrganizationProfile {
  const next = withTerms(profile, tosId);
  const isRenewed = next !== profile && profile.tosId !== null && isDue(profile, TERMS);
  if (profile.tosAcceptedAtMs !== null && !isRenewed) return next;
  return Object.freeze({ ...next, tosAcceptedAtMs: nowMs });
}
