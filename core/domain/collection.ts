// A payment, its funds and its partner commands, changed together. One function per cause; each
// yields everything that must be stored in one batch. Guards come first and refuse; after them the
// change must succeed. It decides nothing about storage, ids or calls.
import { assert, PonteError } from '../errors.js';
import type { KycStatus } from './buyer-kyc.js';
import { type EventDraft, paymentEventTypes } from './event.js';
import {
  expectFunds,
  type Funds,
  type FundsChange,
  heldMinor,
  nextPosition,
  orderPayout,
  orderRefund,
  oweRefund,
  payinFailed,
  payoutFailed,
  payoutPaid,
  payoutReturned,
  receiveFunds,
  refundFellBack,
  refundNeedsOperator,
  refundPaid,
  returnedByPartner,
} from './funds.js';
import type { Posting } from './ledger.js';
import type { Money } from './money.js';
import {
  type CommandDraft,
  isDebt,
  isVoidable,
  type PartnerCommand,
  supersedeCommand,
  voidCommand,
} from './partner-command.js';
import {
  isCancellable,
  isTerminal,
  nextStatus,
  type Payment,
  type PaymentMove,
} from './payment.js';
import { isQuoteExpired, type Quote } from './quote.js';

/** What the rows were when they were read. */
export interface Collection {
  readonly payment: Payment;
  readonly funds: Funds;
}

/** A payment with all that its representation needs. */
export interface PaymentView extends Collection {
  /** The buyer's KYC as this tenant knows it. */
  readonly kycStatus: KycStatus;
}

/** What one cause changed. `payment` and `funds` are the rows as read where nothing changed. */
export interface Change extends Collection {
  readonly postings: readonly Posting[];
  readonly events: readonly EventDraft[];
  readonly commands: readonly CommandDraft[];
  /** Commands of this payment that were given and are changed by the same cause. */
  readonly changedCommands: readonly PartnerCommand[];
  /** News that a person should see; logged and counted. */
  readonly alerts: readonly string[];
}

/** A pay-in as the partner reports it; amounts are totals, so old and double news are harmless. */
export interface PayinReport {
  readonly status: 'open' | 'completed' | 'failed' | 'returned';
  /** Everything received from the buyer so far, in minor units of the payment's currency. */
  readonly receivedMinor: bigint;
  readonly transactionHash: string | null;
  readonly reason: string | null;
}

/** A payout as the partner reports it. `returned`: the tokens are back and held again. */
export interface PayoutReport {
  readonly status: 'open' | 'completed' | 'failed' | 'returned';
  /** BRL that reached the seller; null until completed. */
  readonly settled: Money | null;
  readonly fxRate: string | null;
  /** What the partner kept, in the currency paid; null until completed. */
  readonly fees: Money | null;
  readonly endToEndId: string | null;
  readonly reason: string | null;
}

/** A second person approves an invoice; one that is approved stays as it is. */
export function approved(was: Collection, memberId: string, nowMs: number): Change {
  const { status, createdByMemberId } = was.payment;
  if (createdByMemberId === memberId) throw new PonteError('SelfApprovalNotAllowed');
  if (status === 'approved') return unchanged(was);
  return withMove(unchanged(was), 'approve', nowMs, { approvedByMemberId: memberId });
}

/** The buyer of an invoice is sent a link, for the first time or once more. */
export function invited(was: Collection, nowMs: number): Change {
  const { payment } = was;
  if (nextStatus(payment.status, 'invite') !== null) {
    return withMove(unchanged(was), 'invite', nowMs, { invitedAtMs: nowMs });
  }
  if (payment.status === 'awaiting_buyer' && payment.invitedAtMs !== null) {
    return { ...unchanged(was), payment: Object.freeze({ ...payment, invitedAtMs: nowMs }) };
  }
  const message = `Only an approved invoice can invite its buyer; this one is ${payment.status}.`;
  throw new PonteError('InvoiceNotApproved', message);
}

/**
 * The buyer proved the mailbox. `verified`: already KYC-approved in this mode, so that a payment
 * which waits for that since an earlier sign-in goes on too.
 */
export function signedIn(was: Collection, verified: boolean, nowMs: number): Change {
  const { payment } = was;
  const waits = nextStatus(payment.status, 'kyc_approved') !== null;
  if (verified && waits) return withMove(unchanged(was), 'kyc_approved', nowMs);
  if (nextStatus(payment.status, 'sign_in') === null) return unchanged(was);
  if (!verified) return withMove(unchanged(was), 'sign_in', nowMs);
  if (payment.origin === 'invoice') return withMove(unchanged(was), 'sign_in_verified', nowMs);
  return withMove(withMove(unchanged(was), 'sign_in', nowMs), 'kyc_approved', nowMs);
}

/** The partner decided on the buyer; payments that do not wait for it stay as they are. */
export function kycDecided(
  was: Collection,
  decision: 'approve' | 'reject',
  reason: string | null,
  nowMs: number,
): Change {
  const move = decision === 'approve' ? 'kyc_approved' : 'kyc_rejected';
  if (nextStatus(was.payment.status, move) === null) return unchanged(was);
  if (decision === 'approve') return withMove(unchanged(was), move, nowMs);
  const failureReason = reason ?? 'buyer KYC rejected';
  return endedFunds(withMove(unchanged(was), move, nowMs, { failureReason }), [], nowMs);
}

export function quoted(was: Collection, quote: Quote, nowMs: number): Change {
  return withMove(unchanged(was), 'quote', nowMs, { quoteId: quote.id });
}

/** The partner will never quote this payment; nothing was ordered yet. */
export function quoteRefused(was: Collection, code: string, nowMs: number): Change {
  if (nextStatus(was.payment.status, 'quote') === null) return unchanged(was);
  const failureReason = `quote refused: ${code}`;
  return withMove(unchanged(was), 'fail', nowMs, { failureReason });
}

/** The buyer accepts the quote it was shown: the pay-in is ordered. */
export function confirmed(was: Collection, quote: Quote, nowMs: number): Change {
  if (isQuoteExpired(quote, nowMs)) throw new PonteError('QuoteExpired');
  const change = withMove(unchanged(was), 'confirm', nowMs);
  const command: CommandDraft = { kind: 'payin', amount: was.payment.amount };
  return { ...change, funds: expectFunds(was.funds), commands: [command] };
}

/** The pay-in order stands: the buyer can be told how to pay. */
export function payinAccepted(was: Collection, instructions: string, nowMs: number): Change {
  const payment = { ...was.payment, payinInstructions: instructions, updatedAtMs: nowMs };
  return { ...unchanged(was), payment: Object.freeze(payment) };
}

/** The partner will never execute this pay-in order. */
export function payinRefused(was: Collection, code: string, nowMs: number): Change {
  const base = { ...unchanged(was), funds: payinFailed(was.funds) };
  if (was.payment.status !== 'on_ramp_pending') return base;
  if (code === 'quote_expired') return withMove(base, 'quote_expired', nowMs, { quoteId: null });
  const failureReason = `pay-in refused: ${code}`;
  return endedFunds(withMove(base, 'fail', nowMs, { failureReason }), [], nowMs);
}

export function payinReported(
  was: Collection,
  commands: readonly PartnerCommand[],
  report: PayinReport,
  nowMs: number,
): Change {
  let change = withFunds(unchanged(was), receiveFunds(was.funds, report.receivedMinor));
  if (isCovered(change) && was.payment.coveredAtMs === null) {
    change = { ...change, payment: Object.freeze({ ...was.payment, coveredAtMs: nowMs }) };
  }
  if (report.status === 'returned') change = backWithBuyer(change, commands, nowMs);
  const ended = report.status === 'failed' || report.status === 'returned';
  if (ended) change = { ...change, funds: payinFailed(change.funds) };
  const failureReason = report.reason ?? `pay-in ${report.status}`;
  if (was.payment.status === 'on_ramp_pending') {
    if (ended) {
      change = withMove(change, 'fail', nowMs, { failureReason });
    } else if (report.status === 'completed' && isCovered(change)) {
      const { transactionHash } = report;
      change = withMove(change, 'payin_completed', nowMs, { transactionHash });
      change = withCommand(change, { kind: 'payout', amount: was.payment.amount });
    }
  } else if (was.payment.status === 'on_chain_confirmed' && report.status === 'returned') {
    // The payout was not yet taken in hand, and there is nothing left to pay out.
    change = withMove(change, 'fail', nowMs, { failureReason });
    change = withVoided(
      change,
      commands.filter(({ kind }) => kind === 'payout'),
      nowMs,
    );
  }
  const firstTold = report.status === 'returned' && !isReturned(commands);
  if (firstTold && was.funds.payoutMinor > 0n) {
    change = alerted(change, 'a pay-in came back to the buyer although its payout was ordered');
  }
  return endedFunds(change, commands, nowMs);
}

/**
 * The partner surely did nothing: `postponed` waits for its next try, or is taken back when the
 * payment ended during the call, or the pay-in that it refunds came back by itself.
 */
export function orderPostponed(
  was: Collection,
  commands: readonly PartnerCommand[],
  postponed: PartnerCommand,
  nowMs: number,
): Change {
  if (isVoidable(postponed)) {
    const isRefund = postponed.kind === 'refund';
    if (isRefund && isReturned(commands)) return backWithBuyer(unchanged(was), [postponed], nowMs);
    if (!isRefund && isTerminal(was.payment.status)) {
      return takenBack(unchanged(was), commands, [postponed], nowMs);
    }
  }
  return { ...unchanged(was), changedCommands: [postponed] };
}

/** A worker takes the payout in hand; from here a cancel is no longer possible. */
export function payoutTaken(was: Collection, nowMs: number): Change {
  const change = withMove(unchanged(was), 'take_payout', nowMs);
  return { ...change, funds: orderPayout(was.funds, was.payment.amount.amountMinor) };
}

/** The partner will never execute this payout: the money is held as before, and owed back. */
export function payoutRefused(
  was: Collection,
  commands: readonly PartnerCommand[],
  code: string,
  nowMs: number,
): Change {
  let change = unchanged(was);
  if (nextPosition(was.funds.position, 'return') !== null) {
    change = { ...change, funds: payoutReturned(was.funds) };
  }
  if (!isTerminal(was.payment.status)) {
    change = withMove(change, 'fail', nowMs, { failureReason: `payout refused: ${code}` });
  }
  return endedFunds(change, commands, nowMs);
}

/** Nobody can tell whether the partner has this payout: a person must look. */
export function payoutLost(was: Collection): Change {
  const change = { ...unchanged(was), funds: payoutFailed(was.funds) };
  return alerted(change, 'the partner does not know a payout that may have been sent');
}

export function payoutReported(
  was: Collection,
  commands: readonly PartnerCommand[],
  report: PayoutReport,
  nowMs: number,
): Change {
  if (report.status === 'open') return unchanged(was);
  if (report.status === 'completed') return payoutCompleted(was, commands, report, nowMs);
  if (was.funds.position === 'paid') {
    return alerted(unchanged(was), `payout reported ${report.status} after it was paid`);
  }
  let change = unchanged(was);
  if (report.status === 'failed') {
    change = { ...change, funds: payoutFailed(was.funds) };
  } else if (nextPosition(was.funds.position, 'return') !== null) {
    change = { ...change, funds: payoutReturned(was.funds) };
  }
  if (was.payment.status === 'offramp_pending') {
    const failureReason = report.reason ?? `payout ${report.status}`;
    change = withMove(change, 'fail', nowMs, { failureReason });
  }
  if (change.funds.position === 'operator' && was.funds.position !== 'operator') {
    change = alerted(change, 'payout failed: where the money is must be found out');
  }
  return endedFunds(change, commands, nowMs);
}

/** A worker takes a refund in hand, before the partner is called. */
export function refundTaken(was: Collection, amountMinor: bigint): Change {
  return { ...unchanged(was), funds: orderRefund(was.funds, amountMinor) };
}

export function refundReported(
  was: Collection,
  commands: readonly PartnerCommand[],
  status: 'completed' | 'failed',
  amountMinor: bigint,
  nowMs: number,
): Change {
  if (status === 'completed') {
    return withFunds(unchanged(was), refundPaid(was.funds, amountMinor));
  }
  const change = { ...unchanged(was), funds: refundFellBack(was.funds, amountMinor) };
  if (isReturned(commands)) return backWithBuyer(change, commands, nowMs);
  return alerted(change, 'a refund failed: the buyer must be paid back by hand');
}

/** Told of a refund that had ended otherwise: paid after all, it ends what is still owed. */
export function refundContradicted(
  was: Collection,
  status: 'completed' | 'failed',
  amountMinor: bigint,
): Change {
  const { refundOwedMinor } = was.funds;
  const paidMinor = amountMinor < refundOwedMinor ? amountMinor : refundOwedMinor;
  const paid = returnedByPartner(was.funds, status === 'completed' ? paidMinor : 0n);
  const alert = `a refund is reported ${status} after it had ended otherwise`;
  return alerted(withFunds(unchanged(was), paid), alert);
}

/** The partner will not give this money back; `taken`: the order was already in hand. */
export function refundRefused(
  was: Collection,
  commands: readonly PartnerCommand[],
  amountMinor: bigint,
  taken: boolean,
  nowMs: number,
): Change {
  if (taken) return refundReported(was, commands, 'failed', amountMinor, nowMs);
  const change = { ...unchanged(was), funds: refundNeedsOperator(was.funds) };
  return alerted(change, 'the partner refuses a refund: the buyer must be paid back by hand');
}

/** `command`; void if it is a refused refund of a pay-in that came back by itself: no debt. */
export function debtUnlessReturned(
  command: PartnerCommand,
  commands: readonly PartnerCommand[],
  nowMs: number,
): PartnerCommand {
  return isDebt(command) && isReturned(commands) ? supersedeCommand(command, nowMs) : command;
}

/** Valid before the payout is taken in hand. Commands not yet sent are taken back with it. */
export function cancelled(
  was: Collection,
  commands: readonly PartnerCommand[],
  reason: string,
  nowMs: number,
): Change {
  if (was.payment.status === 'cancelled') return unchanged(was);
  if (!isCancellable(was.payment.status)) throw new PonteError('PaymentNotCancellable');
  return ended(was, commands, 'cancel', { cancelReason: reason }, nowMs);
}

/** The payment ran out of time. Nothing happens once the partner has reported all the funds. */
export function expired(
  was: Collection,
  commands: readonly PartnerCommand[],
  nowMs: number,
): Change {
  const { status, expiresAtMs, coveredAtMs } = was.payment;
  if (nextStatus(status, 'expire') === null || coveredAtMs !== null) return unchanged(was);
  if (expiresAtMs === null || expiresAtMs > nowMs) return unchanged(was);
  return ended(was, commands, 'expire', {}, nowMs);
}

/** Operations staff give the payment up. */
export function failedByOperator(
  was: Collection,
  commands: readonly PartnerCommand[],
  reason: string,
  nowMs: number,
): Change {
  if (isTerminal(was.payment.status)) throw new PonteError('PaymentStateConflict');
  return ended(was, commands, 'fail', { failureReason: reason }, nowMs);
}

/** Everything asked for has arrived. */
export function isCovered({ payment, funds }: Collection): boolean {
  return funds.receivedMinor >= payment.amount.amountMinor;
}

export function unchanged(was: Collection): Change {
  const { payment, funds } = was;
  const nothing = { postings: [], events: [], commands: [], changedCommands: [], alerts: [] };
  return { payment, funds, ...nothing };
}

type EndFields = Partial<Pick<Payment, 'cancelReason' | 'failureReason'>>;

function ended(
  was: Collection,
  commands: readonly PartnerCommand[],
  move: 'cancel' | 'expire' | 'fail',
  fields: EndFields,
  nowMs: number,
): Change {
  const voidable = commands.filter((command) => isVoidable(command) && command.kind !== 'refund');
  const change = withMove(unchanged(was), move, nowMs, fields);
  return takenBack(change, commands, voidable, nowMs);
}

/** Orders of an ended payment that surely did not happen; `commands` are all of the payment. */
function takenBack(
  change: Change,
  commands: readonly PartnerCommand[],
  voidable: readonly PartnerCommand[],
  nowMs: number,
): Change {
  const kinds = voidable.map(({ kind }) => kind);
  let { funds } = change;
  if (kinds.includes('payin')) funds = payinFailed(funds);
  // A payout that was taken in hand and is pending again surely did not happen.
  const inFlight = nextPosition(funds.position, 'return') !== null;
  if (kinds.includes('payout') && inFlight) funds = payoutReturned(funds);
  return endedFunds(withVoided({ ...change, funds }, voidable, nowMs), commands, nowMs);
}

function payoutCompleted(
  was: Collection,
  commands: readonly PartnerCommand[],
  report: PayoutReport,
  nowMs: number,
): Change {
  if (was.funds.position === 'paid') return unchanged(was);
  if (nextPosition(was.funds.position, 'pay') === null) {
    return alerted(unchanged(was), 'a payout is reported completed after its money came back');
  }
  const { settled, fees, fxRate, endToEndId } = report;
  assert(settled !== null && fees !== null && fxRate !== null, 'a completed payout tells its sums');
  const change = withFunds(unchanged(was), payoutPaid(was.funds, fees, settled));
  const settlement = { settled, fxRate, endToEndId };
  if (was.payment.status === 'offramp_pending') {
    const moved = withMove(change, 'payout_completed', nowMs, { settlement });
    return endedFunds(moved, commands, nowMs);
  }
  const told = { ...change, payment: Object.freeze({ ...was.payment, settlement }) };
  return alerted(told, `payout completed although the payment is ${was.payment.status}`);
}

/** Money that no claim of the payment holds is owed back, at once. */
function endedFunds(change: Change, commands: readonly PartnerCommand[], nowMs: number): Change {
  const { payment, funds } = change;
  const claimMinor =
    isTerminal(payment.status) || funds.payoutMinor > 0n ? 0n : payment.amount.amountMinor;
  const surplusMinor = heldMinor(funds) - claimMinor;
  if (surplusMinor <= 0n) return change;
  if (isReturned(commands)) return backWithBuyer(change, commands, nowMs);
  const amount = { amountMinor: surplusMinor, currency: funds.currency };
  return withCommand(withFunds(change, oweRefund(funds, surplusMinor)), { kind: 'refund', amount });
}

/** The partner gave the pay-in back by itself: what a payout or refund of it frees is no debt. */
function isReturned(commands: readonly PartnerCommand[]): boolean {
  return commands.some(({ kind, end }) => kind === 'payin' && end === 'returned');
}

/** What is held or owed is with the buyer again, and no refund of it waits any more. */
function backWithBuyer(change: Change, commands: readonly PartnerCommand[], nowMs: number): Change {
  const refunds = commands.filter(({ kind }) => kind === 'refund');
  // A refund that was taken in hand and is pending again surely did not happen.
  const takenBack = refunds.filter((one) => isVoidable(one) && one.firstSentAtMs !== null);
  const funds = takenBack.reduce(
    (left, { amount }) => (amount === null ? left : refundFellBack(left, amount.amountMinor)),
    change.funds,
  );
  const back = returnedByPartner(funds, heldMinor(funds) + funds.refundOwedMinor);
  return withVoided(withFunds(change, back), refunds, nowMs);
}

type MoveFields = EndFields &
  Partial<
    Pick<
      Payment,
      'quoteId' | 'transactionHash' | 'settlement' | 'approvedByMemberId' | 'invitedAtMs'
    >
  >;

function withMove(
  change: Change,
  move: PaymentMove,
  nowMs: number,
  fields: MoveFields = {},
): Change {
  const was = change.payment;
  const status = nextStatus(was.status, move);
  if (status === null) throw new PonteError('PaymentStateConflict');
  const payment = Object.freeze({ ...was, ...fields, status, updatedAtMs: nowMs });
  if (status === was.status) return { ...change, payment };
  const happened = move === 'kyc_rejected' ? 'kyc_rejected' : 'moved';
  const types = paymentEventTypes(payment, happened);
  const events = types.map((type) => ({ type, payment, occurredAtMs: nowMs }));
  return { ...change, payment, events: [...change.events, ...events] };
}

function withFunds(change: Change, next: FundsChange): Change {
  return { ...change, funds: next.funds, postings: [...change.postings, ...next.postings] };
}

/** Those of the commands that can be taken back, or that only wait for an operator, are void. */
function withVoided(change: Change, commands: readonly PartnerCommand[], nowMs: number): Change {
  const voided = commands.flatMap((command) => {
    if (isVoidable(command)) return [voidCommand(command, nowMs)];
    return isDebt(command) ? [supersedeCommand(command, nowMs)] : [];
  });
  return { ...change, changedCommands: [...change.changedCommands, ...voided] };
}

function withCommand(change: Change, command: CommandDraft): Change {
  return { ...change, commands: [...change.commands, command] };
}

function alerted(change: Change, alert: string): Change {
  return { ...change, alerts: [...change.alerts, alert] };
}
