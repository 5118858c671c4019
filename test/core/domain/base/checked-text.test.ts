// Short texts that people type: names of keys, passkeys and organizations, evidence.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkedText } from '../../../../core/domain/base/checked-text.js';

/** The controls of Unicode's bidirectional algorithm that reach beyond their own text. */
const directionMarks = [0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069];

test('a text that could be read differently from what it is is refused', () => {
  const controls = [0, 7, 9, 10, 13, 27, 0x7f, 0x85, 0x9f, 0x2028, 0x2029, 0xd800, 0xdfff];
  for (const code of [...directionMarks, ...controls]) {
    const text = `erp${String.fromCharCode(code)}key`;
    assert.throws(
      () => checkedText('name', text, 40),
      { code: 'ValidationError', message: 'name: give 1 to 40 characters on one line.' },
      code.toString(16),
    );
  }
});

test('names in any script are taken, without the blanks around them', () => {
  for (const name of ['erp', 'Águas & Cia.', 'شركة', 'חברה 7', '会社', '👩‍💻 laptop']) {
    assert.equal(checkedText('name', ` ${name} `, 40), name);
  }
});
