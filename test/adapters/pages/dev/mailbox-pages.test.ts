// The mails of a development host as pages, written by the file mailer.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createFileMailbox, createFileMailer } from '../../../../adapters/mail/file.js';
import type { OutgoingMail } from '../../../../core/ports/outside.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { pageSite, textOf } from '../visitor.js';

const mail: OutgoingMail = {
  to: 'ana@example.com',
  subject: 'Acme · São Paulo asks you to pay',
  text: 'Open this link:\nhttps://pay.example/r/x?token=secret\n\nIt works for a day.\n',
  html: '<!doctype html>\n<p style="color:red">São Paulo</p>',
  locale: 'pt-BR',
  from: 'Acme · São Paulo',
  replyTo: 'help@acme.example',
  messageId: 'mail_1',
  writtenAtMs: 1_893_456_000_000,
  attachments: [],
};

/** A site with these mails, oldest first. */
async function siteWith(t: TestContext, mails: readonly Partial<OutgoingMail>[]) {
  const folder = join(temporaryFolder(), 'mails');
  const site = await pageSite(t, {}, { mailbox: createFileMailbox(folder) });
  const from = { name: 'Ponte', address: 'ponte@localhost' };
  const mailer = createFileMailer({ folder, from, log: site.world.deps.log });
  for (const [index, one] of mails.entries()) {
    const sent = await mailer.send({ ...mail, messageId: `mail_${index + 1}`, ...one });
    assert.deepEqual(sent, { outcome: 'sent' });
  }
  return { folder, visitor: site.visitor() };
}

test('the list has the mails, newest first, each with its address, time and links', async (t) => {
  const { visitor } = await siteWith(t, [{}, { subject: 'Your receipt', to: 'bia@example.com' }]);
  const { status, text } = await visitor.open('/dev/mailbox');
  assert.equal(status, 200);
  const headings = [...text.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, heading]) => heading);
  assert.deepEqual(headings, ['Your receipt', mail.subject]);
  assert.match(textOf(text), /To bia@example\.com, 2030-01-01T00:00:00.000Z/);
  assert.match(text, /<a href="https:\/\/pay\.example\/r\/x\?token=secret">/);
  assert.match(text, /href="\/dev\/mailbox\/mail_1"/);
});

test('the newest five are open, earlier ones are folded below their subjects', async (t) => {
  const mails = Array.from({ length: 7 }, (_, at) => ({ subject: `Mail ${at}` }));
  const { visitor } = await siteWith(t, mails);
  const { text } = await visitor.open('/dev/mailbox');
  const folded = [...text.matchAll(/<summary>(.*?), to ana@example\.com<\/summary>/g)];
  assert.deepEqual(
    folded.map(([, subject]) => subject),
    ['Mail 1', 'Mail 0'],
  );
  assert.match(textOf(text.split('<details>')[0] ?? ''), /Mail 6 .*Mail 2/);
});

test('before the first mail the list says what to do', async (t) => {
  const { visitor } = await siteWith(t, []);
  const { status, text } = await visitor.open('/dev/mailbox');
  assert.equal(status, 200);
  assert.match(text, /No mail yet/);
});

test('a mail is shown as it was written, where none of it can run', async (t) => {
  const { visitor } = await siteWith(t, [{}]);
  const { status, text, headers } = await visitor.open('/dev/mailbox/mail_1');
  assert.equal(status, 200);
  assert.equal(text.trim(), mail.html);
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /^default-src 'none'; .*sandbox/);
  assert.doesNotMatch(policy, /script|allow-forms|allow-same-origin/);
});

test('the files of a mail are downloads, the pictures of its HTML are none', async (t) => {
  const bytes = Buffer.from('%PDF-1.7 receipt');
  const receipt = { name: 'receipt-RN-1.pdf', type: 'application/pdf', bytes };
  const logo = { name: 'logo.png', type: 'image/png', bytes, cid: 'logo' };
  const { visitor } = await siteWith(t, [{ attachments: [receipt, logo] }]);
  const { text } = await visitor.open('/dev/mailbox');
  const links = [...text.matchAll(/href="(\/dev\/mailbox\/mail_1\/[^"]*)"/g)].map(([, to]) => to);
  assert.deepEqual(links, ['/dev/mailbox/mail_1/receipt-RN-1.pdf']);
  const file = await visitor.open('/dev/mailbox/mail_1/receipt-RN-1.pdf');
  assert.equal(file.headers.get('content-type'), 'application/pdf');
  assert.match(
    file.headers.get('content-disposition') ?? '',
    /^attachment; filename="receipt-RN-1/,
  );
  assert.equal(file.text, '%PDF-1.7 receipt');
  for (const path of ['mail_1/logo.png', 'mail_1/other.pdf', 'mail_2/receipt-RN-1.pdf']) {
    assert.equal((await visitor.open(`/dev/mailbox/${path}`)).status, 404, path);
  }
});

test('a hostile subject, address or text is text', async (t) => {
  const hostile = '</h2><script>alert(1)</script><img src=x onerror=alert(1)>';
  const links = ['javascript:alert(1)', 'data:text/html,x', 'https://a.example/"onclick="alert(1)'];
  const { visitor } = await siteWith(t, [
    {
      subject: hostile,
      to: '"<script>x</script>"@example.com',
      text: [hostile, ...links].join('\n'),
    },
  ]);
  const { text } = await visitor.open('/dev/mailbox');
  assert.doesNotMatch(text, /<script|<img|href="(?:javascript|data:text)|"onclick/);
  assert.ok(textOf(text).includes('<script>alert(1)</script>'));
});

test('an unknown mail, and any name that is none, is not found', async (t) => {
  const { folder, visitor } = await siteWith(t, [{}]);
  writeFileSync(join(folder, 'notes.json'), '{"subject":"none of ours"}');
  writeFileSync(join(folder, '..', 'mail_9.json'), '{"subject":"outside"}');
  for (const id of ['mail_2', 'notes', 'mail_1.eml', '..%2Fmail_9', 'mail_', 'MAIL_1']) {
    assert.equal((await visitor.open(`/dev/mailbox/${id}`)).status, 404, id);
  }
  const { text } = await visitor.open('/dev/mailbox');
  assert.doesNotMatch(text, /none of ours|outside/);
});

test('production has no mailbox', async (t) => {
  const visitor = (await pageSite(t)).visitor();
  const unknown = await visitor.open('/r/unknown');
  for (const path of ['/dev/mailbox', '/dev/mailbox/mail_1']) {
    const { status, heading } = await visitor.open(path);
    assert.deepEqual([status, heading], [404, unknown.heading]);
  }
});
