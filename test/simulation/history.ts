// One history: random steps in a new world, recovery without faults, then the final checks. The
// seed decides everything.
import { createHash } from 'node:crypto';
import { act } from './actions/actions.js';
import { recover } from './actions/recovery.js';
import type { Violation } from './invariants/invariants.js';
import type { Focus } from './run-profile.js';
import type { FaultKind } from './world/faults.js';
import { type OpenDatabase, sqliteInMemory } from './world/simulated-database.js';
import { stackOf, World } from './world/world.js';

export interface History {
  readonly seed: number;
  readonly steps: number;
  /** SHA-256 of everything that happened. */
  readonly traceHash: string;
  readonly violation: (Violation & { readonly step: number }) | null;
  /** How often an invariant was checked. */
  readonly checks: number;
  /** Everything that happened, a line each. */
  readonly trace: readonly string[];
  /** How often what happened. */
  readonly counts: ReadonlyMap<string, number>;
  readonly faults: ReadonlyMap<FaultKind, number>;
}

export type HistorySummary = Omit<History, 'trace'>;

/**
 * Plays the history on this database, and once more on SQLite in memory when that is another one.
 * Both databases behave alike, so the histories are the same.
 */
export async function simulateOn(
  openDatabase: OpenDatabase,
  seed: number,
  steps: number,
  focus: Focus = {},
): Promise<History> {
  const history = await simulate(seed, steps, focus, openDatabase);
  if (history.violation !== null || openDatabase === sqliteInMemory) return history;
  const { trace } = await simulate(seed, steps, focus);
  const at = history.trace.findIndex((line, index) => line !== trace[index]);
  if (at === -1 && trace.length === history.trace.length) return history;
  const detail = `here: ${history.trace[at]}; on SQLite: ${trace[at]}`;
  return { ...history, violation: { invariant: 'bothDatabasesPlayTheSame', detail, step: steps } };
}

/** The same seed plays the same history. */
export async function simulate(
  seed: number,
  steps: number,
  focus: Focus = {},
  openDatabase: OpenDatabase = sqliteInMemory,
): Promise<History> {
  const database = await openDatabase();
  const world = new World(seed, focus, database);
  try {
    await world.open();
    for (let step = 0; step < steps && world.violation === null; step += 1) {
      await world.step(() => act(world));
    }
    if (world.violation === null) await recover(world);
    if (world.violation === null) await world.finish();
  } catch (error) {
    world.violate({ invariant: 'theSimulatorItself', detail: stackOf(error) });
  } finally {
    await world.close();
  }
  const hash = createHash('sha256');
  for (const line of world.lines) hash.update(`${line}\n`);
  return {
    seed,
    steps: world.steps,
    traceHash: hash.digest('hex'),
    violation: world.violation,
    checks: world.checks,
    trace: world.lines,
    counts: world.counts,
    faults: world.faults.injected,
  };
}
