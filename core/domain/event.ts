// The catalogue of events and what each one says. A payment's events follow from its move in
// `paymentEventTypes` and nowhere else; the body of an event is made once, as text, and every
// subscriber, attempt and replay sends those bytes.
import {
  type AccountEventType,
  accountEventTypes,
  type ConnectedAccount,
  readyToCollect,
} from './connected-account.js';
import { formatInstant } from './instant.js';
import { formatAmount, type Money } from './money.js';
import { type Payment, type PaymentStatus, paymentMoves, paymentStatuses } from './payment.js';
import { RawJson, writeJson } from './raw-json.js';
import type { Tenant } from './tenant.js';

/** Namespaces that a subscription may name with a trailing `.*`. */
export const eventNamespaces = [
  'payment_intent',
  'invoice',
  'connected_account',
  'webhook',
] as const;

/** Events besides those that follow from the payment table. */
const otherEventTypes = [
  'payment_intent.created',
  'payment_intent.buyer_kyc_rejected',
  'invoice.created',
  'webhook.test',
] as const;

/** Money that goes back to the buyer: ordered from the partner, with the buyer, not possible. */
const refundEvents = {
  ordered: 'refund_ordered',
  paid: 'refunded',
  failed: 'refund_failed',
} as const;
export type RefundEvent = keyof typeof refundEvents;

/** Statuses that only an invoice moves to: an intent starts behind them. */
const invoiceOnly: readonly PaymentStatus[] = ['approved', 'awaiting_buyer'];

/** Every event type that exists. */
export const eventTypes: readonly string[] = [
  ...otherEventTypes,
  ...Object.values(refundEvents).flatMap((name) => [`payment_intent.${name}`, `invoice.${name}`]),
  ...accountEventTypes.map((type) => `connected_account.${type}`),
  ...reachableStatuses().map((status) => `invoice.${status}`),
  ...reachableStatuses()
    .filter((status) => !invoiceOnly.includes(status))
    .map((status) => `payment_intent.${status}`),
];

/** One event on its way into the feed; `body` is the exact text that webhooks carry. */
export interface DomainEvent extends Tenant {
  readonly id: string;
  readonly type: string;
  /** The payment (or account, or subscription) it speaks of. */
  readonly subjectId: string;
  readonly body: string;
  readonly createdAtMs: number;
}

/** What happened to a payment, before it has an id: made by the domain, stored by the use case. */
export interface EventDraft {
  readonly type: string;
  readonly payment: Payment;
  readonly occurredAtMs: number;
  /** Of an event about a refund: how much of it. */
  readonly refund?: Money;
}

/** The event types of a payment that was created or came to `payment.status`. */
export function paymentEventTypes(
  payment: Payment,
  happened: 'created' | 'kyc_rejected' | 'moved',
): readonly string[] {
  const suffix = happened === 'created' ? 'created' : payment.status;
  if (payment.origin === 'invoice') return [`invoice.${suffix}`];
  const own = happened === 'kyc_rejected' ? 'buyer_kyc_rejected' : suffix;
  return [`payment_intent.${own}`, `invoice.${suffix}`];
}

/** The event types of money of this payment that goes back to the buyer. */
export function refundEventTypes({ origin }: Payment, what: RefundEvent): readonly string[] {
  const name = refundEvents[what];
  return origin === 'invoice' ? [`invoice.${name}`] : [`payment_intent.${name}`, `invoice.${name}`];
}

/** The status that a payment came to by an event of this type; null for any other event. */
export function statusTold(type: string): PaymentStatus | null {
  const suffix = type.slice(type.indexOf('.') + 1);
  if (suffix === 'buyer_kyc_rejected') return 'failed';
  return paymentStatuses.find((status) => status === suffix) ?? null;
}

/** `pattern` is an exact type, `<namespace>.*`, or `*`. */
export function isEventPattern(pattern: string): boolean {
  if (pattern === '*' || eventTypes.includes(pattern)) return true;
  return eventNamespaces.some((namespace) => pattern === `${namespace}.*`);
}

export function matchesEvent(patterns: readonly string[], type: string): boolean {
  return patterns.some(
    (pattern) =>
      pattern === '*' ||
      pattern === type ||
      (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))),
  );
}

/** The event of a draft; its body carries metadata exactly as the integrator sent it. */
export function paymentEvent(draft: EventDraft, eventId: string): DomainEvent {
  const { payment, type, occurredAtMs, refund } = draft;
  const reason = payment.failureReason ?? payment.cancelReason;
  return {
    orgId: payment.orgId,
    mode: payment.mode,
    id: eventId,
    type,
    subjectId: payment.id,
    createdAtMs: occurredAtMs,
    body: eventBody(type, {
      ...(payment.origin === 'invoice'
        ? { invoiceId: payment.id }
        : { paymentIntentId: payment.id }),
      externalId: payment.externalId,
      status: payment.status,
      amount: formatAmount(payment.amount.amountMinor),
      currency: payment.amount.currency,
      ...settlementTold(type, payment),
      metadata: new RawJson(payment.metadata),
      source: payment.origin,
      externalEventId: eventId,
      occurredAt: formatInstant(occurredAtMs),
      ...(reason === null ? {} : { reason }),
      ...(refund === undefined ? {} : { refundAmount: formatAmount(refund.amountMinor) }),
    }),
  };
}

/** The settlement amounts, in `settled` events only. */
function settlementTold(type: string, { settlement }: Payment) {
  if (settlement === null || statusTold(type) !== 'settled') return {};
  const { settled, fxRate } = settlement;
  return { brlSettledAmount: formatAmount(settled.amountMinor), fxRateAtSettlement: fxRate };
}

/** What happened to a connected account, which stands as it is after that. */
export function accountEvent(
  account: ConnectedAccount,
  happened: AccountEventType,
  eventId: string,
): DomainEvent {
  const type = `connected_account.${happened}`;
  const { orgId, mode, updatedAtMs: occurredAtMs } = account;
  return {
    orgId,
    mode,
    id: eventId,
    type,
    subjectId: account.id,
    createdAtMs: occurredAtMs,
    body: eventBody(type, {
      connectedAccountId: account.id,
      externalId: account.externalId,
      role: account.role,
      entityType: account.entityType,
      status: account.status,
      readyToCollect: readyToCollect(account),
      externalEventId: eventId,
      occurredAt: formatInstant(occurredAtMs),
    }),
  };
}

/** The text of a webhook body: `{"event": type, "data": {...}}`. */
export function eventBody(type: string, data: Readonly<Record<string, unknown>>): string {
  return writeJson({ event: type, data });
}

function reachableStatuses(): readonly PaymentStatus[] {
  const rows: readonly Readonly<Record<string, PaymentStatus>>[] = Object.values(paymentMoves);
  return [...new Set(rows.flatMap((row) => Object.values(row)))];
}

/** `position` orders rows of one subject as they were committed. */
export interface OutboxRow {
  readonly position: bigint;
  readonly event: DomainEvent;
}

export interface FeedHead {
  readonly sequence: number;
  /** Hex SHA-256 over the chain hash before and this event's body: the audit chain. */
  readonly chainHash: string;
}

export interface FeedEvent extends DomainEvent, FeedHead {}

/** An event without what it says. */
export type EventNote = Pick<DomainEvent, 'id' | 'type' | 'createdAtMs'>;
