// The machine-readable description of the interface, OpenAPI 3.1, built from the route table and
// the schemas once. It also owns which refusals follow from a row's fields.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { eventTypes } from '../../core/domain/event.js';
import { scopes } from '../../core/domain/scope.js';
import { assert, catalogue, type ErrorCode } from '../../core/errors.js';
import { kycResponse } from './buyer-schemas.js';
import { eventBodies } from './event-schemas.js';
import type { Auth, Route } from './route-row.js';
import { errorResponse, noParams, noQuery, requestSchemas, responseSchemas } from './schemas.js';

/** The description's own version, as the interface fixes it. */
const VERSION = '1.0.0';

const about = `Collect cross-border B2B payments: a buyer abroad pays on a hosted page, a Brazilian
seller is paid BRL by PIX.

- A key's prefix fixes its mode (\`pk_test_\`, \`pk_live_\`); test and live data never meet.
- Creates take an \`Idempotency-Key\`: a repeat answers with the same resource, status 200 and
  \`Idempotent-Replayed: true\`. Bodies are not compared, keys do not expire.
- Every answer carries \`X-Request-Id\`; yours is kept if it is 1-128 of \`[A-Za-z0-9_.-]\`.
- Unknown properties are ignored, except that \`POST /v1/buyer-kyc\` refuses them. Optional
  properties of answers are present and null when unset.
- Lists are \`{ data, nextCursor }\`, newest first; send \`nextCursor\` as \`cursor\`.
- Besides the refusals listed with each operation: 404 \`NotFound\` for an unknown path, 405
  \`MethodNotAllowed\`, 408 \`RequestTimeout\`, 431 \`HeadersTooLarge\`.
- Webhooks are signed: \`X-Service-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of
  "<t>.<raw body>">\`, keyed with the whole secret text. Refuse when \`t\` is more than 300 s off.
- What webhooks carry can be read again, from any sequence on: \`GET /v1/events\`.
- In test mode no money moves. Amounts ending in \`.66\` fail at pay-in, in \`.77\` at payout, in
  \`.88\` are refunded after failure, in \`.55\` arrive one unit short; a first or legal name
  \`Fail\` is rejected.`;

const security: Readonly<Record<Auth, readonly Readonly<Record<string, readonly string[]>>[]>> = {
  key: [{ ApiKey: [] }],
  session: [{ Session: [] }],
  either: [{ ApiKey: [] }, { Session: [] }],
  partner: [{ PartnerSignature: [] }],
  signature: [{ UrlSignature: [] }],
  none: [],
};

const securitySchemes = {
  ApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: `\`pk_<mode>_<id>.<secret>\`, for servers. A key without scopes may do everything;
scopes are ${Object.keys(scopes).join(', ')}.`,
  },
  Session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A member of the organization in the dashboard; scopes follow from its role.',
  },
  UrlSignature: {
    type: 'apiKey',
    in: 'query',
    name: 'signature',
    description: 'Part of the URL as it was given out: use the URL unchanged.',
  },
  PartnerSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'svix-signature',
    description: 'The settlement partner signs id, timestamp and raw body by the Svix scheme.',
  },
} as const;

const webhookHeaders = {
  'X-Service-Signature': 't=<unix seconds>,v1=<hex HMAC-SHA256>',
  'X-Service-Delivery-Id': 'The same on every attempt: drop what was seen before.',
  'X-Service-Event-Type': 'The event, as in the body.',
} as const;

type Json = Readonly<Record<string, unknown>>;

/** The text of the description and its entity tag. */
export function describeRoutes(routes: readonly Route[]): {
  readonly json: string;
  readonly etag: string;
} {
  const json = JSON.stringify(openApiDocument(routes));
  const hash = createHash('sha256').update(json).digest('base64url');
  return { json, etag: `"${hash.slice(0, 22)}"` };
}

export function openApiDocument(routes: readonly Route[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    for (const [operationId, path] of Object.entries(route.operations)) {
      const methods = paths[path] ?? {};
      methods[route.method.toLowerCase()] = operation(route, operationId);
      paths[path] = methods;
    }
  }
  const requests = schemas('input');
  const answered = schemas('output');
  const shared = Object.keys(requests).filter((id) => Object.hasOwn(answered, id));
  assert(shared.length === 0, `requests and answers have names of their own: ${shared}`);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ponte',
      version: VERSION,
      description: about,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths,
    webhooks: Object.fromEntries(eventTypes.toSorted().map((type) => [type, webhook(type)])),
    components: {
      securitySchemes,
      headers: { 'X-Request-Id': { schema: { type: 'string' } } },
      schemas: { ...requests, ...answered },
    },
  };
}

/** Every refusal that a row can answer with: what follows from its fields, and its own. */
export function errorCodesOf(route: Route): readonly ErrorCode[] {
  const { auth } = route;
  const json = typeof route.body !== 'string';
  const codes: readonly (readonly [boolean, readonly ErrorCode[]])[] = [
    [true, ['ValidationError', 'InternalError', 'StoreContention']],
    [auth === 'key' || auth === 'either', ['InvalidApiKey', 'InvalidApiKeyFormat']],
    [auth === 'session' || auth === 'either', ['Unauthorized', 'InvalidToken']],
    [auth === 'partner' || auth === 'signature', ['InvalidSignature']],
    [route.scope !== 'none', ['InsufficientScope']],
    [route.modes === 'test' || route.params !== noParams, ['NotFound']],
    [route.rateLimit === 'create', ['RateLimitExceeded']],
    [route.idempotency === 'key', ['IdempotencyKeyConflict']],
    [route.body !== 'none', ['PayloadTooLarge']],
    [json, ['UnsupportedMediaType']],
    [true, route.errors],
  ];
  return codes.flatMap(([applies, names]) => (applies ? names : []));
}

function operation(route: Route, operationId: string): Json {
  return {
    operationId,
    summary: route.summary,
    ...(route.scope === 'none' ? {} : { description: `Scope: \`${route.scope}\`.` }),
    tags: [tagOf(route)],
    security: security[route.auth],
    parameters: [
      ...parameters(route.params, 'path', noParams),
      ...parameters(route.query, 'query', noQuery),
      ...(route.idempotency === 'key' ? [idempotencyKey] : []),
    ],
    ...requestBody(route),
    responses: { ...refusals(errorCodesOf(route)), ...answers(route) },
  };
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Recommended. 1-255 printable ASCII characters, best a UUID.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
} as const;

function tagOf(route: Route): string {
  const [, first, second] = (Object.values(route.operations)[0] ?? '').split('/');
  return (first === 'v1' ? second : first) ?? '';
}

function parameters(schema: z.ZodType, place: 'path' | 'query', none: z.ZodType): readonly Json[] {
  if (schema === none) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' });
  return Object.entries(properties).map(([name, described]) => {
    const { description, ...rest } = described as Json;
    return { name, in: place, required: required.includes(name), description, schema: rest };
  });
}

function requestBody(route: Route): Json {
  if (route.body === 'none') return {};
  if (route.body === 'bytes' || route.body === 'stream') {
    return { requestBody: { required: true, content: { '*/*': { schema: {} } } } };
  }
  const required = !route.body.safeParse({}).success;
  return { requestBody: { required, content: jsonContent(named(requestSchemas, route.body)) } };
}

function answers(route: Route): Json {
  const entries = Object.entries(route.responses).map(([status, schema]) => {
    const replayed = status === '200' && route.responses[201] !== undefined;
    return [
      status,
      {
        description: replayed ? 'It was there before; nothing was created.' : answerWords(status),
        headers: {
          'X-Request-Id': requestIdHeader,
          ...(replayed ? { 'Idempotent-Replayed': { schema: { const: 'true' } } } : {}),
        },
        content: answerContent(schema),
      },
    ];
  });
  return Object.fromEntries(entries);
}

function answerContent(schema: z.ZodType | readonly string[]): Json {
  if (schema instanceof z.ZodType) return jsonContent(named(responseSchemas, schema));
  return Object.fromEntries(schema.map((type) => [type, { schema: {} }]));
}

function answerWords(status: string): string {
  if (status === '503') return 'Not ready.';
  return status === '201' ? 'Created.' : 'Done.';
}

const requestIdHeader = { $ref: '#/components/headers/X-Request-Id' } as const;

/** One answer per status, naming the codes that have it. */
function refusals(codes: readonly ErrorCode[]): Json {
  const byStatus = Map.groupBy(new Set(codes), (code) => `${catalogue[code].status}`);
  const entries = [...byStatus].map(([status, names]) => [
    status,
    {
      description: names.map((name) => `\`${name}\`: ${catalogue[name].message}`).join('\n\n'),
      headers: {
        'X-Request-Id': requestIdHeader,
        ...(names.some((name) => catalogue[name].transient)
          ? { 'Retry-After': { schema: { type: 'integer' } } }
          : {}),
      },
      content: jsonContent({
        allOf: [named(responseSchemas, errorResponse), { properties: { error: { enum: names } } }],
      }),
    },
  ]);
  return Object.fromEntries(entries);
}

function webhook(type: string): Json {
  const body = eventBodies[type.split('.')[0] ?? ''] ?? z.never();
  const headers = Object.entries(webhookHeaders).map(([name, description]) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  }));
  return {
    post: {
      operationId: `on_${type.replace('.', '_')}`,
      summary: `Sent when \`${type}\` happens`,
      security: [],
      parameters: headers,
      requestBody: {
        required: true,
        content: jsonContent({
          allOf: [named(responseSchemas, body), { properties: { event: { const: type } } }],
        }),
      },
      responses: {
        '2XX': { description: 'Within 10 s: delivered. Anything else is tried again.' },
      },
    },
  };
}

function jsonContent(schema: Json): Json {
  return { 'application/json': { schema } };
}

function named(registry: z.core.$ZodRegistry<{ id: string }>, schema: z.ZodType): Json {
  const id = registry.get(schema)?.id;
  assert(id !== undefined, 'every body and answer of a route has a name');
  return { $ref: uriOf(id) };
}

function uriOf(id: string): string {
  return `#/components/schemas/${id}`;
}

/**
 * Answers may gain properties within v1, so their schemas are left open in the description, but for
 * the one of which the interface says that it has no others.
 */
function schemas(io: 'input' | 'output'): Json {
  const registry = io === 'input' ? requestSchemas : responseSchemas;
  const made = z.toJSONSchema(registry, {
    io,
    uri: uriOf,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const open = io === 'output' && zodSchema !== kycResponse;
      if (open && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return Object.fromEntries(
    Object.entries(made.schemas).map(([id, { $id: _id, $schema: _schema, ...schema }]) => [
      id,
      schema,
    ]),
  );
}
