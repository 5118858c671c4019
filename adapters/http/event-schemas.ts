// The bodies of outbound webhooks as the description shows them, one schema per kind of subject.
// The bodies themselves are made in core/domain/event.ts.
import { z } from 'zod';
import { eventTypes } from '../../core/domain/event.js';
import { accountResponse } from './account-schemas.js';
import { paymentResponse } from './payment-schemas.js';
import { responseSchemas } from './schemas.js';

const { status, amount, currency, externalId, metadata } = paymentResponse.shape;
const { role, entityType, status: accountStatus } = accountResponse.shape;
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

/** Subscribers may be told more one day, so nothing here is closed. */
const bodies = {
  payment_intent: z.object({
    event: z.enum(typesOf('payment_intent')),
    data: z.object({ paymentIntentId: z.string(), ...paymentData }),
  }),
  invoice: z.object({
    event: z.enum(typesOf('invoice')),
    data: z
      .object({
        paymentIntentId: z.string().optional(),
        invoiceId: z.string().optional(),
        ...paymentData,
      })
      .meta({ description: 'paymentIntentId or invoiceId, by the origin of the payment.' }),
  }),
  connected_account: z.object({
    event: z.enum(typesOf('connected_account')),
    data: z.object({
      connectedAccountId: z.string(),
      externalId,
      role,
      entityType,
      status: accountStatus,
      readyToCollect: z.boolean(),
      externalEventId,
      occurredAt,
    }),
  }),
  webhook: z.object({
    event: z.enum(typesOf('webhook')),
    data: z.object({ subscriptionId: z.string(), externalEventId, occurredAt }),
  }),
} as const;

/** The schema of an event's body, by the namespace of its type. */
export const eventBodies: Readonly<Record<string, z.ZodType>> = bodies;

responseSchemas
  .add(bodies.payment_intent, { id: 'PaymentIntentEvent' })
  .add(bodies.invoice, { id: 'InvoiceEvent' })
  .add(bodies.connected_account, { id: 'ConnectedAccountEvent' })
  .add(bodies.webhook, { id: 'WebhookTestEvent' });

function typesOf(namespace: string): string[] {
  return eventTypes.filter((type) => type.startsWith(`${namespace}.`));
}
