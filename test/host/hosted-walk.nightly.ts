// What buyers and others do on the way in a real browser, against a real development host: the back
// button, a second tab, a link that somebody else opens, a browser without scripts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PayingBuyer } from '../support/scenes/paying-buyer.js';
import { WalkScene } from '../support/scenes/walk-scene.js';
import { suiteEnd } from '../support/suite-end.js';

const scene = await WalkScene.open(suiteEnd());

test('a buyer pays: without scripts, phone, dark, Portuguese', () =>
  scene.pay({ scripts: false, width: 320, scheme: 'dark', language: 'pt-BR' }));

test('a price that has run out is renewed in one click', async () => {
  const { buyer } = await scene.priced();
  await buyer.simulate('quote_expired');
  await buyer.seeHeading(/This price has run out/);
  await buyer.press('quote');
  await buyer.see('form[action$="/confirm"]');
  await buyer.close();
});

test('the price of another tab is not confirmed: the new one is shown first', async () => {
  const { made, buyer } = await scene.priced();
  const other = await buyer.page.context().newPage();
  await other.goto(made.hostedPaymentUrl);
  await buyer.simulate('rate_moved');
  await buyer.see('form[action$="/confirm"]');
  await Promise.all([
    other.waitForEvent('load'),
    other.locator('form[action$="/confirm"] button').first().click(),
  ]);
  assert.equal(await scene.statusOf(made), 'fx_quoted');
  assert.match((await other.locator('h1').first().textContent()) ?? '', /The price was updated/);
  await buyer.close();
});

test('the back button leads to the current state, not to an old form', async () => {
  const { buyer } = await scene.transferring();
  await buyer.page.goBack();
  await buyer.see('.exact');
  await buyer.close();
});

test('a person with the link alone sees what the mail showed, and no more', async () => {
  const { made, buyer } = await scene.transferring();
  const other = await PayingBuyer.open(scene.browser, scene.host.url);
  await other.page.goto(made.hostedPaymentUrl);
  const text = await other.page.locator('body').innerText();
  assert.match(text, /asks you to pay/);
  assert.doesNotMatch(text, /buyer-\d+@|Lot 26|Routing|110 000/);
  await other.close();
  await buyer.close();
});

test('scanners of mails that run scripts use up no link', async () => {
  const made = await scene.order();
  const buyer = await PayingBuyer.open(scene.browser, scene.host.url);
  await buyer.page.goto(made.hostedPaymentUrl);
  const link = await buyer.requestLink();
  for (const scripts of [true, false]) {
    await fetch(link, { method: 'HEAD', redirect: 'manual' });
    const scanner = await PayingBuyer.open(scene.browser, scene.host.url, { scripts });
    await scanner.page.goto(link);
    assert.equal(await scene.statusOf(made), 'awaiting_buyer');
    await scanner.close();
  }
  await buyer.page.goto(link);
  await buyer.see('a[href*="/kyc/"]');
  assert.equal(await scene.statusOf(made), 'buyer_kyc_pending');
  await buyer.close();
});
