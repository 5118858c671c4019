// Reading the feed, and waiting for it. Readers that wait are kept in this process and ask the
// database nothing: when a tenant's feed has grown, one look for all of that tenant's readers hands
// each what it waits for. Who tells that a feed has grown (the sequencer by `wake`, and whatever
// watches other processes) is not this file's matter; nor is the clock that ends a wait.
import type { Tenant } from '../domain/tenant.js';
import { PonteError } from '../errors.js';
import type { Deps, FeedEvent, Tx } from '../ports.js';

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
}

export interface FeedPage {
  readonly events: readonly FeedEvent[];
  /** What the next request is sent with. */
  readonly nextAfter: number;
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
   * EventsPruned when events that were asked for are no longer kept; RateLimitExceeded when there
   * are none and no place to wait.
   */
  read(
    tenant: Tenant,
    request: Pick<FeedRequest, 'limit'> & { readonly after: number | 'latest' },
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
    const own = [...(watches.get(keyOf(tenant))?.waiters ?? [])];
    const ofKey = own.filter((waiter) => waiter.keyId === keyId);
    return ofKey.length >= WAITING_PER_KEY_MAX || own.length >= waitingMax - waiting();
  };

  const join = (tenant: Tenant): Watch => {
    const key = keyOf(tenant);
    const watch = watches.get(key) ?? { tenant, waiters: new Set(), looking: false, again: false };
    watches.set(key, watch);
    return watch;
  };
  const leave = (watch: Watch, waiter: Waiter): void => {
    watch.waiters.delete(waiter);
    // Of readers served together, one may leave when new ones have a watch of their own already.
    const key = keyOf(watch.tenant);
    if (watch.waiters.size === 0 && watches.get(key) === watch) watches.delete(key);
  };

  return {
    async read(tenant, { after, limit }, wait) {
      const request = { limit, after: after === 'latest' ? await headOf(deps, tenant) : after };
      const readNow = () => deps.store.run((tx) => readPage(tx, tenant, request));
      if (wait === null || wait.over.aborted) return pageOf(await readNow(), request);
      const { keyId, over } = wait;
      if (isFull(tenant, keyId)) {
        const events = await readNow();
        // An empty page would be asked for again at once.
        if (events.length === 0) throw new PonteError('RateLimitExceeded');
        return pageOf(events, request);
      }
      // It waits before it reads: what comes between the two is not missed.
      const watch = join(tenant);
      const { promise, resolve, reject } = Promise.withResolvers<readonly FeedEvent[]>();
      // A look may fail while the first read still may succeed.
      promise.catch(() => undefined);
      const waiter: Waiter = { ...request, keyId, resolve, reject };
      const end = () => resolve([]);
      watch.waiters.add(waiter);
      over.addEventListener('abort', end);
      try {
        const events = await readNow();
        return pageOf(events.length > 0 ? events : await promise, request);
      } finally {
        over.removeEventListener('abort', end);
        leave(watch, waiter);
      }
    },
    look(tenants) {
      const known = tenants?.flatMap((tenant) => watches.get(keyOf(tenant)) ?? []);
      for (const watch of known ?? watches.values()) void lookFor(deps, watch);
    },
    waiting,
  };
}

interface Waiter extends FeedRequest {
  readonly keyId: string;
  readonly resolve: (events: readonly FeedEvent[]) => void;
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
  const events = await store.run((tx) => tx.feed.after(watch.tenant, after, EVENTS_PER_LOOK));
  for (const waiter of waiters) {
    const own = events.filter(({ sequence }) => sequence > waiter.after).slice(0, waiter.limit);
    if (own.length === 0) continue;
    watch.waiters.delete(waiter);
    waiter.resolve(own);
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
  { after, limit }: FeedRequest,
): Promise<readonly FeedEvent[]> {
  // The head first: what is sequenced between the two reads cannot look pruned.
  const head = await tx.feed.head(tenant);
  const events = await tx.feed.after(tenant, after, limit);
  const oldest = events[0]?.sequence ?? (head?.sequence ?? 0) + 1;
  if (oldest <= after + 1) return events;
  const kept = `The oldest event kept has sequence ${oldest}: read on with after=${oldest - 1}.`;
  throw new PonteError('EventsPruned', kept, { oldestSequence: oldest });
}

function pageOf(events: readonly FeedEvent[], { after }: FeedRequest): FeedPage {
  return { events, nextAfter: events.at(-1)?.sequence ?? after };
}

function keyOf({ orgId, mode }: Tenant): string {
  return `${orgId}/${mode}`;
}
