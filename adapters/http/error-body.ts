// The one shape of all refusals: what a client reads of an error, schema and presenter.
import { z } from 'zod';
import { catalogue, type PonteError } from '../../core/errors.js';
import { representation } from './representation.js';
import { keysOf } from './schemas.js';

export const errorBody = representation<PonteError>()(
  'Error',
  {
    statusCode: [z.int(), ({ status }) => status],
    error: [z.enum(keysOf(catalogue)), ({ code }) => code],
    message: z.string().meta({ description: 'For people; it may change.' }),
    retryAfter: [
      z.int().min(1).optional().meta({ description: 'Seconds to wait: transient ones.' }),
      ({ retryAfterSeconds }) => retryAfterSeconds ?? undefined,
    ],
    oldestSequence: [
      z
        .int()
        .min(1)
        .optional()
        .meta({ description: 'Of `EventsPruned`: read on with `after` one less.' }),
      ({ oldestSequence }) => oldestSequence ?? undefined,
    ],
    epoch: [
      z.int().min(1).optional().meta({ description: 'Of `FeedReset`: the current epoch.' }),
      ({ feed }) => feed?.epoch,
    ],
    lastSequence: [
      z
        .int()
        .min(0)
        .optional()
        .meta({ description: 'Of `FeedReset`: the latest event, 0 when there is none.' }),
      ({ feed }) => feed?.lastSequence,
    ],
  },
  'Every refusal has this shape. Decide on `error`.',
);
