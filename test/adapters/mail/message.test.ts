import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMailSender } from '../../../adapters/mail/message.js';

test('a sender is an address, or a name with an address', () => {
  const cases = {
    'pay@example.com': { name: '', address: 'pay@example.com' },
    ' Ponte <pay@example.com> ': { name: 'Ponte', address: 'pay@example.com' },
    'Acme, Ltda. · São Paulo <no-reply+1@a.b-c.example>': {
      name: 'Acme, Ltda. · São Paulo',
      address: 'no-reply+1@a.b-c.example',
    },
    '"Acme, Inc."<pay@example.com>': { name: 'Acme, Inc.', address: 'pay@example.com' },
    '<pay@localhost>': { name: '', address: 'pay@localhost' },
  };
  for (const [text, sender] of Object.entries(cases)) {
    assert.deepEqual(parseMailSender(text), sender, text);
  }
});

test('anything else is none', () => {
  const refused = [
    '',
    'Ponte',
    '@example.com',
    'pay@',
    'a b@example.com',
    'a@b@example.com',
    'Ponte <>',
    'a@example.com, b@example.com',
    'A <a@b.example>, B <b@b.example>',
    'a@-x.example',
    'Ponte\r\nBcc: x <pay@example.com>',
    '"Ponte <pay@example.com>',
    '"Pon"te" <pay@example.com>',
    'pay@example.com\nx',
  ];
  for (const text of refused) assert.equal(parseMailSender(text), null, JSON.stringify(text));
});
