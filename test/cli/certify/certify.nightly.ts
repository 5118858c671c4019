// `ponte certify`: an integration with one common mistake fails the fault that is about it, and two
// others at most. The daily tests play that fault alone.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mistakes, resultsOf } from './integrations.js';

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
