// What happened to a payment, in sentences of any language: what people and money did, and what
// machines did.
import { movedIn } from '../../../core/domain/payments/ledger.js';
import type { Payment, PaymentStatus } from '../../../core/domain/payments/payment.js';
import type { TimelineEntry } from '../../../core/domain/payments/timeline.js';
import type { DeliveryAttempt } from '../../../core/domain/webhooks/webhook-delivery.js';
import type { DashboardScene } from './dashboard-scene.js';
import { answerText } from './developer/answer-text.js';

export interface StoryLine {
  readonly text: string;
  readonly note?: string | null;
  /** The note is an id. */
  readonly isCode?: true;
  /** By whom. */
  readonly by?: string | null;
  readonly look?: 'money' | 'bad';
}

type Words = Pick<DashboardScene, 'texts' | 'format'>;

interface StoryAuthors {
  readonly payment: Pick<Payment, 'buyer'>;
  /** The addresses of the members who created and approved it; null: not recorded. */
  readonly creator: string | null;
  readonly approver: string | null;
}

/** Who moves a payment to a status; others are moved by the service. */
const byWhom: Partial<Record<PaymentStatus, 'buyer' | 'approver'>> = {
  approved: 'approver',
  on_ramp_pending: 'buyer',
};

/** Null for what machines did, and for what another entry says. */
export function storyLineOf(
  { texts, format }: Words,
  { payment, creator, approver }: StoryAuthors,
  entry: TimelineEntry,
): StoryLine | null {
  const words = texts.payment;
  const by = (who: string | null) => (who === null ? null : words.by(who));
  switch (entry.kind) {
    case 'created':
      return { text: words.entries.created, by: by(creator) };
    case 'limit_reached':
      return { text: words.noPrice[entry.period === 'transfer' ? 'cap' : 'limit'], look: 'bad' };
    case 'approval_lost':
      return { text: words.entries[entry.kind], look: 'bad' };
    case 'question':
      return { text: words.entries.question, note: entry.question };
    case 'colleague_approval':
      return {
        text: words.colleagueApproval[entry.state],
        ...(entry.state === 'declined' ? { look: 'bad' } : {}),
      };
    case 'status': {
      const { status, reason } = entry;
      // The money that arrived says it.
      if (status === 'on_chain_confirmed') return null;
      const who = { buyer: payment.buyer.email, approver, nobody: entry.by?.name ?? null }[
        byWhom[status] ?? 'nobody'
      ];
      return {
        text: words.reached[status],
        by: by(who),
        note: reason,
        ...(status === 'failed' ? { look: 'bad' } : {}),
      };
    }
    case 'money': {
      const amount = movedIn(entry.lines);
      return {
        text:
          amount === null
            ? words.facts[entry.fact]
            : `${words.facts[entry.fact]}: ${format.money(amount)}`,
        look: 'money',
      };
    }
    default:
      return null;
  }
}

export function calledOf({ texts, format }: Words, entry: TimelineEntry): StoryLine | null {
  const words = texts.payment;
  switch (entry.kind) {
    case 'partner_command':
      return {
        text: words.commandMade(words.commands[entry.commandKind], format.money(entry.amount)),
        note: entry.commandId,
        isCode: true,
      };
    case 'partner_call':
      return { text: words.commandSent(words.commands[entry.commandKind]) };
    case 'partner_outcome':
      return {
        text: `${words.commands[entry.commandKind]} ${words.outcomes[entry.outcome]}`,
        ...(entry.outcome === 'completed' ? {} : { look: 'bad' }),
      };
    default:
      return null;
  }
}

export function attemptOf({ texts }: Words, attempt: DeliveryAttempt) {
  const words = texts.payment;
  const { startedAtMs: atMs, responseStatus } = attempt;
  const isSent = responseStatus !== null && responseStatus < 300;
  const answer =
    responseStatus === null ? answerText({ texts }, attempt) : words.answered(responseStatus);
  return {
    atMs,
    text: isSent ? words.sent : words.notSent,
    note: `${words.attempt(attempt.attempt)}, ${answer}`,
    ...(isSent ? {} : { look: 'bad' as const }),
  };
}
