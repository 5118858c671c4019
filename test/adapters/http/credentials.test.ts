// What the credentials of a request open, for every row of the table: which are taken, which scope
// is asked for. That nothing of another tenant is there stands in tenants.test.ts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseApiKey } from '../../../core/domain/api-key.js';
import { memberRoles, scopesOf } from '../../../core/domain/member.js';
import { isScope, type Scope, scopes } from '../../../core/domain/scope.js';
import type { Tenant } from '../../../core/domain/tenant.js';
import { revokeKey } from '../../../core/usecases/keys.js';
import { addMember, removeMember } from '../../../core/usecases/members.js';
import { createSession } from '../../../core/usecases/sessions.js';
import { type CheckedSite, refusalOf } from './checked-site.js';
import { eithers, keyed, sessioned, type TableScene, tableScene } from './table-scene.js';

const allScopes = Object.keys(scopes).filter(isScope);

let site: CheckedSite;
let tenant: Tenant;
let key: string;
let own: TableScene['own'];
let liveKey: string;
let exampleOf: TableScene['exampleOf'];
let send: TableScene['send'];

before(async () => {
  const scene = await tableScene();
  ({ site, tenant, key, own, liveKey, exampleOf, send } = scene);
});
after(() => site.close());

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
