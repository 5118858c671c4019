// The mail server and the buyers' mailboxes: mails are taken, not taken, refused, or arrive
// although nobody hears of it. What a mailbox has is what its owner may open.
import type { MailOutcome } from '../../core/domain/mail.js';
import type { Mailer, OutgoingMail } from '../../core/ports.js';
import type { Gates, SimulatedProcess } from './gates.js';
import type { SeededRandom } from './seeded-random.js';

export interface ReceivedMail extends OutgoingMail {
  /** What its link carries. */
  readonly token: string;
}

const sent: MailOutcome = { outcome: 'sent' };

export class SimulatedMailbox {
  readonly received: ReceivedMail[] = [];
  readonly #input: {
    readonly gates: Gates;
    readonly random: SeededRandom;
    /** How often a mail does not go the usual way. */
    readonly faults: () => number;
  };

  constructor(input: {
    readonly gates: Gates;
    readonly random: SeededRandom;
    readonly faults: () => number;
  }) {
    this.#input = input;
  }

  mailer(process: SimulatedProcess): Mailer {
    const { gates, random, faults } = this.#input;
    return {
      send: async (mail) => {
        const fate = random.chance(faults())
          ? random.pick(['not taken', 'answer lost', 'answer lost', 'refused'] as const)
          : 'taken';
        const arrive = () => {
          if (fate === 'taken' || fate === 'answer lost') this.#arrive(mail);
        };
        await gates.pass(process, `mail ${mail.messageId}`, arrive);
        arrive();
        await gates.pass(process, `mail ${mail.messageId}: ${fate}`);
        if (fate === 'taken') return sent;
        return { outcome: fate === 'refused' ? 'refused' : 'later', reason: fate };
      },
    };
  }

  #arrive(mail: OutgoingMail): void {
    const token = /[?&]token=([\w-]+)/.exec(mail.text)?.[1] ?? '';
    this.received.push({ ...mail, token });
  }
}
