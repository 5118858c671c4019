// The settlement partner port: it takes the money in, moves it and pays it out.
import type { EntityType, Role } from '../domain/connected-account.js';
import type { Dossier } from '../domain/dossier.js';
import type { Money } from '../domain/money.js';
import type { MoneyKind } from '../domain/partner-command.js';
import type { QuoteTerms } from '../domain/quote.js';
import type { PayinReport, PayoutReport } from '../domain/report-check.js';

/**
 * How a call that may have an effect ends. `refused`: never, for good. `later`: surely nothing
 * happened, try again. `unknown`: it may have happened; never taken for a failure.
 */
export type PartnerAnswer<T> =
  | { readonly outcome: 'done'; readonly value: T }
  | { readonly outcome: 'refused'; readonly code: string; readonly message: string }
  | { readonly outcome: 'later'; readonly reason: string }
  | { readonly outcome: 'unknown'; readonly reason: string };

export interface PayinOrder {
  /** Our reference, and the idempotency key of the call. */
  readonly reference: string;
  readonly quote: QuoteTerms;
  readonly payerEmail: string;
}

export interface PayoutOrder {
  readonly reference: string;
  /** What is paid out, in the currency the buyer paid. */
  readonly amount: Money;
  /** From registerPixDestination. */
  readonly destination: string;
}

export interface RefundOrder {
  readonly reference: string;
  readonly payinRef: string;
  readonly amount: Money;
}

/** What a party tells of itself, under our reference, which is also the idempotency key. */
export interface ReceiverOrder extends Dossier {
  readonly reference: string;
  readonly role: Role;
  readonly entityType: EntityType;
}

export interface ReceiverReport {
  readonly status: 'verifying' | 'approved' | 'rejected';
  readonly reason: string | null;
}

export interface RefundReport {
  readonly status: 'open' | 'completed' | 'failed';
  /** What the order gives back, before any fee of a bank. */
  readonly amount: Money;
  readonly reason: string | null;
}

/**
 * A fact the partner tells, by message or when asked. `reference` is ours where the partner sends
 * it; `partnerRef` is its own id.
 */
export type PartnerFact = {
  readonly [K in keyof PartnerReports]: {
    readonly kind: K;
    readonly reference: string | null;
    readonly partnerRef: string;
    readonly report: PartnerReports[K];
  };
}[keyof PartnerReports];

/** What the partner reports of each kind of order. */
export interface PartnerReports {
  readonly receiver: ReceiverReport;
  readonly payin: PayinReport;
  readonly payout: PayoutReport;
  readonly refund: RefundReport;
}

/** What the partner answers when it takes an order, or when a look-up finds it. */
export interface AcceptedOrder {
  readonly partnerRef: string;
  /** Of a pay-in: what the buyer must do to pay, as JSON text. */
  readonly instructions?: string;
  /** Of a party: how it stands, if the answer says so. */
  readonly report?: ReceiverReport;
}

/** What the description of the API says about a partner. */
export interface PartnerNotes {
  /** The header with the signature of a message. */
  readonly signatureHeader: string;
  /** Values that change an outcome in test mode: where they are sent, and what they do. */
  readonly testValues: readonly {
    readonly where: string;
    readonly value: string;
    readonly means: string;
  }[];
}

/**
 * One kind of order. `prepare` makes the exact text of a request and has no effect. The text is
 * stored before `start`, which may be repeated with the same text. `find` looks an order up by its
 * request, where a repeat is not safe; null: there is none. A read that has no answer is `later`.
 */
export interface OrderApi<Order, Report> {
  prepare(order: Order): Promise<PartnerAnswer<string>>;
  start(request: string): Promise<PartnerAnswer<AcceptedOrder>>;
  find(request: string): Promise<PartnerAnswer<AcceptedOrder | null>>;
  read(partnerRef: string): Promise<PartnerAnswer<Report>>;
}

export interface SettlementPartner {
  readonly name: string;
  /** Every call answers within this time; then its outcome is `unknown`. Half a lease at most. */
  readonly callTimeoutMs: number;
  /**
   * A call in doubt may take effect until this long after it began. A look-up that finds nothing
   * sooner proves nothing.
   */
  readonly effectWithinMs: number;
  /** Currencies that buyers can pay in, ISO 4217. */
  readonly currencies: readonly string[];
  readonly notes: PartnerNotes;
  /** Fields that it needs of such a party besides those of dossier.ts; `tosId` means terms. */
  requirements(role: Role, entityType: EntityType): readonly (keyof Dossier)[];
  /** Where a party accepts the terms; it comes back to `redirectUrl` with a `tos_id`. */
  startTos(input: {
    readonly redirectUrl: string;
    readonly key: string;
  }): Promise<PartnerAnswer<{ url: string }>>;
  /** Parties: organizations, sellers and buyers. */
  readonly receiver: OrderApi<ReceiverOrder, ReceiverReport>;
  readonly payin: OrderApi<PayinOrder, PayinReport>;
  readonly payout: OrderApi<PayoutOrder, PayoutReport>;
  readonly refund: OrderApi<RefundOrder, RefundReport>;
  /** `key` makes a repeat harmless; the raw PIX key goes nowhere else. */
  registerPixDestination(input: {
    readonly receiverRef: string;
    readonly pixKey: string;
    readonly accountHolderName: string;
    readonly key: string;
  }): Promise<PartnerAnswer<{ destinationRef: string }>>;
  provisionRails(input: {
    readonly receiverRef: string;
    readonly destinationRef: string;
    readonly key: string;
  }): Promise<PartnerAnswer<{ virtualAccountRef: string }>>;
  quote(input: {
    readonly source: Money;
    readonly destination: string;
  }): Promise<PartnerAnswer<QuoteTerms>>;
  /**
   * The order about money with this reference of ours; null: there is none. For a read-back after
   * a restore, when no row may know the request.
   */
  findOrder(kind: MoneyKind, reference: string): Promise<PartnerAnswer<AcceptedOrder | null>>;
  /**
   * Verifies a message over its raw bytes and reads it. Null when it is not genuine (signature,
   * age) or not readable.
   */
  readInbound(
    headers: Readonly<Record<string, string | undefined>>,
    body: Uint8Array,
    nowMs: number,
  ): { readonly messageId: string; readonly facts: readonly PartnerFact[] } | null;
}
