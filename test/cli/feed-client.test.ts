import assert from 'node:assert/strict';
import { test } from 'node:test';
import { persistently, TryAgain } from '../../cli/feed-client.js';

test('waits grow, and are as long as the server asks for at least', async () => {
  const over = new AbortController();
  const problems: string[] = [];
  const result = persistently(
    over.signal,
    (problem) => {
      problems.push(problem);
      if (problems.length === 2) over.abort();
    },
    () => Promise.reject(new TryAgain('busy', problems.length * 7_000)),
  );
  assert.equal(await result, null);
  assert.deepEqual(problems, ['busy; trying again in 0.5 s', 'busy; trying again in 7 s']);
});
