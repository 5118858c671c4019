import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadedOnce } from '../../../adapters/pages/loaded-once.js';

test('what is loaded is loaded once, and again only after a failure', async () => {
  let loads = 0;
  const load = loadedOnce(async () => {
    loads += 1;
    if (loads === 1) throw new Error('too many open files');
    return loads;
  });
  const first = [load(), load()];
  for (const one of first) await assert.rejects(one, /too many open files/);
  assert.deepEqual(await Promise.all([load(), load()]), [2, 2]);
  assert.equal(await load(), 2);
});
