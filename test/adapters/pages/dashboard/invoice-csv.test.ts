// What a CSV file of invoices says, and what is refused rather than guessed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  IMPORT_LINES_MAX,
  type ImportedLine,
  importTemplate,
  plainCsv,
  readInvoices,
  textOfFile,
  type Writing,
  writings,
} from '../../../../adapters/pages/dashboard/invoice-csv.js';
import { dashboardEn } from '../../../../adapters/pages/dashboard/texts/dashboard-en.js';
import { locales } from '../../../../core/domain/base/locale.js';

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

test('a file that is not UTF-8 has no text', () => {
  assert.equal(textOfFile(Buffer.from('Não', 'latin1')), null);
  assert.equal(textOfFile(Buffer.from('Não', 'utf16le').subarray(1)), null);
  assert.equal(textOfFile(Buffer.from('Não')), 'Não');
});

test('the template of each language is a file without faults', () => {
  for (const locale of locales) {
    const { typed, faults } = one(importTemplate(locale));
    assert.deepEqual(faults, []);
    assert.deepEqual([typed.lines[0]?.amount, typed.locale], ['1250.00', locale]);
  }
  assert.ok(Object.keys(writings).length > 1);
});
