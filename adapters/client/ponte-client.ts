// `ponte-payments/client`: the API client, typed by the OpenAPI description. It combines
// openapi-fetch, the retries of repeating-fetch.ts, the credential, and an Idempotency-Key for each
// create.
import createClient, { type Client, type FetchOptions, type FetchResponse } from 'openapi-fetch';
import { pastedSecret } from '../../core/domain/base/pasted-secret.js';
import { keyedOperations, type paths, type webhooks } from './description.gen.js';
import {
  type EventsOptions,
  eventsFrom,
  type PlacedEvent,
  type RowPage,
  rowsOf,
} from './iteration.js';
import { type RepeatOptions, repeatingFetch } from './repeating-fetch.js';

export type { components, operations, paths, webhooks } from './description.gen.js';
export { type EventsOptions, type FeedEvent, type PlacedEvent, RefusedError } from './iteration.js';
export { NoAnswerError, type RepeatOptions } from './repeating-fetch.js';

/** An API key for servers, a session token for dashboards. Blanks and quotes around it are cut. */
export type PonteCredential = { readonly apiKey: string } | { readonly token: string };

export type PonteClientOptions = PonteCredential &
  Partial<RepeatOptions> & {
    /** The URL of the service, such as `https://api.example.com`, with or without `/v1`. */
    readonly baseUrl: string;
  };

/** The body of a webhook. `event` determines the properties of `data`. */
export type WebhookEvent = {
  [E in keyof webhooks]: Omit<BodyOf<webhooks[E]['post']>, 'event'> & { event: E };
}[keyof webhooks];

type Nothing = Record<never, never>;
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type PathsOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { readonly [K in M]: object } ? P : never;
}[keyof paths];

/** `never` if an operation has no body. */
type BodyOf<O> = O extends { requestBody?: infer Request } ? JsonOf<NonNullable<Request>> : never;
type JsonOf<Request> = Request extends { content: { 'application/json': infer Body } }
  ? Body
  : never;
type BodyOption<Body> = [Body] extends [never]
  ? { readonly body?: never }
  : Nothing extends Body
    ? { readonly body?: Body }
    : { readonly body: Body };

/** The 200 answer of a GET. */
type ReadOf<P extends PathsOf<'get'>> = NonNullable<
  FetchResponse<NonNullable<paths[P]['get']>, Nothing, 'application/json'>['data']
>;
export type ListPath = {
  [P in PathsOf<'get'>]: ReadOf<P> extends RowPage<unknown> ? P : never;
}[PathsOf<'get'>];
export type RowOf<P extends ListPath> =
  ReadOf<P> extends { readonly data: readonly (infer Row)[] } ? Row : never;

/** The options of a call. The types are exact: a misspelled property does not compile. */
export type CallOptions<P extends keyof paths, M extends Method> = Omit<
  FetchOptions<paths[P][M]>,
  'body' | 'parseAs'
> &
  BodyOption<BodyOf<paths[P][M]>>;

export type CallResult<P extends keyof paths, M extends Method> = FetchResponse<
  NonNullable<paths[P][M]>,
  Nothing,
  'application/json'
> & {
  /**
   * For a repeated create: the fields of the body that differ from the stored values, such as
   * `['amount', 'buyer.email']`. Empty otherwise.
   */
  readonly idempotentMismatch: readonly string[];
};

type ClientCall<M extends Method> = <P extends PathsOf<M>>(
  path: P,
  ...options: Nothing extends CallOptions<P, M>
    ? [options?: CallOptions<P, M>]
    : [options: CallOptions<P, M>]
) => Promise<CallResult<P, M>>;

export interface PonteClient extends Pick<Client<paths>, 'use' | 'eject'> {
  readonly GET: ClientCall<'get'>;
  readonly POST: ClientCall<'post'>;
  readonly PUT: ClientCall<'put'>;
  readonly PATCH: ClientCall<'patch'>;
  readonly DELETE: ClientCall<'delete'>;
  /** Every row of a list, page after page: `for await (const payment of ponte.list(path))`. */
  readonly list: <P extends ListPath>(
    path: P,
    ...options: Nothing extends CallOptions<P, 'get'>
      ? [options?: CallOptions<P, 'get'>]
      : [options: CallOptions<P, 'get'>]
  ) => AsyncGenerator<RowOf<P>, void>;
  /**
   * The events after a place, as they arrive. Store the `sequence` and `epoch` of each; a refusal,
   * such as `FeedReset` after a restore, ends it with a RefusedError.
   */
  readonly events: (options: EventsOptions) => AsyncGenerator<PlacedEvent, void>;
}

/**
 * A client of the service at `baseUrl`. Every call resolves with `{ data, error, response }`:
 * `data` on success, else `error`, whose `error.error` is the code. It rejects only if there is no
 * answer, with a NoAnswerError, or if you abort it.
 *
 * Safe requests are retried, up to `attemptsMax` attempts in all: reads, deletes and creates after
 * network errors, time-outs and 5xx; any request that was refused with a `retryAfter`, after that
 * time. The client adds an Idempotency-Key to each create, the same on every attempt, unless you
 * send one. Send your own to be safe against crashes of your process too.
 *
 * Throws a TypeError if `baseUrl` is no URL of a server, or the credential can be in no header.
 */
export function createPonteClient(options: PonteClientOptions): PonteClient {
  const keyed = new Set(keyedOperations);
  const client = createClient<paths>({
    baseUrl: baseUrlOf(options.baseUrl),
    headers: credentialHeaders(options),
    fetch: repeatingFetch(options),
    // The service never redirects; a credential must not follow a redirect.
    redirect: 'error',
  });
  client.use({
    onRequest({ request, schemaPath }) {
      const { headers, method } = request;
      if (keyed.has(`${method} ${schemaPath}`) && !headers.has('idempotency-key')) {
        headers.set('idempotency-key', crypto.randomUUID());
      }
      // Required even without a body.
      if (['POST', 'PATCH'].includes(method) && !headers.has('content-type')) {
        headers.set('content-type', 'application/json');
      }
    },
  });
  const listed = (path: string, options: ListOptions = {}) =>
    rowsOf(options.params?.query ?? {}, (query) =>
      (client.GET as LooseGet)(path, { ...options, params: { ...options.params, query } }),
    );
  return {
    GET: withMismatch(client.GET),
    POST: withMismatch(client.POST),
    PUT: withMismatch(client.PUT),
    PATCH: withMismatch(client.PATCH),
    DELETE: withMismatch(client.DELETE),
    list: listed as PonteClient['list'],
    events: (options) =>
      eventsFrom(options, (query) =>
        client.GET('/v1/events', {
          params: { query },
          ...(options.signal === undefined ? {} : { signal: options.signal }),
        }),
      ),
    use: client.use,
    eject: client.eject,
  };
}

interface ListOptions {
  readonly params?: { readonly query?: Readonly<Record<string, unknown>> };
}

type LooseGet = (
  path: string,
  options: unknown,
) => Promise<{ readonly data?: RowPage<unknown>; readonly error?: unknown }>;

/** Adds `idempotentMismatch` from the header of the answer. */
function withMismatch<M extends Method>(call: unknown): ClientCall<M> {
  const send = call as (...call: readonly unknown[]) => Promise<{ readonly response: Response }>;
  const extended = async (...call: readonly unknown[]) => {
    const result = await send(...call);
    const names = result.response.headers.get('idempotent-mismatch') ?? '';
    return { ...result, idempotentMismatch: names === '' ? [] : names.split(', ') };
  };
  return extended as unknown as ClientCall<M>;
}

/** The message of a refused credential does not contain it. */
function credentialHeaders(credential: PonteCredential): Readonly<Record<string, string>> {
  const name = 'apiKey' in credential ? 'apiKey' : 'token';
  const given = 'apiKey' in credential ? credential.apiKey : credential.token;
  const issued = typeof given === 'string' ? pastedSecret(given) : '';
  if (!/^[!-~]+$/.test(issued)) {
    throw new TypeError(`${name}: is empty, or has blanks or other signs within it.`);
  }
  return name === 'apiKey' ? { 'X-API-Key': issued } : { Authorization: `Bearer ${issued}` };
}

/** Paths begin with /v1. */
function baseUrlOf(given: string): string {
  const text = String(given).trim();
  if (!/^https?:\/\/[^\s?#]+$/i.test(text) || !URL.canParse(text)) {
    throw new TypeError('baseUrl: must be a URL such as https://api.example.com.');
  }
  const { origin, pathname } = new URL(text);
  const segments = pathname.split('/').filter((segment) => segment !== '');
  if (segments.at(-1) === 'v1') segments.pop();
  return [origin, ...segments].join('/');
}
