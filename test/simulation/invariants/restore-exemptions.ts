// What a restored copy of the database is exempt, all of it in this file. Integrators and buyers
// lose what was acknowledged after the copy: observed-rows.ts is restored with it. The partner and
// the mailboxes went on, so the database lacks commands and mails:
//
// - A payment with a command at the partner that the copy does not know as sent may end otherwise
//   than the partner's books until it is released, and its own books agree with each other. After
//   a complete check it is excused no more, but for commands of payments created after the copy,
//   and where the partner finds no pay-in by our reference: one that the copy lacks becomes a
//   deposit, and an open one leaves its payment free to send another.
// - A payment that had money of a transfer that nobody ordered may lack it: a person decides.
// - A message about such a command that names it by the partner's id only fits no command.
// - A mail that was sent after the copy carries a link that leads nowhere.
//
// The partner keeps the keys that it has: hosts send again while it does. A command that is made
// again under its key with another content is refused there, and no misuse.
import { isTerminal } from '../../../core/domain/payments/payment.js';
import type { PartnerTransaction } from '../partner/partner-ledger.js';
import type { ObservedPayment } from './observed-payment.js';

/** What the database knows, and whose a command is. */
interface Known {
  readonly payments: ReadonlyMap<string, ObservedPayment>;
  ownerOf(reference: string): string | null;
}

export class RestoreExemptions {
  readonly #payments = new Set<string>();
  readonly #mails = new Set<string>();
  /**
   * Of payments that a copy lacks: one that is created again finds them when it sends a command.
   */
  readonly #lost = new Set<PartnerTransaction>();
  /** Commands that the database did not know as sent. */
  readonly #unknown = new Map<PartnerTransaction, string>();
  /** Transfers of which the database does not know any more that this payment had money. */
  readonly #lostShares: (readonly [transfer: PartnerTransaction, owner: string])[] = [];
  #transactionsSeen: number | null = null;

  /** Notes what a copy lacks, once it is restored. */
  note(transactions: readonly PartnerTransaction[], mails: readonly string[], known: Known): void {
    this.#transactionsSeen = 0;
    this.noteLate(transactions, known);
    for (const id of mails) this.#mails.add(id);
  }

  /** A call that was under way when a copy was restored may still make a command. */
  noteLate(transactions: readonly PartnerTransaction[], known: Known): void {
    if (this.#transactionsSeen === null) return;
    for (const transaction of transactions.slice(this.#transactionsSeen)) {
      const owner = known.ownerOf(transaction.reference) ?? '';
      if (!known.payments.has(owner)) this.#lost.add(transaction);
      if (isKnownAsSent(transaction, known.payments.get(owner))) continue;
      this.#payments.add(owner);
      this.#unknown.set(transaction, owner);
    }
    this.#transactionsSeen = transactions.length;
  }

  /** A person decides about the transfer. */
  noteShare(transfer: PartnerTransaction, owner: string): void {
    this.#payments.add(owner);
    this.#lostShares.push([transfer, owner]);
  }

  /**
   * After a complete check the database knows what the partner did for its payments: their commands
   * need no excuse. Payments that were created after the copy are not in it, and one that has ended
   * without commands is not checked: only a call of an earlier life that arrived late made one.
   */
  released(payments: Known['payments']): void {
    for (const id of [...this.#payments]) {
      const found = payments.get(id);
      if (found === undefined) continue;
      const isChecked = found.commands.length > 0 || !isTerminal(found.payment.status);
      const isDeposit = [...this.#unknown].some(
        ([{ kind, ref }, owner]) =>
          owner === id && kind === 'payin' && !found.commands.some((one) => one.partnerRef === ref),
      );
      const isShare = this.#lostShares.some(
        ([{ ref }, owner]) =>
          owner === id && !found.commands.some(({ partnerRef }) => partnerRef === ref),
      );
      if (isChecked && !isDeposit && !isShare) this.#payments.delete(id);
    }
  }

  hasPayment(id: string | null): boolean {
    return this.#payments.has(id ?? '');
  }

  isUnknown(transaction: PartnerTransaction): boolean {
    return this.#unknown.has(transaction);
  }

  isLost(transaction: PartnerTransaction): boolean {
    return this.#lost.has(transaction);
  }

  hasMail(id: string): boolean {
    return this.#mails.has(id);
  }
}

function isKnownAsSent(
  transaction: PartnerTransaction,
  found: ObservedPayment | undefined,
): boolean {
  const command = found?.commands.find(({ reference }) => reference === transaction.reference);
  if (command === undefined || command.state === 'pending') return false;
  // BlindPay takes a late call of an earlier life with another quote as another pay-in.
  const isIts = command.partnerRef === null || command.partnerRef === transaction.ref;
  return command.lastSentAtMs !== null && isIts;
}
