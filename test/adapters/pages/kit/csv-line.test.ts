// A line of CSV: quoted where RFC 4180 asks for it, and without formulas.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvLine } from '../../../../adapters/pages/kit/csv-line.js';

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
