// One history from beginning to end: random steps in a fresh world, then healing, then the last
// judgement. Everything follows from the seed.
import { createHash } from 'node:crypto';
import { act } from './actions.js';
import type { Focus } from './chaos.js';
import { heal } from './healing.js';
import type { Violation } from './invariants.js';
import { stackOf, World } from './world.js';

export interface History {
  readonly seed: number;
  readonly steps: number;
  /** SHA-256 of everything that happened. */
  readonly traceHash: string;
  readonly violation: (Violation & { readonly step: number }) | null;
  /** Everything that happened, a line each. */
  readonly trace: readonly string[];
  /** How often what happened. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Plays `steps` random steps, then lets the world heal. The same seed plays the same history. */
export async function simulate(seed: number, steps: number, focus: Focus = {}): Promise<History> {
  const world = new World(seed, focus);
  try {
    await world.open();
    for (let step = 0; step < steps && world.violation === null; step += 1) {
      await world.step(() => act(world));
    }
    if (world.violation === null) await heal(world);
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
    trace: world.lines,
    counts: world.counts,
  };
}
