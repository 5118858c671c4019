// The bodies of outbound webhooks as the description shows them, one schema for each kind of event.
// The bodies themselves are made in core/domain/event.ts.
import { z } from 'zod';
import { eventTypes, statusTold } from '../../core/domain/event.js';
import { account } from './account-routes.js';
import { payment } from './payment-routes.js';
import { responseSchemas } from './schemas.js';

const { status, amount, currency, externalId, metadata } = payment.schema.shape;
const { brlSettledAmount, fxRateAtSettlement } = payment.schema.shape;
const { role, entityType, status: accountStatus } = account.schema.shape;
const occurredAt = z.iso.datetime({ precision: 3 });
const externalEventId = z
  .string()
  .meta({ description: "The event's id, the same to every subscriber and on every attempt." });

/** `data` of payment events; `reason` is present after a failure or cancel. */
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
    .meta({ description: 'Of refund_ordered, refunded and refund_failed: how much of it.' }),
} as const;

const intentData = { paymentIntentId: z.string(), ...paymentData } as const;
/** paymentIntentId or invoiceId, by the origin of the payment. */
const invoiceData = {
  paymentIntentId: z.string().optional(),
  invoiceId: z.string().optional(),
  ...paymentData,
} as const;
/** As the payment shows them, and never null. */
const settledData = {
  brlSettledAmount: brlSettledAmount.unwrap(),
  fxRateAtSettlement: fxRateAtSettlement.unwrap(),
} as const;

/** Event types and `data` of each kind. Events may gain properties, so no schema is closed. */
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

/** The schemas of webhook bodies, one for each kind. */
export const eventBodies: readonly EventBody[] = Object.values(kinds);

/** The schema of an event's body. */
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

/** Without those that have a kind of their own. */
function typesOf(namespace: string): readonly string[] {
  return eventTypes.filter(
    (type) => type.startsWith(`${namespace}.`) && statusTold(type) !== 'settled',
  );
}
