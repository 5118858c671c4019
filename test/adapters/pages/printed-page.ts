// Checks in a browser that a page is one sheet when it is printed.
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import type { Locale } from '../../../core/domain/base/locale.js';
import type { PageServer } from './page-server.js';

/** Samples that buyers print. */
export const printed = ['instructions', 'instructions-replaced', 'receipt', 'remittance'] as const;

export async function assertOnePage(
  browser: Browser,
  server: PageServer,
  name: (typeof printed)[number],
  locales: readonly Locale[],
): Promise<void> {
  const page = await browser.newPage();
  for (const locale of locales) {
    await page.goto(server.urlOf(name, locale));
    const pdf = (await page.pdf({ format: 'A4', preferCSSPageSize: true })).toString('latin1');
    assert.equal(pdf.match(/\/Type \/Page\b/g)?.length, 1, `${name} in ${locale}`);
  }
  await page.close();
}
