// Replies of real mail servers, and every enhanced status code at every step.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMailboxRefusal, mailboxCodes } from '../../../adapters/mail/refusals.js';

test('a code ends a mail only if the table has it, and only about the recipient', () => {
  for (const command of ['CONN', 'EHLO', 'AUTH PLAIN', 'MAIL FROM', 'RCPT TO', 'DATA']) {
    const isAboutRecipient = command === 'RCPT TO' || command === 'DATA';
    for (let subject = 0; subject < 8; subject += 1) {
      for (let detail = 0; detail < 32; detail += 1) {
        const code = `5.${subject}.${detail}`;
        const refusal = (text: string) => isMailboxRefusal({ command, status: 550, text });
        const isFinal = isAboutRecipient && code in mailboxCodes;
        for (const text of [`550 ${code} no`, `550-${code} no\n550 no`, `550 #${code} no`]) {
          assert.equal(refusal(text), isFinal, `${command}: ${text}`);
        }
        const passing = { command, status: 450, text: `450 4.${subject}.${detail} later` };
        assert.equal(isMailboxRefusal(passing), false, `${command}: ${passing.text}`);
      }
    }
  }
});

test('replies of real mail servers', () => {
  const cases: readonly (readonly [text: string, isFinal: boolean])[] = [
    // Postfix: smtpd_recipient_restrictions and relay_domains.
    ['550 5.1.1 <x@y.example>: Recipient address rejected: User unknown in table', true],
    ['554 5.7.1 <x@y.example>: Relay access denied', false],
    ['554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.example', false],
    ['450 4.7.1 <x@y.example>: Recipient address rejected: Greylisted', false],
    // Exim: verify = recipient without an enhanced status code; acl_smtp_rcpt.
    ['550 Unrouteable address', true],
    ['550 relay not permitted', false],
    ['550 Administrative prohibition: your host is on our blacklist', false],
    // Sendmail.
    ['550 5.1.1 <x@y.example>... User unknown', true],
    ['550 5.7.1 <x@y.example>... Relaying denied. IP name lookup failed', false],
    ['553 5.1.8 <pay@z.example>... Domain of sender address does not exist', false],
    // qmail writes its code at the end.
    ["553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)", false],
    ['550 sorry, no mailbox here by that name (#5.1.1)', true],
    // Gmail and Google Workspace.
    ['550-5.1.1 The email account that you tried to reach does not exist. Try', true],
    ['550-5.2.1 The email account that you tried to reach is disabled.', true],
    ['550-5.2.1 The user you are trying to contact is receiving mail at a rate that', false],
    ['552-5.2.2 The email account that you tried to reach is over quota.', false],
    ['550 5.4.5 Daily user sending limit exceeded.', false],
    ['550-5.7.26 This mail is unauthenticated, which poses a security risk.', false],
    ['552-5.2.3 Your message exceeded Google’s message size limits.', false],
    // Exchange Online.
    ['550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup', true],
    ['550 5.4.1 Recipient address rejected: Access denied. AS(201806281)', true],
    ['550 5.7.606 Access denied, banned sending IP [192.0.2.1]', false],
    ['550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP', false],
    ['501 5.1.3 Invalid address', true],
    // Amazon SES, and IronPort with its sign.
    ['554 Message rejected: Email address is not verified', false],
    ['554 5.7.1 Sending quota exceeded', false],
    ['550 #5.7.1 Your access to submit messages to this e-mail system has been rejected.', false],
    ['550 #5.1.0 Address rejected.', false],
    // Others without a code.
    ['551 User not local; please try <x@z.example>', true],
    ['552 Mailbox full', false],
    ['550 Mail content denied by policy', false],
    ['550 SPF check failed', false],
    ['530 Must issue a STARTTLS command first', false],
    ['550 you are not allowed to send mail to <x@y.example>: too many messages', false],
  ];
  for (const [text, isFinal] of cases) {
    const reply = { command: 'RCPT TO', status: Number(text.slice(0, 3)), text };
    assert.equal(isMailboxRefusal(reply), isFinal, text);
  }
});
