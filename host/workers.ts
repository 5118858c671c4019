// Keeps the run… functions of the core running: each has a loop of its own, is looked at at once
// when work for it was stored, and every so often anyway. A step that fails is logged and tried
// again after a growing wait; it never ends the process. What a step does is the core's matter.
import { SECOND_MS } from '../core/domain/instant.js';
import type { Clock, Log, WorkKind } from '../core/ports.js';

/** How long a loop sleeps when nothing wakes it: what falls due by time starts this late at most. */
export const POLL_MS = 200;
/** Rows that one run takes at most, so that no run lasts long. */
const BATCH = 100;
const BACKOFF_FIRST_MS = 100;
const BACKOFF_MAX_MS = 5 * SECOND_MS;
/** Without a good run for this long a loop counts as stalled: longer than any partner call. */
const STALLED_AFTER_MS = 30 * SECOND_MS;

export interface WorkerStep {
  readonly name: string;
  readonly wokenBy: readonly WorkKind[];
  /** Does up to `limit` of what is due, and tells how much that was. */
  readonly run: (nowMs: number, limit: number) => Promise<number>;
}

export interface Workers {
  /** Names of loops that have not had a good run for too long. */
  stalled(): readonly string[];
  /** Lets each run under way finish; resolves when all did. */
  stop(): Promise<void>;
}

/** Joins who stores work with who does it, neither of which knows the other. */
export interface WorkSignals {
  wake(work: WorkKind): void;
  listen(listener: (work: WorkKind) => void): void;
}

export function createSignals(): WorkSignals {
  const listeners: ((work: WorkKind) => void)[] = [];
  return {
    wake: (work) => {
      for (const listener of listeners) listener(work);
    },
    listen: (listener) => {
      listeners.push(listener);
    },
  };
}

export function startWorkers(options: {
  readonly steps: readonly WorkerStep[];
  readonly signals: WorkSignals;
  readonly clock: Clock;
  readonly log: Log;
  readonly pollMs?: number;
}): Workers {
  const loops = options.steps.map((step) => startLoop(step, options));
  options.signals.listen((work) => {
    for (const loop of loops) if (loop.wokenBy.includes(work)) loop.wake();
  });
  return {
    stalled: () => loops.filter((loop) => loop.isStalled()).map(({ name }) => name),
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

interface Loop {
  readonly name: string;
  readonly wokenBy: readonly WorkKind[];
  wake(): void;
  isStalled(): boolean;
  stop(): Promise<void>;
}

function startLoop(
  step: WorkerStep,
  { clock, log, pollMs = POLL_MS }: Omit<Parameters<typeof startWorkers>[0], 'steps'>,
): Loop {
  const bell = createBell();
  let stopping = false;
  let goodRunAtMs = clock.nowMs();
  const running = (async () => {
    let backoffMs = 0;
    while (!stopping) {
      try {
        const count = await step.run(clock.nowMs(), BATCH);
        goodRunAtMs = clock.nowMs();
        backoffMs = 0;
        // Requests get their turn between two batches.
        await (count > 0 ? immediately() : bell.rung(pollMs));
      } catch (error) {
        backoffMs = Math.min(Math.max(backoffMs * 2, BACKOFF_FIRST_MS), BACKOFF_MAX_MS);
        log.error('a worker step failed', { step: step.name, error, retryInMs: backoffMs });
        if (!stopping) await bell.silence(backoffMs);
      }
    }
  })();
  return {
    name: step.name,
    wokenBy: step.wokenBy,
    wake: bell.ring,
    isStalled: () => clock.nowMs() - goodRunAtMs > STALLED_AFTER_MS,
    stop: () => {
      stopping = true;
      bell.end();
      return running;
    },
  };
}

interface Bell {
  ring(): void;
  /** Waits for the next ring, or for one since the last wait, at most this long. */
  rung(timeoutMs: number): Promise<void>;
  /** Waits this long whatever rings. */
  silence(timeoutMs: number): Promise<void>;
  /** Ends the wait under way, and makes every later one end at once. */
  end(): void;
}

function createBell(): Bell {
  let ringing = false;
  let ended = false;
  let wakeUp: (() => void) | null = null;
  let deaf = false;
  const wait = (timeoutMs: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(finish, ended ? 0 : timeoutMs);
      function finish() {
        clearTimeout(timer);
        wakeUp = null;
        ringing = false;
        resolve();
      }
      wakeUp = finish;
    });
  return {
    ring: () => {
      ringing = true;
      if (!deaf) wakeUp?.();
    },
    rung: async (timeoutMs) => {
      if (ringing) {
        ringing = false;
        await immediately();
      } else {
        await wait(timeoutMs);
      }
    },
    silence: async (timeoutMs) => {
      deaf = true;
      await wait(timeoutMs);
      deaf = false;
    },
    end: () => {
      ended = true;
      wakeUp?.();
    },
  };
}

function immediately(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
