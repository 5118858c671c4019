// Two random histories over PostgreSQL: each keeps every invariant and is, line by line, the one
// that the same seed plays over SQLite. `npm run simulate -- --database postgres` plays more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localPostgres } from '../support/databases/local-postgres.js';
import { simulateOn } from './history.js';
import { failureLine } from './report.js';
import { type Focus, ofParties } from './run-profile.js';
import { postgresAt } from './world/simulated-postgres.js';

const STEPS = 80;

const server = localPostgres();
const seed = 1;

function playTheSame(what: string, focus: Focus): void {
  test(`${what} ${seed} keeps every invariant on PostgreSQL, as on SQLite`, async () => {
    openDatabase ??= postgresAt(await server.url());
    const history = await simulateOn(openDatabase, seed, STEPS, focus);
    assert.equal(history.violation, null, failureLine(history));
  });
}

let openDatabase: ReturnType<typeof postgresAt> | null = null;

playTheSame('history', {});
playTheSame('history of parties', ofParties);
