import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  emailKey,
  emailProblem,
  mailboxKey,
  readEmail,
} from '../../../../core/domain/base/email-address.js';
import { readableEmails, unreadableEmails } from '../../../support/samples/emails.js';

test('an e-mail address is read without white space around it, or not at all', () => {
  for (const [given, kept] of readableEmails) {
    assert.equal(readEmail(given), kept, given);
    assert.equal(readEmail(kept), kept, 'what is read is read again as itself');
    assert.equal(emailProblem(given), null, given);
  }
  for (const email of unreadableEmails) assert.equal(readEmail(email), null, email);
});

test('an address in other letters is refused with that reason', () => {
  for (const email of ['josé@b.co', '用户@例え.jp', 'ä@b.co', 'иван@почта.рф']) {
    assert.equal(emailProblem(email), 'international', email);
  }
  for (const email of ['ana', 'Ana <a@b.co>', 'josé', 'josé@', 'a@b.co, c@d.co']) {
    assert.equal(emailProblem(email), 'not_an_address', email);
  }
});

test('addresses are compared lower-cased, trimmed, and with their domain in A-labels', () => {
  const same = ['buyer@example.com', ' Buyer@Example.COM', 'BUYER@EXAMPLE.COM\n'];
  assert.deepEqual([...new Set(same.map(emailKey))], ['buyer@example.com']);
  assert.notEqual(emailKey('buyer+1@example.com'), emailKey('buyer@example.com'));
  const international = ['Ana@müller.example', 'ana@MÜLLER.EXAMPLE', 'ana@XN--mller-kva.example'];
  assert.deepEqual([...new Set(international.map(emailKey))], ['ana@xn--mller-kva.example']);
});

test('a tag behind a plus sign is the same mailbox', () => {
  assert.equal(mailboxKey('Ana+po-17@buyer.example'), mailboxKey('ana@buyer.example'));
});
