// What /docs-json says of answers, and whether an answer is one of them: the text that is served is
// all that is asked, not the table it is made from. Answers may gain properties within v1, so the
// description leaves their schemas open; here they are closed, so that it must describe everything.
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from '@redocly/ajv/dist/2020.js';
import { z } from 'zod';
import { describeRoutes } from '../../../../adapters/http/docs/openapi.js';
import { offTableCodes } from '../../../../adapters/http/protocol/route-errors.js';
import { routes } from '../../../../adapters/http/routes.js';
import { fakeNotes } from '../../../../adapters/partner/fake.js';
import type { WebhookRequest } from '../../../../core/ports/outside.js';
import type { Json } from '../../../support/servers/json-call.js';
import type { Answer } from '../checked-site.js';

interface Response {
  readonly headers: Readonly<Record<string, { readonly schema?: { readonly type?: string } }>>;
  readonly content?: Readonly<
    Record<string, { readonly examples?: Readonly<Record<string, unknown>> }>
  >;
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Response>>;
}

/** Headers that belong to HTTP or are the same for all; every other one is described. */
const commonHeaders: ReadonlySet<string> = new Set([
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'vary',
  'cache-control',
  'content-encoding',
  'content-type',
  'content-length',
  'content-disposition',
  'content-security-policy',
  'x-content-type-options',
  'x-frame-options',
  'referrer-policy',
  'strict-transport-security',
  'cross-origin-resource-policy',
  'access-control-allow-origin',
  'access-control-expose-headers',
]);
/** What is answered before a request is known to be of an operation. */
const anywhere: readonly string[] = offTableCodes;
/** Of those, what can be said of a path and method that the description has. */
const unreadable = anywhere.filter((code) => !['NotFound', 'MethodNotAllowed'].includes(code));

const document = JSON.parse(describeRoutes(routes, fakeNotes).body.text) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<
    Record<string, { readonly post: { readonly parameters: readonly { readonly name: string }[] } }>
  >;
};
const schemaAt = schemasOf(closed(document) as Json);

const forms = Object.keys(document.paths).map((path) => {
  const form = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  return { path, form };
});

/** Every answer that the description has: `<operationId> <status> <error, of a refusal>`. */
export const describedAnswers: ReadonlySet<string> = new Set(
  Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, responses }) =>
      Object.entries(responses).flatMap(([status, { content }]) => {
        const codes = Object.keys(content?.['application/json']?.examples ?? { '': null });
        return codes.map((code) => nameOf(operationId, status, code));
      }),
    ),
);

/** Those of them that were given since this process began. */
export const givenAnswers = new Set<string>();

/** Fails unless the description has exactly this: operation, status, headers, type and content. */
export function checkDescribed(method: string, path: string, answer: Answer, call: string): void {
  const at = pointerOf(method, path);
  const code = answer.status < 400 ? '' : String(answer.body['error'] ?? '');
  const response = at === null ? undefined : at.operation.responses[answer.status];
  if (at === null || (response === undefined && unreadable.includes(code))) {
    checkUndescribed(method, answer, call);
    return;
  }
  assert.ok(response !== undefined, `the description lacks this status: ${call}`);
  const pointer = [...at.pointer, 'responses', answer.status];
  checkHeaders(pointer, response, answer, call);
  const types = Object.keys(response.content ?? {});
  if (types.length === 0 || method === 'HEAD') {
    assert.equal(answer.text, '', call);
  } else {
    const type = answer.headers['content-type'] ?? '';
    assert.ok(types.includes(type), `${type} of ${call}`);
    if (type === 'application/json') {
      checkSchema([...pointer, 'content', type, 'schema'], answer.body, call);
    }
  }
  const isRefusal = response.content?.['application/json']?.examples !== undefined;
  givenAnswers.add(nameOf(at.operation.operationId, answer.status, isRefusal ? code : ''));
}

function checkHeaders(
  pointer: readonly (string | number)[],
  { headers }: Response,
  answer: Answer,
  call: string,
): void {
  const described = new Map(Object.keys(headers).map((name) => [name.toLowerCase(), name]));
  for (const [header, value] of Object.entries(answer.headers)) {
    if (commonHeaders.has(header)) continue;
    const name = described.get(header);
    assert.ok(name !== undefined, `${header} is not described: ${call}`);
    const schema = headers[name]?.schema;
    // A shared header is any text.
    if (schema === undefined) continue;
    const text = schema.type === 'integer' ? Number(value) : value;
    checkSchema([...pointer, 'headers', name, 'schema'], text, `${header} of ${call}`);
  }
}

/** Fails unless the description has exactly this event. */
export function checkDescribedWebhook({ body, headers }: WebhookRequest): void {
  const sent = JSON.parse(body) as { readonly event: string };
  const { parameters } = document.webhooks[sent.event]?.post ?? {};
  assert.deepEqual(
    Object.keys(headers).toSorted(),
    ['Content-Type', ...(parameters ?? []).map(({ name }) => name)].toSorted(),
    body,
  );
  const content = ['requestBody', 'content', 'application/json', 'schema'];
  checkSchema(['webhooks', sent.event, 'post', ...content], sent, body);
}

/** No operation: an unknown path or method, a request that cannot be read, a browser's question. */
function checkUndescribed(method: string, answer: Answer, call: string): void {
  if (method === 'OPTIONS' && answer.status === 204) {
    assert.ok(answer.headers['access-control-allow-methods'] !== undefined, call);
    assert.equal(answer.text, '', call);
    return;
  }
  if (method !== 'HEAD') {
    checkSchema(['components', 'schemas', 'Error'], answer.body, call);
    assert.ok(anywhere.includes(String(answer.body['error'])), `not for any request: ${call}`);
  }
}

/** The described operation of a method and path; null if there is none. */
export function operationIdAt(method: string, target: string): string | null {
  return pointerOf(method, target)?.operation.operationId ?? null;
}

function pointerOf(method: string, target: string) {
  // A probe may have a slash at its end.
  const pathname = target.replace(/[?#].*/s, '').replace(/^(\/healthz|\/readyz)\/$/, '$1');
  const name = method === 'HEAD' ? 'get' : method.toLowerCase();
  const path = forms.find(({ form }) => form.test(pathname))?.path ?? '';
  const operation = document.paths[path]?.[name];
  return operation === undefined ? null : { operation, pointer: ['paths', path, name] };
}

/** The compiled schema at a pointer into a description; undefined if there is none. */
export type SchemaAt = (pointer: readonly (string | number)[]) => ValidateFunction | undefined;

export function schemasOf(described: Json): SchemaAt {
  const ajv = new Ajv2020({
    strictTypes: false,
    // Most schemas judge a few answers: to compile them takes longer.
    code: { optimize: false },
    inlineRefs: false,
    // A time of an answer has a pattern too.
    formats: {
      uri: (text: string) => URL.canParse(text),
      date: z.regexes.date,
      'date-time': true,
      email: true,
    },
  });
  ajv.addVocabulary(Object.keys(described));
  ajv.addSchema(described, 'docs-json', false, false);
  return (pointer) => {
    const steps = pointer.map((step) => `${step}`.replaceAll('~', '~0').replaceAll('/', '~1'));
    return ajv.getSchema(`docs-json#/${steps.join('/')}`);
  };
}

function checkSchema(pointer: readonly (string | number)[], body: unknown, call: string): void {
  const validate = schemaAt(pointer);
  assert.ok(validate !== undefined, `the description has no schema: ${call}`);
  if (validate(body)) return;
  const problems = validate.errors?.map(
    ({ instancePath, message }) => `${instancePath} ${message}`,
  );
  assert.fail(`${call}\n${problems?.join('\n')}`);
}

/** Every object with named properties has no others; what `allOf` adds is seen by its parent. */
function closed(value: unknown, parent = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => closed(item, parent));
  if (typeof value !== 'object' || value === null) return value;
  const made = Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, closed(item, name)]),
  );
  const isObject = Object.hasOwn(made, 'properties') && parent !== 'properties';
  const isOpen = isObject && parent !== 'allOf' && !Object.hasOwn(made, 'additionalProperties');
  return isOpen ? { ...made, unevaluatedProperties: false } : made;
}

function nameOf(operationId: string, status: string | number, code: string): string {
  return `${operationId} ${status} ${code}`.trimEnd();
}
