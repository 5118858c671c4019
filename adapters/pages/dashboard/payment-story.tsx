// What happened to a payment, newest first: people and money in sentences, and apart from them what
// machines did.
import type { VNode } from 'preact';
import type { Money } from '../../../core/domain/base/money.js';
import type { LedgerAccount, LedgerLine } from '../../../core/domain/payments/ledger.js';
import type { PaymentStatus } from '../../../core/domain/payments/payment.js';
import type { TimelineEntry } from '../../../core/domain/payments/timeline.js';
import type { DeliveryAttempt } from '../../../core/domain/webhooks/webhook-delivery.js';
import { Foreign } from '../kit/components.js';
import { type DashboardScene, useDashboard } from './dashboard-scene.js';
import type { Detail } from './payment-detail-pages.js';

interface StoryLine {
  readonly text: string;
  readonly note?: string | VNode | null;
  /** By whom. */
  readonly by?: string | null;
  readonly look?: 'money' | 'bad';
}

interface Part {
  readonly detail: Pick<Detail, 'payment' | 'history' | 'attempts' | 'creator' | 'approver'>;
}

/** Who moves a payment to a status; others are moved by the service. */
const byWhom: Partial<Record<PaymentStatus, 'buyer' | 'approver'>> = {
  approved: 'approver',
  buyer_kyc_pending: 'buyer',
  on_ramp_pending: 'buyer',
};

export function History({ detail }: Part): VNode {
  const scene = useDashboard();
  const lines = detail.history.flatMap((entry) => {
    const one = toldOf(scene, detail, entry);
    return one === null ? [] : [{ ...one, atMs: entry.atMs }];
  });
  return <Log lines={lines.toReversed()} />;
}

export function TechnicalLog({ detail }: Part): VNode | null {
  const scene = useDashboard();
  const { texts } = scene;
  const calls = detail.history.flatMap((entry) => {
    const one = calledOf(scene, entry);
    return one === null ? [] : [{ ...one, atMs: entry.atMs }];
  });
  const attempts = detail.attempts.map((attempt) => attemptOf(scene, attempt));
  const lines = [...calls, ...attempts].toSorted((left, right) => right.atMs - left.atMs);
  if (lines.length === 0) return null;
  return (
    <details>
      <summary>{texts.payment.technical(calls.length, attempts.length)}</summary>
      <Log lines={lines} />
    </details>
  );
}

function Log({
  lines,
}: {
  readonly lines: readonly (StoryLine & { readonly atMs: number })[];
}): VNode {
  const { format } = useDashboard();
  return (
    <ol class="timeline">
      {lines.map(({ atMs, text, note = null, by = null, look }) => (
        <li class={look}>
          <time dateTime={new Date(atMs).toISOString()}>{format.exact(atMs)}</time>
          <div>
            <p>
              {text}
              {by === null ? null : <span class="quiet"> {by}</span>}
            </p>
            {note === null ? null : <p>{note}</p>}
          </div>
        </li>
      ))}
    </ol>
  );
}

/** Null for what machines did, and for what another entry says. */
function toldOf(
  { texts, format }: DashboardScene,
  { payment, creator, approver }: Part['detail'],
  entry: TimelineEntry,
): StoryLine | null {
  const words = texts.payment;
  const by = (who: string | null) => (who === null ? null : words.by(who));
  switch (entry.kind) {
    case 'created':
      return { text: words.entries.created, by: by(creator) };
    case 'limit_reached':
    case 'approval_lost':
      return { text: words.entries[entry.kind], look: 'bad' };
    case 'question':
      return { text: words.entries.question, note: <Foreign text={entry.question} /> };
    case 'colleague_approval':
      return {
        text: words.colleagueApproval[entry.state],
        ...(entry.state === 'declined' ? { look: 'bad' } : {}),
      };
    case 'status': {
      const { status, reason } = entry;
      // The money that arrived says it.
      if (status === 'on_chain_confirmed') return null;
      const who = { buyer: payment.buyer.email, approver, nobody: null }[
        byWhom[status] ?? 'nobody'
      ];
      return {
        text: words.reached[status],
        by: by(who),
        note: reason === null ? null : <Foreign text={reason} />,
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

function calledOf({ texts, format }: DashboardScene, entry: TimelineEntry): StoryLine | null {
  const words = texts.payment;
  switch (entry.kind) {
    case 'partner_command':
      return {
        text: words.commandMade(words.commands[entry.commandKind], format.money(entry.amount)),
        note: <span class="code">{entry.commandId}</span>,
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

function attemptOf({ texts }: DashboardScene, attempt: DeliveryAttempt) {
  const words = texts.payment;
  const { startedAtMs: atMs, responseStatus, error } = attempt;
  const isSent = responseStatus !== null && responseStatus < 300;
  const answer = responseStatus === null ? (error ?? '') : words.answered(responseStatus);
  return {
    atMs,
    text: isSent ? words.sent : words.notSent,
    note: `${words.attempt(attempt.attempt)}, ${answer}`,
    ...(isSent ? {} : { look: 'bad' as const }),
  };
}

/** Where the money of a posting went, the farthest from the buyer first. */
const ends: readonly LedgerAccount[] = ['seller', 'partner_float', 'refunds', 'buyer'];

function movedIn(lines: readonly LedgerLine[]): Money | null {
  const into = lines.filter(({ money: { amountMinor } }) => amountMinor > 0n);
  const line = ends.map((end) => into.find(({ account }) => account === end)).find(Boolean);
  return (line ?? into[0])?.money ?? null;
}
