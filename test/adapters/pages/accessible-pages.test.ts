// The hosted pages in a real browser, for everyone: axe finds nothing, nothing scrolls sideways on
// a small phone, the keyboard reaches everything in order, and they keep their policy. Here a few
// pages with all kinds of elements are looked at, each in one language, scheme and width; the
// nightly run looks at all of them in all variants.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { locales } from '../../../core/domain/base/locale.js';
import { openBrowser } from '../../support/servers/browser.js';
import { suiteEnd } from '../../support/suite-end.js';
import { coveringSamples } from './all-samples.js';
import { faultsOf } from './axe.js';
import { brandedSamples } from './buyer/page-samples.js';
import { pageServer } from './page-server.js';
import { visitPages } from './page-visit.js';
import { assertOnePage, printed } from './printed-page.js';

const suite = suiteEnd();
const server = await pageServer();
suite.after(() => server.close());
const browser = await openBrowser();
suite.after(() => browser.close());
/** A new one takes longer than most tests. */
const page = await browser.newPage();
await page.context().grantPermissions(['clipboard-write']);

async function open(name: string, width = 1280): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.goto(server.urlOf(name, 'en'));
}

/** How a page is looked at. */
const variants = locales.flatMap((locale) =>
  [1280, 320].flatMap((width) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ locale, width, colorScheme })),
  ),
);

const chosen = coveringSamples();
const looks = chosen.map(({ name }, index) => ({ name, ...inTurn(variants, index) }));
const visits = await visitPages(browser, server, looks, [640]);

test('axe finds nothing on pages with all kinds of elements', () => {
  for (const { shown, faults } of visits) assert.deepEqual(faults, [], shown);
});

test('nothing scrolls sideways at 320 px, at 200 % text and with wide spacing', () => {
  for (const { shown, tooWide } of visits) assert.deepEqual(tooWide, [], shown);
});

test('pages with all kinds of elements keep their policy and ask for at most three files', () => {
  for (const { shown, files, complaints } of visits) {
    assert.deepEqual(complaints, [], shown);
    const brand = files.filter((file) => /\/logos\/|\/accent-/.test(file));
    assert.ok(files.length - brand.length <= 3, `${shown}: ${files.join(' ')}`);
  }
});

test('axe finds nothing on pages with a logo and an accent color, light and dark', async () => {
  const branded = brandedSamples.flatMap(({ name }) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ name, colorScheme })),
  );
  const views = branded.map((view) => ({ ...view, locale: 'en', width: 1280 }) as const);
  for (const visit of await visitPages(browser, server, views, [640])) {
    const { shown, files, faults, tooWide, complaints } = visit;
    assert.deepEqual([faults, tooWide, complaints], [[], [], []], shown);
    assert.ok(
      files.some((file) => file.includes('/accent-c84300.css')),
      shown,
    );
  }
});

test('axe looks at pages enough for each language, scheme and width', () => {
  assert.ok(chosen.length >= variants.length);
});

function inTurn<T>(choices: readonly T[], index: number): T {
  return choices[index % choices.length]!;
}

test('axe would find a label that is missing, a small target and a faint text', async () => {
  await open('parts');
  await page.evaluate(`
    document.querySelector('label').remove();
    document.querySelector('h1').style.color = '#ccc';
    for (const name of ['one', 'two']) {
      const button = document.createElement('button');
      button.ariaLabel = name;
      button.style.cssText = 'width: 9px; height: 9px; padding: 0';
      document.querySelector('.by').append(button);
    }`);
  const rules = (await faultsOf(page, 'all')).map((line) => line.split(':', 1)[0]);
  assert.deepEqual([...new Set(rules)].toSorted(), ['color-contrast', 'label', 'target-size']);
});

test('with text of 200 % a value stands below its label, not beside it in single letters', async () => {
  await open('bank-details', 640);
  await page.evaluate("document.documentElement.style.fontSize = '200%'");
  const isBelow = await page.evaluate(`[...document.querySelectorAll('.copyrows > div')].every(
    (row) => row.querySelector('dd').getBoundingClientRect().top >=
      row.querySelector('dt').getBoundingClientRect().bottom - 1)`);
  assert.equal(isBelow, true);
});

test('bank details and receipt are one page of A4 each', async () => {
  for (const [index, name] of printed.entries())
    await assertOnePage(browser, server, name, [inTurn(locales, index)]);
});

const helpLinks = ['help@rotanorte.example', '+55 11 5550-0142'];
/** Who signed in may download the seller's own invoice and the vendor documents, and ask. */
const help = ['RN-2026-0431.pdf', 'Download all (ZIP)', ...helpLinks, 'Ask a question'];
const footer = ['Check bank details', 'Privacy', 'Terms', 'Sign out', 'Português', 'Español'];
const copyRows = ['Account holder', 'Account number', 'Routing number', 'Bank'];

/** What the tab key reaches, in order. */
const walks: Readonly<Record<string, readonly string[]>> = {
  ask: [
    'Skip to content',
    'Send me a sign-in link',
    'rotanorte.example',
    ...helpLinks,
    ...footer.filter((name) => name !== 'Sign out'),
  ],
  'sent-code-wrong': [
    // The script has put the focus on the summary.
    'This code is not right. Check the six digits and try again.',
    'code',
    'Continue',
    'Send another link',
    ...helpLinks,
    ...footer.filter((name) => name !== 'Sign out'),
  ],
  price: [
    'Skip to content',
    'Ask a colleague to approve it first',
    'Confirm USD 12,480.00',
    'You have 5 open payments',
    'Line items and notes',
    ...help,
    ...footer,
  ],
  'bank-details': [
    'Skip to content',
    'Copy Amount',
    'Copy Reference',
    ...copyRows.map((name) => `Copy ${name}`),
    'Copy Bank’s address',
    'Copy Holder’s address',
    'Check it by phone',
    'Account for transfers from other countries (SWIFT)',
    'You have 5 open payments',
    'Check a code or account',
    'Print these details',
    'Download as PDF',
    'Add to calendar',
    'Send to a colleague',
    'Check again',
    ...help,
    ...footer,
  ],
  short: [
    'Skip to content',
    ...helpLinks,
    'Copy Amount',
    'Copy Reference, as before',
    'Show the bank details',
    'Ask for USD 12,460.00 back',
    ...help,
    ...footer,
  ],
};

for (const [name, expected] of Object.entries(walks)) {
  test(`the tab key reaches everything in order: ${name}`, async () => {
    await open(name);
    const reached: string[] = [];
    for (const _ of expected) {
      await page.keyboard.press('Tab');
      reached.push(await page.evaluate(focused));
    }
    assert.deepEqual(reached, expected);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement === document.body'), true);
  });
}

const focused = `(() => {
  const { activeElement: element } = document;
  return element.name || element.textContent.replace(/[\\s\\u00a0]+/g, ' ').trim();
})()`;

test('the focus is always visible', async () => {
  await open('bank-details');
  for (let count = 0; count < 12; count += 1) {
    await page.keyboard.press('Tab');
    const width = await page.evaluate('getComputedStyle(document.activeElement).outlineWidth');
    assert.equal(width, '3px');
  }
});
