// A seller without scripts goes from its link to a state in which it can collect.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readyToCollect } from '../../../../core/domain/parties/connected-account.js';
import { readAccount } from '../../../../core/usecases/parties/accounts.js';
import { openBrowser } from '../../../support/servers/browser.js';
import { pageSite } from '../visitor.js';
import { walkOnboarding } from './onboarding-walk.js';

test('a seller without scripts is ready to collect at the end of its link', async (t) => {
  const site = await pageSite(t);
  // Browsers send their address with each form.
  Object.assign(site.world.deps.settings, { baseUrl: site.origin, payUrl: site.origin });
  const browser = await openBrowser();
  t.after(() => browser.close());
  const id = await walkOnboarding(site, browser, { locale: 'en', javaScriptEnabled: false });
  assert.equal(readyToCollect(await readAccount(site.world.deps, site.tenant, id)), true);
});
