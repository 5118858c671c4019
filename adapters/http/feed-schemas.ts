// The shapes of the event feed. What `data` of each event is stands in event-schemas.ts, as
// webhooks carry it.
import { z } from 'zod';
import { assert } from '../../core/errors.js';
import { WAITING_PER_KEY_MAX } from '../../core/usecases/feed-readers.js';
import { eventBodies } from './event-schemas.js';
import { instant, pageQuery, readText, responseSchemas } from './schemas.js';

/** Shorter than the time-outs of common clients and load balancers. */
export const WAIT_MAX_SECONDS = 30;

export const feedQuery = z.object({
  after: readText(readPlace, 'send a whole number of 0 or more, or latest, once', {
    type: ['integer', 'string'],
    minimum: 0,
    pattern: '^latest$',
    default: 0,
    description:
      'The last sequence you have seen: the nextAfter of the answer before. `latest` begins ' +
      'behind the latest event. Beyond it is a `FeedReset`.',
  })
    .optional()
    .transform((after) => after ?? 0),
  epoch: readText(readEpoch, 'send a whole number of 1 or more, once', {
    type: 'integer',
    minimum: 1,
    description:
      'The epoch of the answer before. A restore of the service begins another one, in which ' +
      'sequence numbers are used again: then the answer is a `FeedReset`.',
  })
    .optional()
    .transform((epoch) => epoch ?? null),
  limit: pageQuery.shape.limit,
  wait: readText(readWait, `send a whole number from 0 to ${WAIT_MAX_SECONDS}, once`, {
    type: 'integer',
    minimum: 0,
    maximum: WAIT_MAX_SECONDS,
    default: 0,
    description:
      'Seconds to wait for the next event when there is none yet. Of one key ' +
      `${WAITING_PER_KEY_MAX} requests wait at a time: one more is refused, with the seconds ` +
      'after which to repeat it.',
  })
    .optional()
    .transform((wait) => wait ?? 0),
});

/** An event of the feed: the body of its webhook and its place. */
const [first, ...others] = eventBodies.map((body) =>
  z.object({
    sequence: z.int().min(1).meta({ description: 'Without gaps, from 1, in your mode.' }),
    id: z.string().meta({ description: 'The externalEventId of webhooks.' }),
    event: body.shape.event,
    createdAt: instant,
    data: body.shape.data.meta({ description: 'Byte for byte the `data` of the webhook.' }),
  }),
);
assert(first !== undefined, 'there are kinds of events');
export const feedEventResponse = z.discriminatedUnion('event', [first, ...others]);

export const feedResponse = z.strictObject({
  data: z.array(feedEventResponse),
  nextAfter: z.int().min(0).meta({ description: 'Send it as `after` to read on.' }),
  epoch: z.int().min(1).meta({ description: 'Store it with `nextAfter`, and send it along.' }),
});

responseSchemas.add(feedEventResponse, { id: 'FeedEvent' }).add(feedResponse, { id: 'Feed' });

function readPlace(value: string): number | 'latest' | null {
  if (value === 'latest') return value;
  const sequence = /^[0-9]{1,16}$/.test(value) ? Number(value) : null;
  return Number.isSafeInteger(sequence) ? sequence : null;
}

function readEpoch(value: string): number | null {
  const epoch = /^[1-9][0-9]{0,15}$/.test(value) ? Number(value) : null;
  return Number.isSafeInteger(epoch) ? epoch : null;
}

function readWait(value: string): number | null {
  const wait = /^[0-9]{1,2}$/.test(value) ? Number(value) : null;
  return wait !== null && wait <= WAIT_MAX_SECONDS ? wait : null;
}
