// Runs all work of a service whose clock moves on request only, each piece at the time when it
// falls due: for embedding, and to seed a database with a past.
import { assert } from '../core/errors.js';
import { tokens } from './container.js';
import type { Container } from './opening.js';
import { localSteps, type WorkerStep, workerSteps } from './workers.js';

/** `runUntilIdle` skips waits this short: the sandbox polls the decisions of the partner. */
const SHORT_WAIT_MS = 500;
const BATCH = 100;
/** Far more than any work needs: more is an endless loop. */
const ROUNDS_MAX = 100_000;

export interface PlayedWork {
  readonly steps: readonly WorkerStep[];
  readonly time: { nowMs: number };
  idle(): Promise<void>;
  nextDueAtMs(): Promise<number | null>;
  /** When the sandbox next advances a payment, if that is soon. */
  nextAdvanceAtMs(): Promise<number | null>;
}

export function workOf(container: Container, time: PlayedWork['time']): PlayedWork {
  const [store, deps] = [container.get(tokens.store), container.get(tokens.deps)];
  const runners = container.get(tokens.runners);
  const partners = container.get(tokens.partners);
  return {
    steps: [...workerSteps({ deps, runners }), ...localSteps({ deps, partners })],
    time,
    idle: async () => {
      await Promise.all([runners.commands.idle(), runners.deliveries.idle()]);
    },
    nextDueAtMs: async () =>
      earliest([
        await store.claims.nextDueAtMs(),
        ...Object.values(partners).map((partner) => partner?.nextDueAtMs?.() ?? null),
      ]),
    nextAdvanceAtMs: async () => {
      const soon = { nowMs: time.nowMs + SHORT_WAIT_MS, limit: BATCH, after: null };
      const due = await store.run((tx) => tx.advances.due(soon));
      return earliest(due.map(({ dueAtMs }) => dueAtMs));
    },
  };
}

/** Skips short waits of the sandbox, up to `untilMs`. */
export async function runUntilIdle(work: PlayedWork, untilMs: number): Promise<void> {
  for (let rounds = 0; rounds < ROUNDS_MAX; rounds += 1) {
    let count = 0;
    for (const step of work.steps) count += await step.run(work.time.nowMs, BATCH);
    await work.idle();
    if (count > 0) continue;
    const nextMs = await work.nextAdvanceAtMs();
    if (nextMs === null || nextMs <= work.time.nowMs || nextMs > untilMs) return;
    work.time.nowMs = nextMs;
  }
  assert(false, 'work comes to an end');
}

/** Moves the clock and runs what falls due, each at its time. */
export async function advanceTime(work: PlayedWork, durationMs: number): Promise<void> {
  assert(durationMs >= 0, 'time does not go back');
  const untilMs = work.time.nowMs + durationMs;
  await runUntilIdle(work, untilMs);
  for (;;) {
    const dueMs = await work.nextDueAtMs();
    // Due work that could not be done is left.
    if (dueMs === null || dueMs > untilMs || dueMs <= work.time.nowMs) break;
    work.time.nowMs = dueMs;
    await runUntilIdle(work, untilMs);
  }
  work.time.nowMs = untilMs;
  await runUntilIdle(work, untilMs);
}

function earliest(moments: readonly (number | null)[]): number | null {
  const known = moments.filter((atMs) => atMs !== null);
  return known.length === 0 ? null : Math.min(...known);
}
