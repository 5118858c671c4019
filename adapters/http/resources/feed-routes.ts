// The event feed. Each event has the `data` of its webhook (event-bodies.ts).
import { z } from 'zod';
import { formatInstant, SECOND_MS } from '../../../core/domain/base/instant.js';
import { RawJson } from '../../../core/domain/base/raw-json.js';
import {
  eventData,
  isEventPattern,
  type NumberedEvent,
} from '../../../core/domain/payments/event.js';
import { assert } from '../../../core/errors.js';
import { readEvent } from '../../../core/usecases/webhooks/feed.js';
import {
  type FeedPage,
  WAITING_PER_KEY_MAX,
} from '../../../core/usecases/webhooks/feed-readers.js';
import { representation } from '../protocol/representation.js';
import { type Call, type HandlerContext, type Reply, reply, route } from '../protocol/route-row.js';
import { instant, pageQuery, pathText, readText, responseSchemas } from '../protocol/schemas.js';
import { eventBodies } from './event-bodies.js';
import { EVENT_TYPES_MAX } from './webhook-routes.js';

/** Shorter than the time-outs of common clients and load balancers. */
const WAIT_MAX_SECONDS = 30;

const feedQuery = z.object({
  after: readText(readPlace, 'send a whole number of 0 or more, or latest, once', {
    type: ['integer', 'string'],
    minimum: 0,
    pattern: '^latest$',
    default: 0,
    description:
      'The last sequence that you have: the nextAfter of the previous answer. `latest` starts ' +
      'after the latest event. A sequence beyond it is a `FeedReset`.',
  })
    .optional()
    .transform((after) => after ?? 0),
  epoch: readText(readEpoch, 'send a whole number of 1 or more, once', {
    type: 'integer',
    minimum: 1,
    description:
      'The epoch of the previous answer. A restore of the service starts a new epoch, which ' +
      'reuses sequence numbers: then the answer is a `FeedReset`.',
  })
    .optional()
    .transform((epoch) => epoch ?? null),
  limit: pageQuery.shape.limit,
  eventTypes: readText(readTypes, 'send event types or wildcards with commas between, once', {
    type: 'string',
    examples: ['payment_intent.*,invoice.settled'],
    description:
      'Only these types, wildcards like `payment_intent.*` included, with commas between. The ' +
      'answer may then be empty although `nextAfter` is higher: continue there.',
  })
    .optional()
    .transform((types) => types ?? null),
  wait: readText(readWait, `send a whole number from 0 to ${WAIT_MAX_SECONDS}, once`, {
    type: 'integer',
    minimum: 0,
    maximum: WAIT_MAX_SECONDS,
    default: 0,
    description:
      'Seconds to wait for the next event if there is none yet. At most ' +
      `${WAITING_PER_KEY_MAX} requests of one key wait at a time; another one is refused with ` +
      '`retryAfter`.',
  })
    .optional()
    .transform((wait) => wait ?? 0),
});

/** One per kind of event; only the schemas differ. */
const [first, ...others] = eventBodies.map(({ shape }) =>
  representation<NumberedEvent>()(null, {
    sequence: z.int().min(1).meta({ description: 'From 1, without gaps, per mode.' }),
    id: z.string().meta({ description: 'The externalEventId of the webhook.' }),
    event: [shape.event, ({ type }) => type],
    createdAt: [instant, ({ createdAtMs }) => formatInstant(createdAtMs)],
    data: [
      shape.data.meta({
        description: 'The same bytes as `data` of the webhook.',
      }) as unknown as z.ZodType<RawJson>,
      (event) => new RawJson(eventData(event)),
    ],
  }),
);
assert(first !== undefined, 'there are kinds of events');
const eventSchema = z.discriminatedUnion('event', [
  first.schema,
  ...others.map(({ schema }) => schema),
]);
responseSchemas.add(eventSchema, { id: 'FeedEvent' });

/** The text of `first.show`, in a third of the time: a page has many. */
function eventText(event: NumberedEvent): string {
  const { sequence, id, type, createdAtMs } = event;
  const named = `"sequence":${sequence},"id":"${id}","event":"${type}"`;
  return `{${named},"createdAt":"${formatInstant(createdAtMs)}","data":${eventData(event)}}`;
}

const feed = representation<FeedPage>()('Feed', {
  data: [
    z.array(eventSchema) as unknown as z.ZodType<RawJson>,
    ({ events }) => new RawJson(`[${events.map(eventText).join(',')}]`),
  ],
  nextAfter: z.int().min(0).meta({ description: 'Store it, and send it as `after` to continue.' }),
  epoch: z.int().min(1).meta({ description: 'Store it with `nextAfter`, and send both.' }),
});

export const feedRoutes = [
  route({
    method: 'GET',
    operations: { readEvents: '/v1/events' },
    summary: 'Read the events after a sequence, or wait for the next ones',
    access: { auth: 'key', scope: 'webhooks:read', modes: 'both', rateLimit: 'none' },
    query: feedQuery,
    responses: { 200: feed.schema },
    errors: ['EventsPruned', 'FeedReset', 'ReaderLimitExceeded'],
    handler: readEvents,
  }),
  route({
    method: 'GET',
    operations: { readEvent: '/v1/events/{id}' },
    summary: 'Read one event',
    access: { auth: 'key', scope: 'webhooks:read', modes: 'both', rateLimit: 'none' },
    params: z.object({ id: pathText('`evt_…`: the externalEventId of a webhook.') }),
    responses: { 200: eventSchema },
    handler: async ({ deps }, { tenant, params }) =>
      reply(200, first.show(await readEvent(deps, tenant, params.id))),
  }),
];

async function readEvents(
  { feedReaders }: HandlerContext,
  call: Call<'key', unknown, z.infer<typeof feedQuery>, unknown>,
): Promise<Reply> {
  const { tenant, actor, query, waitAtMost } = call;
  const ended = query.wait === 0 ? null : waitAtMost(query.wait * SECOND_MS);
  const wait = ended === null ? null : { keyId: actor.keyId, ended };
  return reply(200, feed.show(await feedReaders.read(tenant, query, wait)));
}

function readPlace(value: string): number | 'latest' | null {
  if (value === 'latest') return value;
  const sequence = /^[0-9]{1,16}$/.test(value) ? Number(value) : null;
  return Number.isSafeInteger(sequence) ? sequence : null;
}

function readTypes(value: string): readonly string[] | null {
  const types = value.split(',');
  return types.length <= EVENT_TYPES_MAX && types.every(isEventPattern) ? types : null;
}

function readEpoch(value: string): number | null {
  const epoch = /^[1-9][0-9]{0,15}$/.test(value) ? Number(value) : null;
  return Number.isSafeInteger(epoch) ? epoch : null;
}

function readWait(value: string): number | null {
  const wait = /^[0-9]{1,2}$/.test(value) ? Number(value) : null;
  return wait !== null && wait <= WAIT_MAX_SECONDS ? wait : null;
}
