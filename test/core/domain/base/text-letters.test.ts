import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lettersOf } from '../../../../core/domain/base/text-letters.js';

const texts = [
  ['', []],
  ['a b', ['a', ' ', 'b']],
  ['João', ['J', 'o', 'ã', 'o']],
  ['Joa\u0303o', ['J', 'o', 'a\u0303', 'o']],
  ['👩‍🌾!', ['👩‍🌾', '!']],
  ['🇧🇷🇵🇹', ['🇧🇷', '🇵🇹']],
] as const;

for (const [text, letters] of texts) {
  test(`"${text}" has ${letters.length} letters`, () => {
    assert.deepEqual(lettersOf(text), letters);
  });
}
