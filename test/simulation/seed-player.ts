// One process of a fleet (fleet.ts): it plays the histories of the seeds that it is given, on
// SQLite in memory or on the PostgreSQL server that its argument names.
import { serveCalls } from '../bench/child-calls.js';
import { ofParties } from './chaos.js';
import type { Player } from './fleet.js';
import { simulateOn } from './history.js';
import { sqliteInMemory } from './simulated-database.js';
import { postgresAt } from './simulated-postgres.js';

const [, , databaseUrl] = process.argv;
const openDatabase = databaseUrl === undefined ? sqliteInMemory : postgresAt(databaseUrl);

const player: Player = {
  async play(seed, steps, parties) {
    const focus = parties ? ofParties : {};
    const { trace: _, ...summary } = await simulateOn(openDatabase, seed, steps, focus);
    return summary;
  },
};

serveCalls(player);
