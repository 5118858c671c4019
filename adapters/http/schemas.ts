// The shapes of requests and answers, as zod schemas: what a request may look like and what the
// machine-readable description says of both. Requests are turned into the core's values here
// (amounts into minor units, times into milliseconds, absent into null); rules that need data are
// the use cases'. Answers are built in present.ts.
import { z } from 'zod';
import { kycMoves } from '../../core/domain/buyer-kyc.js';
import { isEventPattern } from '../../core/domain/event.js';
import { positionMoves, refundMoves } from '../../core/domain/funds.js';
import { parseInstant } from '../../core/domain/instant.js';
import { parseAmount } from '../../core/domain/money.js';
import { paymentMoves, paymentStatuses, progress } from '../../core/domain/payment.js';
import { RawJson } from '../../core/domain/raw-json.js';
import { modes } from '../../core/domain/tenant.js';
import { deliveryMoves } from '../../core/domain/webhook-delivery.js';
import { catalogue } from '../../core/errors.js';

/** Bytes of JSON that `metadata` and `display` may take each. */
export const RAW_JSON_BYTES_MAX = 32 * 1024;
/** Properties that are kept as the text they were sent in; the pipeline wraps them as RawJson. */
export const rawJsonFields = ['metadata', 'display'] as const;

export const PAGE_LIMIT_MAX = 100;
export const PAGE_LIMIT_DEFAULT = 25;

/** RFC 5321: a path is 256 octets, its angle brackets included. */
const EMAIL_LENGTH_MAX = 254;
const URL_LENGTH_MAX = 2_048;
/** Generous for free text that the interface does not bound. */
const HINT_LENGTH_MAX = 500;
const EVENT_TYPES_MAX = 100;

/** Schemas that the description shows under a name of their own. */
export const requestSchemas = z.registry<{ id: string }>();
export const responseSchemas = z.registry<{ id: string }>();

// ------------------------------------------------------------------------------------- pieces

/** Text that `read` understands, turned into what it reads; null is a refusal with `message`. */
function readText<T>(
  read: (text: string) => T | null,
  message: string,
  described: Readonly<Record<string, unknown>>,
) {
  return z
    .string({ error: message })
    .meta(described)
    .transform((text, context): T => {
      const value = read(text);
      if (value !== null) return value;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    });
}

/** Text of `min` to `max` characters (code points, as JSON Schema counts them). */
function text(min: number, max: number, description: string) {
  return z
    .string(`send text of ${min} to ${max} characters`)
    .refine((value) => value.length >= min && (value.length <= max || [...value].length <= max), {
      error: `send text of ${min} to ${max} characters`,
    })
    .meta({ minLength: min, maxLength: max, description });
}

/** Absent and null are the same and come out as null. */
function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? null);
}

function rawJson(description: string) {
  return z
    .custom<RawJson>((value) => value instanceof RawJson, 'send a JSON object')
    .refine((value) => Buffer.byteLength(value.text) <= RAW_JSON_BYTES_MAX, {
      error: `send at most ${RAW_JSON_BYTES_MAX / 1024} KiB of JSON`,
    })
    .meta({ type: 'object', description });
}

/** The rows of a table of the core: its statuses, positions or codes. */
export function keysOf<K extends string>(table: Readonly<Record<K, unknown>>): K[] {
  return Object.keys(table) as K[];
}

function readLimit(value: string): number | null {
  const limit = /^[1-9][0-9]{0,2}$/.test(value) ? Number(value) : null;
  return limit !== null && limit <= PAGE_LIMIT_MAX ? limit : null;
}

function isEmail(value: string): boolean {
  return value.length <= EMAIL_LENGTH_MAX && z.regexes.email.test(value.trim());
}

function isHttpUrl(value: string): boolean {
  return value.length <= URL_LENGTH_MAX && /^https?:\/\/\S+$/i.test(value) && URL.canParse(value);
}

const externalId = text(1, 200, "The integrator's own id; one payment each.");

// ----------------------------------------------------------------------------------- requests

const buyerRequest = z.object({
  email: z
    .string('send an e-mail address')
    .refine(isEmail, 'send an e-mail address')
    .meta({ format: 'email', description: 'Where the magic link is sent.' }),
  name: optional(text(0, HINT_LENGTH_MAX, 'Pre-fills the KYC form.')),
  country: optional(text(0, HINT_LENGTH_MAX, 'Pre-fills the KYC form.')),
  phone: optional(text(0, HINT_LENGTH_MAX, 'Pre-fills the KYC form.')),
});

const createFields = {
  externalId,
  amount: readText(parseAmount, 'send a decimal string with at most two decimals, as "1250.00"', {
    pattern: '^[0-9]{1,12}(\\.[0-9]{1,2})?$',
    examples: ['1250.00'],
    description: 'Normalised to two decimals. At least 10.00 in USD.',
  }),
  currency: optional(
    z
      .string('send an ISO 4217 code')
      .regex(/^[A-Z]{3}$/, 'send an ISO 4217 code')
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
  reason: text(1, 500, 'Kept as cancelReason and told in the event.'),
});

export const advanceBody = z.object({
  to: optional(
    z.enum(paymentStatuses.filter((status) => progress(status) !== null)).meta({
      default: 'settled',
      description: 'A status on the way to settled.',
    }),
  ),
});

export const createSubscriptionBody = z.object({
  url: z
    .string('send a URL')
    .refine((value) => value.length <= URL_LENGTH_MAX && URL.canParse(value), 'send a URL')
    .meta({
      format: 'uri',
      description: 'https, no credentials, no fragment, no private address.',
    }),
  eventTypes: z
    .array(
      z
        .string('send an event type')
        .refine(isEventPattern, 'send an event type, a wildcard like payment_intent.*, or *'),
    )
    .min(1, 'send at least one event type')
    .max(EVENT_TYPES_MAX, `send at most ${EVENT_TYPES_MAX} event types`)
    .meta({ description: 'Event types, wildcards like `payment_intent.*`, or `*`.' }),
});

/** For mutations that say everything in their path: a body may be left empty. */
export const emptyBody = z.object({});

export const pageQuery = z.object({
  limit: readText(readLimit, `send a whole number from 1 to ${PAGE_LIMIT_MAX}, once`, {
    type: 'integer',
    minimum: 1,
    maximum: PAGE_LIMIT_MAX,
    default: PAGE_LIMIT_DEFAULT,
  })
    .optional()
    .transform((limit) => limit ?? PAGE_LIMIT_DEFAULT),
  cursor: z
    .string('send it once')
    .meta({ description: 'The nextCursor of the page before.' })
    .optional()
    .transform((cursor) => cursor ?? null),
});

const pathText = (description: string) => z.string().min(1).meta({ description });

export const noQuery = z.object({});
export const noParams = z.object({});
export const paymentParams = z.object({
  id: pathText('`pi_…`, or `ext_` followed by your externalId, percent-encoded.'),
});
export const subscriptionParams = z.object({ id: pathText('`whs_…`') });
export const deliveryParams = z.object({
  id: pathText('`whs_…`'),
  deliveryId: pathText('`whd_…`'),
});
export const partnerParams = z.object({
  partner: pathText("The partner's name."),
  mode: z.enum(modes),
});

requestSchemas
  .add(createPaymentIntentBody, { id: 'CreatePaymentIntent' })
  .add(createPaymentBody, { id: 'CreatePayment' })
  .add(buyerRequest, { id: 'BuyerHint' })
  .add(cancelBody, { id: 'CancelPayment' })
  .add(advanceBody, { id: 'AdvancePayment' })
  .add(createSubscriptionBody, { id: 'CreateWebhookSubscription' })
  .add(emptyBody, { id: 'Empty' });

// ------------------------------------------------------------------------------------ answers

const instant = z.iso.datetime({ precision: 3 });
const decimal = z.string().regex(/^[0-9]+\.[0-9]{2}$/);
const kycStatus = z.enum(keysOf(kycMoves));
const jsonObject = z.record(z.string(), z.unknown());

const fundsResponse = z
  .strictObject({
    status: z.enum(keysOf(positionMoves)).meta({
      description:
        'Where the principal is: none, expected (a pay-in was ordered), received, ' +
        'payout_ordered, paid (to the seller), handed_back (it belongs to the buyer again), ' +
        'operator (its position must be found out by a person).',
    }),
    refundStatus: z
      .enum(keysOf(refundMoves))
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
  status: z.enum(keysOf(paymentMoves)),
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

export const subscriptionResponse = z.strictObject({
  id: z.string(),
  orgId: z.string(),
  url: z.string(),
  eventTypes: z.array(z.string()),
  active: z.boolean(),
  createdAt: instant,
  updatedAt: instant,
});

export const subscriptionSecretResponse = z.strictObject({
  ...subscriptionResponse.shape,
  secret: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]+=*$/)
    .meta({ description: 'Shown this once. The whole text is the HMAC key.' }),
});

export const subscriptionListResponse = z.strictObject({
  data: z.array(subscriptionResponse),
  nextCursor: z.null().meta({ description: 'The list is always whole.' }),
});

export const deliveryResponse = z.strictObject({
  id: z.string().meta({ description: 'Sent as X-Service-Delivery-Id on every attempt.' }),
  eventId: z.string(),
  eventType: z.string(),
  attempt: z.int().min(0).max(7),
  status: z.enum([...keysOf(deliveryMoves), 'failed']).meta({
    description: '`failed` is reserved and not produced; `pending` between retries.',
  }),
  responseStatus: z.int().nullable(),
  nextAttemptAt: instant.nullable(),
  createdAt: instant,
  deliveredAt: instant.nullable(),
  lastError: z.string().nullable(),
  durationMs: z.int().nullable(),
});

export const deliveryListResponse = z.strictObject({
  data: z.array(deliveryResponse),
  nextCursor: z.string().nullable(),
});

export const receivedResponse = z.strictObject({ received: z.literal(true) });

export const healthResponse = z.strictObject({ status: z.literal('ok') });

export const readinessResponse = z.strictObject({
  status: z.enum(['ready', 'unavailable']),
  checks: z.strictObject({
    database: z.enum(['ok', 'failed']),
    migrations: z.enum(['ok', 'pending']),
    worker: z.enum(['ok', 'stalled']),
  }),
});

export const documentResponse = z.record(z.string(), z.unknown());

export const errorResponse = z
  .strictObject({
    statusCode: z.int(),
    error: z.enum(keysOf(catalogue)),
    message: z.string().meta({ description: 'For people; it may change.' }),
    retryAfter: z.int().min(1).optional().meta({ description: 'Seconds to wait: transient ones.' }),
  })
  .meta({ description: 'Every refusal has this shape. Decide on `error`.' });

responseSchemas
  .add(paymentResponse, { id: 'Payment' })
  .add(fundsResponse, { id: 'Funds' })
  .add(subscriptionResponse, { id: 'WebhookSubscription' })
  .add(subscriptionSecretResponse, { id: 'WebhookSubscriptionWithSecret' })
  .add(subscriptionListResponse, { id: 'WebhookSubscriptionList' })
  .add(deliveryResponse, { id: 'WebhookDelivery' })
  .add(deliveryListResponse, { id: 'WebhookDeliveryList' })
  .add(receivedResponse, { id: 'Received' })
  .add(healthResponse, { id: 'Health' })
  .add(readinessResponse, { id: 'Readiness' })
  .add(documentResponse, { id: 'Document' })
  .add(errorResponse, { id: 'Error' });
