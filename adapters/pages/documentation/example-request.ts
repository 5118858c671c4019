// A request of the documentation, and how it is sent with curl, TypeScript, Python and PHP: all are
// written from the one that a guide has, so that they cannot differ.
import { assert } from '../../../core/errors.js';

export type ExampleRequest = ReturnType<typeof parseRequest>;

/** The method of the clients in Python and PHP that sends a request. */
export interface ClientCall {
  readonly id: string;
  /** The values in the path, in their order. */
  readonly params: readonly string[];
  readonly query: readonly (readonly [name: string, value: string | number])[];
  readonly hasBody: boolean;
}

/** Null: no method sends it, and the clients send it by method and path. */
export type ClientCalls = (request: ExampleRequest) => ClientCall | null;

/** Stands for the key of the reader, who can fill it in. */
export const keyPlace = 'pk_test_…';

/** A fenced block: `POST /v1/…`, header lines, an empty line, the JSON of the body. */
export function parseRequest(text: string) {
  const [head = '', ...rest] = text.trim().split(/\n\n/);
  const [first = '', ...lines] = head.split('\n');
  const [, method, path] = /^([A-Z]+) (\/\S*)$/.exec(first) ?? [];
  assert(method !== undefined && path !== undefined, `not a request: ${first}`);
  const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/).slice(0, 2)));
  const body = rest.length === 0 ? undefined : (JSON.parse(rest.join('\n\n')) as unknown);
  return { method, path, headers, body };
}

export const languages = {
  curl: curlOf,
  TypeScript: typeScriptOf,
  Python: pythonOf,
  PHP: phpOf,
} as const satisfies Readonly<
  Record<string, (request: ExampleRequest, baseUrl: string, call: ClientCall | null) => string>
>;

/** With the credential, and the type that every body needs. */
export function headersOf({ headers, body }: ExampleRequest): Readonly<Record<string, string>> {
  return {
    ...('Authorization' in headers ? {} : { 'X-API-Key': keyPlace }),
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...headers,
  };
}

function curlOf(request: ExampleRequest, baseUrl: string): string {
  const { method, path, body } = request;
  const implied = body === undefined ? 'GET' : 'POST';
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  return [
    `curl ${method === implied ? '' : `-X ${method} `}${quoted(`${baseUrl}${path}`)}`,
    ...Object.entries(headersOf(request)).map(([name, text]) => `-H ${quoted(`${name}: ${text}`)}`),
    ...(body === undefined
      ? []
      : [`-d ${quoted(JSON.stringify(body, null, 2)).replaceAll('\n', '\n  ')}`]),
  ].join(' \\\n  ');
}

function typeScriptOf(request: ExampleRequest, baseUrl: string): string {
  const { method, path, body } = request;
  const sent = body === undefined ? '' : `\n  body: JSON.stringify(${literal(body, js, '  ')}),`;
  return `const answer = await fetch(${js.text(`${baseUrl}${path}`)}, {
  method: ${js.text(method)},
  headers: ${literal(headersOf(request), js, '  ')},${sent}
});
const result = await answer.json();
if (!answer.ok) throw new Error(\`\${result.error}: \${result.message}\`);
console.log(result);`;
}

/** With the client of the service, which is beside the program: /docs/clients. */
function pythonOf(request: ExampleRequest, baseUrl: string, call: ClientCall | null): string {
  const { method, path, body } = request;
  const [credential, value] = credentialOf(request, ['api_key', 'token']);
  const key = request.headers[KEY];
  const named = call === null ? 'request' : snakeOf(call.id);
  const values = call === null ? [method, path] : call.params;
  const given = [
    ...values.map(python.text),
    ...((call?.hasBody ?? body !== undefined) ? [`body=${literal(body, python, '    ')}`] : []),
    ...(call?.query ?? []).map(([name, value]) => `${pythonName(name)}=${JSON.stringify(value)}`),
    ...(key === undefined ? [] : [`idempotency_key=${python.text(key)}`]),
  ];
  return `from ponte import Ponte

ponte = Ponte(${python.text(baseUrl)}, ${credential}=${python.text(value)})
result = ponte.${named}(${argumentsOf(given)})
print(result)`;
}

function phpOf(request: ExampleRequest, baseUrl: string, call: ClientCall | null): string {
  const { method, path, body } = request;
  const [credential, value] = credentialOf(request, ['apiKey', 'token']);
  const key = request.headers[KEY];
  // The client sends an empty list as an empty object.
  const written = isEmptyObject(body) ? '[]' : literal(body, php, '    ');
  const values = call === null ? [method, path] : call.params;
  const given = [
    ...values.map(php.text),
    ...((call?.hasBody ?? body !== undefined) ? [`body: ${written}`] : []),
    ...(call?.query ?? []).map(
      ([name, value]) => `${name}: ${typeof value === 'number' ? value : php.text(value)}`,
    ),
    ...(key === undefined ? [] : [`idempotencyKey: ${php.text(key)}`]),
  ];
  return `<?php
require 'ponte.php';

$ponte = new Ponte\\Client(${php.text(baseUrl)}, ${credential}: ${php.text(value)});
$result = $ponte->${call?.id ?? 'request'}(${argumentsOf(given)});
print_r($result);`;
}

/** Several, and a body, are on separate lines. */
function argumentsOf(given: readonly string[]): string {
  const [first = ''] = given;
  if (given.length <= 1 && !first.includes('\n')) return first;
  return `\n    ${given.join(',\n    ')},\n`;
}

/** \`createPaymentIntent\` is \`create_payment_intent\`. */
export function snakeOf(id: string): string {
  return id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Reserved words that a field of JSON may be named. */
const pythonWords = new Set(
  (
    'and as assert async await break class continue def del elif else except finally for from ' +
    'global if import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
);

export function pythonName(name: string): string {
  return pythonWords.has(name) ? `${name}_` : name;
}

const KEY = 'Idempotency-Key';

/** The argument of a client, and its value. */
function credentialOf(
  { headers }: ExampleRequest,
  [key, token]: readonly [string, string],
): readonly [string, string] {
  const { Authorization: authorization } = headers;
  if (authorization === undefined) return [key, keyPlace];
  return [token, authorization.replace(/^Bearer /, '')];
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** How a language writes the values of JSON. */
interface Syntax {
  readonly indent: string;
  readonly object: readonly [open: string, close: string, empty: string];
  readonly pair: (name: string) => string;
  readonly text: (text: string) => string;
  readonly words: Readonly<Record<string, string>>;
}

const js: Syntax = {
  indent: '  ',
  object: ['{', '}', '{}'],
  pair: (name) => `${/^[A-Za-z]\w*$/.test(name) ? name : JSON.stringify(name)}: `,
  text: (text) => JSON.stringify(text),
  words: {},
};

const python: Syntax = {
  ...js,
  indent: '    ',
  pair: (name) => `${JSON.stringify(name)}: `,
  words: { true: 'True', false: 'False', null: 'None' },
};

const php: Syntax = {
  indent: '    ',
  // An empty array would become a list.
  object: ['[', ']', '(object) []'],
  pair: (name) => `${phpText(name)} => `,
  text: phpText,
  words: {},
};

function phpText(text: string): string {
  return JSON.stringify(text).replaceAll('$', '\\$');
}

function literal(value: unknown, syntax: Syntax, margin: string): string {
  if (typeof value === 'string') return syntax.text(value);
  if (typeof value !== 'object' || value === null) {
    return syntax.words[String(value)] ?? String(value);
  }
  const inner = `${margin}${syntax.indent}`;
  const [open, close, empty] = Array.isArray(value) ? (['[', ']', '[]'] as const) : syntax.object;
  const parts = Array.isArray(value)
    ? value.map((one) => literal(one, syntax, inner))
    : Object.entries(value).map(
        ([name, one]) => `${syntax.pair(name)}${literal(one, syntax, inner)}`,
      );
  if (parts.length === 0) return empty;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${margin}${close}`;
}
