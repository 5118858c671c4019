// A primary that hangs with every connection open, and comes back after its standby was promoted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { play } from '../drills/drill.js';
import { frozenPrimary } from '../drills/primary-drills.js';

test('hosts leave a primary that hangs, and do not go back when it resumes', async (t) => {
  const result = await play(frozenPrimary, { say: (text) => t.diagnostic(text) });
  assert.ok('broken' in result);
  t.diagnostic(JSON.stringify(result.counts));
  assert.deepEqual(result.broken, []);
});
