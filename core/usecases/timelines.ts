// The timeline of a payment: its rows of all kinds, read page by page and put in one order. It
// shows integrators what happened to their payment, and nothing that is the partner's or anybody
// else's.

import { type EventNote, reportedStatus } from '../domain/event.js';
import { postingKinds, type StoredPosting } from '../domain/ledger.js';
import { type MoneyCommand, moneyKinds } from '../domain/partner-command.js';
import type { Payment } from '../domain/payment.js';
import { tenantOf } from '../domain/tenant.js';
import {
  beginOf,
  compareEntries,
  outcomeOf,
  type TimelineCursor,
  type TimelineEntry,
} from '../domain/timeline.js';
import type { Deps } from '../ports/deps.js';
import type { Tx } from '../ports/storage.js';

/** A payment changes its status a few dozen times at most. */
const RANK_DIGITS = 6;

export interface TimelinePage {
  /** In order of time. */
  readonly entries: readonly TimelineEntry[];
  /** Where the next page begins; null after the last one. */
  readonly next: TimelineCursor | null;
}

/** The entries of a payment behind a place, `limit` at most. */
export async function readTimeline(
  deps: Deps,
  payment: Payment,
  { after, limit }: { readonly after: TimelineCursor | null; readonly limit: number },
): Promise<TimelinePage> {
  const tenant = tenantOf(payment);
  // One more than shown tells whether there is a next page.
  const wanted = limit + 1;
  const found = await deps.store.run(async (tx) => {
    const events = await eventsOf(tx, payment);
    const [commands, postings, deliveries] = await Promise.all([
      tx.commands.ofPayment(tenant, payment.id),
      tx.ledger.ofPayment(tenant, payment.id),
      deliveryEntries(tx, payment, after, wanted),
    ]);
    const few = [
      createdEntry(payment),
      ...statusEntries(payment, events),
      ...commands.flatMap(commandEntries),
      ...postings.map(moneyEntry),
    ];
    const behind = few.filter((entry) => after === null || compareEntries(entry, after) > 0);
    return [...behind, ...deliveries];
  });
  const sorted = found.toSorted(compareEntries);
  const entries = sorted.slice(0, limit);
  return { entries, next: sorted.length > limit ? (entries.at(-1) ?? null) : null };
}

/** Those on their way into the feed too: whoever changed a payment sees the change. */
async function eventsOf(tx: Tx, payment: Payment): Promise<readonly EventNote[]> {
  const tenant = tenantOf(payment);
  // In this order: an event that is sequenced between the two reads is seen twice, not never.
  const coming = await tx.outbox.ofSubject(tenant, payment.id);
  const sequenced = await tx.feed.ofSubject(tenant, payment.id);
  const known = new Set(sequenced.map(({ id }) => id));
  return [...sequenced, ...coming.filter(({ id }) => !known.has(id))];
}

function createdEntry({ createdAtMs: atMs, amount }: Payment): TimelineEntry {
  return { kind: 'created', atMs, tie: '', amount };
}

/** One per change, told by the event of the payment's own namespace. */
function statusEntries(payment: Payment, events: readonly EventNote[]): readonly TimelineEntry[] {
  const own = events.filter(({ type }) => type.startsWith(`${payment.origin}.`));
  return own.flatMap(({ id: eventId, type: eventType, createdAtMs: atMs }, index) => {
    const status = reportedStatus(eventType);
    if (status === null) return [];
    const reasons: Partial<Record<typeof status, string | null>> = {
      failed: payment.failureReason,
      cancelled: payment.cancelReason,
    };
    const tie = tieOf(index, eventId);
    return [
      { kind: 'status', atMs, tie, status, eventType, eventId, reason: reasons[status] ?? null },
    ];
  });
}

/** What was said to the partner and what came of it, without its ids and words. */
function commandEntries(command: MoneyCommand): readonly TimelineEntry[] {
  const { id: commandId, kind: order, amount, firstSentAtMs } = command;
  const fields = { commandId, order, tie: tieOf(moneyKinds.indexOf(order), commandId) };
  const outcome = outcomeOf(command);
  return [
    { kind: 'partner_order', atMs: command.createdAtMs, amount, ...fields },
    ...(firstSentAtMs === null
      ? []
      : [{ kind: 'partner_call' as const, atMs: firstSentAtMs, ...fields }]),
    ...(outcome === null
      ? []
      : [{ kind: 'partner_outcome' as const, atMs: command.updatedAtMs, outcome, ...fields }]),
  ];
}

function moneyEntry({ id, atMs, kind: fact, lines }: StoredPosting): TimelineEntry {
  // What was received comes before what is made of it in the same change.
  return { kind: 'money', atMs, tie: tieOf(postingKinds.indexOf(fact), id), fact, lines };
}

/** There may be many: every event goes to every subscription, and is tried more than once. */
async function deliveryEntries(
  tx: Tx,
  payment: Payment,
  after: TimelineCursor | null,
  limit: number,
): Promise<readonly TimelineEntry[]> {
  const tenant = tenantOf(payment);
  const [deliveries, attempts] = await Promise.all([
    tx.deliveries.ofSubject(tenant, payment.id, { ...pageOf('delivery', after), limit }),
    tx.deliveries.attemptsOfSubject(tenant, payment.id, { ...pageOf('attempt', after), limit }),
  ]);
  return [
    ...deliveries.map(
      ({ id, createdAtMs, subscriptionId, eventType, eventId, status }): TimelineEntry => ({
        kind: 'delivery',
        atMs: createdAtMs,
        tie: id,
        deliveryId: id,
        subscriptionId,
        eventType,
        eventId,
        status,
      }),
    ),
    ...attempts.map(
      ({
        id,
        startedAtMs,
        deliveryId,
        attempt,
        responseStatus,
        error,
        durationMs,
      }): TimelineEntry => ({
        kind: 'attempt',
        atMs: startedAtMs,
        tie: id,
        deliveryId,
        attempt,
        responseStatus,
        error,
        durationMs,
      }),
    ),
  ];
}

/** Ids made within one millisecond are in no order. */
function tieOf(rank: number, id: string): string {
  return `${`${rank}`.padStart(RANK_DIGITS, '0')} ${id}`;
}

function pageOf(kind: 'delivery' | 'attempt', after: TimelineCursor | null) {
  const { fromMs, afterTie } = beginOf(kind, after);
  return { fromMs, afterId: afterTie };
}
