// The clock of a process. Hosts on one PostgreSQL use the clock of the database, so that no host
// compares a stored time with a different clock. Between two measurements they use the monotonic
// clock of the process. On SQLite the process uses the machine's clock; when that is set back, all
// due times are shifted.
import { CLOCK_ERROR_MAX_MS, SECOND_MS } from '../core/domain/base/instant.js';
import type { Clock, Log } from '../core/ports/outside.js';
import type { WorkerStep } from './workers.js';

/** Smaller ones are corrections, by NTP or a measurement: the clock stands still for as long. */
const STEP_BACK_MIN_MS = SECOND_MS;
/** Also the time until a suspend or a set clock is detected. */
const MEASURE_EVERY_MS = 5 * SECOND_MS;

export interface HostClock extends Clock {
  /** How far the machine's clock is ahead of the database's; 0 on SQLite. */
  skewMs(): number;
  /** False: one of the two clocks is wrong, so this host must claim no work. */
  isAccurate(): boolean;
  /** Reads the clock of the database; does nothing on SQLite. */
  measure(): Promise<void>;
  /** Calls `shiftDueTimes` if the clock was set back since the last call; repeats a failed call. */
  afterStepBack(shiftDueTimes: (step: ClockStep) => Promise<void>): Promise<void>;
}

export interface ClockStep {
  readonly fromMs: number;
  readonly toMs: number;
}

export function newHostClock(sources: {
  readonly machineMs: () => number;
  /** Monotonic; its zero is arbitrary. */
  readonly steadyMs: () => number;
  /** Null on SQLite. */
  readonly databaseMs: (() => Promise<number>) | null;
}): HostClock {
  const { machineMs, steadyMs, databaseMs } = sources;
  /** The database's time at zero of the monotonic clock; null until it is measured. */
  let zeroMs: number | null = null;
  let lastMs = 0;
  const nowMs = () => {
    const atMs = zeroMs === null ? machineMs() : Math.floor(zeroMs + steadyMs());
    // A measurement corrects the one before it by what a round trip took.
    const isCorrection = atMs < lastMs && lastMs - atMs < STEP_BACK_MIN_MS;
    if (!isCorrection) lastMs = atMs;
    return lastMs;
  };
  const skewMs = () => machineMs() - nowMs();
  let seen = { machine: machineMs(), steady: steadyMs() };
  return {
    nowMs,
    steadyMs,
    skewMs,
    isAccurate: () => Math.abs(skewMs()) <= CLOCK_ERROR_MAX_MS,
    async measure() {
      if (databaseMs === null) return;
      const sentMs = steadyMs();
      const readMs = await databaseMs();
      // The database read its clock at some time between request and response.
      const [least, most] = [readMs - steadyMs(), readMs - sentMs];
      zeroMs = Math.min(Math.max(zeroMs ?? (least + most) / 2, least), most);
    },
    async afterStepBack(shiftDueTimes) {
      if (databaseMs !== null) return;
      const now = { machine: machineMs(), steady: steadyMs() };
      const fromMs = Math.floor(seen.machine + now.steady - seen.steady);
      if (fromMs - now.machine > STEP_BACK_MIN_MS) {
        await shiftDueTimes({ fromMs, toMs: now.machine });
      }
      seen = now;
    },
  };
}

/** Measures the clock, and logs when it becomes wrong or right. */
export function clockStep(parts: {
  readonly clock: HostClock;
  readonly log: Log;
  readonly shiftDueTimes: (step: ClockStep) => Promise<void>;
}): WorkerStep {
  const { clock, log, shiftDueTimes } = parts;
  let wasAccurate = true;
  return {
    name: 'clock',
    wokenBy: [],
    pollMs: MEASURE_EVERY_MS,
    async run() {
      await clock.measure();
      await clock.afterStepBack(shiftDueTimes);
      const isAccurate = clock.isAccurate();
      const skewSeconds = clock.skewMs() / SECOND_MS;
      if (!isAccurate && wasAccurate) {
        log.error('the clocks of this machine and the database differ: no work is claimed', {
          skewSeconds,
        });
      }
      if (isAccurate && !wasAccurate) log.info('the clock of this machine is right again');
      wasAccurate = isAccurate;
      return 0;
    },
  };
}

/** With a wrong clock a host claims no work, and gives up the lead. */
export function whileAccurate(
  step: WorkerStep,
  clock: Pick<HostClock, 'isAccurate'>,
  channel: { resign(): Promise<void> } | null,
): WorkerStep {
  const run: WorkerStep['run'] = async (...at) => {
    if (clock.isAccurate()) return step.run(...at);
    await channel?.resign();
    return 0;
  };
  return { ...step, run };
}
