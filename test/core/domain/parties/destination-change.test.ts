// Which first PIX destinations live mode holds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isFirstHeld } from '../../../../core/domain/parties/destination-change.js';

const isKeyHeld = (pixKey: string | null, taxId: string | null) =>
  isFirstHeld('key', pixKey, taxId);

test('a CPF or CNPJ of the verified seller is taken however either is written', () => {
  const same = [
    ['11222333000181', '11.222.333/0001-81'],
    ['11.222.333/0001-81', '11222333000181'],
    ['52998224725', '529.982.247-25'],
    [' 529 982 247 25 ', '52998224725'],
    ['12abc34501de35', '12.ABC.345/01DE-35'],
  ] as const;
  for (const [pixKey, taxId] of same) assert.equal(isKeyHeld(pixKey, taxId), false, pixKey);
});

test('a PIX key that is no CPF or CNPJ proves no holder, with any tax id', () => {
  const taxIds = [
    '11.222.333/0001-81',
    '52998224725',
    '12-3456789',
    'ana@seller.example',
    '',
    null,
  ];
  const keys = [
    'ana@seller.example',
    '+5552998224725',
    '11222333000181@evil.example',
    '123e4567-e89b-12d3-a456-426655440000',
    '12-3456789',
    '',
    null,
  ];
  for (const taxId of taxIds) {
    for (const pixKey of keys) assert.equal(isKeyHeld(pixKey, taxId), true, `${pixKey} ${taxId}`);
  }
});

test('a number that differs in one character is another person', () => {
  const digits = fc.stringMatching(/^(\d{11}|[0-9A-Z]{12}\d{2})$/);
  fc.assert(
    fc.property(digits, fc.nat(), (number, nth) => {
      const at = nth % number.length;
      const other = number.slice(0, at) + (number[at] === '7' ? '3' : '7') + number.slice(at + 1);
      assert.equal(isKeyHeld(number, number), false);
      assert.equal(isKeyHeld(other, number), true);
    }),
  );
});
