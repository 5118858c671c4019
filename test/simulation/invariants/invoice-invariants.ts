// Invariants of invoices and of the mails that buyers get.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/domain/base/instant.js';
import {
  isSameSubject,
  type Mail,
  type MailPurpose,
  organizationPurposes,
} from '../../../core/domain/mail/mail.js';
import { CAREFUL_ORG } from '../world/actors.js';
import type { ObservedPayment } from './observed-payment.js';
import { eachPayment, type ObservedState } from './observed-state.js';
import { mailIdOf } from './outside-truth.js';

/** Said here once more, so that broken numbers do not excuse themselves. */
const MAILS_AN_HOUR = 5;
/** After so many unused ones, a page pauses for all browsers. */
const SIGN_INS_UNUSED = 5;
const notToBuyers: readonly MailPurpose[] = organizationPurposes;

export function noInvoiceIsApprovedByItsMaker(observed: ObservedState): string | null {
  return eachPayment(observed, ({ payment, statuses }) => {
    const { origin, orgId, createdByMemberId, approvedByMemberId } = payment;
    if (origin !== 'invoice') return null;
    const careful = orgId === CAREFUL_ORG;
    if (careful !== (statuses[0] === 'awaiting_approval')) return `began as ${statuses[0]}`;
    if (!careful || !statuses.includes('approved')) return null;
    if (approvedByMemberId === null) return 'was approved by nobody';
    return approvedByMemberId === createdByMemberId ? 'was approved by its maker' : null;
  });
}

export function noMailBeforeApproval(observed: ObservedState): string | null {
  for (const mail of observed.parties.mails.values()) {
    if (notToBuyers.includes(mail.purpose)) continue;
    const found = observed.payments.get(paymentIdOf(mail) ?? '');
    const wrong = found === undefined ? 'is about no payment' : wrongMail(mail, found);
    if (wrong !== null) return `${mail.id} ${wrong}`;
  }
  return null;
}

/** What reached a mailbox is what was written; one Message-ID has one text. */
export function mailsReachTheirBuyersUnchanged(observed: ObservedState): string | null {
  const texts = new Map<string, string>();
  for (const { messageId, to, text } of observed.outside.mails()) {
    const mail = observed.parties.mails.get(mailIdOf(messageId));
    if (mail === undefined && observed.exempt.hasMail(mailIdOf(messageId))) continue;
    if (mail === undefined) return `${messageId} was sent and is no mail`;
    if (mail.to !== to) return `${messageId} went to ${to}`;
    const before = texts.get(messageId) ?? text;
    if (before !== text) return `${messageId} came with two texts`;
    texts.set(messageId, text);
  }
  return null;
}

export function mailsAreFew(observed: ObservedState): string | null {
  // One that was dropped before any try was never to be sent.
  const all = [...observed.parties.mails.values()];
  const mails = all.filter(({ status, tries }) => status !== 'dropped' || tries > 0);
  const sorted = mails.toSorted((a, b) => a.createdAtMs - b.createdAtMs);
  for (const [at, mail] of sorted.entries()) {
    const within = (windowMs: number, isAlike: (other: Mail) => boolean) =>
      sorted
        .slice(0, at + 1)
        .filter((other) => mail.createdAtMs - other.createdAtMs < windowMs && isAlike(other));
    const toAddress = within(HOUR_MS, (other) => isToSameAddress(mail, other)).length;
    const ofInvoice = within(MINUTE_MS, (other) => {
      return other.purpose === 'invitation' && isSameSubject(mail.subject, other.subject);
    }).length;
    const isSignIn = mail.purpose === 'sign_in';
    if (mail.cause === null && !isSignIn && toAddress > MAILS_AN_HOUR)
      return `${mail.id} is the ${toAddress}. ${mail.purpose} mail`;
    const signIns = isSignIn ? within(DAY_MS, (other) => isToSameAddress(mail, other)) : [];
    const unused = signIns.filter(
      ({ id, linkUsedAtMs }) => id !== mail.id && linkUsedAtMs === null,
    );
    const last = unused.filter(({ subject }) => isSameSubject(mail.subject, subject)).at(-1);
    if (unused.length >= SIGN_INS_UNUSED && last !== undefined) {
      const isOpen = last.linkEndsAtMs > mail.createdAtMs;
      if (isOpen && mail.createdAtMs - last.createdAtMs < MINUTE_MS)
        return `${mail.id} follows ${last.id} within a minute, after ${unused.length} unused mails`;
    }
    if (ofInvoice > 1) return `${mail.id} is the ${ofInvoice}. invitation within a minute`;
  }
  return null;
}

export function noCauseIsMailedTwice(observed: ObservedState): string | null {
  const causes = new Map<string, string>();
  for (const { id, orgId, mode, cause } of observed.parties.mails.values()) {
    if (cause === null) continue;
    const name = `${orgId} ${mode} ${cause}`;
    const first = causes.get(name);
    if (first !== undefined) return `${first} and ${id} are both about ${cause}`;
    causes.set(name, id);
  }
  return null;
}

/**
 * A link signs in once by a press, which may be a gateway's, and once by the code, and not by a
 * press that began after the code had signed in.
 */
export function noLinkSignsInTwice({ linksUsed }: ObservedState): string | null {
  const twice = linksUsed.find(({ token, isPerson, usesBefore }, at) =>
    linksUsed
      .slice(0, at)
      .some(
        (use, place) =>
          use.token === token &&
          (use.isPerson === isPerson || (use.isPerson && place < usesBefore)),
      ),
  );
  return twice === undefined ? null : `the link ${twice.token} signed in twice`;
}

function wrongMail(mail: Mail, { payment, statuses }: ObservedPayment): string | null {
  if (mail.to !== payment.buyer.email.trim()) return `goes to ${mail.to}`;
  if (mail.purpose === 'invitation' && payment.origin === 'payment_intent') {
    return 'invites to a payment intent';
  }
  if (mail.cause !== null && payment.buyerLocale === null) {
    return 'is a notice to a buyer that did not sign in by mail';
  }
  if (payment.origin === 'payment_intent') return null;
  if (!statuses.includes('awaiting_buyer')) return `is about an invoice that is ${payment.status}`;
  const unapproved = payment.orgId === CAREFUL_ORG && payment.approvedByMemberId === null;
  return unapproved ? 'is about an invoice that nobody approved' : null;
}

function paymentIdOf({ subject }: Mail): string | null {
  return subject.kind === 'payment' ? subject.paymentId : null;
}

function isToSameAddress(mail: Mail, other: Mail): boolean {
  const { purpose, mode, toKey, orgId } = mail;
  if (other.purpose !== purpose || other.mode !== mode || other.toKey !== toKey) return false;
  if (purpose === 'payout_changed' && !isSameSubject(mail.subject, other.subject)) return false;
  return other.orgId === orgId;
}
