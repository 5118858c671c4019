// The browsable description in a real browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routes } from '../../../../adapters/http/routes.js';
import { eventTypes } from '../../../../core/domain/payments/event.js';
import { openBrowser, type WatchedPage, watchedPage } from '../../../support/servers/browser.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { sharedSite } from '../checked-site.js';

/** One page for all tests: it takes seconds to draw. */
let docs: WatchedPage;

const suite = suiteEnd();
const site = sharedSite(async () => {
  const browser = await openBrowser();
  suite.after(() => browser.close());
  docs = await watchedPage(browser);
  await docs.page.goto(`http://127.0.0.1:${site.port}/docs`);
  await docs.page.waitForSelector('.opblock');
});

test('it shows every operation and event, asks no other origin, and keeps its policy', async () => {
  const { page, requested, complaints } = docs;
  const origin = `http://127.0.0.1:${site.port}`;
  const shown = await page.locator('.opblock-summary-path').allTextContents();
  const paths = routes.flatMap(({ operations }) => Object.values(operations));
  assert.deepEqual(
    shown.map((path) => path.replaceAll('\u200b', '')).toSorted(),
    [...paths, ...eventTypes].toSorted(),
  );
  await page.locator('.opblock-summary-control').first().click();
  await page.waitForSelector('.opblock-body .responses-table');
  if (process.env.PONTE_TEST_SCREENSHOT !== undefined) {
    await page.screenshot({ path: process.env.PONTE_TEST_SCREENSHOT });
  }
  assert.deepEqual(complaints, []);
  assert.deepEqual(
    requested.filter((url) => !url.startsWith(`${origin}/`)),
    [],
  );
});

test('the essentials are visible, details unfold', async () => {
  const { page, complaints } = docs;
  const introduction = page.locator('.info .description');
  await introduction.locator('ol > li').first().waitFor();
  assert.equal(await introduction.locator('ol > li').count(), 4);
  assert.equal(await introduction.locator('table:visible').count(), 0);
  const summaries = introduction.locator('details > summary');
  for (const summary of await summaries.all()) await summary.click();
  assert.equal(await summaries.count(), 7);
  assert.equal(await introduction.locator('details table:visible').count(), 3);
  assert.deepEqual(complaints, []);
});

test('an operation can be tried from it', async () => {
  const { page, complaints } = docs;
  const operation = page.locator('[id^="operations-"][id$="-healthz"]');
  await operation.locator('.opblock-summary-control').click();
  await operation.locator('.try-out__btn').click();
  await operation.locator('.execute').click();
  const answer = operation.locator('.live-responses-table pre code').first();
  assert.match((await answer.textContent()) ?? '', /"status": "ok"/);
  assert.deepEqual(complaints, []);
});

test('Authorize opens at the API key, ready to take it', async () => {
  const { page, complaints } = docs;
  await page.locator('.btn.authorize').first().click();
  const first = page.locator('.modal-ux-content .auth-container').first();
  assert.match((await first.locator('h4').textContent()) ?? '', /^ApiKey/);
  await page.keyboard.type('pk_test_1.secret');
  assert.equal(await first.locator('input').inputValue(), 'pk_test_1.secret');
  assert.equal(await page.evaluate("document.querySelector('.modal-ux-content').scrollTop"), 0);
  assert.deepEqual(complaints, []);
  await page.locator('.close-modal').click();
});

test('what the policy forbids does not happen in it', async () => {
  const { page, complaints } = docs;
  await page.evaluate(`{
    const script = document.createElement('script');
    script.textContent = 'window.injected = true';
    document.body.append(script);
  }`);
  assert.equal(await page.evaluate('window.injected'), undefined);
  await assert.rejects(page.evaluate(`fetch('http://localhost:${site.port}/healthz')`));
  for (const directive of ['script-src', 'connect-src']) {
    const violations = complaints.filter((text) => text.includes('Content Security Policy'));
    assert.ok(
      violations.some((text) => text.includes(directive)),
      directive,
    );
  }
});
