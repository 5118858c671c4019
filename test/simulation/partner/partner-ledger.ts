// The books of the settlement partner about money: every command that it took and how each stands.
// They judge ours. What a payment loses because a bank changed its mind is written down beside
// them, because no caller could have prevented it.
import type { Money } from '../../../core/domain/base/money.js';
import type { Mode } from '../../../core/domain/base/tenant.js';
import type { SettlementFacts } from '../../../core/domain/commands/settlement.js';

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
  /** No command ordered it. */
  readonly collected?: Collected;
  /** What has arrived in another currency: it does not count until the partner corrects it. */
  foreign?: Money | undefined;
  /** Of what one payment got of a transfer: that transfer. */
  readonly whole?: PartnerTransaction;
  status: TransactionStatus;
  /** Of a pay-in: all that the buyer ever sent. */
  receivedMinor: bigint;
  /** How it stood at any time, oldest first. */
  readonly history: TransactionState[];
}

export interface Collected {
  /** What the payer of a transfer wrote, and who received it. */
  readonly reference: string | null;
  readonly partyRef: string | null;
  /** The reference of the command that the partner has executed once more. */
  readonly repeats: string | null;
}

/** A payment that got money of a transfer, and how much so far; null: all of it. */
export interface ShareHolder {
  readonly owner: string;
  readonly claimMinor: bigint | null;
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
  readonly #transfers: PartnerTransaction[] = [];
  /** Raised by every change of a command. */
  changes = 0;
  readonly #ownerOf: (reference: string) => string | null;
  readonly #holdersOf: (transfer: PartnerTransaction) => readonly ShareHolder[];
  readonly #excusedShares = new Map<string, bigint>();
  readonly #excused = new Map<PartnerTransaction, bigint>();
  readonly #surprises = new Set<PartnerTransaction>();
  /** Messages that do not say how a command stands. */
  readonly falseMessages = new Set<string>();
  /** When the caller last looked a command up, by its reference. */
  readonly lookedUpAtMs = new Map<string, number>();

  /**
   * `ownerOf` yields the payment that a reference belongs to, `holdersOf` the payments that got a
   * transfer, in the order in which they were paid.
   */
  constructor(
    ownerOf: (reference: string) => string | null,
    holdersOf: (transfer: PartnerTransaction) => readonly ShareHolder[],
  ) {
    this.#ownerOf = ownerOf;
    this.#holdersOf = holdersOf;
  }

  get transfers(): readonly PartnerTransaction[] {
    return this.#transfers;
  }

  take(transaction: PartnerTransaction): void {
    this.transactions.push(transaction);
    const isTransfer = transaction.kind === 'payin' && transaction.collected !== undefined;
    if (isTransfer) this.#transfers.push(transaction);
  }

  /** What this payment got of transfers that no command ordered. */
  sharesFor(owner: string, isKnown = false): readonly PartnerTransaction[] {
    return this.#transfers.flatMap((transfer) =>
      this.sharesOf(transfer, isKnown).flatMap((share) =>
        share.owner === owner ? [share.got] : [],
      ),
    );
  }

  /**
   * What went back of each share, then the shares, oldest first: each is full before the next, and
   * the last one has the rest. `isKnown`: without the rest, which others may get once it is split.
   * A rest that went back first is never split.
   */
  sharesOf(
    transfer: PartnerTransaction,
    isKnown = false,
  ): readonly { readonly owner: string; readonly got: PartnerTransaction }[] {
    const holders = this.#holdersOf(transfer);
    const [first] = holders;
    if (first?.claimMinor === null) return [{ owner: first.owner, got: transfer }];
    const hasRest = !isKnown && transfer.status !== 'returned';
    // A refund is of its transfer: nobody else has what went back.
    const back = holders.map(({ owner, claimMinor }) => {
      const refunds = this.transactions.filter(
        ({ reference }) => this.#ownerOf(reference) === owner,
      );
      return smaller(refundsOf(transfer, refunds), claimMinor ?? 0n);
    });
    const kept = holders.map(({ claimMinor }, at) => (claimMinor ?? 0n) - (back[at] ?? 0n));
    const partOf = (at: number, totalMinor: bigint) => {
      const parts = filled(totalMinor, [...back, ...kept]);
      const restMinor = totalMinor - parts.reduce((sum, part) => sum + part, 0n);
      const isLast = at === holders.length - 1;
      const ownMinor = (parts[at] ?? 0n) + (parts[holders.length + at] ?? 0n);
      return isLast && hasRest ? ownMinor + restMinor : ownMinor;
    };
    return holders.map(({ owner, claimMinor }, at) => ({
      owner,
      got: {
        ...transfer,
        whole: transfer,
        amount: { ...transfer.amount, amountMinor: claimMinor ?? 0n },
        receivedMinor: partOf(at, transfer.receivedMinor),
        history: transfer.history.map((state) => ({
          ...state,
          receivedMinor: partOf(at, state.receivedMinor),
        })),
      },
    }));
  }

  /** All commands of the payment that this reference belongs to. */
  siblings(reference: string, isKnown = false): readonly PartnerTransaction[] {
    const owner = this.#ownerOf(reference);
    const own = this.transactions.filter(
      (transaction) => this.#ownerOf(transaction.reference) === owner,
    );
    return owner === null ? own : [...own, ...this.sharesFor(owner, isKnown)];
  }

  /** Changes a command for a reason of the banks. */
  change(
    transaction: PartnerTransaction,
    status: TransactionStatus,
    receivedMinor = transaction.receivedMinor,
  ): void {
    const lostByTransfer = this.#lostByTransfer(transaction);
    const before = lostMinor(sumsOf(this.siblings(transaction.reference, true)));
    const isSurprise = transaction.status !== 'open' || status === 'returned';
    const isOther = status !== transaction.status || receivedMinor < transaction.receivedMinor;
    if (isSurprise && isOther) this.#surprises.add(transaction);
    transaction.status = status;
    transaction.receivedMinor = receivedMinor;
    transaction.history.push({ status, receivedMinor });
    this.changes += 1;
    if (transaction.collected !== undefined) {
      for (const [owner, lost] of this.#lostByTransfer(transaction)) {
        const moreMinor = lost - (lostByTransfer.get(owner) ?? 0n);
        const excused = this.#excusedShares.get(owner) ?? 0n;
        if (moreMinor > 0n) this.#excusedShares.set(owner, excused + moreMinor);
      }
      return;
    }
    const more = lostMinor(sumsOf(this.siblings(transaction.reference, true))) - before;
    if (more > 0n) this.#excused.set(transaction, (this.#excused.get(transaction) ?? 0n) + more);
  }

  /** By payment that got money of it. */
  #lostByTransfer(transfer: PartnerTransaction): ReadonlyMap<string, bigint> {
    if (transfer.collected === undefined) return new Map();
    const lost = this.sharesOf(transfer).map(({ owner }) => {
      const own = this.transactions.filter(({ reference }) => this.#ownerOf(reference) === owner);
      return [owner, lostMinor(sumsOf([...own, ...this.sharesFor(owner, true)]))] as const;
    });
    return new Map(lost);
  }

  /** What this payment lost by changes of the banks. */
  excusedMinor(owner: string): bigint {
    const ofShares = this.#excusedShares.get(owner) ?? 0n;
    return [...this.#excused]
      .filter(([{ reference }]) => this.#ownerOf(reference) === owner)
      .reduce((sum, [, excused]) => sum + excused, ofShares);
  }

  /** Whether a command of this payment went back, or from one end to another. */
  isSurprised(reference: string): boolean {
    return this.siblings(reference).some((one) => this.#surprises.has(one.whole ?? one));
  }

  /** What the partner holds for the payment and has not promised to anybody. */
  freeMinor(reference: string): bigint {
    const sums = sumsOf(this.siblings(reference));
    return sums.receivedMinor - outMinor(sums);
  }

  /** What of a pay-in of this payment is neither refunded nor returned. */
  refundableMinor(reference: string, payin: PartnerTransaction): bigint {
    if (payin.status === 'returned') return 0n;
    return payin.receivedMinor - refundsOf(payin, this.siblings(reference));
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

/** What of the total each claim gets, full before the next. */
function filled(totalMinor: bigint, claimsMinor: readonly bigint[]): readonly bigint[] {
  let leftMinor = totalMinor;
  return claimsMinor.map((claimMinor) => {
    const partMinor = smaller(leftMinor, claimMinor);
    leftMinor -= partMinor;
    return partMinor;
  });
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

export function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}

function refundsOf(payin: PartnerTransaction, transactions: readonly PartnerTransaction[]): bigint {
  return transactions
    .filter(({ kind, payinRef, status }) => {
      return kind === 'refund' && payinRef === payin.ref && status !== 'failed';
    })
    .reduce((total, { amount }) => total + amount.amountMinor, 0n);
}
