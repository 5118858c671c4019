// A receipt: a pay-in in the partner's books that nobody ordered, as a transfer into a virtual
// account. It is money once the partner reports it completed. Until it is assigned to a payment or
// goes back, it is in suspense.
import { machine } from '../base/machine.js';
import type { Money } from '../base/money.js';
import type { Mode, Tenant } from '../base/tenant.js';
import { reportEffect } from '../commands/command-report.js';
import type { CommandEnd } from '../commands/partner-command.js';
import { type Posting, type PostingKind, posting } from '../payments/ledger.js';
import type { MatchRule } from './receipt-match.js';

/**
 * `assigned`: its money counts as a pay-in of a payment. `returned`: the partner sent it back.
 * `refunded`: an operator paid it back. `resolved`: an operator booked it otherwise.
 */
export const receiptMoves = {
  waiting: { assign: 'assigned', return: 'returned', refund: 'refunded', resolve: 'resolved' },
  returned: { arrive: 'waiting' },
  assigned: {},
  refunded: {},
  resolved: {},
} as const;

export type ReceiptState = keyof typeof receiptMoves;
const receipts = machine(receiptMoves);
export const { states: receiptStates, next: nextReceiptState } = receipts;

export interface Receipt {
  readonly id: string;
  readonly partner: string;
  readonly mode: Mode;
  /** The partner's id of the pay-in. */
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
  readonly state: ReceiptState;
  /** What the bank says about the payer, as JSON, sealed. */
  readonly payerSealed: string | null;
  readonly transactionHash: string | null;
  /** Name the payment of an assigned receipt, and the rule that found it; null: a person. */
  readonly paymentId: string | null;
  readonly rule: MatchRule | null;
  /** When the partner entered it. */
  readonly enteredAtMs: number;
  readonly completedAtMs: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly version: number;
}

/** What the partner's books say of a receipt. */
export interface ReceiptFacts {
  readonly status: CommandEnd;
  readonly amount: Money;
  readonly transactionHash?: string | null;
}

type FirstFacts = 'id' | 'partner' | 'mode' | 'partnerRef' | 'partyRef' | 'orgId' | 'accountId';

/** Whether money is here or on its way: a pay-in without money does not become a receipt. */
export function hasMoney({ status, amount }: ReceiptFacts): boolean {
  return (status === 'open' || status === 'completed') && amount.amountMinor > 0n;
}

/** Before its first read. */
export function newReceipt(
  known: Pick<Receipt, FirstFacts | 'amount' | 'payerSealed' | 'enteredAtMs'>,
  nowMs: number,
): Receipt {
  return Object.freeze({
    ...known,
    end: 'open',
    state: 'waiting',
    transactionHash: null,
    paymentId: null,
    rule: null,
    completedAtMs: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    version: 1,
  });
}

/** The receipt after a read. The amount of one that was decided stays. */
export function readAgain(receipt: Receipt, facts: ReceiptFacts, nowMs: number): Receipt {
  const applies = reportEffect(receipt.end, facts.status, true) === 'apply';
  const end = applies ? facts.status : receipt.end;
  const state = stateAfter(receipt.state, end);
  const isCorrected = state === 'waiting' && facts.amount.amountMinor > 0n;
  const amount = isCorrected ? facts.amount : receipt.amount;
  return Object.freeze({
    ...receipt,
    end,
    state,
    amount,
    transactionHash: facts.transactionHash ?? receipt.transactionHash,
    completedAtMs: end === 'completed' ? (receipt.completedAtMs ?? nowMs) : receipt.completedAtMs,
    updatedAtMs: nowMs,
  });
}

/** Where its money goes. Of an assigned one, the books are compared with the payment's pay-in. */
export function decideReceipt(
  receipt: Receipt,
  move: 'assign' | 'refund' | 'resolve',
  given: Partial<Pick<Receipt, 'orgId' | 'paymentId' | 'rule'>>,
  nowMs: number,
): Receipt {
  const state = receipts.step(receipt.state, move);
  return Object.freeze({ ...receipt, ...given, state, updatedAtMs: nowMs });
}

/** Its money is here and nobody has decided on it. */
export const unmatched = { state: 'waiting', end: 'completed' } as const;

export function isUnmatched({ state, end }: Pick<Receipt, 'state' | 'end'>): boolean {
  return state === unmatched.state && end === unmatched.end;
}

function stateAfter(state: ReceiptState, end: CommandEnd): ReceiptState {
  const move = end === 'returned' ? 'return' : end === 'completed' ? 'arrive' : null;
  return (move === null ? null : nextReceiptState(state, move)) ?? state;
}

const receiptAccounts = ['buyer', 'suspense', 'adjustments', 'operator'] as const;
type ReceiptAccount = (typeof receiptAccounts)[number];

/** Receipts have no organization in the ledger: that of a receipt may become known later. */
export function receiptTenant({ mode }: Pick<Receipt, 'mode'>): Tenant {
  return { orgId: '', mode };
}

/**
 * The expected balances, in minor units. A refund by hand leaves the money with the partner. An
 * assigned receipt is in the books of its payment.
 */
export function receiptBalances({
  state,
  end,
  amount: { amountMinor },
}: Pick<Receipt, 'state' | 'end' | 'amount'>): Readonly<Record<ReceiptAccount, bigint>> {
  const hereMinor = end === 'completed' ? amountMinor : 0n;
  const suspense = state === 'waiting' ? hereMinor : 0n;
  const adjustments = state === 'refunded' || state === 'resolved' ? hereMinor : 0n;
  const operator = state === 'refunded' ? -amountMinor : 0n;
  return { buyer: -suspense - adjustments - operator, suspense, adjustments, operator };
}

/** The posting of a change; null if no money moves. A new receipt has no `was`. */
export function receiptPosting(was: Receipt | null, next: Receipt): Posting | null {
  const [before, after] = [was === null ? null : receiptBalances(was), receiptBalances(next)];
  const { currency } = next.amount;
  const lines = receiptAccounts.map((account) => {
    const amountMinor = after[account] - (before?.[account] ?? 0n);
    return { account, money: { amountMinor, currency } };
  });
  const made = posting(kindOf(was, next), lines);
  return made.lines.length === 0 ? null : made;
}

const decided = {
  assigned: 'receipt_assigned',
  refunded: 'refund_by_hand',
  resolved: 'receipt_resolved',
} as const;

function kindOf(was: Receipt | null, { state, end }: Receipt): PostingKind {
  if (was?.state !== state && state !== 'waiting' && state !== 'returned') return decided[state];
  if (was?.end === end) return 'funds_corrected';
  return end === 'completed' ? 'funds_received' : 'returned_by_partner';
}

export function payerPurpose({ id }: Pick<Receipt, 'id'>): string {
  return `receipt-payer:${id}`;
}
