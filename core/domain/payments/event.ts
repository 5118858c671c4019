// The event types and the bodies of events. The events of a payment follow from `paymentEventTypes`
// only. The body is made once, as text: every subscriber, attempt and replay sends those bytes.
import { hash } from 'node:crypto';
import { assert } from '../../errors.js';
import type { Actor } from '../base/actor.js';
import { formatInstant } from '../base/instant.js';
import { formatAmount, type Money, money, parseAmount } from '../base/money.js';
import { RawJson, writeJson } from '../base/raw-json.js';
import type { Tenant } from '../base/tenant.js';
import type { SettlementFacts } from '../commands/settlement.js';
import {
  type AccountEventType,
  accountEventTypes,
  type ConnectedAccount,
  readyToCollect,
} from '../parties/connected-account.js';
import { type Payment, type PaymentStatus, paymentMoves, paymentStatuses } from './payment.js';

/** What is between the type and the data in the body of an event. */
const DATA_START = '","data":';

/** A subscription may name them with a trailing `.*`. */
export const eventNamespaces = [
  'payment_intent',
  'invoice',
  'connected_account',
  'webhook',
] as const;

/** Events that do not follow from the payment table. */
const otherEventTypes = [
  'payment_intent.created',
  'payment_intent.buyer_kyc_rejected',
  'invoice.created',
  'webhook.test',
] as const;

interface MoneyEventRule {
  readonly means: string;
  /** Buyers by the notices of their payment, owners of the organization by owner-notices.ts. */
  readonly mailTo: 'buyer' | 'owners';
}

/** What happens to the money of a payment while its status stays; for causes: money-events.ts. */
export const moneyEventRules = {
  funds_changed: { means: 'what was received, is missing or is surplus changed', mailTo: 'buyer' },
  refund_ordered: { means: 'a refund was sent to the settlement partner', mailTo: 'buyer' },
  refunded: { means: 'money went back to the buyer', mailTo: 'buyer' },
  refund_failed: { means: 'a refund did not reach the buyer', mailTo: 'buyer' },
  payout_returned: { means: 'a payout that had reached the seller came back', mailTo: 'owners' },
  paid_again: { means: 'another payout reached the seller after a settlement', mailTo: 'owners' },
  paid_late: {
    means: 'a payout reached the seller although the payment had ended without it',
    mailTo: 'owners',
  },
  payin_recalled: {
    means: "the buyer's bank took money back that the seller has, or may have",
    mailTo: 'owners',
  },
  recall_reversed: {
    means: 'money that a bank took back is here after all',
    mailTo: 'owners',
  },
} as const satisfies Readonly<Record<string, MoneyEventRule>>;

export type MoneyEvent = keyof typeof moneyEventRules;
/** Those with a mail to the owners. */
export type MailedEvent = {
  [N in MoneyEvent]: (typeof moneyEventRules)[N]['mailTo'] extends 'owners' ? N : never;
}[MoneyEvent];
export const moneyEvents = Object.keys(moneyEventRules) as readonly MoneyEvent[];

/** The buyer asked the organization something on the page. */
const QUESTION = 'question_asked';

export type EventAmounts = Readonly<
  Partial<
    Record<
      'refundAmount' | 'payoutAmount' | 'recalledAmount' | 'received' | 'missing' | 'surplus',
      Money
    >
  >
>;

export const eventTypes: readonly string[] = [
  ...otherEventTypes,
  ...[...moneyEvents, QUESTION].flatMap((name) => [`payment_intent.${name}`, `invoice.${name}`]),
  ...accountEventTypes.map((type) => `connected_account.${type}`),
  ...reachableStatuses().map((status) => `invoice.${status}`),
  ...reachableStatuses().map((status) => `payment_intent.${status}`),
];

/** `body` is the exact text that webhooks carry. */
export interface DomainEvent extends Tenant {
  readonly id: string;
  readonly type: string;
  /** A payment, account or subscription. */
  readonly subjectId: string;
  readonly body: string;
  readonly createdAtMs: number;
}

/** The domain drafts events, the use case gives them ids. */
export interface EventDraft {
  readonly type: string;
  readonly payment: Payment;
  readonly occurredAtMs: number;
  /** The key or member that created the payment, for a `created` event. */
  readonly createdBy?: string;
  readonly amounts?: EventAmounts;
  /** The settlement that an event about a payout is about. */
  readonly settlement?: SettlementFacts;
  readonly question?: string;
}

/** The event types of a payment that was created or moved to `payment.status`. */
export function paymentEventTypes(
  payment: Payment,
  happened: 'created' | 'kyc_rejected' | 'moved',
): readonly string[] {
  const suffix = happened === 'created' ? 'created' : payment.status;
  if (payment.origin === 'invoice') return [`invoice.${suffix}`];
  const own = happened === 'kyc_rejected' ? 'buyer_kyc_rejected' : suffix;
  return [`payment_intent.${own}`, `invoice.${suffix}`];
}

export function moneyEventTypes(payment: Payment, name: MoneyEvent): readonly string[] {
  return typesNamed(payment, name);
}

export function questionEventTypes(payment: Payment): readonly string[] {
  return typesNamed(payment, QUESTION);
}

export function isQuestionEvent(type: string): boolean {
  return type.endsWith(`.${QUESTION}`);
}

/** What the buyer asked. */
export function questionIn(event: Pick<DomainEvent, 'type' | 'body'>): string {
  assert(isQuestionEvent(event.type), 'the event is about a question');
  const { question }: { readonly question: string } = JSON.parse(eventData(event));
  return question;
}

/** Null for an event that is not about money. */
export function moneyEventIn(type: string): MoneyEvent | null {
  const suffix = type.slice(type.indexOf('.') + 1);
  return moneyEvents.find((name) => name === suffix) ?? null;
}

/** What the members are mailed about. */
export interface MovedMoney {
  readonly name: MailedEvent;
  /** In the payment's currency. */
  readonly amount: Money;
  /** BRL of the payout; null without one. */
  readonly settled: Money | null;
}

/** Null for an event that is not mailed. */
export function movedMoneyIn(event: Pick<DomainEvent, 'type' | 'body'>): MovedMoney | null {
  const name = moneyEventIn(event.type);
  if (name === null || !isMailed(name)) return null;
  const data: Readonly<Record<string, string | undefined>> = JSON.parse(eventData(event));
  const amountMinor = parseAmount(data['payoutAmount'] ?? data['recalledAmount'] ?? '');
  const settledMinor = parseAmount(data['brlSettledAmount'] ?? '');
  assert(amountMinor !== null, 'an event that is mailed has an amount');
  return {
    name,
    amount: money(amountMinor, data['currency'] ?? ''),
    settled: settledMinor === null ? null : money(settledMinor, 'BRL'),
  };
}

function isMailed(name: MoneyEvent): name is MailedEvent {
  return moneyEventRules[name].mailTo === 'owners';
}

function typesNamed({ origin }: Payment, name: string): readonly string[] {
  return origin === 'invoice' ? [`invoice.${name}`] : [`payment_intent.${name}`, `invoice.${name}`];
}

/** The status that an event of this type reports; null for other events. */
export function reportedStatus(type: string): PaymentStatus | null {
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

/** The body carries metadata exactly as the integrator sent it. */
export function paymentEvent(draft: EventDraft, eventId: string): DomainEvent {
  const { payment, type, occurredAtMs, createdBy, question, amounts = {} } = draft;
  const isSettled = reportedStatus(type) === 'settled';
  const settlement = draft.settlement ?? (isSettled ? payment.settlement : null);
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
      ...settlementFields(settlement),
      metadata: new RawJson(payment.metadata),
      source: payment.origin,
      externalEventId: eventId,
      occurredAt: formatInstant(occurredAtMs),
      ...(createdBy === undefined ? {} : { createdBy }),
      ...(question === undefined ? {} : { question }),
      ...(reason === null ? {} : { reason }),
      ...(payment.failureCode === null ? {} : { failureCode: payment.failureCode }),
      ...Object.fromEntries(
        Object.entries(amounts).map(([name, { amountMinor }]) => [name, formatAmount(amountMinor)]),
      ),
    }),
  };
}

function settlementFields(settlement: SettlementFacts | null) {
  if (settlement === null) return {};
  const { settled, fxRate } = settlement;
  return { brlSettledAmount: formatAmount(settled.amountMinor), fxRateAtSettlement: fxRate };
}

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
      ...(happened === 'payout_changed'
        ? { effectiveAt: formatInstant(account.heldUntilMs ?? occurredAtMs) }
        : {}),
      externalEventId: eventId,
      occurredAt: formatInstant(occurredAtMs),
    }),
  };
}

/**
 * The events of drafts, in order. An intent's event in the namespace of invoices is the alias of
 * the one before it.
 */
export function paymentEvents(
  drafts: readonly EventDraft[],
  nextId: () => string,
): readonly DomainEvent[] {
  const events: DomainEvent[] = [];
  for (const draft of drafts) {
    const { type, payment } = draft;
    const own = type.startsWith(`${payment.origin}.`) ? undefined : events.at(-1);
    events.push(own === undefined ? paymentEvent(draft, nextId()) : aliasOf(own, type));
  }
  return events;
}

/** Ids are in Crockford's base 32, which has no such letter. */
export const ALIAS_MARK = 'i';

/** The same event under another type. Its id is that of the event, with a mark. */
export function aliasOf<E extends DomainEvent>(event: E, type: string): E {
  const named = aliasNamed(event.id, type);
  return { ...event, ...named, body: bodyAs(event.body, named) };
}

export function aliasNamed(eventId: string, type: string): Pick<DomainEvent, 'id' | 'type'> {
  return { id: `${eventId}${ALIAS_MARK}`, type };
}

/** Each event with its alias, where that is the next one. */
export function inPairs(events: readonly DomainEvent[]): readonly [DomainEvent, DomainEvent?][] {
  const isAlias = ({ id }: DomainEvent) => ownEventId(id) !== id;
  return events.flatMap((event, at): readonly [DomainEvent, DomainEvent?][] => {
    const next = events[at + 1];
    if (isAlias(event)) return [];
    return [next !== undefined && isAlias(next) ? [event, next] : [event]];
  });
}

/** The id of the event that an id is about: the same, but for an alias. */
export function ownEventId(id: string): string {
  return id.endsWith(ALIAS_MARK) ? id.slice(0, -ALIAS_MARK.length) : id;
}

/** The body of an event as its alias has it. `body` itself for the event's own id. */
export function bodyAs(body: string, { id, type }: Pick<DomainEvent, 'id' | 'type'>): string {
  const ownId = ownEventId(id);
  if (ownId === id) return body;
  const data = body.slice(body.indexOf(DATA_START));
  // Behind the metadata there are only texts, in which a quote is escaped: the last one is it.
  const idAt = data.lastIndexOf(`"externalEventId":"${ownId}"`) + '"externalEventId":"'.length;
  return `{"event":"${type}${data.slice(0, idAt)}${id}${data.slice(idAt + ownId.length)}`;
}

/** The text of a webhook body: `{"event":type,"data":{...}}`. */
export function eventBody(type: string, data: Readonly<Record<string, unknown>>): string {
  return `${bodyStart(type)}${writeJson(data)}}`;
}

/** The text of `data` in the body of an event. */
export function eventData({ type, body }: Pick<DomainEvent, 'type' | 'body'>): string {
  const start = bodyStart(type);
  assert(body.startsWith(start), 'the body of an event begins with its type');
  return body.slice(start.length, -1);
}

function bodyStart(type: string): string {
  return `{"event":"${type}${DATA_START}`;
}

function reachableStatuses(): readonly PaymentStatus[] {
  const rows: readonly Readonly<Record<string, PaymentStatus>>[] = Object.values(paymentMoves);
  return [...new Set(rows.flatMap((row) => Object.values(row)))];
}

export interface FeedHead {
  readonly sequence: number;
  /** Hex SHA-256 over the previous chain hash and this event's body; its alias has the same. */
  readonly chainHash: string;
}

export interface NumberedEvent extends DomainEvent, FeedHead {}

/** The head of a feed after an event with this body, and its alias; null: it is the first. */
export function headAfter(head: FeedHead | null, body: string, hasAlias = false): FeedHead {
  return {
    sequence: (head?.sequence ?? 0) + (hasAlias ? 2 : 1),
    chainHash: hash('sha256', `${head?.chainHash ?? ''}${body}`, 'hex'),
  };
}

export interface EventNote extends Pick<DomainEvent, 'id' | 'type' | 'createdAtMs'> {
  /** Who caused it; null: not known. */
  readonly actor: Actor | null;
}
