// Access keys of fiscal documents: their parts and their check digit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  fiscalDocumentOfKey,
  readFiscalDocument,
  readFiscalKey,
  writeFiscalDocument,
} from '../../../../core/domain/payments/fiscal-document.js';

/** The issuer is the example of the Receita Federal for a CNPJ with letters. */
const parts = ['35', '2611', '12ABC34501DE35', '55', '001', '000012345', '1', '12345671'] as const;
/** 2 to 9 from the right, written out. */
const weights = [...'4329876543298765432987654329876543298765432'].map(Number);

function withDigit(text: string): string {
  const sum = [...text].reduce((total, char, index) => {
    return total + (char.charCodeAt(0) - 48) * (weights[index] ?? 0);
  }, 0);
  const digit = 11 - (sum % 11);
  return `${text}${digit > 9 ? 0 : digit}`;
}

const key = withDigit(parts.join(''));

test('the key of an NF-e has 44 characters, with the number of the document', () => {
  assert.equal(key.length, 44);
  assert.deepEqual(readFiscalKey('nfe', key), { key, number: '12345' });
  const typed = key.toLowerCase().replace(/(.{4})/g, '$1 ');
  assert.equal(readFiscalKey('nfe', typed)?.key, key, 'as it is printed, in groups');
});

test('one wrong digit is refused at any place of the key', () => {
  assert.notEqual(key.at(-1), '0', 'two remainders have the digit 0');
  for (const [at, char] of [...key].entries()) {
    if (!/[0-9]/.test(char)) continue;
    for (const other of '0123456789') {
      if (other === char) continue;
      const wrong = `${key.slice(0, at)}${other}${key.slice(at + 1)}`;
      assert.equal(readFiscalKey('nfe', wrong), null, wrong);
    }
  }
});

test('another model, month, issuer, number or length is refused, with a right digit too', () => {
  const changed = (index: number, part: string) =>
    withDigit(parts.map((one, at) => (at === index ? part : one)).join(''));
  for (const wrong of [
    changed(1, '2613'),
    changed(1, '2600'),
    changed(2, '12ABC34501DE36'),
    changed(3, '65'),
    changed(5, '000000000'),
    changed(0, '99'),
    key.slice(1),
    `${key}0`,
    '',
  ])
    assert.equal(readFiscalKey('nfe', wrong), null, wrong);
  const ofPerson = changed(2, '00052998224725');
  assert.ok(readFiscalKey('nfe', ofPerson) !== null, 'a person who sells goods issues by CPF');
});

test('the key of a national NFS-e has 50 characters, and an issuer', () => {
  const service = [
    '3550308',
    '2',
    '2',
    '12ABC34501DE35',
    '0000000000123',
    '2611',
    '123456789',
    '4',
  ];
  const text = service.join('');
  assert.deepEqual(readFiscalKey('nfse', text), { key: text, number: '123' });
  assert.equal(readFiscalKey('nfse', text.replace('DE35', 'DE36')), null);
  assert.equal(readFiscalKey('nfse', text.replace('2611', '2613')), null);
  assert.equal(readFiscalKey('nfse', key), null);
  assert.equal(readFiscalKey('nfe', text), null);
  assert.equal(readFiscalKey('other', key), null, 'another document has no such key');
});

test('a fiscal document is stored and read as it was', () => {
  const document = { kind: 'nfe', key, number: '12345', issuedOn: '2026-11-03' } as const;
  assert.deepEqual(readFiscalDocument(writeFiscalDocument(document)), document);
});

test('a key alone says which kind of document it is of', () => {
  const nfse = `3550308${'1'}${'2'}12ABC34501DE35${'0000000000042'}2611${'0'.repeat(10)}`;
  for (const [text, kind, number] of [
    [key, 'nfe', '12345'],
    [nfse, 'nfse', '42'],
  ] as const)
    assert.deepEqual(fiscalDocumentOfKey(text), { kind, key: text, number, issuedOn: null });
  assert.equal(fiscalDocumentOfKey(key.slice(1)), null);
});
