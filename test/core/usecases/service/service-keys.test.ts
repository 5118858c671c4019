// Keys that the service generates for itself: they sign sessions, and make idempotency keys at the
// partner that do not depend on the secret keys.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTokenSigner } from '../../../../adapters/crypto/jwt.js';
import { createSecretBox, type SecretKey } from '../../../../adapters/crypto/secret-box.js';
import { sessionRules } from '../../../../core/domain/access/session.js';
import type { Deps } from '../../../../core/ports/deps.js';
import type { SettlementPartner } from '../../../../core/ports/partner.js';
import {
  configureAccountPayout,
  submitAccount,
} from '../../../../core/usecases/parties/accounts.js';
import {
  acceptOrganizationTerms,
  configurePayout,
} from '../../../../core/usecases/parties/organizations.js';
import {
  currentKey,
  partnerKey,
  rotateSessionKey,
  validKeys,
} from '../../../../core/usecases/service/service-keys.js';
import { newSeller, sellerDossier } from '../../../adapters/http/resources/account-calls.js';
import { anyAuthor } from '../../../support/samples/domain-samples.js';
import { pix } from '../../../support/scenes/organization-scene.js';
import { world } from '../../../support/scenes/test-world.js';

function signerOver(deps: Deps) {
  return createTokenSigner({
    signing: () => currentKey(deps, 'session'),
    accepted: () => validKeys(deps, 'session'),
  });
}

function claimsOf({ clock }: Deps) {
  const expiresAtMs = clock.nowMs() + sessionRules.token.lifeMs;
  return {
    orgId: 'org_1',
    mode: 'test',
    memberId: 'mem_1',
    sessionId: 'ses_1',
    expiresAtMs,
  } as const;
}

test('a key is created once, even by concurrent processes, and stored sealed', async (t) => {
  const { deps } = await world(t);
  assert.deepEqual(await validKeys(deps, 'session'), []);
  const made = await Promise.all(Array.from({ length: 5 }, () => currentKey(deps, 'session')));
  assert.equal(new Set(made.map(({ id }) => id)).size, 1);
  assert.deepEqual(await validKeys(deps, 'session'), [made[0]]);
  assert.notDeepEqual((await currentKey(deps, 'partner')).bytes, made[0]?.bytes);
  const [row] = await deps.store.run((tx) => tx.serviceKeys.list('session'));
  assert.match(row?.sealed ?? '', /^s1\.first\./);
});

test('a rotated session key keeps existing sessions valid until they expire', async (t) => {
  const { deps, advanceClock } = await world(t);
  const signer = signerOver(deps);
  const before = await signer.sign(claimsOf(deps));
  advanceClock(1_000);
  const last = await signer.sign(claimsOf(deps));
  const rotated = await rotateSessionKey(deps, { endSessions: false });
  assert.equal(rotated.previousExpiresAtMs, deps.clock.nowMs() + sessionRules.token.lifeMs);
  assert.equal((await currentKey(deps, 'session')).id, rotated.id);
  const after = await signer.sign(claimsOf(deps));
  const count = async () => {
    const read = [before, last, after].map((token) => signer.verify(token, deps.clock.nowMs()));
    return (await Promise.all(read)).map((claims) => claims !== null);
  };
  assert.deepEqual(await count(), [true, true, true]);
  advanceClock(sessionRules.token.lifeMs - 1);
  assert.deepEqual(await count(), [false, true, true]);
  assert.equal((await validKeys(deps, 'session')).length, 2);
  advanceClock(1);
  const [, ...others] = await validKeys(deps, 'session');
  assert.deepEqual(others, [], 'the earlier key signs nothing after that');
  await rotateSessionKey(deps, { endSessions: false });
  const rows = await deps.store.run((tx) => tx.serviceKeys.list('session'));
  assert.equal(rows.length, 2, 'the next rotation removes expired keys');
});

test('ending sessions invalidates every existing session', async (t) => {
  const { deps } = await world(t);
  const signer = signerOver(deps);
  const old = await signer.sign(claimsOf(deps));
  await rotateSessionKey(deps, { endSessions: false });
  const newer = await signer.sign(claimsOf(deps));
  const { previousExpiresAtMs } = await rotateSessionKey(deps, { endSessions: true });
  assert.equal(previousExpiresAtMs, null);
  for (const token of [old, newer]) {
    assert.equal(await signer.verify(token, deps.clock.nowMs()), null);
  }
  const claims = claimsOf(deps);
  assert.deepEqual(await signer.verify(await signer.sign(claims), deps.clock.nowMs()), claims);
});

test('a partner key depends on the purpose and on each part', async (t) => {
  const { deps } = await world(t);
  const keys = [
    await partnerKey(deps, 'a', ['b', 'c']),
    await partnerKey(deps, 'a', ['bc']),
    await partnerKey(deps, 'b', ['b', 'c']),
    await partnerKey(deps, 'a', ['b', 'c', '']),
  ];
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(await partnerKey(deps, 'a', ['b', 'c']), keys[0]);
});

test('a request keeps its key at the partner when the first secret key changes', async (t) => {
  const made = await world(t);
  const keys: string[] = [];
  const orgId = await made.organization();
  const tenant = { orgId, mode: 'test' } as const;
  const account = await newSeller(made, tenant);
  await submitAccount(made.deps, tenant, account.id, sellerDossier);
  const noting = notingPartner(made.partner, keys);
  const ask = async (secretKeys: readonly SecretKey[]): Promise<readonly string[]> => {
    const secretBox = createSecretBox(secretKeys);
    const deps = { ...made.deps, secretBox, partners: { test: noting, live: null } };
    keys.length = 0;
    await assert.rejects(acceptOrganizationTerms(deps, tenant, null), /accept the terms at/);
    await configurePayout(deps, tenant, pix, 'opr_1');
    await configureAccountPayout(deps, tenant, account.id, pix, anyAuthor);
    return [...keys];
  };
  const before = await ask([made.secretKey]);
  assert.deepEqual([before.length, new Set(before).size], [3, 3]);
  const second = { id: 'second', bytes: Buffer.alloc(32, 2) };
  assert.deepEqual(await ask([second, made.secretKey]), before);
});

/** Requires terms, and records the idempotency keys that it receives. */
function notingPartner(partner: SettlementPartner, keys: string[]): SettlementPartner {
  return {
    ...partner,
    requirements: () => ['tosId'],
    startTos: (input) => {
      keys.push(input.key);
      return partner.startTos(input);
    },
    registerPixDestination: (input) => {
      keys.push(input.key);
      return partner.registerPixDestination(input);
    },
  };
}
