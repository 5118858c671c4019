// A disk that fills up under load: the database lies on a small file system, on which a ballast
// file leaves no room until it is removed.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openPostgresStore } from '../../adapters/storage/postgres/store.js';
import { openSqliteStore } from '../../adapters/storage/sqlite/store.js';
import type { Store } from '../../core/ports/storage.js';
import { temporaryPostgres } from '../support/databases/local-postgres.js';
import type { HostProcess } from '../support/servers/host-process.js';
import { brokenOf, type Drill, type DrillContext, type DrillResult } from './drill.js';
import {
  CALM_MS,
  COMMON_BOUNDS,
  eventsBackMs,
  hostsUnderLoad,
  isReady,
  type LoadedHosts,
  loadedHosts,
  reckoned,
} from './loaded-hosts.js';

/** The files of an empty PostgreSQL are 40 MB. */
const DISK_MB = 96;
/** Long enough for workers to try again. */
const FULL_MS = 10_000;
const READ_EVERY_MS = 100;
const READY_MAX_MS = 5_000;
/** Of each host: a step says that it failed once, then once a minute. */
const LOG_LINES_MAX = 20;

/** Hosts whose database lies in a folder. */
interface Place {
  readonly scene: LoadedHosts;
  readonly open: () => Store;
}

const drillOf = (
  name: string,
  placeIn: (folder: string, context: DrillContext) => Promise<Place>,
): Drill => ({
  name,
  bounds:
    `unready and 503 while the disk is full, at most 20 lines logged a host; ${COMMON_BOUNDS}, ` +
    'ready, creates and events back within 5 s of the room',
  async run(context): Promise<DrillResult> {
    const folder = mkdtempSync(join(tmpdir(), 'ponte-drill-disk-'));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    const reason = mounted(folder, context);
    if (reason !== null) return { skipped: reason };
    return drill(context, await placeIn(folder, context), join(folder, 'ballast'));
  },
});

export const fullDisk = drillOf('full-disk', async (folder, context) => {
  const scene = await hostsUnderLoad(context, [{ PONTE_DATA_DIR: folder }]);
  return { scene, open: () => openSqliteStore({ path: join(folder, 'ponte.db') }) };
});

/** A full disk of the log ends the server itself; of the tables it does not. */
export const fullDiskOfTables = drillOf('full-disk-postgres', async (folder, context) => {
  const server = temporaryPostgres({ durable: true, tablesIn: folder });
  context.after(() => server.end());
  const url = await server.newDatabase();
  return { scene: await loadedHosts(context, url), open: () => openPostgresStore({ url }) };
});

async function drill(
  { say }: DrillContext,
  { scene, open }: Place,
  ballast: string,
): Promise<DrillResult> {
  const { hosts, load } = scene;
  say('filling');
  const lines = () => hosts.map(linesOf);
  const before = lines().map(({ length }) => length);
  fill(ballast);
  while ((await ready(hosts)) > 0) await wait(READ_EVERY_MS);
  say('full');
  const fullAtMs = performance.now();
  let looksReady = 0;
  while (performance.now() < fullAtMs + FULL_MS) {
    looksReady += await ready(hosts);
    await wait(READ_EVERY_MS);
  }
  const logged = lines().map((all, at) => all.slice(before[at]));
  const most = Math.max(...logged.map(({ length }) => length));
  rmSync(ballast);
  const sinceMs = performance.now();
  const eventMs = eventsBackMs(scene);
  while ((await ready(hosts)) < hosts.length) await wait(READ_EVERY_MS);
  const readyMs = Math.round(performance.now() - sinceMs);
  await Promise.all([eventMs, wait(CALM_MS)]);
  const during = load.asked.filter(
    ({ sentAtMs, tookMs }) => sentAtMs > fullAtMs && sentAtMs + tookMs < sinceMs,
  );
  const refused = during.filter(({ status }) => status === 503).length;
  // A page of a table may have room for one more.
  const odd = during.filter(({ status, id }) => status !== 503 && id === null);
  const { counts, met } = await reckoned(scene, open(), { sinceMs, eventMs });
  return {
    counts: {
      ...counts,
      'refused while full': `${refused}/${during.length}`,
      logged: most,
      readyMs,
    },
    broken: brokenOf({
      ...met,
      'no create was refused while full': refused > 0,
      [`${odd.length} creates were neither made nor refused while full`]: odd.length === 0,
      [`ready at ${looksReady} looks while full`]: looksReady === 0,
      [`${most} lines logged: ${logged[0]?.at(-1)}`]: most <= LOG_LINES_MAX,
      [`ready after ${readyMs} ms`]: readyMs <= READY_MAX_MS,
    }),
  };
}

/** Mounts a small file system there until the drill ends; why not, where that is not possible. */
function mounted(folder: string, { after }: DrillContext): string | null {
  try {
    const words = ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', folder];
    execFileSync('mount', words, { stdio: 'ignore' });
  } catch {
    return 'mounting a small disk needs root on Linux';
  }
  after(() => execFileSync('umount', ['--lazy', folder]));
  return null;
}

/** Writes until nothing more fits. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (const bytes of [1_000_000, 4_096, 1]) {
      try {
        for (;;) writeSync(file, Buffer.alloc(bytes));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  } finally {
    closeSync(file);
  }
}

function linesOf(host: HostProcess): readonly string[] {
  return host.log().split('\n').slice(0, -1);
}

/** How many of these hosts are ready. */
async function ready(hosts: readonly HostProcess[]): Promise<number> {
  return (await Promise.all(hosts.map(isReady))).filter((is) => is).length;
}
