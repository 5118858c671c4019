// The partner's decision on a buyer, and what it wants of one: the submission, the approvals that
// other tenants adopted, and the payments that wait.
import {
  correctionsAsked,
  correctionsWithdrawn,
  decideSubmission,
  dueWhileApproved,
  type KycSubmission,
  paused,
  withdrawn,
} from '../domain/buyer-kyc.js';
import { countsAsBuyerKyc } from '../domain/connected-account.js';
import { fieldNamed } from '../domain/kyc-fields.js';
import type { PartyCommand } from '../domain/partner-command.js';
import { correctionsOf, TERMS } from '../domain/party-due.js';
import type { Payment } from '../domain/payment.js';
import { kycDecided } from '../domain/payment-transitions.js';
import { type Mode, type Tenant, tenantOf } from '../domain/tenant.js';
import { assert } from '../errors.js';
import type { Deps } from '../ports/deps.js';
import type { Tx } from '../ports/storage.js';
import type { Batch } from './batch.js';
import { stagePurge } from './documents.js';
import { readDraft, sealDossier, sealDraft } from './kyc-drafts.js';
import { stageFormDecided, stageKycMore } from './kyc-notices.js';
import {
  alertsOf,
  askedAlert,
  complete,
  dueNow,
  type PartyReport,
  type PartyStaged,
} from './party-reports.js';
import { loadPayment, stageChange } from './payment-store.js';

/** Waiting payments of a buyer that one batch moves. */
const WAITING_PAGE = 50;
/** Adopted approvals that one batch withdraws. */
const WITHDRAWN_AT_ONCE = 50;

/**
 * Stages a report about a submission: first its decision, then the withdrawal of adopted approvals,
 * then the payments of this tenant that wait. Once the partner approves a party, no other party
 * counts for the submission.
 */
export async function submissionReported(
  { deps, tx }: Pick<Batch, 'deps' | 'tx'>,
  command: Tenant & Pick<PartyCommand, 'id' | 'subject'>,
  reported: PartyReport,
): Promise<PartyStaged> {
  const tenant = tenantOf(command);
  const was = await tx.buyers.submissionById(tenant, command.subject.id);
  assert(was !== null, 'a submission stays');
  // A later dossier replaced the one of this order.
  if (was.submitCommandId !== null && was.submitCommandId !== command.id) return complete;
  const { partnerRef, report } = reported;
  const { status } = report;
  const isNamed =
    partnerRef !== null &&
    (was.partnerRef === null || (status === 'approved' && was.partnerRef !== partnerRef));
  const named = isNamed ? { ...was, partnerRef } : was;
  if (status === 'verifying' || status === 'paused') {
    return stageUndecided(deps, tx, [was, named], reported);
  }
  const decision = status === 'approved' ? 'approve' : 'reject';
  const nowMs = deps.clock.nowMs();
  const atMs = decision === 'approve' ? nowMs : await rejectionTime(tx, was, nowMs);
  const decided = decideSubmission(named, decision, report.reason, atMs);
  const next = dueWhileApproved(decided, dueNow(was, decided, withoutTerms(reported), nowMs));
  if (next !== was) {
    tx.buyers.updateSubmission(next);
    if (decided !== named) {
      stagePurge(deps, tx, tenant, { party: 'buyer', id: was.buyerId });
      await stageFormDecided(deps, tx, next);
    }
    const about = { submissionId: was.id };
    const alerts = [...askedAlert(decided, next, about), ...alertsOf(was, next, about)];
    return { isComplete: false, alerts };
  }
  if (partnerRef !== null && status === 'rejected') {
    if (await stageWithdrawn(tx, tenant.mode, partnerRef))
      return { ...complete, isComplete: false };
  }
  // Documents of an answer are not needed any more.
  if (was.corrections === null) stagePurge(deps, tx, tenant, { party: 'buyer', id: was.buyerId });
  return { ...complete, isComplete: await stageWaiting(deps, tx, tenant, was.buyerId) };
}

/** No call after the approval of a buyer needs its terms. */
function withoutTerms({ report, ...reported }: PartyReport): PartyReport {
  const corrections = report.corrections?.filter(({ field }) => field !== TERMS) ?? [];
  return { ...reported, report: { ...report, corrections } };
}

async function stageUndecided(
  deps: Deps,
  tx: Tx,
  [was, named]: readonly [KycSubmission, KycSubmission],
  reported: PartyReport,
): Promise<PartyStaged> {
  const open = reported.report.status === 'paused' ? paused(named) : named;
  // A message that names the party first says nothing about what is due.
  const due = dueNow(open, open, reported, deps.clock.nowMs());
  const draft = readDraft(deps, open);
  const next =
    due.corrections === null
      ? correctionsWithdrawn(open, sealDossier(deps, open, draft))
      : correctionsAsked(open, due, sealDraft(deps, open, { ...draft, corrected: [] }));
  if (next !== was) tx.buyers.updateSubmission(next);
  if (next.corrections !== null && next.corrections !== was.corrections) {
    await stageKycMore(deps, tx, next);
  }
  const about = { submissionId: was.id };
  // The form does not ask it. The form of an approved buyer is lost. A refusal has another alert.
  const isOnForm = draft.isHosted || was.status === 'approved';
  const isUnplaced = correctionsOf(next).some(({ field }) => fieldNamed(field) === null);
  const isOpen = isOnForm && isUnplaced && reported.partnerRef !== null;
  const asked = isOpen ? askedAlert(was, next, about) : [];
  return { ...complete, alerts: [...asked, ...alertsOf(was, next, about)] };
}

/**
 * Now, or the latest time at which a payment started to wait for this buyer, if another host's
 * clock is ahead: a rejection fails every payment that waits when it is stored (`isDecidedBy`).
 */
async function rejectionTime(tx: Tx, submission: KycSubmission, nowMs: number): Promise<number> {
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
async function stageWithdrawn(tx: Tx, mode: Mode, partnerRef: string): Promise<boolean> {
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
  const verdict = await verdictOn(tx, tenant, buyerId);
  if (verdict === null) return true;
  const { decision, reason } = verdict;
  const waiting = await waitingFor(tx, tenant, buyerId, verdict);
  const read = await Promise.all(waiting.map((payment) => loadPayment(tx, tenant, payment.id)));
  const nowMs = deps.clock.nowMs();
  if (read.length > 0) verdict.guard();
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
  verdict: Verdict,
): Promise<readonly Payment[]> {
  const found: Payment[] = [];
  for await (const page of waitingPages(tx, tenant, buyerId)) {
    found.push(...page.filter((payment) => isDecidedBy(verdict, payment)));
    if (found.length >= WAITING_PAGE) break;
  }
  return found;
}

interface Verdict {
  readonly decision: 'approve' | 'reject';
  readonly reason: string | null;
  readonly rejectedAtMs: number | null;
  /** Guards the row with the decision. */
  readonly guard: () => void;
}

/** By this tenant's connected account of the same address, or its submission. */
async function verdictOn(tx: Tx, tenant: Tenant, buyerId: string): Promise<Verdict | null> {
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
function isDecidedBy({ decision, rejectedAtMs }: Verdict, waiting: Payment): boolean {
  return decision === 'approve' || (rejectedAtMs !== null && waiting.updatedAtMs <= rejectedAtMs);
}

function decisionOf(submission: KycSubmission | null): 'approve' | 'reject' | null {
  if (submission?.status === 'approved') return 'approve';
  if (submission?.status === 'rejected') return 'reject';
  return null;
}
