// The strict reading of `display`: only text comes out of any JSON.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  DISPLAY_LINES_MAX,
  DISPLAY_TEXT_LENGTH_MAX,
  displayText,
  helpReference,
  isReference,
  misnamedFields,
  type PageDisplay,
  readDisplay,
} from '../../../../core/domain/payments/display.js';
import { anyText } from '../../../support/samples/any-text.js';

const none: PageDisplay = {
  title: null,
  notes: null,
  lineItems: [],
  taxes: [],
  sellerTaxId: null,
  locale: null,
};
const line = { description: '', quantity: null, unitPrice: null, subtotal: null };

test('a name that the buyer would not see is reported with the one that it means', () => {
  const row = { description: 'Chairs', quantity: '2', unitPrice: '5.00', subtotal: '10.00' };
  for (const [display, ...found] of [
    [{ items: [row] }, 'items: lineItems'],
    [{ line_items: [row], Notes: 'n', tax: [] }, 'line_items: lineItems', 'Notes: notes'],
    [{ titel: 'a', taxs: [] }, 'titel: title', 'taxs: taxes'],
    [
      { lineItems: [row, { qty: '1', price: '2.00', total: '2.00' }] },
      'lineItems.1.qty: quantity',
      'lineItems.1.price: unitPrice',
      'lineItems.1.total: subtotal',
    ],
    [{ taxes: [{ descripton: 'VAT' }] }, 'taxes.0.descripton: description'],
    // The right name is sent too: the other one means something else.
    [{ lineItems: [{ ...row, price: '4.00', sku: 'c-1' }], items: 3, title: 'a', Title: 'b' }],
    // Values are free.
    [{ title: 5, notes: ['a'], lineItems: 'none', taxes: { total: 1 }, internal: null }],
    [[{ items: 1 }]],
    [{ lineItems: [null, 'a', 7] }],
  ] as const) {
    const named = misnamedFields(JSON.stringify(display));
    assert.deepEqual(
      named.map(({ path, meant }) => `${path.join('.')}: ${meant}`),
      found,
    );
  }
});

test('a number of a document is a reference; words, addresses and long texts are none', () => {
  for (const text of ['RN-2030-0418', '7', '2026/0418', 'INV.2026.7', 'order_1#2']) {
    assert.equal(isReference(text), true, text);
  }
  const others = ['', 'pay me', 'evil.example', 'a/evil.example/x', 'https://x', 'a@b', '-1', 'é1'];
  for (const text of [...others, 'a\n1', '1'.repeat(41)])
    assert.equal(isReference(text), false, text);
});

test('help is asked with the number, else the externalId, else the id', () => {
  const id = 'pi_1';
  assert.equal(helpReference({ number: 'RN-1', externalId: 'order-1', id }), 'RN-1');
  assert.equal(helpReference({ number: 'see evil.example', externalId: 'order-1', id }), 'order-1');
  assert.equal(helpReference({ number: null, externalId: 'call +1 555', id }), id);
});

test('title, notes, lines, taxes, tax id and language are read, and nothing else', () => {
  const display = {
    title: 'Order 7',
    notes: 'Net 30.\nThank you.',
    lineItems: [
      { description: 'Beans', quantity: '2', unitPrice: '5.00', subtotal: '10.00', id: 1 },
    ],
    taxes: [{ description: 'ISS 5%', amount: 0.5 }, { amount: '1.00' }, 'ISS'],
    sellerTaxId: '12.345.678/0001-95',
    locale: 'pt',
    colour: 'red',
  };
  assert.deepEqual(readDisplay(JSON.stringify(display)), {
    title: 'Order 7',
    notes: 'Net 30.\nThank you.',
    lineItems: [{ description: 'Beans', quantity: '2', unitPrice: '5.00', subtotal: '10.00' }],
    taxes: [{ description: 'ISS 5%', amount: '0.5' }],
    sellerTaxId: '12.345.678/0001-95',
    locale: 'pt-BR',
  });
});

test('without a JSON object there is nothing to show', () => {
  for (const json of [null, '', '{', '[]', '7', '"{}"', 'null', 'undefined']) {
    assert.equal(readDisplay(json), null, `${json}`);
  }
  assert.deepEqual(readDisplay('{}'), none);
});

const values: readonly (readonly [json: string, expected: string | null])[] = [
  ['"a"', 'a'],
  ['"  a  "', 'a'],
  ['""', null],
  ['" "', null],
  ['12', '12'],
  ['10.00', '10.00'],
  ['12345678901234567890.10', '12345678901234567890.10'],
  ['-1.5', '-1.5'],
  ['1e3', null],
  ['true', null],
  ['null', null],
  ['["a"]', null],
  ['{"toString":"a"}', null],
  ['{"type":"div","props":{},"__k":null}', null],
  ['"<b>a</b>"', '<b>a</b>'],
  ['"a\\u0000\\u0007\\u009fb"', 'ab'],
  ['"a\\u202eb\\u2066c\\u200f"', 'abc'],
  ['"a\\r\\nb\\tc\\u2028d"', 'a b c d'],
  ['"\\ud83d"', '\ufffd'],
  ['"न\\u200dम"', 'न\u200dम'],
];

test('a text is shown without controls, a number by its digits, anything else is dropped', () => {
  for (const [json, expected] of values) {
    assert.equal(readDisplay(`{ "title" : ${json} }`)?.title, expected, json);
    const shown = expected === null ? [] : [{ ...line, quantity: expected }];
    assert.deepEqual(readDisplay(`{"lineItems":[{"quantity":${json}}]}`)?.lineItems, shown, json);
  }
});

test('line breaks of notes become line feeds', () => {
  assert.equal(readDisplay('{"notes":"a\\r\\nb\\rc\\u2029d\\u0000"}')?.notes, 'a\nb\nc\nd');
});

test('lines that are no objects or show nothing do not count', () => {
  const json = '{"lineItems":[null,"a",7,[{"quantity":1}],{},{"x":1},{"quantity":1}]}';
  assert.deepEqual(readDisplay(json)?.lineItems, [{ ...line, quantity: '1' }]);
  for (const lines of ['{"0":{"quantity":1},"length":1}', '"ab"', 'null']) {
    assert.deepEqual(readDisplay(`{"lineItems":${lines}}`)?.lineItems, []);
  }
});

test('long lists and texts are cut, a text between two characters', () => {
  const lineItems = Array.from({ length: DISPLAY_LINES_MAX + 1 }, (_, n) => ({ quantity: n + 1 }));
  const title = '😀'.repeat(DISPLAY_TEXT_LENGTH_MAX + 1);
  const read = readDisplay(JSON.stringify({ title, lineItems }));
  assert.equal(read?.title, '😀'.repeat(DISPLAY_TEXT_LENGTH_MAX));
  assert.equal(read?.lineItems.length, DISPLAY_LINES_MAX);
  assert.equal(read?.lineItems.at(-1)?.quantity, `${DISPLAY_LINES_MAX}`);
});

test('JSON that nests deeper than the stack is read', () => {
  const deep = `${'['.repeat(16_000)}${']'.repeat(16_000)}`;
  assert.deepEqual(readDisplay(`{"title":${deep},"lineItems":${deep}}`), none);
});

const name = fc.constantFrom('title', 'notes', 'lineItems', 'locale', 'quantity', '__proto__', 'x');
const anyJson = fc.anything({
  key: name,
  values: [
    anyText,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom('\u202e', '\0', 'en', '<script>', '\u2028'),
  ],
});

test('every value read from any JSON is clean and bounded text or null', () => {
  const texts = fc.oneof(
    fc.dictionary(name, anyJson).map((value) => JSON.stringify(value)),
    anyJson.map((value) => JSON.stringify(value) ?? ''),
    fc.string(),
  );
  fc.assert(
    fc.property(texts, (json) => {
      const read = readDisplay(json);
      if (read === null) return;
      assert.deepEqual(Object.keys(read), Object.keys(none));
      const { lineItems, taxes, ...single } = read;
      assert.ok(lineItems.length <= DISPLAY_LINES_MAX && taxes.length <= DISPLAY_LINES_MAX);
      const lines = [...lineItems, ...taxes].flatMap<string | null>(Object.values);
      const shown = [...Object.values(single), ...lines];
      for (const text of shown) {
        if (text === null || text === '') continue;
        assert.equal(typeof text, 'string');
        assert.equal(displayText(text, '\n'), text);
        assert.ok([...text].length <= DISPLAY_TEXT_LENGTH_MAX);
        assert.doesNotMatch(text, /(?!\n)\p{Cc}|\p{Bidi_Control}/u);
      }
    }),
  );
});
