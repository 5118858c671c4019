// Mails that stay in the memory of this process, for tests and embedding: sent is what was kept.
import type { Mailer, OutgoingMail } from '../../core/ports/outside.js';

export interface MemoryMailer extends Mailer {
  /** Everything that was sent so far, oldest first. */
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
