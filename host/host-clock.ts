// The clock of one process. Hosts that share a PostgreSQL go by its clock, so an instant that one
// host stores is never compared with the clock of another. Between two measurements the steady
// clock of the process counts, which does not jump with the machine's. On SQLite the machine's
// clock counts; when it goes back, what waits must keep its wait.
import { CLOCK_ERROR_MAX_MS, SECOND_MS } from '../core/domain/instant.js';
import type { Clock, Log } from '../core/ports/outside.js';
import type { WorkerStep } from './workers.js';

/** Smaller steps are corrections of the machine's clock, which delay nothing noticeably. */
const STEP_BACK_MIN_MS = SECOND_MS;
/** How soon a machine that was suspended, or whose clock was set, is noticed. */
const LOOK_EVERY_MS = 5 * SECOND_MS;

export interface HostClock extends Clock {
  /** How far the machine's clock is ahead of the database's; 0 where it counts itself. */
  skewMs(): number;
  /** False: which of the two clocks is wrong is unknown, so this host must take no work. */
  isRight(): boolean;
  /** Asks the database for its time; does nothing where the machine's clock counts. */
  measure(): Promise<void>;
  /** Calls `keepWaits` if the clock went back since the last call; a failed call is repeated. */
  afterStepBack(keepWaits: (step: ClockStep) => Promise<void>): Promise<void>;
}

/** The clock showed `fromMs`, and an instant later `toMs`. */
export interface ClockStep {
  readonly fromMs: number;
  readonly toMs: number;
}

export function newHostClock(sources: {
  /** The machine's clock, which people and NTP set. */
  readonly machineMs: () => number;
  /** Never goes back; its zero is arbitrary. */
  readonly steadyMs: () => number;
  /** Null where the machine's clock counts. */
  readonly databaseMs: (() => Promise<number>) | null;
}): HostClock {
  const { machineMs, steadyMs, databaseMs } = sources;
  /** The database's time at zero of the steady clock; null until it is measured. */
  let zeroMs: number | null = null;
  const nowMs = () => (zeroMs === null ? machineMs() : Math.floor(zeroMs + steadyMs()));
  const skewMs = () => machineMs() - nowMs();
  let seen = { machine: machineMs(), steady: steadyMs() };
  return {
    nowMs,
    skewMs,
    isRight: () => Math.abs(skewMs()) <= CLOCK_ERROR_MAX_MS,
    async measure() {
      if (databaseMs === null) return;
      const askedMs = steadyMs();
      const toldMs = await databaseMs();
      // The database read its clock at some time between question and answer.
      const [least, most] = [toldMs - steadyMs(), toldMs - askedMs];
      zeroMs = Math.min(Math.max(zeroMs ?? (least + most) / 2, least), most);
    },
    async afterStepBack(keepWaits) {
      if (databaseMs !== null) return;
      const now = { machine: machineMs(), steady: steadyMs() };
      const fromMs = Math.floor(seen.machine + now.steady - seen.steady);
      if (fromMs - now.machine > STEP_BACK_MIN_MS) {
        await keepWaits({ fromMs, toMs: now.machine });
      }
      seen = now;
    },
  };
}

/** Keeps the clock of a process right, and logs when it is not. */
export function clockStep(parts: {
  readonly clock: HostClock;
  readonly log: Log;
  readonly keepWaits: (step: ClockStep) => Promise<void>;
}): WorkerStep {
  const { clock, log, keepWaits } = parts;
  let wasRight = true;
  return {
    name: 'clock',
    wokenBy: [],
    pollMs: LOOK_EVERY_MS,
    async run() {
      await clock.measure();
      await clock.afterStepBack(keepWaits);
      const isRight = clock.isRight();
      const skewSeconds = clock.skewMs() / SECOND_MS;
      if (!isRight && wasRight) {
        log.error('the clock of this machine is not that of the database: no work is taken', {
          skewSeconds,
        });
      }
      if (isRight && !wasRight) log.info('the clock of this machine is right again');
      wasRight = isRight;
      return 0;
    },
  };
}

/** With a wrong clock a host takes no work, and leaves the lead to another one. */
export function whileRight(
  step: WorkerStep,
  clock: Pick<HostClock, 'isRight'>,
  channel: { resign(): Promise<void> } | null,
): WorkerStep {
  const run: WorkerStep['run'] = async (...at) => {
    if (clock.isRight()) return step.run(...at);
    await channel?.resign();
    return 0;
  };
  return { ...step, run };
}
