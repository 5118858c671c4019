// The documentation in a browser: axe finds nothing on a page of each kind, the policy holds, and
// what the script does: search, the key of the reader, one language.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBrowser, type WatchedPage, watchedPage } from '../../../support/servers/browser.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { sharedSite } from '../../http/checked-site.js';
import { faultsOf, openDetails } from '../axe.js';

const kinds = [
  '',
  '/guides',
  '/guides/quickstart',
  '/manual/settings',
  '/reference',
  '/reference/createPaymentIntent',
  '/errors',
  '/errors/SellerNotReady',
  '/events/invoice.settled',
];

let docs: WatchedPage;
let origin = '';

const suite = suiteEnd();
const site = sharedSite(async () => {
  const browser = await openBrowser();
  suite.after(() => browser.close());
  docs = await watchedPage(browser);
  await docs.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  origin = `http://127.0.0.1:${site.port}`;
});

for (const width of [1280, 320]) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`axe finds nothing, and nothing scrolls sideways: ${width} px, ${colorScheme}`, async () => {
      const { page, complaints } = docs;
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const kind of kinds) {
        await page.goto(`${origin}/docs${kind}`);
        await openDetails(page);
        assert.deepEqual(await faultsOf(page, 'all'), [], kind);
        const content = await page.evaluate('document.documentElement.scrollWidth');
        assert.equal(content, width, kind);
      }
      assert.deepEqual(complaints, []);
    });
  }
}

test('a test key fills in every example, a live key is refused, and neither leaves the tab', async () => {
  const { page, requested } = docs;
  await page.goto(`${origin}/docs/guides/quickstart`);
  const before = requested.length;
  await page.fill('#key', 'pk_live_key_1.secret-of-mine');
  assert.equal(await page.inputValue('#key'), '');
  assert.match((await page.textContent('#key-hint')) ?? '', /live key/);
  await page.fill('#key', 'pk_test_key_1.secret-of-mine');
  const shown = await page.locator('[data-key]').allTextContents();
  assert.deepEqual([...new Set(shown)], ['pk_test_key_1.secret-of-mine']);
  assert.equal(requested.length, before);
  await page.goto(`${origin}/docs/guides/payments`);
  assert.equal(
    await page.locator('[data-key]').first().textContent(),
    'pk_test_key_1.secret-of-mine',
  );
  assert.ok(!requested.some((url) => url.includes('secret-of-mine')));
});

test('one language is chosen for all examples, and stays', async () => {
  const { page } = docs;
  await page.goto(`${origin}/docs/guides/quickstart`);
  await page.locator('.codetabs label', { hasText: 'Python' }).first().click();
  await page.goto(`${origin}/docs/guides/sellers`);
  const shown = await page.locator('.codetabs pre:visible').allTextContents();
  assert.ok(shown.length > 3 && shown.every((text) => text.startsWith('from ponte import')));
});

test('the search finds an error code from the words of its message', async () => {
  const { page } = docs;
  await page.goto(`${origin}/docs/guides/quickstart`);
  await page.fill('#find', 'seller paid readytocollect');
  await page.locator('#found a', { hasText: 'SellerNotReady' }).first().click();
  await page.waitForURL(`${origin}/docs/errors/SellerNotReady`);
  assert.equal(await page.textContent('h1'), 'SellerNotReady');
});

test('the search is used by keys: a slash, arrows, Enter, Escape', async () => {
  const { page } = docs;
  const focused = () =>
    page.evaluate<string>('document.activeElement.id || document.activeElement.href');
  await page.goto(`${origin}/docs/guides/quickstart`);
  await page.keyboard.press('/');
  assert.equal(await focused(), 'find');
  await page.keyboard.type('hmac');
  await page.locator('#found a').first().waitFor();
  assert.match((await page.textContent('#found small')) ?? '', /HMAC/);
  await page.keyboard.press('ArrowDown');
  const first = await focused();
  assert.ok(first.startsWith(`${origin}/docs/`));
  await page.keyboard.press('ArrowUp');
  assert.equal(await focused(), 'find');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#found').isVisible(), false);
  // In a field it is a letter.
  await page.keyboard.press('/');
  assert.equal(await page.inputValue('#find'), 'hmac/');
  await page.fill('#find', 'hmac');
  await page.locator('#found a').first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(first);
});

test('what no page has is said, to eyes and to screen readers', async () => {
  const { page } = docs;
  await page.goto(`${origin}/docs`);
  await page.fill('#find', 'zebra <b> crossing');
  const words = 'No page has “zebra <b> crossing”.';
  await page.locator('#found', { hasText: words }).waitFor();
  assert.equal(await page.textContent('#says'), words);
});

test('a block is copied with the key of the reader, by keys, and said to screen readers', async () => {
  const { page } = docs;
  await page.goto(`${origin}/docs/guides/quickstart`);
  await page.fill('#key', 'pk_test_key_1.secret-of-mine');
  await page.locator('[data-copy-code]:visible').first().press('Enter');
  await page
    .locator('#says', { hasText: 'Copied: POST /v1/payment-intents' })
    .waitFor({ state: 'attached' });
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  assert.match(copied, /pk_test_key_1.secret-of-mine/);
});
