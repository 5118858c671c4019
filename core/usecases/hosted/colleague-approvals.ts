// The approval of a payment by a colleague of its buyer. The buyer asks by mail; the link of the
// mail opens the approval of this payment and nothing else.
import {
  type EmailProblem,
  emailKey,
  emailProblem,
  readEmail,
} from '../../domain/base/email-address.js';
import type { Locale } from '../../domain/base/locale.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { invitationWaitMs, linkEnded } from '../../domain/mail/mail.js';
import type { ApprovalDecision } from '../../domain/payments/colleague-approval.js';
import type { Payment } from '../../domain/payments/payment.js';
import {
  colleagueApprovalAsked,
  colleagueApprovalDecided,
} from '../../domain/payments/payment-transitions.js';
import { answered } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { mailNumber, stageLink } from '../mail/mails.js';
import { changePayment, loadPayment } from '../payments/payment-store.js';
import { rateLimited, takeOwnerMailSlots } from '../service/rate-limits.js';
import { endAll } from '../service/tokens.js';

/** Why an address is not taken. `own`: it is the buyer's, who cannot approve its own payment. */
export type ApproverProblem = EmailProblem | 'own';

export interface ApproverRequest {
  readonly email: string;
  readonly locale: Locale;
  /** An IP address; null inside the process. */
  readonly client: string | null;
}

/**
 * Mails a link to the approver. A repeat mails another one, at most once a minute; to another
 * address, the access of the approver before ends. Ponte does not know the address: client and
 * tenant have limits. Null, or why it is not taken. PaymentStateConflict, RateLimitExceeded.
 */
export async function askApprover(
  deps: Deps,
  payment: Payment,
  { email, locale, client }: ApproverRequest,
): Promise<ApproverProblem | null> {
  const address = readEmail(email);
  if (address === null) return emailProblem(email);
  const tenant = tenantOf(payment);
  // A refused request must not spend what others share.
  const tried = deps.store.run(async (tx) => {
    const was = await loadPayment(tx, tenant, payment.id);
    colleagueApprovalAsked(was, address, deps.clock.nowMs());
    await expectTurn(deps, tx, was.payment, address);
    return null;
  });
  const problem = await tried.catch(answered({ SelfApprovalNotAllowed: () => 'own' as const }));
  if (problem !== null) return problem;
  await takeOwnerMailSlots(deps, tenant, client);
  await changePayment(deps, tenant, payment.id, async (was, tx) => {
    const nowMs = deps.clock.nowMs();
    const nth = await expectTurn(deps, tx, was.payment, address);
    const change = colleagueApprovalAsked(was, address, nowMs);
    await endOtherApprovers(deps, tx, was.payment, address);
    const subject = { kind: 'approval', paymentId: payment.id } as const;
    const to = { ...tenant, purpose: 'approval_link', address, subject } as const;
    stageLink(deps, tx, { ...to, nth, locale, browserHash: null }, nowMs);
    return change;
  });
  deps.wake('mails');
  return null;
}

/** `reason` is of a decline. A decision that was taken stays: PaymentStateConflict. */
export async function decideApproval(
  deps: Deps,
  { id, ...tenant }: Payment,
  decision: ApprovalDecision,
  reason: string | null = null,
): Promise<void> {
  await changePayment(deps, tenantOf(tenant), id, (was) =>
    colleagueApprovalDecided(was, decision, reason, deps.clock.nowMs()),
  );
}

/** The number of the next mail to the address. RateLimitExceeded. */
async function expectTurn(deps: Deps, tx: Tx, payment: Payment, address: string): Promise<number> {
  const nowMs = deps.clock.nowMs();
  const to = { ...tenantOf(payment), purpose: 'approval_link', address } as const;
  const { nth, waitMs } = await mailNumber(tx, to, nowMs);
  const { askedAtMs = null } = payment.colleagueApproval ?? {};
  const longestMs = Math.max(waitMs, invitationWaitMs(askedAtMs, nowMs));
  if (longestMs > 0) throw rateLimited(longestMs);
  return nth;
}

/** Links and sessions of approvers with another address. */
async function endOtherApprovers(
  deps: Deps,
  tx: Tx,
  payment: Payment,
  address: string,
): Promise<void> {
  const { colleagueApproval: last, id: paymentId } = payment;
  if (last === null || emailKey(last.email) === emailKey(address)) return;
  const tenant: Tenant = tenantOf(payment);
  const nowMs = deps.clock.nowMs();
  const [links, sessions] = await Promise.all([
    tx.mails.openLinks(tenant, { kind: 'approval', paymentId }, nowMs),
    tx.sessions.open(tenant, ['approver'], { paymentId }),
  ]);
  for (const link of links) tx.mails.update(linkEnded(link, nowMs));
  endAll(tx, sessions, nowMs);
}
