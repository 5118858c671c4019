// The OpenAPI 3.1 description, built once from the route table and the named schemas.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type ScopeRule, scopes } from '../../../core/domain/access/scope.js';
import { eventTypes } from '../../../core/domain/payments/event.js';
import type { PaymentOrigin } from '../../../core/domain/payments/payment.js';
import { assert, catalogue, type ErrorCode, PonteError } from '../../../core/errors.js';
import type { PartnerNotes } from '../../../core/ports/partner.js';
import { errorBody } from '../protocol/error-body.js';
import { PackedJson } from '../protocol/packed-json.js';
import { errorCodesOf, offTableCodes } from '../protocol/route-errors.js';
import {
  type Auth,
  type HandlerContext,
  noParams,
  noQuery,
  type Route,
} from '../protocol/route-row.js';
import { keysOf, requestSchemas, responseSchemas } from '../protocol/schemas.js';
import { kyc } from '../resources/buyer-kyc-routes.js';
import { eventBodyOf } from '../resources/event-bodies.js';
import { introduction, tagOf, tagTexts } from './description-text.js';
import recorded from './examples.json' with { type: 'json' };

const VERSION = '1.0.0';

const security: Readonly<Record<Auth, readonly Readonly<Record<string, readonly string[]>>[]>> = {
  key: [{ ApiKey: [] }],
  session: [{ Session: [] }],
  either: [{ ApiKey: [] }, { Session: [] }],
  keyElseSession: [{ ApiKey: [] }, { Session: [] }],
  partner: [{ PartnerSignature: [] }],
  signature: [{ UrlSignature: [] }],
  none: [],
};

const securitySchemes = {
  ApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: `\`pk_<mode>_<id>.<secret>\`, for servers. A key without scopes is unrestricted;
the scopes are ${Object.keys(scopes).join(', ')}.`,
  },
  Session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A member of the organization in the dashboard. Its role gives the scopes.',
  },
  UrlSignature: {
    type: 'apiKey',
    in: 'query',
    name: 'signature',
    description: 'Part of the URL: use the URL unchanged.',
  },
} as const;

const webhookHeaders = {
  'X-Service-Signature': 't=<unix seconds>,v1=<hex HMAC-SHA256>',
  'X-Service-Delivery-Id': 'The same on every attempt: drop duplicates by it.',
  'X-Service-Event-Type': 'The event type, as in the body.',
  'webhook-id': 'The delivery id again, for verifiers of Standard Webhooks.',
  'webhook-timestamp': 'Unix seconds of the attempt.',
  'webhook-signature': 'v1,<base64 HMAC-SHA256>, by the Standard Webhooks scheme.',
} as const;

type Json = Readonly<Record<string, unknown>>;

const partnerSignature = ({ signatureHeader }: PartnerNotes) => ({
  type: 'apiKey',
  in: 'header',
  name: signatureHeader,
  description: 'The settlement partner signs id, timestamp and raw body by the Svix scheme.',
});

export function describeRoutes(
  routes: readonly Route[],
  partner: PartnerNotes,
  serverUrl?: string,
): ReturnType<HandlerContext['description']> {
  const json = JSON.stringify(openApiDocument(routes, partner, serverUrl));
  const hash = createHash('sha256').update(json).digest('base64url');
  // Weak: it is the same packed.
  return { body: new PackedJson(json), etag: `W/"${hash.slice(0, 22)}"` };
}

/** `serverUrl`: absolute, for generated clients, which take it as their base. */
export function openApiDocument(
  routes: readonly Route[],
  partner: PartnerNotes,
  serverUrl = '/',
): Json {
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
  assert(shared.length === 0, `a request and an answer share a name: ${shared}`);
  const inRows = new Set(routes.flatMap(errorCodesOf));
  const anywhere = new Set([...inRows, ...offTableCodes]);
  const codes = keysOf(catalogue).filter((code) => anywhere.has(code));
  const { Error: envelope, ...others } = answered as Readonly<Record<string, Json>>;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ponte',
      version: VERSION,
      description: introduction(codes, partner),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    tags: tagTexts.map(({ name, description }) => ({ name, description })),
    paths,
    webhooks: Object.fromEntries(eventTypes.toSorted().map((type) => [type, webhook(type)])),
    components: {
      securitySchemes: { ...securitySchemes, PartnerSignature: partnerSignature(partner) },
      headers: { 'X-Request-Id': { schema: { type: 'string' } }, ...headersOfQuota },
      schemas: {
        ...requests,
        ...others,
        Error: { ...envelope, examples: codes.map(errorExample) },
      },
      examples: Object.fromEntries(
        [...inRows].map((code) => [code, { value: errorExample(code) }]),
      ),
    },
  };
}

function operation(route: Route, operationId: string): Json {
  const example = exampleOf(operationId);
  const { auth, scope } = route.access;
  return {
    operationId,
    summary: route.summary,
    ...(scope === 'none' ? {} : { description: scopeText(scope) }),
    tags: [tagOf(Object.values(route.operations)[0] ?? '')],
    security: security[auth],
    parameters: [
      ...parameters(route.params, 'path', noParams, example.params),
      ...parameters(route.query, 'query', noQuery, example.query),
      ...(route.idempotency === 'key' ? [idempotencyKey] : []),
      ...(route.responses[304] === undefined ? [] : [ifNoneMatch]),
    ],
    ...requestBody(route, example.body),
    responses: { ...refusals(route), ...answers(route, example.answers) },
  };
}

const originNames: Readonly<Record<PaymentOrigin, string>> = {
  payment_intent: 'a payment intent',
  invoice: 'an invoice',
};

function scopeText(rule: Exclude<ScopeRule, 'none'>): string {
  if (typeof rule === 'string') return `Scope: \`${rule}\`.`;
  if ('anyOf' in rule) return `Scope: ${rule.anyOf.map((scope) => `\`${scope}\``).join(' or ')}.`;
  const needs = Object.entries(rule.byOrigin) as readonly [PaymentOrigin, string][];
  const texts = needs.map(([origin, scope]) => `\`${scope}\` for ${originNames[origin]}`);
  return `Scope: ${texts.join(', ')}.`;
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Recommended. 1-255 printable ASCII characters, such as a UUID.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
} as const;

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of your copy: an unchanged document is not sent again.',
  schema: { type: 'string' },
} as const;

/** A recorded call and its answers; `npm run examples` records them. */
interface RecordedCall {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly answers?: Readonly<Record<string, unknown>>;
}

function exampleOf(operationId: string): RecordedCall {
  const calls: Readonly<Record<string, RecordedCall>> = recorded.calls;
  return calls[operationId] ?? {};
}

function errorExample(code: ErrorCode): Json {
  const oldest = code === 'EventsPruned' ? { oldestSequence: 1 } : {};
  const reset = code === 'FeedReset' ? { feed: { epoch: 2, lastSequence: 12 } } : {};
  return errorBody.show(new PonteError(code, undefined, { ...oldest, ...reset }));
}

function parameters(
  schema: z.ZodType,
  place: 'path' | 'query',
  none: z.ZodType,
  examples: Readonly<Record<string, string>> = {},
): readonly Json[] {
  if (schema === none) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' });
  return Object.entries(properties).map(([name, described]) => {
    const { description, ...rest } = withoutNull(described as Json);
    const text = examples[name];
    const isNumber = [rest['type']].flat().includes('integer') && /^[0-9]+$/.test(text ?? '');
    const example = isNumber ? Number(text) : text;
    const shown = example === undefined ? {} : { example };
    return {
      name,
      in: place,
      required: required.includes(name),
      description,
      schema: rest,
      ...shown,
    };
  });
}

/** A parameter is absent, never null; what it is about is said of its text. */
function withoutNull(described: Json): Json {
  const { anyOf = [], ...rest } = described as Json & { readonly anyOf?: readonly Json[] };
  const [only, ...others] = anyOf.filter(({ type }) => type !== 'null');
  return only === undefined || others.length > 0 ? described : { ...only, ...rest };
}

function requestBody(route: Route, example: unknown): Json {
  if (route.body === 'none') return {};
  if (route.body === 'bytes' || route.body === 'stream') {
    return { requestBody: { required: true, content: { '*/*': { schema: {} } } } };
  }
  const content = jsonContent(named(requestSchemas, route.body), example);
  // A client that sends no body tends to omit the content type, which is refused.
  const description = route.body.safeParse({}).success ? { description: emptyBodyWords } : {};
  return { requestBody: { ...description, required: true, content } };
}

const emptyBodyWords =
  'Send `{}` or no body, with `Content-Type: application/json` in either case.';

function answers(route: Route, examples: RecordedCall['answers'] = {}): Json {
  const entries = Object.entries(route.responses).map(([status, schema]) => {
    const replayed = status === '200' && route.responses[201] !== undefined;
    const mayRepeat = status === '200' && route.idempotency === 'key';
    return [
      status,
      {
        description: replayed ? 'The resource existed; nothing was created.' : answerWords(status),
        headers: {
          'X-Request-Id': requestIdHeader,
          ...(replayed || mayRepeat ? replayHeaders : {}),
          ...quotaHeaders(route),
          ...(route.responses[304] === undefined ? {} : { ETag: { schema: { type: 'string' } } }),
        },
        ...answerContent(schema, examples[status]),
      },
    ];
  });
  return Object.fromEntries(entries);
}

const replayHeaders = {
  'Idempotent-Replayed': { schema: { const: 'true' } },
  'Idempotent-Mismatch': {
    description:
      'Fields of the body that differ from what is stored or was sent first, as in ' +
      '`amount, buyer.email`; absent if none does.',
    schema: { type: 'string' },
  },
} as const;

function answerContent(schema: z.ZodType | readonly string[], example: unknown): Json {
  if (schema instanceof z.ZodType) {
    return { content: jsonContent(named(responseSchemas, schema), example) };
  }
  if (schema.length === 0) return {};
  return { content: Object.fromEntries(schema.map((type) => [type, { schema: {} }])) };
}

function answerWords(status: string): string {
  if (status === '503') return 'Not ready.';
  if (status === '304') return 'Not modified.';
  return status === '201' ? 'Created.' : 'Success.';
}

const headersOfQuota = {
  'RateLimit-Policy': {
    description:
      'The limit on creates that leaves you the fewest, of the API key or of the tenant, as in ' +
      '`"key";q=100;w=10`: 100 at once, and 100 more in 10 seconds. Absent without a limit.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'What that limit leaves, as in `"key";r=99;t=1`: 99 now, and all in a second.',
    schema: { type: 'string' },
  },
} as const;

/** Refusals have them too, once the limit was asked. */
function quotaHeaders({ access }: Route): Json {
  if (access.rateLimit !== 'create') return {};
  const names = keysOf(headersOfQuota);
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const requestIdHeader = { $ref: '#/components/headers/X-Request-Id' } as const;

function refusals(route: Route): Json {
  const byStatus = Map.groupBy(new Set(errorCodesOf(route)), (code) => `${catalogue[code].status}`);
  const entries = [...byStatus].map(([status, names]) => [
    status,
    {
      description: names.map((name) => `\`${name}\`: ${catalogue[name].message}`).join('\n\n'),
      headers: {
        'X-Request-Id': requestIdHeader,
        ...quotaHeaders(route),
        ...(names.some((name) => catalogue[name].retryAfterSeconds !== null)
          ? { 'Retry-After': { schema: { type: 'integer' } } }
          : {}),
      },
      content: {
        'application/json': {
          schema: {
            allOf: [
              named(responseSchemas, errorBody.schema),
              { properties: { error: { enum: names } } },
            ],
          },
          examples: Object.fromEntries(
            names.map((name) => [name, { $ref: `#/components/examples/${name}` }]),
          ),
        },
      },
    },
  ]);
  return Object.fromEntries(entries);
}

function webhook(type: string): Json {
  const body = eventBodyOf(type);
  const events: Readonly<Record<string, unknown>> = recorded.events;
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
        content: jsonContent(
          { allOf: [named(responseSchemas, body), { properties: { event: { const: type } } }] },
          events[type],
        ),
      },
      responses: {
        '2XX': { description: 'Delivered, if it comes within 10 s. Anything else is retried.' },
      },
    },
  };
}

function jsonContent(schema: Json, example: unknown): Json {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
}

function named(registry: z.core.$ZodRegistry<{ id: string }>, schema: z.ZodType): Json {
  const id = registry.get(schema)?.id;
  assert(id !== undefined, 'every body and answer of a row has a name');
  return { $ref: uriOf(id) };
}

function uriOf(id: string): string {
  return `#/components/schemas/${id}`;
}

/**
 * Answers may gain properties within v1, so their schemas are open in the description. The
 * exception is the one that the interface closes.
 */
function schemas(io: 'input' | 'output'): Json {
  const registry = io === 'input' ? requestSchemas : responseSchemas;
  const made = z.toJSONSchema(registry, {
    io,
    uri: uriOf,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const open = io === 'output' && zodSchema !== kyc.schema;
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
