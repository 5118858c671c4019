// What a host does when its server has lost commits: the quarantine begins, however often it takes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PonteError } from '../../core/errors.js';
import { currentEpoch } from '../../core/usecases/service/epochs.js';
import { startQuarantine } from '../../host/lost-commits.js';
import { world } from '../support/scenes/test-world.js';

test('after lost commits the quarantine begins, also where the database is away at first', async (t) => {
  const made = await world(t);
  const { deps } = made;
  let tries = 0;
  const run: typeof deps.store.run = (work, options) => {
    tries += 1;
    if (tries < 2) return Promise.reject(new PonteError('StoreUnavailable'));
    return deps.store.run(work, options);
  };
  await startQuarantine(deps, { run }, 2);
  const { state, cause, timeline } = await currentEpoch(deps);
  assert.deepEqual([tries, state, cause, timeline], [2, 'quarantine', 'lost_commits', 2]);
  assert.ok(made.log.some(({ message }) => message === 'alert'));
});
