// Invariants of payments and of what was acknowledged to callers.
import { isOpen } from '../../../core/domain/commands/partner-command.js';
import {
  isTerminal,
  type PaymentStatus,
  paymentMoves,
} from '../../../core/domain/payments/payment.js';
import { walks } from './observed-payment.js';
import { eachPayment, type ObservedState } from './observed-state.js';

/** Said here once more, so that a broken table does not excuse itself. */
const ends: readonly PaymentStatus[] = ['settled', 'failed', 'cancelled', 'expired'];

export function noCallerSeesASurprise({ surprises }: ObservedState): string | null {
  return surprises[0] ?? null;
}

export function nothingAcknowledgedIsLost(observed: ObservedState): string | null {
  for (const ack of observed.acknowledged) {
    switch (ack.kind) {
      case 'payment': {
        const found = observed.payments.get(ack.id);
        if (found === undefined) return `payment ${ack.id} was acknowledged and is not there`;
        if (found.payment.version < ack.version || !found.statuses.includes(ack.status)) {
          return `payment ${ack.id} was shown ${ack.status} and never was so`;
        }
        break;
      }
      case 'account':
      case 'kyc': {
        const { accounts, kyc } = observed.parties;
        const found = (ack.kind === 'account' ? accounts : kyc).get(ack.id);
        if (found === undefined || found.version < ack.version) return `${ack.id} is lost`;
        break;
      }
      case 'uploaded':
        if (observed.parties.documents.get(ack.id)?.status === 'awaiting') {
          return `what was uploaded to ${ack.id} is lost`;
        }
        break;
      case 'message':
        if (!observed.inbox.has(ack.id)) return `message ${ack.id} was acknowledged and is lost`;
        break;
      case 'subscribed':
      case 'unsubscribed': {
        const found = observed.subscriptions.get(ack.id);
        if (found === undefined) return `subscription ${ack.id} is lost`;
        if (ack.kind === 'unsubscribed' && found.active) return `${ack.id} is active again`;
        break;
      }
    }
  }
  return null;
}

export function oneResourcePerKeyAndExternalId(observed: ObservedState): string | null {
  const owners = new Map<string, string>();
  const claim = (name: string, id: string) => {
    const owner = owners.get(name) ?? id;
    owners.set(name, owner);
    return owner === id ? null : `${name} names ${owner} and ${id}`;
  };
  for (const { payment } of observed.payments.values()) {
    const { orgId, mode, origin, externalId, id } = payment;
    const wrong = externalId && claim(`externalId ${orgId} ${mode} ${origin} ${externalId}`, id);
    if (wrong) return wrong;
  }
  for (const { orgId, mode, externalId, id } of observed.parties.accounts.values()) {
    const wrong = claim(`externalId ${orgId} ${mode} account ${externalId}`, id);
    if (wrong !== null) return wrong;
  }
  for (const ack of observed.acknowledged) {
    if (ack.kind !== 'payment' || ack.idempotencyKey === null) continue;
    const { tenant, idempotencyKey, id } = ack;
    const wrong = claim(`key ${tenant.orgId} ${tenant.mode} ${idempotencyKey}`, id);
    if (wrong !== null) return wrong;
  }
  return null;
}

export function statusesFollowTheTableAndTerminalOnesStay(observed: ObservedState): string | null {
  return eachPayment(observed, (found) => {
    const { payment, statuses } = found;
    if (statuses.at(-1) !== payment.status) return `reads ${payment.status}, stored otherwise`;
    const [walked = []] = walks(found);
    const ended = walked.findIndex((status) => ends.includes(status));
    if (ended !== -1 && ended < walked.length - 1) return `went on: ${walked.join(' → ')}`;
    const at = walked.findIndex((to, index) => {
      const from = walked[index - 1];
      return from !== undefined && !reachable(from).includes(to);
    });
    return at === -1 ? null : `went ${walked.join(' → ')}`;
  });
}

export function noPaymentPassesKycUnapproved(observed: ObservedState): string | null {
  const approved = new Set<string>();
  for (const party of observed.outside.parties()) {
    if (party.everApproved && party.role === 'buyer') approved.add(`${party.mode} ${party.email}`);
  }
  return eachPayment(observed, ({ statuses, payment }) => {
    if (!statuses.includes('buyer_kyc_approved')) return null;
    const buyer = `${payment.mode} ${payment.buyer.email.trim().toLowerCase()}`;
    return approved.has(buyer) ? null : `the partner never approved ${buyer}`;
  });
}

export function everyPaymentIsTerminal(observed: ObservedState): string | null {
  return eachPayment(observed, ({ payment }) =>
    isTerminal(payment.status) ? null : `is still ${payment.status}`,
  );
}

/** The partner got an answer to each of its messages. */
export function everyMessageIsAnswered({ outside }: ObservedState): string | null {
  const [message] = outside.messages();
  return message === undefined ? null : `${message.id} was never acknowledged`;
}

export function noWorkIsLeft(observed: ObservedState): string | null {
  for (const { messageId, dueAtMs } of observed.inbox.values()) {
    if (dueAtMs !== null) return `the message ${messageId} was never applied`;
  }
  const command = [...observed.partyCommands.values()].find(isOpen);
  if (command !== undefined) return `the ${command.kind} ${command.id} is ${command.state}`;
  const mail = [...observed.parties.mails.values()].find(({ status }) => status === 'pending');
  if (mail !== undefined) return `the mail ${mail.id} was never sent`;
  return eachPayment(observed, ({ commands, advance }) => {
    const open = commands.find(isOpen);
    if (open !== undefined) return `the ${open.kind} ${open.id} is ${open.state}, ${open.end}`;
    return advance === null ? null : 'is still being advanced';
  });
}

export function theStoreHoldsNothingElse({ payments }: ObservedState): string | null {
  const stray = [...payments.values()].find(({ statuses }) => statuses.length === 0);
  return stray === undefined ? null : `${stray.payment.id} was written by no batch`;
}

function reachable(status: PaymentStatus): readonly PaymentStatus[] {
  return Object.values<PaymentStatus>(paymentMoves[status]);
}
