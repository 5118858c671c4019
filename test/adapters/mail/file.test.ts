import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import PostalMime from 'postal-mime';
import { createFileMailer } from '../../../adapters/mail/file.js';
import type { OutgoingMail } from '../../../core/ports/outside.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const home = temporaryFolder();
const folder = join(home, 'mails');
const logged: string[] = [];
const note = (message: string, fields = {}) => logged.push(`${message} ${JSON.stringify(fields)}`);
const log = { debug: note, info: note, warn: note, error: note };
const from = { name: 'Ponte', address: 'ponte@localhost' };

const mail: OutgoingMail = {
  to: 'ana@example.com',
  subject: 'Acme asks you to pay',
  text: `São Paulo\nhttps://pay.example/r/${'p'.repeat(24)}?token=secret-token${'t'.repeat(31)}\n`,
  html: '<!doctype html>\n<p>São Paulo</p>',
  locale: 'pt-BR',
  from: 'Acme · São Paulo',
  replyTo: 'help@acme.example',
  messageId: 'mail_1',
  writtenAtMs: 1_893_456_000_000,
  attachments: [],
};

test('each mail is a file readable by its owner only, and the log has no link', async () => {
  const mailer = createFileMailer({ folder, from, log });
  assert.deepEqual(await mailer.send(mail), { outcome: 'sent' });
  assert.deepEqual(await mailer.send({ ...mail, messageId: 'mail_2' }), { outcome: 'sent' });
  assert.deepEqual(readdirSync(folder).toSorted(), [
    'mail_1.eml',
    'mail_1.json',
    'mail_2.eml',
    'mail_2.json',
  ]);
  const file = join(folder, 'mail_1.eml');
  const text = readFileSync(file, 'utf8');
  assert.match(text, /^Message-ID: <mail_1@localhost>\r$/m);
  assert.ok(text.includes(`\r\n\r\n${mail.text.replaceAll('\n', '\r\n')}\r\n--`), text);
  assert.ok(text.includes(`\r\n\r\n${mail.html.replaceAll('\n', '\r\n')}\r\n--`), text);
  assert.match(text, /^Content-Transfer-Encoding: 8bit\r$/m);
  const parsed = await PostalMime.parse(text);
  assert.deepEqual(
    [parsed.text?.trimEnd(), parsed.html?.trimEnd()],
    [mail.text.trimEnd(), mail.html],
  );
  assert.equal(parsed.from?.address, 'ponte@localhost');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.equal(logged.length, 2);
  assert.match(logged[0] ?? '', /mail_1\.eml/);
  assert.doesNotMatch(logged.join(), /secret-token|ana@example/);
});

test('a file with an attachment has its texts to be read, too', async () => {
  const mailer = createFileMailer({ folder, from, log });
  const bytes = Buffer.from('%PDF\0');
  const attachments = [
    { name: 'receipt-1.pdf', type: 'application/pdf', bytes },
    { name: 'logo.png', type: 'image/png', bytes, cid: 'logo' },
  ];
  await mailer.send({ ...mail, messageId: 'mail_2', attachments });
  const text = readFileSync(join(folder, 'mail_2.eml'), 'utf8');
  assert.ok(text.includes(`\r\n\r\n${mail.text.replaceAll('\n', '\r\n')}\r\n--`), text);
  const parsed = await PostalMime.parse(text);
  assert.equal(parsed.html?.trimEnd(), mail.html);
  const fileOf = (name: string) => parsed.attachments.find(({ filename }) => filename === name);
  const [receipt, logo] = [fileOf('receipt-1.pdf'), fileOf('logo.png')];
  assert.deepEqual(Buffer.from(receipt?.content as ArrayBuffer), bytes);
  assert.deepEqual([logo?.contentId, logo?.disposition], ['<logo>', 'inline']);
});

test('sent again, it takes its own place', async () => {
  const mailer = createFileMailer({ folder, from, log });
  const before = readFileSync(join(folder, 'mail_1.eml'));
  await mailer.send(mail);
  assert.deepEqual(readFileSync(join(folder, 'mail_1.eml')), before);
  assert.equal(readdirSync(folder).length, 4);
});

test('where nothing can be written, it is tried later', async () => {
  writeFileSync(join(home, 'no-folder'), '');
  const mailer = createFileMailer({ folder: join(home, 'no-folder'), from, log });
  assert.equal((await mailer.send(mail)).outcome, 'later');
});
