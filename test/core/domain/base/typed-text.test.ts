import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainSigns } from '../../../../core/domain/base/typed-text.js';

const digits = '0123456789';

test('the decimal digits of every script of Unicode are read as their value', () => {
  let scripts = 0;
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const isFirst =
      /^\p{Nd}$/u.test(String.fromCodePoint(code)) &&
      plainSigns(String.fromCodePoint(code)) === '0';
    if (!isFirst) continue;
    scripts += 1;
    const written = [...digits].map((_, value) => String.fromCodePoint(code + value)).join('');
    assert.equal(plainSigns(written), digits, code.toString(16));
  }
  // Unicode 15 has 68 sets of digits; later versions have more.
  assert.ok(scripts >= 68);
});

const written: readonly (readonly [name: string, text: string, plain: string])[] = [
  ['ASCII', 'A-1 b/2', 'A-1 b/2'],
  ['full-width signs', '＋８６（１０）１２３', '+86(10)123'],
  ['full-width letters', 'ＡＢｃ', 'ABc'],
  ['an ideographic blank', '1\u30002', '1 2'],
  ['blanks that do not break', '1\u00a02\u202f3', '1 2 3'],
  ['Arabic-Indic digits', '٤٨٢٩١٣', '482913'],
  ['Persian digits', '۴۸۲۹۱۳', '482913'],
  ['Devanagari digits', '४८२९१३', '482913'],
  ['Thai digits', '๔๘๒๙๑๓', '482913'],
  ['Bengali digits', '৪৮২৯১৩', '482913'],
  ['an Arabic amount', '١٬٢٥٠٫٥٠', "1'250.50"],
  ['all dashes', '1\u20102\u20113\u20124\u20135\u20146\u22127', '1-2-3-4-5-6-7'],
  ['marks of direction', '\u200f1\u202a2\u202c\u20663\u2069', '123'],
  ['what nobody sees', '\ufeff1\u200b2\u200d3\u00ad4\u20605\ufe0f', '12345'],
  ['superscripts, which are no digits', '1²', '1²'],
  ['Chinese numerals, which are no digits', '三', '三'],
];

test('signs of other keyboards are read as those of ASCII, and nothing invisible stays', () => {
  for (const [name, text, plain] of written) {
    assert.equal(plainSigns(text), plain, name);
    assert.equal(plainSigns(plain), plain, name);
  }
});
