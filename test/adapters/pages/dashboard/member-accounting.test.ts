// The pages for accounting: entries of a month with their files, its closing, names of accounts,
// and the extract.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountingGuides } from '../../../../adapters/pages/dashboard/accounting/guide-pages.js';
import { lawTexts } from '../../../../adapters/pages/proof/law-texts.js';
import { proofTexts } from '../../../../adapters/pages/proof/proof-texts.js';
import { entryForms, entryText } from '../../../../core/domain/accounting/entry-file.js';
import { DAY_MS, formatInstant } from '../../../../core/domain/base/instant.js';
import { locales } from '../../../../core/domain/base/locale.js';
import { formatAmount } from '../../../../core/domain/base/money.js';
import { duties } from '../../../../core/domain/law/duty.js';
import { readAccounting } from '../../../../core/usecases/accounting/accounting-settings.js';
import { readEntryFile } from '../../../../core/usecases/accounting/settlement-entries.js';
import { readView } from '../../../../core/usecases/payments/payment-store.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { pageSite, textOf } from '../visitor.js';
import { memberToken, rootOf, signedInAs } from './dashboard-site.js';

const site = await pageSite(suiteEnd());
const { world, tenant } = site;
// The year begins later in Brasília.
world.advanceClock(DAY_MS);
const buyer = { email: 'ana@buyer.example', name: 'Copper Ltd', country: 'US', phone: null };
const id = await world.newPayment(tenant, {
  buyer,
  purpose: 'services',
  externalId: 'order-88007',
});
await world.play(tenant, id, 'settled');
const month = formatInstant(world.deps.clock.nowMs()).slice(0, 7);
world.advanceClock(40 * DAY_MS);
const finance = await signedInAs(site, 'finance');
const root = rootOf(site);

async function brlOf(): Promise<string> {
  const { settlements } = await readView(site.world.deps, site.tenant, id);
  return formatAmount(settlements[0]?.settled.amountMinor ?? 0n);
}

test('a month has its entries, and its file in each form is that of the command', async () => {
  const page = await finance.open(`${root}/accounting?month=${month}`);
  const link = new RegExp(`/payments/${id}"[^>]*title="${id}"[^>]*>([\\s\\S]*?)</a>`);
  const [, shown = ''] = link.exec(page.text) ?? [];
  assert.equal(textOf(shown), 'order-88007');
  assert.match(page.text, /Received by PIX/);
  const { deps } = site.world;
  const days = { from: `${month}-01`, to: `${month}-31` };
  const { entries } = await readEntryFile(deps, site.tenant, 'csv', days);
  assert.equal(entries.length, 2);
  for (const form of entryForms) {
    await finance.open(`${root}/accounting?month=${month}`);
    const { text, headers } = await finance.send('/accounting/entries', { month, form });
    const file = await readEntryFile(deps, site.tenant, form, days);
    assert.equal(text, entryText(form, file), form);
    const name = `filename="entries-test-${month}.`;
    assert.ok(headers.get('content-disposition')?.includes(name), form);
  }
  const other = await finance.open(`${root}/accounting?month=2029-12`);
  assert.match(other.text, /No entries in this month/);
});

test('the extract has each PIX of the month, and says what lacks facts', async () => {
  const page = await finance.open(`${root}/accounting/extract?month=${month}`);
  assert.match(page.text, /1 PIX/);
  assert.match(page.text, /1 of them lack facts/, 'the relation of the payer');
  const { text } = await finance.send('/accounting/extract/file', { month });
  const [head = '', row = '', ...none] = text.trimEnd().split('\r\n');
  assert.deepEqual(none, []);
  const cells = new Map(head.split(',').map((name, at) => [name, row.split(',')[at]]));
  assert.deepEqual(
    ['paymentId', 'brlAmount', 'buyer.name', 'missing'].map((name) => cells.get(name)),
    [id, await brlOf(), 'Copper Ltd', 'payerRelation'],
  );
});

test('each file is also written as Excel reads it in the language, which ticks the box', async () => {
  const isTicked = (text: string) => /<input[^>]*name="bom"[^>]* checked/.test(text);
  const brl = (await brlOf()).replace('.', ',');
  const cookie = `ponte-member=${await memberToken(site, 'finance')}`;
  const reader = (language: string) =>
    site.visitor({ headers: { cookie, 'accept-language': language } });
  const [brazilian, mexican] = [reader('pt-BR'), reader('es-MX')];
  for (const [page, file, form] of [
    ['', 'entries', { form: 'csv' }],
    ['/extract', 'extract/file', {}],
  ] as const) {
    const path = `${root}/accounting${page}?month=${month}`;
    assert.equal(isTicked((await finance.open(path)).text), false, 'in English');
    assert.equal(isTicked((await brazilian.open(path)).text), true, page);
    assert.equal(isTicked((await mexican.open(path)).text), false, 'a decimal point');
    const { text } = await brazilian.send(`/accounting/${file}`, { month, bom: 'yes', ...form });
    assert.ok(text.includes(`;${brl};`), `the decimal comma of ${brl}`);
    assert.match(text, /;\d\d\/\d\d\/20\d\d/);
  }
});

test('names and closings are of members who may write them', async () => {
  const { deps } = site.world;
  const running = await finance.open(`${root}/accounting`);
  assert.doesNotMatch(running.text, /accounting\/close"/, 'a month that is over');
  await finance.open(`${root}/accounting/accounts`);
  const refused = await finance.send('/accounting/accounts', { seller: '=1' });
  assert.equal(refused.status, 422);
  await finance.send('/accounting/accounts', { seller: '1.1.2.01' });
  await finance.open(`${root}/accounting?month=${month}`);
  const closed = await finance.send('/accounting/close', { month });
  assert.match(closed.text, /The month is closed/);
  assert.match(closed.text, /1\.1\.2\.01/);
  assert.doesNotMatch(closed.text, /accounting\/close"/, 'it is closed once');
  const { accounts, closed: months } = await readAccounting(deps, site.tenant);
  assert.deepEqual([accounts, months.map((one) => one.month)], [{ seller: '1.1.2.01' }, [month]]);
});

test('the guides are there in each language, and each duty has its source, also on a phone', async () => {
  const titles = {
    en: 'For your accountant',
    'pt-BR': 'Para o seu contador',
    es: 'Para su contador',
  };
  const shapes = locales.map((locale) => {
    const { sections } = accountingGuides[locale];
    return sections.map(({ text, table }) => [text === undefined, table?.rows.length]);
  });
  for (const shape of shapes) assert.deepEqual(shape, shapes[0], 'no language lacks a fact');
  for (const locale of locales) {
    const cookie = `ponte-member=${await memberToken(site, 'viewer')}`;
    const reader = site.visitor({ headers: { cookie, 'accept-language': locale } });
    const { heading, text } = await reader.open(`${root}/accounting/guide`);
    assert.equal(heading, titles[locale]);
    // It names what the pages beside it are called.
    for (const name of [lawTexts[locale].title, proofTexts[locale].proofs])
      assert.ok(text.includes(name), `${locale}: ${name}`);
    const law = await reader.open(`${root}/accounting/law`);
    for (const { source } of Object.values(duties))
      assert.equal(law.words.split(source).length, 3, `${locale}: ${source}`);
  }
});
