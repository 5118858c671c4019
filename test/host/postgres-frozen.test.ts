// A primary that hangs with every connection open and comes back after its standby was promoted,
// and a network that forgets connections without a word.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { play } from '../drills/drill.js';
import { frozenPrimary } from '../drills/primary-drills.js';
import { networkForgets, networkHangs } from '../drills/silent-network.js';

for (const [rule, drill] of [
  ['hosts leave a primary that hangs, and do not go back when it resumes', frozenPrimary],
  ['a network that hangs refuses requests in time, and is used again when it works', networkHangs],
  ['connections that are broken without a sign are replaced', networkForgets],
] as const) {
  test(rule, async (t) => {
    const result = await play(drill, { say: (text) => t.diagnostic(text) });
    assert.ok('broken' in result);
    t.diagnostic(JSON.stringify(result.counts));
    assert.deepEqual(result.broken, []);
  });
}
