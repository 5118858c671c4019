// Webhook subscriptions and their deliveries over HTTP.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { isSignedBy } from '../../../support/scenes/webhook-scene.js';
import type { Json } from '../../../support/servers/json-call.js';
import { type Answer, refusalOf, sharedSite } from '../checked-site.js';
import { createBody } from '../docs/example-calls.js';

const site = sharedSite();
let orgId: string;
let key: string;

// Each test has its own organization: lists are complete.
beforeEach(async () => {
  orgId = await site.world.organization();
  key = await site.world.key(orgId);
});

test('a subscription returns its secret once: on creation, and a new one on rotation', async () => {
  const made = await subscribe();
  const { secret, overlaps, ...rest } = made.body;
  assert.deepEqual(overlaps, []);
  assert.match(String(secret), /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(rest, {
    id: rest['id'],
    orgId,
    url: 'https://acme.example/hooks',
    eventTypes: ['*'],
    active: true,
    paused: false,
    createdAt: '2030-01-01T00:00:00.000Z',
    updatedAt: '2030-01-01T00:00:00.000Z',
  });
  assert.deepEqual((await list()).body, { data: [rest], nextCursor: null });

  const rotated = await on(rest['id'], 'rotate-secret');
  assert.notEqual(rotated.body['secret'], secret);
  await on(rest['id'], 'test');
  site.world.advanceClock(1);
  await site.world.settle();
  const sent = site.world.sent.at(-1);
  const isSigned = (used: unknown) => isSignedBy(site.world, used, sent);
  assert.deepEqual([isSigned(secret), isSigned(rotated.body['secret'])], [false, true]);
});

test('a URL that may not be called, event types that do not exist: 400 naming both', async () => {
  const path = '/v1/webhook-subscriptions';
  const both = await site.call('POST', path, { key, body: { url: '', eventTypes: ['a.b'] } });
  assert.equal(refusalOf(both), '400 ValidationError');
  assert.match(String(both.body['message']), /url: .*eventTypes\[0\]: /);
  const body = { url: 'http://acme.example/hooks', eventTypes: ['*'] };
  const plain = await site.call('POST', path, { key, body });
  assert.equal(refusalOf(plain), '400 ValidationError');
  assert.match(String(plain.body['message']), /^url: /);
  assert.deepEqual((await list()).body['data'], []);
});

test('a subscription changes its URL or types or is paused, and keeps the rest and its secret', async () => {
  const { body } = await subscribe();
  const path = `/v1/webhook-subscriptions/${String(body['id'])}`;
  site.world.advanceClock(1);
  const change = (fields: Json) => site.call('PATCH', path, { key, body: fields });
  const types = await change({ eventTypes: ['invoice.*'] });
  const { url, eventTypes, updatedAt, secret } = types.body;
  assert.deepEqual([url, eventTypes, secret], [body['url'], ['invoice.*'], undefined]);
  assert.notEqual(updatedAt, body['updatedAt']);
  const moved = await change({ url: 'https://acme.example/other' });
  assert.deepEqual(moved.body['eventTypes'], ['invoice.*']);
  assert.deepEqual((await list()).body['data'], [moved.body]);

  const from = site.world.sent.length;
  await site.call('POST', '/v1/payment-intents', { key, body: createBody() });
  await site.world.settle();
  const sent = site.world.sent.slice(from);
  assert.deepEqual(
    sent.map(({ url, body: text }) => [url, (JSON.parse(text) as Json)['event']]),
    [['https://acme.example/other', 'invoice.created']],
  );
  assert.ok(isSignedBy(site.world, body['secret'], sent[0]));

  assert.equal((await change({ paused: true })).body['paused'], true);
  assert.equal((await change({ eventTypes: ['*'] })).body['paused'], true, 'it stays');
  assert.equal(refusalOf(await on(body['id'], 'test')), '409 DeliveryNotReplayable');
  assert.equal((await change({ paused: false })).body['paused'], false);

  const invalid = [{ url: 'http://acme.example/' }, { eventTypes: ['a.b'] }, { paused: 'yes' }];
  for (const wrong of invalid) {
    assert.equal(refusalOf(await change(wrong)), '400 ValidationError', JSON.stringify(wrong));
  }
  await site.call('DELETE', path, { key });
  assert.equal(refusalOf(await change({ eventTypes: ['*'] })), '404 NotFound');
});

test('a subscription names others that send the same events to the same URL', async () => {
  const path = '/v1/webhook-subscriptions';
  const make = async (eventTypes: readonly string[], url = 'https://acme.example/hooks') =>
    (await site.call('POST', path, { key, body: { url, eventTypes } })).body;
  const first = await make(['invoice.*']);
  assert.deepEqual((await make(['payment_intent.*']))['overlaps'], []);
  assert.deepEqual((await make(['*'], 'https://acme.example/all'))['overlaps'], []);
  assert.deepEqual((await make(['invoice.settled']))['overlaps'], [first['id']]);
});

test('a deleted subscription stays listed and readable, and gets nothing any more', async () => {
  const { body } = await subscribe();
  const path = `/v1/webhook-subscriptions/${String(body['id'])}`;
  // DELETE takes no body; a sent one is not read.
  const deleted = await site.call('DELETE', path, {
    key,
    body: '{',
    headers: { 'content-type': 'a/b' },
  });
  assert.equal(deleted.status, 200);
  assert.equal(deleted.body['active'], false);
  const again = await site.call('DELETE', path, { key });
  assert.deepEqual(again.body, deleted.body);
  assert.deepEqual((await list()).body['data'], [deleted.body]);
  const before = site.world.sent.length;
  await site.call('POST', '/v1/payment-intents', { key, body: createBody() });
  await site.world.settle();
  assert.equal(site.world.sent.length, before);
  for (const what of ['test', 'rotate-secret']) {
    assert.equal(refusalOf(await on(body['id'], what)), '404 NotFound');
  }
  assert.equal((await site.call('GET', `${path}/deliveries`, { key })).status, 200);
});

test('a delivery is seen pending, tried, delivered, and replayed under its id', async () => {
  const { body } = await subscribe();
  site.world.answer = () => ({ responseStatus: 503 });
  const tested = await on(body['id'], 'test');
  assert.deepEqual([tested.body['status'], tested.body['attempt']], ['pending', 0]);
  await site.world.settle();
  const [failed] = await deliveries(body['id']);
  assert.equal(failed?.['id'], tested.body['id']);
  assert.deepEqual(
    [failed?.['status'], failed?.['attempt'], failed?.['responseStatus']],
    ['pending', 1, 503],
  );
  const replay = `deliveries/${String(tested.body['id'])}/replay`;
  const now = await on(body['id'], replay);
  assert.deepEqual([now.body['status'], now.body['attempt']], ['pending', 0]);
  await site.world.settle();
  site.world.answer = () => ({});
  site.world.advanceClock(30_000);
  await site.world.settle();
  const [delivered] = await deliveries(body['id']);
  assert.deepEqual(
    [delivered?.['status'], delivered?.['attempt'], delivered?.['lastError']],
    ['delivered', 2, null],
  );
  const replayed = await on(body['id'], replay);
  assert.deepEqual([replayed.body['status'], replayed.body['attempt']], ['pending', 0]);
  await site.world.settle();
  const sentIds = site.world.sent
    .map(({ headers }) => headers['X-Service-Delivery-Id'] ?? headers['x-service-delivery-id'])
    .slice(-3);
  assert.deepEqual([...new Set(sentIds)], [tested.body['id']]);
});

test('a delivery has its event, its attempts, and their times', async () => {
  const { body } = await subscribe();
  site.world.answer = () => ({ responseStatus: 503, durationMs: 7, error: null });
  const tested = await on(body['id'], 'test');
  await site.world.settle();
  const [row] = await deliveries(body['id']);
  const feed = await site.call('GET', '/v1/events', { key });
  const [event] = feed.body['data'] as readonly Json[];
  const createdAtMs = site.world.deps.clock.nowMs();
  assert.deepEqual(row, {
    id: tested.body['id'],
    eventId: event?.['id'],
    eventType: 'webhook.test',
    attempt: 1,
    status: 'pending',
    responseStatus: 503,
    nextAttemptAt: new Date(createdAtMs + 30_000).toISOString(),
    createdAt: new Date(createdAtMs).toISOString(),
    deliveredAt: null,
    lastError: 'the receiver answered 503',
    durationMs: 7,
  });
  site.world.answer = () => ({});
  site.world.advanceClock(30_000);
  await site.world.settle();
  const [delivered] = await deliveries(body['id']);
  assert.equal(delivered?.['deliveredAt'], new Date(createdAtMs + 30_000).toISOString());
  assert.deepEqual([delivered?.['nextAttemptAt'], delivered?.['lastError']], [null, null]);
});

test('one delivery has the bytes that were sent and each attempt with its answer', async () => {
  const { body } = await subscribe();
  site.world.answer = () => ({ responseStatus: 503, responseBody: 'busy', durationMs: 7 });
  const tested = await on(body['id'], 'test');
  await site.world.settle();
  site.world.answer = () => ({});
  site.world.advanceClock(30_000);
  await site.world.settle();
  const list = `/v1/webhook-subscriptions/${String(body['id'])}/deliveries`;
  const path = `${list}/${String(tested.body['id'])}`;
  const read = await site.call('GET', path, { key });
  const { attempts, body: sent, ...rest } = read.body;
  assert.deepEqual(rest, (await deliveries(body['id']))[0]);
  assert.equal(sent, site.world.sent.at(-1)?.body);
  assert.deepEqual(
    (attempts as readonly Json[]).map((one) => [
      one['attempt'],
      one['responseStatus'],
      one['responseBody'],
    ]),
    [
      [1, 503, 'busy'],
      [2, 200, 'ok'],
    ],
  );
});

function subscribe(): Promise<Answer> {
  const body = { url: 'https://acme.example/hooks', eventTypes: ['*'] };
  return site.call('POST', '/v1/webhook-subscriptions', { key, body });
}

function list(): Promise<Answer> {
  return site.call('GET', '/v1/webhook-subscriptions', { key });
}

function on(id: unknown, what: string): Promise<Answer> {
  return site.call('POST', `/v1/webhook-subscriptions/${String(id)}/${what}`, { key, body: '' });
}

async function deliveries(id: unknown): Promise<readonly Json[]> {
  const path = `/v1/webhook-subscriptions/${String(id)}/deliveries`;
  return (await site.call('GET', path, { key })).body['data'] as readonly Json[];
}
