// Every page of the console at both widths and in both schemes: axe finds nothing, and nothing
// scrolls sideways.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBrowser } from '../../../support/servers/browser.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { faultsOf, openDetails } from '../axe.js';
import { consoleSite, fillConsole } from './console-site.js';

const suite = suiteEnd();
const site = await consoleSite(suite);
const places = await fillConsole(site);
const browser = await openBrowser();
suite.after(() => browser.close());

for (const width of [1280, 320]) {
  test(`axe finds nothing: ${width} px, light and dark`, async () => {
    // A colour on its way to another one has no contrast.
    const viewport = { width, height: 900 };
    const page = await browser.newPage({ viewport, reducedMotion: 'reduce' });
    const check = async (name: string) => {
      await page.emulateMedia({ colorScheme: 'light' });
      await openDetails(page);
      const shown = await page.evaluate('document.documentElement.scrollWidth');
      assert.ok(Number(shown) <= width, `${name}: ${shown} px`);
      assert.deepEqual(await faultsOf(page, 'all'), [], name);
      await page.emulateMedia({ colorScheme: 'dark' });
      assert.deepEqual(await faultsOf(page, 'colours'), [], `${name}, dark`);
    };
    await page.goto(`${site.origin}/operator`);
    await check('sign-in');
    await page.goto(`${site.origin}${await site.linkOf(site.ana)}`);
    await check('link');
    await page.getByRole('button', { name: 'Sign in' }).click();
    for (const [name, path] of Object.entries(places)) {
      await page.goto(`${site.origin}${path}`);
      await check(name);
    }
    await page.close();
  });
}
