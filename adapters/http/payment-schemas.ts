// The shapes of payments and of what is asked about them; of both creation surfaces alike.
import { z } from 'zod';
import { kycMoves } from '../../core/domain/buyer-kyc.js';
import { positions, refundStates } from '../../core/domain/funds.js';
import { parseInstant } from '../../core/domain/instant.js';
import { parseAmount } from '../../core/domain/money.js';
import { paymentMoves, paymentStatuses, progress } from '../../core/domain/payment.js';
import { REASON_LENGTH_MAX } from '../../core/usecases/payments.js';
import {
  anyText,
  decimal,
  emailText,
  instant,
  isHttpUrl,
  keysOf,
  optional,
  pathText,
  rawJson,
  readText,
  requestSchemas,
  responseSchemas,
  text,
} from './schemas.js';

const externalId = text(1, 200, "The integrator's own id; one payment each.");

const buyerRequest = z.object({
  email: emailText('Where the magic link is sent.'),
  name: optional(anyText('Pre-fills the KYC form.')),
  country: optional(anyText('Pre-fills the KYC form.')),
  phone: optional(anyText('Pre-fills the KYC form.')),
});

/** What all creates take. */
export const createFields = {
  externalId,
  amount: readText(parseAmount, 'send a decimal string with at most two decimals, as "1250.00"', {
    pattern: '^[0-9]{1,12}(\\.[0-9]{1,2})?$',
    examples: ['1250.00'],
    description: 'Normalised to two decimals. At least 10.00 in USD.',
  }),
  currency: optional(
    z
      .string('send an ISO 4217 code in capitals, as "USD"')
      .regex(/^[A-Z]{3}$/, 'send an ISO 4217 code in capitals, as "USD"')
      .meta({ default: 'USD', description: 'One that buyers can pay in: USD, EUR, GBP.' }),
  ).transform((currency) => currency ?? 'USD'),
  buyer: buyerRequest,
  returnUrl: optional(
    z
      .string('send an http or https URL')
      .refine(isHttpUrl, 'send an http or https URL')
      .meta({ format: 'uri', description: 'Where the buyer is sent after settlement.' }),
  ),
  display: optional(
    rawJson(
      'Shown on the hosted page, not validated: title, notes, lineItems (description, quantity, ' +
        'unitPrice, subtotal). At most 32 KiB.',
    ),
  ),
  metadata: optional(
    rawJson('Returned unchanged on reads and webhooks, never shown to the buyer. At most 32 KiB.'),
  ),
  expiresAt: optional(
    readText(parseInstant, 'send an RFC 3339 timestamp with an offset, as 2030-01-31T12:00:00Z', {
      format: 'date-time',
      description: 'The payment becomes expired if it is unpaid by then.',
    }),
  ),
} as const;

export const createPaymentIntentBody = z.object({
  ...createFields,
  sellerExternalId: optional(
    text(1, 200, 'A connected seller that is readyToCollect; without it you are paid yourself.'),
  ),
});

export const createPaymentBody = z.object({
  ...createFields,
  sellerExternalId: text(1, 200, 'A connected seller that is readyToCollect: it is paid.'),
});

export const cancelBody = z.object({
  reason: text(1, REASON_LENGTH_MAX, 'Kept as cancelReason and told in the event.'),
});

export const advanceBody = z.object({
  to: optional(
    z.enum(paymentStatuses.filter((status) => progress(status) !== null)).meta({
      default: 'settled',
      description: 'A status on the way to settled.',
    }),
  ),
});

export const intentParams = z.object({
  id: pathText('`pi_…`, or `ext_` followed by your externalId, percent-encoded.'),
});

export const paymentParams = z.object({
  id: pathText('`pi_…`, `inv_…`, or `ext_` followed by the externalId of an intent.'),
});

requestSchemas
  .add(createPaymentIntentBody, { id: 'CreatePaymentIntent' })
  .add(createPaymentBody, { id: 'CreatePayment' })
  .add(buyerRequest, { id: 'BuyerHint' })
  .add(cancelBody, { id: 'CancelPayment' })
  .add(advanceBody, { id: 'AdvancePayment' });

export const statuses = keysOf(paymentMoves);
const kycStatus = z.enum(keysOf(kycMoves));
const jsonObject = z.record(z.string(), z.unknown());

const fundsResponse = z
  .strictObject({
    status: z.enum(positions).meta({
      description:
        'Where the principal is: none, expected (a pay-in was ordered), received, ' +
        'payout_ordered, paid (to the seller), handed_back (it belongs to the buyer again), ' +
        'operator (its position must be found out by a person).',
    }),
    refundStatus: z
      .enum(refundStates)
      .meta({ description: 'What is owed back to the buyer; operator: given back by a person.' }),
    received: decimal.meta({ description: 'Everything that arrived from the buyer so far.' }),
    refundOwed: decimal.meta({
      description: 'Owed to the buyer, not yet confirmed as given back.',
    }),
    refunded: decimal.meta({ description: 'Confirmed as given back to the buyer.' }),
  })
  .meta({
    description:
      'Where the money of the payment is, apart from its status: it can arrive after a cancel. ' +
      'All amounts are in the currency of the payment.',
  });

export const paymentResponse = z.strictObject({
  id: z.string(),
  externalId: z.string().nullable(),
  status: z.enum(statuses),
  amount: decimal,
  currency: z.string(),
  hostedPaymentUrl: z.string().nullable().meta({
    format: 'uri',
    description: 'Forward it to the buyer. It is a secret between the two of you.',
  }),
  buyer: z.strictObject({
    id: z.string(),
    email: z.string(),
    name: z.string().nullable(),
    country: z.string().nullable(),
    kycStatus,
  }),
  sellerExternalId: z.string().nullable(),
  returnUrl: z.string().nullable(),
  metadata: jsonObject,
  display: jsonObject.nullable(),
  expiresAt: instant.nullable(),
  brlSettledAmount: decimal.nullable().meta({ description: 'BRL paid to the seller.' }),
  fxRateAtSettlement: z
    .string()
    .regex(/^[0-9]+(\.[0-9]+)?$/)
    .nullable()
    .meta({ description: 'BRL per unit of the currency, as of the payout.' }),
  failureReason: z.string().nullable(),
  cancelReason: z.string().nullable(),
  funds: fundsResponse,
  createdAt: instant,
  updatedAt: instant,
});

responseSchemas.add(paymentResponse, { id: 'Payment' }).add(fundsResponse, { id: 'Funds' });
