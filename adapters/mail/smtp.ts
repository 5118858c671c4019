// Mails over SMTP, by nodemailer: one connection each, bounded in time. It owns what a server's
// answer means for the mail: only the word that it will never be taken is a refusal, because
// anything else may be the fault of the server, the line or the configuration, and passes.
import { createTransport } from 'nodemailer';
import type { MailOutcome } from '../../core/domain/mail.js';
import type { Mailer } from '../../core/ports/outside.js';
import { type MailSender, messageOf } from './message.js';

/** A server that says nothing for this long is given up. */
const SILENCE_MAX_MS = 10_000;
/** For the whole of one mail: well within the lease, and before the worker counts as stalled. */
const SEND_MAX_MS = 20_000;
const REASON_LENGTH_MAX = 300;

export interface SmtpOptions {
  /** `smtp://` or `smtps://`, with user and password where the server asks for them. */
  readonly url: string;
  readonly from: MailSender;
  /** Whether a server of `smtp://` must take STARTTLS: the links sign buyers in. */
  readonly requireTls: boolean;
}

export function createSmtpMailer({ url, from, requireTls }: SmtpOptions): Mailer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    ...(port === '' ? {} : { port: Number(port) }),
    ...(username === '' ? {} : { auth }),
    secure: protocol === 'smtps:',
    requireTLS: requireTls,
    connectionTimeout: SILENCE_MAX_MS,
    greetingTimeout: SILENCE_MAX_MS,
    dnsTimeout: SILENCE_MAX_MS,
    socketTimeout: SILENCE_MAX_MS,
  });
  return {
    async send(mail) {
      const signal = AbortSignal.timeout(SEND_MAX_MS);
      try {
        await transport.sendMail({ ...messageOf(from, mail), signal });
        return { outcome: 'sent' };
      } catch (error) {
        return failedBy(error);
      }
    },
  };
}

function failedBy(error: unknown): MailOutcome {
  const told = error as { readonly command?: unknown; readonly responseCode?: unknown };
  const text = error instanceof Error ? error.message : String(error);
  const reason = text.slice(0, REASON_LENGTH_MAX);
  const code = typeof told.responseCode === 'number' ? told.responseCode : 0;
  // At RCPT TO it is about the address, at DATA about the message; before that, about us.
  const aboutMail = told.command === 'RCPT TO' || told.command === 'DATA';
  return { outcome: aboutMail && code >= 500 ? 'refused' : 'later', reason };
}
