// A buyer at a real browser, from the hosted URL of a payment to its receipt. It finds forms by
// what they do, so that a walk is the same in every language, with scripts and without.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { until } from '../wait.js';

export interface BuyerOptions {
  readonly scripts?: boolean;
  readonly width?: number;
  readonly scheme?: 'light' | 'dark';
  /** Of the browser. */
  readonly language?: string;
}

/** Each look keeps the browser and the host busy. */
const LOOK_EVERY_MS = 50;
/** Far beyond what it takes: a condition that does not come true by then never will. */
const PATIENCE_MS = 60_000;

/** A JPEG of one pixel. */
const photo = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////' +
    '////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
  'base64',
);

/** What the buyer types, by the names of the fields. */
const person: Readonly<Record<string, string>> = {
  firstName: 'Ana',
  lastName: 'Souza',
  dateOfBirthDay: '31',
  dateOfBirthMonth: '1',
  dateOfBirthYear: '1990',
  idDocType: 'PASSPORT',
  idDocCountry: 'US',
  idDocNumber: 'X1234567',
  country: 'US',
  addressLine1: '1 Main Street',
  city: 'Portland',
  stateProvinceRegion: 'OR',
  postalCode: '97201',
};

export class PayingBuyer {
  readonly page: Page;
  /** Errors and warnings of the console, and what was thrown. */
  readonly complaints: string[] = [];
  readonly #origin: string;
  readonly #scripts: boolean;

  static async open(
    browser: Browser,
    origin: string,
    { scripts = true, width = 1280, scheme = 'light', language = 'en' }: BuyerOptions = {},
  ): Promise<PayingBuyer> {
    const options: BrowserContextOptions = {
      javaScriptEnabled: scripts,
      viewport: { width, height: 900 },
      colorScheme: scheme,
      locale: language,
    };
    const context = await browser.newContext(options);
    return new PayingBuyer(await context.newPage(), origin, scripts);
  }

  private constructor(page: Page, origin: string, scripts: boolean) {
    this.page = page;
    this.#origin = origin;
    this.#scripts = scripts;
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.complaints.push(message.text());
    });
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }

  /** Presses the button of the form with this action. */
  async press(action: string): Promise<void> {
    const form = this.form(action);
    await this.#reach(() => form.count().then((count) => count > 0), `a form for ${action}`);
    const button = form.locator('button').first();
    if (!(await button.isVisible())) await this.#openPanelOf(action);
    await Promise.all([this.page.waitForEvent('load'), button.click()]);
  }

  /** A page with scripts asks for it by itself. */
  async seePrice(): Promise<void> {
    if (!this.#scripts) await this.press('quote');
    await this.see('form[action$="/confirm"]');
  }

  form(action: string) {
    return this.page.locator(`form[action$="/${action}"]`).first();
  }

  /** The button of the panel of test mode. */
  async simulate(event: string): Promise<void> {
    const panel = this.page.locator('.testpanel');
    const button = panel.locator(`button[value="${event}"]`);
    await this.#reach(() => button.count().then((count) => count > 0), `to simulate ${event}`);
    if (!(await button.isVisible())) await panel.locator('summary').first().click();
    await Promise.all([this.page.waitForEvent('load'), button.click()]);
  }

  async #openPanelOf(action: string): Promise<void> {
    const panel = this.page.locator(`details:has(form[action$="/${action}"])`).first();
    await panel.locator('summary').first().click();
  }

  /** From the page of a payment: requests a link, and returns that of the mail. */
  requestLink(): Promise<string> {
    return this.mailedBy('link');
  }

  /** The link of the mail that the form with this action sends. */
  async mailedBy(action: string): Promise<string> {
    const before = new Set(await this.#links());
    await this.press(action);
    return until(async () => (await this.#links()).find((link) => !before.has(link)));
  }

  /** Newest first. */
  async #links(): Promise<readonly string[]> {
    const text = await (await fetch(`${this.#origin}/dev/mailbox`)).text();
    return [...text.matchAll(/href="([^"]+\?token=[^"]+)"/g)].map(([, link = '']) => link);
  }

  /** From the page of a payment, by a mailed link. */
  async signIn(): Promise<void> {
    await this.page.goto(await this.requestLink());
    // In the browser that requested the link, the script presses the button.
    if (!this.#scripts) await this.press('enter');
    await this.#reach(async () => !this.page.url().includes('/enter'), 'to be signed in');
  }

  /** The KYC of a person, with every file that is asked for. */
  async identify(fields: Readonly<Record<string, string>> = {}): Promise<void> {
    const { page } = this;
    await this.follow('/kyc/');
    for (let steps = 0; steps < 12 && page.url().includes('/kyc/'); steps += 1) {
      if (this.#path().endsWith('/documents')) await this.uploadAll();
      await this.answer({ entityType: 'individual', ...person, ...fields });
    }
  }

  /** Fills in the page of the form, and goes on to another. */
  async answer(values: Readonly<Record<string, string>> = {}): Promise<void> {
    const path = this.#path();
    await this.fill(values);
    await this.#submit();
    if (this.#path() === path) assert.fail(`${path} refuses: ${await this.#errors()}`);
  }

  #path(): string {
    return new URL(this.page.url()).pathname;
  }

  async #errors(): Promise<string> {
    return (await this.page.locator('.errors').allTextContents()).join(' ');
  }

  /** Follows the first link of the page below this path. */
  async follow(path: string): Promise<void> {
    const target = this.page.locator(`main a[href*="${path}"]`).first();
    await this.#reach(() => target.count().then((count) => count > 0), `a link to ${path}`);
    await Promise.all([this.page.waitForEvent('load'), target.click()]);
  }

  async #choose(name: string, value: string): Promise<void> {
    await this.page.locator(`[name="${name}"][value="${value}"]`).check();
  }

  /** The fields that the page has of these. */
  async fill(values: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(values)) {
      const field = this.page.locator(`main [name="${name}"]:not([type=hidden])`).first();
      if ((await field.count()) === 0) continue;
      const kind = await field.evaluate(
        (element) => `${element.tagName} ${element.getAttribute('type')}`,
      );
      if (kind.startsWith('SELECT')) await field.selectOption(value);
      else if (kind.endsWith('radio')) await this.#choose(name, value);
      else await field.fill(value);
    }
  }

  async uploadAll(): Promise<void> {
    while (await this.upload()) {
      // Each upload loads the page again.
    }
  }

  /** The first file that is missing; false if none is. */
  async upload(): Promise<boolean> {
    const { page } = this;
    const missing = page.locator('.files > li:not(:has(.state.ok)) form:has(input[type=file])');
    const left = await missing.count();
    if (left === 0) return false;
    const form = missing.first();
    const file = { name: 'photo.jpg', mimeType: 'image/jpeg', buffer: photo };
    await form.locator('input[type=file]').setInputFiles(file);
    // The script sends a file as soon as it is chosen, and shows the answer without a load.
    if (!this.#scripts) {
      const answered = page.waitForEvent('load');
      await form.locator('button').first().click();
      await answered;
    }
    await this.#reach(async () => (await missing.count()) < left, 'the file to be received');
    return true;
  }

  async #submit(): Promise<void> {
    const button = this.page.locator('main .btn.primary').last();
    await Promise.all([this.page.waitForEvent('load'), button.click()]);
  }

  /** Waits until the page shows it. Without scripts a page changes when it is loaded again. */
  async #reach(isThere: () => Promise<boolean>, what: string): Promise<void> {
    const endsAtMs = performance.now() + PATIENCE_MS;
    await until(async () => {
      if (await isThere().catch(() => false)) return true;
      const isOver = performance.now() > endsAtMs;
      assert.ok(!isOver, `the page never shows ${what}: ${await this.heading()}`);
      // The answer to a form that was just sent may arrive first and end the reload.
      if (!this.#scripts) await this.page.reload().catch(() => undefined);
      await wait(LOOK_EVERY_MS);
      return false;
    });
  }

  async seeHeading(words: RegExp): Promise<void> {
    await this.#reach(async () => words.test(await this.heading()), `${words}`);
  }

  async heading(): Promise<string> {
    const text = await this.page.locator('h1').first().textContent();
    return (text ?? '').replaceAll('\u00a0', ' ');
  }

  /** Waits until the page has such an element. */
  async see(selector: string): Promise<void> {
    const found = this.page.locator(selector).first();
    await this.#reach(() => found.isVisible(), selector);
  }
}
