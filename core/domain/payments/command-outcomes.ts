// The effect of changed commands on a payment: status, funds, ledger, refunds and events. One
// function derives all of it, so outcomes that arrive late, twice or out of order lead to the same
// rows.
import { assert, PonteError } from '../../errors.js';
import type { Asset } from '../commands/asset.js';
import {
  type ByHand,
  changed,
  hasBroughtNothing,
  isOpen,
  isUnpaidRefund,
  isVoidable,
  type MoneyCommand,
  newCommand,
  replacedRefund,
  voidCommand,
} from '../commands/partner-command.js';
import type { Payer } from '../commands/payer.js';
import { QUOTE_EXPIRED } from '../commands/quote.js';
import {
  type Settlement,
  type SettlementFacts,
  settlementsOf,
  standingSettlement,
  withReturn,
  withSettlement,
} from '../commands/settlement.js';
import { PARTY_BLOCKED } from '../parties/party-due.js';
import { bankDetailsRecord, checkCodeOf } from './bank-record.js';
import {
  type Change,
  commandsAfter,
  type MoveFields,
  type PaymentAggregate,
  unchanged,
  withChangedCommand,
  withMove,
} from './change.js';
import { alertsBetween } from './command-alerts.js';
import { failure } from './failure.js';
import {
  fundsOf,
  heldMinor,
  plannedMinor,
  postingsBetween,
  refundableMinor,
  sameFunds,
  stageAtPartner,
  stageOf,
  sumsOf,
  writeOffPostings,
} from './funds.js';
import { withMoneyEvents } from './money-events.js';
import { withTold } from './payer-facts.js';
import { type PayinInstructions, writePayinInstructions } from './payin-instructions.js';
import { isTerminal, type Payment, type PaymentMove, type PaymentStatus } from './payment.js';

/** What a report states in addition to the change of its command. */
export interface ReportedDetails {
  /** Why a command failed, in the partner's words. */
  readonly reason?: string | null;
  readonly instructions?: PayinInstructions | undefined;
  readonly transactionHash?: string | null;
  /** What a pay-in brought. */
  readonly asset?: Asset | null;
  readonly payer?: Payer | null;
  readonly settlement?: SettlementFacts;
}

/** `commands` are all stored commands of the payment; `reported` are new states of some of them. */
export function commandsChanged(
  was: PaymentAggregate,
  commands: readonly MoneyCommand[],
  reported: readonly MoneyCommand[],
  nowMs: number,
  details: ReportedDetails = {},
): Change {
  const { status } = was.payment;
  const decided = reported
    .map((command) => withDecision(command, commands, status))
    .map((command) => withSettlements(command, commands, details, nowMs));
  let change = decided.reduce(withChangedCommand, unchanged(was));
  const first = settlementsOf(commandsAfter(commands, change))[0] ?? null;
  const payment = withSender(was.payment, reported, details, nowMs);
  change = { ...change, payment: withReportedDetails(payment, details, first, nowMs) };
  change = withStatus(change, commands, details.reason ?? null, nowMs);
  return withDerivedMoney(change, was, commands, nowMs);
}

/**
 * Decides about a payout that the partner certainly does not have, or that came back: `buyer` is
 * owed its money, which fails a payment that is not settled, or `seller` is paid by another payout.
 * PaymentStateConflict if the money is not held any more, or if another payout has or may have paid
 * the seller.
 */
export function payoutDecided(
  was: PaymentAggregate,
  commands: readonly MoneyCommand[],
  payout: MoneyCommand,
  to: 'buyer' | 'seller',
  nowMs: number,
): Change {
  const given = withChangedCommand(unchanged(was), decidedPayout(payout, nowMs));
  const isOver = to === 'seller' || isTerminal(was.payment.status);
  const change = isOver ? given : withMove(given, 'fail', nowMs, refusedFailure(payout));
  const { kind, amount } = payout;
  const drafts = to === 'seller' ? [{ kind, amount, payinId: null }] : [];
  const decided = withDerivedMoney({ ...change, commands: drafts }, was, commands, nowMs);
  const isPaidAgain = decided.commands.some((draft) => draft.kind === 'payout');
  if (to === 'buyer' || isPaidAgain) return decided;
  const problem =
    'Its money is not held any more, or another payout has or may have paid the seller.';
  throw new PonteError('PaymentStateConflict', problem);
}

/**
 * The seller was paid by other means: `paid`, a draft, takes the place of the payout as another one
 * would. PaymentStateConflict, as for another payout.
 */
export function payoutPaidByHand(
  was: PaymentAggregate,
  commands: readonly MoneyCommand[],
  payout: MoneyCommand,
  { draft, paid }: ByHand,
  settlement: SettlementFacts,
  nowMs: number,
): Change {
  payoutDecided(was, commands, payout, 'seller', nowMs);
  const all = [...commands, draft];
  const settled = withSettlements(paid, all, { settlement }, nowMs);
  let change = withChangedCommand(unchanged(was), decidedPayout(payout, nowMs));
  change = withChangedCommand(change, settled);
  const first = settlementsOf(commandsAfter(all, change))[0] ?? null;
  change = { ...change, payment: withReportedDetails(was.payment, {}, first, nowMs) };
  return withDerivedMoney(withStatus(change, all, null, nowMs), was, all, nowMs);
}

/** Nothing is left to decide about it, and it is not sent. */
function decidedPayout(payout: MoneyCommand, nowMs: number): MoneyCommand {
  return isVoidable(payout)
    ? voidCommand(payout, nowMs)
    : changed(payout, nowMs, { isUndecided: false });
}

/**
 * Money that comes back before the settlement is free for the buyer. An operator decides about a
 * payout that is refused, and about one that comes back later. A payment that ended otherwise owes
 * its money to the buyer.
 */
function withDecision(
  next: MoneyCommand,
  commands: readonly MoneyCommand[],
  status: PaymentStatus,
): MoneyCommand {
  if (next.kind !== 'payout') return next;
  const stored = commands.find(({ id }) => id === next.id);
  const wasFree = stored !== undefined && stageAtPartner(stored) === 'none';
  const isFree = stageAtPartner(next) === 'none';
  const waits = status === 'settled' || (next.state === 'refused' && !isTerminal(status));
  const isUndecided = isFree && (wasFree ? stored.isUndecided : waits);
  return isUndecided === next.isUndecided ? next : Object.freeze({ ...next, isUndecided });
}

/** A payout that reached the seller has its settlement until it comes back. */
function withSettlements(
  next: MoneyCommand,
  commands: readonly MoneyCommand[],
  { settlement }: ReportedDetails,
  nowMs: number,
): MoneyCommand {
  const isPaid = next.kind === 'payout' && stageOf(next) === 'moved';
  const isSettled = standingSettlement(next.settlements) !== null;
  if (isPaid === isSettled) return next;
  if (!isPaid) return Object.freeze({ ...next, settlements: withReturn(next.settlements, nowMs) });
  assert(settlement !== undefined, 'a paid payout has its settlement');
  // Clocks differ: the order of settlements is that of their reports.
  const lastAtMs = settlementsOf(commands).at(-1)?.settledAtMs ?? 0;
  const atMs = Math.max(nowMs, lastAtMs + 1);
  return Object.freeze({
    ...next,
    settlements: withSettlement(next.settlements, settlement, atMs),
  });
}

/**
 * Brings funds, refunds and ledger in line with the commands and the status: voids unsent commands
 * of an ended payment, and owes unallocated money to the buyer.
 */
export function withDerivedMoney(
  begun: Change,
  was: PaymentAggregate,
  commands: readonly MoneyCommand[],
  nowMs: number,
): Change {
  let change = withoutTakenDecisions(begun, commands, nowMs);
  change = withoutUnsentCommands(change, commands, nowMs);
  change = withoutNeedlessRefunds(change, commands, nowMs);
  change = withSurplusOwed(change, commands);
  const before = sumsOf(commands);
  const counted = withDrafts(commandsAfter(commands, change), change);
  const after = sumsOf(counted);
  const funds = fundsOf(was.funds, counted);
  const { payment } = change;
  const here = after.receivedMinor - after.returnedMinor;
  change = {
    ...change,
    funds: sameFunds(funds, was.funds) ? was.funds : funds,
    payment:
      payment.coveredAtMs === null && covers(here, payment)
        ? Object.freeze({ ...payment, coveredAtMs: nowMs })
        : payment,
    postings: [
      ...postingsBetween(before, after, funds.currency),
      ...writeOffPostings(was.funds, funds),
    ],
  };
  change = withMoneyEvents(change, was, commands, nowMs);
  const alerts = alertsBetween({ ...was, commands }, { ...change, commands: counted });
  return { ...change, alerts: [...change.alerts, ...alerts] };
}

/** The payment keeps who sent the money of a pay-in. */
function withSender(
  payment: Payment,
  [payin]: readonly MoneyCommand[],
  { payer: told = null }: ReportedDetails,
  nowMs: number,
): Payment {
  const payer = payin === undefined ? payment.payer : withTold(payment.payer, payin.id, told);
  return payer === payment.payer
    ? payment
    : Object.freeze({ ...payment, payer, updatedAtMs: nowMs });
}

/** `first` of the settlements; the payment shows it from then on. */
function withReportedDetails(
  payment: Payment,
  details: ReportedDetails,
  first: Settlement | null,
  nowMs: number,
): Payment {
  const { transactionHash = null, asset = null } = details;
  // The buyer pays by the transfer for several payments.
  const instructions = payment.consolidatedReference === null ? details.instructions : undefined;
  const isSettled = first !== null && payment.settlement === null;
  const isSame = instructions === undefined && transactionHash === null && asset === null;
  if (isSame && !isSettled) return payment;
  return Object.freeze({
    ...payment,
    ...givenInstructions(payment, instructions, nowMs),
    transactionHash: transactionHash ?? payment.transactionHash,
    payinAsset: asset ?? payment.payinAsset,
    ...(isSettled ? shownOf(first) : {}),
    updatedAtMs: nowMs,
  });
}

/** Its asset stays with the payout. */
function shownOf({ settledAtMs, returnedAtMs: _, asset: __, ...settlement }: Settlement) {
  return { settlement: Object.freeze(settlement), settledAtMs };
}

/** Instructions that were given before keep their check code. */
export function givenInstructions(
  payment: Payment,
  instructions: PayinInstructions | undefined,
  nowMs: number,
): Pick<Payment, 'payinInstructions' | 'bankDetailsCode'> {
  const { payinInstructions: were, bankDetailsCode } = payment;
  const isKept =
    instructions === undefined ||
    (were !== null && writePayinInstructions(were) === writePayinInstructions(instructions));
  if (isKept) return { payinInstructions: were, bankDetailsCode };
  const record = bankDetailsRecord(payment, instructions, nowMs);
  return { payinInstructions: instructions, bankDetailsCode: checkCodeOf(record) };
}

function withStatus(
  change: Change,
  commands: readonly MoneyCommand[],
  reason: string | null,
  nowMs: number,
): Change {
  for (let next = change; ; ) {
    const counted = withDrafts(commandsAfter(commands, next), next);
    const step = statusStep(next.payment, counted, reason);
    if (step === null) return next;
    const { move, fields } = step;
    next = withMove(next, move, nowMs, fields);
    if (move === 'payin_completed' && !counted.some(isPayout)) {
      const payout = { kind: 'payout', amount: next.payment.amount, payinId: null } as const;
      next = { ...next, commands: [...next.commands, payout] };
    }
  }
}

interface Step {
  readonly move: PaymentMove;
  readonly fields?: MoveFields;
}

/** Returns null if the status stays. */
function statusStep(
  payment: Payment,
  commands: readonly MoneyCommand[],
  reason: string | null,
): Step | null {
  switch (payment.status) {
    case 'on_ramp_pending':
      // A payout found after a restore: its pay-in was completed before.
      if (commands.some(isPayoutMade)) return { move: 'payin_completed' };
      return payinStep(payment, commands, reason);
    case 'on_chain_confirmed':
    case 'offramp_pending':
      return payoutStep(payment, commands, reason);
    default: {
      const move = movesToPayin[payment.status];
      const isStarted = payins(commands).some(isAlive) || commands.some(isPayoutMade);
      return move !== undefined && isStarted ? { move } : null;
    }
  }
}

/**
 * A pay-in, or a payout whose pay-in is not known, exists before the payment reached it: it counted
 * as refused, or a backup was restored. The payment repeats its earlier moves.
 */
const movesToPayin: Readonly<Record<PaymentStatus, PaymentMove | undefined>> = {
  awaiting_approval: 'approve',
  approved: 'invite',
  awaiting_buyer: 'sign_in',
  buyer_kyc_pending: 'kyc_approved',
  buyer_kyc_approved: 'quote',
  fx_quoted: 'confirm',
  on_ramp_pending: undefined,
  on_chain_confirmed: undefined,
  offramp_pending: undefined,
  settled: undefined,
  failed: undefined,
  cancelled: undefined,
  expired: undefined,
};

function payinStep(
  payment: Payment,
  commands: readonly MoneyCommand[],
  reason: string | null,
): Step | null {
  const all = payins(commands);
  // The transfer for several payments may come after an own pay-in ended without money.
  const isAwaited = payment.consolidatedReference !== null;
  const found = isAwaited ? all.filter((payin) => !hasBroughtNothing(payin)) : all;
  const confirmed = found
    .filter(({ end }) => end !== 'returned')
    .reduce((sum, { confirmedMinor }) => sum + confirmedMinor, 0n);
  if (confirmed >= payment.amount.amountMinor) return { move: 'payin_completed' };
  if (found.some((payin) => isOpen(payin) || payin.end === 'completed')) return null;
  const last = found.at(-1);
  if (last === undefined) return null;
  if (isOfQuote(last.refusal) && last.end === 'open') {
    // A buyer that is rejected gets no other quote.
    return payment.approvalLostAtMs === null
      ? { move: 'quote_expired', fields: { quoteId: null } }
      : { move: 'fail', fields: failure('buyer_rejected', 'buyer KYC rejected') };
  }
  return failed(last, reason);
}

/** The payment needs another quote; a payee that is blocked gets none until it has acted. */
function isOfQuote(refusal: string | null): boolean {
  return refusal === QUOTE_EXPIRED || refusal === PARTY_BLOCKED;
}

function payoutStep(
  payment: Payment,
  commands: readonly MoneyCommand[],
  reason: string | null,
): Step | null {
  // One that came back does not stand for the one that takes its place.
  const payout = commands.findLast(takesMoney) ?? commands.findLast(isPayout);
  if (payout === undefined) return null;
  const stage = stageOf(payout);
  const taken = payment.status === 'offramp_pending';
  if (stage === 'planned' || payout.isUndecided) return fundsLost(payment, commands, reason);
  if (stage === 'none') return failed(payout, reason);
  if (!taken) return { move: 'send_payout' };
  if (stage === 'moved') return { move: 'payout_completed' };
  return stage === 'needs_review' ? failed(payout, reason) : null;
}

/** The money went back to the buyer before the payout was sent. */
function fundsLost(
  payment: Payment,
  commands: readonly MoneyCommand[],
  reason: string | null,
): Step | null {
  const sums = sumsOf(commands);
  if (covers(leftMinor(sums), payment)) return null;
  const payin = payins(commands).findLast(({ end }) => end === 'returned');
  if (payin !== undefined) return failed(payin, reason);
  // After a restore an ended payment may have a refund at the partner.
  const isRefunded = sums.refundedMinor + sums.orderedMinor > 0n;
  const fields = isRefunded
    ? failure('money_refunded', 'the money was refunded')
    : failure('money_missing', 'less money arrived than reported');
  return { move: 'fail', fields };
}

/** What no refund at the partner has. */
function leftMinor(sums: ReturnType<typeof sumsOf>): bigint {
  return sums.receivedMinor - sums.returnedMinor - sums.refundedMinor - sums.orderedMinor;
}

function failed(command: MoneyCommand, reason: string | null): Step {
  const kind = command.kind === 'payin' ? 'payin' : 'payout';
  const name = kind === 'payin' ? 'pay-in' : 'payout';
  if (command.state === 'refused' && command.end === 'open') {
    return { move: 'fail', fields: refusedFailure(command) };
  }
  const code = `${kind}_${command.end === 'returned' ? 'returned' : 'failed'}` as const;
  return { move: 'fail', fields: failure(code, reason ?? `${name} ${command.end}`) };
}

function refusedFailure({ kind, refusal }: MoneyCommand) {
  const [code, name] =
    kind === 'payin'
      ? (['payin_refused', 'pay-in'] as const)
      : (['payout_refused', 'payout'] as const);
  return failure(code, `${name} refused: ${refusal ?? 'no reason given'}`);
}

/**
 * Voids unsent commands that are no longer wanted: pay-ins of a payment that has its money, all but
 * refunds of an ended payment, unless its seller is paid again, and a payout in the place of one
 * that the partner turns out to have.
 */
function withoutUnsentCommands(
  change: Change,
  commands: readonly MoneyCommand[],
  nowMs: number,
): Change {
  const { status } = change.payment;
  const unwanted = {
    payin: status !== 'on_ramp_pending',
    payout: isTerminal(status)
      ? !isPaidAgain(change, commands)
      : commandsAfter(commands, change).some(takesMoney),
  };
  const unsent = commandsAfter(commands, change).filter(
    (command) =>
      isVoidable(command) &&
      ((command.kind === 'payin' && unwanted.payin) ||
        (command.kind === 'payout' && unwanted.payout)),
  );
  const voided = unsent
    .map((command) => voidCommand(command, nowMs))
    .reduce(withChangedCommand, change);
  if (!unwanted.payout) return voided;
  // A drafted payout is dropped.
  const drafts = change.commands.filter(({ kind }) => kind === 'refund');
  const next = { ...voided, commands: drafts };
  return unsent.some(({ kind }) => kind === 'payout')
    ? withOpenDecision(next, commands, nowMs)
    : next;
}

/** The seller is not paid again: an operator decides once more about the payout that came back. */
function withOpenDecision(
  change: Change,
  commands: readonly MoneyCommand[],
  nowMs: number,
): Change {
  const last = commandsAfter(commands, change).findLast(isPayout);
  const isBack = last !== undefined && stageAtPartner(last) === 'none';
  if (!isBack || change.payment.status !== 'settled') return change;
  return withChangedCommand(change, changed(last, nowMs, { isUndecided: true }));
}

/**
 * Nothing is left to decide: the money is owed to the buyer of a payment that ended unsettled, or
 * another payout has it. A later payout shows a decision that a restore may have lost.
 */
function withoutTakenDecisions(
  change: Change,
  commands: readonly MoneyCommand[],
  nowMs: number,
): Change {
  const payouts = commandsAfter(commands, change).filter(isPayout);
  const { status } = change.payment;
  const isEnded = isTerminal(status) && status !== 'settled';
  const last = payouts.findLastIndex(isPayoutMade);
  const isTaken = ({ state }: MoneyCommand, at: number) =>
    isEnded || at < last || (state === 'refused' && payouts.some(takesMoney));
  return payouts
    .filter((payout, at) => payout.isUndecided && isTaken(payout, at))
    .map((payout) => changed(payout, nowMs, { isUndecided: false }))
    .reduce(withChangedCommand, change);
}

/**
 * A payout came back after the settlement, its money is held for another one, and no other payout
 * has or may have paid the seller.
 */
function isPaidAgain(change: Change, commands: readonly MoneyCommand[]): boolean {
  if (change.payment.status !== 'settled') return false;
  const counted = withDrafts(commandsAfter(commands, change), change);
  const funds = fundsOf(change.funds, counted);
  return funds.payoutMinor === 0n && heldMinor(funds) >= plannedMinor(counted);
}

/**
 * Withdraws unsent and refused refunds: first those whose pay-in was returned or lacks the money,
 * then others while more has left than arrived, or while they have what the payout needs.
 */
function withoutNeedlessRefunds(
  was: Change,
  commands: readonly MoneyCommand[],
  nowMs: number,
): Change {
  let change = was;
  const hasForPayout = () => lacksOnlyRefunds(change, commandsAfter(commands, change));
  for (const isNeedless of [isWithoutMoney, hasLoss, hasForPayout]) {
    const waiting = commandsAfter(commands, change).filter(
      (command) => command.kind === 'refund' && (isUnpaidRefund(command) || isVoidable(command)),
    );
    for (const refund of waiting.toReversed()) {
      if (!isNeedless(refund, commandsAfter(commands, change))) continue;
      change = withChangedCommand(change, replacedRefund(refund, nowMs));
    }
  }
  return change;
}

function isWithoutMoney(refund: MoneyCommand, commands: readonly MoneyCommand[]): boolean {
  const payin = commands.find(({ id }) => id === refund.payinId);
  return payin !== undefined && (payin.end === 'returned' || refundableMinor(payin, commands) < 0n);
}

function hasLoss(_refund: MoneyCommand, commands: readonly MoneyCommand[]): boolean {
  return sumsOf(commands).lossMinor > 0n;
}

/** A payment that waits for its payout has its money, but for refunds that can be withdrawn. */
function lacksOnlyRefunds({ payment, funds }: Change, commands: readonly MoneyCommand[]): boolean {
  const now = fundsOf(funds, commands);
  if (isTerminal(payment.status) || now.payoutMinor > 0n) return false;
  return !covers(heldMinor(now), payment) && covers(leftMinor(sumsOf(commands)), payment);
}

/** Unallocated money is owed back, each part from the pay-in that has it. */
function withSurplusOwed(change: Change, commands: readonly MoneyCommand[]): Change {
  const { payment, funds } = change;
  const counted = withDrafts(commandsAfter(commands, change), change);
  const next = fundsOf(funds, counted);
  const claimed = isTerminal(payment.status) || next.payoutMinor > 0n;
  const keptMinor = claimed ? plannedMinor(counted) : payment.amount.amountMinor;
  let surplusMinor = heldMinor(next) - keptMinor;
  const drafts = [...change.commands];
  // Newest first: a payout takes the oldest money.
  for (const payin of payins(counted).toReversed()) {
    const free = refundableMinor(payin, counted);
    const amountMinor = surplusMinor < free ? surplusMinor : free;
    if (amountMinor <= 0n) continue;
    const amount = { amountMinor, currency: funds.currency };
    drafts.push({ kind: 'refund', amount, payinId: payin.id });
    surplusMinor -= amountMinor;
  }
  return { ...change, commands: drafts };
}

function covers(amountMinor: bigint, { amount }: Payment): boolean {
  return amountMinor >= amount.amountMinor;
}

function isAlive({ state, end }: MoneyCommand): boolean {
  return state === 'done' && end !== 'failed' && end !== 'returned';
}

/** There is no other payout by itself, even if this one failed. */
function isPayout({ kind, state }: MoneyCommand): boolean {
  return kind === 'payout' && state !== 'void';
}

/** The partner has it or may have it. */
function isPayoutMade(command: MoneyCommand): boolean {
  return isPayout(command) && command.state !== 'pending' && command.state !== 'refused';
}

/** It has or may have paid the seller. */
function takesMoney(command: MoneyCommand): boolean {
  const stage = stageAtPartner(command);
  return command.kind === 'payout' && stage !== 'none' && stage !== 'planned';
}

function payins(commands: readonly MoneyCommand[]): readonly MoneyCommand[] {
  return commands.filter(({ kind }) => kind === 'payin');
}

const DRAFT = { id: '', reference: '' };

/** Drafts count as commands that were not sent. */
function withDrafts(
  commands: readonly MoneyCommand[],
  { commands: drafts, payment }: Change,
): readonly MoneyCommand[] {
  return [
    ...commands,
    ...drafts.map((draft) => newCommand(payment, DRAFT, { ...draft, paymentId: payment.id }, 0)),
  ];
}
