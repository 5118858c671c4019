// The body of every refusal: schema and presenter of an error.
import { z } from 'zod';
import { catalogue, type PonteError } from '../../../core/errors.js';
import { representation } from './representation.js';
import { keysOf } from './schemas.js';

export const errorBody = representation<PonteError>()(
  'Error',
  {
    statusCode: [z.int(), ({ status }) => status],
    error: [z.enum(keysOf(catalogue)), ({ code }) => code],
    message: z.string().meta({ description: 'For people. The text may change.' }),
    retryAfter: [
      z
        .int()
        .min(1)
        .optional()
        .meta({ description: 'Seconds to wait before a retry, on transient errors.' }),
      ({ retryAfterSeconds }) => retryAfterSeconds ?? undefined,
    ],
    oldestSequence: [
      z
        .int()
        .min(1)
        .optional()
        .meta({ description: 'On `EventsPruned`: continue with `after` one less.' }),
      ({ oldestSequence }) => oldestSequence ?? undefined,
    ],
    epoch: [
      z.int().min(1).optional().meta({ description: 'On `FeedReset`: the current epoch.' }),
      ({ feed }) => feed?.epoch,
    ],
    lastSequence: [
      z.int().min(0).optional().meta({
        description: 'On `FeedReset`: the sequence of the latest event, 0 if there is none.',
      }),
      ({ feed }) => feed?.lastSequence,
    ],
  },
  'The body of every error. Decide on `error`.',
);
