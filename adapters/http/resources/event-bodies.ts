// The schemas of outbound webhook bodies, one per kind of event. core/domain/payments/event.ts
// makes the bodies.
import { z } from 'zod';
import { eventTypes, reportedStatus } from '../../../core/domain/payments/event.js';
import { responseSchemas } from '../protocol/schemas.js';
import { account } from './account-routes.js';
import { payment } from './payment-routes.js';

const { status, amount, currency, externalId, metadata } = payment.schema.shape;
const { brlSettledAmount, fxRateAtSettlement } = payment.schema.shape;
const { role, entityType, status: accountStatus } = account.schema.shape;
const occurredAt = z.iso.datetime({ precision: 3 });
const externalEventId = z
  .string()
  .meta({ description: 'The id of the event, the same for every subscription and attempt.' });

/** `data` of payment events. `reason` is present after a failure or cancel. */
const paymentData = {
  externalId,
  status,
  amount,
  currency,
  metadata,
  source: z.enum(['payment_intent', 'invoice']),
  externalEventId,
  occurredAt,
  reason: z.string().optional(),
  refundAmount: amount
    .optional()
    .meta({ description: 'The amount of a refund_ordered, refunded or refund_failed event.' }),
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

/** Event types and `data` of each kind. Events may gain properties, so every schema is open. */
const kinds = {
  PaymentIntentEvent: kind(typesOf('payment_intent'), intentData),
  PaymentIntentSettledEvent: kind(['payment_intent.settled'], { ...intentData, ...settledData }),
  InvoiceEvent: kind(typesOf('invoice'), invoiceData),
  InvoiceSettledEvent: kind(['invoice.settled'], { ...invoiceData, ...settledData }),
  ConnectedAccountEvent: kind(typesOf('connected_account'), {
    connectedAccountId: z.string(),
    externalId,
    role,
    entityType,
    status: accountStatus,
    readyToCollect: z.boolean(),
    externalEventId,
    occurredAt,
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

/** All but settled events, which have a separate kind. */
function typesOf(namespace: string): readonly string[] {
  return eventTypes.filter(
    (type) => type.startsWith(`${namespace}.`) && reportedStatus(type) !== 'settled',
  );
}
