// A mail as a message of nodemailer, the same on every attempt, and the format of sender addresses.
import type { SendMailOptions } from 'nodemailer';
import type { OutgoingMail } from '../../core/ports/outside.js';

export interface MailSender {
  /** Empty for an address without a name. */
  readonly name: string;
  readonly address: string;
}

const addressForm = /^[^\s<>@,;:"()[\]\\]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i;
const namedForm =
  /^(?:"(?<quoted>[^\p{Cc}<>"\\]*)"\s*|(?<name>[^\p{Cc}<>"]*))<(?<address>[^<>]*)>$/u;

/** `pay@example.com`, `Ponte <pay@example.com>`, `"Ponte" <pay@example.com>`; null for others. */
export function parseMailSender(text: string): MailSender | null {
  const { quoted, name = quoted ?? '', address = text } = namedForm.exec(text.trim())?.groups ?? {};
  return addressForm.test(address.trim()) ? { name: name.trim(), address: address.trim() } : null;
}

/** Plain text and HTML as alternatives, from “Acme via Ponte”. */
export function messageOf(sender: MailSender, mail: OutgoingMail): SendMailOptions {
  const { to, subject, text, html, from, replyTo, locale, messageId, writtenAtMs } = mail;
  const attachments = mail.attachments.map(({ name: filename, type: contentType, bytes, cid }) => ({
    filename,
    contentType,
    content: Buffer.from(bytes),
    ...(cid === undefined ? {} : { cid, contentDisposition: 'inline' as const }),
  }));
  const { name, address } = sender;
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return {
    // The service itself may write.
    from: { name: name === '' || name === from ? from : `${from} via ${name}`, address },
    // An object: a string could be read as a list of addresses.
    to: { name: '', address: to },
    ...(replyTo === null ? {} : { replyTo: { name: '', address: replyTo } }),
    subject,
    text,
    html,
    attachments,
    // A random boundary would make each try another message.
    baseBoundary: messageId,
    messageId: `<${messageId}@${domain}>`,
    date: new Date(writtenAtMs),
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'Content-Language': locale,
    },
    textEncoding: 'quoted-printable',
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
