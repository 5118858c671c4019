// API keys: who is let in, what a key may do, and that its use is noted off the request's way.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { OPERATOR } from '../../../../core/domain/access/api-key.js';
import { MINUTE_MS } from '../../../../core/domain/base/instant.js';
import type { Deps } from '../../../../core/ports/deps.js';
import type { Store } from '../../../../core/ports/storage.js';
import {
  authenticateKey,
  createKey,
  flushKeyUse,
  KEYS_MAX,
  listKeys,
  REVOKED_LISTED_MAX,
  requireScope,
  revokeKey,
} from '../../../../core/usecases/access/keys.js';
import { type World, world } from '../../../support/scenes/test-world.js';
import { suiteEnd } from '../../../support/suite-end.js';

let made: World;
let deps: Deps;
let orgId: string;
const suite = suiteEnd();

before(async () => {
  made = await world(suite);
  deps = made.deps;
  orgId = await made.organization();
});

const everything = { mode: 'test', createdBy: OPERATOR, name: 'erp', scopes: [] } as const;

test('a key authenticates its organization, mode and scopes', async () => {
  const scopes = ['webhooks:read', 'invoices:write'] as const;
  for (const mode of ['test', 'live'] as const) {
    const { key, secret } = await createKey(deps, { ...everything, orgId, mode, scopes });
    assert.match(secret, new RegExp(`^pk_${mode}_${key.id}\\.`));
    const actor = { orgId, mode, keyId: key.id, createdByMemberId: null, scopes };
    assert.deepEqual(await authenticateKey(deps, secret), actor);
  }
});

test('a member answers for what its live keys create; an operator for nothing', async () => {
  for (const [mode, createdBy, accountable] of [
    ['live', 'mem_1', 'mem_1'],
    ['live', OPERATOR, null],
    ['test', 'mem_1', null],
  ] as const) {
    const { key, secret } = await createKey(deps, { ...everything, orgId, mode, createdBy });
    assert.equal(key.createdBy, createdBy);
    const { createdByMemberId } = await authenticateKey(deps, secret);
    assert.equal(createdByMemberId, accountable, `${mode} ${createdBy}`);
  }
});

describe('what is not a usable key is refused by its reason', () => {
  const cases = {
    'no header': ['InvalidApiKey', () => undefined],
    'an empty header': ['InvalidApiKey', () => ''],
    'no key at all': ['InvalidApiKeyFormat', () => 'secret'],
    'another prefix': ['InvalidApiKeyFormat', (text: string) => text.replace('pk_test', 'pk_prod')],
    'no secret': ['InvalidApiKeyFormat', (text: string) => text.split('.')[0]],
    'a blank inside': ['InvalidApiKeyFormat', (text: string) => text.replace('.', '. ')],
    'an unknown id': ['InvalidApiKey', (text: string) => text.replace('.', 'x.')],
    'a wrong secret': ['InvalidApiKey', (text: string) => `${text}x`],
    'a wrong secret of the same length': [
      'InvalidApiKey',
      (text: string) => `${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`,
    ],
    'the other mode': ['InvalidApiKey', (text: string) => text.replace('pk_test', 'pk_live')],
  } as const;
  for (const [name, [code, change]] of Object.entries(cases)) {
    test(`${name}: ${code}`, async () => {
      const { secret } = await createKey(deps, { ...everything, orgId });
      await assert.rejects(authenticateKey(deps, change(secret)), { code });
      await authenticateKey(deps, secret);
      await assert.rejects(authenticateKey(deps, change(secret)), { code }, 'after the right key');
    });
  }
});

test('a revoked key is refused on the very next request, and for ever', async () => {
  const { key, secret } = await createKey(deps, { ...everything, orgId });
  await authenticateKey(deps, secret);
  const revoked = await revokeKey(deps, orgId, key.id);
  await assert.rejects(authenticateKey(deps, secret), { code: 'InvalidApiKey' });
  made.advanceClock(1);
  const again = await revokeKey(deps, null, key.id);
  assert.equal(again.revokedAtMs, revoked.revokedAtMs, 'revoked once');
});

test('a key without scopes may do everything, one with scopes only these', async () => {
  const actor = { orgId, mode: 'test', keyId: 'key_1' } as const;
  requireScope({ ...actor, scopes: [] }, 'webhooks:write');
  requireScope({ ...actor, scopes: ['webhooks:write'] }, 'webhooks:write');
  assert.throws(() => requireScope({ ...actor, scopes: ['webhooks:read'] }, 'webhooks:write'), {
    code: 'InsufficientScope',
  });
});

test('the secret is not stored, and scopes named twice are kept once', async () => {
  const scopes = ['webhooks:read', 'webhooks:read'];
  const { key, secret } = await createKey(deps, { ...everything, orgId, scopes });
  const stored = await deps.store.run((tx) => tx.keys.get(key.id));
  assert.deepEqual(stored, key);
  assert.deepEqual(key.scopes, ['webhooks:read']);
  const secretPart = secret.split('.')[1] ?? '';
  assert.doesNotMatch(JSON.stringify(stored), new RegExp(secretPart));
});

describe('a key that cannot be made is refused', () => {
  const cases = {
    'a scope that does not exist': ['ValidationError', { scopes: ['payments:all'] }],
    'an empty name': ['ValidationError', { name: ' ' }],
    'an overlong name': ['ValidationError', { name: 'a'.repeat(201) }],
    'a name that databases do not keep': ['ValidationError', { name: 'a\0b' }],
    'an unknown organization': ['NotFound', { orgId: 'org_0' }],
  } as const;
  for (const [name, [code, change]] of Object.entries(cases)) {
    test(name, async () => {
      const created = createKey(deps, { ...everything, orgId, ...change });
      await assert.rejects(created, { code });
    });
  }
});

test('an organization has so many active keys in a mode; revoked ones do not count', async () => {
  const full = await made.organization();
  const created = [];
  for (let count = 0; count < KEYS_MAX; count += 1) {
    created.push(await createKey(deps, { ...everything, orgId: full }));
  }
  const another = { ...everything, orgId: full };
  await assert.rejects(createKey(deps, another), { code: 'ValidationError' });
  await createKey(deps, { ...another, mode: 'live' });
  await revokeKey(deps, full, created[0]!.key.id);
  await createKey(deps, another);
});

test('creates that race pass the limit by none', async () => {
  const full = await made.organization();
  const another = { ...everything, orgId: full };
  for (let count = 0; count < 60; count += 1) await createKey(deps, another);
  await Promise.allSettled(Array.from({ length: 80 }, () => createKey(deps, another)));
  assert.ok((await listKeys(deps, full)).length <= KEYS_MAX);
  // Some creates lose every race and are refused as transient; the loop uses up the rest.
  while ((await Promise.allSettled([createKey(deps, another)]))[0]?.status === 'fulfilled');
  assert.equal((await listKeys(deps, full)).length, KEYS_MAX);
  await assert.rejects(createKey(deps, another), { code: 'ValidationError' });
});

test('a list has every active key and the newest revoked ones', async () => {
  const own = await made.organization();
  const { key: oldest } = await createKey(deps, { ...everything, orgId: own });
  const revoked: string[] = [];
  for (let count = 0; count < REVOKED_LISTED_MAX + 3; count += 1) {
    made.advanceClock(1);
    const mode = count % 2 === 0 ? 'test' : 'live';
    const { key } = await createKey(deps, { ...everything, orgId: own, mode });
    await revokeKey(deps, own, key.id);
    revoked.push(key.id);
  }
  const listed = (await listKeys(deps, own)).map(({ id }) => id);
  assert.deepEqual(listed, [...revoked.slice(3).reverse(), oldest.id]);
});

test('a list holds the keys of both modes of one organization, revoked ones too', async () => {
  const own = await made.organization();
  const test1 = await createKey(deps, { ...everything, orgId: own });
  const live1 = await createKey(deps, { ...everything, orgId: own, mode: 'live' });
  const revoked = await revokeKey(deps, own, test1.key.id);
  const listed = await listKeys(deps, own);
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  assert.deepEqual(
    listed.map(({ id, mode, revokedAtMs }) => ({ id, mode, revokedAtMs })).toSorted(byId),
    [
      { id: revoked.id, mode: 'test', revokedAtMs: revoked.revokedAtMs },
      { id: live1.key.id, mode: 'live', revokedAtMs: null },
    ].toSorted(byId),
  );
  await assert.rejects(listKeys(deps, 'org_0'), { code: 'NotFound' });
});

test('a key of another organization is not found, and stays', async () => {
  const { key, secret } = await createKey(deps, { ...everything, orgId });
  await assert.rejects(revokeKey(deps, await made.organization(), key.id), { code: 'NotFound' });
  await assert.rejects(revokeKey(deps, null, 'key_0'), { code: 'NotFound' });
  await authenticateKey(deps, secret);
});

describe('when a key was last used', () => {
  const flush = () => flushKeyUse(deps, deps.clock.nowMs(), 100);
  const lastUsed = async (keyId: string) =>
    (await deps.store.run((tx) => tx.keys.get(keyId)))?.lastUsedAtMs;

  test('is noted by a request and stored by the worker', async () => {
    const { key, secret } = await createKey(deps, { ...everything, orgId });
    await flush();
    await authenticateKey(deps, secret);
    assert.deepEqual([await lastUsed(key.id), await flush()], [null, 1]);
    assert.equal(await lastUsed(key.id), deps.clock.nowMs());
    assert.equal(await flush(), 0);
  });

  test('is stored at most once a minute', async () => {
    const { key, secret } = await createKey(deps, { ...everything, orgId });
    await authenticateKey(deps, secret);
    await flush();
    const firstMs = await lastUsed(key.id);
    made.advanceClock(MINUTE_MS - 1);
    await authenticateKey(deps, secret);
    assert.equal(await flush(), 0);
    assert.equal(await lastUsed(key.id), firstMs);
    made.advanceClock(1);
    await authenticateKey(deps, secret);
    assert.equal(await flush(), 1);
    assert.equal(await lastUsed(key.id), deps.clock.nowMs());
  });

  test('is stored so many keys at a time', async () => {
    const made = [];
    for (let count = 0; count < 3; count += 1) {
      made.push(await createKey(deps, { ...everything, orgId }));
    }
    for (const { secret } of made) await authenticateKey(deps, secret);
    assert.deepEqual([await flushKeyUse(deps, 0, 2), await flushKeyUse(deps, 0, 2)], [2, 1]);
    for (const { key } of made) assert.equal(await lastUsed(key.id), deps.clock.nowMs());
  });

  test('is stored in the order of the keys, not of their use', async () => {
    const made = [
      await createKey(deps, { ...everything, orgId }),
      await createKey(deps, { ...everything, orgId }),
    ].toSorted((a, b) => (a.key.id < b.key.id ? 1 : -1));
    const touched: string[] = [];
    const store: Store = {
      ...deps.store,
      run: (work) =>
        deps.store.run((tx) => {
          const touch = (keyId: string) => touched.push(keyId);
          const keys = Object.create(tx.keys, { touch: { value: touch } });
          return work(Object.create(tx, { keys: { value: keys } }));
        }),
    };
    const watched = { ...deps, store };
    for (const { secret } of made) await authenticateKey(watched, secret);
    assert.equal(await flushKeyUse(watched, 0, 100), 2);
    assert.deepEqual(touched, made.map(({ key }) => key.id).toReversed());
  });

  test('is not noted for a refused key', async () => {
    const { secret } = await createKey(deps, { ...everything, orgId });
    await assert.rejects(authenticateKey(deps, `${secret}x`));
    assert.equal(await flush(), 0);
  });
});
