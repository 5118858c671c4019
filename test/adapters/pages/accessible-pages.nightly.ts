// Each page in the other languages, where labels and lines are longer: axe finds nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBrowser } from '../../support/servers/browser.js';
import { faultsOf, openDetails } from './axe.js';
import { kycSamples } from './buyer/kyc/kyc-samples.js';
import { samples } from './buyer/page-samples.js';
import { pageServer } from './page-server.js';

for (const locale of ['pt-BR', 'es'] as const) {
  test(`axe finds nothing: ${locale}, 320 px`, async (t) => {
    const server = await pageServer();
    t.after(() => server.close());
    const browser = await openBrowser();
    t.after(() => browser.close());
    const page = await browser.newPage({ viewport: { width: 320, height: 900 } });
    for (const { name } of [...samples, ...kycSamples]) {
      await page.goto(server.urlOf(name, locale));
      await openDetails(page);
      assert.deepEqual(await faultsOf(page, 'all'), [], name);
    }
  });
}
