// Mails: staged in the batch of their cause, and sent by a worker until they are accepted, refused
// or no longer needed. After a crash a mail may be sent twice, under one Message-ID. Mails are
// deleted after MAIL_RETENTION_MS.
import { emailKey } from '../domain/buyer-kyc.js';
import { holdsLease } from '../domain/lease.js';
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

/** Mail servers limit the connections of one client. */
const MAILS_AT_ONCE = 10;

/** `nextMail` for an address. Notices about an account count with those about the same account. */
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

/** Stages a mail with a new link for the buyer; with a `useless` reason it is stored as dropped. */
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

/** Returns how many were claimed. */
export async function runMails(deps: Deps, nowMs: number, limit: number): Promise<number> {
  const claim = { nowMs, limit: Math.min(limit, MAILS_AT_ONCE), leaseMs: MAIL_LEASE_MS };
  const claimed = await deps.store.claims.mails(claim);
  // A mail that fails is claimed again when its lease ends.
  await eachSeparately(deps, 'mails', claimed, (mail) => send(deps, mail));
  return claimed.length;
}

/** Deletes old mails with their addresses; returns how many. */
export async function runMailDeletion(deps: Deps, nowMs: number, limit: number): Promise<number> {
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
    assert(organization !== null, 'an organization stays');
    return { epoch, organizationName: organization.name, payment, account };
  });
  // It started after the claim: the mail is claimed again after the release.
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
  logFailure(deps, mail, result);
}

function linkMail(
  deps: Deps,
  mail: Mail & { readonly purpose: LinkPurpose },
  { payment, organizationName }: { payment: Payment | null; organizationName: string },
): MailText {
  assert(payment !== null && mail.tokenSealed !== null, 'a link has a payment and a token');
  const token = deps.secretBox.open(mail.tokenSealed, tokenPurpose(mail));
  const pageUrl = `${deps.settings.payUrl}/r/${payment.publicId}`;
  return renderMail(mail, {
    payment,
    organizationName,
    pageUrl,
    link: `${pageUrl}?token=${token}`,
  });
}

/** Null if the mail must be sent. */
function uselessBecause(mail: Mail, payment: Payment | null, nowMs: number): string | null {
  if (isLinkExpired(mail, nowMs)) return payment === null ? 'it is too old' : 'its link has ended';
  // A sign-in may also be for a payment that has ended.
  const over = mail.purpose === 'invitation' && payment !== null && isTerminal(payment.status);
  return over ? `the payment is ${payment.status}` : null;
}

/** Changes nothing if the lease is lost. */
async function record(deps: Deps, mail: Mail, change: (current: Mail) => Mail): Promise<void> {
  await deps.store.run(
    async (tx) => {
      const current = await tx.mails.get(tenantOf(mail), mail.id);
      if (current === null || !holdsLease(current, mail)) return;
      tx.mails.update(change(current));
    },
    { inQuarantine: true },
  );
}

function logFailure(deps: Deps, { id: mailId, purpose, tries }: Mail, result: MailOutcome): void {
  if (result.outcome === 'sent') return;
  const { outcome, reason } = result;
  deps.log.warn('a mail was not taken', { mailId, purpose, tries, outcome, reason });
}
