// The same with scripts, in each language.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { locales } from '../../../../core/domain/base/locale.js';
import { readyToCollect } from '../../../../core/domain/parties/connected-account.js';
import { readAccount } from '../../../../core/usecases/parties/accounts.js';
import { openBrowser } from '../../../support/servers/browser.js';
import { pageSite } from '../visitor.js';
import { walkOnboarding } from './onboarding-walk.js';

for (const locale of locales) {
  test(`a seller with scripts is ready to collect at the end of its link, ${locale}`, async (t) => {
    const site = await pageSite(t);
    Object.assign(site.world.deps.settings, { baseUrl: site.origin, payUrl: site.origin });
    const browser = await openBrowser();
    t.after(() => browser.close());
    const id = await walkOnboarding(site, browser, { locale });
    assert.equal(readyToCollect(await readAccount(site.world.deps, site.tenant, id)), true);
  });
}
