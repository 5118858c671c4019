// The shapes of webhook subscriptions and deliveries. The bodies that webhooks carry stand in
// event-schemas.ts.
import { z } from 'zod';
import { isEventPattern } from '../../core/domain/event.js';
import { deliveryMoves } from '../../core/domain/webhook-delivery.js';
import {
  instant,
  keysOf,
  pathText,
  requestSchemas,
  responseSchemas,
  URL_LENGTH_MAX,
} from './schemas.js';

const EVENT_TYPES_MAX = 100;

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

export const subscriptionParams = z.object({ id: pathText('`whs_…`') });
export const deliveryParams = z.object({
  id: pathText('`whs_…`'),
  deliveryId: pathText('`whd_…`'),
});

requestSchemas.add(createSubscriptionBody, { id: 'CreateWebhookSubscription' });

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

responseSchemas
  .add(subscriptionResponse, { id: 'WebhookSubscription' })
  .add(subscriptionSecretResponse, { id: 'WebhookSubscriptionWithSecret' })
  .add(subscriptionListResponse, { id: 'WebhookSubscriptionList' })
  .add(deliveryResponse, { id: 'WebhookDelivery' })
  .add(deliveryListResponse, { id: 'WebhookDeliveryList' });
