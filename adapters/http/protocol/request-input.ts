// Reads a request: its id, headers, body within limits, and JSON, and validates them by the schemas
// of the row. The pipeline calls it.
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import {
  hasUnstorableText,
  namesWithin,
  RawJson,
  repeatedName,
  sliceTopLevel,
} from '../../../core/domain/base/raw-json.js';
import { isIdempotencyKey } from '../../../core/domain/payments/idempotency.js';
import { invalid, PonteError } from '../../../core/errors.js';
import { bodyProblems } from './body-problems.js';
import type { Auth, Route } from './route-row.js';
import type { RouteMatch } from './router.js';
import { isObject, rawJsonFields } from './schemas.js';

/** Paths in one message at most. */
const PATHS_MAX = 20;
/** Characters of a path that the client chose, in a message. */
const PATH_LENGTH_MAX = 200;
/** Characters of a refused query value in a message. */
const SHOWN_VALUE_MAX = 40;
/** Limits of a JSON body. The largest that a schema allows, with metadata, has far fewer. */
const jsonMax = { depthMax: 64, valuesMax: 10_000 } as const;
const requestIdForm = /^[A-Za-z0-9_.-]{1,128}$/;
const jsonContent = /^application\/json[ \t]*(?:;|$)/i;
/** `utf8` is no registered name, and many clients send it. */
const otherCharset = /;[ \t]*charset[ \t]*=[ \t]*(?!"?utf-?8"?[ \t]*(?:;|$))/i;
const BYTE_ORDER_MARK = '\u{feff}';
const noBytes = new Uint8Array();

export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** The X-Request-Id of the request if it is well-formed, else a new id. */
export function requestIdOf(request: IncomingMessage): string {
  const given = header(request, 'x-request-id');
  return given !== undefined && requestIdForm.test(given) ? given : randomUUID();
}

/** The value of a header; repeated headers are joined by a comma. */
export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** How often the request names its host. Node keeps the first of several. */
export function hostsIn({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

const loopbackName = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Whether Host names neither this machine nor one of `names`. A page of another site reaches a
 * server on the loopback interface under its own name (DNS rebinding), and reads what it answers.
 */
export function hasForeignHost({ headers }: IncomingMessage, names: readonly string[]): boolean {
  if (headers.host === undefined) return false;
  const name = headers.host.toLowerCase().replace(/\.?(?::\d*)?$/, '');
  return !loopbackName.test(name) && !names.includes(name);
}

export function headerTexts(request: IncomingMessage): Readonly<Record<string, string>> {
  const names = Object.keys(request.headers);
  return Object.fromEntries(names.map((name) => [name, header(request, name) ?? '']));
}

export function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** What a body in chunks does not announce. */
const UNANNOUNCED_BYTES = 8 * 1_024;

export function announcedBytes({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return UNANNOUNCED_BYTES;
  return Number(headers['content-length'] ?? 0);
}

export interface Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly bytes: Uint8Array;
  readonly stream: AsyncIterable<Uint8Array>;
  readonly idempotencyKey: string | null;
}

export interface BodyLimits {
  readonly bytesMax: number;
  readonly timeoutMs: number;
}

/** The input of a row that reads no body. */
export function inputWithoutBody(match: RouteMatch, request: IncomingMessage): Input {
  return checked(match, request, noBytes, undefined);
}

export async function readInput(
  match: RouteMatch,
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits & { readonly admit: (sizeBytes: number) => Promise<void> },
): Promise<Input> {
  const { route } = match;
  if (route.body === 'stream') {
    const input = inputWithoutBody(match, request);
    return { ...input, stream: hasBody(request) ? streamOf(request, response) : noStream };
  }
  if (route.body !== 'bytes') expectJson(request);
  const bytes = hasBody(request) ? await readBytes(request, response, limits) : noBytes;
  if (route.body === 'bytes') return checked(match, request, bytes, undefined);
  await limits.admit(bytes.length);
  return checked(match, request, bytes, parseJson(bytes));
}

/** The content type is required even without a body. */
function expectJson(request: IncomingMessage): void {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers;
  if (encoding !== undefined && !/^(?:identity)?$/i.test(encoding)) {
    const message = `Content-Encoding is ${encoding}. Send the body uncompressed.`;
    throw new PonteError('UnsupportedMediaType', message);
  }
  if (type === undefined) throw new PonteError('UnsupportedMediaType');
  if (jsonContent.test(type) && !otherCharset.test(type)) return;
  const message = `Content-Type is ${type}. Send Content-Type: application/json instead.`;
  throw new PonteError('UnsupportedMediaType', message);
}

/** ClientGone, PayloadTooLarge, RequestTimeout. */
export function readBytes(
  request: IncomingMessage,
  response: ServerResponse,
  { bytesMax, timeoutMs }: BodyLimits,
): Promise<Uint8Array> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) {
    throw new PonteError('PayloadTooLarge');
  }
  continueIfAsked(request, response);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const late = () => settle(() => reject(new PonteError('RequestTimeout')));
    const timer = setTimeout(late, timeoutMs);
    const settle = (end: () => void) => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      end();
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bytesMax) chunks.push(chunk);
      else settle(() => reject(new PonteError('PayloadTooLarge')));
    };
    const onEnd = () => settle(() => resolve(onlyChunk(chunks) ?? Buffer.concat(chunks, size)));
    const onClose = () => settle(() => reject(new ClientGone('the client disconnected')));
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

/** The client waits for `100 Continue` before it sends. */
function continueIfAsked(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
}

/** The body while it arrives. A reader may stop early; the connection can still answer. */
async function* streamOf(
  request: IncomingMessage,
  response: ServerResponse,
): AsyncIterable<Uint8Array> {
  continueIfAsked(request, response);
  const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  try {
    yield* chunks;
  } catch (error) {
    throw request.readableAborted ? new ClientGone('the client disconnected') : error;
  }
}

const noStream: AsyncIterable<Uint8Array> = {
  async *[Symbol.asyncIterator]() {
    // No body.
  },
};

function onlyChunk(chunks: readonly Buffer[]): Buffer | undefined {
  return chunks.length === 1 ? chunks[0] : undefined;
}

/**
 * The object of a body or a file, called `what` if refused. An empty one has no fields: a mutation
 * without fields needs no body.
 */
export function parseJson(bytes: Uint8Array, what = 'body'): Readonly<Record<string, unknown>> {
  if (bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw invalid(`${what}: must be JSON in UTF-8.`);
  const sent = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  // .NET and many ERPs on Windows begin with a byte order mark; RFC 8259 lets a parser ignore it.
  const text = sent.startsWith(BYTE_ORDER_MARK) ? sent.slice(1) : sent;
  const names = namesWithin(text, jsonMax);
  if (names === null) {
    const { depthMax, valuesMax } = jsonMax;
    throw invalid(`${what}: must have at most ${depthMax} levels and ${valuesMax} values.`);
  }
  const value = parsedObject(text, what);
  const repeated = repeatedName(text, value, names);
  if (repeated !== null) {
    const path = hasUnstorableText(repeated) ? what : repeated.slice(0, PATH_LENGTH_MAX);
    throw invalid(`${path}: the name occurs twice. Send each name of an object once.`);
  }
  // Only an escape can encode NUL or a lone surrogate, which databases cannot store.
  if (text.includes('\\u')) refuseUnstorable(value);
  const raw = rawJsonFields.filter((name) => isObject(value[name]));
  if (raw.length === 0) return value;
  const slices = [...sliceTopLevel(text, raw)].map(([name, slice]) => [name, new RawJson(slice)]);
  return { ...value, ...Object.fromEntries(slices) };
}

function parsedObject(text: string, what: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new PonteError('ValidationError', `${what}: must be valid JSON.`, { cause });
  }
  if (!isObject(value)) throw invalid(`${what}: must be a JSON object.`);
  return value;
}

function refuseUnstorable(value: Readonly<Record<string, unknown>>): void {
  const paths = Object.entries(value).flatMap(([name, item]) => {
    if (hasUnstorableText(name)) return ['body'];
    return hasUnstorableText(item) ? [name] : [];
  });
  if (paths.length === 0) return;
  const named = paths.slice(0, PATHS_MAX).join(', ');
  throw invalid(`${named}: text must not contain NUL or lone surrogates.`);
}

/** Validates by the schemas of the row. One refusal lists every problem. */
function checked(
  match: RouteMatch,
  request: IncomingMessage,
  bytes: Uint8Array,
  json: unknown,
): Input {
  const { route } = match;
  const problems: string[] = [];
  const params = checkedParams(match);
  const query = checkedQuery(route.query, match.query, problems);
  problems.push(...unknownParameters(route, match.query));
  const schema = route.body;
  const body = typeof schema === 'string' ? undefined : checkedBody(schema, json, problems);
  const idempotencyKey = idempotencyKeyOf(route, request, problems);
  if (problems.length > 0) throw invalid(`${problems.join('; ')}.`);
  return { params, query, body, bytes, stream: noStream, idempotencyKey };
}

function checkedBody(schema: z.ZodType, json: unknown, problems: string[]): unknown {
  const found = bodyProblems(schema, json);
  problems.push(...found.problems.slice(0, PATHS_MAX));
  return found.isTooLarge ? undefined : checkedAgainst(schema, json, problems);
}

/** A path that its schema refuses is NotFound. */
function checkedParams({ route, params }: RouteMatch): unknown {
  const result = route.params.safeParse(params);
  if (!result.success) throw new PonteError('NotFound');
  if (hasUnstorableText(result.data)) throw invalid('path: text must not contain NUL.');
  return result.data;
}

/** Each problem shows the value that came: a client may write a number in another form. */
function checkedQuery(schema: z.ZodType, given: RouteMatch['query'], problems: string[]): unknown {
  const found: string[] = [];
  const query = checkedAgainst(schema, given, found);
  for (const problem of found) {
    const value = given[problem.slice(0, problem.indexOf(':'))];
    const shown = value === undefined ? null : JSON.stringify(value).slice(0, SHOWN_VALUE_MAX);
    problems.push(shown === null ? problem : `${problem}; got ${shown}`);
  }
  return query;
}

/** Probes, browsers and the partner may append unknown parameters. */
const ignoringUnknown: readonly Auth[] = ['none', 'partner', 'signature'];

/** Refuses unknown parameters: a misspelled filter would list everything. */
function unknownParameters(
  { access, query }: Route,
  given: RouteMatch['query'],
): readonly string[] {
  const names = Object.keys(given);
  if (names.length === 0 || ignoringUnknown.includes(access.auth)) return [];
  const known = query instanceof z.ZodObject ? Object.keys(query.shape) : [];
  const hint = known.length === 0 ? 'leave it out' : `the known ones are ${known.join(', ')}`;
  return names
    .filter((name) => !known.includes(name))
    .slice(0, PATHS_MAX)
    .map((name) => `${name}: unknown query parameter; ${hint}`);
}

/** The parsed value. Adds each problem to `problems`, path first. */
export function checkedAgainst(schema: z.ZodType, value: unknown, problems: string[]): unknown {
  const result = schema.safeParse(value, { error: plainWords });
  if (result.success) return result.data;
  for (const issue of result.error.issues.slice(0, PATHS_MAX)) {
    for (const path of pathsOf(issue)) problems.push(`${path || 'body'}: ${issue.message}`);
  }
  return undefined;
}

/** The message for an issue whose schema has none. */
function plainWords(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'unrecognized_keys') return 'unknown property; leave it out';
  if (issue.code === 'invalid_value') return `send one of ${issue.values.join(', ')}`;
  if (issue.code === 'invalid_type') return `send ${words[issue.expected] ?? issue.expected}`;
  return 'send a value that the description of this route allows';
}

const words: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'text',
  int: 'a whole number',
};

/** The paths of an issue, such as `owners[0].taxId`. An unknown property is named itself. */
function pathsOf(issue: z.core.$ZodIssue): readonly string[] {
  const inside = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, PATHS_MAX) : [];
  const paths = inside.length > 0 ? inside.map((key) => [...issue.path, key]) : [issue.path];
  return paths.map((path) =>
    path
      .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
      .join('')
      .replace(/^\./, ''),
  );
}

function idempotencyKeyOf(
  route: Route,
  request: IncomingMessage,
  problems: string[],
): string | null {
  const key = route.idempotency === 'key' ? header(request, 'idempotency-key') : undefined;
  if (key === undefined) return null;
  // Repeated headers arrive joined by a comma, which a single key may contain too.
  const twice = key.includes(',') && request.headersDistinct['idempotency-key']?.length !== 1;
  if (twice || !isIdempotencyKey(key)) {
    problems.push('Idempotency-Key: send it once, 1 to 255 printable ASCII characters');
  }
  return key;
}
