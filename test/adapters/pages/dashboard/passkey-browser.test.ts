// Passkeys in a real browser with a virtual authenticator: a member adds one, signs in with it, and
// confirms with it what needs a fresh proof.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { openBrowser } from '../../../support/servers/browser.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { pageSite } from '../visitor.js';
import { memberToken, rootOf } from './dashboard-site.js';

const suite = suiteEnd();
const site = await pageSite(suite);
/** A name: the host of a passkey is not an IP address. */
const origin = site.origin.replace('127.0.0.1', 'localhost');
Object.assign(site.world.deps.settings, { baseUrl: origin, payUrl: origin });
const browser = await openBrowser();
suite.after(() => browser.close());

async function newPage(javaScriptEnabled = true): Promise<Page> {
  const page = await browser.newPage({ locale: 'en', reducedMotion: 'reduce', javaScriptEnabled });
  const token = await memberToken(site, 'owner');
  await page.context().addCookies([{ name: 'ponte-member', value: token, url: origin }]);
  return page;
}

/** Returns what sets whether the person shows to be there. */
async function addAuthenticator(page: Page): Promise<(isUserVerified: boolean) => Promise<void>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return async (isUserVerified) => {
    await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  };
}

test('a member adds a passkey, signs in with it, and confirms with it', async () => {
  const page = await newPage();
  const setVerified = await addAuthenticator(page);
  await page.goto(`${origin}/dashboard/sessions`);
  await page.getByRole('link', { name: 'Add a passkey' }).click();
  await page.getByLabel('Name').fill('phone');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('The passkey is added.').waitFor();
  await page.getByRole('row', { name: /phone .* Never/ }).waitFor();

  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await setVerified(false);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByText('No passkey was used.').waitFor();
  await setVerified(true);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();

  site.world.advanceClock(30 * MINUTE_MS);
  await page.goto(`${origin}${rootOf(site)}/settings/change`);
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL(`**${rootOf(site)}/settings/change`);

  await page.goto(`${origin}/dashboard/passkeys/add`);
  site.world.advanceClock(30 * MINUTE_MS);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
  await page.close();
});

test('without scripts nothing offers a passkey, and the page to add one says why', async () => {
  const page = await newPage(false);
  await page.goto(`${origin}/dashboard/passkeys/add`);
  await page.locator('noscript p').waitFor();
  assert.equal(await page.locator('form[data-passkey]').isVisible(), false);
  await page.context().clearCookies();
  await page.goto(`${origin}/dashboard`);
  await page.getByRole('button', { name: 'Send me a sign-in link' }).waitFor();
  assert.equal(await page.locator('form[data-passkey]').isVisible(), false);
  await page.close();
});

test('at an address of numbers no passkey is offered, and why is said', async () => {
  const page = await browser.newPage({ locale: 'en' });
  const cookie = { name: 'ponte-member', value: await memberToken(site, 'owner') };
  await page.goto(`${site.origin}/dashboard`);
  await page.getByRole('button', { name: 'Send' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).count(), 0);
  await page.context().addCookies([{ ...cookie, url: site.origin }]);
  await page.goto(`${site.origin}/dashboard/passkeys/add`);
  await page.getByText('They need a host name').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Add a passkey' }).count(), 0);
  await page.close();
});
