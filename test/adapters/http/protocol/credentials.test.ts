// What the credentials of a request open, for every row of the table: which are taken, which scope
// is asked for. Isolation of tenants is in tenants.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseApiKey } from '../../../../core/domain/access/api-key.js';
import { memberRoles, scopesOf } from '../../../../core/domain/access/member.js';
import type { Scope } from '../../../../core/domain/access/scope.js';
import { revokeKey } from '../../../../core/usecases/access/keys.js';
import { removeMember } from '../../../../core/usecases/access/members.js';
import { createSession } from '../../../../core/usecases/access/sessions.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { refusalOf } from '../checked-site.js';
import { newInvoice, newPayment } from '../docs/example-calls.js';
import {
  eithers,
  keyed,
  otherScopes,
  readByApprovers,
  scopesNeeded,
  sessioned,
  tableScene,
  withIds,
} from '../table-scene.js';

const suite = suiteEnd();
const scene = await tableScene(suite);
const { site, tenant, key, own, liveKey, exampleOf, send } = scene;

const keysMade = new Map<string, Promise<string>>();

/** A key of the tenant with these scopes, made once: an organization has a hundred at most. */
function keyWith(scopes: readonly Scope[]): Promise<string> {
  const known = keysMade.get(`${scopes}`) ?? site.world.key(tenant.orgId, { scopes });
  keysMade.set(`${scopes}`, known);
  return known;
}

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

test('a key with every scope but those of the row: 403; with one of them alone: served', async () => {
  for (const { operationId, route } of [...keyed, ...readByApprovers, ...eithers]) {
    const first = await exampleOf(operationId);
    const needed = scopesNeeded(route, first);
    const isAboutItself = operationId === 'readCredential';
    assert.equal(needed.length === 0, isAboutItself, `${operationId}: keys need a scope`);
    if (isAboutItself) continue;
    const without = await keyWith(otherScopes(needed));
    for (const body of [first.body, '{']) {
      const refused = await send(route, { ...first, body }, { key: without });
      assert.equal(refusalOf(refused), '403 InsufficientScope', operationId);
    }
    for (const scope of needed) {
      const example = await exampleOf(operationId);
      const alone = await keyWith([scope]);
      const served = await send(route, example, { key: alone });
      // The Idempotency-Key of the example made an intent.
      const isHidden = operationId === 'readIdempotencyKey' && scope === 'invoices:read';
      const status = isHidden ? 404 : (example.status ?? 200);
      assert.equal(served.status, status, `${operationId} ${scope}`);
    }
  }
});

/** What each kind of payment is guarded by, and how one is made. */
const guards = [
  ['payment_intent', ['payment_intents:read', 'payment_intents:write'], newPayment],
  ['invoice', ['invoices:read', 'invoices:write'], newInvoice],
] as const;

test('the scope follows the origin of the payment, not the path', async () => {
  const served: string[] = [];
  for (const { operationId, route, path } of [...keyed, ...readByApprovers].filter(({ path }) =>
    path.includes('{id}'),
  )) {
    for (const [origin, guarded, create] of guards) {
      const lacking = await keyWith(otherScopes(guarded));
      const holding = await keyWith(guarded);
      const example = await exampleOf(operationId);
      const { payment } = await create(site.world, tenant);
      const call = { ...example, path: withIds(path, payment.id, 'whd_1') };
      const refused = await send(route, call, { key: lacking });
      assert.ok([403, 404].includes(refused.status), `${operationId} ${origin}: ${refused.text}`);
      const answer = await send(route, call, { key: holding });
      if (answer.status < 300) served.push(`${operationId} ${origin}`);
    }
  }
  assert.deepEqual(served.toSorted(), [
    'advanceTestPayment invoice',
    'advanceTestPayment payment_intent',
    'cancelInvoice invoice',
    'cancelPayment invoice',
    'cancelPayment payment_intent',
    'cancelPaymentIntent payment_intent',
    'inviteInvoiceBuyer invoice',
    'readInvoice invoice',
    'readPayment invoice',
    'readPayment payment_intent',
    'readPaymentIntent payment_intent',
    'readPaymentTimeline invoice',
    'readPaymentTimeline payment_intent',
    'setPaymentFiscalDocument invoice',
    'setPaymentFiscalDocument payment_intent',
  ]);
});

test('no session, a key alone, a bad token: 401 with the exact code', async () => {
  const removed = { orgId: tenant.orgId, email: 'removed@acme.example' };
  await addActiveMember(site.world.deps, { ...removed, role: 'owner' });
  const { token } = await createSession(site.world.deps, { ...removed, mode: 'test' });
  await removeMember(site.world.deps, removed.orgId, removed.email);
  const keyAsToken = { authorization: `Bearer ${key}` };
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
      [keyAsToken, '401 InvalidToken'],
      [{ authorization: `Bearer ${own.session}x` }, '401 InvalidToken'],
      [{ authorization: `Bearer ${token}` }, '401 InvalidToken'],
    ] as const;
    for (const [headers, refusal] of cases) {
      const answer = await send(route, { ...example, headers });
      assert.equal(refusalOf(answer), refusal, `${operationId} ${JSON.stringify(headers)}`);
      const isKey = headers === keyAsToken;
      assert.equal(/is an API key/.test(String(answer.body['message'])), isKey, operationId);
    }
  }
});

test('a session may do what the role of its member may, on every row', async () => {
  for (const { operationId, route } of [...sessioned, ...readByApprovers, ...eithers]) {
    for (const role of memberRoles) {
      const session = await site.world.session(tenant.orgId, { role });
      const example = await exampleOf(operationId);
      const answer = await send(route, example, { session });
      const needed = scopesNeeded(route, example);
      const may = needed.length === 0 || needed.some((scope) => scopesOf(role).includes(scope));
      if (may) assert.equal(answer.status, example.status ?? 200, `${operationId} ${role}`);
      else assert.equal(refusalOf(answer), '403 InsufficientScope', `${operationId} ${role}`);
    }
  }
});

test('a row for test mode does not exist for a live key', async () => {
  const rows = keyed.filter(({ route }) => route.access.modes === 'test');
  assert.ok(rows.length > 0);
  for (const { operationId, route } of rows) {
    const example = await exampleOf(operationId);
    for (const body of [example.body, '{']) {
      const answer = await send(route, { ...example, body }, { key: liveKey });
      assert.equal(refusalOf(answer), '404 NotFound', operationId);
    }
  }
});
