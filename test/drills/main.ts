// `npm run drills`: faults done to real hosts and databases, one row of counts each. Exits with 1
// when a bound is broken. What a machine lacks is skipped with a line that says so.
//
//   npm run drills -- --list              names the drills and their bounds
//   npm run drills -- --only NAME,NAME    plays some of them
//   npm run drills -- --seed SEED         repeats the choices of an earlier run
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { BACKUP } from './backup-restore.js';
import { clockSkew } from './clock-skew.js';
import { type Drill, type DrillResult, play } from './drill.js';
import { fullDisk, fullDiskOfTables } from './full-disk.js';
import { idleDrills } from './idle.js';
import { patroniBalanced, patroniServers } from './patroni-drills.js';
import { pgbouncerIgnoring, pgbouncerSessions, pgbouncerTransactions } from './pgbouncer-drills.js';
import { frozenPrimary, killedPrimary } from './primary-drills.js';
import { networkForgets, networkHangs, networkIsSlow } from './silent-network.js';

const drills: readonly Drill[] = [
  BACKUP,
  fullDisk,
  fullDiskOfTables,
  clockSkew,
  killedPrimary,
  frozenPrimary,
  networkHangs,
  networkForgets,
  networkIsSlow,
  pgbouncerSessions,
  pgbouncerIgnoring,
  pgbouncerTransactions,
  patroniServers,
  patroniBalanced,
  ...idleDrills,
];

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
    list: { type: 'boolean', default: false },
  },
});
const names = options.only?.split(',') ?? drills.map(({ name }) => name);
const unknown = names.filter((name) => !drills.some((drill) => drill.name === name));
if (unknown.length > 0) throw new Error(`no such drill: ${unknown.join(', ')}`);

const print = (text: string) => void process.stdout.write(`${text}\n`);
const wanted = drills.filter(({ name }) => names.includes(name));
if (options.list) {
  for (const { name, bounds } of wanted) print(`${name}: ${bounds}`);
} else {
  // A server that was killed leaves handles of its starter open.
  process.exit((await playAll(wanted)) ? 0 : 1);
}

/** True when every bound of every drill held. */
async function playAll(chosen: readonly Drill[]): Promise<boolean> {
  print(`seed ${options.seed}`);
  const rows: string[] = [];
  let good = true;
  for (const drill of chosen) {
    const say = (text: string) => void process.stderr.write(`${drill.name}: ${text}\n`);
    const startedAtMs = performance.now();
    const result = await play(drill, { seed: options.seed, say });
    const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(0);
    rows.push(rowOf(drill, result, seconds));
    print(rows.at(-1) ?? '');
    if ('broken' in result) for (const bound of result.broken) print(`  broken: ${bound}`);
    good &&= 'skipped' in result || result.broken.length === 0;
  }
  print(`\n| drill | result | seconds | counts | bounds |\n|---|---|---|---|---|`);
  for (const row of rows) print(row);
  return good;
}

function rowOf({ name, bounds }: Drill, result: DrillResult, seconds: string): string {
  if ('skipped' in result) return `| ${name} | skipped: ${result.skipped} | | | ${bounds} |`;
  const counts = Object.entries(result.counts).map(([what, count]) => `${what} ${count}`);
  const verdict = result.broken.length === 0 ? 'ok' : 'BROKEN';
  return `| ${name} | ${verdict} | ${seconds} | ${counts.join(', ')} | ${bounds} |`;
}
