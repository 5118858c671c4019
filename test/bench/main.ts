// `npm run bench`: Ponte's figures beside those of what one would otherwise write or pick. Each row
// is one file of rows/; what they are held against is in peers/. It prints a table and writes it as
// JSON. Options: --only <row>,… --quick --size <payments> --before <another clone>. With --gate it
// only counts what a request costs (gate.ts); --record writes these counts.
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { projectRoot } from '../support/source-tree.js';
import { startChild } from './child-calls.js';
import type { Bench, Figure, Row } from './comparison.js';
import { gate } from './gate.js';
import type { LoadCalls } from './load-process.js';
import { createOnPostgres, createOnSqlite, hosts, rateLimit } from './rows/create.js';
import { crowd } from './rows/crowd.js';
import { disk } from './rows/disk.js';
import { deliveries } from './rows/drain.js';
import { latency } from './rows/latency.js';
import { pages } from './rows/pages.js';
import { lists, read } from './rows/read.js';
import { scale } from './rows/scale.js';
import { start } from './rows/start.js';
import { wholePayment } from './rows/whole-payment.js';

const rows: Readonly<Record<string, Row>> = {
  'create-sqlite': createOnSqlite,
  'create-postgres': createOnPostgres,
  'rate-limit': rateLimit,
  'whole-payment': wholePayment,
  deliveries,
  read,
  lists,
  latency,
  disk,
  scale,
  crowd,
  start,
  hosts,
  pages,
};

const folder = fileURLToPath(new URL('.', import.meta.url));

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    size: { type: 'string', default: '1000000' },
    before: { type: 'string' },
    gate: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
});
if (options.gate) process.exit((await gate(options)) ? 0 : 1);
const wanted = options.only?.split(',') ?? Object.keys(rows);
const unknown = wanted.filter((name) => rows[name] === undefined);
if (unknown.length > 0) {
  throw new Error(`there is no ${unknown.join(', ')}; there are ${Object.keys(rows).join(', ')}`);
}

if (!existsSync(`${folder}node_modules`)) {
  // Nothing of a dependency runs at install.
  const args = ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', args, { stdio: 'inherit' });
}

// What is measured is what the sources say.
execFileSync('npm', ['run', '-s', 'build'], {
  cwd: projectRoot,
  stdio: ['ignore', 'ignore', 'inherit'],
});
const load = await startChild<LoadCalls>('load-process.ts');
const bench: Bench = {
  quick: options.quick,
  rounds: options.quick ? 3 : 5,
  roundMs: options.quick ? 2_000 : 8_000,
  connections: 64,
  size: Number(options.size),
  before: options.before ?? null,
  load: (job) => load.call('play', job),
  say: (text) => process.stderr.write(`${text}\n`),
};
const figures: Figure[] = [];
for (const name of wanted) {
  bench.say(name);
  figures.push(...((await rows[name]?.(bench)) ?? []));
}
await load.end();

const memoryGb = Math.round(totalmem() / 1e9);
const machine = `${availableParallelism()} × ${cpus()[0]?.model}, ${memoryGb} GB`;
const result = { at: new Date().toISOString(), node: process.version, machine, options, figures };
writeFileSync(`${folder}result.json`, `${JSON.stringify(result, null, 2)}\n`);
process.stdout.write(`\n${machine}, Node ${process.version}\n\n${tableOf(figures)}`);

function tableOf(all: readonly Figure[]): string {
  const lines = all.map(({ row, what, unit, value, against, ratio, goal }) => {
    const reached = goal === null ? null : isReached(goal, ratio ?? value);
    return [
      row,
      what,
      `${shown(value)} ${unit}`,
      against === null ? '' : `${against.what}: ${shown(against.value)} ${unit}`,
      ratio === null ? '' : `${ratio.toFixed(2)} ×`,
      goal === null ? '' : `${goal.kind} ${goal.value}${reached ? '' : ' (not reached)'}`,
    ];
  });
  const head = ['row', 'what', 'value', 'against', 'ratio', 'goal'];
  const widths = head.map((_, at) =>
    Math.max(...[head, ...lines].map((line) => (line[at] ?? '').length)),
  );
  return [head, ...lines]
    .map(
      (line) =>
        `${line
          .map((cell, at) => cell.padEnd(widths[at] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function shown(value: number): string {
  return value >= 100 ? `${Math.round(value)}` : value.toFixed(1);
}

function isReached(goal: NonNullable<Figure['goal']>, value: number): boolean {
  return goal.kind === 'at least' ? value >= goal.value : value <= goal.value;
}
