// Reads the feed, and waits for events. Waiting readers are in memory and do not query the
// database: when a tenant's feed grows, which `wake` reports, one read serves all of its readers.
import { type Tenant, tenantKey } from '../../domain/base/tenant.js';
import { matchesEvent, type NumberedEvent } from '../../domain/payments/event.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';

/** Events of one read. */
const EVENTS_PER_READ = 100;
/** Waiting requests of one API key in one process: each holds a connection. */
export const WAITING_PER_KEY_MAX = 32;
/** Waiting requests in one process; a tenant has at most as many slots as it leaves free. */
export const WAITING_READERS_MAX = 2_048;

interface FeedRequest {
  /** The last sequence that the reader has; 0 before the first. */
  readonly after: number;
  /** At most EVENTS_PER_READ. */
  readonly limit: number;
  /** The epoch (epoch.ts) of that sequence, if the reader sends it. */
  readonly epoch?: number | null;
  /** Types and wildcards, as in a subscription; null: all. The page goes on after the others. */
  readonly eventTypes?: readonly string[] | null;
}

export interface FeedPage {
  readonly events: readonly NumberedEvent[];
  readonly nextAfter: number;
  readonly epoch: number;
}

export interface Wait {
  readonly keyId: string;
  /** Aborted when the wait ends. */
  readonly ended: AbortSignal;
}

export interface FeedReaders {
  /**
   * The events after a sequence, or after the latest event, ascending. If there are none it waits;
   * at the end of the wait it reads once more. Null does not wait. EventsPruned if requested events
   * were removed; FeedReset after the latest event and in another epoch.
   * ReaderLimitExceeded without events and without a slot to wait.
   */
  read(
    tenant: Tenant,
    request: Omit<FeedRequest, 'after'> & { readonly after: number | 'latest' },
    wait: Wait | null,
  ): Promise<FeedPage>;
  /** The feeds of these tenants have grown; without names, any may have. */
  look(tenants?: readonly Tenant[]): void;
  waiting(): number;
}

/** One per process. */
export function feedReaders(
  deps: Pick<Deps, 'store'>,
  waitingMax = WAITING_READERS_MAX,
): FeedReaders {
  const watches = new Map<string, Watch>();
  const waiting = () => [...watches.values()].reduce((sum, { waiters }) => sum + waiters.size, 0);
  const isFull = (tenant: Tenant, keyId: string): boolean => {
    const own = [...(watches.get(tenantKey(tenant))?.waiters ?? [])];
    const ofKey = own.filter((waiter) => waiter.keyId === keyId);
    return ofKey.length >= WAITING_PER_KEY_MAX || own.length >= waitingMax - waiting();
  };

  const join = (tenant: Tenant): Watch => {
    const key = tenantKey(tenant);
    const watch = watches.get(key) ?? { tenant, waiters: new Set(), reading: false, again: false };
    watches.set(key, watch);
    return watch;
  };
  const leave = (watch: Watch, waiter: Waiter): void => {
    watch.waiters.delete(waiter);
    // Another reader may have replaced the watch.
    const key = tenantKey(watch.tenant);
    if (watch.waiters.size === 0 && watches.get(key) === watch) watches.delete(key);
  };

  return {
    async read(tenant, { after: from, ...rest }, wait) {
      const after = from === 'latest' ? await headOf(deps, tenant) : from;
      const request = { ...rest, after };
      const readNow = () => deps.store.run((tx) => readPage(tx, tenant, request));
      if (wait === null || wait.ended.aborted) return pageOf(await readNow(), request);
      const { keyId, ended } = wait;
      if (isFull(tenant, keyId)) {
        const found = await readNow();
        // The client would repeat the request immediately.
        if (found.events.length === 0) throw new PonteError('ReaderLimitExceeded');
        return pageOf(found, request);
      }
      // It waits before it reads, so that no event is missed in between.
      const watch = join(tenant);
      const { promise, resolve, reject } = Promise.withResolvers<Found | null>();
      // A later read may fail while the first one succeeds.
      promise.catch(() => undefined);
      const waiter: Waiter = { ...request, keyId, resolve, reject };
      const end = () => resolve(null);
      watch.waiters.add(waiter);
      ended.addEventListener('abort', end);
      try {
        const now = await readNow();
        if (now.events.length > 0) return pageOf(now, request);
        const then = await promise;
        // The process that stored an event and does not know it wakes nobody.
        if (then === null) return pageOf(await readNow(), request);
        if (then.epoch !== now.epoch) throw resetOf(then.epoch, await headOf(deps, tenant));
        return pageOf(then, request);
      } finally {
        ended.removeEventListener('abort', end);
        leave(watch, waiter);
      }
    },
    look(tenants) {
      const known = tenants?.flatMap((tenant) => watches.get(tenantKey(tenant)) ?? []);
      for (const watch of known ?? watches.values()) void serveWaiters(deps, watch);
    },
    waiting,
  };
}

interface Found {
  readonly events: readonly NumberedEvent[];
  readonly epoch: number;
}

interface Waiter extends FeedRequest {
  readonly keyId: string;
  readonly resolve: (found: Found | null) => void;
  readonly reject: (error: unknown) => void;
}

interface Watch {
  readonly tenant: Tenant;
  readonly waiters: Set<Waiter>;
  reading: boolean;
  /** The feed has grown since the current read started. */
  again: boolean;
}

/** Reads until every waiter is served. A failure rejects all waiters. */
async function serveWaiters(deps: Pick<Deps, 'store'>, watch: Watch): Promise<void> {
  watch.again = true;
  if (watch.reading) return;
  watch.reading = true;
  try {
    while (watch.again && watch.waiters.size > 0) {
      watch.again = false;
      await readOnce(deps, watch);
    }
  } catch (error) {
    for (const { reject } of watch.waiters) reject(error);
  } finally {
    watch.reading = false;
  }
}

/** One read, from the position of the reader that is furthest behind. */
async function readOnce({ store }: Pick<Deps, 'store'>, watch: Watch): Promise<void> {
  const waiters = [...watch.waiters];
  const after = waiters.reduce(
    (least, waiter) => Math.min(least, waiter.after),
    Number.MAX_SAFE_INTEGER,
  );
  const [events, { number: epoch }] = await store.run((tx) =>
    Promise.all([tx.feed.after(watch.tenant, after, EVENTS_PER_READ), tx.epochs.current()]),
  );
  for (const waiter of waiters) {
    const own = events.filter(({ sequence }) => sequence > waiter.after).slice(0, waiter.limit);
    if (own.length === 0) continue;
    watch.waiters.delete(waiter);
    waiter.resolve({ events: own, epoch });
  }
  // Readers that are further ahead may need the next page.
  if (events.length === EVENTS_PER_READ) watch.again = true;
}

/** The sequence of the latest event; 0 before the first. */
async function headOf({ store }: Pick<Deps, 'store'>, tenant: Tenant): Promise<number> {
  const head = await store.run((tx) => tx.feed.head(tenant));
  return head?.sequence ?? 0;
}

/** The sequence has no gaps: events that are missing after `after` were pruned. */
async function readPage(
  tx: Tx,
  tenant: Tenant,
  { after, limit, epoch: known = null }: FeedRequest,
): Promise<Found> {
  // The head first: events that are appended between the reads must not appear pruned.
  const [head, { number: epoch }] = await Promise.all([tx.feed.head(tenant), tx.epochs.current()]);
  const lastSequence = head?.sequence ?? 0;
  if (after > lastSequence || (known !== null && known !== epoch)) {
    throw resetOf(epoch, lastSequence);
  }
  const events = await tx.feed.after(tenant, after, limit);
  const oldest = events[0]?.sequence ?? lastSequence + 1;
  if (oldest <= after + 1) return { events, epoch };
  const kept = `The oldest event kept has sequence ${oldest}: read on with after=${oldest - 1}.`;
  throw new PonteError('EventsPruned', kept, { oldestSequence: oldest });
}

function resetOf(epoch: number, lastSequence: number): PonteError {
  return new PonteError('FeedReset', undefined, { feed: { epoch, lastSequence } });
}

function pageOf({ events, epoch }: Found, { after, eventTypes = null }: FeedRequest): FeedPage {
  const wanted =
    eventTypes === null ? events : events.filter(({ type }) => matchesEvent(eventTypes, type));
  return { events: wanted, nextAfter: events.at(-1)?.sequence ?? after, epoch };
}
