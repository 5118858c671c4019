// The operator's console in a real browser: two operators decide about money.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { listProposals } from '../../../../core/usecases/money-desk/money-queues.js';
import type { Person } from '../../../support/samples/operator-samples.js';
import { openBrowser } from '../../../support/servers/browser.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { consoleSite } from './console-site.js';

const suite = suiteEnd();
const site = await consoleSite(suite);
const browser = await openBrowser();
suite.after(() => browser.close());

async function signedIn(person: Person): Promise<Page> {
  const page = await browser.newPage({ locale: 'en', javaScriptEnabled: false });
  await page.goto(`${site.origin}${await site.linkOf(person)}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  return page;
}

test('one operator proposes what another one confirms, without scripts', async () => {
  const ana = await signedIn(site.ana);
  await ana.getByRole('link', { name: 'Decide USD 100.00' }).click();
  await ana.getByLabel('What did you check').fill('wire 7781, seen in the statement');
  await ana.getByRole('button', { name: 'Propose: The payer was paid back' }).click();
  await ana.getByText('Another operator confirms it; you cannot.').waitFor();
  const bia = await signedIn(site.bia);
  await bia.getByRole('link', { name: 'Check and confirm USD 100.00' }).click();
  await bia.getByText('wire 7781, seen in the statement').waitFor();
  await bia.getByRole('button', { name: 'Confirm' }).click();
  await bia.getByText('The decision has taken effect.').waitFor();
  const all = { orgId: null, mode: null, limit: 10, beforeId: null };
  const [proposal] = await listProposals(site.world.deps, all);
  assert.deepEqual(
    [proposal?.state, proposal?.proposedBy, proposal?.endedBy],
    ['done', 'ana', 'bia'],
  );
});
