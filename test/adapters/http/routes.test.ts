// What the route table promises, for every row of it: a new row is covered on arrival.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorCodesOf } from '../../../adapters/http/protocol/route-errors.js';
import { noParams, type Route } from '../../../adapters/http/protocol/route-row.js';
import { routes } from '../../../adapters/http/routes.js';
import { scopeNames, scopesIn, sessionScopes } from '../../../core/domain/access/scope.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import { suiteEnd } from '../../support/suite-end.js';
import { checkedSite, refusalOf } from './checked-site.js';
import { examples } from './docs/example-calls.js';
import { keyed, operations, tableScene } from './table-scene.js';

const withJson = operations.filter(({ route }) => typeof route.body !== 'string');

const suite = suiteEnd();
const { site, key, own, accepted, exampleOf, send } = await tableScene(suite);

test('every operation has a unique id, a unique path and an example', () => {
  const ids = operations.map(({ operationId }) => operationId);
  assert.deepEqual(ids.toSorted(), Object.keys(examples).toSorted());
  const places = operations.map(({ path, route }) => `${route.method} ${path}`);
  assert.equal(new Set(places).size, places.length);
});

/** The table of the interface, and what was added to it; K: key, J: session, E: either. */
const promised: readonly string[] = [
  'POST /v1/buyer-kyc E connected_accounts:write|payment_intents:write',
  'POST /v1/buyer-kyc/{buyerId}/upload-url E connected_accounts:write|payment_intents:write',
  'POST /v1/api-keys J api_keys:write',
  'GET /v1/api-keys J',
  'POST /v1/api-keys/{id}/roll J api_keys:write',
  'DELETE /v1/api-keys/{id} J api_keys:write',
  'POST /v1/payment-intents K payment_intents:write',
  'GET /v1/payment-intents/{id} K payment_intents:read',
  'POST /v1/payment-intents/{id}/cancel K payment_intents:write',
  'POST /v1/payments K payment_intents:write',
  'GET /v1/payments K payment_intents:read|invoices:read',
  'GET /v1/payments/{id} K payment_intents:read|invoices:read',
  'POST /v1/payments/{id}/cancel K payment_intents:write|invoices:write',
  'PUT /v1/payments/{id}/fiscal-document K payment_intents:write|invoices:write',
  'GET /v1/payments/{id}/proof K payment_intents:read|invoices:read',
  'GET /v1/payments/{id}/timeline K payment_intents:read|invoices:read',
  'POST /v1/invoices K invoices:write',
  'POST /v1/invoices/upload-url K invoices:write',
  'GET /v1/invoices K invoices:read',
  'GET /v1/invoices/{id} K invoices:read',
  'POST /v1/invoices/{id}/cancel K invoices:write',
  'POST /v1/payment-intents/{id}/approve J payment_intents:write',
  'POST /v1/payments/{id}/approve J payment_intents:write|invoices:write',
  'POST /v1/invoices/{id}/approve J invoices:write',
  'POST /v1/invoices/{id}/invite-buyer K invoices:write',
  'POST /v1/invoices/invite-buyers K invoices:write',
  ...['/v1/connected-accounts', '/v1/accounts'].flatMap((form) => [
    `POST ${form} K connected_accounts:write`,
    ...['onboarding-link', 'tos-session', 'tos-accepted', 'upload-url', 'submit'].map(
      (step) => `POST ${form}/{id}/${step} K connected_accounts:write`,
    ),
    `POST ${form}/{id}/payout-config K connected_accounts:write|payouts:write`,
    `GET ${form}/{id}/payout-changes K connected_accounts:read`,
    `GET ${form}/{id}/vendor-documents K connected_accounts:read`,
    `POST ${form}/{id}/vendor-documents/upload-url K connected_accounts:write`,
    `DELETE ${form}/{id}/vendor-documents/{documentId} K connected_accounts:write`,
    `GET ${form}/{id} K connected_accounts:read`,
    `GET ${form} K connected_accounts:read`,
  ]),
  'POST /v1/webhook-subscriptions K webhooks:write',
  'GET /v1/webhook-subscriptions K webhooks:read',
  'GET /v1/webhook-subscriptions/{id}/deliveries K webhooks:read',
  'GET /v1/webhook-subscriptions/{id}/deliveries/{deliveryId} K webhooks:read',
  'POST /v1/webhook-subscriptions/{id}/deliveries/{deliveryId}/replay K webhooks:write',
  'POST /v1/webhook-subscriptions/{id}/backfill K webhooks:write',
  'POST /v1/webhook-subscriptions/{id}/replay-dead-letters K webhooks:write',
  'POST /v1/webhook-subscriptions/{id}/rotate-secret K webhooks:write',
  'POST /v1/webhook-subscriptions/{id}/test K webhooks:write',
  'DELETE /v1/webhook-subscriptions/{id} K webhooks:write',
  'PATCH /v1/webhook-subscriptions/{id} K webhooks:write',
  'GET /v1/quotes/preview K payment_intents:read',
  'GET /v1/settlement-entries K payment_intents:read|invoices:read',
  'GET /v1/accounting K payment_intents:read|invoices:read',
  'POST /v1/accounting/accounts K accounting:write',
  'POST /v1/accounting/closed-months K accounting:write',
  'GET /v1/idempotency-keys/{id} K payment_intents:read|invoices:read',
  'GET /v1/events K webhooks:read',
  'GET /v1/events/{id} K webhooks:read',
  'POST /v1/events/{id}/resend K webhooks:write',
  'GET /v1/audit J audit:read',
  'POST /v1/auth/switch-mode J',
  'GET /v1/auth/sessions J',
  'POST /v1/auth/sign-out J',
  'GET /v1/onboarding/status J',
  'GET /v1/me E',
  'POST /v1/test-helpers/payments/{id}/advance K payment_intents:write|invoices:write',
  'POST /v1/test-helpers/payments/{id}/simulate K payment_intents:write|invoices:write',
  'GET /v1/buyer-kyc/{buyerId}/requirements E connected_accounts:write|payment_intents:write',
  ...['/', '/healthz', '/readyz', '/docs-json', '/docs'].map((path) => `GET ${path} -`),
];

test('the table has every route of the interface, under its credential and scope', () => {
  const letters = {
    key: 'K',
    keyElseSession: 'K',
    session: 'J',
    either: 'E',
    none: '-',
    partner: '',
    signature: '',
  };
  const table = operations.map(({ path, route: { method, access } }) =>
    `${method} ${path} ${letters[access.auth]} ${scopesIn(access.scope).join('|')}`.trim(),
  );
  for (const row of promised) assert.ok(table.includes(row), row);
  const unheardOf = table.filter((row) => / [KJE]( |$)/.test(row) && !promised.includes(row));
  assert.deepEqual(unheardOf, [], 'a new route for integrators is named above');
});

test('a report of keys leaves out the scopes that no route takes of a key', () => {
  const ofKeys = operations.filter(({ route: { access } }) => access.auth !== 'session');
  const taken = new Set(ofKeys.flatMap(({ route: { access } }) => scopesIn(access.scope)));
  assert.deepEqual(
    scopeNames.filter((scope) => !taken.has(scope)),
    sessionScopes,
  );
});

test('a create answers 201, a repeated one 200, buyer KYC 201 always, the rest 200', () => {
  const creates = /^POST \/v1\/(payment-intents|payments|invoices|connected-accounts|accounts)$/;
  const always = /^POST \/v1\/(buyer-kyc|api-keys|webhook-subscriptions)$/;
  for (const { path, route } of operations) {
    const place = `${route.method} ${path}`;
    const statuses = Object.keys(route.responses).map(Number);
    const expected = creates.test(place) ? [200, 201] : always.test(place) ? [201] : [200];
    assert.deepEqual(
      statuses.filter((status) => status < 300),
      expected,
      place,
    );
  }
});

test('DELETE takes no body and needs no content type', async () => {
  const deletes = operations.filter(({ route }) => route.method === 'DELETE');
  assert.ok(deletes.length >= 2);
  for (const { operationId, route } of deletes) {
    for (const [body, type] of [
      ['', null],
      ['{', 'a/b'],
    ] as const) {
      const example = { ...(await exampleOf(operationId)), body };
      assert.equal((await send(route, example, own, type)).status, 200, operationId);
    }
  }
});

test('a path parameter that cannot be read is refused as described, on every route', async () => {
  const withParams = operations.filter(({ route }) => route.params !== noParams);
  const auths = new Set(withParams.map(({ route }) => route.access.auth));
  assert.deepEqual([...auths].toSorted(), Object.keys(accepted).toSorted());
  const notFound = ['a%', '%ZZ', '%FF', '%C3%28', '%E0%A4%A', 'a'.repeat(2_000)];
  for (const { operationId, route, path } of withParams) {
    const example = await exampleOf(operationId);
    for (const param of ['a%00b', '%00', ...notFound]) {
      const asked = example.path.replace(/^[^?]*/, path.replaceAll(/\{\w+\}/g, param));
      // Each call checks that the description has its answer.
      const answer = await send(route, { ...example, path: asked }, own);
      const context = `${operationId} ${param.slice(0, 10)}: ${answer.text}`;
      // No partner and no mode has such a name.
      const named = notFound.includes(param) || route.access.auth === 'partner';
      assert.equal(refusalOf(answer), named ? '404 NotFound' : '400 ValidationError', context);
      if (route.method !== 'GET') continue;
      const head = await site.call('HEAD', asked, own);
      assert.deepEqual([head.status, head.text], [answer.status, ''], context);
    }
  }
});

test('a body that is not declared as JSON in UTF-8: 415, an empty one too', async () => {
  for (const { operationId, route } of withJson) {
    const example = await exampleOf(operationId);
    const empty = await send(route, { path: example.path, body: '' }, own, null);
    assert.equal(refusalOf(empty), '415 UnsupportedMediaType', operationId);
    assert.match(String(empty.body['message']), /-H 'Content-Type: application\/json'/);
    const types = [
      null,
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'application/json; charset=latin1',
      'application/vnd.api+json',
      'application/json,x/y',
    ];
    for (const type of types) {
      const answer = await send(route, example, own, type);
      assert.equal(refusalOf(answer), '415 UnsupportedMediaType', `${operationId} ${type}`);
      const advice = type === null ? 'Add the header' : `Content-Type is ${type}. Send`;
      const message = String(answer.body['message']);
      assert.ok(message.startsWith(`${advice} Content-Type: application/json`), message);
    }
    const packed = { ...example, headers: { 'content-encoding': 'gzip' } };
    assert.equal(refusalOf(await send(route, packed, own)), '415 UnsupportedMediaType');
  }
});

test('content types that say JSON in UTF-8 are taken', async () => {
  for (const type of [
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/json;charset="UTF-8"',
    'application/json; charset=utf8',
    'application/json;charset=UTF8',
    'application/json ; profile=x',
    'application/json;',
    'application/json; charset=utf-8; a=b',
  ]) {
    const row = routes.find(({ operations: { createPaymentIntent } }) => createPaymentIntent);
    const example = await exampleOf('createPaymentIntent');
    assert.equal((await send(row as Route, example, own, type)).status, 201, type);
  }
  for (const coding of ['', 'Identity']) {
    const row = routes.find(({ operations: { createPaymentIntent } }) => createPaymentIntent);
    const example = await exampleOf('createPaymentIntent');
    const plain = { ...example, headers: { 'content-encoding': coding } };
    assert.equal((await send(row as Route, plain, own)).status, 201, coding);
  }
});

test('each row that is no GET takes what it stores from a budget, or stores nothing', () => {
  const unlimited = operations.filter(
    ({ route }) => route.method !== 'GET' && route.access.rateLimit === 'none',
  );
  // A partner proves that it is the partner. Another token of a session is no row.
  const storeNothing = ['receivePartnerWebhook', 'switchMode'];
  assert.deepEqual(unlimited.map(({ operationId }) => operationId).toSorted(), storeNothing);
  const reads = operations.filter(({ route }) => route.method === 'GET');
  for (const { route } of reads) assert.equal(route.access.rateLimit, 'none');
});

test('a malformed body: 400', async () => {
  const cases = [
    ['{"a":', 'body'],
    ['[]', 'body'],
    ['"text"', 'body'],
    ['null', 'body'],
    ['1', 'body'],
    ['\ufeff\ufeff{}', 'body'],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'body'],
  ] as const;
  await refusedEverywhere(cases);
});

test('NUL and lone surrogates in a body: 400, wherever they stand', async () => {
  await refusedEverywhere([
    ['{"a\\u0000":1}', 'body'],
    ['{"note":"a\\u0000"}', 'note'],
    ['{"note":{"deep":["\\ud800"]}}', 'note'],
    ['{"note":{"\\udfff":1}}', 'note'],
  ]);
});

/** Every row that takes JSON refuses each of these bodies, naming where it is wrong. */
async function refusedEverywhere(
  cases: readonly (readonly [body: string | Buffer, named: string])[],
): Promise<void> {
  for (const { operationId, route } of withJson) {
    const { path } = await exampleOf(operationId);
    for (const [body, named] of cases) {
      const answer = await send(route, { path, body }, own);
      assert.equal(refusalOf(answer), '400 ValidationError', `${operationId} ${body}`);
      assert.ok(String(answer.body['message']).startsWith(`${named}: `), answer.text);
    }
  }
}

test('a repeat with the same Idempotency-Key answers with the same resource', async () => {
  for (const { operationId, route } of operations) {
    if (route.idempotency === 'none') continue;
    const headers = { 'idempotency-key': `key of ${operationId}` };
    const example = await exampleOf(operationId);
    const isCreate = 201 in route.responses;
    const first = await send(route, { ...example, headers }, { key });
    // What a create sends again may differ; an action is repeated on its resource.
    const again = isCreate ? await exampleOf(operationId) : example;
    const other = await send(route, { ...again, headers }, { key });
    assert.equal(other.status, 200, operationId);
    const replayed = [first, other].map(({ headers: sent }) => sent['idempotent-replayed']);
    assert.deepEqual(replayed, [undefined, 'true'], operationId);
    if (!isCreate) assert.equal(other.headers['idempotent-mismatch'], undefined, operationId);
    assert.deepEqual(other.body, first.body, operationId);
  }
});

test('an Idempotency-Key is 1 to 255 printable ASCII characters, sent once', async () => {
  for (const { operationId, route } of operations) {
    if (route.idempotency === 'none') continue;
    const example = await exampleOf(operationId);
    for (const value of ['', 'a'.repeat(256), 'caf\u00e9', 'a\tb', ['a', 'b']]) {
      const headers = { 'idempotency-key': value };
      const answer = await send(route, { ...example, headers }, { key });
      assert.equal(refusalOf(answer), '400 ValidationError', `${operationId} ${value}`);
      assert.match(String(answer.body['message']), /Idempotency-Key/);
    }
    // A key of another origin is no new one: each row has its own organization.
    const home = await site.world.newTenant();
    const fresh = await site.world.key(home.orgId);
    for (const value of ['a', 'a, b', '~'.repeat(255)]) {
      const headers = { 'idempotency-key': `${value}` };
      const call = { ...(await exampleOf(operationId, home)), headers };
      const answer = await send(route, call, { key: fresh });
      assert.ok(answer.status < 300, `${operationId} ${value}`);
    }
  }
});

test('rows with a rate limit refuse with 429 and say when to come back; others go on', async (t) => {
  const strict = await checkedSite(t, { rateLimitPerMinute: 6, rateLimitBurst: 1 });
  const home: Tenant = { orgId: await strict.world.organization(), mode: 'test' };
  for (const { operationId, route } of keyed) {
    const fresh = await strict.world.key(home.orgId);
    const statuses: string[] = [];
    for (let calls = 0; calls < 2; calls += 1) {
      const example = await (examples[operationId] as (typeof examples)[string])(
        strict.world,
        home,
      );
      const answer = await strict.call(route.method, example.path, { ...example, key: fresh });
      statuses.push(`${answer.status}`);
      if (answer.status !== 429) continue;
      assert.equal(answer.body['retryAfter'], 10, operationId);
      assert.equal(answer.body['message'], 'Rate limit exceeded. Retry after 10s.', operationId);
    }
    assert.equal(statuses.includes('429'), route.access.rateLimit === 'create', operationId);
  }
});

test('replays count against the rate limit, and answers say what it leaves', async (t) => {
  const strict = await checkedSite(t, { rateLimitPerMinute: 6, rateLimitBurst: 2 });
  const fresh = await strict.world.key(await strict.world.organization());
  const { path, body } = await exampleOf('createPaymentIntent');
  const statuses: number[] = [];
  const left: (string | undefined)[] = [];
  for (let calls = 0; calls < 3; calls += 1) {
    const answer = await strict.call('POST', path, { key: fresh, body });
    statuses.push(answer.status);
    left.push(answer.headers['ratelimit']);
    assert.equal(answer.headers['ratelimit-policy'], '"key";q=2;w=20');
    assert.doesNotMatch(Object.keys(answer.headers).join(), /x-ratelimit/i);
  }
  assert.deepEqual(statuses, [201, 200, 429]);
  assert.deepEqual(left, ['"key";r=1;t=10', '"key";r=0;t=20', '"key";r=0;t=20']);
  strict.world.advanceClock(10_000);
  assert.equal((await strict.call('POST', path, { key: fresh, body })).status, 200);
});

test('a method that a path does not take: 405 and the methods it takes', async () => {
  for (const { path } of operations) {
    const here = operations.filter((other) => other.path === path);
    const methods = here.map(({ route }) => route.method);
    const taken = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
    const asked = path.replaceAll(/\{\w+\}/g, 'x');
    for (const method of ['PUT', 'PATCH', 'OPTIONS', 'GET', 'POST', 'DELETE'] as const) {
      if (taken.some((name) => name === method)) continue;
      const answer = await site.call(method, asked, { key });
      assert.equal(refusalOf(answer), '405 MethodNotAllowed', `${method} ${path}`);
      assert.equal(answer.headers['allow'], taken.toSorted().join(', '), `${method} ${path}`);
    }
  }
});

test('every row lists each of its codes once', () => {
  for (const route of routes) {
    const codes = errorCodesOf(route);
    assert.equal(new Set(codes).size, codes.length, route.summary);
  }
});

test('new keys do not add to the limit of creates: a tenant has that of five', async (t) => {
  const strict = await checkedSite(t, { rateLimitPerMinute: 6, rateLimitBurst: 2 });
  const [org, other] = [await strict.world.organization(), await strict.world.organization()];
  const { path, body } = await exampleOf('createPaymentIntent');
  const statuses: number[] = [];
  const left: (string | undefined)[] = [];
  for (let keys = 0; keys < 6; keys += 1) {
    const fresh = await strict.world.key(org);
    for (let calls = 0; calls < 2; calls += 1) {
      const answer = await strict.call('POST', path, { key: fresh, body });
      statuses.push(answer.status);
      left.push(answer.headers['ratelimit']);
    }
  }
  assert.equal(statuses.filter((status) => status === 429).length, 2);
  assert.deepEqual(statuses.slice(-2), [429, 429]);
  assert.deepEqual(left.slice(-3), ['"key";r=0;t=20', '"tenant";r=0;t=20', '"tenant";r=0;t=20']);
  const foreign = await strict.world.key(other);
  assert.equal((await strict.call('POST', path, { key: foreign, body })).status, 201);
  strict.world.advanceClock(2_000);
  const last = await strict.call('POST', path, { key: await strict.world.key(org), body });
  assert.equal(last.status, 200);
});

test('large bodies are limited for a tenant on every route, before they are parsed', async (t) => {
  const strict = await checkedSite(t, { rateLimitPerMinute: 1, rateLimitBurst: 1 });
  const [org, other] = [await strict.world.organization(), await strict.world.organization()];
  // 80 KiB for a limit of one create.
  const large = `{${' '.repeat(40_000)}`;
  const post = async (key: string, path: string, body: unknown) =>
    refusalOf(await strict.call('POST', path, { key, body }));
  for (const [path, refusal] of [
    ['/v1/buyer-kyc', '400 ValidationError'],
    ['/v1/connected-accounts', '400 ValidationError'],
    ['/v1/webhook-subscriptions', '429 LargeBodyLimitExceeded'],
  ] as const) {
    assert.equal(await post(await strict.world.key(org), path, large), refusal, path);
  }
  const key = await strict.world.key(org);
  assert.equal(await post(key, '/v1/buyer-kyc', '{'), '400 ValidationError', 'a small one');
  const foreign = await strict.world.key(other);
  assert.equal(await post(foreign, '/v1/buyer-kyc', large), '400 ValidationError');
});
