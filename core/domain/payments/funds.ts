// Where the money of a payment is. It is separate from the status, because money can arrive after a
// cancellation and a payout can be in doubt: reports about money count in any status.
//
// Funds follow from the commands to the partner: `sumsOf` adds them up, and the ledger postings of
// a change are the difference of two sums. So if reports arrive late, twice or out of order, funds,
// ledger and commands still agree.
import { type Money, money } from '../base/money.js';
import type { Tenant } from '../base/tenant.js';
import {
  type CommandEnd,
  type CommandState,
  isOpen,
  isRefusedPayout,
  type MoneyCommand,
} from '../commands/partner-command.js';
import { standingSettlement } from '../commands/settlement.js';
import { type LedgerAccount, type Posting, posting, transfer } from './ledger.js';

/**
 * Where the money of a command is, by its state and, once accepted, by its end. `planned`: not
 * sent. `moving`: sent, not ended. `needs_review`: the payout failed and its money is not back, or
 * an operator decides who gets it. `owed`: the refund was refused or failed.
 */
type MoneyStage = 'none' | 'planned' | 'moving' | 'moved' | 'needs_review' | 'owed';

const stages = {
  payout: {
    pending: 'planned',
    sent: 'moving',
    unknown: 'moving',
    denied: 'moving',
    done: { open: 'moving', completed: 'moved', failed: 'needs_review', returned: 'none' },
    refused: 'none',
    void: 'none',
  },
  refund: {
    pending: 'planned',
    sent: 'moving',
    unknown: 'moving',
    denied: 'moving',
    done: { open: 'moving', completed: 'moved', failed: 'owed', returned: 'owed' },
    refused: 'owed',
    void: 'none',
  },
} as const satisfies Record<
  'payout' | 'refund',
  Record<Exclude<CommandState, 'done'>, MoneyStage> & {
    readonly done: Record<CommandEnd, MoneyStage>;
  }
>;

/** Sellers are paid by PIX. */
export const PAYOUT_CURRENCY = 'BRL';

export const positions = [
  'none',
  'expected',
  'received',
  'payout_ordered',
  'paid',
  /** Returned or owed to the buyer. */
  'returned_to_buyer',
  'needs_review',
] as const;
export type Position = (typeof positions)[number];

export const refundStates = [
  'none',
  'refund_owed',
  'refund_ordered',
  'refunded',
  'needs_review',
] as const;
export type RefundState = (typeof refundStates)[number];

/**
 * All amounts are minor units of the payment's currency, and none is negative. At any time
 * received + loss = held + payout + owed + ordered + refunded.
 */
export interface Funds extends Tenant {
  readonly paymentId: string;
  readonly currency: string;
  readonly position: Position;
  /** `needs_review`: the partner refused or failed a refund. */
  readonly refund: RefundState;
  /** The sum of all pay-ins. */
  readonly receivedMinor: bigint;
  /** Payouts that were sent, paid, failed without a return, or wait for a decision. */
  readonly payoutMinor: bigint;
  /** Owed to the buyer; its refund is not sent, or was refused or failed. */
  readonly refundOwedMinor: bigint;
  /** Refunds sent to the partner, not confirmed. */
  readonly refundOrderedMinor: bigint;
  /** Refunded, or returned by the partner. */
  readonly refundedMinor: bigint;
  /** What left beyond what was received: the operator of the service pays it. */
  readonly lossMinor: bigint;
  /** The part of the loss that operators have written off. */
  readonly writtenOffMinor: bigint;
  readonly version: number;
}

/** The sums of a payment's commands, in minor units of its currency. */
export interface MoneySums {
  readonly receivedMinor: bigint;
  readonly payoutMinor: bigint;
  readonly paidMinor: bigint;
  /** Fees of the payouts that are paid, by their settlements. */
  readonly paidFeesMinor: bigint;
  /** What the sellers have of them, in centavos. */
  readonly settledMinor: bigint;
  /** The part of the paid ones that operators paid by hand: the partner still holds that money. */
  readonly paidByHandMinor: bigint;
  readonly needsReviewMinor: bigint;
  readonly owedMinor: bigint;
  readonly orderedMinor: bigint;
  readonly refundedMinor: bigint;
  /** The part of it that operators paid by hand: the partner still holds that money. */
  readonly byHandMinor: bigint;
  /** Returned to the buyer by the partner, without a command of ours. */
  readonly returnedMinor: bigint;
  readonly lossMinor: bigint;
}

type FundedPayment = Tenant & { readonly id: string; readonly amount: Pick<Money, 'currency'> };

/** Those of a payment without money, which have no row. */
export function noFunds({ orgId, mode, id, amount }: FundedPayment): Funds {
  return Object.freeze({
    orgId,
    mode,
    paymentId: id,
    currency: amount.currency,
    position: 'none',
    refund: 'none',
    receivedMinor: 0n,
    payoutMinor: 0n,
    refundOwedMinor: 0n,
    refundOrderedMinor: 0n,
    refundedMinor: 0n,
    lossMinor: 0n,
    writtenOffMinor: 0n,
    version: 0,
  });
}

/** What a payment still awaits: below zero if it holds more than was asked for. */
export function missingOf(asked: Money, funds: Funds): Money {
  return money(asked.amountMinor - heldMinor(funds), asked.currency);
}

/** What arrived and neither went back to the buyer nor is owed to it. */
export function netReceivedMinor(
  funds: Pick<Funds, 'receivedMinor' | 'refundOwedMinor' | 'refundOrderedMinor' | 'refundedMinor'>,
): bigint {
  const { receivedMinor, refundOwedMinor, refundOrderedMinor, refundedMinor } = funds;
  return receivedMinor - refundOwedMinor - refundOrderedMinor - refundedMinor;
}

/** What operators have not written off. */
export function openLossOf({ lossMinor, writtenOffMinor, currency }: Funds): Money {
  return money(lossMinor - writtenOffMinor, currency);
}

/** Received money that is not allocated to a payout or refund. */
export function heldMinor(funds: Omit<Funds, keyof Tenant | 'position' | 'refund'>): bigint {
  return (
    funds.receivedMinor +
    funds.lossMinor -
    funds.payoutMinor -
    funds.refundOwedMinor -
    funds.refundOrderedMinor -
    funds.refundedMinor
  );
}

/** `none` for a pay-in, whose money counts by `receivedMinor`. */
export function stageOf(command: MoneyCommand): MoneyStage {
  return command.isUndecided ? 'needs_review' : stageAtPartner(command);
}

/** The same without what an operator decides. */
export function stageAtPartner({ kind, state, end }: MoneyCommand): MoneyStage {
  if (kind !== 'payout' && kind !== 'refund') return 'none';
  return state === 'done' ? stages[kind].done[end] : stages[kind][state];
}

export function sumsOf(commands: readonly MoneyCommand[]): MoneySums {
  const payouts = (stage: MoneyStage) => total(commands, 'payout', stage);
  const refunds = (stage: MoneyStage) => total(commands, 'refund', stage);
  const payins = commands.filter(({ kind }) => kind === 'payin');
  const receivedMinor = sum(payins.map((payin) => payin.receivedMinor));
  const returnedMinor = sum(payins.map((payin) => returnedOf(payin, commands)));
  const paidMinor = payouts('moved');
  const settlements = paidSettlements(commands);
  const paidFeesMinor = sum(settlements.map(({ fees }) => fees.amountMinor));
  const settledMinor = sum(settlements.map(({ settled }) => settled.amountMinor));
  const paidByHandMinor = byHandOf(commands, 'payout');
  const needsReviewMinor = payouts('needs_review');
  const payoutMinor = payouts('moving') + paidMinor + needsReviewMinor;
  const owedMinor = refunds('planned') + refunds('owed');
  const orderedMinor = refunds('moving');
  const refundedMinor = refunds('moved');
  const byHandMinor = byHandOf(commands, 'refund');
  const spentMinor = payoutMinor + owedMinor + orderedMinor + refundedMinor + returnedMinor;
  const lossMinor = spentMinor > receivedMinor ? spentMinor - receivedMinor : 0n;
  return {
    receivedMinor,
    payoutMinor,
    paidMinor,
    paidFeesMinor,
    settledMinor,
    paidByHandMinor,
    needsReviewMinor,
    owedMinor,
    orderedMinor,
    refundedMinor,
    byHandMinor,
    returnedMinor,
    lossMinor,
  };
}

/** The settlements of the payouts that are paid: one each. */
function paidSettlements(commands: readonly MoneyCommand[]) {
  return inStage(commands, 'payout', 'moved')
    .map(({ settlements }) => standingSettlement(settlements))
    .filter((settlement) => settlement !== null);
}

/** Payouts that count as paid without their facts: no posting of theirs can be derived. */
export function unsettledPayouts(commands: readonly MoneyCommand[]): readonly MoneyCommand[] {
  return inStage(commands, 'payout', 'moved').filter(
    ({ settlements }) => standingSettlement(settlements) === null,
  );
}

function byHandOf(commands: readonly MoneyCommand[], kind: 'payout' | 'refund'): bigint {
  const byHand = inStage(commands, kind, 'moved').filter(isByHand);
  return sum(byHand.map(({ amount }) => amount.amountMinor));
}

/** The partner never got this payout or refund (money-decision.ts). */
function isByHand({ partnerRef, lastSentAtMs }: MoneyCommand): boolean {
  return partnerRef === null && lastSentAtMs === null;
}

/** Payouts that are not sent: money is held for them. */
export function plannedMinor(commands: readonly MoneyCommand[]): bigint {
  return total(commands, 'payout', 'planned');
}

/** A pay-in whose money arrived and did not go back: it can be paid out. */
export function hasMoneyForPayouts({ kind, end, confirmedMinor }: MoneyCommand): boolean {
  return kind === 'payin' && end !== 'returned' && confirmedMinor > 0n;
}

/** What can be refunded from this pay-in: nothing once it was returned. */
export function refundableMinor(payin: MoneyCommand, commands: readonly MoneyCommand[]): bigint {
  if (payin.end === 'returned') return 0n;
  return payin.receivedMinor - refundsOf(payin, commands, ['planned', 'owed', 'moving', 'moved']);
}

export function fundsOf(was: Funds, commands: readonly MoneyCommand[]): Funds {
  const sums = sumsOf(commands);
  const amounts = {
    receivedMinor: sums.receivedMinor,
    payoutMinor: sums.payoutMinor,
    refundOwedMinor: sums.owedMinor,
    refundOrderedMinor: sums.orderedMinor,
    refundedMinor: sums.refundedMinor + sums.returnedMinor,
    lossMinor: sums.lossMinor,
    writtenOffMinor: was.writtenOffMinor < sums.lossMinor ? was.writtenOffMinor : sums.lossMinor,
  };
  const next = { ...was, ...amounts };
  const position = positionOf(sums, heldMinor(next), commands);
  const refund = refundStateOf(sums, commands);
  return Object.freeze({ ...next, position, refund });
}

/** The version aside. */
export function sameFunds(left: Funds, right: Funds): boolean {
  return (
    left.position === right.position &&
    left.refund === right.refund &&
    fundsAmounts.every((name) => left[name] === right[name])
  );
}

export const fundsAmounts = [
  'receivedMinor',
  'payoutMinor',
  'refundOwedMinor',
  'refundOrderedMinor',
  'refundedMinor',
  'lossMinor',
  'writtenOffMinor',
] as const satisfies readonly (keyof Funds)[];

/** The postings of a change of the commands, in the order in which money moves. */
export function postingsBetween(
  was: MoneySums,
  next: MoneySums,
  currency: string,
): readonly Posting[] {
  const rise = (name: keyof MoneySums) => next[name] - was[name];
  const owingMinor = rise('owedMinor') + rise('orderedMinor') + rise('refundedMinor');
  const byHandMinor = rise('byHandMinor');
  const moves = [
    ['receivedMinor', 'funds_received', 'buyer', 'partner_float', rise('receivedMinor')],
    ['lossMinor', 'loss', 'losses', 'partner_float', rise('lossMinor')],
    ['owedMinor', 'refund_owed', 'partner_float', 'refunds', owingMinor],
    ['refundedMinor', 'refund_paid', 'refunds', 'buyer', rise('refundedMinor') - byHandMinor],
    ['returnedMinor', 'returned_by_partner', 'partner_float', 'buyer', rise('returnedMinor')],
  ] as const;
  const postings = moves
    .filter(([, , , , amountMinor]) => amountMinor !== 0n)
    .map(([, kind, from, to, amountMinor]) => {
      const name = amountMinor < 0n ? reversals[kind] : kind;
      return posting(name, transfer(from, to, { amountMinor, currency }));
    });
  const paid = payoutPosting(
    {
      paidMinor: rise('paidMinor'),
      paidFeesMinor: rise('paidFeesMinor'),
      settledMinor: rise('settledMinor'),
    },
    currency,
  );
  const byHand = [
    byHandPosting(byHandMinor, currency),
    paid,
    payoutByHandPosting(rise('paidByHandMinor'), currency),
  ];
  return [...postings, ...byHand].filter((one) => one !== null);
}

/** The posting of a loss that is written off, or that was and is recovered. */
export function writeOffPostings(was: Funds, next: Funds): readonly Posting[] {
  const amountMinor = next.writtenOffMinor - was.writtenOffMinor;
  if (amountMinor === 0n) return [];
  const kind = amountMinor > 0n ? 'loss_written_off' : 'write_off_reversed';
  const money = { amountMinor, currency: next.currency };
  return [posting(kind, transfer('write_offs', 'losses', money))];
}

/** The operator paid the buyer, so the partner keeps what it held for the refund. */
function byHandPosting(amountMinor: bigint, currency: string): Posting | null {
  if (amountMinor === 0n) return null;
  const money = { amountMinor, currency };
  return posting(amountMinor > 0n ? 'refund_by_hand' : 'refund_by_hand_reversed', [
    ...transfer('refunds', 'partner_float', money),
    ...transfer('operator', 'buyer', money),
  ]);
}

/** The operator paid the seller, so the partner keeps what it held for the payout. */
function payoutByHandPosting(amountMinor: bigint, currency: string): Posting | null {
  if (amountMinor === 0n) return null;
  const kind = amountMinor > 0n ? 'payout_by_hand' : 'payout_by_hand_reversed';
  return posting(kind, transfer('operator', 'partner_float', { amountMinor, currency }));
}

/** The opposite of each posting. */
const reversals = {
  funds_received: 'funds_corrected',
  loss: 'loss_recovered',
  refund_owed: 'refund_withdrawn',
  refund_paid: 'refund_bounced',
  returned_by_partner: 'return_reversed',
} as const;

/** The expected balances of a payment's accounts; zero where absent. */
export function balancesOf(
  sums: MoneySums,
  { currency, writtenOffMinor }: Pick<Funds, 'currency' | 'writtenOffMinor'>,
): ReadonlyMap<string, bigint> {
  const paid = payoutPosting(sums, currency);
  const balances = new Map<string, bigint>();
  const add = (account: LedgerAccount, of: string, amountMinor: bigint) => {
    const name = balanceName(account, of);
    balances.set(name, (balances.get(name) ?? 0n) + amountMinor);
  };
  const backMinor = sums.refundedMinor + sums.returnedMinor;
  const owingMinor = sums.owedMinor + sums.orderedMinor;
  add('buyer', currency, backMinor - sums.receivedMinor);
  add('refunds', currency, owingMinor);
  add('losses', currency, writtenOffMinor - sums.lossMinor);
  add('write_offs', currency, -writtenOffMinor);
  const byHandMinor = sums.byHandMinor + sums.paidByHandMinor;
  add('operator', currency, -byHandMinor);
  const leftMinor = backMinor - byHandMinor + owingMinor;
  add('partner_float', currency, sums.receivedMinor + sums.lossMinor - leftMinor);
  for (const line of paid?.lines ?? [])
    add(line.account, line.money.currency, line.money.amountMinor);
  return balances;
}

export function balanceName(account: LedgerAccount, currency: string): string {
  return `${account} ${currency}`;
}

/** Payouts reached the seller; negative: they came back, so each line is reversed. */
function payoutPosting(
  {
    paidMinor,
    paidFeesMinor,
    settledMinor,
  }: Pick<MoneySums, 'paidMinor' | 'paidFeesMinor' | 'settledMinor'>,
  currency: string,
): Posting | null {
  if (paidMinor === 0n && paidFeesMinor === 0n && settledMinor === 0n) return null;
  const kind = paidMinor > 0n || settledMinor > 0n ? 'payout_paid' : 'payout_returned';
  const conversionMinor = paidMinor - paidFeesMinor;
  return posting(kind, [
    { account: 'partner_float', money: { amountMinor: -paidMinor, currency } },
    { account: 'fees', money: { amountMinor: paidFeesMinor, currency } },
    { account: 'conversion', money: { amountMinor: conversionMinor, currency } },
    ...transfer('conversion', 'seller', { amountMinor: settledMinor, currency: PAYOUT_CURRENCY }),
  ]);
}

function positionOf(sums: MoneySums, held: bigint, commands: readonly MoneyCommand[]): Position {
  const reviewed = commands.some(({ kind, review }) => kind !== 'refund' && review !== null);
  const isRefused = commands.some(isRefusedPayout);
  if (sums.needsReviewMinor > 0n || reviewed || isRefused) return 'needs_review';
  if (sums.paidMinor > 0n) return 'paid';
  if (sums.payoutMinor > 0n) return 'payout_ordered';
  if (sums.receivedMinor > 0n) return held > 0n ? 'received' : 'returned_to_buyer';
  return commands.some((command) => command.kind === 'payin' && isOpen(command))
    ? 'expected'
    : 'none';
}

function refundStateOf(sums: MoneySums, commands: readonly MoneyCommand[]): RefundState {
  if (commands.some((command) => command.kind === 'refund' && stageOf(command) === 'owed')) {
    return 'needs_review';
  }
  if (sums.owedMinor > 0n) return 'refund_owed';
  if (sums.orderedMinor > 0n) return 'refund_ordered';
  return sums.refundedMinor + sums.returnedMinor > 0n ? 'refunded' : 'none';
}

/**
 * A returned pay-in went back to the buyer, except for what refunds of the partner took or may
 * still take.
 */
function returnedOf(payin: MoneyCommand, commands: readonly MoneyCommand[]): bigint {
  if (payin.end !== 'returned') return 0n;
  const takenMinor = takenFrom(payin, commands);
  return payin.receivedMinor > takenMinor ? payin.receivedMinor - takenMinor : 0n;
}

/** What refunds of the partner took from this pay-in, or may still take. */
export function takenFrom(payin: MoneyCommand, commands: readonly MoneyCommand[]): bigint {
  const ofPartner = commands.filter((command) => !isByHand(command));
  return refundsOf(payin, ofPartner, ['moving', 'moved']);
}

function refundsOf(
  payin: MoneyCommand,
  commands: readonly MoneyCommand[],
  counted: readonly MoneyStage[],
): bigint {
  const refunds = commands.filter(
    (command) =>
      command.kind === 'refund' &&
      command.payinId === payin.id &&
      counted.includes(stageOf(command)),
  );
  return sum(refunds.map(({ amount }) => amount.amountMinor));
}

function total(
  commands: readonly MoneyCommand[],
  kind: 'payout' | 'refund',
  stage: MoneyStage,
): bigint {
  return sum(inStage(commands, kind, stage).map(({ amount }) => amount.amountMinor));
}

function inStage(
  commands: readonly MoneyCommand[],
  kind: 'payout' | 'refund',
  stage: MoneyStage,
): readonly MoneyCommand[] {
  return commands.filter((command) => command.kind === kind && stageOf(command) === stage);
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((whole, amount) => whole + amount, 0n);
}
