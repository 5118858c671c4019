// From a stored mail to its letter: reads what the mail is about, decides whether it must still be
// sent, and has it written.

import { hash } from 'node:crypto';
import { isKeyId } from '../../domain/access/api-key.js';
import { isActiveMember, memberRoles } from '../../domain/access/member.js';
import { hasSeen, isWatching } from '../../domain/access/session.js';
import type { ProofRequest } from '../../domain/access/session-proof.js';
import type { Locale } from '../../domain/base/locale.js';
import { tenantOf } from '../../domain/base/tenant.js';
import { dashboardPath, type HostedPage, hostedPath } from '../../domain/hosted/hosted-page.js';
import {
  codeOf,
  eventIdIn,
  INVITED_MAX,
  isLinkExpired,
  isMemberNotice,
  isNoticePurpose,
  isOwnerNotice,
  type Mail,
  mailRules,
  type NoticePurpose,
  noticeIn,
  PAGE_SHOWS_MS,
  paperIdIn,
  personMail,
  secretsIn,
  tokenPurpose,
} from '../../domain/mail/mail.js';
import { causeOf } from '../../domain/mail/payment-notices.js';
import { earliestFirst, isUnpaid } from '../../domain/mail/reminder.js';
import type { DestinationChange } from '../../domain/parties/destination-change.js';
import type { Organization } from '../../domain/parties/organization.js';
import { isVendorPaper } from '../../domain/parties/vendor-paper.js';
import { helpReference } from '../../domain/payments/display.js';
import { movedMoneyIn, questionIn } from '../../domain/payments/event.js';
import { noFunds } from '../../domain/payments/funds.js';
import { isTerminal, type Payment } from '../../domain/payments/payment.js';
import { takesColleagueApproval } from '../../domain/payments/payment-transitions.js';
import { assert } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import { type Letter, logoCid, type SignInLink } from '../../ports/letters.js';
import type { NamedFile, OutgoingMail } from '../../ports/outside.js';
import type { Tx } from '../../ports/storage.js';
import { createProofLink, type ProofLink } from './proof-links.js';
import { changeIdOf, stopCode } from './stop-codes.js';

export type MailFacts = Awaited<ReturnType<typeof readMailFacts>>;

/** What a buyer waits for on the page. The mail is not needed once the page has shown it. */
const onPageToo: ReadonlySet<string> = new Set<NoticePurpose>([
  'kyc_approved',
  'kyc_more',
  'kyc_rejected',
  'approval_given',
  'approval_declined',
  'instructions_ready',
]);

export async function readMailFacts(tx: Tx, mail: Mail) {
  const { subject } = mail;
  const tenant = tenantOf(mail);
  const paymentId =
    subject.kind === 'payment' || subject.kind === 'approval' ? subject.paymentId : null;
  const submissionId = subject.kind === 'submission' ? subject.submissionId : null;
  const accountId = subject.kind === 'account' ? subject.accountId : null;
  const hasDetails = mail.purpose === 'instructions_ready' && paymentId !== null;
  const isRedirect = mail.purpose === 'payout_changed';
  const isToOwners = isOwnerNotice(mail.purpose);
  const isToPayee = ['payment_settled', 'payout_changed', 'paper_ends'].includes(mail.purpose);
  const isSettled = mail.purpose === 'payment_settled';
  const paperId = paperIdIn(mail);
  const eventId = eventIdIn(mail);
  const notice = noticeIn(mail);
  const [
    epoch,
    ofTenant,
    payment,
    funds,
    submission,
    account,
    session,
    given,
    change,
    event,
    object,
    sent,
    signIns,
    ofPerson,
    document,
  ] = await Promise.all([
    tx.epochs.current(),
    subject.kind === 'person' ? null : tx.organizations.get(mail.orgId),
    paymentId === null ? null : tx.payments.get(tenant, paymentId),
    paymentId === null ? null : tx.funds.get(tenant, paymentId),
    submissionId === null ? null : tx.buyers.submissionById(tenant, submissionId),
    accountId === null ? null : tx.accounts.get(tenant, accountId),
    onPageToo.has(mail.purpose) ? sessionOf(tx, mail) : null,
    hasDetails ? tx.bankDetails.ofPayment(tenant, paymentId) : [],
    isRedirect ? tx.destinationChanges.find(changeIdOf(mail)) : null,
    eventId === null ? null : tx.feed.get(tenant, eventId),
    notice === null ? null : objectOf(tx, mail, notice),
    tx.mails.anySentTo(mail.orgId, mail.toKey),
    isToOwners || isToPayee ? tx.mails.newestNumbered(signInsTo(mail), 1) : [],
    subject.kind === 'person' ? readPerson(tx, subject.emailKey, mail.proof) : null,
    paperId === null ? null : tx.documents.find(paperId),
  ]);
  const organization = ofPerson?.organization ?? ofTenant;
  assert(organization !== null, 'an organization stays');
  const about = payment === null ? null : { payment, funds: funds ?? noFunds(payment) };
  const isReplacement = given.length > 1;
  // The buyer may have stored the details that are replaced: the mail is sent in any case.
  const watcher = isReplacement ? null : session;
  const question = event === null || isToOwners || isSettled ? null : questionIn(event);
  const invited = await invitedWith(tx, mail, payment);
  const moved = event === null ? null : movedMoneyIn(event);
  const approverId = mail.purpose === 'payment_approved' ? payment?.approvedByMemberId : null;
  const approver = approverId == null ? null : await tx.members.get(mail.orgId, approverId);
  const named = approver === null ? object : { object: approver.email, role: null };
  const facts = { epoch, organization, about, submission, account, change, question, invited };
  // The batch in which money moves does not read how its recipients sign in.
  const locale = signIns[0]?.locale ?? mail.locale;
  const isKnownAddress = sent !== null;
  return {
    ...facts,
    object: named,
    paper: document?.status === 'submitted' && isVendorPaper(document) ? document : null,
    moved,
    locale,
    session: watcher,
    isReplacement,
    isKnownAddress,
    invitedBy: ofPerson?.invitedBy ?? null,
    person: ofPerson?.person ?? null,
    isToNobody: ofPerson !== null && !ofPerson.isMember,
  };
}

/** What an invitation lists: the invoices that the batch of its mail invited, in their order. */
async function invitedWith(
  tx: Tx,
  { purpose, createdAtMs }: Mail,
  payment: Payment | null,
): Promise<readonly Payment[]> {
  if (purpose !== 'invitation' || payment === null) return [];
  const page = { fromMs: 0, beforeMs: createdAtMs + 1, beforeId: '', limit: LISTED_MAX };
  const tenant = tenantOf(payment);
  const found = await tx.payments.newestOfBuyer(tenant, payment.buyerId, 'awaiting_buyer', page);
  return found.filter(({ invitedAtMs }) => invitedAtMs === createdAtMs).toSorted(earliestFirst);
}

/** More than a request invites: earlier ones of the buyer may still wait. */
const LISTED_MAX = 2 * INVITED_MAX;

/**
 * A person and who writes to it. A person of several organizations gets mails that name none of
 * them, unless it confirms an action in one. `invitedBy`: the oldest organization of a person who
 * has accepted no membership.
 */
async function readPerson(tx: Tx, emailKey: string, proof: ProofRequest | null) {
  const person = await tx.people.byEmail(emailKey);
  const memberships = person === null ? [] : await tx.members.ofPerson(person.id);
  const [first, ...others] = memberships;
  const confirmed = memberships.find((one) => one.orgId === proof?.orgId && isActiveMember(one));
  const named = confirmed ?? (others.length === 0 ? first : undefined);
  const organization = named === undefined ? null : await tx.organizations.get(named.orgId);
  const isInvited = first !== undefined && !memberships.some(isActiveMember);
  return {
    organization: organization ?? theService,
    invitedBy: isInvited ? organization : null,
    person,
    isMember: first !== undefined,
  };
}

type Sender = Pick<
  Organization,
  | 'id'
  | 'name'
  | 'supportEmail'
  | 'timeZone'
  | 'accentColor'
  | 'logoHash'
  | 'sendsReminders'
  | 'productionGrantedAtMs'
>;

const theService: Sender = {
  id: personMail.orgId,
  name: 'Ponte',
  supportEmail: null,
  timeZone: 'UTC',
  accentColor: null,
  logoHash: null,
  sendsReminders: false,
  productionGrantedAtMs: null,
};

/** The sign-ins of a person, each in the language in which it was asked for. */
function signInsTo({ toKey }: Mail) {
  return { ...personMail, purpose: 'sign_in', toKey } as const;
}

/** What a notice to a member names; null if that is over. */
async function objectOf(
  tx: Tx,
  mail: Mail,
  { objectId, what }: NonNullable<ReturnType<typeof noticeIn>>,
): Promise<Pick<Letter, 'object' | 'role'> | null> {
  const { purpose, orgId } = mail;
  if (purpose === 'live_key_created') return { object: objectId, role: null };
  if (purpose === 'team_changed' || purpose === 'passkeys_reset') {
    const member = await tx.members.get(orgId, objectId);
    const given = memberRoles.find((role) => role === what.split('-')[0]);
    return { object: member?.email ?? objectId, role: given ?? null };
  }
  const subscription = await tx.subscriptions.get(tenantOf(mail), objectId);
  return subscription?.active === true ? { object: subscription.url, role: null } : null;
}

function sessionOf(tx: Tx, { subject, ...mail }: Mail) {
  const tenant = tenantOf(mail);
  if (subject.kind === 'payment')
    return tx.sessions.newest(tenant, { paymentId: subject.paymentId });
  assert(subject.kind === 'submission', 'KYC is of a payment or a form');
  return tx.sessions.newest(tenant, { submissionId: subject.submissionId });
}

/** Why the mail need not be sent; null if it must be. */
export function uselessBecause(mail: Mail, facts: MailFacts, nowMs: number): string | null {
  const { purpose } = mail;
  if (isLinkExpired(mail, nowMs)) {
    return mailRules[purpose].signsIn ? 'its link has ended' : 'it is too old';
  }
  // Anybody types an address, and what the request does must not show whether it is a member's.
  if (facts.isToNobody) return 'the address is not of a member';
  if (purpose === 'question') return facts.question === null ? 'its event was pruned' : null;
  if (purpose === 'money_moved') return facts.moved === null ? 'its event was pruned' : null;
  if (purpose === 'paper_ends') return facts.paper === null ? 'the document was replaced' : null;
  if (isMemberNotice(purpose)) return facts.object === null ? 'the subscription is deleted' : null;
  if (isNoticePurpose(purpose)) return noticeIsUseless(purpose, mail, facts);
  if (purpose === 'approval_link') {
    const payment = facts.about?.payment;
    const isAwaited =
      payment?.colleagueApproval?.state === 'asked' && takesColleagueApproval(payment);
    return isAwaited ? null : 'its state is over';
  }
  // A sign-in may also be for a payment that has ended.
  const status = facts.about?.payment.status;
  const isOver =
    purpose === 'invitation' &&
    status !== undefined &&
    isTerminal(status) &&
    facts.invited.length === 0;
  return isOver ? `the payment is ${status}` : null;
}

function noticeIsUseless(
  purpose: NoticePurpose,
  { cause, createdAtMs }: Mail,
  { organization, about, submission, session }: MailFacts,
): string | null {
  if (session !== null && hasSeen(session, createdAtMs)) return 'the page has shown it';
  const ended = 'its state is over';
  if (purpose === 'kyc_more') {
    const waits = about?.payment.status === 'buyer_kyc_pending';
    return waits || (submission?.corrections ?? null) !== null ? null : ended;
  }
  if (purpose === 'reminder') {
    const isAsked = about !== null && organization.sendsReminders && isUnpaid(about);
    return isAsked ? null : ended;
  }
  if (about !== null) return causeOf(purpose, about) === cause ? null : ended;
  return submission !== null && purpose === `kyc_${submission.status}` ? null : ended;
}

/** When an open page has had time to show what the mail says; null: send the mail now. */
export function openPageUntil(
  { createdAtMs }: Mail,
  { session }: MailFacts,
  nowMs: number,
): number | null {
  const untilMs = createdAtMs + PAGE_SHOWS_MS;
  return session !== null && isWatching(session, nowMs) && nowMs < untilMs ? untilMs : null;
}

/** The mail as it is sent. A repeat whose text has changed has another id. */
export async function outgoing(deps: Deps, mail: Mail, facts: MailFacts): Promise<OutgoingMail> {
  const { organization } = facts;
  const [receipt, logo, proof] = await Promise.all([
    fileOf(deps, mail, facts),
    logoOf(deps, organization),
    proofLinkOf(deps, mail, facts),
  ]);
  const has = { hasReceipt: receipt !== null, hasLogo: logo !== null };
  const page = proof && {
    pageUrl: `${proof.url}&lang=${facts.locale}`,
    pageEndsAtMs: proof.endsAtMs,
  };
  const letter = { ...letterOf(deps, mail, facts), ...has, ...page };
  const rendered = deps.letters.render(letter);
  return {
    ...rendered,
    to: facts.person?.email ?? mail.to,
    messageId: `${mail.id}.${hash('sha256', rendered.text).slice(0, 8)}`,
    writtenAtMs: mail.createdAtMs,
    locale: facts.locale,
    replyTo: mail.purpose === 'question' ? buyerOf(facts) : organization.supportEmail,
    attachments: [receipt, rendered.html.includes(`cid:${logoCid}`) ? logo : null].filter(
      (file) => file !== null,
    ),
  };
}

/** A mail carries it: a picture that is loaded would tell who reads the mail, and when. */
async function logoOf(
  { store }: Deps,
  { id, logoHash }: Pick<Sender, 'id' | 'logoHash'>,
): Promise<NamedFile | null> {
  const logo = logoHash === null ? null : await store.run((tx) => tx.logos.get(id));
  if (logo === null) return null;
  const { contentType: type, content } = logo;
  const name = `logo.${type === 'image/png' ? 'png' : 'jpg'}`;
  return { name, type, bytes: Buffer.from(content, 'base64'), cid: logoCid };
}

/** Who asked, and gets the answer. */
function buyerOf({ about }: MailFacts): string {
  assert(about !== null, 'a question is about a payment');
  return about.payment.buyer.email.trim();
}

/**
 * Null for another mail, and if no file can be made or show its characters: the page has it, and
 * the mail says so.
 */
async function fileOf(
  deps: Deps,
  { id: mailId, purpose }: Mail,
  { about, locale }: MailFacts,
): Promise<NamedFile | null> {
  const write = deps.mailedFiles[purpose];
  if (write === undefined || about === null) return null;
  try {
    return await write(deps, about.payment, locale);
  } catch (error) {
    deps.log.warn('a file was not attached', { mailId, error: String(error) });
    return null;
  }
}

/** The same link when the mail is sent again after a crash; another when operators resend it. */
async function proofLinkOf(
  deps: Deps,
  { id, purpose, linkEndsAtMs }: Mail,
  { about }: MailFacts,
): Promise<ProofLink | null> {
  if (purpose !== 'payment_settled' || about === null) return null;
  const token = deps.secretBox.mac(`${id} ${linkEndsAtMs}`, 'link to a proof');
  return createProofLink(deps, about.payment, token);
}

function letterOf(
  deps: Deps,
  mail: Mail,
  facts: MailFacts,
): Omit<Letter, 'hasReceipt' | 'hasLogo'> {
  const { organization, about, account, change, isReplacement, question, object } = facts;
  const { locale, moved, invited, paper } = facts;
  const { purpose, mode, proof, createdAtMs: writtenAtMs } = mail;
  const path = pathIn(mail, facts);
  const pageUrl = path === null ? null : `${deps.settings.payUrl}${path}`;
  return {
    purpose,
    locale,
    mode,
    writtenAtMs,
    organization,
    about,
    account,
    isToMember: mail.subject.kind === 'member' || mail.subject.kind === 'person',
    isToApprover: mail.subject.kind === 'approval',
    action: proof?.action ?? null,
    isFirst: change?.fromRef === null,
    keyId: change !== null && isKeyId(change.changedBy) ? change.changedBy : null,
    pageUrl,
    pageEndsAtMs: null,
    ...(object ?? { object: null, role: null }),
    isReplacement,
    question,
    moved,
    paper,
    invited,
    reference: referenceOf(facts),
    link: pageUrl === null ? stopLinkOf(deps, change, locale) : linkOf(deps, mail, pageUrl),
  };
}

/** Null if the change was not held. */
function stopLinkOf(
  deps: Deps,
  change: DestinationChange | null,
  locale: Locale,
): SignInLink | null {
  if (change === null || change.effectiveAtMs === change.createdAtMs) return null;
  const named = stopCode(deps, change);
  const url = `${deps.settings.payUrl}/stop/${named}?lang=${locale}`;
  return { url, code: codeOf(named), isAsked: false, endsAtMs: change.effectiveAtMs };
}

function linkOf(deps: Deps, mail: Mail, pageUrl: string): SignInLink | null {
  if (mail.tokenSealed === null) return null;
  const { token, code } = secretsIn(deps.secretBox.open(mail.tokenSealed, tokenPurpose(mail)));
  const isAsked = mail.browserHash !== null;
  return { url: `${pageUrl}?token=${token}`, code, isAsked, endsAtMs: mail.linkEndsAtMs };
}

/** Null for a mail about a PIX destination, and one with the link to a proof. */
function pathIn(mail: Mail, facts: MailFacts): string | null {
  const { subject } = mail;
  const isToOrganization = mail.purpose === 'question' || isOwnerNotice(mail.purpose);
  if (isToOrganization && subject.kind === 'payment') return dashboardPath(mail, subject.paymentId);
  const page = mail.purpose === 'payment_settled' ? null : pageOf(mail, facts);
  return page === null ? null : hostedPath(page);
}

/** Null for a mail about a PIX destination. */
function pageOf({ subject }: Mail, { about, submission }: MailFacts): HostedPage | null {
  if (subject.kind === 'account') return null;
  if (about !== null) {
    const kind = subject.kind === 'approval' ? 'approval' : 'payment';
    return { kind, publicId: about.payment.publicId };
  }
  if (subject.kind === 'member' || subject.kind === 'person') {
    return { kind: 'dashboard', address: null };
  }
  const flowId = submission?.flowId ?? null;
  assert(subject.kind === 'submission' && flowId !== null, 'a mail about a form has its flow id');
  const { ownerIndex } = subject;
  return ownerIndex === null ? { kind: 'form', flowId } : { kind: 'owner', flowId, ownerIndex };
}

function referenceOf(facts: MailFacts): string {
  const { about, submission, account, organization, person } = facts;
  if (person !== null && organization === theService) return person.id;
  if (about === null) return submission?.id ?? account?.id ?? organization.id;
  return helpReference(about.payment);
}
