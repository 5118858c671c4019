// A real mail server for tests, with STARTTLS: it greylists, refuses or drops connections as the
// test says, and keeps what it accepted.
import { once } from 'node:events';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { localhostTls } from './localhost-tls.js';

export interface AcceptedMail extends Email {
  /** As it came over the line. */
  readonly raw: string;
  readonly wasEncrypted: boolean;
}

export interface MailServer {
  /** With the name of its certificate. */
  readonly url: string;
  readonly accepted: readonly AcceptedMail[];
  /** Answers to the next recipients, such as 451; then all are accepted. */
  readonly recipientAnswers: number[];
  /** What happens to the next messages: dropped in the middle, or accepted and then dropped. */
  readonly messageFaults: ('dies' | 'dies after acceptance')[];
  close(): Promise<void>;
}

export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const accepted: AcceptedMail[] = [];
  const recipientAnswers: number[] = [];
  const messageFaults: MailServer['messageFaults'] = [];
  const server = new SMTPServer({
    ...localhostTls,
    authOptional: true,
    onRcptTo(_address, _session, answer) {
      const responseCode = recipientAnswers.shift();
      if (responseCode === undefined) answer();
      else answer(Object.assign(new Error('not now or never'), { responseCode }));
    },
    async onData(stream, session, answer) {
      const fault = messageFaults.shift();
      if (fault === 'dies') return hangUp(server);
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      const raw = Buffer.concat(chunks).toString('utf8');
      accepted.push({ ...(await PostalMime.parse(raw)), raw, wasEncrypted: session.secure });
      if (fault === 'dies after acceptance') hangUp(server);
      else answer();
    },
    ...options,
  });
  // A connection that ends early is what some tests are about.
  server.on('error', () => undefined);
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const address = listening.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `smtp://localhost:${port}`,
    accepted,
    recipientAnswers,
    messageFaults,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function hangUp(server: SMTPServer): void {
  for (const connection of server.connections) connection.close();
}
