// An organization (the integrator) and its profile in each mode: KYB, terms, and where payments
// without a named seller are paid.
import { PonteError } from '../../errors.js';
import { recordOf } from '../base/record-of.js';
import type { Tenant } from '../base/tenant.js';
import { DEFAULT_TIME_ZONE } from '../base/time-zone.js';
import { type Contact, hasContact, noContact } from './contact.js';
import type { Dossier } from './dossier.js';
import { areTermsUsed, isDecision, type PartyStatus, withTerms } from './party.js';
import { isDue, TERMS } from './party-due.js';
import { type Payee, withOwnPayout } from './payee.js';

/**
 * Mails that an organization may switch on: reminders of the due date to buyers of invoices, and
 * the proof of each settled payment to payees. Another one is a name here, a column of the schema,
 * and its words in each language.
 */
export const mailSwitches = ['sendsReminders', 'sendsSettlementNotices'] as const;
export type MailSwitches = Readonly<Record<(typeof mailSwitches)[number], boolean>>;

export interface Organization extends Contact, MailSwitches {
  readonly id: string;
  readonly name: string;
  /** Live mode requires this manual approval and the KYB. */
  readonly productionGrantedAtMs: number | null;
  /** Whether invoices need the approval of a second person. */
  readonly requiresApproval: boolean;
  /** Owners and admins act in live mode by a passkey only; so does a fresh proof of anybody. */
  readonly requiresPasskey: boolean;
  /** `#rrggbb`, readable (accent-color.ts); null: that of Ponte. */
  readonly accentColor: string | null;
  /** The hash of its logo (logo.ts); null: none. */
  readonly logoHash: string | null;
  /** Whose days are those of its lists, files and plots; as `readTimeZone` gives it. */
  readonly timeZone: string;
  readonly createdAtMs: number;
  readonly version: number;
}

/** As it is created. */
export function newOrganization(id: string, name: string, nowMs: number): Organization {
  return Object.freeze({
    id,
    name,
    productionGrantedAtMs: null,
    requiresApproval: false,
    ...recordOf(mailSwitches, () => false),
    requiresPasskey: false,
    ...noContact,
    accentColor: null,
    logoHash: null,
    timeZone: DEFAULT_TIME_ZONE,
    createdAtMs: nowMs,
    version: 1,
  });
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
