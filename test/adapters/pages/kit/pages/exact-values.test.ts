// What a translator of a browser may change: no value that must match exactly, on any page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withExactValues } from '../../../../../adapters/pages/kit/pages/exact-values.js';
import { locales } from '../../../../../core/domain/base/locale.js';
import { samples } from '../../all-samples.js';
import { instructions, payment, sepa } from '../../buyer/page-facts.js';
import { htmlOf } from '../../buyer/page-samples.js';
import { exactForms, translatable } from '../../translatable.js';

const fieldsOf = ({ rails }: typeof instructions) =>
  rails.flatMap(({ fields }) => fields.map(({ value }) => value));
/** What the samples have. */
const values = [
  ...fieldsOf(instructions),
  ...fieldsOf(sepa),
  payment.payee,
  payment.payer,
  payment.partner,
  payment.number ?? '',
  payment.shortId,
  ...payment.senderNames,
].filter((value) => value !== null && value.length > 8) as readonly string[];

test('on no page a translator may change an amount, a code, an id, an address or a known name', () => {
  assert.ok(values.length > 8, values.join('; '));
  for (const sample of samples) {
    for (const locale of locales) {
      for (const text of translatable(htmlOf(sample, locale))) {
        const where = `${sample.name} in ${locale}: ${text}`;
        assert.doesNotMatch(text, exactForms, where);
        for (const value of values) assert.ok(!text.includes(value), `${where}: ${value}`);
      }
    }
  }
});

test('forms of values, and prose that stays translatable', () => {
  const exact = [
    '12,480.00 USD',
    'BRL 1.250,00',
    'pi_01q3dcbd0000fbqehg867b6dq3',
    '831000424471',
    'LU28 0019 4006 4475 0000',
    'RN-2026/17',
    'E1845023620261117',
    'ana@buyer.example',
    'https://pay.example/r/x',
    '127.0.0.1:8080',
    '30 November 2026',
    '110000613',
  ];
  for (const value of exact) {
    const html = `<html><body><p>Pay <b>${value}</b> today</p><p>Thank you</p></body></html>`;
    const left = translatable(withExactValues(html));
    assert.deepEqual(left, ['Pay ', ' today', 'Thank you'], value);
  }
  const prose = ['Thank you', 'You have 2 open payments', 'Step 3: confirm', 'E-mail @ work'];
  for (const text of prose) {
    const html = `<html><body><p>${text}</p></body></html>`;
    assert.equal(withExactValues(html), html, text);
  }
});

test('a name that stands alone once is kept in every sentence of the page', () => {
  const page = (name: string) =>
    `<html><p>You pay ${name}.</p><h1><span lang dir="auto">${name}</span></h1></html>`;
  for (const name of ['Café Serra Azul', 'Green Apple', '苹果公司', 'a &amp; b']) {
    assert.deepEqual(translatable(withExactValues(page(name))), [], name);
  }
});

test('what is marked keeps its attributes, and what is inside is not marked again', () => {
  const html =
    '<dl class="rows"><dd class="act" data-x="a > b">10.00</dd></dl>' +
    '<div class="notranslate"><code>12345</code></div><br/><img alt="12"/>';
  assert.equal(
    withExactValues(html),
    html
      .replace(
        '<dd class="act" data-x="a > b">',
        '<dd class="act notranslate" data-x="a > b" translate="no">',
      )
      .replace('<div class="notranslate">', '<div class="notranslate" translate="no">'),
  );
});
