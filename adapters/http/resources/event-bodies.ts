// The schemas of outbound webhook bodies, one per kind of event. core/domain/payments/event.ts
// makes the bodies.
import { z } from 'zod';
import {
  eventTypes,
  isQuestionEvent,
  type MoneyEvent,
  moneyEvents,
  reportedStatus,
} from '../../../core/domain/payments/event.js';
import { responseSchemas } from '../protocol/schemas.js';
import { account } from './account-routes.js';
import { payment } from './payment-routes.js';

const { status, amount, currency, externalId, metadata, failureCode } = payment.schema.shape;
const { brlSettledAmount, fxRateAtSettlement } = payment.schema.shape;
const { role, entityType, status: accountStatus } = account.schema.shape;
const occurredAt = z.iso.datetime({ precision: 3 });
const externalEventId = z
  .string()
  .meta({ description: 'The id of the event, the same for every subscription and attempt.' });

/** `data` of payment events: with `reason` after a failure or cancel, a failure with its code. */
const paymentData = {
  externalId,
  status,
  amount,
  currency,
  metadata,
  source: z.enum(['payment_intent', 'invoice']),
  externalEventId,
  occurredAt,
  createdBy: z.string().optional().meta({
    description: 'The API key or the member that created the payment; in `created` events.',
  }),
  reason: z.string().optional(),
  failureCode: failureCode.unwrap().optional(),
} as const;

const intentData = { paymentIntentId: z.string(), ...paymentData } as const;
/** paymentIntentId or invoiceId, depending on the origin of the payment. */
const invoiceData = {
  paymentIntentId: z.string().optional(),
  invoiceId: z.string().optional(),
  ...paymentData,
} as const;
/** As in the payment, and never null. */
const settledData = {
  brlSettledAmount: brlSettledAmount.unwrap(),
  fxRateAtSettlement: fxRateAtSettlement.unwrap(),
} as const;

const refundData = {
  refundAmount: amount.meta({ description: 'The amount of this refund.' }),
} as const;
const fundsData = {
  received: amount.meta({ description: 'Received from the buyer so far.' }),
  missing: amount.meta({ description: 'Still awaited from the buyer.' }),
  surplus: amount.meta({ description: 'Received above the amount of the payment.' }),
} as const;
const questionData = {
  question: z.string().meta({ description: 'What the buyer asked on the page, on one line.' }),
} as const;
const payoutData = {
  payoutAmount: amount.meta({ description: 'The amount of the payout, in `currency`.' }),
  ...settledData,
} as const;
const recallData = {
  recalledAmount: amount.meta({ description: 'What the bank took back, in `currency`.' }),
} as const;
/** What the events about money say besides the payment. */
const moneyData = {
  funds_changed: fundsData,
  refund_ordered: refundData,
  refunded: refundData,
  refund_failed: refundData,
  payout_returned: payoutData,
  paid_again: payoutData,
  paid_late: payoutData,
  payin_recalled: recallData,
  recall_reversed: recallData,
} as const satisfies Readonly<Record<MoneyEvent, z.ZodRawShape>>;

const payoutChanged = 'connected_account.payout_changed';
const accountData = {
  connectedAccountId: z.string(),
  externalId,
  role,
  entityType,
  status: accountStatus,
  readyToCollect: z.boolean(),
  externalEventId,
  occurredAt,
} as const;

/** Event types and `data` of each kind. Events may gain properties, so every schema is open. */
const kinds = {
  PaymentIntentEvent: kind(typesOf('payment_intent'), intentData),
  PaymentIntentSettledEvent: kind(['payment_intent.settled'], { ...intentData, ...settledData }),
  PaymentIntentFundsEvent: kind(saying('payment_intent', fundsData), {
    ...intentData,
    ...fundsData,
  }),
  PaymentIntentRefundEvent: kind(saying('payment_intent', refundData), {
    ...intentData,
    ...refundData,
  }),
  PaymentIntentPayoutEvent: kind(saying('payment_intent', payoutData), {
    ...intentData,
    ...payoutData,
  }),
  PaymentIntentRecallEvent: kind(saying('payment_intent', recallData), {
    ...intentData,
    ...recallData,
  }),
  InvoiceEvent: kind(typesOf('invoice'), invoiceData),
  InvoiceSettledEvent: kind(['invoice.settled'], { ...invoiceData, ...settledData }),
  InvoiceFundsEvent: kind(saying('invoice', fundsData), { ...invoiceData, ...fundsData }),
  InvoiceRefundEvent: kind(saying('invoice', refundData), { ...invoiceData, ...refundData }),
  InvoicePayoutEvent: kind(saying('invoice', payoutData), { ...invoiceData, ...payoutData }),
  InvoiceRecallEvent: kind(saying('invoice', recallData), { ...invoiceData, ...recallData }),
  PaymentIntentQuestionEvent: kind(['payment_intent.question_asked'], {
    ...intentData,
    ...questionData,
  }),
  InvoiceQuestionEvent: kind(['invoice.question_asked'], { ...invoiceData, ...questionData }),
  ConnectedAccountEvent: kind(
    typesOf('connected_account').filter((type) => type !== payoutChanged),
    accountData,
  ),
  ConnectedAccountPayoutEvent: kind([payoutChanged], {
    ...accountData,
    effectiveAt: occurredAt.meta({
      description: 'From then on new payments use the destination that the account has now.',
    }),
  }),
  WebhookTestEvent: kind(typesOf('webhook'), {
    subscriptionId: z.string(),
    externalEventId,
    occurredAt,
  }),
} as const;

export const eventBodies: readonly EventBody[] = Object.values(kinds);

export function eventBodyOf(type: string): z.ZodType {
  return eventBodies.find(({ shape: { event } }) => event.options.includes(type)) ?? z.never();
}

for (const [id, body] of Object.entries(kinds)) responseSchemas.add(body, { id });

export type EventBody = z.ZodObject<{
  event: z.ZodEnum<Record<string, string>>;
  data: z.ZodObject;
}>;

function kind<T extends z.ZodRawShape>(types: readonly string[], data: T) {
  return z.object({ event: z.enum(types), data: z.object(data) });
}

function saying(namespace: string, data: z.ZodRawShape): readonly string[] {
  return moneyEvents
    .filter((name) => moneyData[name] === data)
    .map((name) => `${namespace}.${name}`);
}

/** All but settled events and those about money or a question, which have separate kinds. */
function typesOf(namespace: string): readonly string[] {
  const separate: readonly string[] = moneyEvents.map((name) => `${namespace}.${name}`);
  return eventTypes.filter(
    (type) =>
      type.startsWith(`${namespace}.`) &&
      reportedStatus(type) !== 'settled' &&
      !isQuestionEvent(type) &&
      !separate.includes(type),
  );
}
