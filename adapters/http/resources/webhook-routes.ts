// Webhook subscriptions and their deliveries. The bodies that webhooks carry are in
// event-bodies.ts.
import { z } from 'zod';
import { formatInstant, instantOrNull } from '../../../core/domain/base/instant.js';
import { isEventPattern } from '../../../core/domain/payments/event.js';
import type { Subscription } from '../../../core/domain/webhooks/subscription.js';
import {
  type DeliveryAttempt,
  deliveryMoves,
  type WebhookDelivery,
} from '../../../core/domain/webhooks/webhook-delivery.js';
import type { Deps } from '../../../core/ports/deps.js';
import { backfill } from '../../../core/usecases/webhooks/backfill.js';
import {
  listDeliveries,
  readDelivery,
  replayDeadLetters,
  replayDelivery,
  resendEvent,
} from '../../../core/usecases/webhooks/deliveries.js';
import {
  changeSubscription,
  createSubscription,
  deleteSubscription,
  listSubscriptions,
  overlapping,
  rotateSecret,
  testSubscription,
} from '../../../core/usecases/webhooks/subscriptions.js';
import { loadPage } from '../protocol/cursor.js';
import { pageOf, representation, wholeListOf } from '../protocol/representation.js';
import { type Call, type HandlerContext, type Reply, reply, route } from '../protocol/route-row.js';
import {
  instant,
  keysOf,
  optional,
  pageQuery,
  pathText,
  requestSchemas,
  responseSchemas,
  URL_LENGTH_MAX,
} from '../protocol/schemas.js';

/** Types and wildcards of one subscription, or of one read of the feed. */
export const EVENT_TYPES_MAX = 100;

const subscriptionFields = {
  url: z
    .string('send a URL')
    .refine((value) => value.length <= URL_LENGTH_MAX && URL.canParse(value), 'send a URL')
    .meta({
      format: 'uri',
      description: 'https, without credentials or fragment, not a private address.',
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
} as const;

export const createSubscriptionBody = z.object(subscriptionFields);

const changeSubscriptionBody = z.object({
  url: optional(subscriptionFields.url),
  eventTypes: optional(subscriptionFields.eventTypes),
  paused: optional(
    z.boolean('send true or false').meta({
      description:
        'true: nothing is sent. false: deliveries that waited are sent, with all their attempts. ' +
        'Those of the events in between follow within seconds, unless pruned. The event types ' +
        'at the time of the resume decide which of these events are sent.',
    }),
  ),
});

const backfillBody = z.object({
  after: optional(
    z
      .int('send a whole number of 0 or more')
      .min(0, 'send a whole number of 0 or more')
      .meta({
        description:
          'The events after this sequence of the feed; by default all that are kept. Send ' +
          '`nextAfter` of the answer while it has more.',
      }),
  ),
});

const resendBody = z.object({ subscriptionId: z.string('send the id of a subscription') });

const subscriptionParams = z.object({ id: pathText('`whs_…`') });
const eventParams = z.object({ id: pathText('`evt_…`') });
const deliveryParams = z.object({ id: pathText('`whs_…`'), deliveryId: pathText('`whd_…`') });

requestSchemas
  .add(createSubscriptionBody, { id: 'CreateWebhookSubscription' })
  .add(changeSubscriptionBody, { id: 'ChangeWebhookSubscription' })
  .add(backfillBody, { id: 'BackfillSubscription' })
  .add(resendBody, { id: 'ResendEvent' });

const subscription = representation<Subscription>()('WebhookSubscription', {
  id: z.string(),
  orgId: z.string(),
  url: z.string(),
  eventTypes: z.array(z.string()),
  active: z.boolean(),
  paused: z.boolean(),
  createdAt: [instant, ({ createdAtMs }) => formatInstant(createdAtMs)],
  updatedAt: [instant, ({ updatedAtMs }) => formatInstant(updatedAtMs)],
});

interface WithSecret extends Subscription {
  readonly secret: string;
  readonly overlaps: readonly string[];
}

const subscriptionWithSecret = representation<WithSecret>()('WebhookSubscriptionWithSecret', {
  ...subscription.fields,
  overlaps: z.array(z.string()).meta({
    description:
      'Other active subscriptions that send some of the same events to the same URL: these ' +
      'arrive twice, each signed with its own secret.',
  }),
  secret: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]+=*$/)
    .meta({ description: 'Returned only once. Its text is the HMAC key of X-Service-Signature.' }),
});

const subscriptionList = wholeListOf('WebhookSubscriptionList', subscription);

export const delivery = representation<WebhookDelivery>()('WebhookDelivery', {
  id: z.string().meta({ description: 'Sent as X-Service-Delivery-Id on every attempt.' }),
  eventId: z.string(),
  eventType: z.string(),
  attempt: z.int().min(0).max(7),
  status: z.enum([...keysOf(deliveryMoves), 'failed']).meta({
    description: '`pending` between attempts; `failed` is reserved and not used.',
  }),
  responseStatus: z.int().nullable(),
  nextAttemptAt: [instant.nullable(), ({ nextAttemptAtMs }) => instantOrNull(nextAttemptAtMs)],
  createdAt: [instant, ({ createdAtMs }) => formatInstant(createdAtMs)],
  deliveredAt: [instant.nullable(), ({ deliveredAtMs }) => instantOrNull(deliveredAtMs)],
  lastError: z.string().nullable(),
  durationMs: z.int().nullable(),
});

const attempt = representation<DeliveryAttempt>()('WebhookDeliveryAttempt', {
  attempt: z.int().min(1).meta({ description: 'From 1; a replay starts again.' }),
  startedAt: [instant, ({ startedAtMs }) => formatInstant(startedAtMs)],
  durationMs: z.int(),
  responseStatus: z.int().nullable(),
  responseBody: z.string().nullable().meta({ description: 'The first 4 KiB of the answer.' }),
  error: z.string().nullable().meta({ description: 'Why there is no answer.' }),
});

interface ReadDelivery extends WebhookDelivery {
  readonly body: string;
  readonly attempts: readonly DeliveryAttempt[];
}

const readDeliveryAnswer = representation<ReadDelivery>()('WebhookDeliveryWithAttempts', {
  ...delivery.fields,
  body: z.string().meta({ description: 'The text that each attempt sends.' }),
  attempts: [
    z.array(attempt.schema).meta({ description: 'In the order of their start.' }),
    ({ attempts }) => attempts.map((one) => attempt.show(one)),
  ],
});

const deliveryPage = pageOf('WebhookDeliveryList', delivery);

const deliveryQuery = pageQuery.extend({
  status: optional(z.enum(keysOf(deliveryMoves)).meta({ description: 'Those with this status.' })),
});

const replayedResponse = z.strictObject({
  replayed: z.int().min(0),
  hasMore: z.boolean().meta({ description: 'Whether there may be more. Repeat the request.' }),
});
const backfilledResponse = z.strictObject({
  queued: z.int().min(0).meta({ description: 'Deliveries that were added.' }),
  nextAfter: z.int().min(0).meta({ description: 'Events up to this sequence were looked at.' }),
  hasMore: z.boolean().meta({ description: 'Repeat the request with `after: nextAfter`.' }),
});
responseSchemas
  .add(replayedResponse, { id: 'ReplayedDeadLetters' })
  .add(backfilledResponse, { id: 'BackfilledSubscription' });

export const webhookRoutes = [
  route({
    method: 'POST',
    operations: { createWebhookSubscription: '/v1/webhook-subscriptions' },
    summary: 'Subscribe a URL to events; the secret is returned only once',
    access: { auth: 'key', scope: 'webhooks:write', modes: 'both', rateLimit: 'stored' },
    body: createSubscriptionBody,
    responses: { 201: subscriptionWithSecret.schema },
    handler: async ({ deps }, { tenant, body }) =>
      secretReply(deps, 201, await createSubscription(deps, tenant, body)),
  }),
  route({
    method: 'GET',
    operations: { listWebhookSubscriptions: '/v1/webhook-subscriptions' },
    summary: 'List all active subscriptions and the newest deleted ones',
    access: { auth: 'key', scope: 'webhooks:read', modes: 'both', rateLimit: 'none' },
    responses: { 200: subscriptionList.schema },
    handler: async ({ deps }, { tenant }) =>
      reply(200, subscriptionList.show(await listSubscriptions(deps, tenant), null)),
  }),
  route({
    method: 'PATCH',
    operations: { changeWebhookSubscription: '/v1/webhook-subscriptions/{id}' },
    summary: 'Change URL or event types, pause or resume; what is not sent stays, the secret too',
    access: { auth: 'key', scope: 'webhooks:write', modes: 'both', rateLimit: 'stored' },
    params: subscriptionParams,
    body: changeSubscriptionBody,
    responses: { 200: subscription.schema },
    handler: async ({ deps }, { tenant, params, body }) =>
      reply(200, subscription.show(await changeSubscription(deps, tenant, params.id, body))),
  }),
  route({
    method: 'DELETE',
    operations: { deleteWebhookSubscription: '/v1/webhook-subscriptions/{id}' },
    summary: 'Delete a subscription: deliveries stop, past ones stay readable',
    access: { auth: 'key', scope: 'webhooks:write', modes: 'both', rateLimit: 'stored' },
    params: subscriptionParams,
    responses: { 200: subscription.schema },
    handler: async ({ deps }, { tenant, params }) =>
      reply(200, subscription.show(await deleteSubscription(deps, tenant, params.id))),
  }),
  route({
    method: 'POST',
    operations: { rotateWebhookSecret: '/v1/webhook-subscriptions/{id}/rotate-secret' },
    summary: 'Replace the secret immediately; the new one is returned only once',
    access: { auth: 'key', scope: 'webhooks:write', modes: 'both', rateLimit: 'stored' },
    params: subscriptionParams,
    responses: { 200: subscriptionWithSecret.schema },
    handler: async ({ deps }, { tenant, params }) =>
      secretReply(deps, 200, await rotateSecret(deps, tenant, params.id)),
  }),
  route({
    method: 'POST',
    operations: { testWebhookSubscription: '/v1/webhook-subscriptions/{id}/test' },
    summary: 'Send webhook.test to this subscription, regardless of its event types',
    access: { auth: 'key', scope: 'webhooks:write', modes: 'both', rateLimit: 'stored' },
    params: subscriptionParams,
    responses: { 200: delivery.schema },
    errors: ['DeliveryNotReplayable'],
    handler: async ({ deps }, { tenant, params }) =>
      reply(200, delivery.show(await testSubscription(deps, tenant, params.id))),
  }),
  route({
    method: 'GET',
    operations: { listWebhookDeliveries: '/v1/webhook-subscriptions/{id}/deliveries' },
    summary: 'List the deliveries of a subscription, newest first',
    access: { auth: 'key', scope: 'webhooks:read', modes: 'both', rateLimit: 'none' },
    params: subscriptionParams,
    query: deliveryQuery,
    responses: { 200: deliveryPage.schema },
    handler: listDeliveryPage,
  }),
  route({
    method: 'GET',
    operations: {
      readWebhookDelivery: '/v1/webhook-subscriptions/{id}/deliveries/{deliveryId}',
    },
    summary: 'Read a delivery with the body that it sends and its attempts',
    access: { auth: 'key', scope: 'webhooks:read', modes: 'both', rateLimit: 'none' },
    params: deliveryParams,
    responses: { 200: readDeliveryAnswer.schema },
    handler: async ({ deps }, { tenant, params }) => {
      const found = await readDelivery(deps, tenant, params.id, params.deliveryId);
      const { delivery, event, attempts } = found;
      return reply(200, readDeliveryAnswer.show({ ...delivery, body: event.body, attempts }));
    },
  }),
  route({
    method: 'POST',
    operations: { replayDeadLetters: '/v1/webhook-subscriptions/{id}/replay-dead-letters' },
    summary: 'Send deliveries that were given up again, up to 1,000, the newest first',
    access: { auth: 'key', scope: 'webhooks:write', modes: 'both', rateLimit: 'stored' },
    params: subscriptionParams,
    responses: { 200: replayedResponse },
    errors: ['DeliveryNotReplayable'],
    handler: async ({ deps }, { tenant, params }) =>
      reply(200, await replayDeadLetters(deps, tenant, params.id)),
  }),
  route({
    method: 'POST',
    operations: { backfillWebhookSubscription: '/v1/webhook-subscriptions/{id}/backfill' },
    summary:
      'Send a subscription the events of its types from before it was made, 2,000 of the feed at ' +
      'a time, in their order. What it has got is not sent again',
    access: { auth: 'key', scope: 'webhooks:write', modes: 'both', rateLimit: 'stored' },
    params: subscriptionParams,
    body: backfillBody,
    responses: { 200: backfilledResponse },
    errors: ['DeliveryNotReplayable'],
    handler: async ({ deps }, { tenant, params, body }) =>
      reply(200, await backfill(deps, tenant, params.id, body.after ?? 0)),
  }),
  route({
    method: 'POST',
    operations: {
      replayWebhookDelivery: '/v1/webhook-subscriptions/{id}/deliveries/{deliveryId}/replay',
    },
    summary: 'Send a delivery now, under the same id: an ended one, or one that waits for a retry',
    access: { auth: 'key', scope: 'webhooks:write', modes: 'both', rateLimit: 'stored' },
    params: deliveryParams,
    responses: { 200: delivery.schema },
    errors: ['DeliveryNotReplayable'],
    handler: async ({ deps }, { tenant, params: { id, deliveryId } }) =>
      reply(200, delivery.show(await replayDelivery(deps, tenant, id, deliveryId))),
  }),
  route({
    method: 'POST',
    operations: { resendEvent: '/v1/events/{id}/resend' },
    summary:
      'Send an event to one subscription, again or for the first time, regardless of its types',
    access: { auth: 'key', scope: 'webhooks:write', modes: 'both', rateLimit: 'stored' },
    params: eventParams,
    body: resendBody,
    responses: { 200: delivery.schema },
    errors: ['DeliveryNotReplayable'],
    handler: async ({ deps }, { tenant, params, body: { subscriptionId } }) => {
      const sent = { eventId: params.id, subscriptionId };
      return reply(200, delivery.show(await resendEvent(deps, tenant, sent)));
    },
  }),
];

async function secretReply(
  deps: Deps,
  status: number,
  { subscription, secret }: { readonly subscription: Subscription; readonly secret: string },
): Promise<Reply> {
  const overlaps = await overlapping(deps, subscription);
  return reply(status, subscriptionWithSecret.show({ ...subscription, secret, overlaps }));
}

async function listDeliveryPage(
  { deps }: HandlerContext,
  { tenant, params, query }: Call<'key', { id: string }, z.infer<typeof deliveryQuery>, unknown>,
): Promise<Reply> {
  const list = { operation: 'deliveries', tenant, parentId: params.id };
  const { rows, nextCursor } = await loadPage(deps.secretBox, list, query, (page) =>
    listDeliveries(deps, tenant, { subscriptionId: params.id, status: query.status, ...page }),
  );
  return reply(200, deliveryPage.show(rows, nextCursor));
}
