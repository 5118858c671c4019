// Retiring a secret key: a reseal covers every text beside a running service, survives interruption
// at any point, and removes a key only when nothing needs it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTokenSigner } from '../../../../adapters/crypto/jwt.js';
import type { SecretKey } from '../../../../adapters/crypto/secret-box.js';
import { sessionRules } from '../../../../core/domain/access/session.js';
import type { Deps } from '../../../../core/ports/deps.js';
import type { Store } from '../../../../core/ports/storage.js';
import { countSealed, reseal } from '../../../../core/usecases/service/reseal.js';
import { secretKeysProblem } from '../../../../core/usecases/service/secret-keys.js';
import { currentKey, validKeys } from '../../../../core/usecases/service/service-keys.js';
import {
  createSubscription,
  openSecret,
  rotateSecret,
} from '../../../../core/usecases/webhooks/subscriptions.js';
import { withStatements } from '../../../support/databases/test-store.js';
import { dying, racing } from '../../../support/racing-store.js';
import { aSubscription } from '../../../support/samples/domain-samples.js';
import {
  allColumns,
  openedTexts,
  sealedScene,
  sealedTexts,
  secondKey,
  withKeys,
} from '../../../support/scenes/sealed-scene.js';
import { valuesOf } from '../../../support/values-of.js';

const quiet = () => undefined;

function signerOver(deps: Deps) {
  return createTokenSigner({
    signing: () => currentKey(deps, 'session'),
    accepted: () => validKeys(deps, 'session'),
  });
}

test('every text under another key is re-sealed, opens as before, and the key is retired', async (t) => {
  const made = await sealedScene(t);
  const both = withKeys(made.deps, [secondKey, made.secretKey]);
  const onlyNew = withKeys(made.deps, [secondKey]);
  const before = await openedTexts(made.deps);
  assert.match((await secretKeysProblem(onlyNew)) ?? '', /under the key "first" does not open/);
  const { columns, ...ends } = await reseal(both, quiet);
  const { sessionKey, ...others } = ends;
  const ended = { retiredKeys: ['first'], requiredKeys: [], keysInUse: [] };
  assert.deepEqual(others, { keyId: 'second', ...ended });
  for (const { column, resealed, remaining } of columns) {
    assert.ok(resealed > 0, column);
    assert.equal(remaining, 0, column);
  }
  assert.equal(await secretKeysProblem(onlyNew), null);
  assert.match((await secretKeysProblem(made.deps)) ?? '', /under the key "second"/);
  for (const text of (await sealedTexts(made.deps.store)).values())
    assert.match(text, /^s1\.second\./);
  const after = new Map(await openedTexts(onlyNew));
  assert.equal(after.delete(`service_keys.sealed ${sessionKey?.id}`), true);
  assert.deepEqual(after, before);
});

test('counting changes nothing', async (t) => {
  const made = await sealedScene(t);
  const both = withKeys(made.deps, [secondKey, made.secretKey]);
  const { result, statements } = await withStatements(() => countSealed(both, quiet));
  assert.deepEqual(statements, []);
  const { requiredKeys: needed, retiredKeys, keysInUse } = result;
  assert.deepEqual([needed, retiredKeys, keysInUse], [['first'], [], []]);
  const done = await reseal(both, quiet);
  for (const [index, { column, remaining }] of result.columns.entries()) {
    assert.equal(remaining, done.columns[index]?.resealed, column);
  }
  const { requiredKeys, columns } = await countSealed(both, quiet);
  assert.deepEqual(requiredKeys, []);
  assert.deepEqual(valuesOf(columns, 'remaining'), Array(allColumns.length).fill(0));
});

test('interrupted before any batch, everything opens and the next run completes it', async (t) => {
  const made = await sealedScene(t);
  const { store } = made.deps;
  const names = await openedTexts(made.deps);
  let keys: readonly [SecretKey, SecretKey] = [secondKey, made.secretKey];
  let cuts = 0;
  for (let isCut = true; isCut; ) {
    const both = withKeys(made.deps, keys);
    isCut = await reseal(dying(both, cuts), quiet).then(
      () => false,
      () => true,
    );
    const [fresh, old] = keys;
    const alone = withKeys(made.deps, [fresh]);
    const isNeeded = [...(await sealedTexts(store)).values()].some((text) =>
      text.startsWith(`s1.${old.id}.`),
    );
    const problem = await secretKeysProblem(alone);
    if (isNeeded) assert.match(problem ?? '', new RegExp(`"${old.id}"`));
    const opened = await openedTexts(both);
    for (const [place, text] of names) assert.equal(opened.get(place), text, `${cuts} ${place}`);
    assert.deepEqual((await reseal(both, quiet)).requiredKeys, []);
    assert.equal(await secretKeysProblem(alone), null);
    keys = [old, fresh];
    cuts += 1;
  }
  assert.ok(cuts > 2 * allColumns.length, `${cuts} cuts`);
});

test('a change between the scan and the batch is never overwritten', async (t) => {
  const made = await sealedScene(t);
  const both = withKeys(made.deps, [secondKey, made.secretKey]);
  let looking = '';
  let rotated: string | null = null;
  const within = async () => {
    if (rotated !== null || looking !== 'subscriptions.secret_sealed') return;
    rotated = (await rotateSecret(both, made.tenant, made.subscriptionId)).secret;
  };
  const { requiredKeys } = await reseal(racing(both, within), (_, column) => {
    looking = column;
  });
  assert.deepEqual(requiredKeys, []);
  const found = await both.store.run((tx) => tx.subscriptions.find(made.subscriptionId));
  assert.ok(found !== null && rotated !== null);
  assert.equal(openSecret(withKeys(made.deps, [secondKey]), found), rotated);
});

test('a key that a process uses during the run is reported and stays required', async (t) => {
  const made = await sealedScene(t);
  const both = withKeys(made.deps, [secondKey, made.secretKey]);
  const input = { url: 'https://receiver.example/late', eventTypes: ['*'] };
  for (const late of [3, 9, 16]) {
    // This process still has the old key first.
    const create = () => createSubscription(made.deps, made.tenant, input);
    const raced = racing(both, (nth) => (nth === late ? create() : null));
    const { keysInUse, requiredKeys, retiredKeys } = await reseal(raced, quiet);
    const keys = [keysInUse, requiredKeys, retiredKeys];
    assert.deepEqual(keys, [['first'], ['first'], []], `run ${late}`);
    assert.match((await secretKeysProblem(withKeys(made.deps, [secondKey]))) ?? '', /"first"/);
  }
  // After a restart it seals under the new key.
  assert.deepEqual((await reseal(both, quiet)).retiredKeys, ['first']);
  assert.equal(await secretKeysProblem(withKeys(made.deps, [secondKey])), null);
});

test('a process that seals under a retired key makes it required again', async (t) => {
  const made = await sealedScene(t);
  const both = withKeys(made.deps, [secondKey, made.secretKey]);
  assert.deepEqual((await reseal(both, quiet)).retiredKeys, ['first']);
  await rotateSecret(made.deps, made.tenant, made.subscriptionId);
  assert.match((await secretKeysProblem(withKeys(made.deps, [secondKey]))) ?? '', /"first"/);
  assert.deepEqual((await reseal(both, quiet)).retiredKeys, ['first']);
});

test('a text that does not open is kept, and only its key stays required', async (t) => {
  const made = await sealedScene(t);
  const both = withKeys(made.deps, [secondKey, made.secretKey]);
  const ghost = aSubscription({ ...made.tenant, id: 'whs_ghost', secretSealed: 's1.ghost.AAAA' });
  await made.deps.store.run(async (tx) => tx.subscriptions.insert(ghost));
  const { retiredKeys, requiredKeys, keysInUse, columns } = await reseal(both, quiet);
  assert.deepEqual([retiredKeys, requiredKeys, keysInUse], [['first'], ['ghost'], []]);
  assert.deepEqual(
    columns.filter(({ remaining }) => remaining > 0),
    [{ column: 'subscriptions.secret_sealed', resealed: 1, remaining: 1 }],
  );
  const kept = await made.deps.store.run((tx) => tx.subscriptions.find(ghost.id));
  assert.deepEqual(kept, ghost);
});

test('the session key is rotated; earlier sessions stay valid until they expire', async (t) => {
  const made = await sealedScene(t);
  const both = withKeys(made.deps, [secondKey, made.secretKey]);
  const { clock } = made.deps;
  const expiresAtMs = clock.nowMs() + sessionRules.token.lifeMs;
  const claims = {
    orgId: 'org_1',
    mode: 'test',
    memberId: 'mem_1',
    sessionId: 'ses_1',
    expiresAtMs,
  } as const;
  const token = await signerOver(made.deps).sign(claims);
  const known = await currentKey(made.deps, 'session');
  const { sessionKey } = await reseal(both, quiet);
  const later = withKeys(made.deps, [secondKey]);
  assert.equal((await currentKey(later, 'session')).id, sessionKey?.id);
  assert.notEqual(sessionKey?.id, known.id);
  assert.equal(sessionKey?.previousExpiresAtMs, clock.nowMs() + sessionRules.token.lifeMs);
  assert.deepEqual(await signerOver(later).verify(token, clock.nowMs()), claims);
  assert.equal((await reseal(both, quiet)).sessionKey, null, 'once for each key');
  made.advanceClock(sessionRules.token.lifeMs);
  assert.deepEqual(valuesOf(await validKeys(later, 'session'), 'id'), [sessionKey?.id]);
});

test('batches have at most 200 rows', async (t) => {
  const made = await sealedScene(t);
  const { store, secretBox } = made.deps;
  for (const tens of ['0', '1', '2', '3', '4']) {
    await store.run(async (tx) => {
      for (let count = 0; count < 100; count += 1) {
        const id = `whs_${tens}_${count}`;
        const secretSealed = secretBox.seal('secret', `webhook_secret:${id}`);
        tx.subscriptions.insert(aSubscription({ ...made.tenant, id, secretSealed }));
      }
    });
  }
  const sizes: number[] = [];
  const counted: Store = {
    ...store,
    async run(work) {
      const { result, statements } = await withStatements(() => store.run(work));
      sizes.push(statements.filter(({ sql }) => sql.startsWith('update subscriptions')).length);
      return result;
    },
  };
  const both = withKeys({ ...made.deps, store: counted }, [secondKey, made.secretKey]);
  assert.deepEqual((await reseal(both, quiet)).requiredKeys, []);
  const written = sizes.filter((size) => size > 0);
  assert.deepEqual(written, [200, 200, 101]);
});
