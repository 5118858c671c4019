// What home says to each reader: what needs them, what others work on, and what was paid out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dashboardTexts } from '../../../../adapters/pages/dashboard/dashboard-texts.js';
import { changeText } from '../../../../adapters/pages/dashboard/home/home-figures.js';
import { formatOf } from '../../../../adapters/pages/kit/format.js';
import { DAY_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import { requireApproval } from '../../../../core/usecases/parties/organizations.js';
import { NEEDS_MAX } from '../../../../core/usecases/payments/organization-needs.js';
import { someFunds } from '../../../support/samples/domain-samples.js';
import { makeInvoice } from '../../../support/scenes/made-payments.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { pageSite, textOf } from '../visitor.js';
import { rootOf, signedInAs } from './dashboard-site.js';
import { fillLongData } from './long-data.js';

const site = await pageSite(suiteEnd(), { payins: 'wait' });
await fillLongData(site);
const { newPayment } = site.world;
const waiting = [await newPayment(site.tenant), await newPayment(site.tenant)];
await site.world.deps.store.run(async (tx) => {
  for (const paymentId of waiting) {
    const { orgId, mode } = site.tenant;
    const held = { position: 'needs_review', receivedMinor: 9n, payoutMinor: 9n } as const;
    tx.funds.put(someFunds({ orgId, mode, paymentId, ...held }));
  }
});

async function home(role: 'owner' | 'finance' | 'viewer'): Promise<string> {
  return (await (await signedInAs(site, role)).open(rootOf(site))).words;
}

test('what the reader can act on is first, and what others do is apart', async () => {
  const parts = async (role: Parameters<typeof home>[0]) => {
    const [, own = '', others = ''] =
      /Needs you (.*) Others work on these (.*) Paid out by day/.exec(await home(role)) ?? [];
    return { own, others };
  };
  const owner = await parts('owner');
  assert.match(owner.own, /GBP 1\.00 is missing.*5 invoices are overdue.*4 webhooks are failing/);
  assert.match(owner.others, /2 payments, /);
  const finance = await parts('finance');
  assert.match(finance.own, /GBP 1\.00 is missing.*5 invoices are overdue/);
  assert.match(finance.others, /4 webhooks are failing/);
  const viewer = await parts('viewer');
  assert.match(viewer.own, /^1 thing Colleagues see you as viewer@\S+ /);
  assert.match(viewer.others, /5 invoices are overdue.*4 webhooks are failing.*2 payments, /);
});

test('the menu counts what the reader can act on, on each page', async () => {
  await requireApproval(site.world.deps, site.tenant.orgId, true, 'invoice');
  for (let at = 0; at < NEEDS_MAX; at += 1) {
    await makeInvoice(site.world.deps, site.tenant, { externalId: `approve-${at}` });
  }
  const menu = async (role: Parameters<typeof home>[0], path: string) => {
    const { text } = await (await signedInAs(site, role)).open(`${rootOf(site)}${path}`);
    return textOf(text).match(/\w+ , need you: \S+/g) ?? [];
  };
  for (const path of ['', '/payments', '/settings', '/invoices/new']) {
    const counts = ['Payments , need you: 9+', 'Invoices , need you: 5', 'Webhooks , need you: 4'];
    assert.deepEqual(await menu('owner', path), counts, path);
  }
  const [finance, viewer] = [await menu('finance', ''), await menu('viewer', '')];
  assert.deepEqual(finance, ['Payments , need you: 9+', 'Invoices , need you: 5']);
  assert.deepEqual(viewer, []);
});

test('endpoints that fail are one thing, with their hosts', async () => {
  const words = await home('owner');
  assert.equal(words.match(/webhooks? (?:is|are) failing/g)?.length, 2, 'a heading and its link');
  assert.match(words, /failing-\d\.example, failing-\d\.example, failing-\d\.example, failing-/);
});

test('what sellers were paid is in BRL, by day, with a short axis', async () => {
  const words = await home('owner');
  assert.match(words, /Paid out, 30 days BRL 47,3\d\d,\d{3}\.\d\d/);
  assert.match(words, /Paid out by day, BRL .* 25M 50M /);
  assert.match(words, /The same as a table .*Paid out, 30 days \d+ \w+ BRL 47,3\d\d,/);
});

test('a change is in percent up to ten times, and beyond it says nothing', () => {
  const scene = { texts: dashboardTexts.en, format: formatOf('en') };
  for (const [now, before, said] of [
    [150n, 100n, '50% more than in the 30 days before'],
    [50n, 100n, '50% less than in the 30 days before'],
    [1_099n, 100n, '999% more than in the 30 days before'],
    [1_100n, 100n, null],
    [1n, 0n, null],
  ] as const) {
    assert.equal(changeText(scene, money(now, 'BRL'), money(before, 'BRL')), said, `${now}`);
  }
});

test('each figure says what makes it good or bad', async () => {
  const words = await home('owner');
  assert.match(
    words,
    /On the way 2 GBP 8,734,512\.57, USD 8,734,512\.61 With the buyer 21 Overdue/,
  );
  assert.match(words, /Overdue invoices 5 USD 43,672,561\.85; the oldest for 4 days /);
  assert.doesNotMatch(words, /30 days before/, 'there is nothing to compare with');
  site.world.advanceClock(9 * DAY_MS);
  assert.match(await home('owner'), /With the buyer 21 21 for more than a week Overdue/);
  site.world.advanceClock(21 * DAY_MS);
  assert.match(await home('owner'), /BRL 0\.00 100% less than in the 30 days before /);
});
