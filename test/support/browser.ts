// A real Chromium for tests of the pages, installed by npm alone. A page records its network
// requests and every console error, policy violations included.
import chromium from '@sparticuz/chromium';
import { type Browser, type Page, chromium as playwright } from 'playwright-core';

export interface WatchedPage {
  readonly page: Page;
  /** URLs that were asked for, data: URLs aside. */
  readonly requested: readonly string[];
  /** Errors and warnings of the console, and what was thrown. */
  readonly complaints: readonly string[];
}

export async function openBrowser(): Promise<Browser> {
  const executablePath = await chromium.executablePath();
  // Not the arguments that come with it: they turn off what browsers protect people with.
  return playwright.launch({ executablePath, args: ['--no-sandbox'], headless: true });
}

export async function watchedPage(browser: Browser): Promise<WatchedPage> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
  const requested: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) requested.push(request.url());
  });
  page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  return { page, requested, complaints };
}
