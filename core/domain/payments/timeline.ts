// The history of a payment as one list in order of time: its kinds of entries, their order within
// one moment, and the cursor of a page. Nothing is stored: the use case derives entries from rows.
import { assert } from '../../errors.js';
import type { Actor } from '../base/actor.js';
import type { Money } from '../base/money.js';
import type { MoneyKind, PartnerCommand } from '../commands/partner-command.js';
import type { DeliveryStatus } from '../webhooks/webhook-delivery.js';
import type { AmountLimit } from './amount-limit.js';
import type { ColleagueApprovalState } from './colleague-approval.js';
import type { LedgerLine, PostingKind } from './ledger.js';
import type { PaymentStatus } from './payment.js';

/** The order of entries at one moment: a cause before its effect. */
export const timelineKinds = [
  'created',
  'limit_reached',
  'approval_lost',
  'question',
  'colleague_approval',
  'partner_command',
  'partner_call',
  'partner_outcome',
  'money',
  'status',
  'delivery',
  'attempt',
] as const satisfies readonly TimelineEntry['kind'][];

export type TimelineKind = (typeof timelineKinds)[number];

export const timelineOutcomes = [
  'completed',
  'failed',
  'returned',
  'refused',
  'in_doubt',
  'withdrawn',
] as const;

export type CommandOutcome = (typeof timelineOutcomes)[number];

interface CommandName {
  readonly commandId: string;
  readonly commandKind: MoneyKind;
}

export interface TimelineCursor {
  readonly atMs: number;
  readonly kind: TimelineKind;
  /** Orders entries of one kind and moment; stable. */
  readonly tie: string;
}

/** Who caused an event: `name` is that of an API key, or the address of a member or the buyer. */
export interface TimelineAuthor extends Actor {
  readonly name: string | null;
}

/** Null: not known. */
interface Caused {
  readonly by: TimelineAuthor | null;
}

export type TimelineEntry = { readonly atMs: number; readonly tie: string } & (
  | ({ readonly kind: 'created'; readonly amount: Money } & Caused)
  /** The latest one: there may have been more. */
  | ({ readonly kind: 'limit_reached' } & AmountLimit)
  /** The buyer was rejected after its approval. */
  | { readonly kind: 'approval_lost' }
  /** The buyer asks; the organization answers by mail. */
  | ({ readonly kind: 'question'; readonly question: string } & Caused)
  /** The latest request to a colleague of the buyer, and its decision. */
  | { readonly kind: 'colleague_approval'; readonly state: ColleagueApprovalState }
  | ({
      readonly kind: 'status';
      readonly status: PaymentStatus;
      readonly eventType: string;
      readonly eventId: string;
      /** Why it failed or was cancelled. */
      readonly reason: string | null;
    } & Caused)
  | {
      readonly kind: 'money';
      readonly fact: PostingKind;
      readonly lines: readonly LedgerLine[];
    }
  | ({ readonly kind: 'partner_command'; readonly amount: Money } & CommandName)
  /** The first call: there may have been more. */
  | ({ readonly kind: 'partner_call' } & CommandName)
  | ({ readonly kind: 'partner_outcome'; readonly outcome: CommandOutcome } & CommandName)
  | {
      readonly kind: 'delivery';
      readonly deliveryId: string;
      readonly subscriptionId: string;
      readonly eventType: string;
      readonly eventId: string;
      readonly status: DeliveryStatus;
    }
  | {
      readonly kind: 'attempt';
      readonly deliveryId: string;
      readonly attempt: number;
      readonly responseStatus: number | null;
      readonly error: string | null;
      readonly durationMs: number;
    }
);

export function compareEntries(left: TimelineCursor, right: TimelineCursor): number {
  if (left.atMs !== right.atMs) return left.atMs - right.atMs;
  const ranks = timelineKinds.indexOf(left.kind) - timelineKinds.indexOf(right.kind);
  if (ranks !== 0) return ranks;
  if (left.tie === right.tie) return 0;
  return left.tie < right.tie ? -1 : 1;
}

/**
 * Entries of one kind after a cursor: later than `fromMs`, or at it with a tie above `afterTie`.
 */
export function beginOf(
  kind: TimelineKind,
  cursor: TimelineCursor | null,
): { readonly fromMs: number; readonly afterTie: string } {
  if (cursor === null) return { fromMs: 0, afterTie: '' };
  const { atMs } = cursor;
  if (kind === cursor.kind) return { fromMs: atMs, afterTie: cursor.tie };
  const behind = timelineKinds.indexOf(kind) > timelineKinds.indexOf(cursor.kind);
  return { fromMs: behind ? atMs : atMs + 1, afterTie: '' };
}

export function encodeCursor({ atMs, kind, tie }: TimelineCursor): string {
  return `${atMs}/${kind}/${tie}`;
}

export function decodeCursor(text: string): TimelineCursor {
  const [atMs = '', name, tie] = text.split('/');
  const kind = timelineKinds.find((known) => known === name);
  assert(kind !== undefined && tie !== undefined, 'a cursor was made by encodeCursor');
  return { atMs: Number.parseInt(atMs, 10), kind, tie };
}

/** Returns null while the command is open and nothing is wrong. */
export function outcomeOf({ state, end }: PartnerCommand): CommandOutcome | null {
  if (end !== 'open') return end;
  if (state === 'void') return 'withdrawn';
  if (state === 'unknown' || state === 'denied') return 'in_doubt';
  return state === 'refused' ? 'refused' : null;
}

/** When the payment had the status for the first time; null if it never had. */
export function statusAtMs(
  history: readonly TimelineEntry[],
  status: PaymentStatus,
): number | null {
  return history.find((entry) => entry.kind === 'status' && entry.status === status)?.atMs ?? null;
}
