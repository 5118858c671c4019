// Keys that the service makes for itself: sessions signed by them, and idempotency keys at the
// partner that mean the same whichever secret keys there are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTokenSigner } from '../../../adapters/crypto/jwt.js';
import { createSecretBox, type SecretKey } from '../../../adapters/crypto/secret-box.js';
import { SESSION_MS } from '../../../core/domain/member.js';
import type { Deps, SettlementPartner } from '../../../core/ports.js';
import { submitAccount } from '../../../core/usecases/account-submissions.js';
import { configureAccountPayout } from '../../../core/usecases/accounts.js';
import { acceptTerms, configurePayout } from '../../../core/usecases/organizations.js';
import {
  currentKey,
  keysInForce,
  partnerKey,
  renewSessionKey,
} from '../../../core/usecases/service-keys.js';
import { newSeller, sellerDossier } from '../../adapters/http/account-calls.js';
import { pix } from '../../support/organization-scene.js';
import { world } from '../../support/small-world.js';

function signerOver(deps: Deps) {
  return createTokenSigner({
    signing: () => currentKey(deps, 'session'),
    known: () => keysInForce(deps, 'session'),
  });
}

function claimsOf({ clock }: Deps) {
  const expiresAtMs = clock.nowMs() + SESSION_MS;
  return { orgId: 'org_1', mode: 'test', memberId: 'mem_1', expiresAtMs } as const;
}

test('a key is made once, however many processes need it first, and lies sealed', async () => {
  const { deps, close } = await world();
  assert.deepEqual(await keysInForce(deps, 'session'), []);
  const made = await Promise.all(Array.from({ length: 5 }, () => currentKey(deps, 'session')));
  assert.equal(new Set(made.map(({ id }) => id)).size, 1);
  assert.deepEqual(await keysInForce(deps, 'session'), [made[0]]);
  assert.notDeepEqual((await currentKey(deps, 'partner')).bytes, made[0]?.bytes);
  const [row] = await deps.store.run((tx) => tx.serviceKeys.list('session'));
  assert.match(row?.sealed ?? '', /^s1\.first\./);
  await close();
});

test('a renewed key signs; sessions of the one before go on until they end', async () => {
  const { deps, advanceClock, close } = await world();
  const signer = signerOver(deps);
  const before = await signer.sign(claimsOf(deps));
  advanceClock(1_000);
  const last = await signer.sign(claimsOf(deps));
  const renewed = await renewSessionKey(deps, { endSessions: false });
  assert.equal(renewed.previousEndAtMs, deps.clock.nowMs() + SESSION_MS);
  assert.equal((await currentKey(deps, 'session')).id, renewed.id);
  const after = await signer.sign(claimsOf(deps));
  const count = async () => {
    const read = [before, last, after].map((token) => signer.verify(token, deps.clock.nowMs()));
    return (await Promise.all(read)).map((claims) => claims !== null);
  };
  assert.deepEqual(await count(), [true, true, true]);
  advanceClock(SESSION_MS - 1);
  assert.deepEqual(await count(), [false, true, true]);
  assert.equal((await keysInForce(deps, 'session')).length, 2);
  advanceClock(1);
  const [, ...others] = await keysInForce(deps, 'session');
  assert.deepEqual(others, [], 'whoever has the key before signs nothing with it any more');
  await renewSessionKey(deps, { endSessions: false });
  const rows = await deps.store.run((tx) => tx.serviceKeys.list('session'));
  assert.equal(rows.length, 2, 'a key that has ended is removed with the next renewal');
  await close();
});

test('when all sessions are ended, none that was signed before counts', async () => {
  const { deps, close } = await world();
  const signer = signerOver(deps);
  const old = await signer.sign(claimsOf(deps));
  await renewSessionKey(deps, { endSessions: false });
  const newer = await signer.sign(claimsOf(deps));
  const { previousEndAtMs } = await renewSessionKey(deps, { endSessions: true });
  assert.equal(previousEndAtMs, null);
  for (const token of [old, newer]) {
    assert.equal(await signer.verify(token, deps.clock.nowMs()), null);
  }
  const claims = claimsOf(deps);
  assert.deepEqual(await signer.verify(await signer.sign(claims), deps.clock.nowMs()), claims);
  await close();
});

test('a key at the partner tells purposes and parts apart, and where they begin', async () => {
  const { deps, close } = await world();
  const keys = [
    await partnerKey(deps, 'a', ['b', 'c']),
    await partnerKey(deps, 'a', ['bc']),
    await partnerKey(deps, 'b', ['b', 'c']),
    await partnerKey(deps, 'a', ['b', 'c', '']),
  ];
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(await partnerKey(deps, 'a', ['b', 'c']), keys[0]);
  await close();
});

test('the same request has the same key at the partner whichever secret key is first', async () => {
  const made = await world();
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
    await assert.rejects(acceptTerms(deps, tenant, null), /accept the terms at/);
    await configurePayout(deps, tenant, pix);
    await configureAccountPayout(deps, tenant, account.id, pix);
    return [...keys];
  };
  const before = await ask([made.secretKey]);
  assert.equal(before.length, 3);
  assert.equal(new Set(before).size, 3);
  const second = { id: 'second', bytes: Buffer.alloc(32, 2) };
  assert.deepEqual(await ask([second, made.secretKey]), before);
  await made.close();
});

/** It asks for terms, and writes down the idempotency keys that it is given. */
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
