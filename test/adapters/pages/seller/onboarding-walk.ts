// A seller at a real browser, from the link to a state in which it can collect.
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { createOnboardingLink } from '../../../../core/usecases/hosted/onboarding-links.js';
import { newSeller } from '../../../support/scenes/seller-scene.js';
import type { PageSite } from '../visitor.js';

/** Returns the id of the seller. The words on the pages are those of its language: none is read. */
export async function walkOnboarding(
  { world, tenant }: PageSite,
  browser: Browser,
  options: BrowserContextOptions,
): Promise<string> {
  const { deps } = world;
  const { id } = await newSeller(deps, tenant, { displayName: 'Café Serra' });
  const { url } = await createOnboardingLink(deps, tenant, id);
  const home = url.replace(/\?.*/, '');
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const press = (action: string) =>
    page.locator(`form[action$="/${action}"] button`).first().click();
  await page.goto(url);
  await press('enter');
  await page.locator('main a[href$="/kyc/next"]').click();
  await page.locator('[name="email"]').fill('ana@serra.example');
  await page.locator('[name="legalName"]').fill('Serra Ltda');
  await page.locator('[name="cnpj"]').fill('11.222.333/0001-81');
  await press('kyc/company');
  await page.waitForURL(/\/kyc\/review$/);
  await press('kyc/review');
  await page.locator('main a[href$="/pix"]').click();
  await page.locator('[name="pixKey"]').fill('ana@serra.example');
  await page.locator('[name="again"]').fill('ana@serra.example');
  await press('pix');
  await page.waitForURL(home);
  await world.settle();
  await context.close();
  return id;
}
