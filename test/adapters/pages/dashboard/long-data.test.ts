// What lists, the page of a payment and long documents look like with the longest data, in a real
// browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listedPages, readContents } from '../../../../adapters/pages/documentation/contents.js';
import { locales } from '../../../../core/domain/base/locale.js';
import { openBrowser } from '../../../support/servers/browser.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { faultsOf } from '../axe.js';
import { pageSite } from '../visitor.js';
import { memberToken, rootOf } from './dashboard-site.js';
import { fillLongData } from './long-data.js';

/** In px. */
const ROW_MAX = 48;
const PAYMENT_MAX = 2_000;
/** Of the name of a buyer, in px. */
const NAME_MIN = 136;

const suite = suiteEnd();
const site = await pageSite(suite, { payins: 'wait' });
Object.assign(site.world.deps.settings, { baseUrl: site.origin, payUrl: site.origin });
const data = await fillLongData(site);
const browser = await openBrowser();
suite.after(() => browser.close());
const page = await browser.newPage({ reducedMotion: 'reduce' });
const member = { name: 'ponte-member', value: await memberToken(site, 'owner') };
await page.context().addCookies([{ ...member, url: site.origin }]);

/** In one page of the browser: a new one takes longer than most checks. */
async function open(path: string, language: string): Promise<void> {
  const url = site.origin;
  await page.context().addCookies([{ name: 'ponte-language', value: language, url }]);
  await page.goto(`${url}${rootOf(site)}${path}`);
}

/** What is hidden at the side of the page, or of a box that scrolls. */
const sideways = `[document.documentElement, ...document.querySelectorAll('main .scroll')]
  .filter((box) => box.scrollWidth > box.clientWidth + 1)
  .map((box) => box.className + ' ' + box.scrollWidth + ' of ' + box.clientWidth)`;

/**
 * Heights of rows, texts of references and amounts in two lines or without a blank that they have,
 * texts that are cut without a title with all of them, and room for too few letters.
 */
const broken = `[...document.querySelectorAll('.list tr')].flatMap((row) => {
  const cells = [...row.querySelectorAll('.c-ref, .c-amount, .c-brl')];
  const twice = cells.filter((cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const tops = [...range.getClientRects()].map(({ top }) => Math.round(top));
    return Math.max(...tops) - Math.min(...tops) > 8;
  });
  const height = row.getBoundingClientRect().height;
  const narrow = [...row.querySelectorAll('td.c-buyer')].filter(
    (cell) => innerWidth === 1280 && cell.getBoundingClientRect().width < ${NAME_MIN},
  );
  const cut = [...row.querySelectorAll('td:not([title]), .badge')].filter(
    (cell) => cell.scrollWidth > cell.clientWidth + 1,
  );
  const joined = [...row.querySelectorAll('.ending')].filter(
    (reference) => reference.innerText !== reference.textContent,
  );
  return [
    ...(matchMedia('(min-width: 40rem)').matches && height > ${ROW_MAX} ? [height + ' px'] : []),
    ...[...twice, ...cut, ...joined, ...narrow].map((cell) => cell.textContent),
  ];
})`;

/** What has no such list; the last two are of no organization, and nowhere. */
const others = [
  '/team',
  '/settings',
  '/settings/change',
  '/getting-started',
  '/nothing',
  '/../../sessions',
] as const;

const lists = ['/payments', '/invoices', '/invoices?status=overdue', '/sellers', ''] as const;

for (const language of locales) {
  test(`no row of a list has two lines, and nothing is hidden sideways, in ${language}`, async () => {
    for (const path of lists) {
      await open(path, language);
      // A browser that zooms a page of 1280 px to 200 % has 640 px for it.
      for (const width of [1280, 640, 390]) {
        await page.setViewportSize({ width, height: 900 });
        assert.ok((await page.locator('.list tbody tr').count()) >= 4, path);
        assert.deepEqual(await page.evaluate(broken), [], `${path} at ${width}`);
        assert.deepEqual(await page.evaluate(sideways), [], `${path} at ${width}`);
      }
    }
  });
}

for (const language of locales) {
  test(`nothing of the other pages is hidden sideways, in ${language}`, async () => {
    for (const path of others) {
      await open(path, language);
      for (const width of [1280, 390, 320]) {
        await page.setViewportSize({ width, height: 900 });
        assert.deepEqual(await page.evaluate(sideways), [], `${path} at ${width}`);
      }
    }
  });
}

test('on a phone the first payment is on the first screen, and the header is one row', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open('/payments', 'pt-BR');
  const topOf = async (selector: string) =>
    Number(
      await page.evaluate(
        `document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().bottom`,
      ),
    );
  const [bar, header] = [await topOf('.testbar'), await topOf('.rail')];
  assert.ok(header - bar < 64, `${header - bar} px`);
  const first = await topOf('.list tbody tr:not(.day)');
  assert.ok(first < 600, `${first} px`);
  assert.ok((await topOf('.head .primary')) <= (await topOf('.head .btn:not(.primary)')));
});

test('the menu of a phone opens and leads on', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open('', 'en');
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: /^Invoices/ }).click();
  await page.getByRole('heading', { name: 'Invoices', level: 1 }).waitFor();
});

test('the page of a payment fits two screens, with four endpoints that fail', async () => {
  await page.setViewportSize({ width: 1280, height: 900 });
  for (const id of Object.values(data.payments)) {
    await open(`/payments/${id}`, 'en');
    const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
    assert.ok(height < PAYMENT_MAX, `${id}: ${height} px`);
  }
});

test('axe finds nothing on lists and payments, and nothing scrolls sideways', async () => {
  const paths = [
    ...lists,
    ...others,
    '/sellers/new',
    ...Object.values(data.payments).map((id) => `/payments/${id}`),
  ];
  for (const [index, path] of paths.entries()) {
    const language = locales[index % locales.length] ?? 'en';
    await open(path, language);
    // A phone whose letters are twice as large has 195 px for them.
    for (const width of [195, 1280, 390, 320]) {
      await page.setViewportSize({ width, height: 900 });
      const shown = Number(await page.evaluate('document.documentElement.scrollWidth'));
      assert.ok(shown <= width, `${path} in ${language}: ${shown} px at ${width} px`);
      if (width === 195) continue;
      assert.deepEqual(await faultsOf(page, 'all'), [], `${path}, ${language}, ${width}`);
    }
  }
});

test('a press anywhere on a row opens its payment', async () => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await open('/payments', 'en');
  await page.locator('.list .c-amount').nth(1).click({ force: true });
  await page.getByRole('heading', { name: 'What happened' }).waitFor();
});

test('no page of the documentation scrolls sideways on a phone', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  const paths = listedPages(await readContents()).map(({ path }) => `/${path}`);
  for (const path of ['', '/reference', '/errors', ...paths]) {
    const answer = await page.goto(`${site.origin}/docs${path}`);
    assert.equal(answer?.status(), 200, path);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390, path);
  }
});
