// API keys, which the dashboard creates, lists and revokes.
import { z } from 'zod';
import { keyPrefix, type StoredKey } from '../../../core/domain/access/api-key.js';
import { scopes } from '../../../core/domain/access/scope.js';
import { formatInstant } from '../../../core/domain/base/instant.js';
import { modes } from '../../../core/domain/base/tenant.js';
import {
  createKey,
  listKeys,
  NAME_LENGTH_MAX,
  revokeKey,
} from '../../../core/usecases/access/keys.js';
import { representation, wholeListOf } from '../protocol/representation.js';
import { reply, route } from '../protocol/route-row.js';
import {
  instant,
  instantOrNull,
  keysOf,
  optional,
  pathText,
  requestSchemas,
  text,
} from '../protocol/schemas.js';

const scope = z.enum(keysOf(scopes));

const createKeyBody = z.object({
  name: text(1, NAME_LENGTH_MAX, 'What the key is for.'),
  mode: z.enum(modes).meta({ description: 'A live key may be created before production access.' }),
  scopes: optional(
    z.array(scope).meta({ description: 'What the key may do. Absent or empty: unrestricted.' }),
  ).transform((granted) => granted ?? []),
});

requestSchemas.add(createKeyBody, { id: 'CreateApiKey' });

export const apiKey = representation<StoredKey>()('ApiKey', {
  id: z.string(),
  orgId: z.string(),
  name: z.string(),
  keyPrefix: [
    z.string().meta({ description: 'The public half, safe to log.' }),
    ({ mode, id }) => keyPrefix(mode, id),
  ],
  testMode: [z.boolean(), ({ mode }) => mode === 'test'],
  scopes: z.array(scope).meta({ description: 'Empty: unrestricted.' }),
  createdBy: z.string().nullable().meta({
    description: 'The member (`mem_…`) who created it, or `operator`; null: not recorded.',
  }),
  lastUsedAt: [
    instant.nullable().meta({ description: 'To the minute.' }),
    (key) => instantOrNull(key.lastUsedAtMs),
  ],
  revokedAt: [instant.nullable(), (key) => instantOrNull(key.revokedAtMs)],
  createdAt: [instant, (key) => formatInstant(key.createdAtMs)],
});

export const apiKeyWithSecret = representation<StoredKey & { readonly secret: string }>()(
  'ApiKeyWithSecret',
  {
    ...apiKey.fields,
    secret: z
      .string()
      .regex(/^pk_(test|live)_[^.\s]+\.\S+$/)
      .meta({ description: 'Returned only once. Send the whole text as X-API-Key.' }),
  },
);

const apiKeyList = wholeListOf('ApiKeyList', apiKey);

const keyParams = z.object({ id: pathText('`key_…`') });

export const keyRoutes = [
  route({
    method: 'POST',
    operations: { createApiKey: '/v1/api-keys' },
    summary: 'Create an API key; the secret is returned only once',
    access: { auth: 'session', scope: 'api_keys:write', modes: 'both', rateLimit: 'none' },
    body: createKeyBody,
    responses: { 201: apiKeyWithSecret.schema },
    handler: async ({ deps }, { tenant: { orgId }, actor, body }) => {
      const input = { ...body, orgId, createdBy: actor.memberId };
      const { key, secret } = await createKey(deps, input);
      return reply(201, apiKeyWithSecret.show({ ...key, secret }));
    },
  }),
  route({
    method: 'GET',
    operations: { listApiKeys: '/v1/api-keys' },
    summary: 'List all active API keys of both modes and the newest revoked ones',
    access: { auth: 'session', scope: 'none', modes: 'both', rateLimit: 'none' },
    responses: { 200: apiKeyList.schema },
    handler: async ({ deps }, { tenant }) =>
      reply(200, apiKeyList.show(await listKeys(deps, tenant.orgId), null)),
  }),
  route({
    method: 'DELETE',
    operations: { revokeApiKey: '/v1/api-keys/{id}' },
    summary: 'Revoke an API key, from its next request on; a repeat changes nothing',
    access: { auth: 'session', scope: 'api_keys:write', modes: 'both', rateLimit: 'none' },
    inQuarantine: 'served',
    params: keyParams,
    responses: { 200: apiKey.schema },
    handler: async ({ deps }, { tenant, params }) =>
      reply(200, apiKey.show(await revokeKey(deps, tenant.orgId, params.id))),
  }),
];
