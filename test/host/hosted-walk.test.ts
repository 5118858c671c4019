// A buyer's whole way in a real browser, against a real development host: from the create over the
// mailed link to the receipt and back to the integrator's site.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { type BuyerOptions, PayingBuyer } from '../support/scenes/paying-buyer.js';
import { openBrowser } from '../support/servers/browser.js';
import { type HostProcess, startHostProcess } from '../support/servers/host-process.js';
import { suiteEnd } from '../support/suite-end.js';
import { temporaryFolder } from '../support/temporary-folder.js';

let host: HostProcess;
let browser: Browser;
/** The integrator's own site. */
const shop = createServer((_, response) => response.end('<h1>Thank you</h1>'));
let shopUrl = '';
let orders = 0;

const suite = suiteEnd();

before(async () => {
  shop.listen(0, '127.0.0.1');
  suite.after(() => shop.close());
  await once(shop, 'listening');
  shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/thanks`;
  host = await startHostProcess({
    PONTE_DATA_DIR: temporaryFolder(),
    PONTE_FAKE_PARTNER_DELAY_MS: '50',
  });
  suite.after(() => host.stop('SIGTERM'));
  browser = await openBrowser();
  suite.after(() => browser.close());
});

interface Order {
  readonly id: string;
  readonly hostedPaymentUrl: string;
}

interface FeedEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
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

/** The types of the events of a payment, in their order. */
async function eventsOf({ id }: Order): Promise<readonly string[]> {
  const found: string[] = [];
  for (let after = 0; ; ) {
    const path = `/v1/events?after=${after}&limit=100`;
    const page = await call<{ data: readonly FeedEvent[]; nextAfter: number }>('GET', path);
    const own = page.data.filter(({ data }) =>
      [data['paymentIntentId'], data['invoiceId']].includes(id),
    );
    found.push(...own.map(({ event }) => event));
    if (page.nextAfter === after) return found;
    after = page.nextAfter;
  }
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
    scripts: false,
    width: 320,
    scheme: 'light',
    language: 'pt-BR',
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

/** At the price; the sandbox filled in the form. */
async function priced(options: BuyerOptions = {}, fields = {}) {
  const { made, buyer } = await signedIn(options, fields);
  await buyer.simulate('identity_sent');
  await buyer.press('quote');
  await buyer.see('form[action$="/confirm"]');
  return { made, buyer };
}

/** At the bank details, by the shortest way. */
async function transferring(options: BuyerOptions = {}, fields = {}) {
  const { made, buyer } = await priced(options, fields);
  await buyer.press('confirm');
  await buyer.see('.exact');
  return { made, buyer };
}

interface Ending {
  readonly name: string;
  /** The events that are simulated, one after the other, and the heading after each. */
  readonly events: readonly (readonly [event: string, heading: RegExp])[];
}

const endings: readonly Ending[] = [
  {
    name: 'a short transfer waits for the rest, then it is paid',
    events: [
      ['money_short', /USD 1\.00 is still missing/],
      ['money_top_up', /Paid/],
    ],
  },
  { name: 'too much money: the rest goes back', events: [['money_over', /Paid/]] },
  { name: 'a failed transfer ends the payment', events: [['money_fails', /did not go through/]] },
];

for (const { name, events } of endings) {
  test(name, async () => {
    const { buyer } = await transferring();
    for (const [event, heading] of events) {
      await buyer.simulate(event);
      await buyer.seeHeading(heading);
    }
    assert.deepEqual(buyer.complaints, []);
    await buyer.close();
  });
}

test('a payout that fails: a person looks into it, and nobody pays twice', async () => {
  const { buyer } = await transferring();
  await buyer.simulate('payout_fails');
  await buyer.simulate('money_arrives');
  await buyer.seeHeading(/We are looking into your payment/);
  assert.match(await buyer.page.locator('main').innerText(), /Do not pay again/i);
  await buyer.close();
});

test('a payout that comes back is refunded', async () => {
  const { buyer } = await transferring();
  await buyer.simulate('payout_returns');
  await buyer.simulate('money_arrives');
  await buyer.seeHeading(/Your money is (coming )?back/);
  await buyer.close();
});

test('the buyer of a short transfer asks for all back', async () => {
  const { made, buyer } = await transferring();
  await buyer.simulate('money_short');
  await buyer.follow('/take-back');
  await buyer.press('take-back');
  await buyer.seeHeading(/Your money is (coming )?back/);
  assert.equal(await statusOf(made), 'cancelled');
  await buyer.close();
});

test('a cancelled request says that nothing was paid', async () => {
  const { made, buyer } = await signedIn();
  await call('POST', `/v1/payments/${made.id}/cancel`, { reason: 'no longer needed' });
  await buyer.page.goto(made.hostedPaymentUrl);
  await buyer.seeHeading(/withdrew this request/);
  await buyer.close();
});

test('a rejected buyer cannot pay and learns no reason', async () => {
  const { buyer } = await signedIn({}, { buyer: { email: 'fail@buyer.example', name: 'Fail' } });
  await buyer.simulate('identity_sent');
  await buyer.seeHeading(/We cannot take this payment/);
  assert.doesNotMatch(await buyer.page.locator('main').innerText(), /sandbox|reject/i);
  await buyer.close();
});

test('a price that has run out is renewed in one click', async () => {
  const { buyer } = await priced();
  await buyer.simulate('quote_expired');
  await buyer.seeHeading(/This price has run out/);
  await buyer.press('quote');
  await buyer.see('form[action$="/confirm"]');
  await buyer.close();
});

test('the price of another tab is not confirmed: the new one is shown first', async () => {
  const { made, buyer } = await priced();
  const other = await buyer.page.context().newPage();
  await other.goto(made.hostedPaymentUrl);
  await buyer.simulate('rate_moved');
  await buyer.see('form[action$="/confirm"]');
  await Promise.all([
    other.waitForEvent('load'),
    other.locator('form[action$="/confirm"] button').first().click(),
  ]);
  assert.equal(await statusOf(made), 'fx_quoted');
  assert.match((await other.locator('h1').first().textContent()) ?? '', /The price was updated/);
  await buyer.close();
});

test('two clicks on the button send one pay-in', async () => {
  const { made, buyer } = await priced({ scripts: false });
  await buyer.form('confirm').locator('button').first().dblclick();
  await buyer.see('.exact');
  const ordered = (await eventsOf(made)).filter((event) => event.endsWith('.on_ramp_pending'));
  assert.deepEqual(ordered, ['payment_intent.on_ramp_pending', 'invoice.on_ramp_pending']);
  await buyer.close();
});

test('the back button leads to the current state, not to an old form', async () => {
  const { buyer } = await transferring();
  await buyer.page.goBack();
  await buyer.see('.exact');
  await buyer.close();
});

test('a person with the link alone sees what the mail showed, and no more', async () => {
  const { made, buyer } = await transferring();
  const other = await PayingBuyer.open(browser, host.url);
  await other.page.goto(made.hostedPaymentUrl);
  const text = await other.page.locator('body').innerText();
  assert.match(text, /asks you to pay/);
  assert.doesNotMatch(text, /buyer-\d+@|Lot 26|Routing|110 000/);
  await other.close();
  await buyer.close();
});

test('scanners of mails that run scripts use up no link', async () => {
  const made = await order();
  const buyer = await PayingBuyer.open(browser, host.url);
  await buyer.page.goto(made.hostedPaymentUrl);
  const link = await buyer.requestLink();
  for (const scripts of [true, false]) {
    await fetch(link, { method: 'HEAD', redirect: 'manual' });
    const scanner = await PayingBuyer.open(browser, host.url, { scripts });
    await scanner.page.goto(link);
    assert.equal(await statusOf(made), 'awaiting_buyer');
    await scanner.close();
  }
  await buyer.page.goto(link);
  await buyer.see('a[href*="/kyc/"]');
  assert.equal(await statusOf(made), 'buyer_kyc_pending');
  await buyer.close();
});
