// `ponte/client`: the interface for integrators, typed by the description of the routes. Requests
// and answers are openapi-fetch's matter, repeating is repeating-fetch.ts's; here they come
// together with the credential and with an Idempotency-Key for every create.
import createClient, { type Client, type FetchOptions, type FetchResponse } from 'openapi-fetch';
import { type components, keyedOperations, type paths, type webhooks } from './description.gen.js';
import { type RepeatOptions, repeatingFetch } from './repeating-fetch.js';

export type { components, operations, paths, webhooks } from './description.gen.js';
export type { RepeatOptions } from './repeating-fetch.js';

/** For servers an API key, for dashboards the token of a session. */
export type PonteCredential = { readonly apiKey: string } | { readonly token: string };

export type PonteClientOptions = PonteCredential &
  Partial<RepeatOptions> & {
    /** Where the service is, as in `https://api.example.com`. */
    readonly baseUrl: string;
  };

/** The body of a webhook. `event` tells which properties `data` has. */
export type WebhookEvent = {
  [E in keyof webhooks]: Omit<BodyOf<webhooks[E]['post']>, 'event'> & { event: E };
}[keyof webhooks];

/** An event of `GET /v1/events`. `event` tells which properties `data` has. */
export type FeedEvent = components['schemas']['FeedEvent'];

/** An object without properties. */
type Nothing = Record<never, never>;
type Method = 'get' | 'post' | 'put' | 'delete';
type PathsOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { readonly [K in M]: object } ? P : never;
}[keyof paths];

/** Required or not; never where an operation takes none. */
type BodyOf<O> = O extends { requestBody?: infer Request } ? JsonOf<NonNullable<Request>> : never;
type JsonOf<Request> = Request extends { content: { 'application/json': infer Body } }
  ? Body
  : never;
type BodyOption<Body> = [Body] extends [never]
  ? { readonly body?: never }
  : Nothing extends Body
    ? { readonly body?: Body }
    : { readonly body: Body };

/** What a call sends. The types are exact, so the compiler refuses a misspelled property. */
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
   * Of a repeated create: the fields of this body that differ from what is stored, as in
   * `['amount', 'buyer.email']`. Empty otherwise.
   */
  readonly idempotentMismatch: readonly string[];
};

type Call<M extends Method> = <P extends PathsOf<M>>(
  path: P,
  ...options: Nothing extends CallOptions<P, M>
    ? [options?: CallOptions<P, M>]
    : [options: CallOptions<P, M>]
) => Promise<CallResult<P, M>>;

export interface PonteClient extends Pick<Client<paths>, 'use' | 'eject'> {
  readonly GET: Call<'get'>;
  readonly POST: Call<'post'>;
  readonly PUT: Call<'put'>;
  readonly DELETE: Call<'delete'>;
}

/**
 * A client of the service at `baseUrl`. Every call answers with `{ data, error, response }`: `data`
 * of a success, or the refusal as `error`, to be told apart by `error.error`. It rejects only when
 * no answer was to be had. Of a repeated create, `idempotentMismatch` names the fields of the body
 * that differ from what is stored.
 *
 * What is safe to repeat is repeated, up to `attemptsMax` times in all: reads, deletes and creates
 * after network errors, time-outs and 5xx; anything that the service refused with a `retryAfter`,
 * after that time. Creates carry an Idempotency-Key of their own, the same on every attempt, unless
 * you send one; send your own to be safe against crashes of your process too.
 *
 * ```ts
 * import { createPonteClient } from 'ponte/client';
 *
 * const ponte = createPonteClient({
 *   baseUrl: process.env.PONTE_URL ?? 'http://127.0.0.1:8080',
 *   apiKey: process.env.PONTE_API_KEY ?? '',
 * });
 * const { data, error } = await ponte.POST('/v1/payment-intents', {
 *   body: { externalId: 'order-1', amount: '1250.00', buyer: { email: 'ana@example.com' } },
 * });
 * if (error) throw new Error(`${error.error}: ${error.message}`);
 * console.log(data.hostedPaymentUrl);
 * ```
 */
export function createPonteClient(options: PonteClientOptions): PonteClient {
  const keyed = new Set(keyedOperations);
  const client = createClient<paths>({
    baseUrl: options.baseUrl,
    headers: credentialHeaders(options),
    fetch: repeatingFetch(options),
    // The service never redirects, and a credential must not follow one elsewhere.
    redirect: 'error',
  });
  client.use({
    onRequest({ request, schemaPath }) {
      const { headers, method } = request;
      if (keyed.has(`${method} ${schemaPath}`) && !headers.has('idempotency-key')) {
        headers.set('idempotency-key', crypto.randomUUID());
      }
      // The service wants it of an empty body too.
      if (method === 'POST' && !headers.has('content-type')) {
        headers.set('content-type', 'application/json');
      }
    },
  });
  return {
    GET: told(client.GET),
    POST: told(client.POST),
    PUT: told(client.PUT),
    DELETE: told(client.DELETE),
    use: client.use,
    eject: client.eject,
  };
}

/** The same call, with what its answer's headers tell. */
function told<M extends Method>(call: unknown): Call<M> {
  const send = call as (...call: readonly unknown[]) => Promise<{ readonly response: Response }>;
  const telling = async (...call: readonly unknown[]) => {
    const result = await send(...call);
    const names = result.response.headers.get('idempotent-mismatch') ?? '';
    return { ...result, idempotentMismatch: names === '' ? [] : names.split(', ') };
  };
  return telling as unknown as Call<M>;
}

function credentialHeaders(credential: PonteCredential): Readonly<Record<string, string>> {
  return 'apiKey' in credential
    ? { 'X-API-Key': credential.apiKey }
    : { Authorization: `Bearer ${credential.token}` };
}
