// Mails about the KYC of a buyer that used a hosted form without a payment, or must correct its
// dossier. Approvals and rejections of a buyer with a payment are notices of the payment.
import { emailKey } from '../../domain/base/email-address.js';
import type { Locale } from '../../domain/base/locale.js';
import { tenantOf } from '../../domain/base/tenant.js';
import type { MailSubject } from '../../domain/mail/mail.js';
import type { KycSubmission } from '../../domain/parties/buyer-kyc.js';
import { assert } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { stageNotice } from './mails.js';

/** The newest payments of a buyer that are looked at. */
const PAYMENTS_READ_MAX = 50;

interface Recipient {
  readonly subject: MailSubject;
  readonly locale: Locale;
}

/** The partner decided on a submission: mails the buyer that used its form without a payment. */
export async function stageFormDecided(
  deps: Deps,
  tx: Tx,
  submission: KycSubmission,
): Promise<void> {
  const { id, status } = submission;
  if (status !== 'approved' && status !== 'rejected') return;
  const recipient = await userOfForm(tx, submission);
  if (recipient === null) return;
  const notice = { purpose: `kyc_${status}`, cause: `kyc_${status}:${id}` } as const;
  await stageMail(deps, tx, submission, recipient, notice);
}

/** The partner asks for corrections of the dossier: mails the buyer that signed in by mail. */
export async function stageKycMore(deps: Deps, tx: Tx, submission: KycSubmission): Promise<void> {
  const recipient = (await payerOf(tx, submission)) ?? (await userOfForm(tx, submission));
  if (recipient === null) return;
  const { id, version } = submission;
  const notice = { purpose: 'kyc_more', cause: `kyc_more:${id}:${version}` } as const;
  await stageMail(deps, tx, submission, recipient, notice);
}

/** The newest payment that waits for the KYC of its buyer, who signed in by mail. */
async function payerOf(tx: Tx, submission: KycSubmission): Promise<Recipient | null> {
  const page = { fromMs: 0, afterId: '', limit: PAYMENTS_READ_MAX };
  const waiting = await tx.payments.ofBuyer(
    tenantOf(submission),
    submission.buyerId,
    ['buyer_kyc_pending'],
    page,
  );
  const payment = waiting.findLast(({ buyerLocale }) => buyerLocale !== null);
  if (payment === undefined || payment.buyerLocale === null) return null;
  const subject = { kind: 'payment', paymentId: payment.id } as const;
  return { subject, locale: payment.buyerLocale };
}

/** The buyer, if it signed in to the form by mail. */
async function userOfForm(tx: Tx, { flowId, ...submission }: KycSubmission) {
  if (flowId === null) return null;
  const subject = { kind: 'submission', submissionId: submission.id, ownerIndex: null } as const;
  const link = await tx.mails.newestUsedLink(tenantOf(submission), submission.id);
  return link === null ? null : { subject, locale: link.locale };
}

async function stageMail(
  deps: Deps,
  tx: Tx,
  submission: KycSubmission,
  { subject, locale }: Recipient,
  notice: Pick<Parameters<typeof stageNotice>[2], 'purpose' | 'cause'>,
): Promise<void> {
  const tenant = tenantOf(submission);
  const buyer = await tx.buyers.get(tenant.mode, submission.buyerId);
  assert(buyer !== null, 'a buyer stays');
  const to = { to: buyer.email.trim(), toKey: emailKey(buyer.email) };
  stageNotice(deps, tx, { ...tenant, ...to, ...notice, subject, locale }, deps.clock.nowMs());
}
