// Every page in every language, at both widths and in both schemes: axe finds nothing, and nothing
// scrolls sideways.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { locales } from '../../../core/domain/base/locale.js';
import { openBrowser } from '../../support/servers/browser.js';
import { suiteEnd } from '../../support/suite-end.js';
import { samples } from './all-samples.js';
import { faultsOf, openDetails } from './axe.js';
import { assertPolicyKept } from './page-policy.js';
import { type PageServer, pageServer } from './page-server.js';
import { assertNoneTooWide } from './page-width.js';

let browser: Browser;
let server: PageServer;

const suite = suiteEnd();

before(async () => {
  server = await pageServer();
  suite.after(() => server.close());
  browser = await openBrowser();
  suite.after(() => browser.close());
});

for (const locale of locales) {
  for (const width of [1280, 320]) {
    test(`axe finds nothing: ${locale}, ${width} px, light and dark`, async () => {
      // A colour on its way to another one has no contrast.
      const viewport = { width, height: 900 };
      const page = await browser.newPage({ viewport, reducedMotion: 'reduce' });
      for (const { name } of samples) {
        await page.emulateMedia({ colorScheme: 'light' });
        await page.goto(server.urlOf(name, locale));
        await openDetails(page);
        assert.deepEqual(await faultsOf(page, 'all'), [], name);
        await page.emulateMedia({ colorScheme: 'dark' });
        assert.deepEqual(await faultsOf(page, 'colours'), [], `${name}, dark`);
      }
      await page.close();
    });
  }
}

test('nothing scrolls sideways at 320 px, at 200 % text and with wide spacing', async () => {
  const page = await browser.newPage();
  for (const { name } of samples) await assertNoneTooWide(page, server, name, locales, [640, 1280]);
  await page.close();
});

test('no page breaks its policy or asks for more than three files', () =>
  assertPolicyKept(browser, server, samples));
