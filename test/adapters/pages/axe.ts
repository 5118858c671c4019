// Runs axe-core inside a page. Its source is evaluated there, because the policy of the page allows
// no other script.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** `target-size` is the one rule of these tags that is off by default. */
const rules = {
  all: {
    runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
    rules: { 'target-size': { enabled: true } },
  },
  colours: { runOnly: { type: 'rule', values: ['color-contrast'] } },
} as const;

/** One line a fault: the rule and the element. */
export async function faultsOf(page: Page, which: keyof typeof rules): Promise<readonly string[]> {
  const options = { ...rules[which], resultTypes: ['violations'], preload: false };
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(source);
  return page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`,
  );
}

/** What is closed is checked too. */
export async function openDetails(page: Page): Promise<void> {
  await page.evaluate(
    "document.querySelectorAll('details').forEach((details) => { details.open = true; })",
  );
}
