// Mails on their way out: staged in the batch of what asks for them, and sent by a worker until
// they are taken, refused, or nobody needs them any more. A crash in between sends a mail twice at
// most, under one Message-ID. The token of its link lies sealed, and only until then; the mail with
// its address is forgotten after MAIL_RETENTION_MS.
import { emailKey } from '../domain/buyer-kyc.js';
import { isLeased } from '../domain/lease.js';
import {
  ADDRESS_MAILS_MAX,
  afterTry,
  dropMail,
  hashLinkToken,
  isExpiredMail,
  isLinkExpired,
  LINK_TOKEN_BYTES,
  type LinkPurpose,
  MAIL_LEASE_MS,
  type Mail,
  type MailOutcome,
  newMail,
  nextMail,
  tokenPurpose,
} from '../domain/mail.js';
import { type MailText, renderMail, renderPayoutNotice } from '../domain/mail-template.js';
import { isTerminal, type Payment } from '../domain/payment.js';
import { type Tenant, tenantOf } from '../domain/tenant.js';
import { assert } from '../errors.js';
import type { Deps } from '../ports/deps.js';
import type { Tx } from '../ports/storage.js';
import { eachSeparately } from './due-work.js';

/** No more than a mail server takes connections from one client. */
const MAILS_AT_ONCE = 10;

/**
 * What `nextMail` says of an address that a mail of this purpose is for. Notices about an account
 * wait for notices about the same account only.
 */
export async function mailNumber(
  tx: Tx,
  to: Tenant & Pick<Mail, 'purpose' | 'accountId'> & { readonly address: string },
  nowMs: number,
): Promise<ReturnType<typeof nextMail>> {
  const { orgId, mode, purpose, address, accountId } = to;
  const toKey = emailKey(address);
  const whom = { orgId, mode, purpose, toKey };
  const next = nextMail(await tx.mails.newestNumbered(whom, ADDRESS_MAILS_MAX), nowMs);
  if (purpose !== 'payout_changed') return next;
  const alike = await tx.mails.newestAbout({ ...whom, accountId }, ADDRESS_MAILS_MAX);
  return { ...next, waitMs: nextMail(alike, nowMs).waitMs };
}

/**
 * A mail with a new link to the buyer of this payment; `deps.wake('mails')` follows the batch. One
 * that is `useless` for this reason is stored as dropped.
 */
export function stageMail(
  deps: Deps,
  tx: Tx,
  payment: Payment,
  { purpose, nth }: Pick<Mail, 'nth'> & { readonly purpose: LinkPurpose },
  nowMs: number,
  useless: string | null = null,
): void {
  const id = deps.ids.next('mail', nowMs);
  const token = Buffer.from(deps.ids.randomBytes(LINK_TOKEN_BYTES)).toString('base64url');
  const to = payment.buyer.email.trim();
  const fields = {
    ...tenantOf(payment),
    ...{ id, purpose, nth, to, toKey: emailKey(to), paymentId: payment.id, accountId: null },
    tokenHash: hashLinkToken(token),
    tokenSealed: deps.secretBox.seal(token, tokenPurpose({ id })),
  };
  const mail = newMail(fields, nowMs);
  tx.mails.insert(useless === null ? mail : dropMail(mail, useless));
}

/** Sends what is due, each by itself; returns how many were taken in hand. */
export async function runMails(deps: Deps, nowMs: number, limit: number): Promise<number> {
  const claim = { nowMs, limit: Math.min(limit, MAILS_AT_ONCE), leaseMs: MAIL_LEASE_MS };
  const claimed = await deps.store.claims.mails(claim);
  // One that fails is taken up again when its lease runs out.
  await eachSeparately(deps, 'mails', claimed, (mail) => send(deps, mail));
  return claimed.length;
}

/** Forgets mails, and with them addresses, that were kept long enough; returns how many. */
export async function runForgetting(deps: Deps, nowMs: number, limit: number): Promise<number> {
  return deps.store.run(async (tx) => {
    const oldest = await tx.mails.oldest(limit);
    const old = oldest.filter((mail) => isExpiredMail(mail, nowMs));
    for (const mail of old) tx.mails.remove(mail);
    return old.length;
  });
}

async function send(deps: Deps, mail: Mail): Promise<void> {
  const tenant = tenantOf(mail);
  const about = await deps.store.run(async (tx) => {
    const [epoch, organization, payment, account] = await Promise.all([
      tx.epochs.current(),
      tx.organizations.get(mail.orgId),
      mail.paymentId === null ? null : tx.payments.get(tenant, mail.paymentId),
      mail.accountId === null ? null : tx.accounts.get(tenant, mail.accountId),
    ]);
    assert(organization !== null, 'what a mail speaks of stays');
    return { epoch, organizationName: organization.name, payment, account };
  });
  // It began after the claim: the mail is claimed again after the release.
  if (about.epoch.state === 'quarantine') return;
  const useless = uselessBecause(mail, about.payment, deps.clock.nowMs());
  if (useless !== null) {
    await record(deps, mail, (current) => dropMail(current, useless));
    return;
  }
  const { purpose } = mail;
  const result = await deps.mailer.send({
    ...(purpose === 'payout_changed'
      ? renderPayoutNotice(mail, about)
      : linkMail(deps, { ...mail, purpose }, about)),
    ...{ to: mail.to, messageId: mail.id, writtenAtMs: mail.createdAtMs },
  });
  await record(deps, mail, (current) => afterTry(current, result, deps.clock.nowMs()));
  tell(deps, mail, result);
}

function linkMail(
  deps: Deps,
  mail: Mail & { readonly purpose: LinkPurpose },
  { payment, organizationName }: { payment: Payment | null; organizationName: string },
): MailText {
  assert(payment !== null && mail.tokenSealed !== null, 'a link leads to its payment by a token');
  const token = deps.secretBox.open(mail.tokenSealed, tokenPurpose(mail));
  const pageUrl = `${deps.settings.payUrl}/r/${payment.publicId}`;
  return renderMail(mail, {
    payment,
    organizationName,
    pageUrl,
    link: `${pageUrl}?token=${token}`,
  });
}

/** Why there is no use in sending it; null when there is. */
function uselessBecause(mail: Mail, payment: Payment | null, nowMs: number): string | null {
  if (isLinkExpired(mail, nowMs)) return payment === null ? 'it is too old' : 'its link has ended';
  // Who asked to sign in may look at a payment that has ended, too.
  const over = mail.purpose === 'invitation' && payment !== null && isTerminal(payment.status);
  return over ? `the payment is ${payment.status}` : null;
}

/** A worker that lost its lease changes nothing any more. */
async function record(deps: Deps, mail: Mail, change: (current: Mail) => Mail): Promise<void> {
  await deps.store.run(
    async (tx) => {
      const current = await tx.mails.get(tenantOf(mail), mail.id);
      if (current === null || !isLeased(current, mail)) return;
      tx.mails.update(change(current));
    },
    { inQuarantine: true },
  );
}

function tell(deps: Deps, { id: mailId, purpose, tries }: Mail, result: MailOutcome): void {
  if (result.outcome === 'sent') return;
  const { outcome, reason } = result;
  deps.log.warn('a mail was not taken', { mailId, purpose, tries, outcome, reason });
}
