// What the route table promises, for every row of it: a new row is covered on arrival.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { errorCodesOf } from '../../../adapters/http/openapi.js';
import type { Auth, Route } from '../../../adapters/http/route-row.js';
import { routes } from '../../../adapters/http/routes.js';
import { noParams } from '../../../adapters/http/schemas.js';
import { parseApiKey } from '../../../core/domain/api-key.js';
import { memberRoles, scopesOf } from '../../../core/domain/member.js';
import { isScope, type Scope, scopes } from '../../../core/domain/scope.js';
import type { Tenant } from '../../../core/domain/tenant.js';
import { revokeKey } from '../../../core/usecases/keys.js';
import { addMember, removeMember } from '../../../core/usecases/members.js';
import { createSession } from '../../../core/usecases/sessions.js';
import {
  type Answer,
  type CallOptions,
  type CheckedSite,
  checkedSite,
  refusalOf,
} from './checked-site.js';
import { type ExampleCall, examples } from './example-calls.js';

const operations = routes.flatMap((route) =>
  Object.entries(route.operations).map(([operationId, path]) => ({ operationId, path, route })),
);
const keyed = operations.filter(({ route }) => route.auth === 'key');
const eithers = operations.filter(({ route }) => route.auth === 'either');
const sessioned = operations.filter(({ route }) => route.auth === 'session');
const withJson = operations.filter(({ route }) => typeof route.body !== 'string');
const allScopes = Object.keys(scopes).filter(isScope);

let site: CheckedSite;
let tenant: Tenant;
let key: string;
let own: Credentials & { readonly session: string };
/** What each kind of row needs and no more. */
let accepted: Readonly<Record<Auth, Credentials>>;
let liveKey: string;
let strangersKey: string;

before(async () => {
  site = await checkedSite();
  tenant = { orgId: await site.world.organization(), mode: 'test' };
  key = await site.world.key(tenant.orgId);
  own = { key, session: await site.world.session(tenant.orgId) };
  const { session } = own;
  const unasked = { partner: {}, signature: {}, none: {} };
  accepted = { key: { key }, session: { session }, either: { session }, ...unasked };
  liveKey = await site.world.key(tenant.orgId, { mode: 'live' });
  strangersKey = await site.world.key(await site.world.organization());
});
after(() => site.close());

test('every operation has an id of its own, a path of its own and an example', () => {
  const ids = operations.map(({ operationId }) => operationId);
  assert.deepEqual(ids.toSorted(), Object.keys(examples).toSorted());
  const places = operations.map(({ path, route }) => `${route.method} ${path}`);
  assert.equal(new Set(places).size, places.length);
});

test('a good call succeeds', async () => {
  for (const { operationId, route } of operations) {
    const example = await exampleOf(operationId);
    const answer = await send(route, example, accepted[route.auth]);
    assert.equal(answer.status, example.status ?? 200, `${operationId}: ${answer.text}`);
  }
});

test('no key, a malformed, an unknown and a revoked one: 401 with the exact code', async () => {
  const revoked = await site.world.key(tenant.orgId);
  await revokeKey(site.world.deps, tenant.orgId, parseApiKey(revoked)?.keyId ?? '');
  for (const { operationId, route } of keyed) {
    const example = await exampleOf(operationId);
    const cases = [
      [{}, 'InvalidApiKey'],
      [{ authorization: 'Bearer abc.def.ghi' }, 'InvalidApiKey'],
      [{ 'x-api-key': 'sk_test_a.b' }, 'InvalidApiKeyFormat'],
      [{ 'x-api-key': `${key} x` }, 'InvalidApiKeyFormat'],
      [{ 'x-api-key': [key, key] }, 'InvalidApiKeyFormat'],
      [{ 'x-api-key': 'pk_test_key_0.secret' }, 'InvalidApiKey'],
      [{ 'x-api-key': `${key}x` }, 'InvalidApiKey'],
      [{ 'x-api-key': key.replace('pk_test_', 'pk_live_') }, 'InvalidApiKey'],
      [{ 'x-api-key': revoked }, 'InvalidApiKey'],
    ] as const;
    for (const [headers, code] of cases) {
      const answer = await send(route, { ...example, headers });
      assert.equal(refusalOf(answer), `401 ${code}`, `${operationId} ${JSON.stringify(headers)}`);
    }
  }
});

test('a key with every scope but that of the row: 403; with this one alone: served', async () => {
  for (const { operationId, route } of keyed) {
    const needed = route.scope;
    assert.notEqual(needed, 'none', `${operationId}: a route for keys asks for a scope`);
    const others = allScopes.filter((scope) => scope !== needed);
    const example = await exampleOf(operationId);
    const without = await site.world.key(tenant.orgId, { scopes: others });
    const refused = await send(route, example, { key: without });
    assert.equal(refusalOf(refused), '403 InsufficientScope', operationId);
    const alone = await site.world.key(tenant.orgId, { scopes: [needed as Scope] });
    const served = await send(route, example, { key: alone });
    assert.equal(served.status, example.status ?? 200, operationId);
  }
});

test('no session, a key alone, a bad token: 401 with the exact code', async () => {
  const removed = { orgId: tenant.orgId, email: 'removed@acme.example' };
  await addMember(site.world.deps, { ...removed, role: 'owner' });
  const { token } = await createSession(site.world.deps, { ...removed, mode: 'test' });
  await removeMember(site.world.deps, removed.orgId, removed.email);
  for (const { operationId, route } of sessioned) {
    const example = await exampleOf(operationId);
    const keyAlone = operationId === 'switchMode' ? '400 ModeSwitchNotAllowed' : '401 Unauthorized';
    const cases = [
      [{}, '401 Unauthorized'],
      [{ authorization: 'Basic YTpi' }, '401 Unauthorized'],
      [{ 'x-api-key': key }, keyAlone],
      [{ 'x-api-key': 'no key at all' }, keyAlone],
      [{ 'x-api-key': key, authorization: 'Basic YTpi' }, keyAlone],
      [{ 'x-api-key': key, authorization: 'Bearer abc.def.ghi' }, '401 InvalidToken'],
      [{ authorization: 'Bearer' }, '401 InvalidToken'],
      [{ authorization: `Bearer ${key}` }, '401 InvalidToken'],
      [{ authorization: `Bearer ${own.session}x` }, '401 InvalidToken'],
      [{ authorization: `Bearer ${token}` }, '401 InvalidToken'],
    ] as const;
    for (const [headers, refusal] of cases) {
      const answer = await send(route, { ...example, headers });
      assert.equal(refusalOf(answer), refusal, `${operationId} ${JSON.stringify(headers)}`);
    }
  }
});

test('a row for either is served by a key and by a session; without one: 401', async () => {
  assert.ok(eithers.length > 0);
  for (const { operationId, route } of eithers) {
    for (const credentials of [{ key }, { session: own.session }, own]) {
      const example = await exampleOf(operationId);
      const answer = await send(route, example, credentials);
      assert.equal(answer.status, example.status ?? 200, `${operationId}: ${answer.text}`);
    }
    const example = await exampleOf(operationId);
    const cases = [
      [{}, 'Unauthorized'],
      [{ authorization: 'Bearer abc.def.ghi' }, 'InvalidToken'],
      [{ 'x-api-key': `${key}x` }, 'InvalidApiKey'],
      [
        { 'x-api-key': 'sk_test_a.b', authorization: `Bearer ${own.session}` },
        'InvalidApiKeyFormat',
      ],
    ] as const;
    for (const [headers, code] of cases) {
      const answer = await send(route, { ...example, headers });
      assert.equal(refusalOf(answer), `401 ${code}`, `${operationId} ${JSON.stringify(headers)}`);
    }
  }
});

test('a session may do what the role of its member may, on every row', async () => {
  for (const { operationId, route } of sessioned) {
    for (const role of memberRoles) {
      const session = await site.world.session(tenant.orgId, { role });
      const example = await exampleOf(operationId);
      const answer = await send(route, example, { session });
      const may = route.scope === 'none' || scopesOf(role).includes(route.scope);
      if (may) assert.equal(answer.status, example.status ?? 200, `${operationId} ${role}`);
      else assert.equal(refusalOf(answer), '403 InsufficientScope', `${operationId} ${role}`);
    }
  }
});

test('what a session of another organization names is not there', async () => {
  const session = await site.world.session(await site.world.organization());
  for (const { operationId, route, path } of sessioned) {
    if (route.params === noParams) continue;
    const example = await exampleOf(operationId);
    const nobodys = path.replace('{id}', 'nobody');
    for (const [other, used] of [
      [example.path, session],
      [nobodys, own.session],
    ] as const) {
      const answer = await send(route, { ...example, path: other }, { session: used });
      assert.equal(refusalOf(answer), '404 NotFound', `${operationId} ${other}`);
    }
  }
});

test('the ids of another tenant, of the other mode, or of nobody: 404, never 403', async () => {
  for (const { operationId, route, path } of [...keyed, ...eithers]) {
    if (route.params === noParams) continue;
    const example = await exampleOf(operationId);
    const nobodys = withIds(path, 'ext_nobody', 'whd_nobody');
    const emptyId = withIds(path, '', '');
    for (const [other, used] of [
      [example.path, strangersKey],
      [example.path, liveKey],
      [nobodys, key],
      [emptyId, key],
    ] as const) {
      const answer = await send(route, { ...example, path: other }, { key: used });
      assert.equal(refusalOf(answer), '404 NotFound', `${operationId} ${other}`);
    }
  }
});

test('an id with NUL is refused; one wrongly encoded or endless is not found', async () => {
  for (const { operationId, route, path } of [...keyed, ...eithers]) {
    if (route.params === noParams) continue;
    const example = await exampleOf(operationId);
    for (const [id, refusal] of [
      ['a%00b', '400 ValidationError'],
      ['a%', '404 NotFound'],
      ['%C3%28', '404 NotFound'],
      ['%E0%A4%A', '404 NotFound'],
      ['a'.repeat(2_000), '404 NotFound'],
    ] as const) {
      const asked = withIds(path, id, 'whd_1');
      const answer = await send(route, { ...example, path: asked }, { key });
      assert.equal(refusalOf(answer), refusal, `${operationId} ${id.slice(0, 10)}`);
    }
  }
});

test('a row for test mode does not exist for a live key', async () => {
  const rows = keyed.filter(({ route }) => route.modes === 'test');
  assert.ok(rows.length > 0);
  for (const { operationId, route } of rows) {
    const example = await exampleOf(operationId);
    for (const body of [example.body, '{']) {
      const answer = await send(route, { ...example, body }, { key: liveKey });
      assert.equal(refusalOf(answer), '404 NotFound', operationId);
    }
  }
});

test('a body that is not declared as JSON in UTF-8: 415, an empty one too', async () => {
  for (const { operationId, route } of withJson) {
    const example = await exampleOf(operationId);
    const empty = await send(route, { path: example.path, body: '' }, own, null);
    assert.equal(refusalOf(empty), '415 UnsupportedMediaType', operationId);
    const types = [
      ...[null, 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'],
      ...['application/json; charset=latin1', 'application/vnd.api+json', 'application/json,x/y'],
    ];
    for (const type of types) {
      const answer = await send(route, example, own, type);
      assert.equal(refusalOf(answer), '415 UnsupportedMediaType', `${operationId} ${type}`);
    }
    const packed = { ...example, headers: { 'content-encoding': 'gzip' } };
    assert.equal(refusalOf(await send(route, packed, own)), '415 UnsupportedMediaType');
  }
});

test('content types that say JSON in UTF-8 are taken', async () => {
  for (const type of [
    ...['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json;charset="UTF-8"'],
    ...[
      'application/json ; profile=x',
      'application/json;',
      'application/json; charset=utf-8; a=b',
    ],
  ]) {
    const row = routes.find(({ operations: { createPaymentIntent } }) => createPaymentIntent);
    const example = await exampleOf('createPaymentIntent');
    assert.equal((await send(row as Route, example, own, type)).status, 201, type);
  }
});

test('a broken body: 400, whatever is broken', async () => {
  const cases = [
    ['{"a":', 'body'],
    ['[]', 'body'],
    ['"text"', 'body'],
    ['null', 'body'],
    ['1', 'body'],
    ['\ufeff{}', 'body'],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'body'],
    ['{"a\\u0000":1}', 'body'],
    ['{"note":"a\\u0000"}', 'note'],
    ['{"note":{"deep":["\\ud800"]}}', 'note'],
    ['{"note":{"\\udfff":1}}', 'note'],
  ] as const;
  for (const { operationId, route } of withJson) {
    const { path } = await exampleOf(operationId);
    for (const [body, named] of cases) {
      const answer = await send(route, { path, body }, own);
      assert.equal(refusalOf(answer), '400 ValidationError', `${operationId} ${body}`);
      assert.ok(String(answer.body['message']).startsWith(`${named}: `), answer.text);
    }
  }
});

test('a body above 256 KiB: 413', async () => {
  const large = JSON.stringify({ filling: 'x'.repeat(256 * 1024) });
  for (const { operationId, route } of operations.filter(
    ({ route: { body } }) => body !== 'none' && body !== 'stream',
  )) {
    const { path, headers } = await exampleOf(operationId);
    const call = { path, body: large, ...(headers === undefined ? {} : { headers }) };
    const answer = await send(route, call, own);
    assert.equal(refusalOf(answer), '413 PayloadTooLarge', operationId);
    assert.equal(answer.headers['connection'], 'close', operationId);
  }
});

test('a repeat with the same Idempotency-Key answers with the same resource', async () => {
  for (const { operationId, route } of operations) {
    if (route.idempotency === 'none') continue;
    const headers = { 'idempotency-key': `key of ${operationId}` };
    const first = await send(route, { ...(await exampleOf(operationId)), headers }, { key });
    const other = await send(route, { ...(await exampleOf(operationId)), headers }, { key });
    assert.equal(other.status, 200, operationId);
    assert.equal(other.headers['idempotent-replayed'], 'true', operationId);
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
    // A key of another surface is no new one: each row has an organization of its own.
    const home: Tenant = { orgId: await site.world.organization(), mode: 'test' };
    const fresh = await site.world.key(home.orgId);
    for (const value of ['a', 'a, b', '~'.repeat(255)]) {
      const headers = { 'idempotency-key': `${value}` };
      const call = { ...(await exampleOf(operationId, home)), headers };
      const answer = await send(route, call, { key: fresh });
      assert.ok(answer.status < 300, `${operationId} ${value}`);
    }
  }
});

test('rows with a rate limit refuse with 429 and say when to come back; others go on', async () => {
  const strict = await checkedSite({ rateLimitPerMinute: 6, rateLimitBurst: 1 });
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
    assert.equal(statuses.includes('429'), route.rateLimit === 'create', operationId);
  }
  await strict.close();
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

test('every row tells each of its codes once', () => {
  for (const route of routes) {
    const codes = errorCodesOf(route);
    assert.equal(new Set(codes).size, codes.length, route.summary);
  }
});

type Credentials = Pick<CallOptions, 'key' | 'session'>;

function withIds(path: string, id: string, deliveryId: string): string {
  return path.replace(/\{(id|buyerId)\}/, id).replace('{deliveryId}', deliveryId);
}

function exampleOf(operationId: string, home: Tenant = tenant): Promise<ExampleCall> {
  const example = examples[operationId];
  assert.ok(example !== undefined, `${operationId} has an example`);
  return example(site.world, home);
}

function send(
  route: Route,
  example: ExampleCall,
  { key: used, session }: Credentials = {},
  contentType?: string | null,
): Promise<Answer> {
  const headers = {
    ...example.headers,
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
  };
  const call = {
    ...{ ...example, headers },
    ...(used === undefined ? {} : { key: used }),
    ...(session === undefined ? {} : { session }),
  };
  return site.call(route.method, example.path, call);
}
