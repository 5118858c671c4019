// 1,500 requests generated from /docs-json, valid, nearly valid and hostile: each is answered
// as described. `npm run fuzz` sends more of them, with another seed each time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COVERING_COUNT, fuzz } from '../../fuzz/fuzz-run.js';

const SEED = 1;

test('1,500 generated requests are answered as described, and reach every operation', async (t) => {
  const { failures, report } = await fuzz(SEED, COVERING_COUNT);
  t.diagnostic(report.at(-1) ?? '');
  assert.deepEqual(failures, [], report.join('\n'));
});
