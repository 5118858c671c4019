// Plays many histories on several processes: each takes the next seed when it has finished one, so
// that a slow history delays no other.
import { type Child, startChild } from '../bench/child-calls.js';
import type { HistorySummary } from './history.js';
import type { Focus } from './run-profile.js';

export interface SeedsInput {
  readonly seeds: readonly number[];
  readonly steps: number;
  readonly focus: Focus;
  /** A PostgreSQL server; null: SQLite in memory. */
  readonly databaseUrl: string | null;
  /** Processes. */
  readonly players: number;
}

/** The calls that a worker process serves. */
export type SeedWorker = {
  play(seed: number, steps: number, focus: Focus): Promise<HistorySummary>;
};

/** Calls `played` for each history, in the order in which they end. */
export async function runSeeds(
  { seeds, steps, focus, databaseUrl, players }: SeedsInput,
  played: (history: HistorySummary) => void,
): Promise<void> {
  const left = seeds.values();
  const file = new URL('./seed-worker.ts', import.meta.url).href;
  const args = databaseUrl === null ? [] : [databaseUrl];
  const playOn = async (child: Child<SeedWorker>) => {
    for (const seed of left) played(await child.call('play', seed, steps, focus));
  };
  const children: Child<SeedWorker>[] = [];
  try {
    for (let count = 0; count < players; count += 1) {
      children.push(await startChild<SeedWorker>(file, args));
    }
    await Promise.all(children.map(playOn));
  } finally {
    await Promise.all(children.map((child) => child.end()));
  }
}
