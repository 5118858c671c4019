// Opens sample pages in a browser, each once, and collects what is wrong with each: what breaks its
// content security policy, how many files it asks for, what axe finds, and what makes it scroll
// sideways on a small phone, with wide spacing and large text.
import type { Browser, Page } from 'playwright-core';
import type { Locale } from '../../../core/domain/base/locale.js';
import { watchedPage } from '../../support/servers/browser.js';
import { faultsOf, openDetails } from './axe.js';
import type { PageServer } from './page-server.js';

/** How a page is looked at. */
export interface View {
  readonly name: string;
  readonly locale: Locale;
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
}

export interface PageVisit {
  readonly shown: string;
  /** URLs that the page asked for, its stream aside. */
  readonly files: readonly string[];
  readonly complaints: readonly string[];
  /** What axe finds. */
  readonly faults: readonly string[];
  readonly tooWide: readonly string[];
}

/** The spacing of WCAG 1.4.12. */
const spacing =
  "document.body.style.cssText = 'line-height: 1.5; letter-spacing: .12em; word-spacing: .16em'";
const largeText = "document.documentElement.style.fontSize = '200%'";

/** Text is large at these widths. */
export async function visitPages(
  browser: Browser,
  server: PageServer,
  views: readonly View[],
  largeTextWidths: readonly number[],
): Promise<readonly PageVisit[]> {
  const { page, requested, complaints } = await watchedPage(browser);
  const visits: PageVisit[] = [];
  // The stream of a page that was left is a complaint of the next one.
  const isOfPage = (text: string) => !text.includes('/status?');
  for (const { name, locale, width, colorScheme } of views) {
    const [asked, said] = [requested.length, complaints.length];
    await page.setViewportSize({ width, height: 900 });
    // A colour on its way to another one has no contrast.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.goto(server.urlOf(name, locale));
    await openDetails(page);
    visits.push({
      shown: `${name} in ${locale}, ${width} px, ${colorScheme}`,
      files: requested.slice(asked).filter(isOfPage),
      complaints: complaints.slice(said).filter(isOfPage),
      faults: await faultsOf(page, 'all'),
      tooWide: await tooWideIn(page, largeTextWidths),
    });
  }
  await page.close();
  return visits;
}

async function tooWideIn(
  page: Page,
  largeTextWidths: readonly number[],
): Promise<readonly string[]> {
  await page.setViewportSize({ width: 320, height: 900 });
  const found = await tooWide(page, 'plain');
  await page.evaluate(spacing);
  found.push(...(await tooWide(page, 'spaced')));
  await page.evaluate(largeText);
  for (const width of largeTextWidths) {
    await page.setViewportSize({ width, height: 900 });
    found.push(...(await tooWide(page, `large, ${width} px`)));
  }
  return found;
}

/** Elements that reach beyond the window, those inside a region that scrolls aside. */
async function tooWide(page: Page, how: string): Promise<string[]> {
  const found: readonly string[] = await page.evaluate(`
    document.documentElement.scrollWidth <= innerWidth ? [] :
    [...document.querySelectorAll('body *:not(.scroll *)')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .map(({ outerHTML }) => outerHTML.slice(0, 80))`);
  return found.map((element) => `${how}: ${element}`);
}
