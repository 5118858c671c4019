// The client of BlindPay: key, idempotency key, rate limit, Retry-After, and what each answer means
// for the caller. It repeats nothing.
import { FormData } from 'undici';
import { z } from 'zod';
import { MINUTE_MS, SECOND_MS } from '../../../core/domain/base/instant.js';
import { gcraStep } from '../../../core/domain/service/rate-limit.js';
import { type Clock, type Log, steadyOf } from '../../../core/ports/outside.js';
import type { PartnerAnswer } from '../../../core/ports/partner.js';
import { answerCode, faultOf, type Sorting, sortError, sortForeign } from './answer-codes.js';
import {
  type HttpAnswer,
  type HttpRequest,
  type Transport,
  undiciTransport,
} from './blindpay-transport.js';
import { isPast, listStart, placeAfter } from './listed-order.js';

const HTTP_TIMEOUT_MS = 6 * SECOND_MS;
/** No page is requested after this time. */
const SEARCH_FOR_MS = 6 * SECOND_MS;
/** The longest operation: a search and two more calls. */
export const OPERATION_MS = SEARCH_FOR_MS + 3 * HTTP_TIMEOUT_MS;
const PAUSE_MAX_MS = 10 * MINUTE_MS;
const MESSAGE_LENGTH_MAX = 300;
/** Two of the allowed sizes. The first page of a list usually has what is looked for. */
const pageSizes = { first: 100, next: 1_000 } as const;
const KEY_MISMATCH = 'idempotency_key_payload_mismatch';
/** Shorter texts of a request are codes and numbers, not personal data. */
const REDACTED_LENGTH_MIN = 4;

/** Connections that failed before a byte was sent. */
const unsentCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

const errorShape = z.object({
  message: z.string(),
  code: z.string().nullish(),
  description: z.string().nullish(),
  trace_id: z.string().nullish(),
});

export interface ClientOptions {
  /** With `/v1`, without a trailing slash. */
  readonly url: string;
  readonly apiKey: string;
  readonly instanceId: string;
  readonly clock: Clock;
  readonly log: Log;
  /** 0: no limit. */
  readonly perMinute: number;
  readonly burst: number;
  readonly timeoutMs?: number;
  /** HTTP by default. */
  readonly transport?: Transport;
}

export interface Post<T> {
  readonly path: string;
  /** JSON text: a repeat sends the same bytes. */
  readonly body: string;
  /** Null: a repeat does no harm. */
  readonly key: string | null;
  readonly shape: z.ZodType<T>;
}

/** `:instance` in a path is the id of the instance. */
export interface BlindPayClient {
  /** Never `unknown`. */
  get<T>(path: string, shape: z.ZodType<T>): Promise<DatedAnswer<T>>;
  post<T>(call: Post<T>): Promise<DatedAnswer<T>>;
  /** The address of the stored file. */
  upload(file: {
    readonly bytes: Uint8Array;
    readonly type: string;
  }): Promise<PartnerAnswer<string>>;
  /** A read outside of the rate limit, for a few checks. */
  probe(path: string): Promise<Probe>;
  /** One page of a list; `after` is the id of the last item of the page before. */
  page<T extends { readonly id: string }>(
    path: string,
    shape: z.ZodType<T>,
    after: string | null,
  ): Promise<PartnerAnswer<BlindPayPage<T>>>;
  /** Reads until `visit` returns something; null: no item of the list is it. */
  search<T extends ListedItem, R>(
    path: string,
    shape: z.ZodType<T>,
    visit: (item: T) => R | null,
    extent?: Extent,
  ): Promise<PartnerAnswer<R | null>>;
}

interface ListedItem {
  readonly id: string;
  readonly created_at?: string | null | undefined;
}

/** A done call, with the time of BlindPay's answer by its header `Date`; null without one. */
export type DatedAnswer<T> =
  | Exclude<PartnerAnswer<T>, { readonly outcome: 'done' }>
  | { readonly outcome: 'done'; readonly value: T; readonly atMs: number | null };

/** What came back; `json` is undefined for a body that is not JSON. */
export type Probe =
  | { readonly status: number; readonly date: string | null; readonly json: unknown }
  | { readonly failure: string };

export interface BlindPayPage<T> {
  readonly items: readonly T[];
  /** After the last item are more. */
  readonly hasMore: boolean;
  /** More items may exist, but no page of them can be requested. */
  readonly isCut: boolean;
}

/**
 * How much of a list is read. `whole`: lists of a customer's objects are short and have no pages.
 * `sinceMs`: by BlindPay's clock, what is looked for is not older; null: it may have any age.
 */
type Extent = 'whole' | { readonly sinceMs: number | null };

export function createBlindPayClient(options: ClientOptions): BlindPayClient {
  const { clock, log, instanceId, timeoutMs = HTTP_TIMEOUT_MS } = options;
  const { transport = undiciTransport(timeoutMs) } = options;
  const admission = admissionOf(options);
  const steadyMs = steadyOf(clock);

  const requestOf = ({ body, method, path, headers }: SentRequest): HttpRequest => ({
    method,
    body,
    url: `${options.url}${path.replace(':instance', instanceId)}`,
    headers: {
      authorization: `Bearer ${options.apiKey}`,
      accept: 'application/json',
      ...headers,
    },
  });

  const call = async <T>(sent: SentRequest, shape: z.ZodType<T>): Promise<DatedAnswer<T>> => {
    const nowMs = clock.nowMs();
    const refusal = admission.refusal(nowMs);
    if (refusal !== null) return { outcome: 'later', reason: refusal };
    const { body } = sent;
    const received = await exchange(transport, requestOf(sent));
    if (!('status' in received)) return received;
    admission.noteWait(received, nowMs);
    const answer = read(received, shape, typeof body === 'string' ? body : '');
    if (received.status === 401) {
      log.error('alert', { alert: 'BlindPay does not accept the API key', instanceId });
    }
    if (received.status === 422 && received.text.includes(KEY_MISMATCH)) {
      const alert = 'BlindPay has another request under an idempotency key; the call is looked up';
      log.error('alert', { alert, path: sent.path, key: sent.headers['idempotency-key'] ?? null });
    }
    return answer.outcome === 'done' ? { ...answer, atMs: timeOf(received.date) } : answer;
  };

  const get = async <T>(path: string, shape: z.ZodType<T>): Promise<DatedAnswer<T>> => {
    const answer = await call({ method: 'GET', path, headers: {}, body: null }, shape);
    return answer.outcome === 'unknown' ? { ...answer, outcome: 'later' } : answer;
  };

  return {
    get,
    async post({ path, body, key, shape }) {
      const type = { 'content-type': 'application/json' };
      const headers = key === null ? type : { ...type, 'idempotency-key': key };
      return call({ method: 'POST', path, headers, body }, shape);
    },
    async upload({ bytes, type }) {
      const body = new FormData();
      body.set('bucket', 'onboarding');
      const [, ending = 'bin'] = type.split('/');
      body.set('file', new Blob([new Uint8Array(bytes)], { type }), `document.${ending}`);
      const path = '/upload?instance_id=:instance';
      const answer = await call({ method: 'POST', path, headers: {}, body }, uploadedShape);
      return answer.outcome === 'done' ? { ...answer, value: answer.value.file_url } : answer;
    },
    async probe(path) {
      const sent = requestOf({ method: 'GET', path, headers: {}, body: null });
      try {
        const { status, text, date = null } = await transport(sent);
        return { status, date, json: parsedJson(text) };
      } catch (error) {
        return { failure: codeOfFailure(error) };
      }
    },
    page: (path, shape, after) => readPage({ get }, [path, 'pages'], shape, after),
    search(path, shape, visit, extent = { sinceMs: null }) {
      const untilMs = steadyMs() + SEARCH_FOR_MS;
      const isLate = () => steadyMs() > untilMs;
      return searchList({ get, isLate }, [path, extent], shape, visit);
    },
  };
}

interface SentRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | null;
}

/** Calls that the limit of the instance, or an earlier Retry-After, allows now. */
function admissionOf({ perMinute, burst }: ClientOptions) {
  let tatMicros: number | null = null;
  let pausedUntilMs = 0;
  return {
    refusal(nowMs: number): string | null {
      if (nowMs < pausedUntilMs) return 'BlindPay asked to wait';
      const step = gcraStep({ tatMicros, nowMs, perMinute, burst });
      tatMicros = step.tatMicros;
      return step.allowed ? null : 'the rate limit of the BlindPay instance is used up';
    },
    noteWait({ status, retryAfter }: HttpAnswer, nowMs: number): void {
      if (retryAfter === null || (status !== 429 && status !== 503)) return;
      const seconds = /^\d{1,6}$/.test(retryAfter) ? Number.parseInt(retryAfter, 10) : null;
      const untilMs = seconds === null ? Date.parse(retryAfter) : nowMs + seconds * SECOND_MS;
      if (Number.isFinite(untilMs)) pausedUntilMs = Math.min(untilMs, nowMs + PAUSE_MAX_MS);
    },
  };
}

type Failed = Extract<PartnerAnswer<never>, { outcome: 'later' | 'unknown' }>;

async function exchange(transport: Transport, sent: HttpRequest): Promise<HttpAnswer | Failed> {
  try {
    return await transport(sent);
  } catch (error) {
    const why = codeOfFailure(error);
    return unsentCodes.has(why)
      ? { outcome: 'later', reason: `no connection to BlindPay: ${why}` }
      : { outcome: 'unknown', reason: `no answer from BlindPay: ${why}` };
  }
}

/** The message may quote the request; the code does not. */
function codeOfFailure(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return typeof code === 'string' ? code : String(name);
}

function read<T>(
  { status, text }: HttpAnswer,
  shape: z.ZodType<T>,
  sent: string,
): PartnerAnswer<T> {
  const json = parsedJson(text);
  if (json === undefined) {
    const isPage = /^\s*</.test(text);
    const what = isPage ? 'a web page, perhaps of its edge' : 'a body that is not JSON';
    return failed(sortForeign(status), `BlindPay answered ${status} with ${what}`, 'not_json');
  }
  if (status >= 200 && status < 300) {
    const value = shape.safeParse(json);
    if (value.success) return { outcome: 'done', value: value.data };
    const paths = value.error.issues.map(({ path }) => path.join('.')).join(', ');
    return { outcome: 'unknown', reason: `BlindPay answered in another form: ${paths}` };
  }
  const error = errorShape.safeParse(json);
  if (!error.success) {
    return failed(sortForeign(status), `BlindPay answered ${status} in another form`, 'not_known');
  }
  const code = answerCode({ message: error.data.message, code: error.data.code ?? null });
  const { description, message, trace_id: trace } = error.data;
  const words = redacted(description ?? message, sent).slice(0, MESSAGE_LENGTH_MAX);
  const traced = trace === null || trace === undefined ? words : `${words} (trace ${trace})`;
  const shown = redacted(code, sent).slice(0, 100);
  const answer = failed(sortError(status, code), traced, shown, status);
  // An operator must act before it can succeed.
  const isOurs = answer.outcome === 'later' && faultOf(status, code) === 'instance';
  return isOurs ? { ...answer, code: shown } : answer;
}

function failed(sorting: Sorting, words: string, code: string, status = 0): PartnerAnswer<never> {
  if (sorting === 'refused') return { outcome: 'refused', code, message: words };
  return { outcome: sorting, reason: status === 0 ? words : `${status} ${code}: ${words}` };
}

/** The text without the values of the request that it may quote. */
function redacted(text: string, sent: string): string {
  const values = textsIn(sent === '' ? null : parsedJson(sent))
    .filter(({ length }) => length >= REDACTED_LENGTH_MIN)
    .toSorted((left, right) => right.length - left.length);
  return values.reduce((rest, value) => rest.replaceAll(value, '…'), text);
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Null without a date that can be read. */
function timeOf(date: string | null | undefined): number | null {
  const atMs = Date.parse(date ?? '');
  return Number.isFinite(atMs) ? atMs : null;
}

async function searchList<T extends ListedItem, R>(
  { get, isLate }: Pick<BlindPayClient, 'get'> & { readonly isLate: () => boolean },
  [path, extent]: readonly [string, Extent],
  shape: z.ZodType<T>,
  visit: (item: T) => R | null,
): Promise<PartnerAnswer<R | null>> {
  const paging = extent === 'whole' ? 'whole' : 'pages';
  const sinceMs = extent === 'whole' ? null : extent.sinceMs;
  let [after, place]: [string | null, typeof listStart] = [null, listStart];
  while (!isLate()) {
    const page: PartnerAnswer<BlindPayPage<T>> = await readPage(
      { get },
      [path, paging],
      shape,
      after,
    );
    if (page.outcome !== 'done') return page;
    const { items, hasMore, isCut }: BlindPayPage<T> = page.value;
    for (const item of items) {
      const found = visit(item);
      if (found !== null) return { outcome: 'done', value: found };
      place = placeAfter(place, Date.parse(item.created_at ?? ''));
    }
    if (isCut) break;
    if (!hasMore || (sinceMs !== null && isPast(place, sinceMs))) {
      return { outcome: 'done', value: null };
    }
    after = items.at(-1)?.id ?? null;
  }
  return { outcome: 'later', reason: 'BlindPay lists more than can be read' };
}

const uploadedShape = z.object({ file_url: z.string() });

function pageShape<T>(shape: z.ZodType<T>) {
  const list = z.array(shape);
  const pagination = z.object({ has_more: z.boolean() }).nullish();
  const page = z.object({ data: list, pagination });
  return z.union([page, list.transform((data) => ({ data, pagination: null }))]);
}

const pageShapes = new WeakMap<z.ZodType, z.ZodType>();

/** Made once for each shape: the first read compiles a schema. */
function pageShapeOf<T>(shape: z.ZodType<T>): ReturnType<typeof pageShape<T>> {
  const known = pageShapes.get(shape) ?? pageShape(shape);
  pageShapes.set(shape, known);
  return known as ReturnType<typeof pageShape<T>>;
}

async function readPage<T extends { readonly id: string }>(
  { get }: Pick<BlindPayClient, 'get'>,
  [path, paging]: readonly [string, 'pages' | 'whole'],
  shape: z.ZodType<T>,
  after: string | null,
): Promise<PartnerAnswer<BlindPayPage<T>>> {
  const either = pageShapeOf(shape);
  const size = after === null ? pageSizes.first : pageSizes.next;
  const query = new URLSearchParams();
  if (paging === 'pages') query.set('limit', `${size}`);
  if (after !== null) query.set('starting_after', after);
  const sign = path.includes('?') ? '&' : '?';
  const answer = await get(query.size === 0 ? path : `${path}${sign}${query}`, either);
  if (answer.outcome !== 'done') return answer;
  const { data: items, pagination: given } = answer.value;
  // Without pages, a list as long as one may have been cut.
  const isLong = paging === 'pages' && items.length >= size;
  const hasMore = given?.has_more ?? isLong;
  // A page that ends where it was to begin does not lead on: the place was ignored.
  const leadsOn = given && items.length > 0 && items.at(-1)?.id !== after;
  const isCut = hasMore && !leadsOn;
  return { outcome: 'done', value: { items, hasMore, isCut } };
}
