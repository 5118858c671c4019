// The dashboard in a real browser: a walk with scripts and without, and its pages for everyone. axe
// finds nothing and nothing scrolls sideways, in each language, scheme and width.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { locales } from '../../../../core/domain/base/locale.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import { openBrowser } from '../../../support/servers/browser.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { faultsOf, openDetails } from '../axe.js';
import { pageSite } from '../visitor.js';
import { fillDashboard, memberToken, placesOf, visit } from './dashboard-site.js';

const email = 'joana@rotanorte.example';

const suite = suiteEnd();
const site = await pageSite(suite, { payins: 'wait' });
// Browsers send their address with each form.
Object.assign(site.world.deps.settings, { baseUrl: site.origin, payUrl: site.origin });
const places = await placesOf(site, await fillDashboard(site));
site.world.answer = () => ({});
const { orgId } = site.tenant;
await addActiveMember(site.world.deps, { orgId, email, role: 'admin' });
const browser = await openBrowser();
suite.after(() => browser.close());

function newPage(options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
  return browser.newPage({ locale: 'en', reducedMotion: 'reduce', ...options });
}

for (const [how, order] of [
  ['with scripts', 'order-88007'],
  ['without scripts', 'order-88000'],
] as const) {
  test(`a member finds a payment that is paid and replays its webhook, ${how}`, async () => {
    const page = await newPage({ javaScriptEnabled: how === 'with scripts' });
    await page.goto(`${site.origin}/dashboard`);
    await page.getByLabel('Email address').fill(email);
    await page.getByRole('button', { name: 'Send me a sign-in link' }).click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    const code = await site.newestCode();
    await page.getByLabel('Six-digit code').fill(code);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('link', { name: 'All payments' }).click();
    await page.waitForURL('**/payments', { waitUntil: 'load' });
    const search = page.getByLabel('Payments: Name, reference, number, email or amount');
    // A slash leads there from anywhere.
    if (how === 'with scripts') await page.keyboard.press('/');
    else await search.focus();
    await page.keyboard.type(order);
    assert.equal(await search.inputValue(), order);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: order, exact: true }).click();
    await page.getByRole('heading', { name: 'What happened' }).waitFor();
    const before = site.world.sent.length;
    await page.getByRole('button', { name: /^Send again/ }).click();
    await page.getByText('The webhook is sent again.').waitFor();
    await site.world.settle();
    assert.equal(site.world.sent.length, before + 1);
    await page.reload();
    await page.getByText(/^(\d+) of \1 delivered$/).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to your dashboard' }).waitFor();
    await page.close();
  });
}

/** Together they have all kinds of elements; the nightly run looks at the others, too. */
const withAllElements = [
  'sign-in',
  'home',
  'payments',
  'payment',
  'invoice-new',
  'invoice-import',
  'seller-waits',
  'delivery',
  'events',
  'subscription-edit',
  'kyb',
  'team',
  'settings-change',
  'accounting',
  'payment-proof',
] as const;

test('a member makes an invoice, approves it and invites the buyer, without scripts', async () => {
  const page = await newPage({ javaScriptEnabled: false });
  const cookie = { name: 'ponte-member', value: await memberToken(site, 'owner') };
  await page.context().addCookies([{ ...cookie, url: site.origin }]);
  await page.goto(`${site.origin}${places['invoices']}`);
  await page.getByRole('link', { name: 'New invoice' }).click();
  await page.getByLabel('Paid to').selectOption({ label: 'Café Serra Azul Ltda' });
  await page.getByLabel('Buyer’s email').fill('dana@harborpine');
  await page.getByLabel('Item 1').fill('Green coffee');
  await page.getByLabel('Line total 1').fill('8,000.00');
  await page.getByRole('button', { name: 'Add a line' }).click();
  await page.getByLabel('Item 3').fill('Certificate');
  await page.getByLabel('Line total 3').fill('480');
  await page.getByRole('button', { name: 'Save and ask for approval' }).click();
  await page.getByRole('link', { name: /like dana@harborpine\.com/ }).waitFor();
  await page.getByText('USD 8,480.00').first().waitFor();
  await page.getByLabel('Buyer’s email').fill('dana@harborpine.example');
  await page.getByRole('button', { name: 'Save and ask for approval' }).click();
  await page.getByText('The invoice is saved').waitFor();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('button', { name: 'Invite the buyer' }).click();
  await page.getByText('The email to the buyer is on its way').waitFor();
  assert.match(await site.newestMail(), /Café Serra Azul Ltda/);
  await page.close();
});

test('the total of a new invoice and its preview follow what is typed', async () => {
  const page = await newPage();
  const cookie = { name: 'ponte-member', value: await memberToken(site, 'owner') };
  await page.context().addCookies([{ ...cookie, url: site.origin }]);
  await page.goto(`${site.origin}${places['invoice-new']}`);
  await page.getByLabel('Item 1').fill('Green coffee');
  await page.getByLabel('Line total 1').fill('8,000.00');
  await page.getByLabel('Line total 2').fill('480');
  await page.getByLabel('Invoice number').fill('RN-7');
  await page.getByLabel('Notes for the buyer').fill('Thank you.');
  await page.getByLabel('Buyer’s company').focus();
  const preview = page.getByRole('complementary', { name: 'What the buyer will see' });
  for (const words of ['8,480.00', 'RN-7', 'Green coffee', 'Thank you.']) {
    await preview.getByText(words).waitFor();
  }
  await page.locator('dl').getByText('USD 8,480.00').waitFor();
  assert.equal(await page.getByLabel('Line total 2').inputValue(), '480');
  // Its button is for browsers without scripts.
  assert.equal(await page.locator('.actions [value="preview"]').isVisible(), false);
  await page.close();
});

test('axe finds nothing, and nothing scrolls sideways, on pages with all kinds of elements', async () => {
  const page = await newPage();
  const token = await memberToken(site, 'owner');
  const cookie = { name: 'ponte-member', value: token, url: site.origin };
  for (const [index, name] of withAllElements.entries()) {
    const place = places[name];
    assert.ok(place !== undefined, name);
    const language = locales[index % locales.length] ?? 'en';
    const widths = index % 2 === 0 ? [320, 1280] : [1280, 320];
    const colorScheme = index % 4 < 2 ? 'light' : 'dark';
    await page.context().clearCookies();
    if (name !== 'sign-in') await page.context().addCookies([cookie]);
    const chosen = { name: 'ponte-language', value: language, url: site.origin };
    await page.context().addCookies([chosen]);
    await page.emulateMedia({ colorScheme });
    await visit(page, site.origin, place);
    await openDetails(page);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      const shown = await page.evaluate('document.documentElement.scrollWidth');
      assert.ok(Number(shown) <= width, `${name} in ${language}: ${shown} px at ${width} px`);
    }
    assert.deepEqual(await faultsOf(page, 'all'), [], `${name}, ${language}, ${colorScheme}`);
  }
  await page.close();
});

test('forced colours: the chosen tab differs from the others, and each state keeps its sign', async () => {
  const page = await newPage();
  await page.emulateMedia({ forcedColors: 'active' });
  const token = await memberToken(site, 'owner');
  await page.context().addCookies([{ name: 'ponte-member', value: token, url: site.origin }]);
  await visit(page, site.origin, places.payments ?? assert.fail('no list'));
  const lines = await page
    .locator('.tabs a')
    .evaluateAll((tabs) =>
      tabs.map((tab) => [
        tab.hasAttribute('aria-current'),
        getComputedStyle(tab).borderBlockEndColor,
      ]),
    );
  const colorsOf = (isChosen: boolean) =>
    new Set(lines.flatMap(([chosen, color]) => (chosen === isChosen ? [color] : [])));
  assert.equal(colorsOf(true).size, 1);
  assert.equal(colorsOf(false).size, 1);
  assert.notDeepEqual(colorsOf(true), colorsOf(false));
  const signs = await page.locator('.badge').evaluateAll((badges) =>
    badges.map((badge) => {
      const { forcedColorAdjust, color } = getComputedStyle(badge, '::before');
      return `${forcedColorAdjust} ${color === getComputedStyle(badge).color}`;
    }),
  );
  assert.ok(signs.length > 0);
  assert.deepEqual([...new Set(signs)], ['none true']);
  await page.close();
});
