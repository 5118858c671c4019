// What the partner's decision on a buyer leads to: payments of the tenant that wait for it, and the
// approvals that other tenants adopted.
import type { Mode, Tenant } from '../../domain/base/tenant.js';
import { type KycSubmission, withdrawn } from '../../domain/parties/buyer-kyc.js';
import { countsAsBuyerKyc } from '../../domain/parties/connected-account.js';
import type { Payment } from '../../domain/payments/payment.js';
import { kycDecided } from '../../domain/payments/payment-transitions.js';
import { assert } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { loadPayment, stageChange } from '../payments/payment-store.js';

/** Waiting payments of a buyer that one batch moves. */
const WAITING_PAGE = 50;
/** Adopted approvals that one batch withdraws. */
const WITHDRAWN_AT_ONCE = 50;

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
  for await (const page of waitingPages(tx, submission, submission.buyerId)) {
    atMs = Math.max(atMs, ...page.map(({ updatedAtMs }) => updatedAtMs));
  }
  return atMs;
}

/** Payments that wait for the KYC of this buyer, oldest first. */
async function* waitingPages(tx: Tx, tenant: Tenant, buyerId: string) {
  for (let [fromMs, afterId] = [0, '']; ; ) {
    const page = { fromMs, afterId, limit: WAITING_PAGE };
    const waiting = await tx.payments.ofBuyer(tenant, buyerId, 'buyer_kyc_pending', page);
    yield waiting;
    const last = waiting.at(-1);
    if (last === undefined || waiting.length < WAITING_PAGE) return;
    [fromMs, afterId] = [last.createdAtMs, last.id];
  }
}

/**
 * The partner rejects this party, perhaps after an approval: the submissions of all tenants that
 * depend on it lose their approval. Running payments go on; the next one requires KYC again. False
 * once none is left.
 */
export async function stageWithdrawn(tx: Tx, mode: Mode, partnerRef: string): Promise<boolean> {
  const resting = await tx.buyers.approvedByPartnerRef(mode, partnerRef, WITHDRAWN_AT_ONCE);
  for (const submission of resting) tx.buyers.updateSubmission(withdrawn(submission));
  return resting.length > 0;
}

export async function moveWaiting(deps: Deps, tenant: Tenant, buyerId: string): Promise<void> {
  const work = (tx: Tx) => stageWaiting(deps, tx, tenant, buyerId);
  for (let isComplete = false; !isComplete; ) isComplete = await deps.store.run(work);
  deps.wake('outbox');
}

/**
 * Stages a page of the payments that wait for the decision on this buyer; false if more may wait.
 */
export async function stageWaiting(
  deps: Deps,
  tx: Tx,
  tenant: Tenant,
  buyerId: string,
): Promise<boolean> {
  const decided = await decisionOn(tx, tenant, buyerId);
  if (decided === null) return true;
  const { decision, reason } = decided;
  const waiting = await waitingFor(tx, tenant, buyerId, decided);
  const read = await Promise.all(waiting.map((payment) => loadPayment(tx, tenant, payment.id)));
  const nowMs = deps.clock.nowMs();
  if (read.length > 0) decided.guard();
  for (const was of read) {
    await stageChange(deps, tx, was, kycDecided(was, decision, reason, nowMs));
  }
  return read.length < WAITING_PAGE;
}

/** Payments that wait for this decision: at least a page, if there are as many. */
async function waitingFor(
  tx: Tx,
  tenant: Tenant,
  buyerId: string,
  decision: KycDecision,
): Promise<readonly Payment[]> {
  const found: Payment[] = [];
  for await (const page of waitingPages(tx, tenant, buyerId)) {
    found.push(...page.filter((payment) => isDecidedBy(decision, payment)));
    if (found.length >= WAITING_PAGE) break;
  }
  return found;
}

interface KycDecision {
  readonly decision: 'approve' | 'reject';
  readonly reason: string | null;
  readonly rejectedAtMs: number | null;
  /** Guards the row with the decision. */
  readonly guard: () => void;
}

/** By this tenant's connected account of the same address, or its submission. */
async function decisionOn(tx: Tx, tenant: Tenant, buyerId: string): Promise<KycDecision | null> {
  const [submission, buyer] = await Promise.all([
    tx.buyers.submission(tenant, buyerId),
    tx.buyers.get(tenant.mode, buyerId),
  ]);
  assert(buyer !== null, 'a buyer stays');
  const accounts = await tx.accounts.ofBuyer(tenant, buyer.emailKey);
  const account = accounts.find(countsAsBuyerKyc);
  if (account !== undefined) {
    const approval = { decision: 'approve', reason: null, rejectedAtMs: null } as const;
    return { ...approval, guard: () => tx.accounts.expect(account) };
  }
  const decision = decisionOf(submission);
  if (submission === null || decision === null) return null;
  const { reason, rejectedAtMs } = submission;
  const guard = () => tx.buyers.expectSubmission(submission);
  return { decision, reason, rejectedAtMs, guard };
}

/** A rejection fails only payments that waited before it, even if it is reported again later. */
function isDecidedBy({ decision, rejectedAtMs }: KycDecision, waiting: Payment): boolean {
  return decision === 'approve' || (rejectedAtMs !== null && waiting.updatedAtMs <= rejectedAtMs);
}

function decisionOf(submission: KycSubmission | null): 'approve' | 'reject' | null {
  if (submission?.status === 'approved') return 'approve';
  if (submission?.status === 'rejected') return 'reject';
  return null;
}
