// Plays simulated histories from the command line.
//
//   npm run simulate -- --seed N     plays one history; prints the end of its trace when it fails
//   npm run simulate -- --seeds K    plays K histories, from seed 1 or `--from N`, on all cores,
//                                    and ends with a report
//
// `--steps M` is the length of a history, `--database postgres` plays it on a PostgreSQL server
// too, `--parties` dwells on parties, `--people` on operators, members and keys, `--transfers` on
// transfers for several payments, `--partner
// blindpay` has the adapter of BlindPay over its simulator as the settlement partner, `--trace`
// prints the whole trace. `--mutant NAME` breaks the service first (mutants.ts), on SQLite, and
// stops at the first history that breaks an invariant it must break.
// Exits with 1 on a failure.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { temporaryPostgres } from '../support/databases/local-postgres.js';
import { type History, simulateOn } from './history.js';
import { brokenHistory, mutants } from './mutants/mutants.js';
import { partnerNames } from './partner/history-partner.js';
import { failureLine, Report } from './report.js';
import { type Focus, ofBlindPay, ofParties, ofPeople, ofTransfers } from './run-profile.js';
import { runSeeds } from './seed-workers.js';
import { sqliteInMemory } from './world/simulated-database.js';
import { postgresAt } from './world/simulated-postgres.js';

const TAIL_LINES = 60;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1' },
    from: { type: 'string', default: '1' },
    steps: { type: 'string', default: '250' },
    database: { type: 'string', default: 'sqlite' },
    parties: { type: 'boolean', default: false },
    people: { type: 'boolean', default: false },
    transfers: { type: 'boolean', default: false },
    partner: { type: 'string', default: 'simulated' },
    trace: { type: 'boolean', default: false },
    mutant: { type: 'string' },
  },
});
const { parties, people, transfers, trace, database, seed } = values;
const steps = wholeNumber('steps', values.steps);
const seeds = seed === undefined ? seedsFrom() : [wholeNumber('seed', seed)];
const mutant = mutants.find(({ name }) => name === values.mutant);
if (values.mutant !== undefined && mutant === undefined) {
  throw new Error(`--mutant: there is no mutant ${values.mutant}.`);
}
if (database !== 'sqlite' && database !== 'postgres') {
  throw new Error('--database: give sqlite or postgres.');
}
const partner = partnerNames.find((name) => name === values.partner);
if (partner === undefined) throw new Error(`--partner: give ${partnerNames.join(' or ')}.`);
const focus: Focus = {
  ...(partner === 'blindpay' ? ofBlindPay : {}),
  ...(parties ? ofParties : {}),
  ...(people ? ofPeople : {}),
  ...(transfers ? ofTransfers : {}),
};
const server = database === 'postgres' ? temporaryPostgres() : null;
try {
  const databaseUrl = (await server?.url()) ?? null;
  const failed =
    seeds.length > 1 && mutant === undefined
      ? await playWithReport(databaseUrl)
      : await playOneByOne(databaseUrl);
  process.exitCode = failed ? 1 : 0;
} finally {
  await server?.end();
}

async function playWithReport(databaseUrl: string | null): Promise<boolean> {
  const report = new Report({
    steps,
    parties,
    people,
    transfers,
    partner: focus.partner ?? 'simulated',
    database,
  });
  const players = Math.min(availableParallelism(), seeds.length);
  await runSeeds({ seeds, steps, focus, databaseUrl, players }, (history) => {
    report.add(history);
    if (history.violation !== null) console.log(failureLine(history));
  });
  console.log(report.text());
  return report.hasFailures;
}

/** Stops at the first history that fails as it must. */
async function playOneByOne(databaseUrl: string | null): Promise<boolean> {
  const openDatabase = databaseUrl === null ? sqliteInMemory : postgresAt(databaseUrl);
  const broken = mutant === undefined ? null : await brokenHistory(mutant);
  for (const one of seeds) {
    const startedAt = performance.now();
    const history = await (broken === null
      ? simulateOn(openDatabase, one, steps, focus)
      : broken.simulate(one, steps, mutant?.focus ?? focus));
    print(history, Math.round(performance.now() - startedAt));
    if (isCaught(history)) return true;
  }
  return false;
}

function isCaught({ violation }: History): boolean {
  const expected: readonly string[] | undefined = mutant?.caughtBy;
  if (violation === null) return false;
  return expected === undefined || expected.includes(violation.invariant);
}

function print(history: History, tookMs: number): void {
  const failed = history.violation !== null;
  if (trace || failed) console.log(history.trace.slice(trace ? 0 : -TAIL_LINES).join('\n'));
  if (trace) console.log(Object.fromEntries([...history.counts, ...history.faults].sort()));
  if (failed) console.log(failureLine(history));
  else {
    const hash = history.traceHash.slice(0, 16);
    console.log(`seed ${history.seed}: all invariants hold, trace ${hash}, ${tookMs} ms`);
  }
}

function seedsFrom(): readonly number[] {
  const from = wholeNumber('from', values.from);
  return Array.from({ length: wholeNumber('seeds', values.seeds) }, (_, index) => from + index);
}

function wholeNumber(option: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`--${option}: give a whole number.`);
  return Number(text);
}
