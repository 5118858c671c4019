// A disk that fills up under load: the database of a host lies on a small file system of its own,
// on which a ballast file leaves no room until it is removed.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openSqliteStore } from '../../adapters/storage/sqlite.js';
import type { HostProcess } from '../support/host-process.js';
import { brokenOf, type Drill, type DrillContext, type DrillResult } from './drill.js';
import { CALM_MS, eventsBackMs, hostsUnderLoad, reckoned } from './loaded-hosts.js';

const DISK_MB = 64;
/** After the first refusal, so that workers try again and their waits grow. */
const FULL_MS = 10_000;
const LOOK_EVERY_MS = 100;
const READY_MAX_MS = 5_000;
/** Each step says that it failed once, then once a minute. */
const LOG_LINES_MAX = 20;

export const fullDisk: Drill = {
  name: 'full-disk',
  bounds:
    'unready and 503 while the disk is full, at most 20 lines logged; no acknowledged create ' +
    'lost or doubled, nothing paid twice, no sequence with two contents, every answer within ' +
    '4 s, ready, creates and events back within 5 s of the room',
  async run(context): Promise<DrillResult> {
    const folder = mkdtempSync(join(tmpdir(), 'ponte-drill-disk-'));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    const reason = mounted(folder, context);
    return reason === null ? drill(context, folder) : { skipped: reason };
  },
};

async function drill(context: DrillContext, folder: string): Promise<DrillResult> {
  const scene = await hostsUnderLoad(context, [{ PONTE_DATA_DIR: folder }]);
  const [host] = scene.hosts as readonly [HostProcess];
  const ballast = join(folder, 'ballast');
  context.say('filling');
  const loggedBefore = linesOf(host).length;
  fill(ballast);
  while (await isReady(host)) await wait(LOOK_EVERY_MS);
  context.say('full');
  const fullAtMs = performance.now();
  let looksReady = 0;
  while (performance.now() < fullAtMs + FULL_MS) {
    if (await isReady(host)) looksReady += 1;
    await wait(LOOK_EVERY_MS);
  }
  const logged = linesOf(host).slice(loggedBefore);
  rmSync(ballast);
  const sinceMs = performance.now();
  const eventMs = eventsBackMs(scene);
  while (!(await isReady(host))) await wait(LOOK_EVERY_MS);
  const readyMs = Math.round(performance.now() - sinceMs);
  await Promise.all([eventMs, wait(CALM_MS)]);
  const during = scene.load.asked.filter(
    ({ sentAtMs, tookMs }) => sentAtMs > fullAtMs && sentAtMs + tookMs < sinceMs,
  );
  const refused = during.filter(({ status }) => status === 503).length;
  const store = openSqliteStore({ path: join(folder, 'ponte.db') });
  const { counts, met } = await reckoned(scene, store, { sinceMs, eventMs });
  return {
    counts: { ...counts, 'while full': during.length, logged: logged.length, readyMs },
    broken: brokenOf({
      ...met,
      [`${during.length - refused} of ${during.length} creates were not refused while full`]:
        refused === during.length && refused > 0,
      [`ready at ${looksReady} looks while full`]: looksReady === 0,
      [`${logged.length} lines logged: ${logged.at(-1)}`]: logged.length <= LOG_LINES_MAX,
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

async function isReady({ url }: HostProcess): Promise<boolean> {
  const response = await fetch(`${url}/readyz`);
  await response.arrayBuffer();
  return response.status === 200;
}
