// The worker loops: woken at once, polling behind it, undisturbed by failures, stopped gracefully.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { Deps } from '../../core/ports/deps.js';
import type { Log } from '../../core/ports/outside.js';
import {
  IN_FLIGHT_PER_SUBSCRIPTION,
  WINDOW_GROWTH_MAX,
} from '../../core/usecases/webhooks/delivery-window.js';
import {
  createSignals,
  localSteps,
  type Runners,
  startWorkers,
  untilGridMs,
  type WorkerStep,
  type Workers,
  workerSteps,
} from '../../host/workers.js';

const errors: string[] = [];
const log: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (message) => errors.push(message),
};

let started: Workers | null = null;
afterEach(async () => {
  await started?.stop();
  started = null;
  errors.length = 0;
});

/** A poll that comes too late for any test: what happens then was woken. */
const NEVER_MS = 1_000_000;

function start(
  steps: readonly Omit<WorkerStep, 'pollMs'>[],
  { nowMs = () => 0, pollMs = 1 }: { nowMs?: () => number; pollMs?: number } = {},
) {
  const signals = createSignals();
  const polled = steps.map((step) => ({ ...step, pollMs }));
  const workers = startWorkers({ steps: polled, signals, clock: { nowMs }, log });
  started = workers;
  return { signals, workers };
}

/** A step that counts its runs; `reached` waits for a run. */
function counting(answer: (run: number) => Promise<number> | number) {
  let runs = 0;
  let waiting: { readonly from: number; readonly resolve: () => void }[] = [];
  return {
    runs: () => runs,
    reached: (count: number) =>
      new Promise<void>((resolve) => {
        if (runs >= count) resolve();
        else waiting.push({ from: count, resolve });
      }),
    run: async () => {
      runs += 1;
      const run = runs;
      for (const { from, resolve } of waiting) if (run >= from) resolve();
      waiting = waiting.filter(({ from }) => run < from);
      return answer(run);
    },
  };
}

test('a step repeats immediately while there is work, then waits to be woken', async () => {
  const step = counting((run) => (run <= 3 ? 1 : 0));
  const { signals } = start([{ name: 'a', wokenBy: ['commands'], run: step.run }], {
    pollMs: NEVER_MS,
  });
  await step.reached(4);
  signals.wake('deliveries');
  signals.wake('commands');
  await step.reached(5);
});

test('work stored while a step runs is looked at right after it', async () => {
  const gate = Promise.withResolvers<number>();
  const step = counting((run) => (run === 1 ? gate.promise : 0));
  const { signals } = start([{ name: 'a', wokenBy: ['commands'], run: step.run }], {
    pollMs: NEVER_MS,
  });
  await step.reached(1);
  signals.wake('commands');
  gate.resolve(0);
  await step.reached(2);
});

test('a wake in the rest after a run is not lost', async () => {
  const step = counting(() => 0);
  const rested = { name: 'a', wokenBy: ['commands'], pauseMs: 5, run: step.run } as const;
  const { signals } = start([rested], { pollMs: NEVER_MS });
  await step.reached(1);
  await Promise.resolve();
  signals.wake('commands');
  await step.reached(2);
});

test('a step sleeps until it has something to do, however long its poll', async () => {
  let dueAtMs: number | null = 1;
  const step = counting((run) => {
    if (run === 3) dueAtMs = null;
    return 0;
  });
  start([{ name: 'a', wokenBy: [], run: step.run, nextDueAtMs: () => dueAtMs }], {
    pollMs: NEVER_MS,
  });
  await step.reached(3);
});

test('without a wake a step is polled', async () => {
  const step = counting(() => 0);
  start([{ name: 'a', wokenBy: [], run: step.run }]);
  await step.reached(3);
});

test('a failing step is logged and tried again, and others go on', async () => {
  const bad = counting((run) => {
    if (run <= 2) throw new Error('no');
    return 0;
  });
  const good = counting(() => 0);
  start([
    { name: 'bad', wokenBy: [], run: bad.run },
    { name: 'good', wokenBy: [], run: good.run },
  ]);
  await Promise.all([bad.reached(3), good.reached(2)]);
  assert.deepEqual(errors, ['a worker step failed', 'a worker step failed']);
});

test('loops that poll wake at the same moments, whenever each of them began', () => {
  for (const pollMs of [500, 1_000, 4_000, 6_000, 60_000, 21_600_000]) {
    const gridMs = Math.min(pollMs, 1_000);
    for (const nowMs of [0, 1, 499, 500, 501, 999.5, 1_000.25, 123_456]) {
      const waitMs = untilGridMs(pollMs, nowMs);
      assert.equal((nowMs + waitMs) % gridMs, 0);
      assert.ok(Math.abs(waitMs - pollMs) <= gridMs / 2, `${pollMs} at ${nowMs}: ${waitMs}`);
    }
  }
});

test('waits between failures grow up to a bound and restart after a good run', async (t) => {
  const waits: number[] = [];
  t.mock.method(performance, 'now', () => 0);
  const { setTimeout: after } = globalThis;
  t.mock.method(globalThis, 'setTimeout', (done: () => void, delayMs: number) => {
    waits.push(delayMs);
    return after(done, 0);
  });
  const step = counting((run) => {
    if (run === 10) return 0;
    throw new Error('no');
  });
  start([{ name: 'a', wokenBy: [], run: step.run }], { pollMs: 7 });
  await step.reached(12);
  const growing = [100, 200, 400, 800, 1_600, 3_000, 3_000, 3_000, 3_000];
  assert.deepEqual(waits.slice(0, 11), [...growing, 7, 100]);
});

test('a wake does not shorten the wait after a failure', async () => {
  const step = counting((run) => {
    if (run === 1) throw new Error('no');
    return 0;
  });
  const { signals } = start([{ name: 'a', wokenBy: ['commands'], run: step.run }]);
  await step.reached(1);
  // No timer fires between microtasks, so that only a ring could bring the second run here.
  for (let rings = 0; rings < 20; rings += 1) {
    signals.wake('commands');
    await Promise.resolve();
  }
  assert.equal(step.runs(), 1);
  await step.reached(2);
});

test('stopping waits for the runs under way and begins no other', async () => {
  const gate = Promise.withResolvers<number>();
  const step = counting(() => gate.promise);
  const { workers } = start([{ name: 'a', wokenBy: ['commands'], run: step.run }]);
  await step.reached(1);
  let stopped = false;
  const stopping = workers.stop().then(() => {
    stopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(stopped, false);
  gate.resolve(1);
  await stopping;
  assert.equal(step.runs(), 1);
});

test('a step without a good run for half a minute is stalled', async () => {
  let nowMs = 1_000_000;
  const gate = Promise.withResolvers<number>();
  const hanging = counting(() => gate.promise);
  const good = counting(() => 0);
  const { workers } = start(
    [
      { name: 'hanging', wokenBy: [], run: hanging.run },
      { name: 'good', wokenBy: ['commands'], run: good.run },
    ],
    { nowMs: () => nowMs },
  );
  await hanging.reached(1);
  assert.deepEqual(workers.stalled(), []);
  nowMs += 31_000;
  await good.reached(good.runs() + 2);
  assert.deepEqual(workers.stalled(), ['hanging']);
  gate.resolve(0);
});

test('one run takes the deliveries of one receiver, and a hundred of others', async () => {
  const parts = { deps: {} as Deps, runners: {} as Runners };
  const asked = await Promise.all(
    [...workerSteps(parts), ...localSteps({ ...parts, partners: { test: null, live: null } })].map(
      async (step) => {
        const { promise, resolve } = Promise.withResolvers<number>();
        const run = async (_: number, limit: number) => {
          resolve(limit);
          return 0;
        };
        const workers = startWorkers({
          steps: [{ ...step, run, pollMs: NEVER_MS }],
          signals: createSignals(),
          clock: { nowMs: () => 0 },
          log,
        });
        const limit = await promise;
        await workers.stop();
        return [step.name, limit] as const;
      },
    ),
  );
  const { deliveries, ...others } = Object.fromEntries(asked);
  assert.equal(deliveries, IN_FLIGHT_PER_SUBSCRIPTION + WINDOW_GROWTH_MAX);
  assert.deepEqual([...new Set(Object.values(others))], [100]);
});

test('statistics are read after writes, at most once a second', async () => {
  const parts = { deps: {} as Deps, runners: {} as Runners };
  const steps = workerSteps({ ...parts, analyzeGrowingTables: async () => 3 });
  const statistics = steps.find(({ name }) => name === 'statistics');
  assert.deepEqual([statistics?.wokenBy, statistics?.pauseMs], [['write'], 1_000]);
  assert.equal(await statistics?.run(0, 100), 0);
});
