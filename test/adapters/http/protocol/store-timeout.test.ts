// What one request may spend with the store, over all that it does there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withStoreTimeout } from '../../../../adapters/http/protocol/store-timeout.js';
import type { Store } from '../../../../core/ports/storage.js';
import { world } from '../../../support/scenes/test-world.js';

test('a request is refused when the store has taken its time, in one piece or in several', async (t) => {
  const { deps } = await world(t);
  const never = (async () => new Promise(() => undefined)) as Store['run'];
  const hung = withStoreTimeout({ ...deps, store: { ...deps.store, run: never } }, 20);
  const refusal = { code: 'StoreUnavailable', retryAfterSeconds: 2 };
  await assert.rejects(
    hung.store.run(async () => 'unreachable'),
    refusal,
  );
  const slow: Store['run'] = async (work) => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    return deps.store.run(work);
  };
  const limited = withStoreTimeout({ ...deps, store: { ...deps.store, run: slow } }, 80);
  const pieces = async () => {
    for (let piece = 0; piece < 5; piece += 1) await limited.store.run(async () => piece);
  };
  assert.equal(await limited.store.run(async () => 'in time'), 'in time');
  await assert.rejects(pieces(), refusal);
});
