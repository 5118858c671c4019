// Reports changes of what open pages show: a payment, or anything with an event. Waiting pages are
// in memory and do not query the database: while any are open, one read at a time compares the
// versions of all of it. The `wake` for a feed starts it for changes with an event; a timer finds
// the others.
import { SECOND_MS } from '../../domain/base/instant.js';
import { type Tenant, tenantKey, tenantOf } from '../../domain/base/tenant.js';
import type { Deps } from '../../ports/deps.js';
import { type Tx, VERSIONS_MAX } from '../../ports/storage.js';

/** How late a page shows a change without an event: bank details, a part of the money. */
export const PAGE_POLL_MS = 2 * SECOND_MS;
/** Streams of one session: more tabs than a person uses. */
export const STREAMS_PER_SESSION_MAX = 4;

/** The id of a payment; null: all that has an event in the feed of the tenant. */
export type Watched = Tenant & { readonly id: string | null };

export interface PageWatch {
  /**
   * Calls `onChange` after each change, until `ended` is aborted; immediately if there was one
   * since `shown`. False, and nothing is watched, if the session has as many streams as allowed.
   */
  watch(watched: Watched, page: OpenPage, ended: AbortSignal): boolean;
  /** Payments of these tenants may have changed; without names, any may have. */
  look(tenants?: readonly Tenant[]): void;
  open(): number;
}

export interface OpenPage {
  /** A session, or a member with all of theirs. */
  readonly sessionId: string;
  /** The version (`readVersion`) that the page shows. */
  readonly shown: string;
  readonly onChange: () => void;
}

interface Listener extends OpenPage {
  shown: string;
}

interface TenantWatch {
  readonly tenant: Tenant;
  /** The pages of each payment, and below `null` those of the feed. */
  readonly payments: Map<string | null, Set<Listener>>;
  reading: boolean;
  again: boolean;
}

/** One per process. `every` repeats a call until its result is called; timers live outside. */
export function pageWatch(
  deps: Pick<Deps, 'store' | 'log'>,
  every: (periodMs: number, work: () => void) => () => void,
): PageWatch {
  const tenants = new Map<string, TenantWatch>();
  let stopPolling: (() => void) | null = null;
  const look = (named?: readonly Tenant[]) => {
    const known = named?.flatMap((tenant) => tenants.get(tenantKey(tenant)) ?? []);
    for (const watch of known ?? tenants.values()) void compare(deps, watch);
  };
  const listeners = () =>
    [...tenants.values()].flatMap(({ payments }) =>
      [...payments.values()].flatMap((set) => [...set]),
    );
  return {
    watch({ id, ...of }, page, ended) {
      const open = listeners().filter(({ sessionId }) => sessionId === page.sessionId);
      if (open.length >= STREAMS_PER_SESSION_MAX) return false;
      const tenant = tenantOf(of);
      const key = tenantKey(tenant);
      const watch = tenants.get(key) ?? {
        tenant,
        payments: new Map(),
        reading: false,
        again: false,
      };
      tenants.set(key, watch);
      const pages = watch.payments.get(id) ?? new Set();
      watch.payments.set(id, pages);
      const listener = { ...page };
      pages.add(listener);
      stopPolling ??= every(PAGE_POLL_MS, () => look());
      const end = () => {
        pages.delete(listener);
        if (pages.size === 0) watch.payments.delete(id);
        if (watch.payments.size === 0 && tenants.get(key) === watch) tenants.delete(key);
        if (tenants.size > 0) return;
        stopPolling?.();
        stopPolling = null;
      };
      if (ended.aborted) end();
      else ended.addEventListener('abort', end, { once: true });
      void compare(deps, watch);
      return true;
    },
    look,
    open: () => listeners().length,
  };
}

/** Read before the rest of a page, so that no change in between is lost. */
export async function readVersion(
  { store }: Pick<Deps, 'store'>,
  { id, ...tenant }: Watched,
): Promise<string> {
  const [found] = await store.run((tx) => versionsOf(tx, tenant, [id]));
  return found?.[1] ?? '';
}

/** One read at a time for a tenant; later requests cause one more read. */
async function compare({ store, log }: Pick<Deps, 'store' | 'log'>, watch: TenantWatch) {
  watch.again = true;
  if (watch.reading) return;
  watch.reading = true;
  try {
    while (watch.again) {
      watch.again = false;
      const ids = [...watch.payments.keys()];
      for (let from = 0; from < ids.length; from += VERSIONS_MAX) {
        const page = ids.slice(from, from + VERSIONS_MAX);
        const found = await store.run((tx) => versionsOf(tx, watch.tenant, page));
        for (const [id, version] of found) notify(watch.payments.get(id), version);
      }
    }
  } catch (error) {
    // The timer repeats it.
    log.warn('open pages could not be compared', { error });
  } finally {
    watch.reading = false;
  }
}

async function versionsOf(
  tx: Tx,
  tenant: Tenant,
  ids: readonly (string | null)[],
): Promise<readonly (readonly [string | null, string])[]> {
  const ofFeed = ids.includes(null);
  const [payments, head] = await Promise.all([
    tx.views.pageVersions(
      tenant,
      ids.filter((id) => id !== null),
    ),
    ofFeed ? tx.feed.head(tenant) : null,
  ]);
  const found = payments.map(({ paymentId, version }) => [paymentId, version] as const);
  return ofFeed ? [...found, [null, `${head?.sequence ?? 0}`]] : found;
}

function notify(pages: ReadonlySet<Listener> | undefined, version: string): void {
  for (const page of pages ?? []) {
    if (page.shown === version) continue;
    page.shown = version;
    page.onChange();
  }
}
