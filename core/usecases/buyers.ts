// The buyer's way through a payment: sign in, KYC, quote, confirm. The hosted page and the sandbox
// drive these; the partner's decision on the buyer ends here too. An approval is reused over
// organizations only when the buyer itself signs in, because that proves the mailbox.
import {
  adopted,
  decideSubmission,
  emailKey,
  type KycSubmission,
  nextKycStatus,
  withdrawn,
} from '../domain/buyer-kyc.js';
import { type PaymentView, unchanged } from '../domain/change.js';
import { confirmed, kycDecided, quoted, quoteRefused, signedIn } from '../domain/collection.js';
import { countsAsBuyerKyc } from '../domain/connected-account.js';
import { isVoidable, voidCommand } from '../domain/partner-command.js';
import { nextStatus, type Payment } from '../domain/payment.js';
import type { Quote } from '../domain/quote.js';
import { type Mode, type Tenant, tenantOf } from '../domain/tenant.js';
import { assert, PonteError } from '../errors.js';
import type { Deps, ReceiverReport, SettlementPartner, Tx } from '../ports.js';
import { changeCollection, loadCollection, readView } from './collections.js';
import { stagePurge } from './documents.js';
import { refuseInQuarantine } from './epochs.js';

/** How many waiting payments of a buyer are looked up at a time. */
const WAITING_PAGE = 50;
/** How many adopted approvals are taken back in one batch. */
const WITHDRAWN_AT_ONCE = 50;

/**
 * The buyer proved its mailbox for this payment; a repeat changes nothing. `prove` may refuse, and
 * what it stages is stored with the sign-in.
 */
export async function signIn(
  deps: Deps,
  tenant: Tenant,
  paymentId: string,
  prove: (tx: Tx) => Promise<void> = async () => undefined,
): Promise<PaymentView> {
  const change = await changeCollection(deps, tenant, paymentId, async (was, tx) => {
    await prove(tx);
    const { status } = was.payment;
    const awaited = nextStatus(status, 'sign_in') ?? nextStatus(status, 'kyc_approved');
    if (awaited === null) return unchanged(was);
    const own = await tx.buyers.submission(tenant, was.payment.buyerId);
    const verified = await adoptApproval(deps, tx, was.payment, own);
    // It waits for the next decision, even if the last rejection has a later time: clocks differ.
    const atMs = Math.max(deps.clock.nowMs(), (own?.rejectedAtMs ?? 0) + 1);
    return signedIn(was, verified, atMs);
  });
  const view = await readView(deps, tenant, paymentId);
  // The approval may just have become this tenant's: its other waiting payments go on too.
  if (view.kycStatus === 'approved') await moveWaiting(deps, tenant, change.payment.buyerId);
  return view;
}

/** The partner knows the party under `partnerRef`; once it approves it, no other one counts. */
export async function submissionAccepted(
  deps: Deps,
  tenant: Tenant,
  submissionId: string,
  partnerRef: string,
  { status }: ReceiverReport,
): Promise<void> {
  await deps.store.run(async (tx) => {
    const submission = await tx.buyers.submissionById(tenant, submissionId);
    assert(submission !== null, 'a submission stays');
    const known = submission.partnerRef;
    const isNews = known === null || (status === 'approved' && known !== partnerRef);
    if (isNews) tx.buyers.updateSubmission({ ...submission, partnerRef });
  });
}

/**
 * The partner's decision on a submission, and with it on every payment of this tenant that waits
 * for this buyer. A crash in between is healed by applying the same decision again.
 */
export async function decideKyc(
  deps: Deps,
  tenant: Tenant,
  submissionId: string,
  report: ReceiverReport,
): Promise<void> {
  if (report.status === 'verifying') return;
  const decision = report.status === 'approved' ? 'approve' : 'reject';
  const buyerId = await deps.store.run(async (tx) => {
    const submission = await tx.buyers.submissionById(tenant, submissionId);
    assert(submission !== null, 'a submission stays');
    const { buyerId } = submission;
    const nowMs = deps.clock.nowMs();
    const atMs = decision === 'approve' ? nowMs : await rejectionTime(tx, submission, nowMs);
    const decided = decideSubmission(submission, decision, report.reason, atMs);
    if (decided === submission) return buyerId;
    tx.buyers.updateSubmission(decided);
    stagePurge(deps, tx, tenant, { party: 'buyer', id: buyerId });
    return buyerId;
  });
  deps.wake('purges');
  await moveWaiting(deps, tenant, buyerId);
}

/**
 * Now, or the latest time at which a payment began to wait for this buyer, if another host's clock
 * is ahead: a rejection fails every payment that waits when it is stored (`waitedFor`).
 */
async function rejectionTime(tx: Tx, submission: KycSubmission, nowMs: number): Promise<number> {
  const { buyerId } = submission;
  let atMs = nowMs;
  for (let [fromMs, afterId] = [0, '']; ; ) {
    const page = { fromMs, afterId, limit: WAITING_PAGE };
    const waiting = await tx.payments.ofBuyer(submission, buyerId, 'buyer_kyc_pending', page);
    atMs = Math.max(atMs, ...waiting.map(({ updatedAtMs }) => updatedAtMs));
    const last = waiting.at(-1);
    if (last === undefined || waiting.length < WAITING_PAGE) return atMs;
    [fromMs, afterId] = [last.createdAtMs, last.id];
  }
}

/**
 * The partner rejects this party, perhaps after it had approved it: no tenant has its approval any
 * more, however it came by it. Running payments go on, the next one asks for KYC again.
 */
export async function withdrawAdopted(deps: Deps, mode: Mode, partnerRef: string): Promise<void> {
  for (;;) {
    const count = await deps.store.run(async (tx) => {
      const resting = await tx.buyers.approvedByPartnerRef(mode, partnerRef, WITHDRAWN_AT_ONCE);
      for (const submission of resting) tx.buyers.updateSubmission(withdrawn(submission));
      return resting.length;
    });
    // Until none is left that one more could be adopted from meanwhile.
    if (count === 0) return;
  }
}

/**
 * Asks the partner for a quote and shows it to the buyer; a new one replaces the one before.
 * PaymentStateConflict when the payment is not at that step, or the partner refuses for good, which
 * fails it; PartnerUnavailable when the partner cannot be asked now.
 */
export async function requestQuote(deps: Deps, tenant: Tenant, paymentId: string): Promise<Quote> {
  const { payment } = await deps.store.run((tx) => loadCollection(tx, tenant, paymentId));
  if (nextStatus(payment.status, 'quote') === null) throw new PonteError('PaymentStateConflict');
  const { amount: source, destination } = payment;
  const partner = await partnerOf(deps, tenant);
  const answer = await partner.quote({ source, destination });
  const nowMs = deps.clock.nowMs();
  if (answer.outcome === 'refused') {
    const { code, message } = answer;
    await changeCollection(deps, tenant, paymentId, (was) => quoteRefused(was, code, nowMs));
    const text = `The settlement partner refuses a quote, so the payment has failed: ${message}`;
    throw new PonteError('PaymentStateConflict', text);
  }
  if (answer.outcome !== 'done') throw new PonteError('PartnerUnavailable');
  const quote: Quote = Object.freeze({
    ...answer.value,
    ...tenantOf(tenant),
    id: deps.ids.next('qt', nowMs),
    paymentId,
    createdAtMs: nowMs,
  });
  await changeCollection(deps, tenant, paymentId, (was, tx) => {
    tx.quotes.insert(quote);
    return quoted(was, quote, nowMs);
  });
  return quote;
}

/**
 * The buyer accepts the quote that it was shown. PaymentStateConflict when there is nothing to
 * confirm, QuoteChanged when another quote is current, QuoteExpired when this one has ended.
 */
export async function confirmQuote(
  deps: Deps,
  tenant: Tenant,
  paymentId: string,
  quoteId: string,
): Promise<PaymentView> {
  await changeCollection(deps, tenant, paymentId, async (was, tx) => {
    const { status, quoteId: current } = was.payment;
    if (nextStatus(status, 'confirm') === null || current === null) {
      throw new PonteError('PaymentStateConflict');
    }
    if (current !== quoteId) throw new PonteError('QuoteChanged');
    const quote = await tx.quotes.get(tenant, quoteId);
    assert(quote !== null, 'a quote stays');
    const commands = await tx.commands.ofPayment(tenant, paymentId);
    return confirmed(was, commands, quote, deps.clock.nowMs());
  });
  return readView(deps, tenant, paymentId);
}

/** Moves the payments that wait for what is decided on this buyer now, one batch each. */
export async function moveWaiting(deps: Deps, tenant: Tenant, buyerId: string): Promise<void> {
  for (let [fromMs, afterId] = [0, '']; ; ) {
    const page = { fromMs, afterId, limit: WAITING_PAGE };
    const { verdict, waiting } = await deps.store.run(async (tx) => ({
      verdict: await verdictOn(tx, tenant, buyerId),
      waiting: await tx.payments.ofBuyer(tenant, buyerId, 'buyer_kyc_pending', page),
    }));
    if (verdict === null) return;
    for (const { id } of waiting.filter((payment) => waitedFor(verdict, payment))) {
      await changeCollection(deps, tenant, id, async (was, tx) => {
        // A fresh submission may have begun meanwhile; then this decision is not its own.
        const current = await verdictOn(tx, tenant, buyerId);
        if (current === null || current.rowId !== verdict.rowId) return unchanged(was);
        if (current.decision !== verdict.decision) return unchanged(was);
        current.guard();
        return kycDecided(was, current.decision, current.reason, deps.clock.nowMs());
      });
    }
    const last = waiting.at(-1);
    if (last === undefined || waiting.length < WAITING_PAGE) return;
    [fromMs, afterId] = [last.createdAtMs, last.id];
  }
}

/** What is decided on a buyer, and the row that says so. */
interface Verdict {
  readonly decision: 'approve' | 'reject';
  readonly reason: string | null;
  readonly rejectedAtMs: number | null;
  readonly rowId: string;
  /** Stages that the row has not changed. */
  readonly guard: () => void;
}

/** The word of this tenant's submission, or of its connected account of the same address. */
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
    return { ...approval, rowId: account.id, guard: () => tx.accounts.expect(account) };
  }
  const decision = decisionOf(submission);
  if (submission === null || decision === null) return null;
  const { id: rowId, reason, rejectedAtMs } = submission;
  const guard = () => tx.buyers.expectSubmission(submission);
  return { decision, reason, rejectedAtMs, rowId, guard };
}

/**
 * A rejection is for the payments that waited when it fell. One that began to wait later waits for
 * a fresh submission, also when the news of the old one comes again.
 */
function waitedFor({ decision, rejectedAtMs }: Verdict, waiting: Payment): boolean {
  return decision === 'approve' || (rejectedAtMs !== null && waiting.updatedAtMs <= rejectedAtMs);
}

function decisionOf(submission: KycSubmission | null): 'approve' | 'reject' | null {
  if (submission?.status === 'approved') return 'approve';
  if (submission?.status === 'rejected') return 'reject';
  return null;
}

/**
 * Whether the buyer who just signed in is approved: by this tenant's submission or connected
 * account, or by a submission with any organization of the mode.
 */
async function adoptApproval(
  deps: Deps,
  tx: Tx,
  payment: Payment,
  own: KycSubmission | null,
): Promise<boolean> {
  const tenant = tenantOf(payment);
  if (own?.status === 'approved') {
    tx.buyers.expectSubmission(own);
    return true;
  }
  const accounts = await tx.accounts.ofBuyer(tenant, emailKey(payment.buyer.email));
  for (const account of accounts) tx.accounts.expect(account);
  if (accounts.some(countsAsBuyerKyc)) return true;
  const elsewhere = await tx.buyers.approvedAnywhere(tenant.mode, payment.buyerId);
  if (elsewhere === null) {
    if (own !== null) tx.buyers.expectSubmission(own);
    return false;
  }
  const nowMs = deps.clock.nowMs();
  tx.buyers.expectSubmission(elsewhere);
  if (own !== null && nextKycStatus(own.status, 'adopt') !== null) {
    tx.buyers.updateSubmission(adopted(own, elsewhere, nowMs));
    stagePurge(deps, tx, tenant, { party: 'buyer', id: payment.buyerId });
    // Its dossier names documents that are being deleted.
    const orders = await tx.commands.ofSubmission(tenant, own.id);
    for (const order of orders.filter(isVoidable)) tx.commands.update(voidCommand(order, nowMs));
  } else {
    const fresh = newSubmission(deps, tenant, payment.buyerId, 'not_started', own);
    tx.buyers.insertSubmission(adopted(fresh, elsewhere, nowMs));
  }
  return true;
}

/** As it is first stored, newer than `before`. The caller adds what else is known of it. */
export function newSubmission(
  deps: Deps,
  tenant: Tenant,
  buyerId: string,
  status: KycSubmission['status'],
  before: KycSubmission | null,
): KycSubmission {
  // The clock of another host may be ahead.
  const nowMs = Math.max(deps.clock.nowMs(), (before?.createdAtMs ?? 0) + 1);
  return Object.freeze({
    ...tenantOf(tenant),
    id: deps.ids.next('kyc', nowMs),
    buyerId,
    flowId: null,
    receiverId: deps.ids.next('rcv', nowMs),
    status,
    partnerRef: null,
    reason: null,
    tosId: null,
    draftSealed: null,
    submittedAtMs: nowMs,
    approvedAtMs: null,
    rejectedAtMs: null,
    createdAtMs: nowMs,
    version: 1,
  });
}

/**
 * The partner of the mode, for a call within a request. PartnerUnavailable where none is
 * configured, InQuarantine where it must not be called.
 */
export async function partnerOf(deps: Deps, tenant: Tenant): Promise<SettlementPartner> {
  const partner = deps.partners[tenant.mode];
  if (partner === null) throw new PonteError('PartnerUnavailable');
  await refuseInQuarantine(deps);
  return partner;
}
