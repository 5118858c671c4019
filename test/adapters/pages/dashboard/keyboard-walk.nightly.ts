// The daily work of a member with keys alone: the focus is always shown, an error leads it to the
// field, and a page that loads itself again keeps it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { listMembers } from '../../../../core/usecases/access/members.js';
import { signIn } from '../../../../core/usecases/hosted/buyer-steps.js';
import { cancelPayment } from '../../../../core/usecases/payments/payments.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import { openBrowser } from '../../../support/servers/browser.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { until } from '../../../support/wait.js';
import { pageSite } from '../visitor.js';
import { fillDashboard, memberToken, rootOf } from './dashboard-site.js';

const email = 'joana@rotanorte.example';
/** More than the longest page has. */
const STOPS_MAX = 90;

const suite = suiteEnd();
const site = await pageSite(suite, { payins: 'wait' });
// Browsers send their address with each form.
Object.assign(site.world.deps.settings, { baseUrl: site.origin, payUrl: site.origin });
await fillDashboard(site);
site.world.answer = () => ({});
await addActiveMember(site.world.deps, { orgId: site.tenant.orgId, email, role: 'owner' });
const browser = await openBrowser();
suite.after(() => browser.close());

interface Stop {
  readonly name: string;
  readonly isShown: boolean;
}

/** What has the focus, and whether a person sees that it has. */
const stopNow = `(() => {
  const element = document.activeElement;
  const { width, height, top, bottom } = element.getBoundingClientRect();
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const labels = [...(element.labels ?? [])].map((label) => label.textContent);
  const name = element.getAttribute('aria-label') ?? (labels.join(' ') || element.textContent);
  const isInView = bottom > 0 && top < innerHeight && width > 1 && height > 1;
  // The browser outlines the button inside a field of a day.
  const isDay = element.type === 'date';
  const isShown = isInView && (isDay || outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2);
  return { name: name.replaceAll(/\\s+/g, ' ').trim(), isShown };
})()`;

/** Presses Tab until this link, button or field has the focus. */
async function tabTo(page: Page, wanted: string | RegExp): Promise<void> {
  const passed: string[] = [];
  for (let count = 0; count < STOPS_MAX; count += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate('document.activeElement === document.body')) break;
    const { name, isShown } = (await page.evaluate(stopNow)) as Stop;
    assert.ok(isShown, `the focus is shown on “${name}” of ${page.url()}`);
    // What follows a colon is for readers of the links alone.
    const isWanted =
      typeof wanted === 'string'
        ? name === wanted || name.startsWith(`${wanted}:`)
        : wanted.test(name);
    if (isWanted) return;
    passed.push(name);
  }
  assert.fail(`“${wanted}” is not reached: ${passed.join(' | ')}`);
}

async function press(page: Page, wanted: string | RegExp): Promise<void> {
  await tabTo(page, wanted);
  await page.keyboard.press('Enter');
}

async function type(page: Page, field: string | RegExp, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.type(text);
}

test('a page that loads itself again keeps the focus, and waits while a field is typed in', async () => {
  const page = await browser.newPage({ locale: 'en', reducedMotion: 'reduce' });
  const token = await memberToken(site, 'admin');
  await page.context().addCookies([{ name: 'ponte-member', value: token, url: site.origin }]);
  const { id } = await site.newPayment({ externalId: 'order-focus' });
  const stream = page.waitForResponse(/\/changes\?/);
  await page.goto(`${site.origin}${rootOf(site)}/payments/${id}`);
  await stream;
  await tabTo(page, 'What the buyer sees');
  const loaded = page.waitForEvent('load');
  const reopened = page.waitForResponse(/\/changes\?/);
  await signIn(site.world.deps, site.tenant, id);
  site.watch.look([site.tenant]);
  await loaded;
  const { name } = (await page.evaluate(stopNow)) as Stop;
  assert.equal(name, 'What the buyer sees');
  await reopened;
  const search = page.locator('.find input');
  await search.fill('ordered twice');
  const again = page.waitForEvent('load');
  await cancelPayment(site.world.deps, site.tenant, id, 'by the integrator');
  site.watch.look([site.tenant]);
  // The page ends its stream once it has the message.
  await until(() => site.watch.open() === 0);
  assert.equal(await search.inputValue(), 'ordered twice');
  await search.fill('');
  await search.blur();
  await again;
  await page.close();
});

test('a member works with keys alone', async () => {
  const page = await browser.newPage({ locale: 'en', reducedMotion: 'reduce' });
  await page.goto(`${site.origin}/dashboard`);
  await press(page, 'Skip to content');
  assert.equal(await page.evaluate('document.activeElement.id'), 'main');
  await type(page, 'Email address', email);
  await press(page, 'Send me a sign-in link');
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  const code = await site.newestCode();
  await type(page, /^Six-digit code/, code);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Needs you' }).waitFor();

  await press(page, 'All payments');
  await page.getByRole('heading', { name: 'Payments', level: 1 }).waitFor();
  await type(page, /^Payments: Name, /, 'order-88007');
  await page.keyboard.press('Enter');
  await page.getByText('“order-88007”').waitFor();
  await press(page, 'order-88007');
  await page.getByRole('heading', { name: 'What happened' }).waitFor();
  await press(page, /^Send again/);
  await page.getByText('The webhook is sent again.').waitFor();

  await press(page, 'Invoices');
  await page.getByRole('heading', { name: 'Invoices', level: 1 }).waitFor();
  await press(page, 'New invoice');
  await page.getByRole('heading', { name: 'New invoice' }).waitFor();
  await type(page, 'Buyer’s email', 'dana@harborpine');
  await type(page, 'Item 1', 'Green coffee');
  await type(page, 'Line total 1', '8,000.00');
  await press(page, 'Save and ask for approval');
  await page.getByRole('alert').waitFor();
  assert.equal(await page.evaluate('document.activeElement.className'), 'errors');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate('document.activeElement.id'), 'email');
  await page.keyboard.press('End');
  await page.keyboard.type('.example');
  await press(page, 'Save and ask for approval');
  await page.getByText('The invoice is saved').waitFor();
  await press(page, 'Approve');
  await page.getByText('The payment is approved').waitFor();

  await press(page, 'Team');
  await page.getByRole('heading', { name: 'Team', level: 1 }).waitFor();
  await type(page, 'Email address', 'rui@rotanorte.example');
  await tabTo(page, /^Viewer/);
  await page.keyboard.press('ArrowDown');
  await press(page, 'Send invitation');
  await page.getByText('The invitation was sent').waitFor();
  const members = await listMembers(site.world.deps, site.tenant.orgId);
  const invited = members.find((member) => member.email === 'rui@rotanorte.example');
  assert.equal(invited?.role, 'finance');
  await press(page, 'Sign out');
  await page.getByRole('heading', { name: 'Sign in to your dashboard' }).waitFor();
  await page.close();
});
