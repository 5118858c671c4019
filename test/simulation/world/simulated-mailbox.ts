// The mail server and the buyers' mailboxes: mails are accepted, deferred, refused, or arrive
// without an answer to the sender. Buyers may open what their mailbox holds.
import type { HostedPage } from '../../../core/domain/hosted/hosted-page.js';
import type { MailOutcome } from '../../../core/domain/mail/mail.js';
import type { Mailer, OutgoingMail } from '../../../core/ports/outside.js';
import type { Faults } from './faults.js';
import type { Gates, SimulatedProcess } from './gates.js';

/** A link that signs in. */
export interface ReceivedLink {
  readonly messageId: string;
  readonly page: HostedPage;
  readonly token: string;
  readonly code: string;
}

const sent: MailOutcome = { outcome: 'sent' };

export class SimulatedMailbox {
  readonly received: OutgoingMail[] = [];
  readonly #input: { readonly gates: Gates; readonly faults: Faults };

  constructor(input: { readonly gates: Gates; readonly faults: Faults }) {
    this.#input = input;
  }

  mailer(process: SimulatedProcess): Mailer {
    const { gates, faults } = this.#input;
    return {
      send: async (mail) => {
        const fault = faults.firstOf('mailDeferred', 'mailAnswerLost', 'mailRefused');
        const arrive = () => {
          if (fault === null || fault === 'mailAnswerLost') this.#arrive(mail);
        };
        await gates.pass(process, `mail ${mail.messageId}`, arrive);
        arrive();
        await gates.pass(process, `mail ${mail.messageId}: ${fault ?? 'taken'}`);
        if (fault === null) return sent;
        return { outcome: fault === 'mailRefused' ? 'refused' : 'later', reason: fault };
      },
    };
  }

  links(): readonly ReceivedLink[] {
    return this.received.flatMap(({ messageId, text }) => {
      const [, publicId, token] = /\/r\/([\w-]+)\?token=([\w-]+)/.exec(text) ?? [];
      if (publicId === undefined || token === undefined) return [];
      const code = /^\d{6}$/m.exec(text)?.[0] ?? '';
      return [{ messageId, page: { kind: 'payment', publicId }, token, code }];
    });
  }

  #arrive(mail: OutgoingMail): void {
    this.received.push(mail);
  }
}
