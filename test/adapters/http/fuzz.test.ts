// Requests generated from /docs-json, valid, nearly valid and hostile: each is answered as
// described. `npm run fuzz` sends more of them, with another seed each time, and the nightly run so
// many that every operation must be reached.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzz } from '../../fuzz/fuzz-run.js';

const SEED = 1;
const count = process.env['PONTE_TEST_DATABASE'] === undefined ? 500 : 200;

test(`${count} generated requests are answered as described`, async (t) => {
  const { failures, report } = await fuzz(SEED, count);
  t.diagnostic(report.at(-1) ?? '');
  assert.deepEqual(failures, [], report.join('\n'));
});
