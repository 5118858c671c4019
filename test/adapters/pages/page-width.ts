// Checks that a page does not scroll sideways on a small phone, with wide spacing and large text.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Locale } from '../../../core/domain/base/locale.js';
import { openDetails } from './axe.js';
import type { PageServer } from './page-server.js';

/** The spacing of WCAG 1.4.12. */
const spacing =
  "document.body.style.cssText = 'line-height: 1.5; letter-spacing: .12em; word-spacing: .16em'";

/** At 320 px in each language, with wide spacing, and with large text at these widths. */
export async function assertNoneTooWide(
  page: Page,
  server: PageServer,
  name: string,
  locales: readonly Locale[],
  largeTextWidths: readonly number[],
): Promise<void> {
  await page.setViewportSize({ width: 320, height: 900 });
  for (const locale of locales) {
    await page.goto(server.urlOf(name, locale));
    await openDetails(page);
    assert.deepEqual(await tooWide(page), [], `${name} in ${locale}`);
  }
  await page.evaluate(spacing);
  assert.deepEqual(await tooWide(page), [], `${name}, spaced`);
  await page.evaluate("document.documentElement.style.fontSize = '200%'");
  for (const width of largeTextWidths) {
    await page.setViewportSize({ width, height: 900 });
    assert.deepEqual(await tooWide(page), [], `${name}, ${width} px, large`);
  }
}

/** Elements that reach beyond the window, those inside a region that scrolls aside. */
async function tooWide(page: Page): Promise<readonly string[]> {
  return page.evaluate(`
    document.documentElement.scrollWidth <= innerWidth ? [] :
    [...document.querySelectorAll('body *:not(.scroll *)')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .map(({ outerHTML }) => outerHTML.slice(0, 80))`);
}
