// The books of the settlement partner about money: every order that it took and how each stands.
// They judge ours. What a payment loses because a bank changed its mind is written down beside
// them, because no caller could have prevented it.
import type { Money } from '../../core/domain/money.js';
import type { SettlementFacts } from '../../core/domain/payment.js';
import type { Mode } from '../../core/domain/tenant.js';

export type OrderKind = 'payin' | 'payout' | 'refund';
export type OrderStatus = 'open' | 'completed' | 'failed' | 'returned';

export interface PartnerOrder {
  readonly kind: OrderKind;
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
  status: OrderStatus;
  /** Of a pay-in: all that the buyer ever sent. */
  receivedMinor: bigint;
  /** How it stood at any time, oldest first. */
  readonly history: OrderState[];
}

export interface OrderState {
  readonly status: OrderStatus;
  readonly receivedMinor: bigint;
}

/** What the orders of one payment come to; minor units. */
export interface BookSums {
  readonly receivedMinor: bigint;
  /** Payouts that were carried out, and those that may be: under way, or out of sight. */
  readonly paidMinor: bigint;
  readonly movingMinor: bigint;
  readonly missingMinor: bigint;
  readonly refundedMinor: bigint;
  readonly refundingMinor: bigint;
  /** What went back to the buyer with a returned pay-in. */
  readonly returnedMinor: bigint;
}

export class PartnerLedger {
  readonly orders: PartnerOrder[] = [];
  /** Raised by every change of an order. */
  changes = 0;
  readonly #ownerOf: (reference: string) => string | null;
  readonly #excused = new Map<PartnerOrder, bigint>();
  readonly #surprises = new Set<PartnerOrder>();
  /** Messages that do not say how an order stands. */
  readonly falseMessages = new Set<string>();
  /** When the caller last looked an order up, by its reference. */
  readonly lookedUpAtMs = new Map<string, number>();

  /** `ownerOf` yields the payment that a reference belongs to. */
  constructor(ownerOf: (reference: string) => string | null) {
    this.#ownerOf = ownerOf;
  }

  /** All orders of the payment that this reference belongs to. */
  siblings(reference: string): readonly PartnerOrder[] {
    const owner = this.#ownerOf(reference);
    return this.orders.filter((order) => this.#ownerOf(order.reference) === owner);
  }

  /** Changes an order for a reason of the banks. */
  change(order: PartnerOrder, status: OrderStatus, receivedMinor = order.receivedMinor): void {
    const before = lostMinor(sumsOf(this.siblings(order.reference)));
    const isSurprise = order.status !== 'open' || status === 'returned';
    if (isSurprise && status !== order.status) this.#surprises.add(order);
    order.status = status;
    order.receivedMinor = receivedMinor;
    order.history.push({ status, receivedMinor });
    this.changes += 1;
    const more = lostMinor(sumsOf(this.siblings(order.reference))) - before;
    if (more > 0n) this.#excused.set(order, (this.#excused.get(order) ?? 0n) + more);
  }

  /** What this payment lost by changes of the banks. */
  excusedMinor(owner: string): bigint {
    return [...this.#excused]
      .filter(([{ reference }]) => this.#ownerOf(reference) === owner)
      .reduce((sum, [, excused]) => sum + excused, 0n);
  }

  /** Whether an order of this payment went back, or from one end to another. */
  isSurprised(reference: string): boolean {
    return this.siblings(reference).some((order) => this.#surprises.has(order));
  }

  /** What the partner holds for the payment and has not promised to anybody. */
  freeMinor(reference: string): bigint {
    const sums = sumsOf(this.siblings(reference));
    return sums.receivedMinor - outMinor(sums);
  }

  /** What of a pay-in is neither refunded nor returned. */
  refundableMinor(payin: PartnerOrder): bigint {
    if (payin.status === 'returned') return 0n;
    return payin.receivedMinor - refundsOf(payin, this.orders);
  }
}

export function sumsOf(orders: readonly PartnerOrder[]): BookSums {
  const sum = (kind: OrderKind, status: OrderStatus) =>
    orders
      .filter((order) => order.kind === kind && order.status === status)
      .reduce((total, { amount }) => total + amount.amountMinor, 0n);
  const payins = orders.filter(({ kind }) => kind === 'payin');
  return {
    receivedMinor: payins.reduce((total, { receivedMinor }) => total + receivedMinor, 0n),
    paidMinor: sum('payout', 'completed'),
    movingMinor: sum('payout', 'open'),
    missingMinor: sum('payout', 'failed'),
    refundedMinor: sum('refund', 'completed'),
    refundingMinor: sum('refund', 'open'),
    returnedMinor: payins.reduce((total, payin) => total + returnedOf(payin, orders), 0n),
  };
}

/** What left the partner for this payment, or may have left it. */
export function outMinor(sums: BookSums): bigint {
  const payouts = sums.paidMinor + sums.movingMinor + sums.missingMinor;
  return payouts + sums.refundedMinor + sums.refundingMinor + sums.returnedMinor;
}

/** What left beyond what the buyer sent. */
export function lostMinor(sums: BookSums): bigint {
  const lost = outMinor(sums) - sums.receivedMinor;
  return lost > 0n ? lost : 0n;
}

/** Whether the order ever stood so. */
export function wasEver(order: PartnerOrder, status: OrderStatus): boolean {
  return order.history.some((state) => state.status === status);
}

/** A returned pay-in gave back all that no refund of it took, or may still take. */
function returnedOf(payin: PartnerOrder, orders: readonly PartnerOrder[]): bigint {
  if (payin.status !== 'returned') return 0n;
  const left = payin.receivedMinor - refundsOf(payin, orders);
  return left > 0n ? left : 0n;
}

function refundsOf(payin: PartnerOrder, orders: readonly PartnerOrder[]): bigint {
  return orders
    .filter(({ kind, payinRef, status }) => {
      return kind === 'refund' && payinRef === payin.ref && status !== 'failed';
    })
    .reduce((total, { amount }) => total + amount.amountMinor, 0n);
}
