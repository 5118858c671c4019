// Days of the dashboard are those of the organization's time zone: filters by creation and by
// settlement, the export, the plot of home, and the times that are shown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { money } from '../../../../core/domain/base/money.js';
import { dayOf, daysAfter } from '../../../../core/domain/base/time-zone.js';
import { setTimeZone } from '../../../../core/usecases/parties/organizations.js';
import { aBarePayment, someFunds } from '../../../support/samples/domain-samples.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { pageSite, textOf } from '../visitor.js';
import { memberToken, rootOf, signedInAs } from './dashboard-site.js';

/** The evening of 31 March in São Paulo is 1 April in UTC; so is that of 28 February. */
const settlements = {
  february: '2027-03-01T02:59:59.999Z',
  'march-first': '2027-03-01T03:00:00.000Z',
  'march-last': '2027-04-01T01:30:00.000Z',
  april: '2027-04-01T03:00:00.000Z',
} as const;

const site = await pageSite(suiteEnd());
await setTimeZone(site.world.deps, site.tenant.orgId, 'America/Sao_Paulo');
await site.world.deps.store.run(async (tx) => {
  for (const [at, [name, instant]] of Object.entries(settlements).entries()) {
    const id = `pi_000000000${at}march`;
    const names = { id, publicId: id, externalId: name };
    const settledAtMs = Date.parse(instant);
    const settlement = {
      settled: money(123_450n, 'BRL'),
      fees: money(150n, 'USD'),
      fxRate: '5.4002',
      endToEndId: 'E00000000202704010130abcdefghijk',
    };
    const times = { createdAtMs: settledAtMs, updatedAtMs: settledAtMs, settledAtMs };
    const sellerExternalId = '04252011000110';
    const row = { ...site.tenant, ...names, ...times, sellerExternalId, settlement };
    tx.payments.insert(aBarePayment({ ...row, dueDate: '2027-03-31', status: 'settled' }));
    tx.funds.put(someFunds({ ...site.tenant, paymentId: id }));
  }
});
const owner = await signedInAs(site, 'owner');
const root = rootOf(site);

const namesIn = (text: string) =>
  Object.keys(settlements).filter((name) => new RegExp(`(?<![-\\w])${name}\\b`).test(text));

async function exported(query: string, fields: Record<string, string> = {}, visitor = owner) {
  await visitor.open(`${root}/payments/export${query}`);
  return (await visitor.send(`/export${query}`, fields)).text.replace(/^\ufeff/, '');
}

test('a month of settlements has the last evening of the month, in the list and in the file', async () => {
  for (const [query, expected] of [
    ['?settledFrom=2027-03-01&settledTo=2027-03-31', ['march-first', 'march-last']],
    ['?settledFrom=2027-04-01&settledTo=2027-04-30', ['april']],
    ['?settledTo=2027-02-28', ['february']],
    ['?settledFrom=2027-03-31&settledTo=2027-03-31', ['march-last']],
    ['?q=march-last&settledFrom=2027-03-01', ['march-last']],
    ['?q=march-last&settledFrom=2027-04-01', []],
    ['?settledFrom=2027-05-01', []],
  ] as const) {
    const page = await owner.open(`${root}/payments${query}`);
    const rows = /<tbody[\s\S]*<\/tbody>/.exec(page.text)?.[0] ?? '';
    assert.deepEqual(namesIn(rows), expected, query);
    assert.deepEqual(namesIn(await exported(query)), expected, query);
  }
  const words = (await owner.open(`${root}/payments?settledFrom=2027-03-01`)).words;
  assert.match(words, /Settled from 1 March 2027/);
  assert.match(words, /Wednesday, 31 Mar 2027 march-last .* 22:30/);
  assert.equal(words.split('Times are those of America/Sao_Paulo.').length, 2, 'named once');
});

test('the file names the days of the organization and its zone; instants stay UTC', async () => {
  const [head = '', row = ''] = (await exported('?q=march-last')).split('\r\n');
  const names = head.split(',');
  const cell = (name: string) => row.split(',')[names.indexOf(name)];
  assert.equal(cell('settledAt'), settlements['march-last']);
  assert.deepEqual(['createdDay', 'settledDay', 'timeZone'].map(cell), [
    '2027-03-31',
    '2027-03-31',
    'America/Sao_Paulo',
  ]);
});

test('the file for Excel is written as that of the language, and keeps long numbers', async () => {
  for (const [locale, divider, brl, settledAt, due] of [
    ['en', ',', '1234.50', '2027-03-31 22:30:00', '2027-03-31'],
    ['pt-BR', ';', '1234,50', '31/03/2027 22:30:00', '31/03/2027'],
    ['es', ';', '1234,50', '31/03/2027 22:30:00', '31/03/2027'],
  ] as const) {
    const cookie = `ponte-member=${await memberToken(site, 'finance')}`;
    const visitor = site.visitor({ headers: { cookie, 'accept-language': locale } });
    const text = await exported('?q=march-last', { bom: 'yes' }, visitor);
    const [head = '', row = ''] = text.split('\r\n');
    const names = head.split(divider);
    const cell = (name: string) => row.split(divider)[names.indexOf(name)];
    assert.deepEqual(['brlSettledAmount', 'settledAt', 'dueDate', 'sellerExternalId'].map(cell), [
      brl,
      settledAt,
      due,
      '"=""04252011000110"""',
    ]);
  }
});

test('the tab Overdue has what is due before today, the earliest first, in three languages', async () => {
  const today = dayOf('America/Sao_Paulo', site.world.deps.clock.nowMs());
  await site.world.deps.store.run(async (tx) => {
    for (const [at, days] of [-2, -30, 0].entries()) {
      const id = `inv_00000000009due${at}`;
      const names = { id, publicId: id, externalId: `due-${-days}`, origin: 'invoice' as const };
      const dueDate = daysAfter(today, days);
      // One of them is paid in part.
      const isPart = days === -2;
      const status = isPart ? 'on_ramp_pending' : 'awaiting_buyer';
      const payment = aBarePayment({ ...site.tenant, ...names, dueDate, status });
      const part = {
        position: 'received',
        receivedMinor: payment.amount.amountMinor - 1n,
      } as const;
      tx.payments.insert(payment);
      tx.funds.put(someFunds({ ...site.tenant, paymentId: id, ...(isPart ? part : {}) }));
    }
  });
  const dueIn = (text: string) => [...new Set(textOf(text).match(/due-\d+/g))];
  for (const [locale, tab, pill, part, due] of [
    ['en', 'Overdue', '30 days overdue', /EUR.0\.01 missing, 2 days overdue/, /It was due on/],
    ['pt-BR', 'Em atraso', '30 dias de atraso', /Faltam EUR.0,01, 2 dias de atraso/, /Venceu em/],
    ['es', 'Vencidas', '30 días de retraso', /Faltan 0,01.EUR, 2 días de retraso/, /Venció el/],
  ] as const) {
    const cookie = `ponte-member=${await memberToken(site, 'finance')}`;
    const visitor = site.visitor({ headers: { cookie, 'accept-language': locale } });
    const all = await visitor.open(`${root}/invoices`);
    assert.match(all.text, new RegExp(`href="[^"]*/invoices\\?status=overdue"[^>]*>${tab}</a>`));
    const { text } = await visitor.open(`${root}/invoices?status=overdue`);
    assert.deepEqual(dueIn(text), ['due-30', 'due-2']);
    assert.match(textOf(text), new RegExp(pill));
    assert.match(textOf(text), part);
    const found = await visitor.open(`${root}/invoices?status=overdue&q=due-2`);
    assert.deepEqual(dueIn(found.text), ['due-2']);
    assert.match((await visitor.open(root)).words, due);
  }
  const file = await exported('?origin=invoice&status=overdue');
  assert.deepEqual(file.match(/due-\d+/g), ['due-30', 'due-2']);
  const one = await owner.open(`${root}/invoices?dueFrom=${today}&dueTo=${today}`);
  assert.deepEqual(dueIn(one.text), ['due-0']);
});

test('an owner changes the zone; a name that is none is refused, and an empty one changes nothing', async () => {
  const path = `${root}/settings/change`;
  for (const [typed, status, zone] of [
    ['GMT-3', 422, 'America/Sao_Paulo'],
    ['', 200, 'America/Sao_Paulo'],
    ['europe/london', 200, 'Europe/London'],
    ['America/Sao_Paulo', 200, 'America/Sao_Paulo'],
  ] as const) {
    await owner.open(path);
    const shown = await owner.send('/settings/change', { timeZone: typed, hold: '24' });
    assert.equal(shown.status, status, typed);
    if (status === 422) assert.match(shown.words, /Give a time zone like America/);
    const words = (await owner.open(`${root}/settings`)).words;
    assert.match(words, new RegExp(`Time zone ${zone}`), typed);
    assert.match(words, new RegExp(`Times are those of ${zone}\\.`), typed);
  }
});
