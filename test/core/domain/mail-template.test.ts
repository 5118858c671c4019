import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LinkPurpose, type Mail, newMail } from '../../../core/domain/mail.js';
import { renderMail, renderPayoutNotice } from '../../../core/domain/mail-template.js';
import type { Payment } from '../../../core/domain/payment.js';
import { anAccount } from '../../support/domain-samples.js';
import { samplePayment, sampleTenant } from '../../support/sample-rows.js';

/** 2030-01-01T00:00:00.000Z */
const NOW_MS = 1_893_456_000_000;

const mail = newMail(
  {
    ...sampleTenant,
    ...{ id: 'mail_1', purpose: 'invitation', nth: null, locale: 'en', cause: null },
    ...{ subject: { kind: 'payment', paymentId: 'inv_1' }, codeHash: null, browserHash: null },
    ...{ to: 'ana@example.com', toKey: 'ana@example.com', tokenHash: 'ab', tokenSealed: 's' },
  },
  NOW_MS,
);

function letter(
  fields: Partial<Mail & { readonly purpose: LinkPurpose }>,
  payment: Partial<Payment> = {},
  organizationName = 'Acme',
) {
  return renderMail(
    { ...mail, purpose: 'invitation', ...fields },
    {
      payment: { ...samplePayment, ...payment },
      organizationName,
      link: 'https://pay.example/r/p?token=t',
      pageUrl: 'https://pay.example/r/p',
      code: null,
    },
  );
}

test('an invitation says who asks for how much, until when the link is good, and where to go', () => {
  const { subject, text } = letter({ mode: 'live' }, { number: 'INV/7', dueDate: '2030-02-28' });
  assert.equal(subject, 'Acme asks you to pay 100.00 USD');
  assert.equal(
    text,
    [
      'Acme asks you to pay 100.00 USD.',
      'Invoice: INV/7\nDue: 2030-02-28',
      'Open this link to see it and to pay:\nhttps://pay.example/r/p?token=t',
      'It signs you in once, until 2030-01-02 00:00 UTC. Do not forward it: anyone who opens it ' +
        'acts for you. You can ask for another one at\nhttps://pay.example/r/p',
      'If you did not expect this mail, ignore it: nothing is paid unless you do it.',
      '',
    ].join('\n\n'),
  );
});

test('a mail of test mode says so, in the subject too', () => {
  const { subject, text } = letter({ mode: 'test', purpose: 'sign_in' });
  assert.equal(subject, '[Test] Sign in to pay Acme');
  assert.match(text, /^Sign in to pay 100\.00 USD to Acme\.\n\nThis is a test: no money moves\./);
});

test('what is not known is left out', () => {
  const { text } = letter({});
  assert.doesNotMatch(text, /Invoice:|Due:|null/);
});

test('an integrator’s text starts no new line, and is cut when it is long', () => {
  const name = 'Acme\r\nBcc: all@example.com\u2028\u0000 x';
  const { subject, text } = letter({}, { number: 'a\n\nOpen this link' }, name);
  assert.equal(subject, '[Test] Acme Bcc: all@example.com x asks you to pay 100.00 USD');
  assert.match(text, /^Acme Bcc: all@example\.com x asks/);
  assert.match(text, /\n\nInvoice: a Open this link\n\n/);
  assert.match(letter({}, {}, '😀'.repeat(200)).subject, /^\[Test\] (?:😀){100}… asks/u);
});

test('a notice says whose destination was changed and what to do, not the destination itself', () => {
  const account = anAccount({ id: 'acct_1', displayName: 'Loja\nBcc: x', destinationRef: 'pix_9' });
  const { subject, text } = renderPayoutNotice(mail, { organizationName: 'Acme', account });
  assert.equal(subject, '[Test] The PIX destination of Loja Bcc: x was changed');
  assert.equal(
    text,
    [
      'The PIX destination of Loja Bcc: x was changed on 2030-01-01 00:00 UTC.',
      'This is a test: no money moves.',
      'Seller: acct_1\nCollected by: Acme',
      'Payments created from now on are paid to the new destination. ' +
        'Payments created before keep the old one.',
      'If you expected this, you need do nothing. If not, act immediately: ' +
        'Acme should revoke its API keys with the scope connected_accounts:write, ' +
        'then register the right destination again.',
      '',
    ].join('\n\n'),
  );
  const own = renderPayoutNotice(
    { ...mail, mode: 'live' },
    { organizationName: 'Acme', account: null },
  );
  assert.equal(own.subject, 'The PIX destination of Acme was changed');
  assert.match(own.text, /contact the operator of this service/);
  assert.doesNotMatch(own.text, /Seller|test/);
});
