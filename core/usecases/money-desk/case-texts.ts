// What happened to a payment, for operators: by the names that the API, the ledger and the log use.
import type { Money } from '../../domain/base/money.js';
import { limitName } from '../../domain/payments/amount-limit.js';
import { movedIn } from '../../domain/payments/ledger.js';
import type { TimelineEntry } from '../../domain/payments/timeline.js';
import { capital } from './desk-texts.js';

export interface CaseLine {
  readonly atMs: number;
  readonly text: string;
  /** Null where the line is about none. */
  readonly amount: Money | null;
  readonly note: string | null;
  readonly look?: 'money' | 'bad';
  /** Machines did it: people did the others. */
  readonly isCall?: true;
}

/** In the order of the history. Webhooks are not among it. */
export function caseLines(history: readonly TimelineEntry[]): readonly CaseLine[] {
  return history.flatMap((entry) => {
    const line = lineOf(entry);
    return line === null ? [] : [{ note: null, amount: null, ...line, atMs: entry.atMs }];
  });
}

function lineOf(entry: TimelineEntry): (Pick<CaseLine, 'text'> & Partial<CaseLine>) | null {
  switch (entry.kind) {
    case 'created':
      return { text: 'Created', amount: entry.amount };
    case 'limit_reached':
      return { text: `No price: over ${limitName(entry.period)}`, look: 'bad' };
    case 'approval_lost':
      return { text: 'The partner rejected the buyer after its approval', look: 'bad' };
    case 'question':
      return { text: 'The buyer asked', note: entry.question };
    case 'colleague_approval':
      return { text: `Approval by a colleague of the buyer: ${entry.state}` };
    case 'status': {
      const look = entry.status === 'failed' ? ({ look: 'bad' } as const) : {};
      return { text: named(entry.status), note: entry.reason, ...look };
    }
    case 'money':
      return { text: named(entry.fact), amount: movedIn(entry.lines), look: 'money' };
    case 'partner_command': {
      const { commandKind, amount, commandId } = entry;
      return { text: `${named(commandKind)} ordered`, amount, note: commandId, isCall: true };
    }
    case 'partner_call':
      return { text: `${named(entry.commandKind)} sent to the partner`, isCall: true };
    case 'partner_outcome': {
      const text = `${named(entry.commandKind)} ${entry.outcome.replaceAll('_', ' ')}`;
      return { text, ...(entry.outcome === 'completed' ? {} : { look: 'bad' }), isCall: true };
    }
    default:
      return null;
  }
}

function named(name: string): string {
  return capital(name.replaceAll('_', ' '));
}
