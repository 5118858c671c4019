// Scheduled backups of a serving host. A child process of the lowest priority makes each, so that
// it does not load the event loop or memory of the host. The due time follows from the newest
// existing backup, so a restart neither skips nor adds one.
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { newestBackup } from '../adapters/backup/backup-folder.js';
import type { Source } from '../adapters/backup/manifest.js';
import { MINUTE_MS, parseInstant } from '../core/domain/base/instant.js';
import type { Deps } from '../core/ports/deps.js';
import type { Clock, Log } from '../core/ports/outside.js';
import { sourceOf } from './backup.js';
import type { Config } from './config.js';

/** After a failure, unless the interval is shorter. */
const RETRY_MS = 5 * MINUTE_MS;
/** Length of the process output in the log, in characters. */
const REASON_LENGTH = 500;

type BackupPlan = NonNullable<Config['backups']>;

export interface BackupSchedule {
  /** Ends a running backup; the next one removes its leftovers. */
  stop(): Promise<void>;
}

export interface ScheduleOptions {
  readonly plan: BackupPlan;
  readonly source: Source;
  /** The program and first arguments that run the CLI of this version. */
  readonly program: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Log;
  /** As setPriority takes it: the lowest by default. */
  readonly priority?: number;
}

export function scheduleBackups(options: ScheduleOptions): BackupSchedule {
  const { plan, source, clock, log } = options;
  const stopping = new AbortController();
  const running = (async () => {
    let waitMs = await dueInMs(plan, source, clock);
    while (await hasPassed(waitMs, stopping.signal)) {
      const failure = await runBackup(options, stopping.signal).catch(
        (error: Error) => error.message,
      );
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

/** Null without a complete backup of this database, or if either cannot be read. */
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

/** Age of the newest complete backup of this database; null if there is none. */
async function backupAgeMs(to: string, source: Source, clock: Clock): Promise<number | null> {
  const newest = await newestBackup(to, source);
  const takenAtMs = newest === null ? null : parseInstant(newest.manifest.takenAt);
  return takenAtMs === null ? null : clock.nowMs() - takenAtMs;
}

async function dueInMs(plan: BackupPlan, source: Source, clock: Clock): Promise<number> {
  // The backup itself reports a folder that cannot be read.
  const ageMs = await backupAgeMs(plan.to, source, clock).catch(() => null);
  if (ageMs === null) return 0;
  // A backup from the future was made with a wrong clock: treated as made now.
  return Math.max(0, plan.everyMs - Math.max(0, ageMs));
}

/** Returns the reason of a failure; null on success. */
function runBackup(
  { plan, program, env, log, priority = constants.priority.PRIORITY_LOW }: ScheduleOptions,
  signal: AbortSignal,
): Promise<string | null> {
  const [path = '', ...first] = program;
  const words = [...first, 'backup', '--to', plan.to, '--keep', `${plan.keep}`];
  return new Promise((resolve) => {
    const child = spawn(path, words, { env, signal, stdio: ['ignore', 'pipe', 'pipe'] });
    // First: a process that cannot be started has no streams.
    child.on('error', (error) => resolve(error.message));
    givePriority(child.pid, priority);
    let [output, failure] = ['', ''];
    child.stdout?.on('data', (chunk) => (output = `${output}${chunk}`.slice(-REASON_LENGTH)));
    child.stderr?.on('data', (chunk) => (failure = `${failure}${chunk}`.slice(-REASON_LENGTH)));
    child.on('close', (code, killedBy) => {
      if (code === 0) log.info('a backup was made', { output: output.trim() });
      else if (code === 9)
        log.error('alert', { alert: 'a backup has warnings', output: output.trim() });
      else return resolve(failure.trim() || `it ended with ${killedBy ?? `code ${code}`}`);
      resolve(null);
    });
  });
}

function givePriority(pid: number | undefined, priority: number): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, priority);
  } catch {
    // The process has ended, or this user lacks the right: it runs at normal priority.
  }
}

function hasPassed(waitMs: number, signal: AbortSignal): Promise<boolean> {
  return wait(waitMs, true, { signal }).catch(() => false);
}
