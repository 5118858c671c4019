// Buyers at a real browser, against a real development host, and the integrator's site to which
// they return.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../servers/browser.js';
import { type HostProcess, startHostProcess } from '../servers/host-process.js';
import type { SuiteEnd } from '../suite-end.js';
import { temporaryFolder } from '../temporary-folder.js';
import { type BuyerOptions, PayingBuyer } from './paying-buyer.js';

interface Order {
  readonly id: string;
  readonly hostedPaymentUrl: string;
}

interface FeedEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export class WalkScene {
  readonly host: HostProcess;
  readonly browser: Browser;
  /** The integrator's own site. */
  readonly shopUrl: string;
  #orders = 0;

  static async open(suite: SuiteEnd): Promise<WalkScene> {
    const shop = createServer((_, response) => response.end('<h1>Thank you</h1>'));
    shop.listen(0, '127.0.0.1');
    suite.after(() => shop.close());
    await once(shop, 'listening');
    const host = await startHostProcess({
      PONTE_DATA_DIR: temporaryFolder(),
      PONTE_FAKE_PARTNER_DELAY_MS: '50',
    });
    suite.after(() => host.stop('SIGTERM'));
    const browser = await openBrowser();
    suite.after(() => browser.close());
    const shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/thanks`;
    return new WalkScene(host, browser, shopUrl);
  }

  private constructor(host: HostProcess, browser: Browser, shopUrl: string) {
    this.host = host;
    this.browser = browser;
    this.shopUrl = shopUrl;
  }

  async order(fields: Readonly<Record<string, unknown>> = {}): Promise<Order> {
    this.#orders += 1;
    return this.call('POST', '/v1/payment-intents', {
      externalId: `walk-${this.#orders}`,
      amount: '250.00',
      // Each buyer has to identify itself once.
      buyer: { email: `buyer-${this.#orders}@buyer.example`, name: 'Ana Souza', country: 'US' },
      returnUrl: this.shopUrl,
      display: {
        title: 'Green coffee',
        lineItems: [{ description: 'Lot 26', subtotal: '250.00' }],
      },
      ...fields,
    });
  }

  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.host.url}${path}`, {
      method,
      headers: { 'x-api-key': this.host.key ?? '', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    assert.ok(response.ok, `${method} ${path}: ${response.status}`);
    return (await response.json()) as T;
  }

  async statusOf({ id }: Order): Promise<string> {
    return (await this.call<{ status: string }>('GET', `/v1/payments/${id}`)).status;
  }

  /** The types of the events of a payment, in their order. */
  async eventsOf({ id }: Order): Promise<readonly string[]> {
    const found: string[] = [];
    for (let after = 0; ; ) {
      const path = `/v1/events?after=${after}&limit=100`;
      const page = await this.call<{ data: readonly FeedEvent[]; nextAfter: number }>('GET', path);
      const own = page.data.filter(({ data }) =>
        [data['paymentIntentId'], data['invoiceId']].includes(id),
      );
      found.push(...own.map(({ event }) => event));
      if (page.nextAfter === after) return found;
      after = page.nextAfter;
    }
  }

  /** A signed-in buyer on the page of a new payment. */
  async signedIn(options: BuyerOptions = {}, fields = {}) {
    const made = await this.order(fields);
    const buyer = await PayingBuyer.open(this.browser, this.host.url, options);
    await buyer.page.goto(made.hostedPaymentUrl);
    await buyer.signIn();
    return { made, buyer };
  }

  /** At the bank details. */
  async confirmed(options: BuyerOptions = {}, fields = {}) {
    const { made, buyer } = await this.signedIn(options, fields);
    await buyer.identify();
    await buyer.seePrice();
    await buyer.press('confirm');
    await buyer.see('.exact');
    return { made, buyer };
  }

  /** At the price; the sandbox filled in the form. */
  async priced(options: BuyerOptions = {}, fields = {}) {
    const { made, buyer } = await this.signedIn(options, fields);
    await buyer.simulate('identity_sent');
    await buyer.seePrice();
    return { made, buyer };
  }

  /** At the bank details, by the shortest way. */
  async transferring(options: BuyerOptions = {}, fields = {}) {
    const { made, buyer } = await this.priced(options, fields);
    await buyer.press('confirm');
    await buyer.see('.exact');
    return { made, buyer };
  }

  /** From the create to the receipt and back to the integrator's site. */
  async pay(options: BuyerOptions & { readonly language: string }): Promise<void> {
    const { made, buyer } = await this.confirmed(options);
    assert.equal(await this.statusOf(made), 'on_ramp_pending');
    await buyer.simulate('money_arrives');
    await buyer.see(`a[href="${this.shopUrl}"]`);
    assert.equal(await this.statusOf(made), 'settled');
    assert.equal(await buyer.page.locator('html').getAttribute('lang'), options.language);
    await buyer.follow('/receipt');
    assert.deepEqual(buyer.complaints, []);
    await buyer.page.goto(made.hostedPaymentUrl);
    await buyer.follow(this.shopUrl);
    assert.equal(await buyer.heading(), 'Thank you');
    await buyer.close();
  }
}
