// A few random histories over PostgreSQL: each keeps every invariant and is, line by line, the one
// that the same seed plays over SQLite. `npm run simulate -- --database postgres` plays more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localPostgres } from '../support/databases/local-postgres.js';
import { simulateOn } from './history.js';
import { failureLine } from './report.js';
import { type Focus, ofParties } from './run-profile.js';
import { postgresAt } from './world/simulated-postgres.js';

const SEEDS = 3;
const PARTY_SEEDS = 1;
const STEPS = 250;

const server = localPostgres();

function playTheSame(what: string, seeds: number, focus: Focus): void {
  test(`${what} 1 to ${seeds} keep every invariant on PostgreSQL, as on SQLite`, async () => {
    openDatabase ??= postgresAt(await server.url());
    for (let seed = 1; seed <= seeds; seed += 1) {
      const history = await simulateOn(openDatabase, seed, STEPS, focus);
      assert.equal(history.violation, null, failureLine(history));
    }
  });
}

let openDatabase: ReturnType<typeof postgresAt> | null = null;

playTheSame('histories', SEEDS, {});
playTheSame('histories of parties', PARTY_SEEDS, ofParties);
