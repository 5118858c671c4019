// The buyer's sign-in: it requests a link on the hosted page, and opening the link proves its
// mailbox. Its next steps are in buyers.ts.
import { emailKey } from '../domain/buyer-kyc.js';
import type { PaymentView } from '../domain/change.js';
import { hashLinkToken, isLinkExpired, linkUsed } from '../domain/mail.js';
import { isPageOpen, type Payment } from '../domain/payment.js';
import { tenantOf } from '../domain/tenant.js';
import { PonteError } from '../errors.js';
import type { Deps } from '../ports/deps.js';
import type { Tx } from '../ports/storage.js';
import { signIn } from './buyers.js';
import { mailNumber, stageMail } from './mails.js';
import { takeClientSlot, takePageSlot } from './rate-limits.js';

/** The minimum time of a request for a link: longer than its work, so it reveals nothing. */
const ANSWER_MS = 400;

/**
 * Mails a link if this is the address of the page's buyer and its hourly limit is not reached.
 * Neither the response nor its time reveals whether a mail is sent: each case does the same work.
 * `client` is an IP address, null inside the process. NotFound, RateLimitExceeded.
 */
export async function requestSignIn(
  deps: Deps,
  publicId: string,
  email: string,
  client: string | null,
): Promise<void> {
  const answerable = deps.pause(ANSWER_MS);
  try {
    if (client !== null) await takeClientSlot(deps, client);
    await deps.store.run((tx) => openPage(tx, publicId));
    await takePageSlot(deps, publicId);
    await deps.store.run(async (tx) => stageSignIn(deps, tx, await openPage(tx, publicId), email));
    deps.wake('mails');
  } finally {
    await answerable;
  }
}

/** Signs the buyer in for the payment of the link. InvalidSignInLink. */
export async function redeemSignIn(deps: Deps, token: string): Promise<PaymentView> {
  const tokenHash = hashLinkToken(token);
  const mail = await deps.store.run((tx) => tx.mails.byTokenHash(tokenHash));
  if (mail === null || mail.paymentId === null) throw new PonteError('InvalidSignInLink');
  return signIn(deps, tenantOf(mail), mail.paymentId, async (tx) => {
    const current = await tx.mails.byTokenHash(tokenHash);
    const nowMs = deps.clock.nowMs();
    if (current === null || isLinkExpired(current, nowMs))
      throw new PonteError('InvalidSignInLink');
    tx.mails.update(linkUsed(current, nowMs));
  });
}

async function openPage(tx: Tx, publicId: string): Promise<Payment> {
  const payment = await tx.payments.byPublicId(publicId);
  if (payment === null || !isPageOpen(payment)) throw new PonteError('NotFound');
  return payment;
}

/** A mail that must not be sent is stored as dropped. */
async function stageSignIn(deps: Deps, tx: Tx, payment: Payment, email: string): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const about = { purpose: 'sign_in', accountId: null } as const;
  const to = { ...tenantOf(payment), ...about, address: payment.buyer.email };
  const { nth, waitMs } = await mailNumber(tx, to, nowMs);
  const isBuyer = emailKey(payment.buyer.email) === emailKey(email);
  const limited = waitMs > 0 ? 'the hourly limit of the address is reached' : null;
  const useless = isBuyer ? limited : 'another address was given';
  const numbered = { purpose: 'sign_in', nth: useless === null ? nth : null } as const;
  stageMail(deps, tx, payment, numbered, nowMs, useless);
}
