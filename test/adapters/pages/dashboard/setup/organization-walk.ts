// A new organization at a real browser, from the link that an operator gets for its owner to a
// settled test payment, a request for production and a colleague. No command is run; the operator
// decides by the use case.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { inviteMember } from '../../../../../core/usecases/access/member-invitations.js';
import {
  createOrganization,
  setTimeZone,
} from '../../../../../core/usecases/parties/organizations.js';
import { operatorDoes } from '../../../../support/operator-action.js';
import { openBrowser } from '../../../../support/servers/browser.js';
import { suiteEnd } from '../../../../support/suite-end.js';
import { type PageSite, pageSite } from '../../visitor.js';

let browser: Browser;
let site: PageSite;

/** The tests of a file. */
export function testOnboarding(how: 'with scripts' | 'without scripts'): void {
  const suite = suiteEnd();

  before(async () => {
    site = await pageSite(suite, { payins: 'wait' });
    // Browsers send their address with each form.
    Object.assign(site.world.deps.settings, { baseUrl: site.origin, payUrl: site.origin });
    browser = await openBrowser();
    suite.after(() => browser.close());
  });

  test(`a new organization collects in test mode and asks for production, ${how}`, async () => {
    const { deps } = site.world;
    const email = `ana.${how.length}@rota.example`;
    const { organization } = await createOrganization(deps, { name: 'Rota', sandboxKyb: false });
    const { id: orgId } = organization;
    await setTimeZone(deps, orgId, 'UTC');
    const owner = { orgId, email, role: 'owner' } as const;
    const { url } = await inviteMember(deps, owner, { memberId: null, keptBy: null }, 'en');
    const context = await browser.newContext({
      locale: 'en',
      reducedMotion: 'reduce',
      javaScriptEnabled: how === 'with scripts',
    });
    let page = await context.newPage();
    await page.goto(url);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('main a[href$="/getting-started"]').click();
    const start = page.url();
    await page.getByRole('button', { name: 'Use sandbox details' }).click();
    await page.locator('main a[href$="/pix"]').click();
    await page.getByLabel('PIX key').fill(email);
    await page.getByLabel('The same key again').fill(email);
    await page.getByRole('button', { name: 'Set destination' }).click();
    await page.getByText('The PIX destination is saved.').waitFor();
    await page.getByRole('button', { name: 'Create it' }).click();
    await page.waitForURL(/\/r\//);
    page = await pay(page, page.url(), how);
    await page.goto(start);
    await page.getByText(/, paid on 1 January 2030\.$/).waitFor();
    await page.locator('main a[href$="/production"]').click();
    await page.getByLabel('What do you sell?').fill('Coffee');
    await page.getByLabel('To whom, and in which countries?').fill('Cafés in the US');
    await page.getByLabel('How much a month, and in which currencies?').fill('USD 80,000');
    await page.getByLabel('Support email').fill('help@rota.example');
    await page.getByRole('button', { name: 'Ask for production access' }).click();
    await page.getByText('The request was sent.').waitFor();
    await operatorDoes(deps, orgId, { verb: 'grant-production' });
    await page.goto(start);
    await page.locator('main a[href$="/live/getting-started"]').click();
    await page.getByText('3 of 6 done.').waitFor();
    await page.locator('nav a[href$="/team"]').click();
    // In live mode the press on the link of the invitation is no proof of a person.
    await page.locator('main a[href$="/team/invite"]').click();
    await page.locator('main form[action$="/link"] button').click();
    await page.locator('input[name="code"]').fill(await mailedCode());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Email address').fill('marina@rota.example');
    await page.getByRole('radio', { name: /^Finance/ }).check();
    await page.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText('The invitation was sent.').waitFor();
    await context.close();
  });
}

/** The code of the newest mail with one. */
async function mailedCode(): Promise<string> {
  await site.world.settle();
  const codes = site.world.mails.flatMap(({ text }) => /^\d{6}$/m.exec(text)?.[0] ?? []);
  return codes.at(-1) ?? assert.fail('no mail has a code');
}

/** Presses a button of the form with this action, and waits until the form is answered. */
async function press(page: Page, action: string, button = 'button'): Promise<void> {
  const answered = page.waitForResponse(
    (response) => response.request().method() === 'POST' && response.url().endsWith(`/${action}`),
  );
  await page.locator(`form[action$="/${action}"] ${button}`).first().click();
  await answered;
}

/** The page in another tab, once all is done: the script of this one may follow a change. */
async function settled(page: Page, pageUrl: string): Promise<Page> {
  await site.world.settle();
  const next = await page.context().newPage();
  await next.goto(pageUrl);
  await page.close();
  return next;
}

async function simulate(page: Page, pageUrl: string, event: string): Promise<Page> {
  await page.locator('details.testpanel summary').click();
  await press(page, 'simulate', `button[value="${event}"]`);
  return settled(page, pageUrl);
}

/** The member pays as the buyer, at the page that is open. Returns the page afterwards. */
async function pay(asked: Page, pageUrl: string, how: string): Promise<Page> {
  await press(asked, 'link');
  await asked.locator('#code').fill(await mailedCode());
  await press(asked, 'code');
  let page = await settled(asked, pageUrl);
  page = await simulate(page, pageUrl, 'identity_sent');
  // A script asks for the price.
  if (how === 'without scripts') await press(page, 'quote');
  await press(page, 'confirm');
  page = await settled(page, pageUrl);
  await page.locator('.exact').first().waitFor();
  return simulate(page, pageUrl, 'money_arrives');
}
