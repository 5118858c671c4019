// Runs tests: every `*.test.ts`, or the files and folders that are named; with `--nightly` every
// `*.nightly.ts`, which take too long for each change. A few processes load many files each: the
// service takes longer to load than most files take to run. All files share one PostgreSQL server.
// A process without progress is ended, and the files that were open are printed. The temporary
// folder of a run is empty. A run of all tests also checks the format and the types.
//
//   npm test                                            all tests and checks
//   npm test -- test/core test/host/crash.test.ts       a folder and a file
//   npm test -- test/core --name 'is refused'           the tests with such a title
//   npm test -- --silence 300                           on a slow machine: seconds without progress
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { mayPostgresEnter } from './support/databases/embedded-postgres.js';
import { SHARED_POSTGRES, temporaryPostgres } from './support/databases/local-postgres.js';
import { buildProgram } from './support/servers/built-program.js';
import { projectFiles, projectRoot } from './support/source-tree.js';
import type { GroupReport } from './support/test-group.js';
import { watchedProcess } from './support/watched-process.js';

/** Files that need a separate process, and why. */
const alone: Readonly<Record<string, string>> = {
  'test/on-postgres.test.ts': 'sets the database of the process',
  'test/on-postgres.nightly.ts': 'sets the database of the process',
  'test/on-sqlite-file.test.ts': 'sets the database of the process',
  'test/on-sqlite-file.nightly.ts': 'sets the database of the process',
  'test/adapters/http/docs/description.test.ts':
    'compares what the first calls of a process return',
};

/** How many files one process loads, by folder: few where tests mostly wait, so that others run. */
const filesPerProcess: readonly (readonly [folder: string, files: number])[] = [
  ['test/host', 5],
  ['test/cli', 5],
  ['test/adapters/storage', 8],
  ['test/adapters', 40],
  ['test/core', 50],
  ['test/simulation', 1],
  ['test', 2],
];

/** Tests wait for servers and clocks about half of their time. */
const LANES_PER_CORE = 2;
/** Maximum time without progress. */
const SILENCE_MS = 100_000;
const SILENCE_MAX_MS = 300_000;
/** Maximum time of a group. */
const TOTAL_MS = 600_000;
/** Maximum time that a process may run on after its last file. */
const LINGER_MS = 20_000;
/** Maximum time that the shared server may take to start, or to stop. */
const SERVER_MS = 60_000;
const SLOWEST = 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    nightly: { type: 'boolean', default: false },
    name: { type: 'string' },
    silence: { type: 'string' },
  },
});
const silenceMs = values.silence === undefined ? usualSilenceMs() : Number(values.silence) * 1_000;
const ending = values.nightly ? '.nightly.ts' : '.test.ts';
const all = projectFiles()
  .map(({ path }) => path)
  .filter((path) => path.startsWith('test/') && path.endsWith(ending));
const chosen = positionals.length === 0 ? all : positionals.flatMap(testsAt);
const isWhole = positionals.length === 0 && !values.nightly;

/** Wall time of each file. */
const fileTimes: { readonly path: string; readonly ms: number; readonly cpuMs: number }[] = [];
/** The lines of the reporter's summary, added up. */
const counts = new Map<string, number>();
const failures: string[] = [];

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    fail('the run', signal);
    printSummary();
    process.exit(1);
  });
process.env['TMPDIR'] = emptyFolder();
await runAll().catch((error: unknown) => fail('the run', String(error)));
printSummary();
// Nothing that is still open keeps the run from ending.
process.exit(failures.length === 0 ? 0 : 1);

async function runAll(): Promise<void> {
  const checks = isWhole ? ['check:format', 'check:typescript'].map(script) : [];
  if (startsProgram()) await buildProgram();
  const isShared = chosen.length > 1 && !chosen.every((path) => path.startsWith('test/core/'));
  const server = isShared ? temporaryPostgres() : null;
  if (server !== null) {
    process.env[SHARED_POSTGRES] = await inTime('PostgreSQL did not start', server.url());
  }
  const waiting = groups();
  const lanes = Array.from({ length: availableParallelism() * LANES_PER_CORE }, async () => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift())
      await runGroup(group);
  });
  await Promise.all([...lanes, ...checks]);
  if (server !== null) await inTime('PostgreSQL did not stop', server.end());
}

/** Longer while other programs use the processors, up to SILENCE_MAX_MS. */
function usualSilenceMs(): number {
  const [load = 0] = loadavg();
  const busyMs = Math.round((SILENCE_MS * load) / (availableParallelism() * 2));
  return Math.min(Math.max(SILENCE_MS, busyMs), SILENCE_MAX_MS);
}

/** A folder for the temporary files of the run, removed with everything that a test left there. */
function emptyFolder(): string {
  const parent = mayPostgresEnter(tmpdir()) ? tmpdir() : '/tmp';
  const folder = mkdtempSync(join(parent, 'ponte-tests-'));
  chmodSync(folder, 0o755);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Whether the run is large enough to build what some tests start. */
function startsProgram(): boolean {
  return chosen.length > 1 && chosen.some((path) => /^test\/(cli|host)\//.test(path));
}

/** The tests below a path that somebody typed. */
function testsAt(typed: string): readonly string[] {
  if (isAbsolute(typed) && existsSync(typed)) return [typed];
  const path = typed.replace(/^\.\//, '').replace(/\/$/, '');
  const found = all.filter((file) => file === path || file.startsWith(`${path}/`));
  if (found.length === 0) throw new Error(`There are no tests at ${typed}.`);
  return found;
}

/** The files of each process. Those with many tests to wait for come first. */
function groups(): (readonly string[])[] {
  const shared = chosen.filter((path) => !isAlone(path));
  const folders = Map.groupBy(shared, (path) =>
    filesPerProcess.findIndex(([at]) => path.startsWith(at)),
  );
  const groups = [...folders].sort().flatMap(([at, paths]) => inGroups(paths, filesPerProcess[at]));
  return [...chosen.filter(isAlone).map((path) => [path]), ...groups];
}

function isAlone(path: string): boolean {
  return alone[path] !== undefined || isAbsolute(path);
}

function inGroups(paths: readonly string[], [, size]: readonly [string, number] = ['', 1]) {
  const count = Math.ceil(paths.length / size);
  return Array.from({ length: count }, (_, group) =>
    paths.filter((_, index) => index % count === group),
  );
}

async function runGroup(paths: readonly string[]): Promise<void> {
  const openedAtMs = new Map<string, number>();
  const times = new Map<string, number>();
  const left: string[] = [];
  let cpuMs = 0;
  const onReport = (line: string) => {
    const report = JSON.parse(line) as GroupReport;
    if (report.event === 'exit') cpuMs = report.cpuMs;
    if (report.event === 'open') openedAtMs.set(report.path, performance.now());
    if (report.event !== 'closed') return undefined;
    times.set(report.path, performance.now() - (openedAtMs.get(report.path) ?? 0));
    if (report.left.length > 0) left.push(`${report.path} left ${report.left.join(', ')}`);
    return times.size === paths.length ? Math.min(LINGER_MS, silenceMs) : undefined;
  };
  const words = [
    ...process.execArgv,
    '--test-reporter=spec',
    ...(values.name === undefined ? [] : [`--test-name-pattern=${values.name}`]),
    'test/support/test-group.ts',
    ...paths,
  ];
  const limits = { cwd: projectRoot, silenceMs, totalMs: TOTAL_MS, onReport };
  const { code, output, exceeded } = await watchedProcess(process.execPath, words, limits);
  const failed = printed(output);
  const unfinished = paths.filter((path) => !times.has(path));
  const opened = unfinished.filter((path) => openedAtMs.has(path));
  const files = (opened.length > 0 ? opened : unfinished).join(', ');
  if (exceeded !== null && unfinished.length > 0) fail(files, `${exceeded}; it was ended`);
  else if (exceeded !== null)
    fail(paths.join(', '), `it ran on after its tests; ${left.join('; ')}`);
  else if (unfinished.length > 0 && values.name === undefined)
    fail(files, `its process ended with code ${code}`);
  else if (code !== 0 && failed === '') fail(paths.join(', '), `it ended with code ${code}`);
  if (failed !== '') failures.push(failed);
  for (const [path, ms] of times) fileTimes.push({ path, ms, cpuMs });
}

/** Prints the results of a process, without its summary. Returns the details of failed tests. */
function printed(output: string): string {
  const [results = '', failed = ''] = output.split('\n✖ failing tests:\n');
  const lines = results.split('\n').filter((line) => {
    const [, name, count] = /^ℹ (\w+) ([\d.]+)$/.exec(line) ?? [];
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + Number(count));
    return name === undefined;
  });
  const text = lines.join('\n').trim();
  if (text !== '') process.stdout.write(`${text}\n`);
  return failed.trim();
}

function fail(what: string, why: string): void {
  failures.push(`✖ ${what}: ${why}`);
  process.stdout.write(`✖ ${what}: ${why}\n`);
}

function printSummary(): void {
  const slowest = fileTimes.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`.padStart(8);
  const lines = [
    ...(chosen.length > 1 ? ['', 'Slowest files, and the CPU time of their processes:'] : []),
    ...(chosen.length > 1
      ? slowest.map(({ path, ms, cpuMs }) => `${seconds(ms)} ${seconds(cpuMs)}  ${path}`)
      : []),
    ...(failures.length > 0 ? ['', '✖ failed:', '', ...failures] : []),
    '',
    ['tests', 'pass', 'fail', 'cancelled', 'skipped']
      .map((name) => `${name} ${counts.get(name) ?? 0}`)
      .join(', '),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Runs while the tests do, and shows its output when it fails. */
async function script(name: string): Promise<void> {
  const limits = { cwd: projectRoot, silenceMs, totalMs: TOTAL_MS };
  const { code, output, exceeded } = await watchedProcess('npm', ['run', '-s', name], limits);
  if (code !== 0) fail(`npm run ${name}`, exceeded ?? output);
}

/** The server must not hold up the run. */
async function inTime<T>(failure: string, done: Promise<T>): Promise<T> {
  const timeout = wait(SERVER_MS).then(() => {
    throw new Error(`${failure} in ${SERVER_MS / 1_000} seconds.`);
  });
  return Promise.race([done, timeout]);
}
