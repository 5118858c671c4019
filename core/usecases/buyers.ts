// The buyer's steps through a payment: sign in, KYC, quote, confirm. The partner's decision on the
// buyer ends here too. An approval with another organization is adopted only when the buyer signs
// in, because that proves the mailbox.
import {
  adopted,
  type Correction,
  correctionsAsked,
  decideSubmission,
  emailKey,
  type KycSubmission,
  nextKycStatus,
  withdrawn,
} from '../domain/buyer-kyc.js';
import { type PaymentView, unchanged } from '../domain/change.js';
import { countsAsBuyerKyc } from '../domain/connected-account.js';
import type { Locale } from '../domain/locale.js';
import { isVoidable, type PartyCommand, voidCommand } from '../domain/partner-command.js';
import { nextStatus, type Payment } from '../domain/payment.js';
import {
  confirmed,
  kycDecided,
  limited,
  quoted,
  quoteRefused,
  signedIn,
} from '../domain/payment-transitions.js';
import type { Quote } from '../domain/quote.js';
import { type Mode, type Tenant, tenantOf } from '../domain/tenant.js';
import { assert, PonteError } from '../errors.js';
import type { Deps } from '../ports/deps.js';
import type { ReceiverReport, SettlementPartner } from '../ports/partner.js';
import type { Tx } from '../ports/storage.js';
import { stagePurge } from './documents.js';
import { readDraft, sealDraft } from './kyc-drafts.js';
import { stageFormDecided, stageKycMore } from './kyc-notices.js';
import type { Batch } from './order-changes.js';
import { partnerOf } from './partner-calls.js';
import { changePayment, loadPayment, readView, stageChange } from './payment-store.js';

/** Waiting payments of a buyer that one batch moves. */
const WAITING_PAGE = 50;
/** Adopted approvals that one batch withdraws. */
const WITHDRAWN_AT_ONCE = 50;

export interface MailboxProof {
  /** May refuse. What it stages is stored with the sign-in. */
  readonly prove: (tx: Tx) => Promise<void>;
  /** Of later mails about the payment. */
  readonly locale: Locale;
}

/** A repeat changes nothing. `proof` is null in the sandbox, which needs no mailbox. */
export async function signIn(
  deps: Deps,
  tenant: Tenant,
  paymentId: string,
  proof: MailboxProof | null = null,
): Promise<PaymentView> {
  const change = await changePayment(deps, tenant, paymentId, async (stored, tx) => {
    await proof?.prove(tx);
    const was = { ...stored, payment: withLocale(stored.payment, proof?.locale ?? null) };
    const { status } = was.payment;
    const awaited = nextStatus(status, 'sign_in') ?? nextStatus(status, 'kyc_approved');
    if (awaited === null) return unchanged(was);
    const own = await tx.buyers.submission(tenant, was.payment.buyerId);
    const verified = await adoptApproval(deps, tx, was.payment, own);
    // It waits for the next decision, even if another host's clock gave the last one a later time.
    const atMs = Math.max(deps.clock.nowMs(), (own?.rejectedAtMs ?? 0) + 1);
    return signedIn(was, verified, atMs);
  });
  const view = await readView(deps, tenant, paymentId);
  // An adopted approval also moves the other waiting payments of this tenant.
  if (view.kycStatus === 'approved') await moveWaiting(deps, tenant, change.payment.buyerId);
  return view;
}

function withLocale(payment: Payment, buyerLocale: Locale | null): Payment {
  if (buyerLocale === null || buyerLocale === payment.buyerLocale) return payment;
  return Object.freeze({ ...payment, buyerLocale });
}

/**
 * Stages a report about a submission: first its decision, then the withdrawal of adopted approvals,
 * then the payments of this tenant that wait; false while there are more. Once the partner approves
 * a party, no other party counts for the submission.
 */
export async function submissionReported(
  { deps, tx }: Pick<Batch, 'deps' | 'tx'>,
  command: Tenant & Pick<PartyCommand, 'id' | 'subject'>,
  partnerRef: string | null,
  report: ReceiverReport,
): Promise<boolean> {
  const tenant = tenantOf(command);
  const was = await tx.buyers.submissionById(tenant, command.subject.id);
  assert(was !== null, 'a submission stays');
  // A later dossier replaced the one of this order.
  if (was.submitCommandId !== null && was.submitCommandId !== command.id) return true;
  const { status } = report;
  const isNamed =
    partnerRef !== null &&
    (was.partnerRef === null || (status === 'approved' && was.partnerRef !== partnerRef));
  const named = isNamed ? { ...was, partnerRef } : was;
  if (status === 'verifying') {
    const { corrections = [] } = report;
    const next = corrections.length === 0 ? named : askedToCorrect(deps, named, corrections);
    if (next !== was) tx.buyers.updateSubmission(next);
    if (next !== named) await stageKycMore(deps, tx, next);
    return true;
  }
  const decision = status === 'approved' ? 'approve' : 'reject';
  const nowMs = deps.clock.nowMs();
  const atMs = decision === 'approve' ? nowMs : await rejectionTime(tx, was, nowMs);
  const decided = decideSubmission(named, decision, report.reason, atMs);
  if (decided !== was) {
    tx.buyers.updateSubmission(decided);
    if (decided !== named) {
      stagePurge(deps, tx, tenant, { party: 'buyer', id: was.buyerId });
      await stageFormDecided(deps, tx, decided);
    }
    return false;
  }
  if (partnerRef !== null && status === 'rejected') {
    if (await stageWithdrawn(tx, tenant.mode, partnerRef)) return false;
  }
  return stageWaiting(deps, tx, tenant, was.buyerId);
}

function askedToCorrect(
  deps: Deps,
  submission: KycSubmission,
  corrections: readonly Correction[],
): KycSubmission {
  const draftSealed = sealDraft(deps, submission, {
    ...readDraft(deps, submission),
    corrected: [],
  });
  return correctionsAsked(submission, corrections, draftSealed);
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

/** Replaces the partner's usual quote; `shown` is the current one. */
type QuoteSource = (
  input: Parameters<SettlementPartner['quote']>[0],
  shown: Quote | null,
) => ReturnType<SettlementPartner['quote']>;

/**
 * Requests a quote from the partner; it replaces the one before. Null if the amount is over a limit
 * of the payee, which is stored. PaymentStateConflict in another status, or if the partner refuses,
 * which fails the payment; PartnerUnavailable.
 */
export async function requestQuote(
  deps: Deps,
  tenant: Tenant,
  paymentId: string,
  ask: QuoteSource | null = null,
): Promise<Quote | null> {
  const { payment, shown } = await deps.store.run(async (tx) => {
    const { payment } = await loadPayment(tx, tenant, paymentId);
    const { quoteId } = payment;
    const isNeeded = ask !== null && quoteId !== null;
    return { payment, shown: isNeeded ? await tx.quotes.get(tenant, quoteId) : null };
  });
  if (nextStatus(payment.status, 'quote') === null) throw new PonteError('PaymentStateConflict');
  const partner = await partnerOf(deps, tenant);
  const input = { source: payment.amount, destination: payment.destination };
  const answer = await (ask === null ? partner.quote(input) : ask(input, shown));
  const nowMs = deps.clock.nowMs();
  if (answer.outcome === 'over_limit') {
    await changePayment(deps, tenant, paymentId, (was) => limited(was, answer.limit, nowMs));
    return null;
  }
  if (answer.outcome === 'refused') {
    const { code, message } = answer;
    await changePayment(deps, tenant, paymentId, (was) => quoteRefused(was, code, nowMs));
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
  await changePayment(deps, tenant, paymentId, (was, tx) => {
    tx.quotes.insert(quote);
    return quoted(was, quote, nowMs);
  });
  return quote;
}

/**
 * The buyer accepts the quote that it was shown, in this language; both are stored as evidence.
 * PaymentStateConflict without a quote, QuoteChanged if another one is current, QuoteExpired.
 */
export async function confirmQuote(
  deps: Deps,
  tenant: Tenant,
  paymentId: string,
  quoteId: string,
  locale: Locale | null = null,
): Promise<PaymentView> {
  await changePayment(deps, tenant, paymentId, async (was, tx) => {
    const { status, quoteId: current } = was.payment;
    if (nextStatus(status, 'confirm') === null || current === null) {
      throw new PonteError('PaymentStateConflict');
    }
    if (current !== quoteId) throw new PonteError('QuoteChanged');
    const quote = await tx.quotes.get(tenant, quoteId);
    assert(quote !== null, 'a quote stays');
    const commands = await tx.commands.ofPayment(tenant, paymentId);
    return confirmed(was, commands, quote, deps.clock.nowMs(), locale);
  });
  return readView(deps, tenant, paymentId);
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

/** Whether the buyer is approved: with this tenant, or with any organization of the mode. */
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
    // Their dossier names documents that are being deleted.
    const orders = await tx.commands.ofSubmission(tenant, own.id);
    for (const order of orders.filter(isVoidable)) tx.commands.update(voidCommand(order, nowMs));
  } else {
    const fresh = newSubmission(deps, tenant, payment.buyerId, 'not_started', own);
    tx.buyers.insertSubmission(adopted(fresh, elsewhere, nowMs));
  }
  return true;
}

/** Newer than `before`. */
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
    dossierSealed: null,
    corrections: null,
    submitCommandId: null,
    submittedAtMs: nowMs,
    approvedAtMs: null,
    rejectedAtMs: null,
    createdAtMs: nowMs,
    version: 1,
  });
}
