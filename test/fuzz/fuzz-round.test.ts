// A round follows from its seed, so that a failure can be repeated.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { playRound } from './fuzz-round.js';

const COUNT = 60;

test('the same seed sends the same requests and gets the same answers', async () => {
  const first = await playRound(7, COUNT);
  const again = await playRound(7, COUNT);
  const other = await playRound(8, COUNT);
  assert.deepEqual(again.trace, first.trace);
  assert.equal(again.traceHash, first.traceHash);
  assert.notEqual(other.traceHash, first.traceHash);
});
