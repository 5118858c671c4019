// What an idempotency key was used for.
import { z } from 'zod';
import { allows } from '../../../core/domain/access/scope.js';
import { formatInstant } from '../../../core/domain/base/instant.js';
import { paymentOrigins } from '../../../core/domain/payments/payment.js';
import {
  type IdempotencyKeyUse,
  readIdempotencyKey,
} from '../../../core/usecases/payments/idempotency-keys.js';
import { representation } from '../protocol/representation.js';
import { reply, route } from '../protocol/route-row.js';
import { instant, pathText } from '../protocol/schemas.js';
import { paymentScopes, statuses } from './payment-routes.js';

const readScopes = paymentScopes.read.byOrigin;

const keyUse = representation<IdempotencyKeyUse>()('IdempotencyKey', {
  key: z.string(),
  origin: z.enum(paymentOrigins).meta({ description: 'The kind of the resource.' }),
  resourceId: z.string().meta({ description: 'What a create with this key returns.' }),
  status: z.enum(statuses).meta({ description: 'The status of the resource now.' }),
  createdAt: [
    instant.meta({ description: 'When the key was bound to the resource. It does not expire.' }),
    ({ createdAtMs }) => formatInstant(createdAtMs),
  ],
});

export const idempotencyKeyRoutes = [
  route({
    method: 'GET',
    operations: { readIdempotencyKey: '/v1/idempotency-keys/{id}' },
    summary: 'Read what an Idempotency-Key was used for; not found: it was not used',
    access: {
      auth: 'key',
      scope: { anyOf: Object.values(readScopes) },
      modes: 'both',
      rateLimit: 'none',
    },
    params: z.object({ id: pathText('The Idempotency-Key of a create, percent-encoded.') }),
    responses: { 200: keyUse.schema },
    handler: async ({ deps }, { tenant, actor, params: { id: key } }) => {
      const mayRead = (origin: IdempotencyKeyUse['origin']) =>
        allows(actor.scopes, readScopes[origin]);
      return reply(200, keyUse.show(await readIdempotencyKey(deps, tenant, key, mayRead)));
    },
  }),
];
