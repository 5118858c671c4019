// Every page in every language, at both widths and in both schemes: axe finds nothing, nothing
// scrolls sideways, and its policy is kept.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { locales } from '../../../core/domain/base/locale.js';
import { openBrowser } from '../../support/servers/browser.js';
import { suiteEnd } from '../../support/suite-end.js';
import { samples } from './all-samples.js';
import { pageServer } from './page-server.js';
import { visitPages } from './page-visit.js';
import { assertOnePage, printed } from './printed-page.js';

const suite = suiteEnd();
const server = await pageServer();
suite.after(() => server.close());
const browser = await openBrowser();
suite.after(() => browser.close());

for (const locale of locales) {
  for (const width of [1280, 320]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      test(`no page has a fault: ${locale}, ${width} px, ${colorScheme}`, async () => {
        const views = samples.map(({ name }) => ({ name, locale, width, colorScheme }));
        for (const visit of await visitPages(browser, server, views, [640, 1280])) {
          const { shown, files, complaints, faults, tooWide } = visit;
          assert.deepEqual([complaints, faults, tooWide], [[], [], []], shown);
          const own = files.filter((file) => !/\/logos\/|\/accent-/.test(file));
          assert.ok(own.length <= 3, `${shown}: ${files.join(' ')}`);
        }
      });
    }
  }
}

for (const name of printed)
  test(`it is one page of A4 in every language: ${name}`, () =>
    assertOnePage(browser, server, name, locales));
