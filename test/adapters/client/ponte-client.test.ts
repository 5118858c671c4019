// The client against a listening server: what it sends, what it repeats and what not. Waits are
// noted, not waited for.
import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { beforeEach, test } from 'node:test';
import {
  createPonteClient,
  type PonteClient,
  RefusedError,
  type RepeatOptions,
} from '../../../adapters/client/ponte-client.js';
import { until } from '../../support/wait.js';
import { checkedSite, sharedSite } from '../http/checked-site.js';

let orgId: string;
let key: string;
const waits: number[] = [];
const sent: Request[] = [];

const site = sharedSite(async () => {
  orgId = await site.world.organization();
  key = await site.world.key(orgId);
});
beforeEach(() => {
  waits.length = 0;
  sent.length = 0;
});

const order = { amount: '1250.00', buyer: { email: 'ana@example.com' } } as const;

test('a create is typed, sent with the key and answered with the resource', async () => {
  const { data, error, response } = await client().POST('/v1/payment-intents', {
    body: { ...order, externalId: 'typed', metadata: { deep: [1] } },
  });
  assert.equal(error, undefined);
  assert.equal(response.status, 201);
  assert.equal(data?.status, 'awaiting_buyer');
  assert.deepEqual(data?.metadata, { deep: [1] });
  const read = await client().GET('/v1/payments/{id}', {
    params: { path: { id: data?.id ?? '' } },
  });
  assert.deepEqual(read.data, data);
});

test('a refusal is returned with its code immediately', async () => {
  const small = { ...order, amount: '9.99', externalId: 'small' };
  const { data, error } = await client().POST('/v1/payment-intents', { body: small });
  assert.equal(data, undefined);
  assert.equal(error?.error, 'AmountBelowMinimum');
  assert.equal(sent.length, 1);
});

test('a create has an Idempotency-Key, yours where you send one; other calls have none', async () => {
  const ponte = client();
  await ponte.POST('/v1/payment-intents', { body: { ...order, externalId: 'own-key' } });
  await ponte.POST('/v1/payment-intents', {
    params: { header: { 'Idempotency-Key': 'mine' } },
    body: { ...order, externalId: 'your-key' },
  });
  await ponte.POST('/v1/payment-intents/{id}/cancel', {
    params: { path: { id: 'ext_own-key' } },
    body: { reason: 'no' },
  });
  const [own, yours, none] = sent.map(({ headers }) => headers.get('idempotency-key'));
  assert.match(own ?? '', /^[0-9a-f-]{36}$/);
  assert.equal(yours, 'mine');
  assert.equal(none, null);
});

test('a repeated create names the fields that differ from what is stored', async () => {
  const body = { ...order, externalId: 'repeated' };
  const first = await client().POST('/v1/payment-intents', { body });
  assert.deepEqual(first.idempotentMismatch, []);
  const other = { ...body, amount: '20.00', buyer: { email: 'bea@example.com' } };
  const { data, idempotentMismatch } = await client().POST('/v1/payment-intents', { body: other });
  assert.deepEqual(idempotentMismatch, ['amount', 'buyer.email']);
  assert.deepEqual(data, first.data);
});

test('a lost answer: the same key and bytes again, and one payment', async () => {
  let lost = 0;
  const { data, response } = await client(async (request) => {
    const answer = await fetch(request);
    if (lost >= 2) return answer;
    lost += 1;
    await answer.text();
    throw new TypeError('the connection was reset');
  }).POST('/v1/payment-intents', { body: { ...order, externalId: 'lost' } });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('idempotent-replayed'), 'true');
  assert.equal(sent.length, 3);
  assert.equal(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size, 1);
  assert.equal(data?.externalId, 'lost');
  await site.world.settle();
  const events = await client().GET('/v1/events', { params: { query: { limit: 100 } } });
  const created = events.data?.data.filter(
    ({ event, data }) => event === 'payment_intent.created' && data.externalId === 'lost',
  );
  assert.equal(created?.length, 1);
  assert.equal(waits.length, 2);
  const [first = 0, second = 0] = waits;
  assert.ok(first >= 125 && first <= 250 && second >= 250 && second <= 500, `${waits}`);
});

test('an answer that breaks off is a lost one', async () => {
  let broken = false;
  const { response } = await client(async (request) => {
    const answer = await fetch(request);
    if (broken) return answer;
    broken = true;
    const body = new ReadableStream({ start: (control) => control.error(new Error('cut off')) });
    return new Response(body, answer);
  }).POST('/v1/payment-intents', { body: { ...order, externalId: 'cut-off' } });
  assert.equal(response.status, 200);
  assert.equal(sent.length, 2);
});

test('200 with the page of a proxy, or with nothing, is no answer', async () => {
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  for (const [text, what] of [
    ['<html>', 'a web page'],
    [null, 'empty'],
  ] as const) {
    const ponte = client(async () => new Response(text, text === null ? {} : { headers }));
    const lost = new RegExp(`no answer of .* in 4 attempts: the answer is ${what}`);
    await assert.rejects(ponte.GET('/v1/me'), lost);
  }
});

test('429 is repeated after its retryAfter, under the same key', async (t) => {
  const strict = await checkedSite(t, { rateLimitPerMinute: 6, rateLimitBurst: 1 });
  const apiKey = await strict.world.key(await strict.world.organization());
  const asked: number[] = [];
  const ponte = createPonteClient({
    baseUrl: `http://127.0.0.1:${strict.port}`,
    apiKey,
    wait: async (waitMs) => {
      asked.push(waitMs);
      strict.world.advanceClock(waitMs);
    },
  });
  for (const externalId of ['first', 'second']) {
    const { response } = await ponte.POST('/v1/payment-intents', {
      body: { ...order, externalId },
    });
    assert.equal(response.status, 201, externalId);
  }
  assert.deepEqual(asked, [10_000]);
});

test('what is repeated follows from the method, the key and who names a time', async () => {
  const unavailable = JSON.stringify({ statusCode: 503, error: 'StoreContention', retryAfter: 7 });
  const cases = [
    ['create', 500, '{}', {}, 'repeated'],
    ['create', 502, '<html>', {}, 'repeated'],
    ['create', 503, unavailable, {}, 7_000],
    ['create', 503, '<html>', { 'retry-after': '3' }, 3_000],
    ['create', 503, '<html>', { 'retry-after': '61' }, 'not'],
    ['create', 409, '{}', {}, 'not'],
    ['subscribe', 503, unavailable, {}, 7_000],
    ['subscribe', 429, '<html>', { 'retry-after': '3' }, 3_000],
    ['subscribe', 503, '<html>', { 'retry-after': '3' }, 'not'],
    ['subscribe', 500, '{}', {}, 'not'],
    ['read', 500, '{}', {}, 'repeated'],
    ['read', 404, '{}', {}, 'not'],
  ] as const;
  for (const [call, status, text, headers, expected] of cases) {
    const name = `${call} ${status} ${text} ${JSON.stringify(headers)}`;
    waits.length = 0;
    sent.length = 0;
    const ponte = client(async () => new Response(text, { status, headers }));
    const answer =
      call === 'create'
        ? ponte.POST('/v1/payment-intents', { body: { ...order, externalId: 'x' } })
        : call === 'read'
          ? ponte.GET('/v1/webhook-subscriptions')
          : ponte.POST('/v1/webhook-subscriptions', {
              body: { url: 'https://acme.example/hooks', eventTypes: ['*'] },
            });
    assert.equal((await answer).response.status, status, name);
    assert.equal(sent.length, expected === 'not' ? 1 : 4, name);
    if (typeof expected === 'number') assert.deepEqual(waits, Array(3).fill(expected), name);
  }
});

test('a network error of a call that may not be repeated is returned immediately', async () => {
  const ponte = client(async () => {
    throw new TypeError('no route');
  });
  const body = { url: 'https://acme.example/hooks', eventTypes: ['*'] };
  await assert.rejects(ponte.POST('/v1/webhook-subscriptions', { body }), /no route/);
  assert.equal(sent.length, 1);
  await assert.rejects(ponte.GET('/v1/webhook-subscriptions'), /no route/);
  assert.equal(sent.length, 5);
});

test('a time-out is a network error; an abort of yours ends it', async () => {
  const hanging = (request: Request) =>
    new Promise<Response>((_, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason));
    });
  const ponte = client(hanging, { timeoutMs: 5 });
  const timedOut = { name: 'NoAnswerError', message: /none came in time/ };
  await assert.rejects(ponte.GET('/v1/webhook-subscriptions'), timedOut);
  assert.equal(sent.length, 4);
  const signal = AbortSignal.timeout(5);
  const patient = client(hanging);
  await assert.rejects(patient.GET('/v1/webhook-subscriptions', { signal }));
  assert.equal(sent.length, 5);
});

test('without an answer the error names the call, the server, the attempts and the cause', async () => {
  const { port, close } = await closablePort();
  await close();
  const baseUrl = `http://127.0.0.1:${port}`;
  const ponte = createPonteClient({ baseUrl, apiKey: 'pk_test_1.2', wait: async () => undefined });
  await assert.rejects(ponte.GET('/v1/me'), {
    name: 'NoAnswerError',
    attempts: 4,
    message:
      `GET /v1/me: no answer of ${baseUrl} in 4 attempts: ` +
      `fetch failed (connect ECONNREFUSED 127.0.0.1:${port})`,
  });
  const cancel = ponte.POST('/v1/payments/{id}/cancel', {
    params: { path: { id: 'pi_1' } },
    body: { reason: 'changed mind' },
  });
  await assert.rejects(cancel, { attempts: 1, message: /no answer of \S+ in one attempt/ });
});

/** A port of this machine, on which nothing listens once it is closed. */
async function closablePort(): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise<void>((closed) => server.close(() => closed()));
  return { port, close };
}

test('a call without a body is sent as JSON, as the service wants it', async () => {
  const made = await client().POST('/v1/webhook-subscriptions', {
    body: { url: 'https://acme.example/hooks', eventTypes: ['*'] },
  });
  const { data } = await client().POST('/v1/webhook-subscriptions/{id}/rotate-secret', {
    params: { path: { id: made.data?.id ?? '' } },
  });
  assert.match(data?.secret ?? '', /^whsec_/);
  assert.notEqual(data?.secret, made.data?.secret);
});

test('a redirect is not followed: the key would follow it', async () => {
  const baseUrl = 'http://127.0.0.1:1';
  const ponte = createPonteClient({
    baseUrl,
    token: 'jwt',
    fetch: async (request) => {
      sent.push(request);
      return new Response('{}');
    },
  });
  await ponte.GET('/healthz');
  assert.equal(sent[0]?.redirect, 'error');
  assert.equal(sent[0]?.headers.get('authorization'), 'Bearer jwt');
  assert.equal(sent[0]?.headers.has('x-api-key'), false);
});

test('the URL of the service may have a slash, /v1 or blanks at its end', async () => {
  const called: string[] = [];
  const fetch = async (request: Request) => {
    called.push(request.url);
    return new Response('{}', { headers: { 'content-type': 'application/json' } });
  };
  for (const baseUrl of [
    'https://api.example.com',
    'https://api.example.com/',
    'https://api.example.com//',
    'https://api.example.com/v1',
    'https://api.example.com/v1/',
    ' https://api.example.com\n',
    'HTTPS://API.example.com',
    'https://api.example.com:443/v1',
  ]) {
    await createPonteClient({ baseUrl, apiKey: 'pk', fetch }).GET('/v1/me');
    assert.equal(called.at(-1), 'https://api.example.com/v1/me', JSON.stringify(baseUrl));
  }
  await createPonteClient({ baseUrl: 'http://a.example/pay/v1', apiKey: 'pk', fetch }).GET(
    '/v1/me',
  );
  assert.equal(called.at(-1), 'http://a.example/pay/v1/me');
  for (const baseUrl of [
    '',
    'api.example.com',
    '127.0.0.1:80',
    '/v1',
    'https://a b',
    'ftp://a.b',
  ]) {
    assert.throws(() => createPonteClient({ baseUrl, apiKey: 'pk' }), /^TypeError: baseUrl: /);
  }
});

test('a credential may have a line end or quotes around it; a refused one is not shown', async () => {
  const sent: (string | null)[] = [];
  const fetch = async (request: Request) => {
    sent.push(request.headers.get('x-api-key') ?? request.headers.get('authorization'));
    return new Response('{}', { headers: { 'content-type': 'application/json' } });
  };
  const baseUrl = 'https://api.example.com';
  for (const apiKey of ['pk_x.y', 'pk_x.y\n', ' pk_x.y', '"pk_x.y"', "'pk_x.y'\r\n"]) {
    await createPonteClient({ baseUrl, apiKey, fetch }).GET('/v1/me');
    assert.equal(sent.at(-1), 'pk_x.y', JSON.stringify(apiKey));
  }
  await createPonteClient({ baseUrl, token: 'a.b.c\n', fetch }).GET('/v1/me');
  assert.equal(sent.at(-1), 'Bearer a.b.c');
  for (const apiKey of ['', '\n', 'pk_secret .y', 'pk_secret\ny', 'pk_segrédo']) {
    assert.throws(
      () => createPonteClient({ baseUrl, apiKey }),
      (error: unknown) => error instanceof TypeError && !/secret|segr/.test(error.message),
    );
  }
});

test('a list is read page after page', async () => {
  const ponte = await newClient();
  const externalIds = ['l1', 'l2', 'l3'];
  for (const externalId of externalIds) {
    await ponte.POST('/v1/payment-intents', { body: { ...order, externalId } });
  }
  sent.length = 0;
  const listed: unknown[] = [];
  for await (const payment of ponte.list('/v1/payments', { params: { query: { limit: 1 } } })) {
    listed.push(payment.externalId);
  }
  assert.deepEqual(listed.toSorted(), externalIds);
  assert.ok(sent.every(({ url }) => url.includes('limit=1')));
  const refused = ponte.list('/v1/payments', { params: { query: { cursor: 'made up' } } });
  await assert.rejects(refused.next(), isRefusal('ValidationError'));
});

test('a list that goes on after its last row ends where the place stays, not at an empty page', async () => {
  const pages = new Map([
    [null, { data: [{ id: 'pst_1' }], nextAfter: 'pst_1' }],
    // Rows that this key may not read.
    ['pst_1', { data: [], nextAfter: 'pst_2' }],
    ['pst_2', { data: [{ id: 'pst_3' }], nextAfter: 'pst_3' }],
    ['pst_3', { data: [], nextAfter: 'pst_3' }],
  ]);
  const asked: (string | null)[] = [];
  const ponte = client(async ({ url }) => {
    const after = new URL(url).searchParams.get('after');
    asked.push(after);
    return Response.json(pages.get(after));
  });
  const rowsAfter = async (after?: string) => {
    asked.length = 0;
    const query = after === undefined ? {} : { after };
    const ids: string[] = [];
    for await (const { id } of ponte.list('/v1/settlement-entries', { params: { query } })) {
      ids.push(id);
    }
    return ids;
  };
  assert.deepEqual(await rowsAfter(), ['pst_1', 'pst_3']);
  assert.deepEqual(asked, [null, 'pst_1', 'pst_2', 'pst_3']);
  assert.deepEqual(await rowsAfter('pst_3'), []);
  assert.deepEqual(asked, ['pst_3']);
});

test('events are read as they arrive, with their epoch, until the signal', async () => {
  const ponte = await newClient();
  const stop = new AbortController();
  const eventTypes = ['payment_intent.*'];
  const events = ponte.events({ after: 0, eventTypes, signal: stop.signal });
  const create = (externalId: string) =>
    ponte.POST('/v1/payment-intents', { body: { ...order, externalId } });
  await create('e1');
  const { value: first } = await events.next();
  assert.deepEqual([first?.event, first?.sequence, first?.epoch], ['payment_intent.created', 1, 1]);
  const second = events.next();
  await until(() => site.world.feedReaders.waiting() === 1);
  await create('e2');
  assert.equal((await second).value?.sequence, 3);
  const third = events.next();
  await until(() => site.world.feedReaders.waiting() === 1);
  stop.abort();
  assert.deepEqual(await third, { value: undefined, done: true });
  await until(() => site.world.feedReaders.waiting() === 0);

  const missed = ponte.events({ after: 99 });
  await assert.rejects(missed.next(), isRefusal('FeedReset'));
  const latest = ponte.events({ after: 'latest' });
  const next = latest.next();
  await until(() => site.world.feedReaders.waiting() === 1);
  await create('e3');
  assert.equal((await next).value?.sequence, 5);
});

function isRefusal(code: string) {
  return (error: unknown) => error instanceof RefusedError && error.refusal.error === code;
}

/** A client of an organization of its test. */
async function newClient(): Promise<PonteClient> {
  const { orgId } = await site.world.newTenant();
  return client((request) => fetch(request), {}, await site.world.key(orgId));
}

function client(
  fetched: RepeatOptions['fetch'] = (request) => fetch(request),
  options: Partial<RepeatOptions> = {},
  apiKey = key,
) {
  return createPonteClient({
    baseUrl: `http://127.0.0.1:${site.port}`,
    apiKey,
    wait: async (waitMs) => {
      waits.push(waitMs);
    },
    fetch: (request) => {
      sent.push(request.clone());
      return fetched(request);
    },
    ...options,
  });
}
