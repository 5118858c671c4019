// API keys: who is let in, what a key may do, and that its use is noted off the request's way.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { issueApiKey, KEY_REPORT_MS } from '../../../../core/domain/access/api-key.js';
import type { ScopeRule } from '../../../../core/domain/access/scope.js';
import { developmentOperator } from '../../../../core/domain/base/actor.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import type { Store } from '../../../../core/ports/storage.js';
import {
  authenticateKey,
  createKey,
  flushKeyUse,
  KEYS_MAX,
  listKeys,
  noteScopes,
  REVOKED_LISTED_MAX,
  reportKeys,
  requireScope,
  revokeKey,
  rollKey,
  unlimitedKey,
} from '../../../../core/usecases/access/keys.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import { world } from '../../../support/scenes/test-world.js';
import { suiteEnd } from '../../../support/suite-end.js';

const made = await world(suiteEnd());
const deps = made.deps;
const orgId = await made.organization();

const everything = {
  ...unlimitedKey,
  mode: 'test',
  createdBy: developmentOperator.id,
  name: 'erp',
} as const;

test('a key authenticates its organization, mode and scopes', async () => {
  const scopes = ['webhooks:read', 'invoices:write'] as const;
  for (const mode of ['test', 'live'] as const) {
    const { key, secret } = await createKey(deps, { ...everything, orgId, mode, scopes });
    assert.match(secret, new RegExp(`^pk_${mode}_${key.id}\\.`));
    const nobodys = { createdByMemberId: null, operatorId: null, usedScopes: [] };
    const actor = { orgId, mode, keyId: key.id, ...nobodys, scopes };
    assert.deepEqual(await authenticateKey(deps, secret), actor);
  }
});

test('a member answers for what its live keys create; an operator for nothing', async () => {
  const member = await addActiveMember(deps, { orgId, email: 'maker@acme.example', role: 'admin' });
  for (const [mode, createdBy, accountable] of [
    ['live', member.id, member.id],
    ['live', developmentOperator.id, null],
    ['test', member.id, null],
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

test('a revocation does not depend on the clock of the host that is asked', async () => {
  const { key, secret } = await createKey(deps, { ...everything, orgId });
  const clock = { ...deps.clock, nowMs: () => deps.clock.nowMs() - HOUR_MS };
  const behind = { ...deps, clock };
  await authenticateKey(behind, secret);
  await revokeKey(deps, orgId, key.id);
  await assert.rejects(authenticateKey(behind, secret), { code: 'InvalidApiKey' });
  const rolled = await createKey(deps, { ...everything, orgId });
  await rollKey(deps, orgId, rolled.key.id, { createdBy: developmentOperator.id, overlapHours: 0 });
  await assert.rejects(authenticateKey(behind, rolled.secret), { code: 'InvalidApiKey' });
});

test('an expired key is refused, and leaves its slot to the next key', async () => {
  const own = await made.organization();
  const expiresAtMs = deps.clock.nowMs() + MINUTE_MS;
  const input = { ...everything, orgId: own, expiresAtMs };
  const { key, secret } = await createKey(deps, input);
  await authenticateKey(deps, secret);
  made.advanceClock(MINUTE_MS);
  await assert.rejects(authenticateKey(deps, secret), { code: 'InvalidApiKey' });
  await assert.rejects(createKey(deps, input), { code: 'ValidationError', message: /future/ });
  await createKey(deps, { ...everything, orgId: own });
  const expired = (await listKeys(deps, own)).find(({ id }) => id === key.id);
  assert.equal(expired?.revokedAtMs, expiresAtMs);
});

test('a key with networks is refused from elsewhere, also where no address is known', async () => {
  const networks = ['203.0.113.0/24', '2001:db8::/32'];
  const { secret } = await createKey(deps, { ...everything, orgId, networks });
  const asked: (readonly string[])[] = [];
  const comesFrom = (isInside: boolean) => (within: readonly string[]) => {
    asked.push(within);
    return isInside;
  };
  const refused = { code: 'InvalidApiKey', message: /from this address/ };
  await assert.rejects(authenticateKey(deps, secret, comesFrom(false)), refused);
  await assert.rejects(authenticateKey(deps, secret), refused);
  await authenticateKey(deps, secret, comesFrom(true));
  assert.deepEqual(asked, [networks, networks]);
  const [prefix] = secret.split('.');
  const guessed = authenticateKey(deps, `${prefix}.${'A'.repeat(43)}`, comesFrom(false));
  await assert.rejects(guessed, { message: /missing, unknown, expired or revoked/ });
});

test('a mistyped key is refused without a look-up', async () => {
  const { secret } = await createKey(deps, { ...everything, orgId });
  const store: Store = {
    ...deps.store,
    run: () => assert.fail('nothing is read'),
  };
  const typed = `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`;
  await assert.rejects(authenticateKey({ ...deps, store }, typed), { code: 'InvalidApiKey' });
});

describe('a key that is rolled', () => {
  const by = { createdBy: developmentOperator.id, overlapHours: 2 } as const;

  test('stays valid for the overlap, beside another one with its rights', async () => {
    const own = await made.organization();
    const granted = { scopes: ['invoices:read'], networks: ['203.0.113.9'] } as const;
    const lifeMs = 90 * DAY_MS;
    const expiresAtMs = deps.clock.nowMs() + lifeMs;
    const old = await createKey(deps, { ...everything, ...granted, orgId: own, expiresAtMs });
    made.advanceClock(DAY_MS);
    const inside = () => true;
    const rolled = await rollKey(deps, own, old.key.id, by);
    const { id, name, mode, scopes, networks } = rolled.key;
    assert.notEqual(id, old.key.id);
    assert.deepEqual({ name, mode, scopes, networks }, { name: 'erp', mode: 'test', ...granted });
    assert.equal(rolled.key.expiresAtMs, deps.clock.nowMs() + lifeMs);
    for (const { secret } of [old, rolled]) await authenticateKey(deps, secret, inside);
    made.advanceClock(2 * HOUR_MS);
    await authenticateKey(deps, rolled.secret, inside);
    const over = authenticateKey(deps, old.secret, inside);
    await assert.rejects(over, { code: 'InvalidApiKey' });
  });

  test('is listed during the overlap, however many keys were revoked since', async () => {
    const own = await made.organization();
    const old = await createKey(deps, { ...everything, orgId: own });
    await rollKey(deps, own, old.key.id, by);
    for (let revoked = 0; revoked <= REVOKED_LISTED_MAX; revoked += 1) {
      const { key } = await createKey(deps, { ...everything, orgId: own });
      await revokeKey(deps, own, key.id);
    }
    await authenticateKey(deps, old.secret);
    assert.ok((await listKeys(deps, own)).some(({ id }) => id === old.key.id));
  });

  test('gives its slot to the other one: a full organization rolls its keys', async () => {
    const own = await made.organization();
    const input = { ...everything, orgId: own };
    const { key } = await createKey(deps, input);
    for (let made = 1; made < KEYS_MAX; made += 1) await createKey(deps, input);
    for (const overlapHours of [0, 1]) {
      const last = (await listKeys(deps, own)).find(({ slot }) => slot === key.slot);
      await rollKey(deps, own, last?.id ?? '', { ...by, overlapHours });
    }
    await assert.rejects(createKey(deps, input), { code: 'ValidationError' });
  });

  test('has an overlap of whole hours, a week at most', async () => {
    const { key } = await createKey(deps, { ...everything, orgId });
    for (const overlapHours of [-1, 0.5, 169, Number.NaN]) {
      const refused = { code: 'ValidationError', message: /0 to 168/ };
      await assert.rejects(rollKey(deps, orgId, key.id, { ...by, overlapHours }), refused);
    }
  });

  test('ends at its own end, before that of the overlap', async () => {
    const expiresAtMs = deps.clock.nowMs() + HOUR_MS;
    const { key, secret } = await createKey(deps, { ...everything, orgId, expiresAtMs });
    await rollKey(deps, orgId, key.id, by);
    made.advanceClock(HOUR_MS);
    await assert.rejects(authenticateKey(deps, secret), { code: 'InvalidApiKey' });
  });

  test('ends at once without an overlap, or when it is revoked in it', async () => {
    for (const overlapHours of [0, 1]) {
      const { key, secret } = await createKey(deps, { ...everything, orgId });
      await rollKey(deps, null, key.id, { ...by, overlapHours });
      if (overlapHours > 0) await revokeKey(deps, orgId, key.id);
      await assert.rejects(authenticateKey(deps, secret), { code: 'InvalidApiKey' });
    }
  });

  test('is not rolled again, nor one that is revoked, expired or foreign', async () => {
    const own = await made.organization();
    const expiresAtMs = deps.clock.nowMs() + 1;
    const expired = await createKey(deps, { ...everything, orgId: own, expiresAtMs });
    const [rolled, revoked] = [
      await createKey(deps, { ...everything, orgId: own }),
      await createKey(deps, { ...everything, orgId: own }),
    ];
    await rollKey(deps, own, rolled.key.id, by);
    await revokeKey(deps, own, revoked.key.id);
    made.advanceClock(1);
    for (const { key } of [rolled, revoked, expired]) {
      await assert.rejects(rollKey(deps, own, key.id, by), { code: 'ValidationError' });
    }
    await assert.rejects(rollKey(deps, orgId, rolled.key.id, by), { code: 'NotFound' });
  });
});

test('a key without scopes may do everything, one with scopes only these', async () => {
  const actor = { orgId, mode: 'test', keyId: 'key_1' } as const;
  assert.deepEqual(requireScope({ ...actor, scopes: [] }, 'webhooks:write'), ['webhooks:write']);
  assert.deepEqual(requireScope({ ...actor, scopes: [] }, 'none'), []);
  requireScope({ ...actor, scopes: ['webhooks:write'] }, 'webhooks:write');
  assert.throws(() => requireScope({ ...actor, scopes: ['webhooks:read'] }, 'webhooks:write'), {
    code: 'InsufficientScope',
  });
});

test('a key keeps a scope that was part of another one, and one that replaces it does, too', async () => {
  const scopes = ['connected_accounts:write'] as const;
  const { key, secret } = await createKey(deps, { ...everything, orgId, scopes });
  assert.deepEqual((await authenticateKey(deps, secret)).scopes, scopes, 'not by itself');
  const { text, salt, secretHash } = issueApiKey({
    mode: 'test',
    keyId: 'key_kept',
    secretBytes: new Uint8Array(32).fill(3),
    saltBytes: new Uint8Array(16),
  });
  const keptScopes = ['payouts:write'] as const;
  const kept = { ...key, id: 'key_kept', salt, secretHash, slot: null, keptScopes };
  await deps.store.run(async (tx) => tx.keys.insert(kept));
  const by = { createdBy: developmentOperator.id, overlapHours: 1 };
  const { secret: rolled } = await rollKey(deps, orgId, 'key_kept', by);
  for (const used of [text, rolled]) {
    const actor = await authenticateKey(deps, used);
    assert.deepEqual(actor.scopes, ['connected_accounts:write', 'payouts:write']);
  }
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
    'too many networks': ['ValidationError', { networks: Array(21).fill('203.0.113.9') }],
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

  test('is stored with the scopes that its requests needed, each once', async () => {
    const { key, secret } = await createKey(deps, { ...everything, orgId });
    const request = async (rule: ScopeRule) => {
      const actor = await authenticateKey(deps, secret);
      noteScopes(deps, actor, requireScope(actor, rule));
    };
    const used = async () => (await deps.store.run((tx) => tx.keys.get(key.id)))?.usedScopes;
    await request('webhooks:read');
    await request('invoices:read');
    await flush();
    assert.deepEqual(await used(), ['webhooks:read', 'invoices:read']);
    await request('webhooks:read');
    assert.equal(await flush(), 0, 'known');
    await request('invoices:write');
    assert.equal(await flush(), 1);
    assert.deepEqual(await used(), ['webhooks:read', 'invoices:read', 'invoices:write']);
    await request({ anyOf: ['invoices:write', 'payouts:write'] });
    await flush();
    assert.equal((await used())?.at(-1), 'payouts:write', 'each scope that lets it in');
  });

  test('is not noted for a refused key', async () => {
    const { secret } = await createKey(deps, { ...everything, orgId });
    await assert.rejects(authenticateKey(deps, `${secret}x`));
    assert.equal(await flush(), 0);
  });
});

test('a report has the active keys of all organizations that nobody needs', async () => {
  const own = await made.organization();
  const idle = await createKey(deps, { ...everything, orgId: own });
  const gone = await createKey(deps, { ...everything, orgId: own });
  await revokeKey(deps, own, gone.key.id);
  made.advanceClock(KEY_REPORT_MS);
  const fresh = await createKey(deps, { ...everything, orgId: own });
  const reported = (await reportKeys(deps)).map(({ key: { id }, isIdle }) => [id, isIdle]);
  const about = (id: string) => reported.filter(([of]) => of === id);
  assert.deepEqual(about(idle.key.id), [[idle.key.id, true]]);
  assert.deepEqual([about(gone.key.id), about(fresh.key.id)], [[], []]);
});
