// Every page of the dashboard in every language, at both widths and in both schemes: axe finds
// nothing, and nothing scrolls sideways.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { locales } from '../../../../core/domain/base/locale.js';
import { openBrowser } from '../../../support/servers/browser.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { faultsOf, openDetails } from '../axe.js';
import { pageSite } from '../visitor.js';
import { fillDashboard, memberToken, placesOf, visit } from './dashboard-site.js';

const suite = suiteEnd();
const site = await pageSite(suite, { payins: 'wait' });
// Browsers send their address with each form.
Object.assign(site.world.deps.settings, { baseUrl: site.origin, payUrl: site.origin });
const places = await placesOf(site, await fillDashboard(site));
const token = await memberToken(site, 'owner');
const browser = await openBrowser();
suite.after(() => browser.close());

for (const language of locales) {
  for (const width of [1280, 320]) {
    test(`axe finds nothing: ${language}, ${width} px, light and dark`, async () => {
      // A colour on its way to another one has no contrast.
      const viewport = { width, height: 900 };
      const page = await browser.newPage({ viewport, reducedMotion: 'reduce' });
      const chosen = { name: 'ponte-language', value: language, url: site.origin };
      const session = { name: 'ponte-member', value: token, url: site.origin };
      for (const [name, place] of Object.entries(places)) {
        await page.context().clearCookies();
        await page.context().addCookies(name === 'sign-in' ? [chosen] : [chosen, session]);
        await page.emulateMedia({ colorScheme: 'light' });
        await visit(page, site.origin, place);
        await openDetails(page);
        const shown = await page.evaluate('document.documentElement.scrollWidth');
        assert.ok(Number(shown) <= width, `${name}: ${shown} px`);
        assert.deepEqual(await faultsOf(page, 'all'), [], name);
        await page.emulateMedia({ colorScheme: 'dark' });
        assert.deepEqual(await faultsOf(page, 'colours'), [], `${name}, dark`);
      }
      await page.close();
    });
  }
}
