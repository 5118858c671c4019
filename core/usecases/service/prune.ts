// Retention: removes old deliveries that have ended or that a pause holds, with their attempts,
// applied messages of the partner, events, and drafts of forms that were not saved since. A pause
// may have no end: what it holds must not keep the events of its tenant. Records of money
// (payments, funds, ledger, quotes, commands) and idempotency keys stay. A feed has no gaps, so
// events are removed from its start, up to the first that is needed. Its head stays, and so does
// the audit log.
import { DAY_MS, formatInstant } from '../../domain/base/instant.js';
import type { Tenant } from '../../domain/base/tenant.js';
import type { MessageCursor } from '../../domain/commands/partner-message.js';
import type { PartyDraft } from '../../domain/parties/party-draft.js';
import { invalid } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import { ID_TIME_CHARACTERS } from '../../ports/outside.js';
import type { DeliveryMonth, RetentionCutoff, Tx } from '../../ports/storage.js';
import { refuseInQuarantine } from './epochs.js';

/** Deliveries are attempted for 31 hours; the rest is for the investigation of faults. */
export const PRUNABLE_MS = 30 * DAY_MS;
/** Bounds how long a batch delays other writes. */
const ROWS_PER_BATCH = 500;
/** A prune each quarter makes them in time. */
const MONTHS_AHEAD = 4;

interface Pruning extends Deps {
  /** Asked between batches. */
  readonly isOver: () => boolean;
}

/** Removes older rows for about this long, and returns how many; 0 once there are none. */
export async function pruneFor(deps: Deps, olderThanMs: number, runMs: number): Promise<number> {
  const endMs = deps.clock.nowMs() + runMs;
  const removed = await prune(deps, olderThanMs, () => deps.clock.nowMs() >= endMs);
  const { deliveries, messages, events, drafts } = removed;
  const rows = deliveries + messages + events + drafts;
  if (rows > 0) deps.log.info('old rows were removed', { deliveries, messages, events, drafts });
  return rows;
}

/**
 * Removes older rows in batches, until there are none or `isOver`. Counts what it removed; drafts
 * are those of sellers and organizations.
 */
export async function prune(
  unlimited: Deps,
  olderThanMs: number,
  isOver: () => boolean = () => false,
) {
  const deps = { ...unlimited, isOver };
  if (olderThanMs < PRUNABLE_MS) {
    throw invalid('Rows younger than 30 days are not removed: receivers may still need them.');
  }
  await refuseInQuarantine(deps);
  const sinceMs = Math.max(0, deps.clock.nowMs() - olderThanMs);
  const cutoff = { sinceMs, sinceDeliveryId: deps.ids.next('whd', sinceMs) };
  // Before the events: an event stays as long as its deliveries.
  const months = monthsAhead(deps);
  const inMonths = (await deps.deliveryMonths?.prune(cutoff, months)) ?? 0;
  const deliveries = inMonths + (await pruneDeliveries(deps, cutoff));
  const messages = await pruneMessages(deps, cutoff);
  const events = await pruneFeeds(deps, cutoff);
  const drafts = await pruneDrafts(deps, cutoff);
  return { beforeMs: sinceMs, deliveries, messages, events, drafts };
}

/**
 * Keeps deliveries by month from now on. False: they were kept so before. ValidationError where the
 * database has no such option.
 */
export async function keepDeliveriesByMonth(deps: Deps): Promise<boolean> {
  if (deps.deliveryMonths === null) throw invalid('Only PostgreSQL keeps deliveries by month.');
  await refuseInQuarantine(deps);
  return deps.deliveryMonths.begin(monthsAhead(deps));
}

/** The next months, by UTC. */
function monthsAhead({ clock, ids }: Deps): readonly DeliveryMonth[] {
  const now = new Date(clock.nowMs());
  const starts = Array.from({ length: MONTHS_AHEAD + 1 }, (_, index) =>
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1 + index),
  );
  // The time, without what is random.
  const idLength = 'whd_'.length + ID_TIME_CHARACTERS;
  const fromId = (atMs: number) => ids.next('whd', atMs).slice(0, idLength);
  return starts.slice(1).map((endMs, index) => {
    const startMs = starts[index] as number;
    const name = formatInstant(startMs).slice(0, 7).replace('-', '_');
    return { name, fromId: fromId(startMs), toId: fromId(endMs) };
  });
}

function pruneDrafts(deps: Pruning, { sinceMs }: RetentionCutoff): Promise<number> {
  return inPages<PartyDraft | null>(deps, null, async (tx, after) => {
    const drafts = await tx.partyDrafts.savedBefore(sinceMs, after, ROWS_PER_BATCH);
    for (const draft of drafts) tx.partyDrafts.remove(draft);
    return { rows: drafts.length, last: drafts.at(-1) };
  });
}

function pruneDeliveries(deps: Pruning, cutoff: RetentionCutoff): Promise<number> {
  return inPages(deps, '', async (tx, afterId) => {
    const ids = await tx.retention.oldDeliveries(cutoff, afterId, ROWS_PER_BATCH);
    const last = ids.at(-1);
    if (last !== undefined) tx.retention.removeDeliveries(cutoff, afterId, last);
    return { rows: ids.length, last };
  });
}

function pruneMessages(deps: Pruning, cutoff: RetentionCutoff): Promise<number> {
  return inPages<MessageCursor | null>(deps, null, async (tx, after) => {
    const messages = await tx.retention.oldMessages(cutoff, after, ROWS_PER_BATCH);
    const last = messages.at(-1);
    if (last !== undefined) tx.retention.removeMessages(after, last);
    return { rows: messages.length, last };
  });
}

async function pruneFeeds(deps: Pruning, cutoff: RetentionCutoff): Promise<number> {
  const behind = (after: Tenant | null): Promise<readonly Tenant[]> =>
    deps.store.run((tx) => tx.retention.tenants(after, ROWS_PER_BATCH));
  let events = 0;
  let tenants = await behind(null);
  for (let last = tenants.at(-1); last !== undefined; last = tenants.at(-1)) {
    for (const tenant of tenants) {
      events += await pruneFeed(deps, cutoff, tenant);
      // A tenant with nothing to remove does not end the run: the next one begins here, too.
      if (events > 0 && deps.isOver()) return events;
    }
    tenants = await behind(last);
  }
  return events;
}

function pruneFeed(deps: Pruning, cutoff: RetentionCutoff, tenant: Tenant): Promise<number> {
  return inPages(deps, 0, async (tx, after) => {
    const oldest = await tx.retention.oldestEvents(cutoff, tenant, after, ROWS_PER_BATCH);
    const firstNeeded = oldest.findIndex(({ needed }) => needed);
    const removed = oldest.slice(0, firstNeeded === -1 ? undefined : firstNeeded);
    const last = removed.at(-1)?.sequence;
    if (last !== undefined) tx.retention.removeEvents(tenant, after, last);
    return { rows: removed.reduce((sum, { count }) => sum + count, 0), last };
  });
}

/** Each page is one batch; returns the number of rows. */
async function inPages<Cursor>(
  deps: Pruning,
  begin: Cursor,
  removePage: (tx: Tx, after: Cursor) => Promise<{ rows: number; last: Cursor | undefined }>,
): Promise<number> {
  let sum = 0;
  let after = begin;
  for (;;) {
    const { rows, last } = await deps.store.run((tx) => removePage(tx, after));
    sum += rows;
    if (last === undefined || deps.isOver()) return sum;
    after = last;
  }
}
