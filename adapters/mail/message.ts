// A mail as nodemailer takes it, the same for each way of sending: every try at a mail gives the
// same message. It also says what a sender's address may look like.
import type { SendMailOptions } from 'nodemailer';
import type { OutgoingMail } from '../../core/ports/outside.js';

/** Who mails come from. */
export interface MailSender {
  /** Empty where the address stands alone. */
  readonly name: string;
  readonly address: string;
}

const addressForm = /^[^\s<>@,;:"()[\]\\]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i;
const namedForm = /^([^\p{Cc}<>"]*)<([^<>]*)>$/u;

/** `pay@example.com` or `Ponte <pay@example.com>`; null when it is neither. */
export function parseMailSender(text: string): MailSender | null {
  const [, name = '', address = text] = namedForm.exec(text.trim()) ?? [];
  return addressForm.test(address.trim()) ? { name: name.trim(), address: address.trim() } : null;
}

export function messageOf(from: MailSender, mail: OutgoingMail): SendMailOptions {
  const { to, subject, text, messageId, writtenAtMs } = mail;
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return {
    from: { ...from },
    // As one address, whatever it looks like: never read as a list.
    to: { name: '', address: to },
    ...{ subject, text },
    messageId: `<${messageId}@${domain}>`,
    date: new Date(writtenAtMs),
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    textEncoding: 'quoted-printable',
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
