// The timeline of a payment, read page by page from its rows. It contains no data of the partner or
// of other tenants.
import { memberName } from '../../domain/access/member.js';
import type { Actor } from '../../domain/base/actor.js';
import { tenantOf } from '../../domain/base/tenant.js';
import { type MoneyCommand, moneyKinds } from '../../domain/commands/partner-command.js';
import {
  type EventNote,
  questionEventTypes,
  questionIn,
  reportedStatus,
} from '../../domain/payments/event.js';
import { postingKinds, type StoredPosting } from '../../domain/payments/ledger.js';
import type { Payment } from '../../domain/payments/payment.js';
import {
  beginOf,
  compareEntries,
  outcomeOf,
  type TimelineAuthor,
  type TimelineCursor,
  type TimelineEntry,
} from '../../domain/payments/timeline.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';

/** A payment changes its status at most a few dozen times. */
const RANK_DIGITS = 6;
/** The newest questions that a timeline shows. */
const QUESTIONS_MAX = 50;

/** `next` is the cursor; null after the last page. */
export async function readTimeline(
  deps: Deps,
  payment: Payment,
  { after, limit }: { readonly after: TimelineCursor | null; readonly limit: number },
) {
  // One more shows whether there is a next page.
  const wanted = limit + 1;
  const found = await deps.store.run(async (tx) => {
    const [few, deliveries] = await Promise.all([
      fewEntries(tx, payment),
      deliveryEntries(tx, payment, after, wanted),
    ]);
    const behind = few.filter((entry) => after === null || compareEntries(entry, after) > 0);
    return [...behind, ...deliveries];
  });
  const sorted = found.toSorted(compareEntries);
  const entries = sorted.slice(0, limit);
  return { entries, next: sorted.length > limit ? (entries.at(-1) ?? null) : null };
}

/** Everything but webhooks, oldest first. */
export async function readHistory(deps: Deps, payment: Payment): Promise<readonly TimelineEntry[]> {
  const found = await deps.store.run((tx) => fewEntries(tx, payment));
  return found.toSorted(compareEntries);
}

async function fewEntries(tx: Tx, payment: Payment): Promise<readonly TimelineEntry[]> {
  const tenant = tenantOf(payment);
  const [events, commands, postings] = await Promise.all([
    tx.feed.ofSubject(tenant, payment.id),
    tx.commands.ofPayment(tenant, payment.id),
    tx.ledger.ofSubject(tenant, payment.id),
  ]);
  const caused = await causedEvents(tx, payment, events);
  return [
    createdEntry(payment, caused),
    ...limitEntries(payment),
    ...approvalEntries(payment),
    ...colleagueApprovalEntries(payment),
    ...(await questionEntries(tx, payment, caused)),
    ...statusEntries(payment, caused),
    ...commands.flatMap(commandEntries),
    ...postings.map(moneyEntry),
  ];
}

type CausedEvent = EventNote & { readonly by: TimelineAuthor | null };

/** A payment has few actors. */
async function causedEvents(
  tx: Tx,
  payment: Payment,
  events: readonly EventNote[],
): Promise<readonly CausedEvent[]> {
  const keyOf = (actor: Actor | null) => actor && `${actor.kind} ${actor.id}`;
  const actors = new Map(events.map(({ actor }) => [keyOf(actor), actor]));
  const named = await Promise.all(
    [...actors].map(async ([key, actor]) => {
      const name = (actor && (await authorNames[actor.kind]?.(tx, payment, actor.id))) ?? null;
      return [key, actor && Object.freeze({ ...actor, name })] as const;
    }),
  );
  const authors = new Map(named);
  return events.map((event) => ({ ...event, by: authors.get(keyOf(event.actor)) ?? null }));
}

type ReadName = (tx: Tx, payment: Payment, id: string) => Promise<string | undefined>;

/** Others have no name that the organization is shown. */
const authorNames: Partial<Record<Actor['kind'], ReadName>> = {
  key: async (tx, _, id) => (await tx.keys.get(id))?.name,
  async member(tx, { orgId }, id) {
    const member = await tx.members.get(orgId, id);
    return member === null ? undefined : memberName(member);
  },
  buyer: async (_, { buyer }) => buyer.email,
};

function createdEntry(
  { createdAtMs: atMs, amount }: Payment,
  [first]: readonly CausedEvent[],
): TimelineEntry {
  const by = first?.type.endsWith('.created') ? first.by : null;
  return { kind: 'created', atMs, tie: '', amount, by };
}

function limitEntries({ limitHit }: Payment): readonly TimelineEntry[] {
  if (limitHit === null) return [];
  const { isLifted: _, ...entry } = limitHit;
  return [{ kind: 'limit_reached', tie: '', ...entry }];
}

function approvalEntries({ approvalLostAtMs: atMs }: Payment): readonly TimelineEntry[] {
  return atMs === null ? [] : [{ kind: 'approval_lost', atMs, tie: '' }];
}

function colleagueApprovalEntries({ colleagueApproval }: Payment): readonly TimelineEntry[] {
  if (colleagueApproval === null) return [];
  const { state, askedAtMs, decidedAtMs } = colleagueApproval;
  const kind = 'colleague_approval';
  const asked = { kind, atMs: askedAtMs, tie: '1', state: 'asked' } as const;
  return decidedAtMs === null ? [asked] : [asked, { kind, atMs: decidedAtMs, tie: '2', state }];
}

/** A payment has few: asking is limited. */
async function questionEntries(
  tx: Tx,
  payment: Payment,
  events: readonly CausedEvent[],
): Promise<readonly TimelineEntry[]> {
  const [type] = questionEventTypes(payment);
  const asked = events.filter((event) => event.type === type).slice(-QUESTIONS_MAX);
  const read = await Promise.all(
    asked.map(async ({ id, by }) => ({ event: await tx.feed.get(tenantOf(payment), id), by })),
  );
  return read.flatMap(({ event, by }) => {
    if (event === null) return [];
    const { createdAtMs: atMs, id: tie } = event;
    return [{ kind: 'question' as const, atMs, tie, question: questionIn(event), by }];
  });
}

/** One per change, from the event in the payment's own namespace. */
function statusEntries(payment: Payment, events: readonly CausedEvent[]): readonly TimelineEntry[] {
  const own = events.filter(({ type }) => type.startsWith(`${payment.origin}.`));
  return own.flatMap(({ id: eventId, type: eventType, createdAtMs: atMs, by }, index) => {
    const status = reportedStatus(eventType);
    if (status === null) return [];
    const reasons: Partial<Record<typeof status, string | null>> = {
      failed: payment.failureReason,
      cancelled: payment.cancelReason,
    };
    const tie = tieOf(index, eventId);
    const reason = reasons[status] ?? null;
    return [{ kind: 'status', atMs, tie, status, eventType, eventId, reason, by }];
  });
}

/** Without ids and texts of the partner. */
function commandEntries(command: MoneyCommand): readonly TimelineEntry[] {
  const { id: commandId, kind: commandKind, amount, lastSentAtMs } = command;
  const fields = { commandId, commandKind, tie: tieOf(moneyKinds.indexOf(commandKind), commandId) };
  const outcome = outcomeOf(command);
  return [
    { kind: 'partner_command', atMs: command.createdAtMs, amount, ...fields },
    ...(lastSentAtMs === null
      ? []
      : [{ kind: 'partner_call' as const, atMs: lastSentAtMs, ...fields }]),
    ...(outcome === null
      ? []
      : [{ kind: 'partner_outcome' as const, atMs: command.updatedAtMs, outcome, ...fields }]),
  ];
}

function moneyEntry({ id, atMs, kind: fact, lines }: StoredPosting): TimelineEntry {
  // In the order of the postings of one change.
  return { kind: 'money', atMs, tie: tieOf(postingKinds.indexOf(fact), id), fact, lines };
}

/** There may be many, so only one page is read. */
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

/** Ids of one millisecond have no command. */
function tieOf(rank: number, id: string): string {
  return `${`${rank}`.padStart(RANK_DIGITS, '0')} ${id}`;
}

function pageOf(kind: 'delivery' | 'attempt', after: TimelineCursor | null) {
  const { fromMs, afterTie } = beginOf(kind, after);
  return { fromMs, afterId: afterTie };
}
