// Mails as files, for development: each is written to a folder as it would be sent, and as JSON for
// the page /dev/mailbox. The path is logged, and not the text, because its links sign buyers in.
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { assert } from '../../core/errors.js';
import type { Log, Mailbox, Mailer, OutgoingMail, WrittenMail } from '../../core/ports/outside.js';
import { type MailSender, messageOf } from './message.js';

const MAILS_SHOWN = 50;
const messageIdForm = /^mail_[0-9a-z]{1,64}(\.[0-9a-f]{8})?$/;

/** `folder` is created with the first mail. A repeated mail replaces its file. */
export function createFileMailer(options: {
  readonly folder: string;
  readonly from: MailSender;
  readonly log: Log;
}): Mailer {
  const { folder, from, log } = options;
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return {
    async send(mail) {
      assert(messageIdForm.test(mail.messageId), 'a mail is named by its id');
      const file = join(folder, `${mail.messageId}.eml`);
      try {
        const { message } = await transport.sendMail(messageOf(from, mail));
        assert(Buffer.isBuffer(message), 'the message is one buffer');
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const { messageId: id, to, subject, writtenAtMs, text, html } = mail;
        const attachments = mail.attachments
          .filter(({ cid }) => cid === undefined)
          .map(({ name, type, bytes }) => ({
            name,
            type,
            base64: Buffer.from(bytes).toString('base64'),
          }));
        const shown: WrittenMail = { id, to, subject, writtenAtMs, text, html, attachments };
        await writeWhole(join(folder, `${id}.json`), JSON.stringify(shown));
        await writeWhole(file, legible(message, mail));
      } catch (error) {
        return { outcome: 'later', reason: String(error) };
      }
      log.info('mail written to a file', { file, subject: mail.subject });
      return { outcome: 'sent' };
    },
  };
}

/** What a development host shows at /dev/mailbox. */
export function createFileMailbox(folder: string): Mailbox {
  const read = async (id: string): Promise<WrittenMail | null> => {
    if (!messageIdForm.test(id)) return null;
    const text = await readFile(join(folder, `${id}.json`), 'utf8').catch(() => null);
    return text === null ? null : (JSON.parse(text) as WrittenMail);
  };
  return {
    async list() {
      const files = await readdir(folder).catch(() => []);
      const ids = files.flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -5)] : []));
      // Ids sort by creation time.
      const newest = ids.sort().reverse().slice(0, MAILS_SHOWN);
      const mails = await Promise.all(newest.map(read));
      return mails.filter((mail) => mail !== null);
    },
    read,
  };
}

async function writeWhole(file: string, content: string): Promise<void> {
  await writeFile(`${file}.part`, content, { mode: 0o600 });
  await rename(`${file}.part`, file);
}

/** The message with its texts as they are, so that a link can be copied from the file. */
function legible(message: Buffer, { text, html, messageId }: OutgoingMail): string {
  const plain = withBody(message.toString('utf8'), messageId, 'text/plain', text);
  return withBody(plain, messageId, 'text/html', html);
}

/** Boundaries of the message have its id. */
function withBody(message: string, messageId: string, type: string, content: string): string {
  const head = `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: `;
  const start = message.indexOf(head) + head.length;
  const lines = message.slice(start).split('\r\n');
  const end = lines.findIndex((line) => line.startsWith('--') && line.includes(messageId));
  assert(start >= head.length && end > 0, `the message has ${type}`);
  const encoded = lines.slice(0, end).join('\r\n');
  const plain = `8bit\r\n\r\n${content.replaceAll('\n', '\r\n')}`;
  return message.slice(0, start) + plain + message.slice(start + encoded.length);
}
