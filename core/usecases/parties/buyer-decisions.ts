// What the partner's decision on a buyer leads to: payments of the tenant that wait for it or rely
// on an approval that is lost, and the approvals that other tenants adopted.
import { emailKey } from '../../domain/base/email-address.js';
import { type Mode, type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { type KycSubmission, withdrawnSubmission } from '../../domain/parties/buyer-kyc.js';
import { countsAsBuyerKyc } from '../../domain/parties/connected-account.js';
import { type VerifiedPayer, verifiedPayer } from '../../domain/payments/payer-facts.js';
import {
  nextStatus,
  type Payment,
  type PaymentStatus,
  verifiedStatuses,
} from '../../domain/payments/payment.js';
import { kycDecided } from '../../domain/payments/payment-transitions.js';
import { assert } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { loadPayment, stageChange } from '../payments/payment-store.js';

export interface StagedDecision {
  /** False if more payments may be concerned: stage it again. */
  readonly isComplete: boolean;
  /** For operators, once the batch is stored. */
  readonly alerts: readonly { readonly alert: string; readonly paymentId: string }[];
}

export const nothingStaged: StagedDecision = { isComplete: true, alerts: [] };

/** Payments of a buyer that one batch moves. */
const PAYMENTS_AT_ONCE = 50;

/**
 * Who the buyer is for this tenant, approved by its submission or a connected account; null if it
 * is not approved. Stages a guard on the approval.
 */
export async function expectApproved(
  tx: Tx,
  payment: Tenant & Pick<Payment, 'buyerId' | 'buyer'>,
): Promise<{ readonly payer: VerifiedPayer | null } | null> {
  const tenant = tenantOf(payment);
  const own = await tx.buyers.submission(tenant, payment.buyerId);
  if (own?.status === 'approved') {
    tx.buyers.expectSubmission(own);
    return { payer: verifiedPayer(own.legalName, own.country) };
  }
  const accounts = await tx.accounts.ofBuyer(tenant, emailKey(payment.buyer.email));
  const account = accounts.find(countsAsBuyerKyc);
  if (account === undefined) return null;
  tx.accounts.expect(account);
  return { payer: verifiedPayer(account.legalName, account.country) };
}

/**
 * Now, or the latest time at which a payment started to wait for this buyer, if another host's
 * clock is ahead: a rejection fails every payment that waits when it is stored (`isDecidedBy`).
 */
export async function rejectionTime(
  tx: Tx,
  submission: KycSubmission,
  nowMs: number,
): Promise<number> {
  let atMs = nowMs;
  for await (const page of pagesOf(tx, submission, submission.buyerId, ['buyer_kyc_pending'])) {
    atMs = Math.max(atMs, ...page.map(({ updatedAtMs }) => updatedAtMs));
  }
  return atMs;
}

/** Payments of this buyer in these statuses, of each oldest first. */
async function* pagesOf(
  tx: Tx,
  tenant: Tenant,
  buyerId: string,
  statuses: readonly PaymentStatus[],
) {
  const pageOf = (of: readonly PaymentStatus[], last?: Payment) => {
    const after = { fromMs: last?.createdAtMs ?? 0, afterId: last?.id ?? '' };
    return tx.payments.ofBuyer(tenant, buyerId, of, { ...after, limit: PAYMENTS_AT_ONCE });
  };
  const found = await pageOf(statuses);
  yield found;
  for (const status of statuses) {
    let page = found.filter((payment) => payment.status === status);
    while (page.length === PAYMENTS_AT_ONCE) {
      page = [...(await pageOf([status], page.at(-1)))];
      yield page;
    }
  }
}

/**
 * The partner rejects this party, perhaps after an approval: the submissions of all tenants that
 * depend on it lose their approval, each after the last of its payments. Null once none is left.
 */
export async function stageWithdrawn(
  deps: Deps,
  tx: Tx,
  mode: Mode,
  partnerRef: string,
): Promise<StagedDecision | null> {
  const [approved] = await tx.buyers.approvedByPartnerRef(mode, partnerRef, 1);
  if (approved === undefined) return null;
  const lost = withdrawnSubmission(approved);
  const decided = await decisionOn(tx, tenantOf(lost), lost.buyerId, lost);
  const { isComplete, alerts } =
    decided === null ? nothingStaged : await stageDecision(deps, tx, lost, decided);
  if (isComplete) tx.buyers.updateSubmission(lost);
  else tx.buyers.expectSubmission(approved);
  return { isComplete: false, alerts };
}

export async function moveWaiting(deps: Deps, tenant: Tenant, buyerId: string): Promise<void> {
  const work = (tx: Tx) => stageDecided(deps, tx, tenant, buyerId);
  for (let isComplete = false; !isComplete; ) ({ isComplete } = await deps.store.run(work));
}

/** Stages a page of the payments that the decision on this buyer concerns. */
export async function stageDecided(
  deps: Deps,
  tx: Tx,
  tenant: Tenant,
  buyerId: string,
): Promise<StagedDecision> {
  const submission = await tx.buyers.submission(tenant, buyerId);
  const decided = await decisionOn(tx, tenant, buyerId, submission);
  if (decided === null) return nothingStaged;
  const staged = await stageDecision(deps, tx, { ...tenant, buyerId }, decided);
  if (staged.count > 0 && submission !== null) tx.buyers.expectSubmission(submission);
  return staged;
}

async function stageDecision(
  deps: Deps,
  tx: Tx,
  { buyerId, ...of }: Tenant & Pick<Payment, 'buyerId'>,
  decided: KycDecision,
): Promise<StagedDecision & { readonly count: number }> {
  const tenant = tenantOf(of);
  const { decision, reason } = decided;
  const found = await concernedBy(tx, tenant, buyerId, decided);
  const read = await Promise.all(
    found.map(async (payment) => ({
      was: await loadPayment(tx, tenant, payment.id),
      commands: await tx.commands.ofPayment(tenant, payment.id),
    })),
  );
  const nowMs = deps.clock.nowMs();
  if (read.length > 0) decided.guard();
  const alerts: StagedDecision['alerts'][number][] = [];
  let count = 0;
  for (const { was, commands } of read) {
    const change = kycDecided(was, commands, decision, reason, nowMs);
    await stageChange(deps, tx, was, change, [], commands);
    const { id: paymentId } = was.payment;
    alerts.push(...change.alerts.map((alert) => ({ alert, paymentId })));
    count += 1;
    // A batch does not read commands after it has staged some.
    if (change.commands.length + change.changedCommands.length > 0) break;
  }
  return { isComplete: count === read.length && count < PAYMENTS_AT_ONCE, alerts, count };
}

/** Payments that this decision concerns: a page, if there are as many. */
async function concernedBy(
  tx: Tx,
  tenant: Tenant,
  buyerId: string,
  decision: KycDecision,
): Promise<readonly Payment[]> {
  const found: Payment[] = [];
  for await (const page of pagesOf(tx, tenant, buyerId, decidedStatuses)) {
    found.push(...page.filter((payment) => isDecidedBy(decision, payment)));
    if (found.length >= PAYMENTS_AT_ONCE) break;
  }
  return found.slice(0, PAYMENTS_AT_ONCE);
}

/** A payment waits for the decision, or relies on it. */
const decidedStatuses: readonly PaymentStatus[] = ['buyer_kyc_pending', ...verifiedStatuses];

interface KycDecision {
  readonly decision: 'approve' | 'reject';
  readonly reason: string | null;
  /** Null if this tenant has no rejection, only no approval any more. */
  readonly rejectedAtMs: number | null;
  /** Guards the accounts that it depends on. */
  readonly guard: () => void;
}

/**
 * By this tenant's connected account of the same address, or its submission. Null while an approval
 * is paused.
 */
async function decisionOn(
  tx: Tx,
  tenant: Tenant,
  buyerId: string,
  submission: KycSubmission | null,
): Promise<KycDecision | null> {
  const buyer = await tx.buyers.get(tenant.mode, buyerId);
  assert(buyer !== null, 'a buyer stays');
  const accounts = await tx.accounts.ofBuyer(tenant, buyer.emailKey);
  const guard = () => {
    for (const account of accounts) tx.accounts.expect(account);
  };
  const unknown = { reason: null, rejectedAtMs: null, guard };
  if (accounts.some(countsAsBuyerKyc) || submission?.status === 'approved') {
    return { ...unknown, decision: 'approve' };
  }
  if (submission?.status === 'rejected') {
    const { reason, rejectedAtMs } = submission;
    return { decision: 'reject', reason, rejectedAtMs, guard };
  }
  const isPaused = submission !== null && submission.approvedAtMs !== null;
  return isPaused ? null : { ...unknown, decision: 'reject' };
}

/**
 * A rejection fails waiting payments that waited before it, even if it is reported again later. Who
 * has passed KYC relies on an approval, which is lost by a rejection and restored by an approval.
 */
function isDecidedBy({ decision, rejectedAtMs }: KycDecision, payment: Payment): boolean {
  const { status, approvalLostAtMs: lostAtMs, updatedAtMs } = payment;
  const isWaiting = status === 'buyer_kyc_pending';
  if (decision === 'approve') return isWaiting || lostAtMs !== null;
  if (isWaiting) return rejectedAtMs !== null && updatedAtMs <= rejectedAtMs;
  return lostAtMs === null || nextStatus(status, 'kyc_rejected') !== null;
}
