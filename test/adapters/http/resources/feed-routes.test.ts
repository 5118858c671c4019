// The event feed over HTTP: what an event looks like there, what a request may ask for, and how a
// wait ends.
import assert from 'node:assert/strict';
import { request as startRequest } from 'node:http';
import { beforeEach, test } from 'node:test';
import { sliceTopLevel } from '../../../../core/domain/base/raw-json.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { eventBody } from '../../../../core/domain/payments/event.js';
import { WAITING_PER_KEY_MAX } from '../../../../core/usecases/webhooks/feed-readers.js';
import {
  createSubscription,
  testSubscription,
} from '../../../../core/usecases/webhooks/subscriptions.js';
import { prunedFeed } from '../../../support/scenes/pruned-feed.js';
import type { Json } from '../../../support/servers/json-call.js';
import { valuesOf } from '../../../support/values-of.js';
import { until } from '../../../support/wait.js';
import { type Answer, checkedSite, refusalOf, sharedSite } from '../checked-site.js';
import { createBody, newPayment } from '../docs/example-calls.js';

const site = sharedSite();
let tenant: Tenant;
let key: string;

// Each test has its own organization: its feed begins at 1.
beforeEach(async () => {
  tenant = await site.world.newTenant();
  key = await site.world.key(tenant.orgId);
});

function read(query = ''): Promise<Answer> {
  return site.call('GET', `/v1/events${query}`, { key });
}

function eventsOf({ body }: Answer): readonly Json[] {
  return body['data'] as readonly Json[];
}

test('the feed shows each event once, ascending from 1, with the time it happened', async () => {
  const { payment } = await newPayment(site.world, tenant);
  site.world.advanceClock(5_000);
  await site.world.settle();
  const answer = await read();
  const [first, second] = eventsOf(answer);
  assert.deepEqual(
    eventsOf(answer).map(({ sequence, event }) => [sequence, event]),
    [
      [1, 'payment_intent.created'],
      [2, 'invoice.created'],
    ],
  );
  assert.ok(first !== undefined && second !== undefined);
  const { externalEventId, paymentIntentId, occurredAt } = first['data'] as Json;
  assert.deepEqual([first['id'], payment.id], [externalEventId, paymentIntentId]);
  assert.deepEqual([first['createdAt'], second['createdAt']], [occurredAt, occurredAt]);
  assert.equal(answer.body['nextAfter'], 2);
});

test('data is byte for byte what the webhook carries', async () => {
  const { deps, sent } = site.world;
  await createSubscription(deps, tenant, { url: 'https://a.example/h', eventTypes: ['*'] });
  const metadata = '{"b":1e2,  "10":[1.0,90071992547409931],"a":"\\u00e7\\/ç"}';
  const body = JSON.stringify({ ...createBody(), metadata: 0 }).replace('0}', `${metadata}}`);
  const created = await site.call('POST', '/v1/payment-intents', { key, body });
  assert.equal(created.status, 201);
  const from = sent.length;
  await site.world.settle();
  const webhooks = sent.slice(from);
  assert.equal(webhooks.length, 2);
  const { text } = await read();
  for (const webhook of webhooks) {
    assert.ok(webhook.body.includes(`"metadata":${metadata}`));
    const data = sliceTopLevel(webhook.body, ['data']).get('data') ?? '';
    assert.ok(text.includes(`"data":${data}}`), text);
  }
});

test('a webhook.test is an event of the feed too', async () => {
  const { deps } = site.world;
  const { subscription } = await createSubscription(deps, tenant, {
    url: 'https://a.example/h',
    eventTypes: ['*'],
  });
  const waiting = read('?wait=30');
  await until(() => site.world.feedReaders.waiting() === 1);
  await testSubscription(deps, tenant, subscription.id);
  assert.deepEqual(valuesOf(eventsOf(await waiting), 'event'), ['webhook.test']);
});

test('a reader of some types gets these alone, and goes on after the others', async () => {
  await newPayment(site.world, tenant);
  await site.world.settle();
  const types = async (query: string) => {
    const answer = await read(query);
    return [valuesOf(eventsOf(answer), 'event'), answer.body['nextAfter']];
  };
  assert.deepEqual(await types('?eventTypes=invoice.*'), [['invoice.created'], 2]);
  assert.deepEqual(await types('?eventTypes=payment_intent.created,invoice.settled'), [
    ['payment_intent.created'],
    2,
  ]);
  assert.deepEqual(await types('?eventTypes=invoice.settled&wait=1'), [[], 2]);
  for (const wrong of ['', 'invoice', 'invoice.*,', 'x.*', 'invoice.*&eventTypes=*']) {
    const refused = await read(`?eventTypes=${wrong}`);
    assert.equal(refusalOf(refused), '400 ValidationError', wrong);
  }
});

test('one event is read as the feed shows it, by its id', async () => {
  await newPayment(site.world, tenant);
  await site.world.settle();
  const page = await read();
  const texts = eventsOf(page).map(async ({ id }) => {
    return (await site.call('GET', `/v1/events/${String(id)}`, { key })).text;
  });
  const { nextAfter, epoch } = page.body;
  const data = (await Promise.all(texts)).join(',');
  assert.equal(page.text, `{"data":[${data}],"nextAfter":${nextAfter},"epoch":${epoch}}`);
});

test('a refused query value is shown as it came', async () => {
  const { body } = await read('?epoch=1.0');
  assert.match(String(body['message']), /epoch: send a whole number .*; got "1\.0"\.$/);
});

for (const [name, taken, refused] of [
  [
    'after',
    ['0'],
    ['', '-1', '1.5', '1e3', '%201', '+1', 'x', '9007199254740992', '99999999999999999'],
  ],
  ['limit', ['1', '100'], ['0', '101', '1.5', 'x']],
  ['wait', ['0'], ['-1', '31', '1.5', '030', 'x']],
] as const) {
  test(`${name} is a whole number within its bounds`, async () => {
    for (const value of taken) assert.equal((await read(`?${name}=${value}`)).status, 200, value);
    for (const value of refused) {
      const answer = await read(`?${name}=${value}`);
      assert.equal(refusalOf(answer), '400 ValidationError', value);
      assert.match(String(answer.body['message']), new RegExp(`^${name}: `));
    }
  });
}

test('limit is 25 unless sent', async () => {
  for (let made = 0; made < 13; made += 1) await newPayment(site.world, tenant);
  await site.world.settle();
  assert.equal(eventsOf(await read()).length, 25);
  assert.equal(eventsOf(await read('?after=25')).length, 1);
});

test('after older than what is kept: 410 with the oldest sequence', async () => {
  const type = 'webhook.test';
  const occurredAt = '2026-01-02T03:04:05.678Z';
  await prunedFeed(site.world.deps.store, tenant, { oldest: 7, last: 8 }, (externalEventId) => ({
    type,
    body: eventBody(type, { subscriptionId: 'whs_1', externalEventId, occurredAt }),
  }));
  for (const query of ['', '?after=5', '?after=5&wait=30']) {
    const answer = await read(query);
    assert.equal(refusalOf(answer), '410 EventsPruned');
    assert.equal(answer.body['oldestSequence'], 7);
  }
  assert.equal(eventsOf(await read('?after=6')).length, 2);
});

test('after=latest begins behind the latest event, with a wait and without', async () => {
  const empty = await read('?after=latest');
  assert.deepEqual([eventsOf(empty), empty.body['nextAfter']], [[], 0]);
  await newPayment(site.world, tenant);
  await site.world.settle();
  const now = await read('?after=latest');
  assert.deepEqual([eventsOf(now), now.body['nextAfter']], [[], 2]);
  const waiting = read('?after=latest&wait=30');
  await until(() => site.world.feedReaders.waiting() === 1);
  await newPayment(site.world, tenant);
  await site.world.settle();
  assert.equal(eventsOf(await waiting)[0]?.['sequence'], 3);
  assert.equal(refusalOf(await read('?after=newest')), '400 ValidationError');
});

test('at its end a wait is answered with an empty page and nextAfter as it was sent', async () => {
  const answer = await read('?after=0&wait=1');
  assert.deepEqual(answer.body, { data: [], nextAfter: 0, epoch: 1 });
  assert.equal(site.world.feedReaders.waiting(), 0);
});

test('a client that goes away while it waits leaves nothing behind', async () => {
  const request = startRequest({
    port: site.port,
    path: '/v1/events?wait=30',
    headers: { 'x-api-key': key },
  });
  request.on('error', () => undefined);
  request.end();
  await until(() => site.world.feedReaders.waiting() === 1);
  request.destroy();
  await until(() => site.world.feedReaders.waiting() === 0);
});

test('more waits than a key may have: 429 until one of them ends', async () => {
  const { feedReaders } = site.world;
  const requests = Array.from({ length: WAITING_PER_KEY_MAX }, () => {
    const path = '/v1/events?wait=30';
    const request = startRequest({ port: site.port, path, headers: { 'x-api-key': key } });
    request.on('error', () => undefined).end();
    return request;
  });
  await until(() => feedReaders.waiting() === WAITING_PER_KEY_MAX);
  const refused = await read('?wait=30');
  assert.equal(refusalOf(refused), '429 ReaderLimitExceeded');
  assert.equal(refused.headers['retry-after'], '5');
  assert.equal((await read()).status, 200, 'without a wait');
  requests.pop()?.destroy();
  await until(() => feedReaders.waiting() === WAITING_PER_KEY_MAX - 1);
  assert.deepEqual((await read('?wait=1')).body, { data: [], nextAfter: 0, epoch: 1 });
  for (const request of requests) request.destroy();
  await until(() => feedReaders.waiting() === 0);
});

for (const query of ['after=9007199254740991', 'after=0&epoch=2', 'after=9&wait=30']) {
  test(`${query}: 410 with the epoch and the latest sequence`, async () => {
    const answer = await read(`?${query}`);
    assert.equal(refusalOf(answer), '410 FeedReset');
    const latest = (await read('?after=latest')).body;
    assert.deepEqual(
      [answer.body['epoch'], answer.body['lastSequence']],
      [latest['epoch'], latest['nextAfter']],
    );
  });
}

test('a stop answers waiting requests with what they have', async (t) => {
  const own = await checkedSite(t);
  const orgId = await own.world.organization();
  const waiting = own.call('GET', '/v1/events?after=0&wait=30', {
    key: await own.world.key(orgId),
  });
  await until(() => own.world.feedReaders.waiting() === 1);
  await own.server.close();
  const answer = await waiting;
  assert.deepEqual(answer.body, { data: [], nextAfter: 0, epoch: 1 });
  assert.equal(answer.headers['connection'], 'close');
});
