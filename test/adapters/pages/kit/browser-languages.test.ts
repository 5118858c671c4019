// What Accept-Language says: the language of a page, and the decimal point of its amounts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  acceptedLocale,
  hasDecimalPoint,
} from '../../../../adapters/pages/kit/browser-languages.js';

test('Spanish is read with a decimal point where the first Spanish of the browser is', () => {
  for (const [header, expected] of [
    ['es-MX,es;q=0.9', true],
    ['en-US,es-419;q=0.8', true],
    ['es-GT', true],
    ['es-ES,es-MX;q=0.5', false],
    ['es-AR', false],
    ['es,es-MX', false],
    ['pt-BR', false],
    ['es-MX-u-nu-arab', false],
    ['', false],
  ] as const) {
    assert.equal(hasDecimalPoint(header), expected, header);
  }
});

test('the first of ten languages that Ponte has is the language of a page', () => {
  assert.equal(acceptedLocale('fr, pt;q=0.8, en;q=0.7'), 'pt-BR');
  assert.equal(acceptedLocale('fr'), null);
  assert.equal(acceptedLocale(''), null);
  const after = (count: number) => acceptedLocale(`${'fr,'.repeat(count)}es`);
  assert.equal(after(9), 'es');
  assert.equal(after(10), null);
});
