// A member imports invoices of a file: all of them or none, each once, as a form makes them.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { IMPORT_TEXT_MAX } from '../../../../adapters/pages/dashboard/invoices/invoice-csv.js';
import { money } from '../../../../core/domain/base/money.js';
import { readDisplay } from '../../../../core/domain/payments/display.js';
import { PonteError } from '../../../../core/errors.js';
import { requireApproval } from '../../../../core/usecases/parties/organizations.js';
import { allPayments, listPayments } from '../../../../core/usecases/payments/payment-lists.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { pageSite, type Shown } from '../visitor.js';
import { addSellers, rootOf, signedInAs } from './dashboard-site.js';

let path: string;

const site = await pageSite(suiteEnd());
await addSellers(site);
const finance = await signedInAs(site, 'finance');

beforeEach(() => {
  path = `${rootOf(site)}/invoices/import`;
});

const header = 'buyer.email;buyer.name;amount;currency;description;number;dueDate;sellerExternalId';
const good = [
  'dana@pine.example;Harbor & Pine;8.000,00;EUR;Café verde;RN-1;31/01/2030;serra-azul',
  'ana@kettle.example;=HYPERLINK("x");1250,00;;Tea;RN-2;;',
].map((line) => line.replace('=HYPERLINK("x")', '"=HYPERLINK(""x"")"'));

function fileOf(...lines: readonly string[]): string {
  return [header, ...lines].join('\r\n');
}

async function invoices() {
  const page = { ...allPayments, limit: 100 };
  const found = await listPayments(site.world.deps, site.tenant, page);
  return found.map(({ payment }) => payment);
}

async function numbered(number: string) {
  return (await invoices()).find((one) => one.number === number);
}

/** Pastes the text and presses a button. */
async function paste(text: string, action: string, visitor = finance): Promise<Shown> {
  await visitor.open(path);
  return visitor.send('/invoices/import', { text, action });
}

async function upload(bytes: Uint8Array<ArrayBuffer>): Promise<Shown> {
  await finance.open(path);
  return finance.upload('/invoices/import/file', bytes, 'text/csv');
}

test('a file is shown line by line and creates nothing; its button creates all lines', async () => {
  const shown = await upload(Buffer.from(`\ufeff${fileOf(...good)}`));
  assert.equal(shown.status, 200);
  const words = shown.words;
  assert.match(words, /2 dana@pine\.example Harbor & Pine Café verde RN-1 31 January 2030/);
  assert.match(words, /Create 2 invoices/);
  assert.equal((await invoices()).length, 0);
  const kept = /<textarea[^>]*>([\s\S]*?)<\/textarea>/.exec(shown.text)?.[1] ?? '';
  const text = kept.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('\n', '\r\n');
  const done = await finance.send('/invoices/import', { text, action: 'create' });
  assert.match(done.path, /\/invoices\/invite\?since=\d+&done=imported$/);
  const [first, second] = await Promise.all(['RN-1', 'RN-2'].map(numbered));
  assert.deepEqual(first?.amount, money(800_000n, 'EUR'));
  assert.deepEqual([first?.number, first?.dueDate], ['RN-1', '2030-01-31']);
  assert.equal(first?.payeeName, 'Café Serra Azul Ltda');
  assert.equal(readDisplay(first?.display ?? '')?.lineItems[0]?.description, 'Café verde');
  assert.deepEqual(second?.amount, money(125_000n, 'USD'));
});

test('the event of each creation names the member', async () => {
  const events = await site.world.deps.store.run((tx) => tx.feed.after(site.tenant, 0, 10));
  const created = events.filter(({ type }) => type.endsWith('.created'));
  assert.equal(created.length, 2);
  for (const { body } of created) assert.match(JSON.parse(body).data.createdBy, /^mem_/);
});

test('the same text makes each invoice once: two tabs, a paste of the file, another day', async () => {
  const text = fileOf('eve@buyer.example;;10,00;;Tea;RN-3;;', 'eve@buyer.example;;10,00;;Tea;;;');
  const before = (await invoices()).length;
  const other = finance.copy();
  await Promise.all([paste(text, 'create'), paste(text, 'create', other)]);
  await paste(`${text.replaceAll('\r\n', '\n')}\n\n`, 'create');
  assert.equal((await invoices()).length, before + 2);
  const again = await upload(Buffer.from(text));
  assert.match(again.words, /Every line of this file was imported before/);
  assert.doesNotMatch(again.text, /value="create"/);
});

/** While `work` runs, the second create that is stored ends with this error instead. */
async function losing<T>(error: Error, work: () => Promise<T>): Promise<T> {
  const { store } = site.world.deps;
  const run = store.run.bind(store);
  let creates = 0;
  store.run = (tried, options) =>
    run(async (tx) => {
      const value = await tried(tx);
      const isCreate = tx.changes().some(({ table }) => table === 'payments');
      if (isCreate && ++creates > 1) throw error;
      return value;
    }, options);
  try {
    return await work();
  } finally {
    store.run = run;
  }
}

test('what one tab began, another ends: lines that exist are not created again', async () => {
  const text = fileOf('eve@buyer.example;;11,00;;Tea;;;', 'eve@buyer.example;;12,00;;Tea;;;');
  const before = (await invoices()).length;
  const failed = await losing(new Error('lost'), () => paste(text, 'create'));
  assert.equal(failed.status, 500);
  assert.match(failed.words, /It may have been done all the same/);
  assert.equal((await invoices()).length, before + 1);
  const shown = await paste(text, 'check');
  assert.match(shown.words, /Create 1 invoice /);
  await paste(text, 'create');
  assert.equal((await invoices()).length, before + 2);
});

test('a busy store leaves the form, which says how many lines exist and creates the others', async () => {
  const text = fileOf('fay@buyer.example;;11,00;;Tea;;;', 'fay@buyer.example;;12,00;;Tea;;;');
  const before = (await invoices()).length;
  const busy = await losing(new PonteError('StoreUnavailable'), () => paste(text, 'create'));
  assert.match(busy.words, /1 of 2 lines exist\. The button creates the others/);
  await finance.send('/invoices/import', { text, action: 'create' });
  assert.equal((await invoices()).length, before + 2);
});

test('a line names all of its faults at once, each with its reason', async () => {
  for (const [line, ...expected] of [
    [
      'bob@;;5,00;XXX;;;31.02.2030;araucaria',
      /buyer\.email: Enter an email address/,
      /description: Say what the line is for/,
      /dueDate: Give the day/,
      /currency: Choose another currency/,
      /sellerExternalId: Payments cannot be made to this payee yet/,
    ],
    [
      'bob@;;5,00;;;;;araucaria',
      /buyer\.email: Enter an email address/,
      /amount: The invoice is below the minimum/,
      /description: Say what the line is for/,
      /sellerExternalId: Payments cannot be made to this payee yet/,
    ],
    [';;5,00;;Tea;;;', /buyer\.email: Give the buyer/, /amount: The invoice is below the minimum/],
    ['bob@buyer;;5,00;;Tea;;;', /buyer\.email: Add the end of the domain/],
    [
      'bob@buyer.example;;;;Tea;;;araucaria',
      /amount: Give an amount/,
      /sellerExternalId: Payments/,
    ],
  ] as const) {
    const shown = await paste(fileOf(line), 'create');
    assert.equal(shown.status, 422);
    for (const named of expected) assert.match(shown.words, named, line);
  }
});

test('while one line has a fault none is created, and each bad line is named with its column', async () => {
  const before = (await invoices()).length;
  const bad = [
    'nobody;;10,00;;Tea;;;',
    'eve@buyer.example;;1.250;;Tea;;02/03/2030;',
    'eve@buyer.example;;5,00;;Tea;;;',
    'eve@buyer.example;;50,00;XXX;Tea;;;',
    'eve@buyer.example;;50,00;;Tea;;;araucaria',
  ];
  const shown = await paste(fileOf(good[0] ?? '', ...bad), 'create');
  assert.equal(shown.status, 422);
  const words = shown.words;
  for (const named of [
    /Line 3, buyer\.email: Enter an email address/,
    /Line 4, amount: 1\.250 has two meanings.*; dueDate: 02\/03\/2030 has two meanings/,
    /Line 5, amount: The invoice is below the minimum/,
    /Line 6, currency: Choose another currency/,
    /Line 7, sellerExternalId: Payments cannot be made to this payee yet/,
    /Nothing was created/,
  ]) {
    assert.match(words, named);
  }
  assert.doesNotMatch(shown.text, /value="create"/);
  assert.equal((await invoices()).length, before);
});

test('an externalId that exists with other values is refused', async () => {
  const columns = 'buyer.email,amount,description,externalId';
  await paste(`${columns}\neve@buyer.example,20.00,Tea,ext-7`, 'create');
  const shown = await paste(`${columns}\neve@buyer.example,21.00,Tea,ext-7`, 'create');
  assert.match(shown.words, /exists with other values: amount/);
  const found = (await invoices()).filter(({ externalId }) => externalId === 'ext-7');
  assert.deepEqual(
    found.map(({ amount }) => amount.amountMinor),
    [2_000n],
  );
});

test('markup and formulas of a file are text on the page, and formulas are none in the export', async () => {
  const text = fileOf('eve@buyer.example;<b>Eve</b>;10,00;;=1+1;<i>9</i>;;');
  const shown = await paste(text, 'check');
  assert.doesNotMatch(shown.text, /<b>Eve|<i>9/);
  await finance.open(`${rootOf(site)}/payments/export?q=RN-2`);
  const csv = await finance.send('/payments/export?q=RN-2');
  assert.match(csv.text, /"'=HYPERLINK\(""x""\)"/);
});

test('a file with other characters, without any, or with too many is refused', async () => {
  const before = (await invoices()).length;
  for (const bytes of [Buffer.from('N\x81o', 'latin1'), Buffer.from('UEsDBBQABgAI', 'base64')]) {
    assert.match((await upload(bytes)).words, /CSV UTF-8/);
  }
  assert.match((await upload(Buffer.alloc(0))).words, /Choose a file/);
  const large = Buffer.alloc(5 * IMPORT_TEXT_MAX, 'a');
  assert.match((await upload(large)).words, /at most 200 lines/);
  assert.equal((await invoices()).length, before);
});

test('a file of a Brazilian Excel is read, and the page says that its encoding was guessed', async () => {
  const shown = await upload(Buffer.from(`sep=;\r\n${fileOf(...good)}`, 'latin1'));
  assert.equal(shown.status, 200);
  assert.match(shown.words, /read as Windows-1252.*Café verde/);
  const utf16 = await upload(Buffer.from(`\ufeff${fileOf(...good)}`, 'utf16le'));
  assert.equal(utf16.status, 200);
  assert.doesNotMatch(utf16.words, /Windows-1252/);
});

test('a seller that nobody has, whose id lacks the zeros of a CNPJ or CPF, is named so', async () => {
  for (const [seller, reason] of [
    ['4252011000110', /a spreadsheet removes zeros/i],
    ['191', /cannot be made to this payee/],
    ['4252011000111', /cannot be made to this payee/],
    ['1234567890', /a spreadsheet removes zeros/i],
    ['1234567891', /cannot be made to this payee/],
    ['4252011000110x', /cannot be made to this payee/],
  ] as const) {
    const shown = await paste(fileOf(`eve@buyer.example;;50,00;;Tea;;;${seller}`), 'check');
    assert.equal(shown.status, 422);
    assert.match(shown.words, reason, seller);
  }
});

test('invoices of a file await approval where the organization requires it', async () => {
  await requireApproval(site.world.deps, site.tenant.orgId, true, 'invoice');
  await paste(fileOf('eve@buyer.example;;30,00;;Tea;RN-9;;'), 'create');
  assert.equal((await numbered('RN-9'))?.status, 'awaiting_approval');
});

test('the template opens in the spreadsheet of the language', async () => {
  const { text, headers } = await finance.open(`${path}/template`);
  assert.match(headers.get('content-disposition') ?? '', /invoices-template\.csv/);
  assert.match(text, /^\ufeff?buyer\.email,buyer\.name,amount/);
});
