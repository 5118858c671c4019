// Integrators that read the feed by a cursor, and what they saw of it. No restore takes that back,
// so a sequence that has two events in one epoch shows here.
import type { Tenant } from '../../../core/domain/base/tenant.js';
import { type FeedPage, feedReaders } from '../../../core/usecases/webhooks/feed-readers.js';
import { tenants } from './actors.js';
import type { SimulatedHost } from './simulated-host.js';
import type { World } from './world.js';

interface Cursor {
  readonly after: number;
  readonly epoch: number | null;
}

const beginning: Cursor = { after: 0, epoch: null };
const PAGE = 100;
/** How often a reader looks at everything again. */
const AGAIN_CHANCE = 0.3;

export class FeedReads {
  readonly #seen = new Map<string, string>();
  readonly #cursors = new Map<Tenant, Cursor>();
  /** The first sequence that was seen with two events, in words. */
  contradiction: string | null = null;
  pages = 0;

  cursor(tenant: Tenant): Cursor {
    return this.#cursors.get(tenant) ?? beginning;
  }

  note(tenant: Tenant, { events, nextAfter, epoch }: FeedPage): void {
    this.pages += 1;
    this.#cursors.set(tenant, { after: nextAfter, epoch });
    for (const { sequence, id } of events) {
      const place = `${tenant.orgId} ${tenant.mode}, epoch ${epoch}, sequence ${sequence}`;
      const before = this.#seen.get(place) ?? id;
      this.#seen.set(place, id);
      if (before !== id) this.contradiction ??= `${place} was ${before}, and is ${id}`;
    }
  }

  startAgain(tenant: Tenant): void {
    this.#cursors.delete(tenant);
  }
}

export function readFeed(world: World, host: SimulatedHost): void {
  const { random, feedReads } = world;
  const tenant = random.pick(tenants);
  const { after, epoch } = feedReads.cursor(tenant);
  const from = random.chance(AGAIN_CHANCE) ? 0 : after;
  const read = () => feedReaders(host.deps).read(tenant, { after: from, limit: PAGE, epoch }, null);
  host.begin(`read feed after ${from}`, read, {
    by: tenant,
    done: (page) => feedReads.note(tenant, page),
    refused: ({ code }) => {
      if (code === 'FeedReset') feedReads.startAgain(tenant);
      else world.observed.surprises.push(`the feed answers ${code}`);
    },
  });
}
