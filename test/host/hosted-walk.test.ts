// A buyer's whole way in a real browser, against a real development host: from the create over the
// mailed link to the receipt and back to the integrator's site.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../support/browser.js';
import { type HostProcess, startHostProcess } from '../support/host-process.js';
import { type BuyerOptions, PayingBuyer } from '../support/paying-buyer.js';
import { temporaryFolder } from '../support/temporary-folder.js';

let host: HostProcess;
let browser: Browser;
/** The integrator's own site. */
const shop = createServer((_, response) => response.end('<h1>Thank you</h1>'));
let shopUrl = '';
let orders = 0;

before(async () => {
  shop.listen(0, '127.0.0.1');
  await once(shop, 'listening');
  shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/thanks`;
  [host, browser] = await Promise.all([
    startHostProcess({ PONTE_DATA_DIR: temporaryFolder(), PONTE_FAKE_PARTNER_DELAY_MS: '50' }),
    openBrowser(),
  ]);
});

after(async () => {
  await browser.close();
  await host.stop('SIGTERM');
  shop.close();
});

interface Order {
  readonly id: string;
  readonly hostedPaymentUrl: string;
}

async function order(fields: Readonly<Record<string, unknown>> = {}): Promise<Order> {
  orders += 1;
  return call('POST', '/v1/payment-intents', {
    externalId: `walk-${orders}`,
    amount: '250.00',
    // Each buyer has to identify itself once.
    buyer: { email: `buyer-${orders}@buyer.example`, name: 'Ana Souza', country: 'US' },
    returnUrl: shopUrl,
    display: { title: 'Green coffee', lineItems: [{ description: 'Lot 26', subtotal: '250.00' }] },
    ...fields,
  });
}

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${host.url}${path}`, {
    method,
    headers: { 'x-api-key': host.key ?? '', 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.ok(response.ok, `${method} ${path}: ${response.status}`);
  return (await response.json()) as T;
}

async function statusOf({ id }: Order): Promise<string> {
  return (await call<{ status: string }>('GET', `/v1/payments/${id}`)).status;
}

/** A signed-in buyer on the page of a new payment. */
async function signedIn(options: BuyerOptions = {}, fields = {}) {
  const made = await order(fields);
  const buyer = await PayingBuyer.open(browser, host.url, options);
  await buyer.page.goto(made.hostedPaymentUrl);
  await buyer.signIn();
  return { made, buyer };
}

/** At the bank details. */
async function confirmed(options: BuyerOptions = {}, fields = {}) {
  const { made, buyer } = await signedIn(options, fields);
  await buyer.identify();
  await buyer.press('quote');
  await buyer.press('confirm');
  await buyer.see('.exact');
  return { made, buyer };
}

const ways: readonly (BuyerOptions & { readonly name: string })[] = [
  { name: 'with scripts, wide, light, English', width: 1280, scheme: 'light', language: 'en' },
  { name: 'with scripts, phone, dark, Spanish', width: 320, scheme: 'dark', language: 'es' },
  {
    name: 'without scripts, phone, light, Portuguese',
    ...{ scripts: false, width: 320, scheme: 'light', language: 'pt-BR' },
  },
];

for (const { name, ...options } of ways) {
  test(`a buyer pays: ${name}`, async () => {
    const { made, buyer } = await confirmed(options);
    assert.equal(await statusOf(made), 'on_ramp_pending');
    await buyer.simulate('money_arrives');
    await buyer.see(`a[href="${shopUrl}"]`);
    assert.equal(await statusOf(made), 'settled');
    assert.equal(await buyer.page.locator('html').getAttribute('lang'), options.language);
    await buyer.follow('/receipt');
    assert.deepEqual(buyer.complaints, []);
    await buyer.page.goto(made.hostedPaymentUrl);
    await buyer.follow(shopUrl);
    assert.equal(await buyer.heading(), 'Thank you');
    await buyer.close();
  });
}
