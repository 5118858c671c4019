// Sign-in on the hosted pages and the dashboard: a page mails a link and a code to the address that
// it belongs to, and either one proves the mailbox and starts a session. The buyer's next steps are
// in buyer-steps.ts.
import { hash } from 'node:crypto';
import type { Member } from '../../domain/access/member.js';
import type { PageSession, SessionSubject } from '../../domain/access/session.js';
import type { ProofRequest } from '../../domain/access/session-proof.js';
import { emailKey } from '../../domain/base/email-address.js';
import type { Locale } from '../../domain/base/locale.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import type { HostedPage } from '../../domain/hosted/hosted-page.js';
import {
  codeText,
  codeTried,
  codeUsed,
  hashLinkToken,
  isCodeOpen,
  isLinkExpired,
  isSameSubject,
  linkEnded,
  linkUsed,
  type Mail,
  type MailSubject,
  maskedAddress,
  nextSignIn,
  personMail,
  SIGN_INS_A_DAY_MAX,
  takesCode,
  typedCode,
} from '../../domain/mail/mail.js';
import { linkRules } from '../../domain/mail/mail-links.js';
import type { PaymentView } from '../../domain/payments/change.js';
import { assert, expectFound, isCode, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { makeSession } from '../access/open-sessions.js';
import { makeMemberSession } from '../access/sessions.js';
import { CODE_PURPOSE, stageLink } from '../mail/mails.js';
import { isSignInClientSpent, takeCodeSlot, typedAddressWaitMs } from '../service/rate-limits.js';
import { signIn } from './buyer-steps.js';
import { signInToOthers } from './covered-payments.js';
import { openPage } from './payment-page.js';

export interface LinkRequest {
  /** An IP address; null inside the process. */
  readonly client: string | null;
  /** The language of the page and of the mail. */
  readonly locale: Locale;
  /** `hashBrowser` of the value in the browser's cookie: the code is valid there only. */
  readonly browserHash: string;
  /** For an action of a member who is signed in: the mail names it. */
  readonly proof?: ProofRequest | null;
}

/** `sent`: a mail is staged. */
export type LinkAnswer =
  | { readonly outcome: 'sent' }
  | {
      readonly outcome: 'too_soon';
      readonly untilMs: number;
      /** When the mail was written whose link works until then; null if there is none. */
      readonly sentAtMs: number | null;
    };

/** What the page shows before a link is used. */
export type LinkState =
  | {
      readonly state: 'valid';
      readonly address: string;
      readonly endsAtMs: number;
      /** The hash of the browser that asked for the link; null for an invitation. */
      readonly browserHash: string | null;
      /** `code`: with the code of the mail. The link was pressed, or a press is not enough. */
      readonly takes: 'press' | 'code';
    }
  | { readonly state: 'used'; readonly usedAtMs: number; readonly maskedAddress: string }
  | { readonly state: 'over'; readonly endsAtMs: number; readonly maskedAddress: string }
  | { readonly state: 'unknown' };

export interface CodeTry extends Pick<LinkRequest, 'client' | 'browserHash'> {
  readonly code: string;
}

export interface SignedIn {
  /** For the cookie. */
  readonly token: string;
  /** Null for the dashboard. */
  readonly session: PageSession | null;
  /** Null for a page without a payment. */
  readonly view: PaymentView | null;
}

/** The hash of the random value in the cookie of a browser. */
export function hashBrowser(nonce: string): string {
  return hash('sha256', `browser ${nonce}`, 'hex');
}

/**
 * Mails a link and a code to the address that the page belongs to, unless it is too soon
 * (`nextSignIn`). NotFound.
 */
export async function requestLink(
  deps: Deps,
  page: HostedPage,
  { client, locale, browserHash, proof = null }: LinkRequest,
): Promise<LinkAnswer> {
  const isClientSpent = client !== null && (await isSignInClientSpent(deps, client));
  if (page.kind === 'dashboard' && client !== null) {
    const waitMs = await typedAddressWaitMs(deps, client);
    const untilMs = deps.clock.nowMs() + (waitMs ?? 0);
    if (waitMs !== null) return { outcome: 'too_soon', untilMs, sentAtMs: null };
  }
  const answer = await deps.store.run(async (tx): Promise<LinkAnswer> => {
    const { tenant, subject, address } = await findPage(tx, page);
    const nowMs = deps.clock.nowMs();
    const purpose = proof === null ? 'sign_in' : 'confirmation';
    const to = { ...tenant, purpose, address } as const;
    const whom = { ...to, toKey: emailKey(address) };
    const newest = await tx.mails.newestNumbered(whom, SIGN_INS_A_DAY_MAX);
    const request = { subject, proof, browserHash, isClientSpent };
    const { nth, waitMs, sentAtMs, lifeMs } = nextSignIn(newest, request, nowMs);
    if (waitMs > 0) return { outcome: 'too_soon', untilMs: nowMs + waitMs, sentAtMs };
    stageLink(deps, tx, { ...to, subject, proof, nth, locale, browserHash }, nowMs, lifeMs);
    return { outcome: 'sent' };
  });
  if (answer.outcome === 'sent') deps.wake('mails');
  return answer;
}

/** Changes nothing: mail scanners open links too. NotFound. */
export async function linkState(
  deps: Deps,
  page: HostedPage,
  token: string,
  browserHash: string | null = null,
): Promise<LinkState> {
  const mail = await deps.store.run((tx) => findLink(tx, page, token));
  if (mail === null) return { state: 'unknown' };
  const { linkUsedAtMs: usedAtMs, linkEndsAtMs: endsAtMs } = mail;
  const nowMs = deps.clock.nowMs();
  const isOpen = !isLinkExpired(mail, nowMs);
  const isAsker = isAskedBy(mail, browserHash) && isCodeOpen(mail, nowMs);
  const takes = isAsker || (isOpen && takesPress(mail)) ? 'press' : 'code';
  // Who has a link that was pressed may be anybody.
  const masked = maskedAddress(mail.to);
  const address = isAsker || isOpen ? mail.to : masked;
  const valid = {
    state: 'valid',
    address,
    endsAtMs,
    browserHash: mail.browserHash,
    takes,
  } as const;
  if (takes === 'press' || takesCode(mail, nowMs)) return valid;
  if (usedAtMs !== null) return { state: 'used', usedAtMs, maskedAddress: masked };
  // After too many wrong codes it ends early.
  return isOpen ? { state: 'unknown' } : { state: 'over', endsAtMs, maskedAddress: masked };
}

/** Whether a press is enough in a browser that did not ask. */
function takesPress({ subject }: Mail): boolean {
  return linkRules[subject.kind].press === 'opens';
}

function isAskedBy(mail: Mail, browserHash: string | null): boolean {
  return mail.browserHash !== null && mail.browserHash === browserHash;
}

/** What shows that a person uses a link. */
export interface PersonProof {
  /** The code of the mail; empty: a press. */
  readonly code?: string;
  readonly browserHash?: string | null;
}

/**
 * Uses the link: signs in once. `locale` is the language of the page. In the browser that asked, or
 * with the code of the mail, a person does it, and the other links of the page end. Else it may be
 * a gateway that looks at mails: `linkRules` says what the press does, and the codes of all mails
 * stay. NotFound, InvalidSignInLink, InvalidSignInCode (it takes the code, or that was wrong).
 */
export async function redeemLink(
  deps: Deps,
  page: HostedPage,
  token: string,
  locale: Locale,
  { code = '', browserHash = null }: PersonProof = {},
): Promise<SignedIn> {
  const mail = await deps.store.run((tx) => findLink(tx, page, token));
  if (mail === null) throw new PonteError('InvalidSignInLink');
  if (isAskedBy(mail, browserHash)) return enter(deps, mail, locale, true);
  if (code !== '') {
    await tryCode(deps, mail, typedCode(code));
    return enter(deps, mail, locale, true);
  }
  if (!takesPress(mail)) throw new PonteError('InvalidSignInCode');
  return enter(deps, mail, locale, false);
}

/**
 * A try of the code by who has the link. It takes from no budget of codes: the link is not guessed.
 * InvalidSignInLink, InvalidSignInCode.
 */
async function tryCode(deps: Deps, { id, ...mail }: Mail, digits: string): Promise<void> {
  // The try is stored before its result is known to anybody.
  const tried = await deps.store.run(async (tx) => {
    const current = await tx.mails.get(tenantOf(mail), id);
    if (current === null || !takesCode(current, deps.clock.nowMs())) {
      throw new PonteError('InvalidSignInLink');
    }
    tx.mails.update(codeTried(current));
    return current;
  });
  if (!isCodeOf(deps, tried, digits)) throw new PonteError('InvalidSignInCode');
}

function isCodeOf({ secretBox }: Deps, mail: Mail, digits: string): boolean {
  const { codeHash } = mail;
  return codeHash !== null && secretBox.isMac(codeText(mail, digits), CODE_PURPOSE, codeHash);
}

/**
 * The same by the six digits of a mail that this browser asked for. NotFound, InvalidSignInCode (a
 * wrong code), SignInCodeExpired (after five tries, or without an open mail), InvalidSignInLink,
 * RateLimitExceeded (the link of the mail still works).
 */
export async function redeemCode(
  deps: Deps,
  page: HostedPage,
  { client, browserHash, code }: CodeTry,
  locale: Locale,
): Promise<SignedIn> {
  const slot = await takeCodeSlot(deps, { client, addressKey: await addressKeyOf(deps, page) });
  const digits = typedCode(code);
  // The try is stored before its result is known to anybody.
  const tried = await deps.store.run(async (tx) => {
    const found = await findPage(tx, page).catch(nullIfNotFound);
    if (found === null) return null;
    const { tenant, subject } = found;
    const nowMs = deps.clock.nowMs();
    const open = await tx.mails.openLinks(tenant, subject, nowMs);
    const asked = open.filter((mail) => mail.browserHash === browserHash && takesCode(mail, nowMs));
    for (const mail of asked) tx.mails.update(codeTried(mail));
    return asked;
  });
  if (tried === null || tried.length === 0) {
    await slot.ended('none');
    throw new PonteError(tried === null ? 'NotFound' : 'SignInCodeExpired');
  }
  const mail = tried.find((one) => isCodeOf(deps, one, digits));
  // It was sent to nobody, so its code can only be guessed, and opens nothing.
  const isToNobody = tried.every(({ status }) => status === 'dropped');
  await slot.ended(isToNobody ? 'none' : mail === undefined ? 'wrong' : 'right');
  if (mail !== undefined) return enter(deps, mail, locale, true);
  const isLast = tried.every((one) => !takesCode(codeTried(one), deps.clock.nowMs()));
  throw new PonteError(isLast ? 'SignInCodeExpired' : 'InvalidSignInCode');
}

/** `isPerson`: by the code, or in the browser that asked. */
async function enter(deps: Deps, mail: Mail, locale: Locale, isPerson: boolean): Promise<SignedIn> {
  const tenant = tenantOf(mail);
  const { token, session, insert } = await newSession(deps, mail, isPerson);
  const prove = async (tx: Tx) => {
    const nowMs = deps.clock.nowMs();
    const [current, open] = await Promise.all([
      tx.mails.get(tenant, mail.id),
      tx.mails.openLinks(tenant, mail.subject, nowMs),
    ]);
    const isOver = (one: Mail) =>
      isLinkExpired(one, nowMs) && !(isPerson && isCodeOpen(one, nowMs));
    if (current === null || isOver(current)) throw new PonteError('InvalidSignInLink');
    await expectApprover(tx, mail);
    await expectMembership(tx, mail);
    const used = isLinkExpired(current, nowMs) ? current : linkUsed(current, nowMs);
    tx.mails.update(isPerson ? codeUsed(used) : used);
    const others = open.filter(({ id, toKey }) => id !== mail.id && toKey === mail.toKey);
    if (isPerson) for (const other of others) tx.mails.update(linkEnded(other, nowMs));
    insert(tx);
  };
  if (mail.subject.kind === 'payment') {
    const view = await signIn(deps, tenant, mail.subject.paymentId, { prove, locale });
    if (isPerson) await signInToOthers(deps, view.payment);
    return { token, session, view };
  }
  await deps.store.run(prove);
  return { token, session, view: null };
}

/** Somebody else may have been asked since the mail was written. InvalidSignInLink. */
async function expectApprover(tx: Tx, { subject, toKey, ...tenant }: Mail): Promise<void> {
  if (subject.kind !== 'approval') return;
  const payment = await tx.payments.get(tenantOf(tenant), subject.paymentId);
  const asked = payment?.colleagueApproval ?? null;
  if (payment === null || asked === null || emailKey(asked.email) !== toKey) {
    throw new PonteError('InvalidSignInLink');
  }
  // Its version rises, so a request to somebody else that runs now reads the new session.
  tx.payments.update(payment);
}

/** The last membership may have ended since the mail was written. InvalidSignInLink. */
async function expectMembership(tx: Tx, mail: Mail): Promise<void> {
  if (mail.subject.kind !== 'member' && mail.subject.kind !== 'person') return;
  const membership = await membershipOf(tx, mail);
  if (membership === null) throw new PonteError('InvalidSignInLink');
  tx.members.expect(membership);
}

/** The membership of an invitation, or the oldest one of the person; null if it has ended. */
async function membershipOf(tx: Tx, { orgId, subject }: Mail): Promise<Member | null> {
  if (subject.kind === 'person') {
    const person = await tx.people.byEmail(subject.emailKey);
    return person === null ? null : ((await tx.members.ofPerson(person.id))[0] ?? null);
  }
  if (subject.kind !== 'member') return null;
  const member = await tx.members.get(orgId, subject.memberId);
  return member?.removedAtMs === null ? member : null;
}

async function newSession(deps: Deps, mail: Mail, isPerson: boolean) {
  const { subject } = mail;
  if (subject.kind === 'member' || subject.kind === 'person') {
    const membership = await deps.store.run((tx) => membershipOf(tx, mail));
    if (membership === null) throw new PonteError('InvalidSignInLink');
    const { personId } = membership;
    const made = makeMemberSession(deps, { personId, began: isPerson ? 'mail' : 'press' });
    const insert = (tx: Tx) => tx.sessions.insert(made.session);
    return { token: made.token, session: null, insert };
  }
  const made = makeSession(deps, {
    ...sessionOf({ ...mail, subject }),
    began: isPerson ? 'mail' : 'press',
  });
  return { ...made, insert: (tx: Tx) => tx.sessions.insert(made.session) };
}

type PageMail = Tenant & {
  readonly subject: Exclude<MailSubject, { readonly kind: 'member' | 'person' }>;
};

function sessionOf({ orgId, mode, subject }: PageMail): SessionSubject {
  assert(subject.kind !== 'account', 'no link is about an account');
  const none = { paymentId: null, submissionId: null, accountId: null, ownerIndex: null };
  if (subject.kind === 'payment') {
    return { orgId, mode, ...none, kind: 'buyer', paymentId: subject.paymentId };
  }
  if (subject.kind === 'approval') {
    return { orgId, mode, ...none, kind: 'approver', paymentId: subject.paymentId };
  }
  const { submissionId, ownerIndex } = subject;
  const kind = ownerIndex === null ? 'buyer' : 'owner';
  return { orgId, mode, ...none, kind, submissionId, ownerIndex };
}

/** The link of this token, if it opens this page. NotFound. */
async function findLink(tx: Tx, page: HostedPage, token: string): Promise<Mail | null> {
  if (page.kind === 'dashboard') return findMemberLink(tx, token);
  const { tenant, subject } = await findPage(tx, page);
  const mail = await tx.mails.byTokenHash(hashLinkToken(token));
  if (mail === null || !isSameSubject(mail.subject, subject)) return null;
  return mail.orgId === tenant.orgId && mail.mode === tenant.mode ? mail : null;
}

async function findMemberLink(tx: Tx, token: string): Promise<Mail | null> {
  const mail = await tx.mails.byTokenHash(hashLinkToken(token));
  return mail === null || (await membershipOf(tx, mail)) === null ? null : mail;
}

/** Whose budget a code takes: also that of an address without a member. NotFound. */
async function addressKeyOf(deps: Deps, page: HostedPage): Promise<string> {
  const { address } = await deps.store.run((tx) => findPage(tx, page));
  return emailKey(address);
}

function nullIfNotFound(error: unknown): null {
  if (isCode(error, 'NotFound')) return null;
  throw error;
}

interface FoundPage {
  readonly tenant: Tenant;
  readonly subject: MailSubject;
  /** Where its links are sent. */
  readonly address: string;
}

async function findPage(tx: Tx, page: HostedPage): Promise<FoundPage> {
  if (page.kind === 'payment') {
    const payment = await openPage(tx, page.publicId);
    const subject = { kind: 'payment', paymentId: payment.id } as const;
    return { tenant: tenantOf(payment), subject, address: payment.buyer.email };
  }
  if (page.kind === 'approval') return findApproval(tx, page.publicId);
  if (page.kind === 'dashboard') return typedPage(page.address ?? '');
  const submission = expectFound(await tx.buyers.submissionByFlow(page.flowId));
  const tenant = tenantOf(submission);
  const ownerIndex = page.kind === 'owner' ? page.ownerIndex : null;
  const subject = { kind: 'submission', submissionId: submission.id, ownerIndex } as const;
  if (ownerIndex !== null) {
    const link = expectFound(await tx.mails.newestOwnerLink(tenant, submission.id, ownerIndex));
    return { tenant, subject, address: link.to };
  }
  const buyer = await tx.buyers.get(tenant.mode, submission.buyerId);
  assert(buyer !== null, 'a buyer stays');
  return { tenant, subject, address: buyer.email };
}

async function findApproval(tx: Tx, publicId: string): Promise<FoundPage> {
  const payment = await openPage(tx, publicId);
  if (payment.colleagueApproval === null) throw new PonteError('NotFound');
  const subject = { kind: 'approval', paymentId: payment.id } as const;
  return { tenant: tenantOf(payment), subject, address: payment.colleagueApproval.email };
}

/**
 * One mail, also for a member of several organizations: it proves the address. Nothing is read: a
 * request does the same for any address, and the worker drops the mail of one without a member.
 */
function typedPage(address: string): FoundPage {
  const key = emailKey(address);
  return { tenant: personMail, subject: { kind: 'person', emailKey: key }, address: key };
}
