// Runs the run… functions of the core, each in a loop that sleeps until work for it is stored or
// falls due (due-alarm.ts). A failed step is logged and retried with backoff.
import type { RunningPartner } from '../adapters/partner/running-partner.js';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/domain/base/instant.js';
import type { Mode, Tenant } from '../core/domain/base/tenant.js';
import { isCode } from '../core/errors.js';
import { type Deps, type WorkKind, workKinds } from '../core/ports/deps.js';
import type { Clock, Log } from '../core/ports/outside.js';
import { flushKeyUse } from '../core/usecases/access/keys.js';
import { runSessionDeletion } from '../core/usecases/access/open-sessions.js';
import { runClosings } from '../core/usecases/accounting/accounting-settings.js';
import { runInbox } from '../core/usecases/commands/partner-inbox.js';
import { runBookReadings } from '../core/usecases/deposits/book-readings.js';
import { runMailDeletion, runMails } from '../core/usecases/mail/mails.js';
import type { ReconciliationRunner } from '../core/usecases/money-desk/book-comparisons.js';
import { runPurges } from '../core/usecases/parties/documents.js';
import { runEndedHolds } from '../core/usecases/parties/payout-changes.js';
import { runExpiry } from '../core/usecases/payments/payments.js';
import { runReminders } from '../core/usecases/payments/reminders.js';
import { runAdvances } from '../core/usecases/sandbox/sandbox.js';
import { asService } from '../core/usecases/service/audit-log.js';
import type { Runner } from '../core/usecases/service/concurrency-limiter.js';
import { pruneFor } from '../core/usecases/service/prune.js';
import { flushRefusals, runRefusalDeletion } from '../core/usecases/service/request-log.js';
import { runAddressKeyDeletion } from '../core/usecases/service/service-keys.js';
import type { DeliveryRunner } from '../core/usecases/webhooks/delivery-runner.js';
import {
  IN_FLIGHT_PER_SUBSCRIPTION,
  WINDOW_GROWTH_MAX,
} from '../core/usecases/webhooks/delivery-window.js';
import { missingSearch } from '../core/usecases/webhooks/event-deliveries.js';

/** The longest sleep of a loop without a wake-up. */
const POLL_MS = MINUTE_MS;
const KEY_USE_POLL_MS = SECOND_MS;
const REFUSALS_POLL_MS = SECOND_MS;
/** How late the loss of another host, or of the leader, is detected. */
const LOST_LEASES_POLL_MS = 4 * SECOND_MS;
const SLOW_DELIVERIES_POLL_MS = SECOND_MS / 2;
/** Much longer than a slow delivery is without a row. */
const MISSING_DELIVERIES_POLL_MS = 6 * SECOND_MS;
/** Rows are old by days: some hours more do no harm. */
const PRUNE_POLL_MS = 6 * HOUR_MS;
/** The rest is removed by the next run, at once. A longer run would count as stalled. */
const PRUNE_RUN_MS = 5 * SECOND_MS;
/** The minimum time between two searches for growing tables. */
const STATISTICS_PAUSE_MS = SECOND_MS;
/** More slots become free meantime: one claim of many deliveries costs as much as one of few. */
const DELIVERIES_PAUSE_MS = 3;
const RECONCILIATION_POLL_MS = 10 * MINUTE_MS;
const BATCH = 100;
/** The slots of one receiver: fewer, larger claims cost less. */
const DELIVERIES_BATCH = IN_FLIGHT_PER_SUBSCRIPTION + WINDOW_GROWTH_MAX;
const BACKOFF_FIRST_MS = 100;
const BACKOFF_MAX_MS = 3 * SECOND_MS;
/** A loop without a successful run for this long is stalled. Longer than any wait within a run. */
const STALLED_AFTER_MS = 30 * SECOND_MS;

/** Workers that do not wait for the work that they start. */
export interface Runners {
  readonly commands: Runner;
  readonly deliveries: DeliveryRunner;
}

/** The steps that hosts share: the leader runs them, or all hosts by leases. */
export function workerSteps(parts: {
  readonly deps: Deps;
  readonly runners: Runners;
  /** Whether this host is the leader; always true for a single host. */
  readonly leads?: () => Promise<boolean>;
  readonly analyzeGrowingTables?: () => Promise<number>;
  /** From which age old rows are removed; null: only by a command. */
  readonly retentionMs?: number | null;
  /** Null for a single host, which ends all leases when it starts. */
  readonly endLostLeases?: ((nowMs: number) => Promise<number>) | null;
}): readonly WorkerStep[] {
  const { runners, leads = async () => true, analyzeGrowingTables = async () => 0 } = parts;
  const { endLostLeases = null, retentionMs = null } = parts;
  const deps = asService(parts.deps, 'workers');
  const storeMissing = missingSearch(deps);
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
  /** Their rows are not leased: several hosts would lose races against each other. */
  const ofLeader: typeof step = (name, wokenBy, run) =>
    step(name, wokenBy, async (...at) => ((await leads()) ? run(...at) : 0));
  return [
    step('commands', ['commands'], (_, ...at) => runners.commands.runOnce(...at)),
    ofLeader('inbox', ['inbox'], runInbox),
    ofLeader('book readings', [], runBookReadings),
    {
      ...step('deliveries', ['deliveries'], (_, ...at) => runners.deliveries.runOnce(...at)),
      pauseMs: DELIVERIES_PAUSE_MS,
      batch: DELIVERIES_BATCH,
    },
    {
      ...step('slow deliveries', [], (_, nowMs) => runners.deliveries.storeSlow(nowMs)),
      pollMs: SLOW_DELIVERIES_POLL_MS,
    },
    {
      ...ofLeader('missing deliveries', [], () => storeMissing().then(() => 0)),
      pollMs: MISSING_DELIVERIES_POLL_MS,
    },
    ofLeader('advances', ['advances'], runAdvances),
    ofLeader('expiry', ['expiries'], runExpiry),
    ofLeader('reminders', [], runReminders),
    ofLeader('ended holds', [], runEndedHolds),
    ofLeader('closings', [], runClosings),
    ofLeader('purges', ['documents'], runPurges),
    {
      // Returns 0: without the right to analyze, a repeat would find the same tables.
      ...ofLeader('statistics', ['write'], () => analyzeGrowingTables().then(() => 0)),
      pauseMs: STATISTICS_PAUSE_MS,
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
    ofLeader('old mails', [], runMailDeletion),
    ofLeader('old sessions', [], runSessionDeletion),
    ofLeader('old refusals', [], runRefusalDeletion),
    ofLeader('old addresses', [], runAddressKeyDeletion),
    ...(retentionMs === null
      ? []
      : [
          {
            ...ofLeader('old rows', [], (needs) => pruneFor(needs, retentionMs, PRUNE_RUN_MS)),
            pollMs: PRUNE_POLL_MS,
          },
        ]),
  ];
}

/** In quarantine there is no work until the next poll. */
function restInQuarantine(error: unknown): number {
  if (isCode(error, 'InQuarantine')) return 0;
  throw error;
}

/** Comparisons run beside the loop: they take longer than a step may. Only the leader has them. */
export function reconciliationStep(
  { startDue }: Pick<ReconciliationRunner, 'startDue'>,
  leads: () => Promise<boolean> = async () => true,
): WorkerStep {
  return {
    name: 'reconciliations',
    wokenBy: [],
    pollMs: RECONCILIATION_POLL_MS,
    async run(nowMs) {
      if (await leads()) await startDue(nowMs).catch(restInQuarantine);
      return 0;
    },
  };
}

/** The steps of every process, for work in its memory. */
export function localSteps(parts: {
  readonly deps: Deps;
  readonly partners: Readonly<Record<Mode, RunningPartner | null>>;
}): readonly WorkerStep[] {
  const { deps, partners } = parts;
  return [
    {
      name: 'key use',
      wokenBy: [],
      pollMs: KEY_USE_POLL_MS,
      run: (nowMs, limit) => flushKeyUse(deps, nowMs, limit),
    },
    {
      name: 'refusals',
      wokenBy: [],
      pollMs: REFUSALS_POLL_MS,
      run: (nowMs, limit) => flushRefusals(deps, nowMs, limit),
    },
    ...Object.values(partners).flatMap((partner): readonly WorkerStep[] => {
      const { sendDueMessages, nextDueAtMs } = partner ?? {};
      if (sendDueMessages === undefined || nextDueAtMs === undefined) return [];
      const wokenBy = ['partner messages'] as const;
      return [
        { name: 'partner messages', wokenBy, pollMs: POLL_MS, run: sendDueMessages, nextDueAtMs },
      ];
    }),
  ];
}

/**
 * What wakes a loop. Kinds other than `WorkKind` are local to this process: messages of a partner
 * in this process, payments that expire, and each write.
 */
export type Wake = WorkKind | 'partner messages' | 'expiries' | 'write';

export interface WorkerStep {
  readonly name: string;
  readonly wokenBy: readonly Wake[];
  /** The sleep without a wake-up. */
  readonly pollMs: number;
  /** The pause after each run, which no wake-up ends: the next run then takes more. */
  readonly pauseMs?: number | (() => number);
  /** Rows per run; BATCH by default. */
  readonly batch?: number;
  /** Processes up to `limit` due rows; returns how many. */
  readonly run: (nowMs: number, limit: number) => Promise<number>;
  /** When it runs next without a wake-up, if that is before the next poll. */
  readonly nextDueAtMs?: () => number | null;
}

export interface Workers {
  stalled(): readonly string[];
  /** Resolves when all current runs have finished. */
  stop(): Promise<void>;
}

/** Connects use cases that store work with the workers that do it. */
export interface WorkSignals {
  /** Work was stored: wakes the listeners of this process, and other hosts. */
  wake(work: Wake, tenants?: readonly Tenant[]): void;
  /** Work was stored by another host, or falls due: wakes the listeners of this process. */
  wakeLocal(work: Wake, tenants?: readonly Tenant[]): void;
  publishWith(publish: (work: WorkKind, tenants?: readonly Tenant[]) => void): void;
  listen(listener: Listener): void;
}

type Listener = (work: Wake, tenants?: readonly Tenant[]) => void;

export function createSignals(): WorkSignals {
  const listeners: Listener[] = [];
  let publish: ((work: WorkKind, tenants?: readonly Tenant[]) => void) | null = null;
  const wakeLocal: Listener = (work, tenants) => {
    for (const listener of listeners) listener(work, tenants);
  };
  return {
    wakeLocal,
    wake: (work, tenants) => {
      wakeLocal(work, tenants);
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
  return (workKinds as readonly Wake[]).includes(work);
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

function startLoop(
  step: WorkerStep,
  { clock, log }: Omit<Parameters<typeof startWorkers>[0], 'steps'>,
) {
  const signal = createWakeSignal();
  let stopping = false;
  /** Start of the current run, repeats included; null while it sleeps. */
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
        const pauseMs = typeof step.pauseMs === 'function' ? step.pauseMs() : step.pauseMs;
        // Requests run between two batches.
        if (pauseMs !== undefined && !stopping) await signal.sleep(pauseMs);
        await (count > 0 ? immediately() : signal.wait(sleepMs(step, clock)));
      } catch (error) {
        backoffMs = Math.min(Math.max(backoffMs * 2, BACKOFF_FIRST_MS), BACKOFF_MAX_MS);
        // A constant text: the log counts repeats.
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
  const untilPollMs = untilGridMs(pollMs, performance.now());
  return dueAtMs === null
    ? untilPollMs
    : Math.min(untilPollMs, Math.max(0, dueAtMs - clock.nowMs()));
}

/**
 * Up to half a second more or less: loops that poll wake in one turn of the event loop, so that
 * PostgreSQL gets their reads as one transaction, and an idle process wakes up less often.
 */
export function untilGridMs(pollMs: number, nowMs: number): number {
  const gridMs = Math.min(pollMs, SECOND_MS);
  return Math.round((nowMs + pollMs) / gridMs) * gridMs - nowMs;
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
