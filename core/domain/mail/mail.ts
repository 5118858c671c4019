// A mail and the magic link to a hosted page that it may contain. They are one row, because each
// link is sent once. A notice has no link that signs in.
import { hash } from 'node:crypto';
import { assert } from '../../errors.js';
import type { ProofRequest } from '../access/session-proof.js';
import { DAY_MS, HOUR_MS, isFromWrongClock, MINUTE_MS, SECOND_MS } from '../base/instant.js';
import type { Leased } from '../base/lease.js';
import type { Locale } from '../base/locale.js';
import { type MoveOf, machine } from '../base/machine.js';
import { backoffMs, schedules } from '../base/schedules.js';
import type { Tenant } from '../base/tenant.js';
import { plainSigns } from '../base/typed-text.js';

export const mailMoves = {
  pending: {
    sent: 'sent',
    later: 'pending',
    refused: 'refused',
    drop: 'dropped',
    resend: 'pending',
  },
  sent: { resend: 'pending' },
  refused: { resend: 'pending' },
  dropped: { resend: 'pending' },
} as const;

/** `refused`: the mailbox takes no mail. `dropped`: no longer needed. */
export type MailStatus = keyof typeof mailMoves;
export type MailMove = MoveOf<typeof mailMoves>;
const mails = machine(mailMoves);
export const { states: mailStatuses, next: nextMailStatus } = mails;

interface PurposeRule {
  /** How long its link signs in, or a notice is worth sending. */
  readonly lifeMs: number;
  /** Whether it carries a link that signs in. A notice links to the page at most. */
  readonly signsIn: boolean;
  /**
   * Numbered per address, and limited by the numbers; else one mail for each cause. An organization
   * neither uses up nor detects the mails of another.
   */
  readonly isNumbered: boolean;
  /** Who waits for it: the recipient, probably; else an organization or another person sends it. */
  readonly isAsked: boolean;
  /**
   * Whom a notice is for. `member`: who can undo or repair what happened. `owner`: about a payment.
   * `organization`: it, its members or a seller. Null for a link.
   */
  readonly audience: Audience | null;
}

type Audience = 'buyer' | 'member' | 'owner' | 'organization';

const link = { signsIn: true, isNumbered: true, isAsked: false, audience: null } as const;
const plain = { lifeMs: 7 * DAY_MS, signsIn: false, isNumbered: false, isAsked: false } as const;
const notice = { ...plain, audience: 'buyer' } as const;
const toOrganization = { ...plain, audience: 'organization' } as const;
const toOwners = { ...plain, audience: 'owner' } as const;
const toMembers = { ...plain, audience: 'member' } as const;

export const mailRules = {
  // Longer, and copies of it in archives and forwards would sign in.
  invitation: { ...link, lifeMs: DAY_MS },
  // The recipient probably requested it and waits.
  sign_in: { ...link, lifeMs: 15 * MINUTE_MS, isAsked: true },
  // A member who is signed in proves to be there, for an action that the mail names.
  confirmation: { ...link, lifeMs: 15 * MINUTE_MS, isAsked: true },
  // The recipient did not expect it and must have documents at hand.
  owner_link: { ...link, lifeMs: 7 * DAY_MS },
  // A request for payment is read within days.
  approval_link: { ...link, lifeMs: 7 * DAY_MS },
  payout_changed: { ...toOrganization, isNumbered: true },
  production_decided: { ...toOrganization, isNumbered: true },
  kyc_approved: notice,
  kyc_more: notice,
  kyc_rejected: notice,
  approval_given: notice,
  approval_declined: notice,
  instructions_ready: notice,
  money_short: notice,
  money_received: notice,
  receipt: notice,
  cancelled: notice,
  expired: notice,
  failed: notice,
  refund_ordered: notice,
  refunded: notice,
  // The next day it would say something else.
  reminder: { ...notice, lifeMs: DAY_MS },
  question: toOrganization,
  money_moved: toOwners,
  payment_approved: toOwners,
  buyer_differs: toOwners,
  payment_settled: toOrganization,
  paper_ends: toOrganization,
  webhooks_gave_up: toMembers,
  passkey_added: toOrganization,
  passkey_removed: toOrganization,
  live_key_created: toMembers,
  team_changed: toMembers,
  passkeys_reset: toMembers,
} as const satisfies Record<string, PurposeRule>;

export type MailPurpose = keyof typeof mailRules;
export const mailPurposes = Object.keys(mailRules) as readonly MailPurpose[];
type PurposeWith<R> = {
  readonly [P in MailPurpose]: (typeof mailRules)[P] extends R ? P : never;
}[MailPurpose];
type PurposeTo<A extends Audience> = PurposeWith<{ readonly audience: A }>;
export type LinkPurpose = PurposeWith<{ readonly signsIn: true }>;
/** Once for each cause, as those to owners. */
export type MemberNoticePurpose = PurposeTo<'member'>;
export type OwnerNoticePurpose = PurposeTo<'owner'>;
export type OrganizationPurpose = PurposeTo<'organization' | 'owner' | 'member'>;
/** About a payment or the KYC of its buyer. */
export type NoticePurpose = PurposeTo<'buyer'>;

function isTo<A extends Audience>(...audiences: readonly A[]) {
  const known: readonly (Audience | null)[] = audiences;
  return (purpose: MailPurpose): purpose is PurposeTo<A> =>
    known.includes(mailRules[purpose].audience);
}

export const isNoticePurpose = isTo('buyer');
export const isMemberNotice = isTo('member');
export const isOwnerNotice = isTo('owner');
export const ownerNoticePurposes = mailPurposes.filter(isOwnerNotice);
export const organizationPurposes = mailPurposes.filter(isTo('organization', 'owner', 'member'));

/** The cause of a notice to a member: what happened to which object. None of them has a point. */
export function memberNoticeCause(objectId: string, what: string, memberId: string): string {
  return [objectId, what, memberId].join('.');
}

/** The cause of a mail to an owner about an event, or about a payment itself. No id has a point. */
export function ownerNoticeCause(
  purpose: OwnerNoticePurpose,
  objectId: string,
  memberId: string,
): string {
  return [objectId, memberId, ...(purpose === 'money_moved' ? [] : [purpose])].join('.');
}

/** The event that a mail is about; null for a mail without one. */
export function eventIdIn({ purpose, cause }: Pick<Mail, 'purpose' | 'cause'>): string | null {
  const named = cause?.split('.')[0] ?? null;
  if (purpose === 'payment_settled') return named?.startsWith('evt_') ? named : null;
  return purpose === 'question' || purpose === 'money_moved' ? named : null;
}

/** The document that a warning is about; null for another mail. */
export function paperIdIn({ purpose, cause }: Pick<Mail, 'purpose' | 'cause'>): string | null {
  return purpose === 'paper_ends' ? (cause?.split('.')[0] ?? null) : null;
}

/** The tenant of mails to a member, who belongs to both modes. */
export function memberMail({ orgId }: Pick<Tenant, 'orgId'>): Tenant {
  return { orgId, mode: 'live' };
}

/** The tenant of mails to a person: no organization limits, delays or counts them. */
export const personMail: Tenant = { orgId: 'service', mode: 'live' };

/** What a notice to a member is about; null for another mail. */
export function noticeIn({
  purpose,
  cause,
}: Pick<Mail, 'purpose' | 'cause'>): { readonly objectId: string; readonly what: string } | null {
  if (!isMemberNotice(purpose)) return null;
  const [objectId = '', what = ''] = cause?.split('.') ?? [];
  return { objectId, what };
}

/** What a mail is about. */
export type MailSubject =
  | { readonly kind: 'payment'; readonly paymentId: string }
  /** Its approval by a colleague of the buyer: to the approver. */
  | { readonly kind: 'approval'; readonly paymentId: string }
  /** `ownerIndex`: of a beneficial owner in its dossier; null: the buyer. */
  | {
      readonly kind: 'submission';
      readonly submissionId: string;
      readonly ownerIndex: number | null;
    }
  /** A membership: of one organization. */
  | { readonly kind: 'member'; readonly memberId: string }
  /** Whose address this is: of no organization, and perhaps nobody. */
  | { readonly kind: 'person'; readonly emailKey: string }
  /** The destination of a seller; null: of the organization itself. */
  | { readonly kind: 'account'; readonly accountId: string | null };

/** Invoices of one invitation: as many as a file of the import has. */
export const INVITED_MAX = 200;

/** The pause between two invitations to the buyer of an invoice, or two requests to an owner. */
export const INVITATION_PAUSE_MS = MINUTE_MS;
/** Mails of one purpose to an address within the window; sign-ins have `nextSignIn`. */
export const ADDRESS_MAILS_MAX = 5;
const ADDRESS_WINDOW_MS = HOUR_MS;
/** Unused sign-ins to an address within a day, after which a page pauses for all browsers. */
const SIGN_INS_SHARED_MAX = 5;
/**
 * Sign-in mails to an address within a day, after which a page mails one only when the link of its
 * latest one has ended. So no number of pages locks the buyer out of another one.
 */
export const SIGN_INS_A_DAY_MAX = 60;
/** Mails of a KYC form to other people, whose addresses the buyer types. It has ten owners. */
export const FORM_MAILS_A_DAY_MAX = 20;
/** Tries of a mail's code. After them the code is refused, and the link stays valid. */
const CODE_TRIES_MAX = 5;
/** An open page shows a change within seconds; then its mail is not needed. */
export const PAGE_SHOWS_MS = 30 * SECOND_MS;
/** The shortest wait of a mail to a new address once the tenant has mailed many. */
export const NEW_ADDRESS_PAUSE_MS = 10 * MINUTE_MS;
/** Longer than the timeout of the mail server. */
export const MAIL_LEASE_MS = MINUTE_MS;
/** How long a mail is kept with its address: operators can see what bounced. */
export const MAIL_RETENTION_MS = 30 * DAY_MS;

export interface Mail extends Tenant, Leased {
  /** Part of its Message-ID. */
  readonly id: string;
  readonly purpose: MailPurpose;
  readonly subject: MailSubject;
  /** What it asks to confirm; null for another mail. */
  readonly proof: ProofRequest | null;
  /** The key of a notice that is sent once: no other mail of the tenant has it. */
  readonly cause: string | null;
  readonly to: string;
  /** `emailKey` of `to`. */
  readonly toKey: string;
  /** The number of the mail among those of its purpose to the address, from 1; null: no number. */
  readonly nth: number | null;
  readonly locale: Locale;
  /** Null for a notice. */
  readonly tokenHash: string | null;
  /** `secretsText`; null once the mail has ended, and for a notice. */
  readonly tokenSealed: string | null;
  /** A keyed hash, because six digits can be searched; null for a notice. */
  readonly codeHash: string | null;
  readonly codeTries: number;
  /** The hash of a random value in the browser that asked for the mail; null if none did. */
  readonly browserHash: string | null;
  /** When the link ends, or a notice is too old to be sent. */
  readonly linkEndsAtMs: number;
  readonly linkUsedAtMs: number | null;
  readonly status: MailStatus;
  /** Counted when a worker claims it. */
  readonly tries: number;
  /**
   * Not taken, for a reason that the operator of the mail server can mend: its refusal, or too many
   * tries. Stays true of a mail that is dropped then.
   */
  readonly isBlocked: boolean;
  readonly sentAtMs: number | null;
  readonly createdAtMs: number;
  readonly version: number;
}

/**
 * `later`: not accepted for now, or unknown. `blocked`: the mail server refuses it, and not because
 * of the mailbox. `refused`: the mailbox takes no mail.
 */
export type MailOutcome =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'later'; readonly reason: string }
  | { readonly outcome: 'blocked'; readonly reason: string }
  | { readonly outcome: 'refused'; readonly reason: string };

export function newMail(
  fields: Tenant &
    Pick<Mail, 'id' | 'purpose' | 'subject' | 'cause' | 'to' | 'toKey' | 'nth' | 'locale'> &
    Pick<Mail, 'tokenHash' | 'tokenSealed' | 'codeHash' | 'browserHash'> &
    Partial<Pick<Mail, 'proof'>>,
  nowMs: number,
  lifeMs: number = mailRules[fields.purpose].lifeMs,
): Mail {
  return Object.freeze({
    proof: null,
    ...fields,
    codeTries: 0,
    linkEndsAtMs: nowMs + lifeMs,
    linkUsedAtMs: null,
    status: 'pending',
    tries: 0,
    isBlocked: false,
    dueAtMs: nowMs,
    leaseToken: null,
    lastError: null,
    sentAtMs: null,
    createdAtMs: nowMs,
    version: 1,
  });
}

/** The purpose is part of the input: no other token of the service has this hash. */
export function hashLinkToken(token: string): string {
  return hash('sha256', `sign-in link ${token}`, 'hex');
}

/** Six digits that follow from a secret, and do not reveal it. */
export function codeOf(secret: string): string {
  const first = hash('sha256', `sign-in code ${secret}`, 'hex').slice(0, 12);
  return `${Number.parseInt(first, 16) % 1_000_000}`.padStart(6, '0');
}

/**
 * What `codeHash` is a keyed hash of: the code is valid for one mail, in the browser that asked, or
 * in one that has opened the link of the mail.
 */
export function codeText(
  { id, browserHash }: Pick<Mail, 'id' | 'browserHash'>,
  code: string,
): string {
  return `${id} ${browserHash ?? 'no browser'} ${code}`;
}

/** The digits of a code, from any keyboard. */
export function typedCode(text: string): string {
  return plainSigns(text).replaceAll(/\D/g, '');
}

/** What a mail has until it has ended. The code does not follow from the link. */
export interface LinkSecrets {
  readonly token: string;
  readonly code: string;
}

/** What `tokenSealed` is sealed from; no token has a blank. */
export function secretsText({ token, code }: LinkSecrets): string {
  return `${token} ${code}`;
}

export function secretsIn(text: string): LinkSecrets {
  const [token = '', code = ''] = text.split(' ');
  return { token, code };
}

export function isSameSubject(a: MailSubject, b: MailSubject): boolean {
  if (a.kind === 'payment') return b.kind === 'payment' && a.paymentId === b.paymentId;
  if (a.kind === 'approval') return b.kind === 'approval' && a.paymentId === b.paymentId;
  if (a.kind === 'member') return b.kind === 'member' && a.memberId === b.memberId;
  if (a.kind === 'person') return b.kind === 'person' && a.emailKey === b.emailKey;
  if (a.kind === 'account') return b.kind === 'account' && a.accountId === b.accountId;
  return (
    b.kind === 'submission' && a.submissionId === b.submissionId && a.ownerIndex === b.ownerIndex
  );
}

/** The first character and the domain: enough to recognize an address, too little to learn it. */
export function maskedAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const [first = ''] = address.slice(0, at);
  return `${first}•••${address.slice(at)}`;
}

export function tokenPurpose({ id }: Pick<Mail, 'id'>): string {
  return `mail ${id}`;
}

/**
 * The number of the next mail to an address, and how long until it may be sent; 0 for now. `newest`
 * are the latest ADDRESS_MAILS_MAX mails of its purpose, newest first.
 */
export function nextMail(
  newest: readonly Pick<Mail, 'nth' | 'createdAtMs'>[],
  nowMs: number,
): { readonly nth: number; readonly waitMs: number } {
  const counted = newest.filter(({ createdAtMs }) => !isFromWrongClock(createdAtMs, nowMs));
  const oldest = counted[ADDRESS_MAILS_MAX - 1];
  const nth = (newest[0]?.nth ?? 0) + 1;
  const freeAtMs = oldest === undefined ? nowMs : oldest.createdAtMs + ADDRESS_WINDOW_MS;
  return { nth, waitMs: Math.max(0, freeAtMs - nowMs) };
}

export interface SignInRequest {
  readonly subject: MailSubject;
  /** A mail that names another action is no answer to it. */
  readonly proof: ProofRequest | null;
  readonly browserHash: string;
  /** Clients share addresses, so its budget only lets the page pause for all browsers. */
  readonly isClientSpent: boolean;
}

/**
 * The next sign-in mail of a page; `newest` are the latest SIGN_INS_A_DAY_MAX to its address from
 * the organization, newest first. A browser pauses after its own mails. Once strangers may have
 * spent what browsers share, it pauses after all mails of the page, but never longer than the link
 * of the latest one works: the mailbox holds a link, or the page sends one.
 */
export function nextSignIn(
  newest: readonly Mail[],
  { subject, proof, browserHash, isClientSpent }: SignInRequest,
  nowMs: number,
) {
  const today = newest.filter(
    ({ createdAtMs }) => !isFromWrongClock(createdAtMs, nowMs) && createdAtMs > nowMs - DAY_MS,
  );
  const isOfPage = (mail: Mail) =>
    isSameSubject(mail.subject, subject) &&
    mail.proof?.action === proof?.action &&
    mail.proof?.orgId === proof?.orgId;
  const ofPage = sinceSignIn(today.filter(isOfPage));
  const unused = today.filter(({ linkUsedAtMs }) => linkUsedAtMs === null);
  const isShared = isClientSpent || unused.length >= SIGN_INS_SHARED_MAX;
  const counted = isShared ? ofPage : ofPage.filter((mail) => mail.browserHash === browserHash);
  const [last] = counted;
  const pausedUntilMs =
    last === undefined || isLinkExpired(last, nowMs)
      ? nowMs
      : Math.min(last.createdAtMs + backoffMs('signInMail', counted.length - 1), last.linkEndsAtMs);
  const oldest = today[SIGN_INS_A_DAY_MAX - 1];
  const open = ofPage.find((mail) => !isLinkExpired(mail, nowMs));
  const freeAtMs =
    oldest === undefined || open === undefined
      ? nowMs
      : Math.min(oldest.createdAtMs + DAY_MS, open.linkEndsAtMs);
  return {
    nth: (newest[0]?.nth ?? 0) + 1,
    /** 0 for now. */
    waitMs: Math.max(0, pausedUntilMs - nowMs, freeAtMs - nowMs),
    /** When the page's latest mail was written whose link still works; null if there is none. */
    sentAtMs: open?.createdAtMs ?? null,
    /** How long the link of the next mail works: until the page may mail another one. */
    lifeMs: Math.max(mailRules.sign_in.lifeMs, backoffMs('signInMail', ofPage.length)),
  };
}

/** Newest first. A sign-in proves that the mails are wanted. */
function sinceSignIn(newest: readonly Mail[]): readonly Mail[] {
  const used = newest.findIndex(({ linkUsedAtMs }) => linkUsedAtMs !== null);
  return used < 0 ? newest : newest.slice(0, used);
}

/**
 * How long until a KYC form may mail somebody else a link to a part, to any address; 0 for now.
 * `newest` are its latest FORM_MAILS_A_DAY_MAX such mails, newest first.
 */
export function ownerLinkWaitMs(newest: readonly Mail[], part: MailSubject, nowMs: number): number {
  const counted = newest.filter(({ createdAtMs }) => !isFromWrongClock(createdAtMs, nowMs));
  const last = counted.find(({ subject }) => isSameSubject(subject, part));
  const oldest = counted[FORM_MAILS_A_DAY_MAX - 1];
  const freeAtMs = oldest === undefined ? nowMs : oldest.createdAtMs + DAY_MS;
  return Math.max(invitationWaitMs(last?.createdAtMs ?? null, nowMs), freeAtMs - nowMs);
}

/** How long until the buyer may be invited again; 0 for now. */
export function invitationWaitMs(invitedAtMs: number | null, nowMs: number): number {
  if (invitedAtMs === null || isFromWrongClock(invitedAtMs, nowMs)) return 0;
  return Math.max(0, invitedAtMs + INVITATION_PAUSE_MS - nowMs);
}

export function isExpiredMail({ status, createdAtMs }: Mail, nowMs: number): boolean {
  return nextMailStatus(status, 'drop') === null && nowMs >= createdAtMs + MAIL_RETENTION_MS;
}

/** Its link no longer signs in, or the notice is too old. */
export function isLinkExpired({ linkEndsAtMs, linkUsedAtMs }: Mail, nowMs: number): boolean {
  return linkUsedAtMs !== null || nowMs >= linkEndsAtMs;
}

export function linkUsed(mail: Mail, nowMs: number): Mail {
  assert(!isLinkExpired(mail, nowMs), 'a link is used once, before it expires');
  return Object.freeze({ ...mail, linkUsedAtMs: nowMs });
}

/** Another link has signed the recipient in. */
export function linkEnded(mail: Mail, nowMs: number): Mail {
  return Object.freeze({ ...mail, linkEndsAtMs: Math.min(mail.linkEndsAtMs, nowMs) });
}

/** Its code can still be entered. A gateway that opens links and presses the button leaves it. */
export function takesCode(mail: Mail, nowMs: number): boolean {
  return mail.codeTries < CODE_TRIES_MAX && isCodeOpen(mail, nowMs);
}

/** No person has signed in: by the code, or in the browser that asked. */
export function isCodeOpen(mail: Mail, nowMs: number): boolean {
  const { codeHash, codeTries, linkEndsAtMs } = mail;
  return codeHash !== null && codeTries <= CODE_TRIES_MAX && nowMs < linkEndsAtMs;
}

/** The person has signed in: the link, too, has no more use. */
export function codeUsed(mail: Mail): Mail {
  return Object.freeze({ ...mail, codeTries: CODE_TRIES_MAX + 1 });
}

export function codeTried(mail: Mail): Mail {
  return Object.freeze({ ...mail, codeTries: mail.codeTries + 1 });
}

/** The mail after a try. The caller checks that the sender still holds the lease. */
export function afterTry(mail: Mail, result: MailOutcome, nowMs: number): Mail {
  switch (result.outcome) {
    case 'sent':
      return ended(mail, 'sent', { lastError: null, sentAtMs: nowMs, isBlocked: false });
    case 'refused':
      return ended(mail, 'refused', { lastError: result.reason, isBlocked: false });
    case 'later':
    case 'blocked':
      return step(mail, 'later', {
        dueAtMs: nowMs + backoffMs('mail', mail.tries - 1),
        lastError: result.reason,
        isBlocked: result.outcome === 'blocked' || mail.tries >= schedules.mail.triesMax,
      });
  }
}

/** Not tried yet, and why; null: until then a page may show what the mail says. */
export function mailPostponed(mail: Mail, dueAtMs: number, reason: string | null = null): Mail {
  const lastError = reason ?? mail.lastError;
  return step(mail, 'later', { dueAtMs, tries: mail.tries - 1, lastError });
}

/** What the mail server said last is not lost. */
export function dropMail(mail: Mail, reason: string): Mail {
  const { isBlocked, lastError } = mail;
  return ended(mail, 'drop', { lastError: isBlocked ? `${reason}; ${lastError}` : reason });
}

/** Its recipient did not get it, as far as we know. */
export function hasFailed({ status, isBlocked }: Mail): boolean {
  return status === 'refused' || (isBlocked && status !== 'sent');
}

/** The same notice once more; a mail that waits is due now. A link that was sent has a new mail. */
export function mailResent(mail: Mail, nowMs: number): Mail {
  assert(mail.tokenHash === null || mail.status === 'pending', 'an ended mail has lost its token');
  const linkEndsAtMs =
    mail.tokenHash === null ? nowMs + mailRules[mail.purpose].lifeMs : mail.linkEndsAtMs;
  return step(mail, 'resend', { dueAtMs: nowMs, tries: 0, isBlocked: false, linkEndsAtMs });
}

/** Only the hash of the token is needed after the mail was sent. */
function ended(mail: Mail, move: MailMove, fields: Partial<Mail>): Mail {
  return step(mail, move, { ...fields, tokenSealed: null, dueAtMs: null });
}

function step(mail: Mail, move: MailMove, fields: Partial<Mail>): Mail {
  const status = mails.step(mail.status, move);
  return Object.freeze({ ...mail, ...fields, status, leaseToken: null });
}
