// Mails in memory, for tests and embedding.
import type { Mailer, OutgoingMail } from '../../core/ports/outside.js';

interface MemoryMailer extends Mailer {
  /** All sent mails, oldest first. */
  readonly mails: readonly OutgoingMail[];
}

export function createMemoryMailer(): MemoryMailer {
  const mails: OutgoingMail[] = [];
  return {
    mails,
    async send(mail) {
      mails.push(mail);
      return { outcome: 'sent' };
    },
  };
}
