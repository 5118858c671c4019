// Keeps the run… functions of the core running: each has a loop, which sleeps until work for it is
// stored or falls due (due-alarm.ts). A step that fails is logged and tried again after
// a growing wait; it never ends the process.
import type { HostedPartner } from '../adapters/partner/hosted-partner.js';
import { MINUTE_MS, SECOND_MS } from '../core/domain/instant.js';
import type { Mode, Tenant } from '../core/domain/tenant.js';
import { isCode } from '../core/errors.js';
import type { Deps, WorkKind } from '../core/ports/deps.js';
import type { Clock, Log } from '../core/ports/outside.js';
import type { Runner } from '../core/usecases/concurrency-limiter.js';
import type { DeliveryRunner } from '../core/usecases/delivery-runner.js';
import { IN_FLIGHT_PER_SUBSCRIPTION, WINDOW_GROWTH_MAX } from '../core/usecases/delivery-window.js';
import { runPurges } from '../core/usecases/documents.js';
import { runSequencer } from '../core/usecases/feed.js';
import { flushKeyUse } from '../core/usecases/keys.js';
import { runForgetting, runMails } from '../core/usecases/mails.js';
import { runInbox } from '../core/usecases/partner-inbox.js';
import { runExpiry } from '../core/usecases/payments.js';
import { runAdvances } from '../core/usecases/sandbox.js';

/** How long a loop sleeps at most when nothing rings. */
const POLL_MS = MINUTE_MS;
const KEY_USE_POLL_MS = SECOND_MS;
/** A host that is gone is noticed this late, and that the one that led is. */
const LOST_LEASES_POLL_MS = 2 * SECOND_MS;
/** After writes, tables that grew from nothing are looked for no more often than this. */
const STATISTICS_REST_MS = SECOND_MS;
/** Slots of receivers that answer get free one by one, and a claim costs the same for many. */
const DELIVERIES_REST_MS = 3;
/** Rows that one run takes at most, so that no run lasts long. */
const BATCH = 100;
/** As many as one receiver has slots: the fewer and larger the claims, the less each costs. */
const DELIVERIES_BATCH = IN_FLIGHT_PER_SUBSCRIPTION + WINDOW_GROWTH_MAX;
const BACKOFF_FIRST_MS = 100;
const BACKOFF_MAX_MS = 3 * SECOND_MS;
/** Without a good run for this long a loop counts as stalled: longer than a run ever waits. */
const STALLED_AFTER_MS = 30 * SECOND_MS;

/** Workers that do not wait for what they begin. */
export interface Runners {
  readonly commands: Runner;
  readonly deliveries: DeliveryRunner;
}

/** What hosts share: one of them does it, or all by leases. */
export function workerSteps(parts: {
  readonly deps: Deps;
  readonly runners: Runners;
  /** Whether this host does what one host of a database does; always so where there is one. */
  readonly leads?: () => Promise<boolean>;
  readonly analyzeGrowingTables?: () => Promise<number>;
  /** Null where a process is alone: it ends all leases when it starts. */
  readonly endLostLeases?: ((nowMs: number) => Promise<number>) | null;
}): readonly WorkerStep[] {
  const { deps, runners, leads = async () => true, analyzeGrowingTables = async () => 0 } = parts;
  const { endLostLeases = null } = parts;
  const step = (
    name: string,
    wokenBy: readonly Wake[],
    run: (deps: Deps, nowMs: number, limit: number) => Promise<number>,
  ): WorkerStep => ({
    name,
    wokenBy,
    pollMs: POLL_MS,
    run: (nowMs, limit) => run(deps, nowMs, limit).catch(restInQuarantine),
  });
  /** Rows of these are not leased: several hosts would only lose races against each other. */
  const ofLeader: typeof step = (name, wokenBy, run) =>
    step(name, wokenBy, async (...at) => ((await leads()) ? run(...at) : 0));
  return [
    ofLeader('sequencer', ['outbox'], (...at) =>
      runSequencer(...at, runners.deliveries.directDispatch()),
    ),
    step('commands', ['commands'], (_, ...at) => runners.commands.runOnce(...at)),
    ofLeader('inbox', ['inbox'], runInbox),
    {
      ...step('deliveries', ['deliveries'], (_, ...at) => runners.deliveries.runOnce(...at)),
      restMs: DELIVERIES_REST_MS,
      batch: DELIVERIES_BATCH,
    },
    ofLeader('advances', ['advances'], runAdvances),
    ofLeader('expiry', ['expiries'], runExpiry),
    ofLeader('purges', ['purges'], runPurges),
    {
      // Without the right to analyze, a table keeps its missing statistics: no reason to look again
      // at once.
      ...ofLeader('statistics', ['write'], () => analyzeGrowingTables().then(() => 0)),
      restMs: STATISTICS_REST_MS,
    },
    ...(endLostLeases === null
      ? []
      : [
          {
            ...ofLeader('lost leases', [], (_, nowMs) => endLostLeases(nowMs).then(() => 0)),
            pollMs: LOST_LEASES_POLL_MS,
          },
        ]),
    step('mails', ['mails'], runMails),
    ofLeader('old mails', [], runForgetting),
  ];
}

/** In quarantine there is nothing to do; the step looks again after its pause. */
function restInQuarantine(error: unknown): number {
  if (isCode(error, 'InQuarantine')) return 0;
  throw error;
}

/** What every process does for itself: what waits in it and nowhere else. */
export function stepsOfApi(parts: {
  readonly deps: Deps;
  readonly partners: Readonly<Record<Mode, HostedPartner | null>>;
}): readonly WorkerStep[] {
  const { deps, partners } = parts;
  return [
    {
      name: 'key use',
      wokenBy: [],
      pollMs: KEY_USE_POLL_MS,
      run: (nowMs, limit) => flushKeyUse(deps, nowMs, limit),
    },
    ...Object.values(partners).flatMap((partner): readonly WorkerStep[] => {
      const { pump, nextDueAtMs } = partner ?? {};
      if (pump === undefined || nextDueAtMs === undefined) return [];
      const wokenBy = ['partner messages'] as const;
      return [{ name: 'partner messages', wokenBy, pollMs: POLL_MS, run: pump, nextDueAtMs }];
    }),
  ];
}

/**
 * What wakes a loop. All but `WorkKind` are known to this process alone: messages of a partner that
 * lives in it, payments that expire by time, and each local write.
 */
export type Wake = WorkKind | 'partner messages' | 'expiries' | 'write';

export interface WorkerStep {
  readonly name: string;
  readonly wokenBy: readonly Wake[];
  /** How long it sleeps when nothing rings. */
  readonly pollMs: number;
  /** How long it waits after each run, whatever rings, so that the next one takes more at once. */
  readonly restMs?: number | (() => number);
  /** How much one run may do, where that is not as much as of everything else. */
  readonly batch?: number;
  /** Does up to `limit` of what is due, and tells how much that was. */
  readonly run: (nowMs: number, limit: number) => Promise<number>;
  /** When it runs next although nothing rings, if that is before `pollMs` is over. */
  readonly nextDueAtMs?: () => number | null;
}

export interface Workers {
  /** Names of loops that have not had a good run for too long. */
  stalled(): readonly string[];
  /** Lets each run under way finish; resolves when all did. */
  stop(): Promise<void>;
}

/** Joins who stores work with who does it, neither of which knows the other. */
export interface WorkSignals {
  /** Work was stored here: calls the listeners here and notifies other hosts. */
  wake(work: Wake, tenants?: readonly Tenant[]): void;
  /** Work was stored by another host, or falls due: calls the listeners here. */
  heard(work: Wake, tenants?: readonly Tenant[]): void;
  /** From now on, publishes work that is stored here to other hosts. */
  publishWith(publish: (work: WorkKind, tenants?: readonly Tenant[]) => void): void;
  listen(listener: Listener): void;
}

type Listener = (work: Wake, tenants?: readonly Tenant[]) => void;

export function createSignals(): WorkSignals {
  const listeners: Listener[] = [];
  let publish: ((work: WorkKind, tenants?: readonly Tenant[]) => void) | null = null;
  const heard: Listener = (work, tenants) => {
    for (const listener of listeners) listener(work, tenants);
  };
  return {
    heard,
    wake: (work, tenants) => {
      heard(work, tenants);
      if (isShared(work)) publish?.(work, tenants);
    },
    publishWith: (by) => {
      publish = by;
    },
    listen: (listener) => {
      listeners.push(listener);
    },
  };
}

function isShared(work: Wake): work is WorkKind {
  return work !== 'partner messages' && work !== 'expiries' && work !== 'write';
}

export function startWorkers(options: {
  readonly steps: readonly WorkerStep[];
  readonly signals: WorkSignals;
  readonly clock: Clock;
  readonly log: Log;
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
  readonly wokenBy: readonly Wake[];
  wake(): void;
  isStalled(): boolean;
  stop(): Promise<void>;
}

function startLoop(
  step: WorkerStep,
  { clock, log }: Omit<Parameters<typeof startWorkers>[0], 'steps'>,
): Loop {
  const signal = createWakeSignal();
  let stopping = false;
  /** Since when it has not had a good run that it should have had; null while it sleeps. */
  let lateSinceMs: number | null = clock.nowMs();
  const running = (async () => {
    let backoffMs = 0;
    while (!stopping) {
      try {
        lateSinceMs ??= clock.nowMs();
        signal.clear();
        const count = await step.run(clock.nowMs(), step.batch ?? BATCH);
        lateSinceMs = null;
        backoffMs = 0;
        const restMs = typeof step.restMs === 'function' ? step.restMs() : step.restMs;
        // Requests get their turn between two batches.
        if (restMs !== undefined && !stopping) await signal.sleep(restMs);
        await (count > 0 ? immediately() : signal.wait(sleepMs(step, clock)));
      } catch (error) {
        backoffMs = Math.min(Math.max(backoffMs * 2, BACKOFF_FIRST_MS), BACKOFF_MAX_MS);
        // The text is the same each time, so that the log counts repeats.
        log.error('a worker step failed', { step: step.name, error });
        if (!stopping) await signal.sleep(backoffMs);
      }
    }
  })();
  return {
    name: step.name,
    wokenBy: step.wokenBy,
    wake: signal.notify,
    isStalled: () => lateSinceMs !== null && clock.nowMs() - lateSinceMs > STALLED_AFTER_MS,
    stop: () => {
      stopping = true;
      signal.end();
      return running;
    },
  };
}

function sleepMs({ pollMs, nextDueAtMs }: WorkerStep, clock: Clock): number {
  const dueAtMs = nextDueAtMs?.() ?? null;
  return dueAtMs === null ? pollMs : Math.min(pollMs, Math.max(0, dueAtMs - clock.nowMs()));
}

interface WakeSignal {
  notify(): void;
  /** Waits for `notify`, at most this long. Returns immediately if it came since `clear`. */
  wait(timeoutMs: number): Promise<void>;
  clear(): void;
  /** Waits this long. `notify` does not end it. */
  sleep(timeoutMs: number): Promise<void>;
  /** Ends the current wait and all later ones immediately. */
  end(): void;
}

function createWakeSignal(): WakeSignal {
  let isNotified = false;
  let ended = false;
  let wakeUp: (() => void) | null = null;
  let isMuted = false;
  const wait = (timeoutMs: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(finish, ended ? 0 : timeoutMs);
      function finish() {
        clearTimeout(timer);
        wakeUp = null;
        resolve();
      }
      wakeUp = finish;
    });
  return {
    notify: () => {
      isNotified = true;
      if (!isMuted) wakeUp?.();
    },
    wait: (timeoutMs) => (isNotified ? immediately() : wait(timeoutMs)),
    clear: () => {
      isNotified = false;
    },
    sleep: async (timeoutMs) => {
      isMuted = true;
      await wait(timeoutMs);
      isMuted = false;
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
