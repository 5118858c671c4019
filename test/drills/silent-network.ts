// A network to the database that fails without a reset: it hangs for a while, forgets connections,
// or is slow.
import { setTimeout as wait } from 'node:timers/promises';
import { openPostgresStore } from '../../adapters/storage/postgres/store.js';
import { temporaryPostgres } from '../support/databases/local-postgres.js';
import { type Fault, silentProxy } from '../support/servers/silent-proxy.js';
import { brokenOf, type Drill, type DrillResult } from './drill.js';
import { CALM_MS, COMMON_BOUNDS, eventsBackMs, loadedHosts, reckoned } from './loaded-hosts.js';

const bounds = `${COMMON_BOUNDS}, creates and events back within 5 s`;

/** `lastsMs`: the service cannot be back before; 0 where it goes on or comes back by itself. */
const drillOf = (fault: Fault, lastsMs: number): Drill => ({
  name: `network-${fault}`,
  bounds,
  async run(context): Promise<DrillResult> {
    const server = temporaryPostgres({ durable: true });
    context.after(() => server.end());
    const url = await server.newDatabase();
    const proxy = await silentProxy(url);
    context.after(() => proxy.close());
    const scene = await loadedHosts(context, proxy.url);
    proxy.set(fault);
    await wait(lastsMs);
    if (lastsMs > 0) proxy.set('none');
    const sinceMs = performance.now();
    const eventMs = eventsBackMs(scene);
    await Promise.all([eventMs, wait(2 * CALM_MS)]);
    const { counts, met } = await reckoned(scene, openPostgresStore({ url }), { sinceMs, eventMs });
    return { counts, broken: brokenOf(met) };
  },
});

export const networkHangs = drillOf('hangs', 8_000);
export const networkForgets = drillOf('half-open', 0);
export const networkIsSlow = drillOf('slow', 0);
