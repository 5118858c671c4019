// Checks in a browser that pages keep their content security policy and ask for few files.
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { watchedPage } from '../../support/servers/browser.js';
import type { Sample } from './buyer/page-samples.js';
import type { PageServer } from './page-server.js';

export async function assertPolicyKept(
  browser: Browser,
  server: PageServer,
  samples: readonly Sample[],
): Promise<void> {
  const { page, requested, complaints } = await watchedPage(browser);
  for (const { name } of samples) {
    const from = requested.length;
    await page.goto(server.urlOf(name, 'en'));
    const files = requested.slice(from).filter((url) => !url.includes('/status?'));
    assert.ok(files.length <= 3, files.join(' '));
  }
  // The stream of a page that was left.
  assert.deepEqual(
    complaints.filter((complaint) => !complaint.includes('/status?')),
    [],
  );
  await page.close();
}
