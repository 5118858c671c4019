// The shapes of a payment's timeline: one per kind of entry.
import { z } from 'zod';
import { eventTypes } from '../../core/domain/event.js';
import { ledgerAccounts, postingKinds } from '../../core/domain/ledger.js';
import { paymentStatuses } from '../../core/domain/payment.js';
import { orderKinds, orderOutcomes } from '../../core/domain/timeline.js';
import { deliveryMoves } from '../../core/domain/webhook-delivery.js';
import { decimal, instant, keysOf, responseSchemas } from './schemas.js';

const at = instant;
const order = { commandId: z.string(), order: z.enum(orderKinds) } as const;
const event = { event: z.enum(eventTypes), eventId: z.string() } as const;

/** The shape of each kind; present.ts builds one of them for each entry. */
export const entryResponses = {
  created: z
    .strictObject({ at, kind: z.literal('created'), amount: decimal, currency: z.string() })
    .meta({ description: 'The payment was created.' }),
  status: z
    .strictObject({
      at,
      kind: z.literal('status'),
      status: z.enum(paymentStatuses),
      ...event,
      reason: z.string().nullable().meta({ description: 'Of a failure or cancel.' }),
    })
    .meta({ description: 'The payment came to a status, and this event tells it.' }),
  money: z
    .strictObject({
      at,
      kind: z.literal('money'),
      fact: z.enum(postingKinds),
      lines: z.array(
        z.strictObject({
          account: z.enum(ledgerAccounts),
          amount: z.string().regex(/^-?[0-9]+\.[0-9]{2}$/),
          currency: z.string(),
        }),
      ),
    })
    .meta({ description: 'A fact about money, as its balanced posting in the ledger.' }),
  partner_order: z
    .strictObject({
      at,
      kind: z.literal('partner_order'),
      ...order,
      amount: decimal,
      currency: z.string(),
    })
    .meta({ description: 'The settlement partner is to do this.' }),
  partner_call: z
    .strictObject({ at, kind: z.literal('partner_call'), ...order })
    .meta({ description: 'The partner was told so for the first time.' }),
  partner_outcome: z
    .strictObject({
      at,
      kind: z.literal('partner_outcome'),
      ...order,
      outcome: z.enum(orderOutcomes),
    })
    .meta({
      description:
        'What came of it, so far: `returned` after it had begun, `refused` before; `in_doubt` ' +
        'while nobody knows whether it happened; `taken_back` by us, and never done.',
    }),
  delivery: z
    .strictObject({
      at,
      kind: z.literal('delivery'),
      deliveryId: z.string(),
      subscriptionId: z.string(),
      ...event,
      status: z.enum(keysOf(deliveryMoves)).meta({ description: 'As it is now.' }),
    })
    .meta({ description: 'An event of the payment went out to a webhook subscription.' }),
  attempt: z
    .strictObject({
      at,
      kind: z.literal('attempt'),
      deliveryId: z.string(),
      attempt: z.int().min(1),
      responseStatus: z.int().nullable(),
      error: z.string().nullable(),
      durationMs: z.int(),
    })
    .meta({ description: 'One attempt of a delivery that has ended; it began at this time.' }),
} as const;

const timelineEntryResponse = z.discriminatedUnion('kind', [
  entryResponses.created,
  entryResponses.status,
  entryResponses.money,
  entryResponses.partner_order,
  entryResponses.partner_call,
  entryResponses.partner_outcome,
  entryResponses.delivery,
  entryResponses.attempt,
]);

export const timelineResponse = z.strictObject({
  data: z.array(timelineEntryResponse).meta({ description: 'In order of time, oldest first.' }),
  nextCursor: z.string().nullable(),
});

responseSchemas
  .add(timelineEntryResponse, { id: 'TimelineEntry' })
  .add(timelineResponse, { id: 'Timeline' });
