// The books of the settlement partner about money: every command that it took and how each stands.
// They judge ours. What a payment loses because a bank changed its mind is written down beside
// them, because no caller could have prevented it.
import type { Money } from '../../../core/domain/base/money.js';
import type { Mode } from '../../../core/domain/base/tenant.js';
import type { SettlementFacts } from '../../../core/domain/payments/payment.js';

export type TransactionKind = 'payin' | 'payout' | 'refund';
export type TransactionStatus = 'open' | 'completed' | 'failed' | 'returned';

export interface PartnerTransaction {
  readonly kind: TransactionKind;
  readonly mode: Mode;
  readonly ref: string;
  /** Ours: the idempotency key too. */
  readonly reference: string;
  readonly request: string;
  readonly amount: Money;
  /** Of a payout: what its completion brings. */
  readonly settlement: SettlementFacts | null;
  /** Of a refund: the pay-in that it takes from. */
  readonly payinRef: string | null;
  /** Its answer was a refusal, and was final. */
  readonly takenAfterRefusal: boolean;
  readonly takenAtMs: number;
  status: TransactionStatus;
  /** Of a pay-in: all that the buyer ever sent. */
  receivedMinor: bigint;
  /** How it stood at any time, oldest first. */
  readonly history: TransactionState[];
}

export interface TransactionState {
  readonly status: TransactionStatus;
  readonly receivedMinor: bigint;
}

/** What the commands of one payment come to; minor units. */
export interface BookSums {
  readonly receivedMinor: bigint;
  /** Payouts that were carried out, and those that may be: under way, or in review. */
  readonly paidMinor: bigint;
  readonly movingMinor: bigint;
  readonly needsReviewMinor: bigint;
  readonly refundedMinor: bigint;
  readonly refundingMinor: bigint;
  /** What went back to the buyer with a returned pay-in. */
  readonly returnedMinor: bigint;
}

export class PartnerLedger {
  readonly transactions: PartnerTransaction[] = [];
  /** Raised by every change of a command. */
  changes = 0;
  readonly #ownerOf: (reference: string) => string | null;
  readonly #excused = new Map<PartnerTransaction, bigint>();
  readonly #surprises = new Set<PartnerTransaction>();
  /** Messages that do not say how a command stands. */
  readonly falseMessages = new Set<string>();
  /** When the caller last looked a command up, by its reference. */
  readonly lookedUpAtMs = new Map<string, number>();

  /** `ownerOf` yields the payment that a reference belongs to. */
  constructor(ownerOf: (reference: string) => string | null) {
    this.#ownerOf = ownerOf;
  }

  /** All commands of the payment that this reference belongs to. */
  siblings(reference: string): readonly PartnerTransaction[] {
    const owner = this.#ownerOf(reference);
    return this.transactions.filter(
      (transaction) => this.#ownerOf(transaction.reference) === owner,
    );
  }

  /** Changes a command for a reason of the banks. */
  change(
    transaction: PartnerTransaction,
    status: TransactionStatus,
    receivedMinor = transaction.receivedMinor,
  ): void {
    const before = lostMinor(sumsOf(this.siblings(transaction.reference)));
    const isSurprise = transaction.status !== 'open' || status === 'returned';
    const isOther = status !== transaction.status || receivedMinor < transaction.receivedMinor;
    if (isSurprise && isOther) this.#surprises.add(transaction);
    transaction.status = status;
    transaction.receivedMinor = receivedMinor;
    transaction.history.push({ status, receivedMinor });
    this.changes += 1;
    const more = lostMinor(sumsOf(this.siblings(transaction.reference))) - before;
    if (more > 0n) this.#excused.set(transaction, (this.#excused.get(transaction) ?? 0n) + more);
  }

  /** What this payment lost by changes of the banks. */
  excusedMinor(owner: string): bigint {
    return [...this.#excused]
      .filter(([{ reference }]) => this.#ownerOf(reference) === owner)
      .reduce((sum, [, excused]) => sum + excused, 0n);
  }

  /** Whether a command of this payment went back, or from one end to another. */
  isSurprised(reference: string): boolean {
    return this.siblings(reference).some((transaction) => this.#surprises.has(transaction));
  }

  /** What the partner holds for the payment and has not promised to anybody. */
  freeMinor(reference: string): bigint {
    const sums = sumsOf(this.siblings(reference));
    return sums.receivedMinor - outMinor(sums);
  }

  /** What of a pay-in is neither refunded nor returned. */
  refundableMinor(payin: PartnerTransaction): bigint {
    if (payin.status === 'returned') return 0n;
    return payin.receivedMinor - refundsOf(payin, this.transactions);
  }
}

export function sumsOf(transactions: readonly PartnerTransaction[]): BookSums {
  const sum = (kind: TransactionKind, status: TransactionStatus) =>
    transactions
      .filter((transaction) => transaction.kind === kind && transaction.status === status)
      .reduce((total, { amount }) => total + amount.amountMinor, 0n);
  const payins = transactions.filter(({ kind }) => kind === 'payin');
  return {
    receivedMinor: payins.reduce((total, { receivedMinor }) => total + receivedMinor, 0n),
    paidMinor: sum('payout', 'completed'),
    movingMinor: sum('payout', 'open'),
    needsReviewMinor: sum('payout', 'failed'),
    refundedMinor: sum('refund', 'completed'),
    refundingMinor: sum('refund', 'open'),
    returnedMinor: payins.reduce((total, payin) => total + returnedOf(payin, transactions), 0n),
  };
}

/** What left the partner for this payment, or may have left it. */
export function outMinor(sums: BookSums): bigint {
  const payouts = sums.paidMinor + sums.movingMinor + sums.needsReviewMinor;
  return payouts + sums.refundedMinor + sums.refundingMinor + sums.returnedMinor;
}

/** What left beyond what the buyer sent. */
export function lostMinor(sums: BookSums): bigint {
  const lost = outMinor(sums) - sums.receivedMinor;
  return lost > 0n ? lost : 0n;
}

/** The largest total that was ever reported of it. */
export function mostReceived({ history }: PartnerTransaction): bigint {
  return history.reduce(
    (most, { receivedMinor }) => (receivedMinor > most ? receivedMinor : most),
    0n,
  );
}

/** Whether the command ever stood so. */
export function wasEver(transaction: PartnerTransaction, status: TransactionStatus): boolean {
  return transaction.history.some((state) => state.status === status);
}

/** A returned pay-in gave back all that no refund of it took, or may still take. */
function returnedOf(
  payin: PartnerTransaction,
  transactions: readonly PartnerTransaction[],
): bigint {
  if (payin.status !== 'returned') return 0n;
  const left = payin.receivedMinor - refundsOf(payin, transactions);
  return left > 0n ? left : 0n;
}

function refundsOf(payin: PartnerTransaction, transactions: readonly PartnerTransaction[]): bigint {
  return transactions
    .filter(({ kind, payinRef, status }) => {
      return kind === 'refund' && payinRef === payin.ref && status !== 'failed';
    })
    .reduce((total, { amount }) => total + amount.amountMinor, 0n);
}
