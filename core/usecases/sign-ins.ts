// The buyer's way in: it asks for a link on the hosted page, and opening the link proves that the
// mailbox is its own. What the buyer does then stands in buyers.ts.
import { emailKey } from '../domain/buyer-kyc.js';
import type { PaymentView } from '../domain/collection.js';
import { hashLinkToken, isLinkOver, linkUsed } from '../domain/mail.js';
import { isPageOpen } from '../domain/payment.js';
import { tenantOf } from '../domain/tenant.js';
import { PonteError } from '../errors.js';
import type { Deps } from '../ports.js';
import { signIn } from './buyers.js';
import { mailNumber, stageMail } from './mails.js';

/**
 * Sends a link to the buyer of this page's payment, if that is the buyer's address and it has not
 * had enough of them lately; whoever asks is told neither. NotFound where there is no page.
 */
export async function requestSignIn(deps: Deps, publicId: string, email: string): Promise<void> {
  const address = emailKey(email);
  await deps.store.run(async (tx) => {
    const payment = await tx.payments.byPublicId(publicId);
    if (payment === null || !isPageOpen(payment)) throw new PonteError('NotFound');
    if (emailKey(payment.buyer.email) !== address) return;
    const nowMs = deps.clock.nowMs();
    const to = { ...tenantOf(payment), purpose: 'sign_in', address } as const;
    const { nth, waitMs } = await mailNumber(tx, to, nowMs);
    if (waitMs === 0) stageMail(deps, tx, payment, { purpose: 'sign_in', nth }, nowMs);
  });
  deps.wake('mails');
}

/** The buyer who opened a link is signed in for its payment; InvalidSignInLink for any other. */
export async function redeemSignIn(deps: Deps, token: string): Promise<PaymentView> {
  const tokenHash = hashLinkToken(token);
  const mail = await deps.store.run((tx) => tx.mails.byTokenHash(tokenHash));
  if (mail === null) throw new PonteError('InvalidSignInLink');
  return signIn(deps, tenantOf(mail), mail.paymentId, async (tx) => {
    const current = await tx.mails.byTokenHash(tokenHash);
    const nowMs = deps.clock.nowMs();
    if (current === null || isLinkOver(current, nowMs)) throw new PonteError('InvalidSignInLink');
    tx.mails.update(linkUsed(current, nowMs));
  });
}
