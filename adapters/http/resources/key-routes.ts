// API keys, which the dashboard creates, lists and revokes.
import { z } from 'zod';
import { keyPrefix, type StoredKey } from '../../../core/domain/access/api-key.js';
import { scopes } from '../../../core/domain/access/scope.js';
import { formatInstant, instantOrNull, parseInstant } from '../../../core/domain/base/instant.js';
import { modes } from '../../../core/domain/base/tenant.js';
import {
  createKey,
  listKeys,
  NAME_LENGTH_MAX,
  NETWORKS_MAX,
  OVERLAP_HOURS,
  OVERLAP_HOURS_MAX,
  revokeKey,
  rollKey,
} from '../../../core/usecases/access/keys.js';
import { isNetwork } from '../protocol/client-address.js';
import { representation, wholeListOf } from '../protocol/representation.js';
import { reply, route } from '../protocol/route-row.js';
import {
  instant,
  keysOf,
  optional,
  pathText,
  readText,
  requestSchemas,
  text,
} from '../protocol/schemas.js';

const scope = z.enum(keysOf(scopes));
const network = z
  .string('send an IP address or a CIDR network')
  .refine(isNetwork, 'send an IP address or a CIDR network');

const createKeyBody = z.object({
  name: text(1, NAME_LENGTH_MAX, 'What the key is for.'),
  mode: z.enum(modes).meta({ description: 'A live key may be created before production access.' }),
  scopes: optional(
    z.array(scope).meta({ description: 'What the key may do. Absent or empty: unrestricted.' }),
  ).transform((granted) => granted ?? []),
  expiresAt: optional(
    readText(parseInstant, 'send an RFC 3339 timestamp with an offset, in the future', {
      format: 'date-time',
      description: 'The key is refused from this time on. Absent: it does not expire.',
    }),
  ),
  networks: optional(
    z
      .array(network)
      .max(NETWORKS_MAX)
      .meta({
        description:
          'IP addresses or CIDR networks, IPv4 or IPv6, that may use the key. Absent or ' +
          'empty: from everywhere.',
        examples: [['203.0.113.0/24', '2001:db8::/32']],
      }),
  ).transform((networks) => networks ?? []),
});

const rollKeyBody = z.object({
  overlapHours: optional(
    z.int().min(0).max(OVERLAP_HOURS_MAX).meta({
      default: OVERLAP_HOURS,
      description: 'How long the old key stays valid, in hours.',
    }),
  ).transform((hours) => hours ?? OVERLAP_HOURS),
});

requestSchemas.add(createKeyBody, { id: 'CreateApiKey' }).add(rollKeyBody, { id: 'RollApiKey' });

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
  keptScopes: z.array(scope).meta({
    description: 'Held in addition: they were part of another scope when the key was created.',
  }),
  createdBy: z
    .string()
    .nullable()
    .meta({
      description:
        'The member (`mem_…`) or operator (`opr_…`, or `development` without operators) who ' +
        'created it; null: not recorded.',
    }),
  keptBy: z
    .string()
    .nullable()
    .meta({
      description:
        'The owner (`mem_…`) who kept it when its creator was removed, or whose key an operator ' +
        'rolled.',
    }),
  networks: z.array(z.string()).meta({ description: 'Empty: usable from everywhere.' }),
  lastUsedAt: [
    instant.nullable().meta({ description: 'To the minute.' }),
    (key) => instantOrNull(key.lastUsedAtMs),
  ],
  expiresAt: [
    instant.nullable().meta({ description: 'Of a key that was rolled: the end of the overlap.' }),
    (key) => instantOrNull(key.expiresAtMs),
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
    access: {
      auth: 'session',
      scope: 'api_keys:write',
      modes: 'both',
      rateLimit: 'stored',
      proof: 'fresh_live',
    },
    changesMode: async (_, { body }) => body.mode,
    body: createKeyBody,
    responses: { 201: apiKeyWithSecret.schema },
    handler: async ({ deps }, { tenant: { orgId }, actor, body }) => {
      const { expiresAt: expiresAtMs, ...rest } = body;
      const input = { ...rest, expiresAtMs, orgId, createdBy: actor.memberId };
      const { key, secret } = await createKey(deps, input);
      return reply(201, apiKeyWithSecret.show({ ...key, secret }));
    },
  }),
  route({
    method: 'GET',
    operations: { listApiKeys: '/v1/api-keys' },
    summary: 'List all active API keys of both modes and the newest revoked ones',
    access: { auth: 'session', scope: 'none', modes: 'both', rateLimit: 'none', proof: 'session' },
    responses: { 200: apiKeyList.schema },
    handler: async ({ deps }, { tenant }) =>
      reply(200, apiKeyList.show(await listKeys(deps, tenant.orgId), null)),
  }),
  route({
    method: 'POST',
    operations: { rollApiKey: '/v1/api-keys/{id}/roll' },
    summary: 'Create a key like this one, which stays valid for an overlap',
    access: {
      auth: 'session',
      scope: 'api_keys:write',
      modes: 'both',
      rateLimit: 'stored',
      proof: 'fresh_live',
    },
    changesMode: async (deps, { tenant, params }) => {
      const keys = await listKeys(deps, tenant.orgId);
      return keys.find(({ id }) => id === params.id)?.mode ?? tenant.mode;
    },
    params: keyParams,
    body: rollKeyBody,
    responses: { 200: apiKeyWithSecret.schema },
    handler: async ({ deps }, { tenant, actor, params, body: { overlapHours } }) => {
      const by = { createdBy: actor.memberId, overlapHours };
      const { key, secret } = await rollKey(deps, tenant.orgId, params.id, by);
      return reply(200, apiKeyWithSecret.show({ ...key, secret }));
    },
  }),
  route({
    method: 'DELETE',
    operations: { revokeApiKey: '/v1/api-keys/{id}' },
    summary: 'Revoke an API key, from its next request on; a repeat changes nothing',
    access: {
      auth: 'session',
      scope: 'api_keys:write',
      modes: 'both',
      rateLimit: 'stored',
      proof: 'session',
    },
    inQuarantine: 'served',
    params: keyParams,
    responses: { 200: apiKey.schema },
    handler: async ({ deps }, { tenant, params }) =>
      reply(200, apiKey.show(await revokeKey(deps, tenant.orgId, params.id))),
  }),
];
