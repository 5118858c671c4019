// The approval by a colleague in a browser with scripts: the page of the buyer shows the decision
// by itself. Without scripts: approval-pages.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buyerSubject, startSession } from '../../../../support/scenes/started-session.js';
import { openBrowser } from '../../../../support/servers/browser.js';
import { pageSite } from '../../visitor.js';

test('the buyer sees the approval on the open page, and confirms', async (t) => {
  const site = await pageSite(t);
  const { world, tenant, origin } = site;
  // Browsers send their address with each form.
  Object.assign(world.deps.settings, { baseUrl: origin, payUrl: origin });
  const browser = await openBrowser();
  t.after(() => browser.close());
  const { id, path } = await site.newPayment();
  await world.play(tenant, id, 'fx_quoted');
  await world.settle();
  const { token } = await startSession(world.deps, buyerSubject(tenant, id));
  const ofBuyer = await browser.newContext();
  await ofBuyer.addCookies([{ name: 'ponte-session', value: token, url: `${origin}${path}` }]);
  const buyer = await ofBuyer.newPage();
  await buyer.goto(`${origin}${path}`);
  await buyer.getByRole('link', { name: 'Ask a colleague to approve it first' }).click();
  await buyer.getByLabel('Email address of your colleague').fill('cfo@buyer.example');
  await buyer.getByRole('button', { name: 'Ask for the approval' }).click();
  await buyer.getByText('has not approved this payment yet').waitFor();
  assert.equal(await buyer.getByRole('button', { name: /^Confirm/ }).count(), 0);

  const mail = await site.newestMail();
  const [link = ''] = /http:\S+\/approval\?token=[a-z0-9]{50}/.exec(mail) ?? [];
  const [code = ''] = /^\d{6}$/m.exec(mail) ?? [];
  const approver = await (await browser.newContext()).newPage();
  await approver.goto(link);
  await approver.getByLabel('Six-digit code from the email').fill(code);
  await approver.getByRole('button', { name: 'Continue' }).click();
  await approver.getByRole('button', { name: /^Approve/ }).click();
  await approver.getByRole('heading', { name: 'You have approved this payment' }).waitFor();

  site.watch.look([tenant]);
  await buyer.getByRole('button', { name: /^Confirm/ }).click();
  await buyer.getByRole('button', { name: /^Confirm/ }).waitFor({ state: 'detached' });
  assert.notEqual(await world.statusOf(id), 'fx_quoted');
});
