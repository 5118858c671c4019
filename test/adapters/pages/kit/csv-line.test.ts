// A line of CSV: quoted where RFC 4180 asks for it, and without formulas.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvLine, plainCsv, spreadsheetCsv } from '../../../../adapters/pages/kit/csv-line.js';

test('a cell has quotes where it needs them', () => {
  assert.equal(csvLine(['a', null, 'b c', '1.50']), 'a,,b c,1.50\r\n');
  assert.equal(csvLine(['a,b', 'a;b', 'a "b"', 'a\r\nb']), '"a,b","a;b","a ""b""","a\r\nb"\r\n');
});

test('no cell begins a formula, with any separator of a spreadsheet', () => {
  const cells = {
    '=1': "'=1",
    '+1': "'+1",
    '-1': "'-1",
    '@A1': "'@A1",
    '\tx': "'\tx",
    ' =1': "' =1",
    'x;=1': `"x;'=1"`,
    'x; +1': `"x;' +1"`,
    'x;"=1': `"x;'""=1"`,
    'x\t=1': "x\t'=1",
    'x\n@A1': `"x\n'@A1"`,
    '＝1': "'＝1",
    '＋1': "'＋1",
    '－1': "'－1",
    '＠A1': "'＠A1",
    'x; ＝1': `"x;' ＝1"`,
    '\nx': `"'\nx"`,
    ';\t\t=1': `";\t\t'=1"`,
    '\u00a0=1': "'\u00a0=1",
  };
  for (const [text, cell] of Object.entries(cells)) assert.equal(csvLine([text]), `${cell}\r\n`);
});

test('in a file with semicolons none begins after a comma, either', () => {
  const form = spreadsheetCsv({ locale: 'pt-BR', hasDecimalPoint: false, timeZone: 'UTC' });
  const cells = {
    'a,=1': `"a,'=1"`,
    'a, "=1': `"a,' ""=1"`,
    'a,＝1': `"a,'＝1"`,
    'a;=1': `"a;'=1"`,
    'a,b': '"a,b"',
  };
  for (const [text, cell] of Object.entries(cells)) {
    assert.equal(csvLine([text], form), `${cell}\r\n`);
  }
  assert.equal(csvLine(['a,=1']), '"a,=1"\r\n');
});

test('a file for a spreadsheet is written as the language of its reader', () => {
  const cells = ['Tea', '-1234.50', '2026-11-28', '2026-11-29T01:02:03.456Z', null];
  const kinds = ['text', 'number', 'day', 'instant', 'number'] as const;
  const point = 'Tea,-1234.50,2026-11-28,2026-11-28 22:02:03,\r\n';
  const comma = 'Tea;-1234,50;28/11/2026;28/11/2026 22:02:03;\r\n';
  for (const [locale, hasDecimalPoint, expected] of [
    ['en', false, point],
    ['pt-BR', false, comma],
    ['pt-BR', true, comma],
    ['es', false, comma],
    ['es', true, 'Tea,-1234.50,28/11/2026,28/11/2026 22:02:03,\r\n'],
  ] as const) {
    const form = spreadsheetCsv({ locale, hasDecimalPoint, timeZone: 'America/Sao_Paulo' });
    assert.equal(csvLine(cells, form, kinds), expected, locale);
  }
  const plain = 'Tea,-1234.50,2026-11-28,2026-11-29T01:02:03.456Z,\r\n';
  assert.equal(csvLine(cells, plainCsv, kinds), plain);
});

test('a file for a spreadsheet keeps texts that it would read as numbers or days', () => {
  const form = spreadsheetCsv({ locale: 'en', hasDecimalPoint: false, timeZone: 'UTC' });
  // Excel: support.microsoft.com, "Keeping leading zeros and large numbers" and "Stop automatically
  // changing numbers to dates".
  for (const text of [
    '04252011000110',
    '35250904252011000110550010000012341000012345',
    '123456789012',
    '00123',
    '1E5',
    '1.23e10',
    '3-12',
    '3/12',
    '1.2.3',
    '1.50',
    '1.234.567',
    '1,234.50',
    '12:30',
    '2026-11-28',
    'mar 1',
    'SEPT2',
    'dez-26',
    '3-Dec',
    '5 maio',
  ]) {
    assert.equal(csvLine([text], form), `"=""${text}"""\r\n`, text);
  }
  for (const text of [
    '12345678901',
    '0',
    '11.222.333/0001-81',
    '192.168.10.1234',
    'RN-1',
    'inv_1',
    'order 12',
    'E1234',
    'Tea',
    '12 Tea',
  ]) {
    assert.equal(csvLine([text], form), `${text}\r\n`, text);
  }
  for (const text of ['=1+1', '+55', '-2', '@SUM(A1)', '="1"&cmd', '\t=1', '-1;=2']) {
    assert.match(csvLine([text], form), /^"?'/, text);
  }
});
