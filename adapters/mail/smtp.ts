// Mails over SMTP by nodemailer, one connection each, with a time limit. Only a refusal of the
// recipient's mailbox ends a mail (refusals.ts). Any other failure is caused by the server, the
// network or the configuration, and is retried.
import { createTransport } from 'nodemailer';
import type { MailOutcome } from '../../core/domain/mail/mail.js';
import { untrusted } from '../../core/domain/service/health-check.js';
import type { Mailer } from '../../core/ports/outside.js';
import { type MailSender, messageOf } from './message.js';
import { isMailboxRefusal } from './refusals.js';

/** The time limit of each step of a connection. */
const SILENCE_MAX_MS = 10_000;
/** For one mail: shorter than its lease, and than the time until a worker counts as stalled. */
const SEND_MAX_MS = 20_000;
const REASON_LENGTH_MAX = 300;

export interface SmtpOptions {
  /** `smtp://` or `smtps://`, with user and password if required. */
  readonly url: string;
  readonly from: MailSender;
  /** Whether a server of `smtp://` must take STARTTLS: the links sign buyers in. */
  readonly requireTls: boolean;
  /** For tests. */
  readonly silenceMaxMs?: number;
}

export function createSmtpMailer({
  url,
  from,
  requireTls,
  silenceMaxMs = SILENCE_MAX_MS,
}: SmtpOptions): Mailer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    ...(port === '' ? {} : { port: Number(port) }),
    ...(username === '' ? {} : { auth }),
    secure: protocol === 'smtps:',
    requireTLS: requireTls,
    connectionTimeout: silenceMaxMs,
    // It ends before that of the socket, which does not say what is missing.
    greetingTimeout: silenceMaxMs * 0.9,
    dnsTimeout: silenceMaxMs,
    socketTimeout: silenceMaxMs,
  });
  return {
    async send(mail) {
      const signal = AbortSignal.timeout(SEND_MAX_MS);
      try {
        await transport.sendMail({ ...messageOf(from, mail), signal });
        return { outcome: 'sent' };
      } catch (error) {
        return failedBy(error, new URL(url));
      }
    },
    problem: () =>
      transport.verify().then(
        () => null,
        (error: unknown) => connectionText(reasonOf(error), new URL(url)),
      ),
  };
}

function failedBy(error: unknown, url: URL): MailOutcome {
  const { command, responseCode, response } = error as Readonly<Record<string, unknown>>;
  const reason = connectionText(reasonOf(error), url);
  const status = typeof responseCode === 'number' ? responseCode : 0;
  if (status < 500) return { outcome: 'later', reason };
  const reply = { command: String(command), status, text: String(response ?? '') };
  return { outcome: isMailboxRefusal(reply) ? 'refused' : 'blocked', reason };
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, REASON_LENGTH_MAX);
}

/** What OpenSSL and nodemailer say, in words of the setting. */
function connectionText(reason: string, { protocol, host }: URL): string {
  // A port of TLS waits for the client: both are silent.
  if (protocol === 'smtp:' && /greeting never received/i.test(reason)) {
    return (
      `${host} says nothing: if it expects TLS, as port 465 does, write smtps:// instead of ` +
      'smtp://'
    );
  }
  if (/certificate/i.test(reason)) return untrusted(reason.replace(/;.*/s, ''));
  if (!/SSL routines|wrong version number/i.test(reason)) return reason;
  return protocol === 'smtps:'
    ? `${host} speaks no TLS: write smtp:// instead of smtps://`
    : `the TLS handshake with ${host} failed`;
}
