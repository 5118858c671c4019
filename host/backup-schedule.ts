// Backups made by a serving host, one every so often. A child process of the lowest priority makes
// each: neither the event loop nor the memory of the host pays for it. When the next one is due
// follows from the newest one that is there, so a restart neither skips one nor makes one more.
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { newestBackup } from '../adapters/backup/backup-folder.js';
import type { Source } from '../adapters/backup/manifest.js';
import { MINUTE_MS, parseInstant } from '../core/domain/instant.js';
import type { Deps } from '../core/ports/deps.js';
import type { Clock, Log } from '../core/ports/outside.js';
import { sourceOf } from './backup.js';
import type { Config } from './config.js';

/** After a failure the next attempt comes this soon, or after the interval if that is shorter. */
const RETRY_MS = 5 * MINUTE_MS;
/** Of what a failed process said. */
const REASON_LENGTH = 500;

export type BackupPlan = NonNullable<Config['backups']>;

export interface BackupSchedule {
  /** Ends a backup that is under way; the next one removes what is left of it. */
  stop(): Promise<void>;
}

export interface ScheduleOptions {
  readonly plan: BackupPlan;
  readonly source: Source;
  /** Program and first arguments that run a command of this version. */
  readonly program: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Log;
}

export function scheduleBackups(options: ScheduleOptions): BackupSchedule {
  const { plan, source, clock, log } = options;
  const stopping = new AbortController();
  const running = (async () => {
    let waitMs = await dueInMs(plan, source, clock);
    while (await hasPassed(waitMs, stopping.signal)) {
      const failure = await runBackup(options, stopping.signal);
      if (stopping.signal.aborted) return;
      if (failure === null) waitMs = await dueInMs(plan, source, clock);
      else {
        log.error('alert', { alert: 'a scheduled backup failed', reason: failure });
        waitMs = Math.min(plan.everyMs, RETRY_MS);
      }
    }
  })();
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}

/** Null when there is no whole backup of this database, or when either cannot be read. */
export async function readBackupAgeMs(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  databaseName: string,
  to: string,
): Promise<number | null> {
  try {
    return await backupAgeMs(to, await sourceOf(store, databaseName), clock);
  } catch {
    return null;
  }
}

/** Since the newest whole backup of this database; null when there is none. */
async function backupAgeMs(to: string, source: Source, clock: Clock): Promise<number | null> {
  const newest = await newestBackup(to, source);
  const takenAtMs = newest === null ? null : parseInstant(newest.manifest.takenAt);
  return takenAtMs === null ? null : clock.nowMs() - takenAtMs;
}

async function dueInMs(plan: BackupPlan, source: Source, clock: Clock): Promise<number> {
  // The backup itself reports a folder that cannot be read.
  const ageMs = await backupAgeMs(plan.to, source, clock).catch(() => null);
  if (ageMs === null) return 0;
  // One from the future was made by a clock that was wrong: as if it was made now.
  return Math.max(0, plan.everyMs - Math.max(0, ageMs));
}

/** Null when it was made. */
function runBackup(
  { plan, program, env, log }: ScheduleOptions,
  signal: AbortSignal,
): Promise<string | null> {
  const [path = '', ...first] = program;
  const words = [...first, 'backup', '--to', plan.to, '--keep', `${plan.keep}`];
  const child = spawn(path, words, { env, signal, stdio: ['ignore', 'pipe', 'pipe'] });
  lowerPriority(child.pid);
  let [told, failure] = ['', ''];
  child.stdout.on('data', (chunk) => (told = `${told}${chunk}`.slice(-REASON_LENGTH)));
  child.stderr.on('data', (chunk) => (failure = `${failure}${chunk}`.slice(-REASON_LENGTH)));
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, killedBy) => {
      if (code === 0) log.info('a backup was made', { told: told.trim() });
      else if (code === 9)
        log.error('alert', { alert: 'a backup has warnings', told: told.trim() });
      else return resolve(failure.trim() || `it ended with ${killedBy ?? `code ${code}`}`);
      resolve(null);
    });
  });
}

function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended, or this user may not: then it runs like any other.
  }
}

/** Waits; false as soon as it is stopped. */
function hasPassed(waitMs: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    const end = (passed: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stopped);
      resolve(passed);
    };
    const stopped = () => end(false);
    const timer = setTimeout(() => end(true), waitMs);
    signal.addEventListener('abort', stopped);
  });
}
