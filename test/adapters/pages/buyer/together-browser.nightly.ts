// One transfer for several payments in a browser with scripts. Without: together-pages.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryOnly } from '../../../support/partners/memory-only.js';
import { makeIntent } from '../../../support/scenes/made-payments.js';
import { buyerSubject, startSession } from '../../../support/scenes/started-session.js';
import { openBrowser } from '../../../support/servers/browser.js';
import { pageSite } from '../visitor.js';

test('a buyer chooses two payments in its list and sees one set of bank details', async (t) => {
  const site = await pageSite(t, { memory: memoryOnly() });
  const { world, tenant, origin } = site;
  // Browsers send their address with each form.
  Object.assign(world.deps.settings, { baseUrl: origin, payUrl: origin });
  const browser = await openBrowser();
  t.after(() => browser.close());
  const buyer = { email: 'ana@example.com', name: null, country: null, phone: null };
  const ids: string[] = [];
  let path = '';
  for (let count = 0; count < 2; count += 1) {
    const { payment } = await makeIntent(world.deps, tenant, { buyer });
    await world.play(tenant, payment.id, 'fx_quoted');
    ids.push(payment.id);
    path = `/r/${payment.publicId}`;
  }
  const { token } = await startSession(world.deps, buyerSubject(tenant, ids[1] ?? ''));
  const context = await browser.newContext();
  await context.addCookies([{ name: 'ponte-session', value: token, url: `${origin}${path}` }]);
  const page = await context.newPage();
  await page.goto(`${origin}${path}/payments`);
  for (const box of await page.getByRole('checkbox').all()) await box.check();
  await page.getByRole('button', { name: 'Pay the chosen ones with one transfer' }).click();
  await page.getByRole('heading', { name: 'Pay 2 payments with one transfer' }).waitFor();
  await page.getByRole('button', { name: /^Confirm USD/ }).click();
  await page.getByRole('heading', { name: 'This one transfer pays 2 payments' }).waitFor();
  for (const id of ids) assert.equal(await world.statusOf(id), 'on_ramp_pending');
});
