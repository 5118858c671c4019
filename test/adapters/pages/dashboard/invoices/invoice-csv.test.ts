// What a CSV file of invoices says, and what is refused rather than guessed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  IMPORT_LINES_MAX,
  type ImportColumn,
  type ImportedLine,
  importTemplate,
  plainCsv,
  readInvoices,
  textOfFile,
  type Writing,
  writings,
} from '../../../../../adapters/pages/dashboard/invoices/invoice-csv.js';
import { dashboardEn } from '../../../../../adapters/pages/dashboard/texts/dashboard-en.js';
import { dashboardEs } from '../../../../../adapters/pages/dashboard/texts/dashboard-es.js';
import { dashboardPtBr } from '../../../../../adapters/pages/dashboard/texts/dashboard-pt-br.js';
import { locales } from '../../../../../core/domain/base/locale.js';

const header = 'buyer.email,amount,description,dueDate';

function linesOf(text: string, writing: Writing = 'plain'): readonly ImportedLine[] {
  const { fault, lines } = readInvoices(dashboardEn, plainCsv(text), writing, 'en');
  assert.equal(fault, null);
  return lines ?? [];
}

function one(text: string, writing: Writing = 'plain'): ImportedLine {
  return linesOf(text, writing)[0] ?? assert.fail('the file has a line');
}

function fileFault(text: string): string {
  return readInvoices(dashboardEn, plainCsv(text), 'plain', 'en').fault ?? 'no fault';
}

/** The faults of a line that has this value, and no other that is unusual. */
function faultsOf(column: ImportColumn, value: string, writing: Writing) {
  const cells = { 'buyer.email': 'a@b.example', amount: '10', description: 'Tea', [column]: value };
  const quoted = Object.values(cells).map((cell) => `"${cell}"`);
  return one(`${Object.keys(cells).join(';')}\n${quoted.join(';')}`, writing).faults;
}

test('commas, semicolons, tabs, quotes, a byte order mark and any line end are read', () => {
  for (const text of [
    'buyer.email,amount,description\nana@b.example,10.50,"Tea, ""green"""',
    'buyer.email;amount;description\r\nana@b.example;10,50;"Tea, ""green"""\r\n',
    '\ufeffBUYER.EMAIL;Amount;description;;\r\nana@b.example;10,50;"Tea, ""green""";;\r\n;;;;\r\n',
    'buyer.email\tamount\tdescription\rana@b.example\t10.5\t"Tea, ""green"""',
  ]) {
    const { typed, faults } = one(text);
    const [line] = typed.lines;
    assert.deepEqual([typed.email, line?.amount], ['ana@b.example', '10.50'], text);
    assert.equal(line?.item, 'Tea, "green"');
    assert.deepEqual(faults, []);
  }
});

test('an amount or a day of two meanings is refused, unless the file says how it writes', () => {
  for (const [writing, amount, day, expected] of [
    ['plain', '1250.5', '2030-01-31', ['1250.50', '2030-01-31']],
    ['plain', '"1.250,00"', '31/01/2030', ['1250.00', '2030-01-31']],
    ['plain', '"1,250.00"', '01/31/2030', ['1250.00', '2030-01-31']],
    ['plain', '1.234.567', '05.05.2030', ['1234567.00', '2030-05-05']],
    ['plain', '1.250', '02/03/2030', 'refused'],
    ['plain', '"1,250"', '2-3-2030', 'refused'],
    ['plain', '１.２５０', '０２/０３/２０３０', 'refused'],
    ['plain', '"１，２５０"', '2\u20103\u20102030', 'refused'],
    ['brazilian', '１２５０.００', '13/13/2030', 'refused'],
    ['brazilian', '1.250', '02/03/2030', ['1250.00', '2030-03-02']],
    ['british', '"1,250"', '02/03/2030', ['1250.00', '2030-03-02']],
    ['american', '"1,250"', '02/03/2030', ['1250.00', '2030-02-03']],
    ['brazilian', '1250.00', '2030-31-01', 'refused'],
    ['brazilian', '"1,250"', '13/13/2030', 'refused'],
    ['american', '"1.250,00"', '31/01/2030', 'refused'],
    ['plain', '-5', '30/02/2030', 'refused'],
    ['plain', '0', '1/2/30', 'refused'],
    ['plain', 'USD 5', 'soon', 'refused'],
  ] as const) {
    const { typed, faults } = one(`${header}\na@b.example,${amount},Tea,${day}`, writing);
    if (expected === 'refused') {
      const found = faults.map(({ column }) => column).toSorted();
      assert.deepEqual(found, ['amount', 'dueDate'], `${writing} ${amount} ${day}`);
      continue;
    }
    assert.deepEqual(faults, [], `${writing} ${amount} ${day}`);
    assert.deepEqual([typed.lines[0]?.amount, typed.due], expected);
  }
});

test('a fault names its line of the file and its column once', () => {
  const text =
    `${header},externalId,currency,locale\n` +
    'a@b.example,12.00,"Two\nlines",,A,,\n' +
    '\n' +
    'nobody,12.345,,tomorrow,A,euro,fr\n' +
    'a@b.example,12.00,Tea,,,,,too,many\n';
  const [first, second, third] = linesOf(text);
  assert.deepEqual([first?.line, first?.faults], [2, []]);
  assert.equal(second?.line, 5);
  const columns = second?.faults.map(({ column }) => column).toSorted();
  const all = ['amount', 'buyer.email', 'currency', 'description', 'dueDate', 'externalId'];
  assert.deepEqual(columns, [...all, 'locale']);
  assert.match(second?.faults.at(-1)?.text ?? '', /Line 2 has the same externalId/);
  assert.equal(third?.line, 6);
  assert.match(third?.faults[0]?.text ?? '', /more cells than columns/);
});

test('what is no table of invoices is refused as a whole, with the reason', () => {
  for (const [text, reason] of [
    ['', /Choose a file/],
    ['\ufeff\n\n', /Choose a file/],
    [header, /no line below/],
    ['buyer.email,amount\na@b.example,1', /no column description/],
    ['buyer.email,description\na@b.example,Tea', /no column amount/],
    ['amount,description\n1,Tea', /no column buyer.email/],
    [`${header},iban\na@b.example,12,Tea,,1`, /“iban” is not known/],
    [`${header},Amount\na@b.example,12,Tea,,1`, /amount occurs twice/],
    ['<script>,amount\n1,2', /“<script>” is not known/],
    [`${header}\na@b.example,12,Tea,\na@b.example,12,"Tea,`, /Line 3: a quote/],
    [`${header}\na@b.example,12,3" pipe,`, /Line 2: a quote/],
    [`${header}\n${'a@b.example,12,Tea,\n'.repeat(IMPORT_LINES_MAX + 1)}`, /at most 200 lines/],
    [`${header}\na@b.example,12,${'x'.repeat(100_000)},`, /at most 200 lines/],
    [`${header}\na@b.example,12,T\u0000ea,`, /CSV UTF-8/],
  ] as const) {
    assert.match(fileFault(text), reason, text.slice(0, 60));
  }
  assert.equal(
    linesOf(`${header}\n${'a@b.example,12,Tea,\n'.repeat(IMPORT_LINES_MAX)}`).length,
    200,
  );
});

test('the bytes of a text file are read in the encodings of spreadsheets, others are refused', () => {
  const text = 'description\nNão: ação, “lote” €';
  const utf16be = Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
  const windows = Buffer.from(
    text.replace('“', '\x93').replace('”', '\x94').replace('€', '\x80'),
    'latin1',
  );
  // The encodings of Excel's "Save as", by https://wiki.scn.sap.com "Excel files - CSV format".
  for (const [name, bytes, isWindows1252] of [
    ['UTF-8', Buffer.from(text), false],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`), false],
    ['UTF-16LE with a mark', Buffer.from(`\ufeff${text}`, 'utf16le'), false],
    ['UTF-16BE with a mark', utf16be, false],
    ['Windows-1252', windows, true],
    ['Windows-1252 of an ERP of DOS', Buffer.concat([windows, Buffer.from('\r\n\x1a')]), true],
  ] as const) {
    const found = textOfFile(bytes) ?? assert.fail(name);
    assert.deepEqual([plainCsv(found.text), found.isWindows1252], [text, isWindows1252], name);
  }
  for (const [name, bytes] of [
    ['UTF-16LE without a mark', Buffer.from(text, 'utf16le')],
    ['a broken UTF-16', Buffer.from([0xff, 0xfe, 0x00, 0xd8])],
    ['a workbook (xlsx)', Buffer.from('UEsDBBQABgAIAAAAIQA=', 'base64')],
    ['an old workbook (xls)', Buffer.from('d0cf11e0a1b11ae10000', 'hex')],
    ['a PDF', Buffer.from('%PDF-1.7\n%\x81\x8d\x8f\n', 'latin1')],
    ['the end of file of DOS before the end', Buffer.from('a\x1ab')],
    ['bytes that Windows-1252 leaves free', Buffer.from('N\x81o', 'latin1')],
  ] as const) {
    assert.equal(textOfFile(bytes), null, name);
  }
});

test('every way in which spreadsheets write the table is read', () => {
  const row = ['ana@b.example', '10,50', 'Tea'];
  const table = (divider: string, end = '\n', after = '') =>
    [['buyer.email', 'amount', 'description'], row]
      .map((cells) => `${cells.join(divider)}${after}${end}`)
      .join('');
  for (const text of [
    table(';'),
    table('\t'),
    table('|'),
    table(';', '\r\n'),
    table(';', '\r'),
    table(';', '\n', ';;;'),
    `${table(';', '\r\n', ';;')};;;;\r\n;;;;\r\n`,
    `\r\n\r\n${table(';')}`,
    `sep=;\r\n${table(';', '\r\n')}`,
    `\ufeffsep=;\n${table(';')}`,
    `SEP=;\n${table(';')}`,
    `"sep=;"\n${table(';')}`,
    `sep=;;;\n${table(';')}`,
    `sep=\t\n${table('\t')}`,
    `sep=^\n${table('^')}`,
    `\ufeff\ufeff${table(';')}`,
    table(';').replace('buyer.email', '"\ufeffbuyer.email"'),
    table(';').replace('buyer.email', ' Buyer E-mail '),
    table(';').replace('buyer.email', 'BUYER_EMAIL'),
    table(';').replace('description', 'Descriptión'),
    table(';').replace('amount', 'ａｍｏｕｎｔ\u00a0'),
    table(';').replace('description', '"description\n"'),
    table(';').replace('Tea', '"=""Tea"""'),
    table(';').replace('ana@b.example', 'ana@b.example\u200b\u00a0'),
    table(',').replace('10,50', '"10,50"'),
    `sep=,\n${table(',').replace('10,50', '"10,50"')}`,
  ]) {
    const { typed, faults } = one(text);
    const found = [typed.email, typed.lines[0]?.amount, typed.lines[0]?.item];
    assert.deepEqual([found, faults], [['ana@b.example', '10.50', 'Tea'], []], text);
  }
  assert.equal(one(`sep=;\n${table(';')}`).line, 3, 'the line of the separator counts');
});

test('a value that a spreadsheet has changed is refused with that reason', () => {
  // Formats of Excel (support.microsoft.com, "Keeping leading zeros and large numbers"), of Google
  // Sheets and of LibreOffice.
  for (const [column, value, reason] of [
    ['externalId', '1.23457E+11', /shortened/],
    ['externalId', '1,23E+11', /shortened/],
    ['externalId', '3,52509E+43', /shortened/],
    ['externalId', '1.23456789012346E+015', /shortened/],
    ['externalId', '1E-05', /shortened/],
    ['externalId', '1,23E\u221205', /shortened/],
    ['number', '1,23457E+12', /shortened/],
    ['sellerExternalId', '4,25201E+12', /shortened/],
    ['amount', '1,25E+03', /shortened/],
    ['dueDate', '4,6387E+04', /shortened/],
    ['externalId', '12345678900,00', /decimals/],
    ['externalId', '12345678900.0', /decimals/],
    ['externalId', '35250912345678900000000000000000000000000000', /lost digits/],
    ['externalId', '12345678901234500', /lost digits/],
    ['number', '########', /too narrow/],
    ['amount', '####', /too narrow/],
    ['dueDate', '#######', /too narrow/],
    ['amount', '#REF!', /error of a formula/],
    ['amount', '#VALOR!', /error of a formula/],
    ['externalId', '#N/D', /error of a formula/],
    ['description', '#¡VALOR!', /error of a formula/],
    ['description', '#NOME?', /error of a formula/],
    ['amount', 'Err:502', /error of a formula/],
    ['dueDate', '46387', /number of a day/],
    ['dueDate', '45992,5', /number of a day/],
    ['dueDate', '45992', /number of a day/],
    ['dueDate', '28/11/26', /two digits of the year/],
    ['dueDate', '1-2-30', /two digits of the year/],
  ] as const) {
    const [found] = faultsOf(column, value, 'brazilian');
    assert.equal(found?.column, column, `${column} ${value}`);
    assert.match(found?.text ?? '', reason, `${column} ${value}`);
  }
});

test('a value as people type it is no loss of a spreadsheet', () => {
  for (const [column, value] of [
    ['externalId', '12E5'],
    ['externalId', '7e10'],
    ['externalId', '123456789012345'],
    ['externalId', '1735689600123000000'],
    ['externalId', '1735689600000000000'],
    ['externalId', '35250904252011000110550010000012341000012345'],
    ['externalId', '04252011000110'],
    ['externalId', '2026.10'],
    ['externalId', 'E+11'],
    ['number', '1.0'],
    ['number', '#17'],
    ['number', '28/11/26'],
    ['number', '46387'],
    ['description', '1,23457E+11'],
    ['description', '#1 coffee!'],
    ['dueDate', '2030-12-31 00:00:00'],
    ['dueDate', '2030-12-31T00:00:00.000Z'],
    ['dueDate', '31/12/2030 00:00'],
    ['amount', '1.250,00'],
  ] as const) {
    assert.deepEqual(faultsOf(column, value, 'brazilian'), [], `${column} ${value}`);
  }
});

test('a refused amount or day is answered with examples that the chosen writing takes', () => {
  for (const [name, { amount, day }] of Object.entries(writings)) {
    const writing = name as Writing;
    for (const words of [dashboardEn, dashboardEs, dashboardPtBr]) {
      const label = words.invoiceImport.writings[writing];
      assert.ok(label.includes(amount) && label.includes(day), label);
    }
    const [badAmount] = faultsOf('amount', 'R$ 1.250,00', writing);
    const [badDay] = faultsOf('dueDate', '31-dez-2030', writing);
    const like = (text = '') =>
      /like ([^ ]+?)(?:,? without|$)/.exec(text)?.[1] ?? assert.fail(text);
    assert.deepEqual(faultsOf('amount', like(badAmount?.text), writing), [], name);
    assert.deepEqual(faultsOf('dueDate', like(badDay?.text), writing), [], name);
  }
});

test('the template of each language is a file without faults', () => {
  for (const locale of locales) {
    const { typed, faults } = one(importTemplate(locale));
    assert.deepEqual(faults, []);
    assert.deepEqual([typed.lines[0]?.amount, typed.locale], ['1250.00', locale]);
  }
  assert.ok(Object.keys(writings).length > 1);
});
