// Which first PIX destinations live mode holds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFirstHeld } from '../../../../core/domain/parties/destination-change.js';
import { readPixKey } from '../../../../core/domain/parties/pix-key.js';

function isKeyHeld(text: string | null, taxId: string | null): boolean {
  const pixKey = text === null ? null : readPixKey(text, null);
  assert.ok(typeof pixKey !== 'string', `${text} is a key`);
  return isFirstHeld('key', pixKey, taxId);
}

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
    '11987650034',
    'ana@seller.example',
    '',
    null,
  ];
  const keys = [
    'ana@seller.example',
    '11222333000181@evil.example',
    '123e4567-e89b-12d3-a456-426655440000',
    // The digits of a CPF with those of a phone number.
    '(11) 98765-0034',
    null,
  ];
  for (const taxId of taxIds) {
    for (const pixKey of keys) assert.equal(isKeyHeld(pixKey, taxId), true, `${pixKey} ${taxId}`);
  }
});

test('another number is another person, and one of a wrong number is none', () => {
  const numbers = ['52998224725', '11144477735', '11222333000181', '12ABC34501DE35'];
  for (const pixKey of numbers) {
    for (const taxId of numbers) assert.equal(isKeyHeld(pixKey, taxId), pixKey !== taxId, taxId);
    for (const wrong of [`${pixKey}0`, pixKey.slice(1), pixKey.replace(/.$/, 'X')]) {
      assert.equal(isKeyHeld(pixKey, wrong), true, wrong);
    }
  }
});
