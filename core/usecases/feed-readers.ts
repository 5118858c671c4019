// Reading the feed, and waiting for it. Readers that wait are kept in this process and ask the
// database nothing: when a tenant's feed has grown, one look for all of that tenant's readers hands
// each what it waits for. Who tells that a feed has grown (the sequencer by `wake`, and whatever
// watches other processes) is not this file's matter; nor is the clock that ends a wait.

import type { FeedEvent } from '../domain/event.js';
import { type Tenant, tenantKey } from '../domain/tenant.js';
import { PonteError } from '../errors.js';
import type { Deps } from '../ports/deps.js';
import type { Tx } from '../ports/storage.js';

/** Events that one look takes; what is beyond them is taken by the next one, at once. */
export const EVENTS_PER_LOOK = 100;
/** Requests of one API key that may wait at a time, in one process: each holds a connection. */
export const WAITING_PER_KEY_MAX = 32;
/** Requests that may wait in one process; a tenant takes no more places than it leaves free. */
export const WAITING_MAX = 2_048;

export interface FeedRequest {
  /** The last sequence that the reader has seen; 0 before the first. */
  readonly after: number;
  /** Events at most, EVENTS_PER_LOOK at most. */
  readonly limit: number;
  /** The epoch (epoch.ts) in which the reader saw them; none where it does not say. */
  readonly epoch?: number | null;
}

export interface FeedPage {
  readonly events: readonly FeedEvent[];
  /** What the next request is sent with. */
  readonly nextAfter: number;
  readonly epoch: number;
}

export interface Wait {
  /** Whose places it counts among. */
  readonly keyId: string;
  /** Aborted at its end. */
  readonly over: AbortSignal;
}

export interface FeedReaders {
  /**
   * The events after a sequence, or after the latest event, ascending. When there are none it waits
   * for the next ones, until the wait is over: then the page is empty. Null does not wait.
   * EventsPruned when events that were asked for are no longer kept; FeedReset beyond the latest
   * event and in another epoch than the current one; RateLimitExceeded when there are no events and
   * no place to wait.
   */
  read(
    tenant: Tenant,
    request: Omit<FeedRequest, 'after'> & { readonly after: number | 'latest' },
    wait: Wait | null,
  ): Promise<FeedPage>;
  /** The feeds of these tenants have grown; without names, any may have. */
  look(tenants?: readonly Tenant[]): void;
  /** Readers that wait now. */
  waiting(): number;
}

/** One per process: it knows who waits. */
export function feedReaders(deps: Pick<Deps, 'store'>, waitingMax = WAITING_MAX): FeedReaders {
  const watches = new Map<string, Watch>();
  const waiting = () => [...watches.values()].reduce((sum, { waiters }) => sum + waiters.size, 0);
  const isFull = (tenant: Tenant, keyId: string): boolean => {
    const own = [...(watches.get(tenantKey(tenant))?.waiters ?? [])];
    const ofKey = own.filter((waiter) => waiter.keyId === keyId);
    return ofKey.length >= WAITING_PER_KEY_MAX || own.length >= waitingMax - waiting();
  };

  const join = (tenant: Tenant): Watch => {
    const key = tenantKey(tenant);
    const watch = watches.get(key) ?? { tenant, waiters: new Set(), looking: false, again: false };
    watches.set(key, watch);
    return watch;
  };
  const leave = (watch: Watch, waiter: Waiter): void => {
    watch.waiters.delete(waiter);
    // Of readers served together, one may leave when new ones have a watch of their own already.
    const key = tenantKey(watch.tenant);
    if (watch.waiters.size === 0 && watches.get(key) === watch) watches.delete(key);
  };

  return {
    async read(tenant, { after: asked, ...rest }, wait) {
      const after = asked === 'latest' ? await headOf(deps, tenant) : asked;
      const request = { ...rest, after };
      const readNow = () => deps.store.run((tx) => readPage(tx, tenant, request));
      if (wait === null || wait.over.aborted) return pageOf(await readNow(), request);
      const { keyId, over } = wait;
      if (isFull(tenant, keyId)) {
        const found = await readNow();
        // An empty page would be asked for again at once.
        if (found.events.length === 0) throw new PonteError('RateLimitExceeded');
        return pageOf(found, request);
      }
      // It waits before it reads: what comes between the two is not missed.
      const watch = join(tenant);
      const { promise, resolve, reject } = Promise.withResolvers<Found | null>();
      // A look may fail while the first read still may succeed.
      promise.catch(() => undefined);
      const waiter: Waiter = { ...request, keyId, resolve, reject };
      const end = () => resolve(null);
      watch.waiters.add(waiter);
      over.addEventListener('abort', end);
      try {
        const now = await readNow();
        if (now.events.length > 0) return pageOf(now, request);
        const then = await promise;
        if (then === null) return pageOf(now, request);
        if (then.epoch !== now.epoch) throw resetOf(then.epoch, await headOf(deps, tenant));
        return pageOf(then, request);
      } finally {
        over.removeEventListener('abort', end);
        leave(watch, waiter);
      }
    },
    look(tenants) {
      const known = tenants?.flatMap((tenant) => watches.get(tenantKey(tenant)) ?? []);
      for (const watch of known ?? watches.values()) void lookFor(deps, watch);
    },
    waiting,
  };
}

/** Events, and the epoch in which they were read. */
interface Found {
  readonly events: readonly FeedEvent[];
  readonly epoch: number;
}

interface Waiter extends FeedRequest {
  readonly keyId: string;
  readonly resolve: (found: Found | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Those who wait for one tenant's feed. */
interface Watch {
  readonly tenant: Tenant;
  readonly waiters: Set<Waiter>;
  looking: boolean;
  /** The feed has grown since the look under way began. */
  again: boolean;
}

/** Looks until everybody has what there is. A failure is told to those who wait. */
async function lookFor(deps: Pick<Deps, 'store'>, watch: Watch): Promise<void> {
  watch.again = true;
  if (watch.looking) return;
  watch.looking = true;
  try {
    while (watch.again && watch.waiters.size > 0) {
      watch.again = false;
      await look(deps, watch);
    }
  } catch (error) {
    for (const { reject } of watch.waiters) reject(error);
  } finally {
    watch.looking = false;
  }
}

/** One look from the reader that is furthest behind, which takes at least one event if any came. */
async function look({ store }: Pick<Deps, 'store'>, watch: Watch): Promise<void> {
  const waiters = [...watch.waiters];
  const after = waiters.reduce(
    (least, waiter) => Math.min(least, waiter.after),
    Number.MAX_SAFE_INTEGER,
  );
  const [events, { number: epoch }] = await store.run((tx) =>
    Promise.all([tx.feed.after(watch.tenant, after, EVENTS_PER_LOOK), tx.epochs.current()]),
  );
  for (const waiter of waiters) {
    const own = events.filter(({ sequence }) => sequence > waiter.after).slice(0, waiter.limit);
    if (own.length === 0) continue;
    watch.waiters.delete(waiter);
    waiter.resolve({ events: own, epoch });
  }
  // A full page may hide events of readers that are further ahead.
  if (events.length === EVENTS_PER_LOOK) watch.again = true;
}

/** The sequence of the latest event; 0 before the first. */
async function headOf({ store }: Pick<Deps, 'store'>, tenant: Tenant): Promise<number> {
  const head = await store.run((tx) => tx.feed.head(tenant));
  return head?.sequence ?? 0;
}

/** The sequence has no gaps: where events are missing behind `after`, they were pruned. */
async function readPage(
  tx: Tx,
  tenant: Tenant,
  { after, limit, epoch: known = null }: FeedRequest,
): Promise<Found> {
  // The head first: what is sequenced between the reads cannot look pruned.
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

function pageOf({ events, epoch }: Found, { after }: FeedRequest): FeedPage {
  return { events, nextAfter: events.at(-1)?.sequence ?? after, epoch };
}
