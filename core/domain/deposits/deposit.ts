// A deposit: a pay-in in the partner's books that nobody ordered, as a transfer into a virtual
// account. It is money once the partner reports it completed. Until it is assigned to a payment or
// goes back, it is in suspense. A withdrawal is its mirror: a payout that nobody ordered. All
// amounts of its postings have the opposite sign.
import { machine } from '../base/machine.js';
import { type Money, sameMoney } from '../base/money.js';
import type { Mode, Tenant } from '../base/tenant.js';
import type { Asset } from '../commands/asset.js';
import { reportEffect } from '../commands/command-report.js';
import type { CommandEnd } from '../commands/partner-command.js';
import type { ReportProblem } from '../commands/report-check.js';
import { type Posting, type PostingKind, posting } from '../payments/ledger.js';
import type { EntryKind } from './book-reading.js';
import type { MatchRule } from './deposit-match.js';

/**
 * `assigned`: its money counts as a pay-in of a payment. `returned`: the partner sent it back.
 * `refunded`: an operator paid it back. `resolved`: an operator booked it otherwise. `withdrawn`:
 * the operator has the money of a withdrawal. `own`: a command has its pay-in or payout.
 */
const depositMoves = {
  waiting: {
    assign: 'assigned',
    own: 'assigned',
    return: 'returned',
    refund: 'refunded',
    resolve: 'resolved',
    withdraw: 'withdrawn',
  },
  returned: { arrive: 'waiting', own: 'assigned' },
  assigned: {},
  refunded: {},
  resolved: { own: 'assigned' },
  withdrawn: {},
} as const;

export type DepositState = keyof typeof depositMoves;
const deposits = machine(depositMoves);
export const { states: depositStates, next: nextDepositState } = deposits;

export interface Deposit {
  readonly id: string;
  readonly partner: string;
  readonly mode: Mode;
  /** `payout`: it is a withdrawal. */
  readonly book: EntryKind;
  /** The partner's id of the pay-in or payout. */
  readonly partnerRef: string;
  /** The partner's id of the party whose account received it. */
  readonly partyRef: string | null;
  /** The organization of that party, or of the payment; null if unknown. */
  readonly orgId: string | null;
  /** The connected account of that party; null for the organization itself. */
  readonly accountId: string | null;
  readonly amount: Money;
  /** Its end at the partner. */
  readonly end: CommandEnd;
  readonly state: DepositState;
  /** What the bank says about the payer, as JSON, sealed. */
  readonly payerSealed: string | null;
  readonly transactionHash: string | null;
  readonly asset: Asset | null;
  /**
   * Name the payment of an assigned deposit, and the rule that found it; null: an operator. Of one
   * that was split, the first payment.
   */
  readonly paymentId: string | null;
  readonly rule: MatchRule | null;
  /** The consolidated payment among which it was split (consolidated-payment.ts). */
  readonly consolidatedReference: string | null;
  /** When the partner entered it. */
  readonly enteredAtMs: number;
  readonly completedAtMs: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly version: number;
}

/** What the partner's books say of a deposit. */
export interface DepositFacts {
  readonly status: CommandEnd;
  readonly amount: Money;
  readonly transactionHash?: string | null;
  readonly asset?: Asset | null;
}

type FirstFacts =
  | 'id'
  | 'partner'
  | 'mode'
  | 'book'
  | 'partnerRef'
  | 'partyRef'
  | 'orgId'
  | 'accountId';

/** Whether money is here or on its way: a pay-in without money does not become a deposit. */
export function hasMoney({ status, amount }: DepositFacts): boolean {
  return (status === 'open' || status === 'completed') && amount.amountMinor > 0n;
}

/** Before its first read. */
export function newDeposit(
  known: Pick<Deposit, FirstFacts | 'amount' | 'payerSealed' | 'enteredAtMs'>,
  nowMs: number,
): Deposit {
  return Object.freeze({
    ...known,
    end: 'open',
    state: 'waiting',
    transactionHash: null,
    asset: null,
    paymentId: null,
    rule: null,
    consolidatedReference: null,
    completedAtMs: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    version: 1,
  });
}

/** Whether a read changes nothing. What is off about one that was split waits for an operator. */
export function isCurrentDeposit(deposit: Deposit, facts: DepositFacts): boolean {
  const { status, amount } = facts;
  if (deposit.consolidatedReference !== null) {
    return deposit.end === status && (status !== 'completed' || sameMoney(deposit.amount, amount));
  }
  const read = readAgain(deposit, facts, deposit.updatedAtMs);
  return deposit.end === read.end && sameMoney(deposit.amount, read.amount);
}

/**
 * The deposit after a read. The amount of one that was decided stays, unless it was split: its
 * shares follow. A larger one is split once the end is known, by what the payments lack then.
 */
export function readAgain(deposit: Deposit, facts: DepositFacts, nowMs: number): Deposit {
  const isApplied = reportEffect(deposit.end, facts.status, true) === 'apply';
  const end = isApplied ? facts.status : deposit.end;
  const state = stateAfter(deposit.state, end);
  const { amountMinor } = facts.amount;
  const isSplit = deposit.consolidatedReference !== null && facts.status === 'completed';
  const follows = isSplit && (end === deposit.end || amountMinor < deposit.amount.amountMinor);
  const isCorrected = (state === 'waiting' || follows) && amountMinor > 0n;
  const amount = isCorrected ? facts.amount : deposit.amount;
  return Object.freeze({
    ...deposit,
    end,
    state,
    amount,
    transactionHash: facts.transactionHash ?? deposit.transactionHash,
    asset: facts.asset ?? deposit.asset,
    completedAtMs: end === 'completed' ? (deposit.completedAtMs ?? nowMs) : deposit.completedAtMs,
    updatedAtMs: nowMs,
  });
}

/** Where its money goes. Of an assigned one, the books are compared with the payment's pay-in. */
export function decideDeposit(
  deposit: Deposit,
  move: 'assign' | 'own' | 'refund' | 'resolve' | 'withdraw',
  given: Partial<Pick<Deposit, 'orgId' | 'paymentId' | 'rule' | 'consolidatedReference'>>,
  nowMs: number,
): Deposit {
  const state = deposits.step(deposit.state, move);
  return Object.freeze({ ...deposit, ...given, state, updatedAtMs: nowMs });
}

/** Its money is here and nobody has decided on it. */
export const unmatched = { state: 'waiting', end: 'completed' } as const;

export function isUnmatched({ state, end }: Pick<Deposit, 'state' | 'end'>): boolean {
  return state === unmatched.state && end === unmatched.end;
}

const decisionTexts: Readonly<Record<DepositState, string | null>> = {
  waiting: null,
  returned: null,
  assigned: 'counts as another pay-in',
  refunded: 'was paid back by an operator',
  resolved: 'was settled otherwise by an operator: acceptance takes that back',
  withdrawn: 'was booked as withdrawn by an operator',
};

/**
 * Why a report of another pay-in command with its id waits for an operator: its money is booked
 * once. Null if nobody has decided on it.
 */
export function decisionProblem({ id, state }: Deposit): ReportProblem | null {
  const text = decisionTexts[state];
  if (text === null) return null;
  const kind = nextDepositState(state, 'own') === null ? 'unusable' : 'implausible';
  return { kind, text: `the money of ${id} ${text}` };
}

function stateAfter(state: DepositState, end: CommandEnd): DepositState {
  const move = end === 'returned' ? 'return' : end === 'completed' ? 'arrive' : null;
  return (move === null ? null : nextDepositState(state, move)) ?? state;
}

const depositAccounts = ['buyer', 'partner_float', 'suspense', 'adjustments', 'operator'] as const;
type DepositAccount = (typeof depositAccounts)[number];

/** Deposits have no organization in the ledger: that of a deposit may become known later. */
export function depositTenant({ mode }: Pick<Deposit, 'mode'>): Tenant {
  return { orgId: '', mode };
}

/**
 * The expected balances, in minor units. A refund by hand leaves the money with the partner. What
 * the operator withdrew is that money: it leaves the float. An assigned deposit is in the books of
 * its payment.
 */
export function depositBalances({
  book,
  state,
  end,
  amount: { amountMinor },
}: Pick<Deposit, 'book' | 'state' | 'end' | 'amount'>): Readonly<Record<DepositAccount, bigint>> {
  const sign = book === 'payout' ? -1n : 1n;
  const hereMinor = end === 'completed' ? sign * amountMinor : 0n;
  const float = state === 'withdrawn' ? hereMinor : 0n;
  const suspense = state === 'waiting' ? hereMinor : 0n;
  const adjustments = state === 'refunded' || state === 'resolved' ? hereMinor : 0n;
  const operator = state === 'refunded' ? -amountMinor : -float;
  const buyer = -float - suspense - adjustments - operator;
  return { buyer, partner_float: float, suspense, adjustments, operator };
}

/**
 * The posting of a change; null if no money moves. A new deposit has no `was`. Both states have
 * their own currency: the books may correct it.
 */
export function depositPosting(was: Deposit | null, next: Deposit): Posting | null {
  const states = was === null ? [next] : [was, next];
  const currencies = new Set(states.map(({ amount }) => amount.currency));
  const lines = [...currencies].flatMap((currency) =>
    depositAccounts.map((account) => {
      const hadMinor = was === null ? 0n : balanceIn(was, account, currency);
      const amountMinor = balanceIn(next, account, currency) - hadMinor;
      return { account, money: { amountMinor, currency } };
    }),
  );
  const made = posting(kindOf(was, next), lines);
  return made.lines.length === 0 ? null : made;
}

function balanceIn(deposit: Deposit, account: DepositAccount, currency: string): bigint {
  return deposit.amount.currency === currency ? depositBalances(deposit)[account] : 0n;
}

const decided = {
  assigned: 'deposit_assigned',
  refunded: 'refund_by_hand',
  resolved: 'deposit_resolved',
  withdrawn: 'deposit_resolved',
} as const;

function kindOf(was: Deposit | null, { book, state, end }: Deposit): PostingKind {
  if (was?.state !== state && state !== 'waiting' && state !== 'returned') return decided[state];
  if (was?.end === end) return 'funds_corrected';
  if (book === 'payout') return end === 'completed' ? 'payout_paid' : 'payout_returned';
  return end === 'completed' ? 'funds_received' : 'returned_by_partner';
}

export function payerPurpose({ id }: Pick<Deposit, 'id'>): string {
  return `deposit-payer:${id}`;
}
