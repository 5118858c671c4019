// What happened to a payment, as one list in order of time: which kinds of entries there are, how
// entries of one moment follow each other, and where a page begins. Nothing here is stored: the
// rows that entries are made of are read by the use case.
import { assert } from '../errors.js';
import type { LedgerLine, PostingKind } from './ledger.js';
import type { Money } from './money.js';
import type { PartnerCommand } from './partner-command.js';
import type { PaymentStatus } from './payment.js';
import type { DeliveryStatus } from './webhook-delivery.js';

/** At one moment entries stand in this order: a cause before what follows from it. */
export const timelineKinds = [
  'created',
  'partner_order',
  'partner_call',
  'partner_outcome',
  'money',
  'status',
  'delivery',
  'attempt',
] as const satisfies readonly TimelineEntry['kind'][];

export type TimelineKind = (typeof timelineKinds)[number];

/** What became of an order to the partner; none while it is open and nothing is wrong. */
export const orderOutcomes = [
  'completed',
  'failed',
  'returned',
  'refused',
  'in_doubt',
  'taken_back',
] as const;

export type OrderOutcome = (typeof orderOutcomes)[number];

/** Orders to the partner that a payment asks for, in the order in which one may follow another. */
export const orderKinds = ['payin', 'payout', 'refund'] as const;

export type OrderKind = (typeof orderKinds)[number];

export interface Order {
  readonly commandId: string;
  readonly order: OrderKind;
}

export interface TimelineCursor {
  readonly atMs: number;
  readonly kind: TimelineKind;
  /** Orders entries of one kind and moment; the same whenever they are read. */
  readonly tie: string;
}

export type TimelineEntry = { readonly atMs: number; readonly tie: string } & (
  | { readonly kind: 'created'; readonly amount: Money }
  | {
      readonly kind: 'status';
      readonly status: PaymentStatus;
      readonly eventType: string;
      readonly eventId: string;
      /** Why it failed or was cancelled. */
      readonly reason: string | null;
    }
  | {
      readonly kind: 'money';
      readonly fact: PostingKind;
      readonly lines: readonly LedgerLine[];
    }
  | ({ readonly kind: 'partner_order'; readonly amount: Money } & Order)
  /** The first call: there may have been more. */
  | ({ readonly kind: 'partner_call' } & Order)
  | ({ readonly kind: 'partner_outcome'; readonly outcome: OrderOutcome } & Order)
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
 * Where entries of one kind begin behind a cursor: later than `fromMs`, or at it with a tie beyond
 * `afterTie`. Null is the first entry.
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
  assert(kind !== undefined && tie !== undefined, 'a cursor is decoded as it was encoded');
  return { atMs: Number.parseInt(atMs, 10), kind, tie };
}

/** What the partner made of an order, as far as it is known. */
export function outcomeOf({ state, end }: PartnerCommand): OrderOutcome | null {
  if (end !== 'open') return end;
  if (state === 'void') return 'taken_back';
  if (state === 'unknown' || state === 'denied') return 'in_doubt';
  return state === 'refused' ? 'refused' : null;
}
