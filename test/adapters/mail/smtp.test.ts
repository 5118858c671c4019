import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { beforeEach, test } from 'node:test';
import { createServer } from 'node:tls';
import PostalMime from 'postal-mime';
import { createSmtpMailer, type SmtpOptions } from '../../../adapters/mail/smtp.js';
import type { OutgoingMail } from '../../../core/ports/outside.js';
import { localSmtp } from '../../support/servers/local-smtp.js';
import { localhostTls } from '../../support/servers/localhost-tls.js';
import { suiteEnd } from '../../support/suite-end.js';

const suite = suiteEnd();
const server = await localSmtp();
suite.after(() => server.close());
beforeEach(() => {
  server.answers = {};
});

const mail: OutgoingMail = {
  to: 'ana@example.com',
  subject: 'Acme · São Paulo asks you to pay 100.00 USD',
  text: `Open this link:\nhttps://pay.example/r/${'p'.repeat(24)}?token=${'t'.repeat(43)}\n.\nÃ`,
  html: '<!doctype html>\n<p>São Paulo</p>',
  locale: 'pt-BR',
  from: 'Acme · São Paulo',
  replyTo: 'help@acme.example',
  messageId: 'mail_1',
  writtenAtMs: 1_893_456_000_000,
  attachments: [],
};

function send(options: Partial<SmtpOptions> = {}, fields: Partial<OutgoingMail> = {}) {
  const from = { name: 'Ponte', address: 'pay@acme.example' };
  const mailer = createSmtpMailer({ url: server.url, from, requireTls: false, ...options });
  return mailer.send({ ...mail, ...fields });
}

test('a mail arrives whole, from the sender, under its Message-ID and date', async () => {
  assert.deepEqual(await send(), { outcome: 'sent' });
  const message = server.messages.at(-1) ?? '';
  const [head = ''] = message.split('\r\n\r\n');
  assert.match(head, /^Content-Type: multipart\/alternative;/m);
  assert.match(head, /^Content-Language: pt-BR$/m);
  assert.match(head, /^To: ana@example\.com$/m);
  assert.match(head, /^Message-ID: <mail_1@acme\.example>$/m);
  assert.match(head, /^Date: Tue, 01 Jan 2030 00:00:00 \+0000$/m);
  assert.match(head, /^Auto-Submitted: auto-generated$/m);
  assert.match(head, /^Subject: =\?UTF-8\?/m);
  const { from, replyTo, subject, text, html } = await PostalMime.parse(message);
  assert.deepEqual(from, { name: 'Acme · São Paulo via Ponte', address: 'pay@acme.example' });
  assert.deepEqual(replyTo, [{ name: '', address: mail.replyTo }]);
  assert.deepEqual(
    [subject, text?.trimEnd(), html?.trimEnd()],
    [mail.subject, mail.text, mail.html],
  );
});

test('a mail of the service itself is not “via” itself', async () => {
  assert.deepEqual(await send({}, { from: 'Ponte' }), { outcome: 'sent' });
  const { from } = await PostalMime.parse(server.messages.at(-1) ?? '');
  assert.equal(from?.name, 'Ponte');
});

test('an attachment arrives as it is', async () => {
  const attachment = {
    name: 'receipt-1.pdf',
    type: 'application/pdf',
    bytes: Buffer.from('%PDF\0'),
  };
  assert.deepEqual(await send({}, { attachments: [attachment] }), { outcome: 'sent' });
  const { text, attachments } = await PostalMime.parse(server.messages.at(-1) ?? '');
  assert.equal(text?.trimEnd(), mail.text);
  const [{ filename, mimeType, content } = assert.fail('no attachment')] = attachments;
  assert.deepEqual([filename, mimeType], ['receipt-1.pdf', 'application/pdf']);
  assert.deepEqual(Buffer.from(content as ArrayBuffer), attachment.bytes);
});

test('sent again, it is the same message', async () => {
  await send();
  await send();
  assert.equal(server.messages.at(-1), server.messages.at(-2));
});

test('user and password come from the URL, decoded', async () => {
  const url = `smtp://us%40er:p%3Ass@127.0.0.1:${server.port}`;
  assert.deepEqual(await send({ url }), { outcome: 'sent' });
  const [, given = ''] =
    /^AUTH PLAIN (\S+)$/.exec(server.commands.findLast((line) => line.startsWith('AUTH')) ?? '') ??
    [];
  assert.equal(Buffer.from(given, 'base64').toString(), '\u0000us@er\u0000p:ss');
});

test('what a mail server’s answer means', async () => {
  const cases = [
    ['RCPT', '550 5.1.1 no such user', 'refused'],
    ['RCPT', '550-5.1.1 The account does not exist.\r\n550 5.1.1 See the help.', 'refused'],
    ['RCPT', '450 4.2.0 greylisted', 'later'],
    ['RCPT', '554 5.7.1 Client host blocked using a block list', 'blocked'],
    ['RCPT', '550 5.4.5 Daily user sending limit exceeded', 'blocked'],
    ['DATA', '554 5.7.1 looks like spam', 'blocked'],
    ['.', '552 5.3.4 too large', 'blocked'],
    ['.', '550 5.1.1 no such user', 'refused'],
    ['.', '451 4.3.0 try again', 'later'],
    ['.', null, 'later'],
    ['MAIL', '550 5.7.1 this sender may not', 'blocked'],
    ['MAIL', '550 5.1.1 this sender does not exist', 'blocked'],
    ['MAIL', '452 4.3.1 no space', 'later'],
    ['EHLO', '421 4.3.2 closing', 'later'],
    ['EHLO', null, 'later'],
  ] as const;
  for (const [command, answer, outcome] of cases) {
    server.answers = { [command]: answer, ...(command === 'EHLO' ? { HELO: answer } : {}) };
    const { outcome: found, ...rest } = await send();
    assert.equal(found, outcome, `${command}: ${answer}`);
    assert.ok('reason' in rest && rest.reason.length > 0);
  }
});

test('a wrong password is ours to correct, not the mail’s end', async () => {
  server.answers = { AUTH: '535 5.7.8 wrong' };
  const url = `smtp://user:wrong@127.0.0.1:${server.port}`;
  assert.equal((await send({ url })).outcome, 'blocked');
});

test('a check connects, encrypts and signs in as for a mail, and sends none', async () => {
  const from = { name: 'Ponte', address: 'pay@acme.example' };
  const url = `smtp://user:right@127.0.0.1:${server.port}`;
  const problem = (options: Partial<SmtpOptions> = {}) =>
    createSmtpMailer({ url, from, requireTls: false, ...options }).problem?.();
  const before = server.commands.length;
  assert.equal(await problem(), null);
  const said = server.commands.slice(before);
  assert.ok(said.some((line) => line.startsWith('AUTH')));
  assert.ok(!said.some((line) => line.startsWith('MAIL')));
  assert.match((await problem({ requireTls: true })) ?? '', /TLS/i);
  server.answers = { AUTH: '535 5.7.8 wrong' };
  assert.match((await problem()) ?? '', /535/);
  const listening = createServer(localhostTls);
  await new Promise<void>((done) => {
    listening.listen(0, '127.0.0.1', done);
  });
  const { port } = listening.address() as AddressInfo;
  assert.match(
    (await problem({ url: `smtps://localhost:${port}` })) ?? '',
    /^its certificate is not trusted here \(self-signed certificate\): .* NODE_EXTRA_CA_CERTS/,
  );
  const silent = { url: `smtp://127.0.0.1:${port}`, silenceMaxMs: 100 };
  const says =
    `127.0.0.1:${port} says nothing: if it expects TLS, as port 465 does, write smtps:// instead ` +
    'of smtp://';
  assert.equal(await problem(silent), says);
  assert.deepEqual(await send(silent), { outcome: 'later', reason: says });
  listening.close();
  const plain = `smtps://127.0.0.1:${server.port}`;
  assert.equal(
    await problem({ url: plain }),
    `127.0.0.1:${server.port} speaks no TLS: write smtp:// instead of smtps://`,
  );
  const gone = await localSmtp();
  await gone.close();
  assert.match((await problem({ url: gone.url })) ?? '', /ECONNREFUSED/);
});

test('no server: later', async () => {
  const gone = await localSmtp();
  await gone.close();
  assert.equal((await send({ url: gone.url })).outcome, 'later');
});

test('where TLS is a must, nothing is sent without it', async () => {
  const before = server.commands.length;
  assert.equal((await send({ requireTls: true })).outcome, 'blocked');
  const said = server.commands.slice(before);
  assert.ok(
    said.every((line) => !/^(AUTH|MAIL|RCPT|DATA)/.test(line)),
    said.join(),
  );
});

test('one address is one recipient, with any text in it', async () => {
  const before = server.commands.length;
  await send({}, { to: 'o’brien+a=b@example.com' });
  await send({}, { to: 'eve@example.com, all@example.com' });
  await send({}, { to: 'eve@example.com\r\nRCPT TO:<all@example.com>' });
  const recipients = server.commands.slice(before).filter((line) => /^RCPT/i.test(line));
  assert.ok(
    recipients.every((line) => !line.includes('<all@example.com>')),
    recipients.join(),
  );
  assert.ok(server.messages.every((text) => !/^(Bcc|RCPT)/m.test(text)));
});
