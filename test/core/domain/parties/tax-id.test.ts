import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lastFour, readCnpj, readCpf } from '../../../../core/domain/parties/tax-id.js';

const companies: Readonly<Record<string, string>> = {
  'Banco do Brasil': '00.000.000/0001-91',
  Petrobras: '33.000.167/0001-01',
  Vale: '33592510000154',
  Itaú: '60.701.190/0001-04',
  'the example of the tax office for the alphanumeric form': '12.ABC.345/01DE-35',
};

test('a company number holds by its check digits, in digits or in the alphanumeric form', () => {
  for (const [company, number] of Object.entries(companies)) {
    const plain = number.replace(/[./-]/g, '');
    assert.equal(readCnpj(number), plain, company);
    assert.equal(readCnpj(plain), plain, company);
  }
});

test('no digit of a company number can be mistaken, nor two neighbours be swapped', () => {
  const numbers = Object.values(companies).map((text) => text.replace(/[./-]/g, ''));
  for (const number of numbers.filter((text) => /^[0-9]+$/.test(text))) {
    for (let at = 0; at < number.length; at += 1) {
      const [before, digit = '', next = '', after] = [
        number.slice(0, at),
        number[at],
        number[at + 1],
        number.slice(at + 2),
      ];
      for (const other of '0123456789'.replace(digit, '')) {
        assert.equal(readCnpj(`${before}${other}${next}${after}`), null, `${number} at ${at}`);
      }
      if (next !== digit && next !== '') {
        assert.equal(readCnpj(`${before}${next}${digit}${after}`), null, `${number} at ${at}`);
      }
    }
  }
});

// Receita Federal writes NN.NNN.NNN/NNNN-NN; people copy it from papers, pages and sheets.
const writtenNumbers: Readonly<Record<string, string>> = {
  'with blanks': '11 222 333 0001 81',
  'in small letters': '12.abc.345/01de-35',
  'with full-width digits': '１１２２２３３３０００１８１',
  'with full-width signs': '１１．２２２．３３３／０００１－８１',
  'with the digits of an Arabic keyboard': '١١٢٢٢٣٣٣٠٠٠١٨١',
  'with a dash of a word processor': '11.222.333/0001\u201381',
  'with a hyphen that does not break': '11.222.333/0001\u201181',
  'with a minus sign': '11.222.333/0001\u221281',
  'with blanks that do not break': '11\u00a0222\u202f333/0001-81',
  'with marks of direction': '\u200e11.222.333/0001-81\u200f',
  isolated: '\u206611.222.333/0001-81\u2069',
  'with a byte order mark': '\ufeff11.222.333/0001-81',
  'with an invisible blank': '11.222.\u200b333/0001-81',
  'with a soft hyphen': '11222333\u00ad000181',
  'with a line end': ' 11222333000181\r\n',
};

test('a company number is read as any keyboard or program writes it', () => {
  for (const [name, text] of Object.entries(writtenNumbers)) {
    const right = text.includes('abc') ? '12ABC34501DE35' : '11222333000181';
    assert.equal(readCnpj(text), right, name);
  }
});

test('a CPF holds by its check digits', () => {
  for (const cpf of ['529.982.247-25', '52998224725', '111.444.777-35', '001.234.567-97']) {
    assert.equal(readCpf(cpf), cpf.replace(/[.-]/g, ''), cpf);
  }
  for (let at = 0; at < 11; at += 1) {
    for (const digit of '0123456789'.replace('52998224725'[at] ?? '', '')) {
      const other = `${'52998224725'.slice(0, at)}${digit}${'52998224725'.slice(at + 1)}`;
      assert.equal(readCpf(other), null, other);
    }
  }
  for (const text of ['', '5299822472', '11111111111', '529.982.247/25x', '529,982,247-25']) {
    assert.equal(readCpf(text), null, text);
  }
});

test('what is no company number at all is none', () => {
  const texts = [
    '',
    '0',
    '1122233300018',
    '112223330001811',
    '11.222.333/0001-8A',
    '11111111111111',
    '00000000000000',
    '١١٢٢٢٣٣٣٠٠٠١٨',
  ];
  for (const text of texts) assert.equal(readCnpj(text), null, text);
});

test('of a tax id the last four characters are shown, and nothing when that is most of it', () => {
  const taxIds = ['11.222.333/0001-81', '12.ABC.345/01DE-35', '123-45-6789'];
  assert.deepEqual(taxIds.map(lastFour), ['0181', 'DE35', '6789']);
  for (const short of ['', '1234', '12-34-567']) assert.equal(lastFour(short), null);
  fc.assert(
    fc.property(fc.string({ maxLength: 64 }), (text) => {
      assert.ok((lastFour(text) ?? '').length * 2 <= text.length);
    }),
  );
});
