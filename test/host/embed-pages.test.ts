// createPonte with `listen`: a buyer goes through the hosted pages without a browser, and without
// anything outside of the process. Nothing but the buyer moves the payment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPonte, type Ponte } from '../../host/embed.js';
import { formsOf, type Shown, textOf, Visitor } from '../adapters/pages/visitor.js';
import { until } from '../support/wait.js';

/** In the newest mail, once it was sent. */
function mailedLink({ mails }: Ponte): Promise<string> {
  return until(() => /https?:\/\/\S+\?token=[\w-]+/.exec(mails.at(-1)?.text ?? '')?.[0]);
}

/** The page of the payment, once it has this form. */
function withForm(buyer: Visitor, path: string, action: string): Promise<Shown> {
  return until(async () => {
    const shown = await buyer.open(path);
    return formsOf(shown.text).some((form) => form.action.endsWith(action)) && shown;
  });
}

test('a buyer gets to the receipt over the pages alone; due work runs by itself', async (t) => {
  const ponte = await createPonte();
  t.after(() => ponte.close());
  const origin = await ponte.listen();
  const { id, hostedPaymentUrl } = await ponte.post('/v1/payment-intents', {
    externalId: 'order-1',
    amount: '250.00',
    buyer: { email: 'ana@buyer.example' },
  });
  const { href, pathname: path } = new URL(String(hostedPaymentUrl));
  assert.equal(href, `${origin}${path}`);

  const buyer = new Visitor(origin);
  assert.match((await buyer.open(path)).heading, /asks you to pay/);
  await buyer.send('/link');
  await buyer.open(await mailedLink(ponte));
  await buyer.send('/enter');
  await buyer.send('/simulate', { event: 'identity_sent' });
  await withForm(buyer, path, '/quote');
  await buyer.send('/quote');
  await buyer.send('/confirm');
  await until(async () => (await buyer.open(path)).text.includes('<dl class="exact">'));
  await buyer.send('/simulate', { event: 'money_arrives' });
  await until(async () => /Paid/.test((await buyer.open(path)).heading));

  const receipt = await buyer.open(`${path}/receipt`);
  assert.equal(receipt.status, 200);
  assert.match(textOf(receipt.text), /USD 250\.00/);
  assert.equal((await ponte.get(`/v1/payments/${id}`))['status'], 'settled');
});
