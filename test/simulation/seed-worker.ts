// One process of seed-workers.ts: it plays the histories of the seeds that it is given, on
// SQLite in memory or on the PostgreSQL server that its argument names.
import { serveCalls } from '../bench/child-calls.js';
import { simulateOn } from './history.js';
import type { SeedWorker } from './seed-workers.js';
import { sqliteInMemory } from './world/simulated-database.js';
import { postgresAt } from './world/simulated-postgres.js';

const [, , databaseUrl] = process.argv;
const openDatabase = databaseUrl === undefined ? sqliteInMemory : postgresAt(databaseUrl);

const player: SeedWorker = {
  async play(seed, steps, focus) {
    const { trace: _, ...summary } = await simulateOn(openDatabase, seed, steps, focus);
    return summary;
  },
};

serveCalls(player);
