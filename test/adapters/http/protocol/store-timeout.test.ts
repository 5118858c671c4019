// What one request may spend with the store, over all that it does there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withStoreTimeout } from '../../../../adapters/http/protocol/store-timeout.js';
import type { Store } from '../../../../core/ports/storage.js';
import { world } from '../../../support/scenes/test-world.js';
import { turn } from '../../../support/wait.js';

test('a request is refused when the store has taken its time, in one piece or in several', async (t) => {
  const { deps } = await world(t);
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  t.mock.timers.enable({ apis: ['setInterval'] });
  const pass = async (ms: number) => {
    await turn();
    nowMs += ms;
    t.mock.timers.tick(ms);
    await turn();
    await turn();
  };
  const never = (async () => new Promise(() => undefined)) as Store['run'];
  const hung = withStoreTimeout({ ...deps, store: { ...deps.store, run: never } }, 20);
  const refusal = { code: 'StoreUnavailable', retryAfterSeconds: 2 };
  const refused = assert.rejects(
    hung.store.run(async () => 'unreachable'),
    refusal,
  );
  await pass(50);
  await refused;
  const slow: Store['run'] = async (work) => {
    await pass(50);
    return deps.store.run(work);
  };
  const limited = withStoreTimeout({ ...deps, store: { ...deps.store, run: slow } }, 120);
  const pieces = async () => {
    for (let piece = 0; piece < 5; piece += 1) await limited.store.run(async () => piece);
  };
  assert.equal(await limited.store.run(async () => 'in time'), 'in time');
  await assert.rejects(pieces(), refusal);
  let gate = Promise.withResolvers<void>();
  const gated: Store['run'] = async (work) => {
    await gate.promise;
    return deps.store.run(work);
  };
  const together = withStoreTimeout({ ...deps, store: { ...deps.store, run: gated } }, 120);
  const atOnce = async () => {
    gate = Promise.withResolvers<void>();
    const all = Promise.all([1, 2, 3].map((one) => together.store.run(async () => one)));
    all.catch(() => undefined);
    await pass(50);
    gate.resolve();
    return all;
  };
  for (const round of [1, 2]) assert.deepEqual(await atOnce(), [1, 2, 3], `${round}`);
  await assert.rejects(atOnce(), refusal, 'calls at the same time took their time once');
});
