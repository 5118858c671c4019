// `ponte certify`: an integration with one common mistake fails the fault that is about it, and two
// others at most. The daily tests play that fault alone.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mistakes, ownNames, readsAtEachEvent, resultsOf, testPasses } from './integrations.js';

testPasses('one that names payments itself', ownNames);
testPasses('one that reads the payment at each event', readsAtEachEvent);

describe('common mistakes', { concurrency: 4 }, () => {
  for (const [name, mistake] of Object.entries(mistakes)) {
    const { caughtBy } = mistake;
    test(`an integration that ${name} fails ${caughtBy}, and two others at most`, async (t) => {
      const results = await resultsOf(t, mistake);
      const failed = results.filter(({ verdict }) => verdict === 'failed').map((one) => one.name);
      assert.ok(failed.includes(caughtBy), `failed: ${failed.join(', ') || 'none'}`);
      assert.ok(failed.length <= 3, failed.join(', '));
      assert.deepEqual(
        results.filter(({ verdict }) => verdict === 'not seen'),
        [],
      );
    });
  }
});

test('without a probe, the answers alone show half of the mistakes, and none is ok', async (t) => {
  const found = await Promise.all(
    Object.values(mistakes).map(async (mistake) => {
      const asked = { hasProbe: false, named: [mistake.caughtBy] };
      const [result] = await resultsOf(t, mistake, asked);
      return [mistake.caughtBy, result?.verdict] as const;
    }),
  );
  assert.deepEqual(
    found.flatMap(([name, verdict]) => (verdict === 'failed' ? [name] : [])),
    ['day-late', 'unsigned', 'old-time-stamp', 'raw-bytes', 'slow', 'unknown-event'],
  );
  assert.deepEqual(
    found.filter(([, verdict]) => verdict === 'ok'),
    [],
  );
});
