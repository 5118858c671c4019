// What each answer of BlindPay means for the caller: the table of codes, then statuses and bodies.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { z } from 'zod';
import { sortError } from '../../../adapters/partner/blindpay/answer-codes.js';
import { createBlindPayClient } from '../../../adapters/partner/blindpay/blindpay-client.js';

const shape = z.object({ id: z.string() });
const envelope = (code: string | null, message = 'quote_expired') =>
  JSON.stringify({
    success: false,
    message,
    errors: [],
    description: 'Words.',
    trace_id: 't1',
    ...(code === null ? {} : { code }),
  });
const page = '<!DOCTYPE html><title>Attention Required! | Cloudflare</title>';

interface Given {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function desk(t: TestContext, limit = { perMinute: 0, burst: 1 }) {
  const seen: IncomingMessage[] = [];
  const at = { nowMs: 1_000_000, given: { status: 200, body: '{"id":"x"}' } as Given };
  const server = createServer((request, response) => {
    seen.push(request);
    request.resume();
    response.writeHead(at.given.status, at.given.headers ?? {}).end(at.given.body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.after(() => server.close());
  const note = () => undefined;
  const client = createBlindPayClient({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    ...limit,
    apiKey: 'the-key-of-the-instance',
    instanceId: 'in_1',
    clock: { nowMs: () => at.nowMs },
    log: { debug: note, info: note, warn: note, error: note },
  });
  const post = (body = '{}') =>
    client.post({ path: '/instances/:instance/things', body, key: 'key-1', shape });
  return { at, client, post, seen, server };
}

test('the code decides, not the status', () => {
  assert.equal(sortError(400, 'QUOTES_EXPIRED'), 'refused');
  assert.equal(sortError(503, 'QUOTES_RATE_UNAVAILABLE'), 'later');
  assert.equal(sortError(500, 'INTERNAL_ERROR'), 'unknown');
});

test('a call carries key, idempotency key and exact body to the path of the instance', async (t) => {
  const { post, seen } = await desk(t);
  assert.partialDeepStrictEqual(await post('{"b":1,"a":2}'), {
    outcome: 'done',
    value: { id: 'x' },
  });
  const { method, url, headers } = seen[0] ?? assert.fail('no call');
  assert.deepEqual([method, url], ['POST', '/v1/instances/in_1/things']);
  assert.equal(headers.authorization, 'Bearer the-key-of-the-instance');
  assert.deepEqual(
    [headers['idempotency-key'], headers['content-type'], headers['content-length']],
    ['key-1', 'application/json', '13'],
  );
});

/** What a POST and a GET become. */
const cases: readonly (readonly [string, Given, string, string])[] = [
  ['a code of refusal', { status: 400, body: envelope('VALIDATION_FAILED') }, 'refused', 'refused'],
  [
    'the same code with another status',
    { status: 422, body: envelope('VALIDATION_FAILED') },
    'refused',
    'refused',
  ],
  ['a message without a code', { status: 400, body: envelope(null) }, 'refused', 'refused'],
  ['an unknown code', { status: 400, body: envelope('SOMETHING_ELSE') }, 'refused', 'refused'],
  [
    'an unknown code with 500',
    { status: 500, body: envelope('SOMETHING_ELSE') },
    'unknown',
    'later',
  ],
  ['an unknown code with 403', { status: 403, body: envelope('SOMETHING_ELSE') }, 'later', 'later'],
  ['a wrong key', { status: 401, body: envelope('AUTH_UNAUTHORIZED') }, 'later', 'later'],
  ['a rate limit', { status: 429, body: envelope('AUTH_RATE_LIMITED') }, 'later', 'later'],
  ['in flight', { status: 409, body: envelope('idempotency_key_in_flight') }, 'unknown', 'later'],
  [
    'another body under the key',
    { status: 422, body: envelope('idempotency_key_payload_mismatch') },
    'unknown',
    'later',
  ],
  ['a page of the edge', { status: 403, body: page }, 'later', 'later'],
  ['a page of 502', { status: 502, body: page }, 'unknown', 'later'],
  ['a page of 200', { status: 200, body: page }, 'unknown', 'later'],
  ['an empty body', { status: 200, body: '' }, 'unknown', 'later'],
  ['half an object', { status: 200, body: '{"id":' }, 'unknown', 'later'],
  ['another object', { status: 200, body: '{"uuid":"x"}' }, 'unknown', 'later'],
  ['another error', { status: 400, body: '{"error":"x"}' }, 'later', 'later'],
  [
    'a redirect',
    { status: 302, body: '', headers: { location: 'https://elsewhere.example' } },
    'later',
    'later',
  ],
];

for (const [name, given, posted, read] of cases) {
  test(`${name} is ${posted} after a POST, ${read} after a GET`, async (t) => {
    const { at, client, post, seen } = await desk(t);
    at.given = given;
    const answer = await post();
    assert.equal(answer.outcome, posted);
    assert.equal((await client.get('/x', shape)).outcome, read);
    assert.equal(seen.length, 2);
    assert.doesNotMatch(JSON.stringify(answer), /the-key-of-the-instance/);
  });
}

test('a refusal names the code, and quotes nothing of the request', async (t) => {
  const { at, post } = await desk(t);
  const description = 'pix_key ana@example.com of Ana Lima is not valid';
  at.given = {
    status: 400,
    body: JSON.stringify({ success: false, code: 'X', message: 'x', errors: [], description }),
  };
  const answer = await post('{"pix_key":"ana@example.com","owner":{"name":"Ana Lima"}}');
  assert.deepEqual(answer, {
    outcome: 'refused',
    code: 'X',
    message: 'pix_key … of … is not valid',
  });
});

test('no connection is later, a connection that ends is unknown', async (t) => {
  const { post, server } = await desk(t);
  server.removeAllListeners('request');
  server.on('request', (_, response) => response.destroy());
  assert.equal((await post()).outcome, 'unknown');
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  assert.equal((await post()).outcome, 'later');
});

test('Retry-After is obeyed in seconds or as a date, for at most ten minutes', async (t) => {
  for (const [retryAfter, waitMs] of [
    ['7', 7_000],
    [new Date(1_000_000 + 5_000).toUTCString(), 5_000],
    ['999999', 600_000],
    ['soon', 0],
  ] as const) {
    const { at, post, seen } = await desk(t);
    const headers = { 'retry-after': retryAfter };
    at.given = { status: 429, body: envelope('AUTH_RATE_LIMITED'), headers };
    await post();
    at.nowMs += Math.max(0, waitMs - 1);
    await post();
    assert.equal(seen.length, waitMs === 0 ? 2 : 1, retryAfter);
    at.nowMs += 1;
    await post();
    assert.equal(seen.length, waitMs === 0 ? 3 : 2, retryAfter);
  }
});

test('more calls than the limit of the instance are not sent', async (t) => {
  const { at, post, seen } = await desk(t, { perMinute: 60, burst: 3 });
  for (let count = 0; count < 5; count += 1) await post();
  assert.equal(seen.length, 3);
  assert.equal((await post()).outcome, 'later');
  at.nowMs += 1_000;
  await post();
  assert.equal(seen.length, 4);
});

test('a search reads all pages; what could not be read is not absent', async (t) => {
  const { at, client, seen } = await desk(t);
  const list = (has: boolean, ids: readonly string[]): Given => ({
    status: 200,
    body: JSON.stringify({ data: ids.map((id) => ({ id })), pagination: { has_more: has } }),
  });
  const search = (wanted: string) =>
    client.search('/things', shape, ({ id }) => {
      if (id === 'b') at.given = list(false, ['c']);
      return id === wanted ? id : null;
    });
  at.given = list(true, ['a', 'b']);
  assert.deepEqual(await search('c'), { outcome: 'done', value: 'c' });
  assert.deepEqual(
    seen.map(({ url }) => url),
    ['/v1/things?limit=100', '/v1/things?limit=1000&starting_after=b'],
  );
  at.given = list(true, ['a', 'b']);
  assert.deepEqual(await search('d'), { outcome: 'done', value: null });
  at.given = { status: 503, body: page };
  assert.equal((await search('d')).outcome, 'later');
  at.given = list(true, ['x', 'y']);
  seen.length = 0;
  assert.equal((await search('d')).outcome, 'later');
  assert.equal(seen.length, 2, 'a page that comes again ends it');
  let pages = 0;
  const slow = client.search('/things', shape, () => {
    pages += 1;
    at.given = list(true, [`x${pages}`]);
    at.nowMs += 2_000;
    return null;
  });
  assert.equal((await slow).outcome, 'later');
  const whole = Array.from({ length: 100 }, (_, at) => ({ id: `x${at}` }));
  at.given = { status: 200, body: JSON.stringify(whole) };
  assert.equal((await search('d')).outcome, 'later');
  at.given = { status: 200, body: JSON.stringify(whole.slice(1)) };
  assert.deepEqual(await search('d'), { outcome: 'done', value: null });
});
