// A typed text finds a name or reference without regard to case, accents and width.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  isNamed,
  nameWords,
  SEARCH_KEY_MAX,
  searchKey,
  typedWords,
} from '../../../../core/domain/base/search-text.js';

/** A name as stored, a text as typed. */
const found: readonly (readonly [name: string, typed: string])[] = [
  ['Lindqvist Interiors AB', 'lindqvist'],
  ['Lindqvist Interiors AB', 'INTERIORS lind'],
  ['Lindqvist Interiors AB', 'ab'],
  ['Café Serra Azul Ltda', 'cafe serra'],
  ['Cafe Serra Azul Ltda', 'café'],
  ['Cafe\u0301 Serra Azul', 'caf\u00e9'],
  ['São João Exportação', 'SAO JOAO exportacao'],
  ['Østergård & Søn', 'ostergard son'],
  ['Łódź Światło', 'lodz swiatlo'],
  ['Müller Straße GmbH', 'muller strasse'],
  ['Þórður ehf.', 'thordur'],
  ['Harbor & Pine Roasters', 'harbor & pine'],
  ["O'Neill-Smith", 'smith'],
  ['ＡＣＭＥ　株式会社', 'acme'],
  ['株式会社山田商店', '山田'],
  ['สยามกาแฟ', 'กาแฟ'],
  ['ООО «Ромашка»', 'ромашка'],
  ['شركة النور للتجارة', 'النور'],
  ['חברת השמש בע״מ', 'השמש'],
  ['Ελληνική Εταιρεία', 'ελληνικη'],
  ['Viet Đức Company', 'viet duc'],
  ['3M do Brasil', '3m'],
  ['ﬁrst Ltd', 'first'],
];

const notFound: readonly (readonly [name: string, typed: string])[] = [
  ['Lindqvist Interiors AB', 'qvist'],
  ['Lindqvist Interiors AB', 'lindqvist gmbh'],
  ['Lindqvist Interiors AB', ''],
  ['Lindqvist Interiors AB', '&'],
  ['Harbor & Pine Roasters', 'harborpine'],
  ['', 'a'],
];

for (const [name, typed] of found) {
  test(`"${name}" is found by "${typed}"`, () => {
    assert.ok(isNamed(typedWords(typed), [name]), JSON.stringify([nameWords(name), typed]));
  });
}

for (const [name, typed] of notFound) {
  test(`"${name}" is not found by "${typed}"`, () => {
    assert.ok(!isNamed(typedWords(typed), [name]));
  });
}

test('a key does not depend on case, accents, blanks, width or the digits of a keyboard', () => {
  for (const [one, other] of [
    ['RN-2026/1300', 'rn-2026/1300'],
    ['Pedido São 7', '  pedido  sao 7 '],
    ['ＰＯ－７', 'po-7'],
    ['PO-١٢٣', 'po-123'],
    ['E1234\u200b5', 'e12345'],
    ['RN⁻7', 'rn-7'],
  ] as const) {
    assert.equal(searchKey(one), searchKey(other));
  }
  assert.notEqual(searchKey('RN-1'), searchKey('RN-10'));
});

test('a key of a key is that key, and no key is longer than the column of references', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
      const key = searchKey(text);
      assert.ok(key.length <= SEARCH_KEY_MAX);
      assert.equal(searchKey(key.trim()), key.trim());
    }),
  );
});

test('the key of each sign of Unicode that is a writing of others is the key of those', () => {
  let signs = 0;
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const sign = String.fromCodePoint(code);
    if (sign.normalize('NFKD') === sign && sign.toLowerCase() === sign) continue;
    signs += 1;
    const key = searchKey(`a${sign}1`);
    assert.equal(searchKey(key), key, code.toString(16));
  }
  assert.ok(signs > 10_000);
});

test('a name is found by the beginning of any of its words, however they are typed', () => {
  const word = fc.stringMatching(/^[A-Za-zà-öø-ÿ]{1,12}$/);
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 6 }),
      fc.nat(),
      fc.nat(),
      (words, a, b) => {
        const chosen = words[a % words.length] ?? '';
        const typed = [...chosen].slice(0, 1 + (b % chosen.length)).join('');
        for (const text of [typed, typed.toUpperCase(), typed.normalize('NFD')]) {
          assert.ok(isNamed(typedWords(text), [words.join(' ')]), text);
        }
      },
    ),
  );
});

test('the beginning of a typed word that is typed too is not sought twice', () => {
  assert.deepEqual(typedWords('pine p pi pine'), ['pine']);
});
