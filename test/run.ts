// Runs tests: every `*.test.ts`, or the files and folders that are named; with `--nightly` every
// `*.nightly.ts`, which take too long for each change. A few processes take file after file, since
// the service takes longer to load than most files take to run. All files share one PostgreSQL
// server. A process without progress is ended, and the file that was open is printed. The temporary
// folder of a run is empty. A run of all tests also checks the format and the types.
//
//   npm test                                            all tests and checks
//   npm test -- test/core test/host/crash.test.ts       a folder and a file
//   npm test -- test/core --name 'is refused'           the tests with such a title
//   npm test -- --silence 500                           on a slow machine: seconds without progress
//   npm test -- --lists                                 the tests of all routes, pages and columns
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { cpuTimeMs } from './support/cpu-time.js';
import { mayPostgresEnter, POSTGRES_IMAGES } from './support/databases/embedded-postgres.js';
import { SHARED_POSTGRES, temporaryPostgres } from './support/databases/local-postgres.js';
import { buildProgram } from './support/servers/built-program.js';
import { BUILT_PROGRAM } from './support/servers/host-process.js';
import { projectFiles, projectRoot } from './support/source-tree.js';
import type { NextTest, TestReport } from './support/test-process.js';
import { type Answer, watchedProcess } from './support/watched-process.js';

/** Files that need a separate process, and why. */
const alone: Readonly<Record<string, string>> = {
  'test/on-postgres.test.ts': 'sets the database of the process',
  'test/on-postgres.nightly.ts': 'sets the database of the process',
  'test/on-sqlite-file.nightly.ts': 'sets the database of the process',
  'test/core/laws.nightly.ts': 'sets the cases of the laws of the process',
  'test/package.nightly.ts': 'leaves the program that the run has built aside',
};

/** Files that wait for servers and clocks nearly all the time: they have a process more. */
const waits: readonly string[] = [
  'test/adapters/documents/s3.test.ts',
  'test/adapters/webhooks/egress.test.ts',
  'test/adapters/webhooks/reach.test.ts',
  'test/adapters/webhooks/sender.test.ts',
  'test/host/idle.test.ts',
  'test/host/name-servers.test.ts',
  'test/host/postgres/postgres-tls.test.ts',
  'test/host/startup-errors.test.ts',
];

/** What needs neither PostgreSQL nor the program begins while they do. */
const early = /^test\/(core|adapters\/http|simulation\/(mutants|simulation\.test))/;

/** Files that are the first of a process, and why. */
const first: Readonly<Record<string, string>> = {
  'test/adapters/http/docs/description.test.ts':
    'compares what the first calls of a process return',
};

/** What goes over all routes, pages, commands, columns or words: a change elsewhere breaks it. */
const lists: readonly string[] = [
  'test/adapters/docs/reference.test.ts',
  'test/adapters/http/docs/description.test.ts',
  'test/adapters/http/every-answer.test.ts',
  'test/adapters/http/protocol/body-problems.test.ts',
  'test/adapters/http/protocol/schemas.test.ts',
  'test/adapters/http/repeated-creates.test.ts',
  'test/adapters/http/routes.test.ts',
  'test/adapters/http/tenants.test.ts',
  'test/adapters/pages/buyer/texts.test.ts',
  'test/adapters/pages/dashboard/member-rows.test.ts',
  'test/adapters/pages/glossary.test.ts',
  'test/adapters/pages/kit/declared-pages.test.ts',
  'test/adapters/storage/personal-rows.test.ts',
  'test/adapters/storage/query-plans.test.ts',
  'test/adapters/storage/schema-words.test.ts',
  'test/host/database-place.test.ts',
  'test/simulation/mutants/mutant-texts.test.ts',
];

/**
 * Usual times of files, by folder: those that take longest begin first. The times of the last run
 * count, where there was one.
 */
const usualMs: readonly (readonly [folder: string, ms: number])[] = [
  ['test/simulation', 60_000],
  ['test/adapters/pages', 20_000],
  ['test/host', 15_000],
  ['test/adapters/storage', 10_000],
  ['test/cli', 5_000],
  ['test/adapters', 2_000],
  ['test/core', 1_000],
  ['test', 10_000],
];

/**
 * Tests wait for servers and clocks about half of their time. A third process for each core costs
 * more than it fills: each loads the service.
 */
const LANES_PER_CORE = 2;
/** Maximum time without progress. */
const SILENCE_MS = 250_000;
const SILENCE_MAX_MS = 400_000;
/** Maximum time of a file. */
const TOTAL_MS = 600_000;
/** Some repeat a whole suite. */
const NIGHTLY_TOTAL_MS = 2_400_000;
/** Maximum time that the shared server may take to start, or to stop. */
const SERVER_MS = 60_000;
const SLOWEST = 20;
/** Start of the name of the temporary folder of a run. */
const FOLDER = 'ponte-tests-';
/** Linux has files in memory there. */
const IN_MEMORY = '/dev/shm';
/** Nothing was written to a folder that a killed run left for so long. */
const LEFTOVER_MS = 3_600_000;
/** Of it and of the memory must be free: three times what a run of all tests takes. */
const IN_MEMORY_MIN_BYTES = 6 * 2 ** 30;
/** Maximum number of files in a line about a process. */
const NAMED_MAX = 5;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    nightly: { type: 'boolean', default: false },
    lists: { type: 'boolean', default: false },
    name: { type: 'string' },
    silence: { type: 'string' },
  },
});
const silenceMs = values.silence === undefined ? usualSilenceMs() : Number(values.silence) * 1_000;
const totalMs = values.nightly ? NIGHTLY_TOTAL_MS : TOTAL_MS;
const ending = values.nightly ? '.nightly.ts' : '.test.ts';
const all = projectFiles()
  .map(({ path }) => path)
  .filter((path) => path.startsWith('test/') && path.endsWith(ending));
const named = values.lists ? lists : positionals;
const chosen = named.length === 0 ? all : named.flatMap(testsAt);
const isWhole = named.length === 0 && !values.nightly;

interface Cost {
  readonly what: string;
  /** Wall time. */
  readonly ms: number;
  /** With the processes that it started. */
  readonly cpuMs: number;
}

/** By path. */
const costsOfFiles: Cost[] = [];
const otherCosts: Cost[] = [];
/** Milliseconds of the last runs, by file. */
const timesFile = join(projectRoot, 'node_modules/.cache/test-times.json');
const lastMs: Readonly<Record<string, number>> = existsSync(timesFile)
  ? JSON.parse(readFileSync(timesFile, 'utf8'))
  : {};
/** The lines of the reporter's summary, added up. */
const counts = new Map<string, number>();
const failures: string[] = [];
/** Whether PostgreSQL and the program are there. */
let isReady = false;
/** What tests say of recorded choices that have become slow. */
const slowChoices: string[] = [];

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    fail('the run', signal);
    printSummary();
    process.exit(1);
  });
process.env['TMPDIR'] = emptyFolder();
process.env[POSTGRES_IMAGES] = process.env['TMPDIR'];
// The compiler of TypeScript takes a quarter less CPU time when it collects garbage less often.
process.env['GOGC'] ??= '400';
await runAll().catch((error: unknown) => fail('the run', String(error)));
printSummary();
writeTimes();
// Nothing that is still open keeps the run from ending.
process.exit(failures.length === 0 ? 0 : 1);

async function runAll(): Promise<void> {
  const checks = isWhole ? ['check:format', 'check:typescript'].map(script) : [];
  const isShared = chosen.length > 1 && !chosen.every((path) => path.startsWith('test/core/'));
  const server = isShared ? temporaryPostgres() : null;
  const url = server === null ? null : inTime('PostgreSQL did not start', server.url());
  const ready = counted('the build of the program, and the start of PostgreSQL', async () => {
    if (startsProgram()) await buildProgram();
    if (url !== null) process.env[SHARED_POSTGRES] = await url;
    isReady = true;
  });
  const sorted = chosen.toSorted((a, b) => expectedMs(b) - expectedMs(a));
  const separate = sorted.filter((path) => alone[path] !== undefined);
  const firsts = sorted.filter((path) => first[path] !== undefined);
  const idle = sorted.filter((path) => waits.includes(path));
  const together = sorted.filter((path) => ![...separate, ...firsts, ...idle].includes(path));
  const lane = async (_: unknown, index: number) => {
    for (let path = separate.shift(); path !== undefined; path = separate.shift()) {
      await ready;
      await runProcess([path]);
    }
    const files = index === 0 ? idle : together;
    // Files that are left when a process was ended go to another one.
    while (files.length + (index === 0 ? 0 : firsts.length) > 0) {
      if (index > 0) files.unshift(...firsts.splice(0, 1));
      if (!files.some(mayBegin)) await ready;
      await runProcess(files);
    }
  };
  const lanes = Array.from({ length: availableParallelism() * LANES_PER_CORE + 1 }, lane);
  await Promise.all([ready, ...lanes, ...checks]);
  // Its CPU time is known when it has ended.
  if (server !== null)
    await counted('the PostgreSQL server', () => inTime('PostgreSQL did not stop', server.end()));
}

async function counted(what: string, work: () => Promise<void>): Promise<void> {
  const [startedMs, startedCpuMs] = [performance.now(), cpuTimeMs()];
  await work();
  const ms = performance.now() - startedMs;
  otherCosts.push({ what, ms, cpuMs: cpuTimeMs() - startedCpuMs });
}

/** Longer while other programs use the processors, up to SILENCE_MAX_MS. */
function usualSilenceMs(): number {
  const [load = 0] = loadavg();
  const busyMs = Math.round((SILENCE_MS * load) / (availableParallelism() * 2));
  return Math.min(Math.max(SILENCE_MS, busyMs), SILENCE_MAX_MS);
}

/**
 * A folder for the temporary files of the run, removed with everything that a test left there. In
 * memory if there is room: ext4 looks at every file that was removed in the last minutes before it
 * makes one, and PostgreSQL makes some hundred for each database.
 */
function emptyFolder(): string {
  const parent = [IN_MEMORY, tmpdir()].find((path) => mayHold(path) && mayPostgresEnter(path));
  const folder = mkdtempSync(join(parent ?? '/tmp', `${FOLDER}${process.pid}-`));
  chmodSync(folder, 0o755);
  process.once('exit', () => removeFolder(folder));
  return folder;
}

/** Files in memory need room, and containers often forbid to run programs from there. */
function mayHold(parent: string): boolean {
  if (parent !== IN_MEMORY) return true;
  const probe = join(parent, `${FOLDER}${process.pid}`);
  try {
    for (const name of readdirSync(parent)) removeLeftover(join(parent, name));
    const { bavail, bsize } = statfsSync(parent);
    writeFileSync(probe, '#!/bin/sh\n', { mode: 0o755 });
    execFileSync(probe);
    return Math.min(bavail * bsize, process.availableMemory()) >= IN_MEMORY_MIN_BYTES;
  } catch {
    return false;
  } finally {
    removeFolder(probe);
  }
}

/** A run that was killed leaves its folder. A container may see the files of others that run. */
function removeLeftover(path: string): void {
  const [, pid] = new RegExp(`/${FOLDER}(\\d+)-[^/]*$`).exec(path) ?? [];
  if (pid === undefined || existsSync(`/proc/${pid}`)) return;
  if (statSync(path).mtimeMs < Date.now() - LEFTOVER_MS) removeFolder(path);
}

function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

/** Whether the run is large enough to build what some tests start. */
function startsProgram(): boolean {
  return (
    !values.lists && chosen.length > 1 && chosen.some((path) => /^test\/(cli|host)\//.test(path))
  );
}

/** The tests below a path that somebody typed. */
function testsAt(typed: string): readonly string[] {
  if (isAbsolute(typed) && existsSync(typed)) return [typed];
  const path = typed.replace(/^\.\//, '').replace(/\/$/, '');
  const found = all.filter((file) => file === path || file.startsWith(`${path}/`));
  if (found.length === 0) throw new Error(`There are no tests at ${typed}.`);
  return found;
}

function expectedMs(path: string): number {
  return lastMs[path] ?? usualMs.find(([folder]) => path.startsWith(folder))?.[1] ?? 0;
}

/** What is shared by now goes with the path: a process may have begun before. */
function nextTest({ path }: OpenFile): NextTest {
  const shared = [SHARED_POSTGRES, BUILT_PROGRAM].map((name) => [name, process.env[name]]);
  return { path, env: Object.fromEntries(shared.filter(([, value]) => value !== undefined)) };
}

type OpenResources = Extract<TestReport, { event: 'open' }>;

interface OpenFile {
  readonly path: string;
  readonly atMs: number;
}

function mayBegin(path: string): boolean {
  return isReady || early.test(path);
}

/** Takes the first file of the list that may begin. */
function nextFile(waiting: string[]): OpenFile | null {
  const at = waiting.findIndex(mayBegin);
  const [path] = at === -1 ? [] : waiting.splice(at, 1);
  return path === undefined ? null : { path, atMs: performance.now() };
}

/** Runs a process, which takes file after file until none waits. */
async function runProcess(waiting: string[]): Promise<void> {
  const closed: string[] = [];
  /** Kinds of resources that each file left open. Most of them close soon after it. */
  const left = new Map<string, readonly string[]>();
  let stillOpen: OpenResources | null = null;
  let open = nextFile(waiting);
  const onReport = (line: string): Answer => {
    const report = JSON.parse(line) as TestReport;
    if (report.event === 'open') stillOpen = report;
    if (report.event === 'exit') return { endsInMs: silenceMs };
    if (report.event === 'closed' && open !== null) {
      const { path, atMs } = open;
      closed.push(path);
      costsOfFiles.push({ what: path, ms: performance.now() - atMs, cpuMs: report.cpuMs });
      left.set(path, report.left);
      open = nextFile(waiting);
    }
    return open === null ? { endsInMs: silenceMs } : { message: nextTest(open) };
  };
  let unprinted = '';
  const onOutput = (text: string) => {
    unprinted = withoutResults(unprinted + text);
  };
  const words = [
    ...process.execArgv,
    '--test-reporter=spec',
    ...(values.name === undefined ? [] : [`--test-name-pattern=${values.name}`]),
    'test/support/test-process.ts',
  ];
  const limits = { cwd: projectRoot, silenceMs, totalMs, onOutput, onReport };
  const { code, exceeded } = await watchedProcess(process.execPath, words, limits);
  const failed = printed(unprinted);
  if (failed !== '') failures.push(failed);
  if (open !== null && exceeded !== null) fail(open.path, `${exceeded}; it was ended`);
  else if (open !== null) fail(open.path, `its process ended with code ${code}`);
  else if (exceeded !== null) fail(...whatStayedOpen(left, stillOpen));
  else if (code !== 0 && failed === '')
    fail(namesOf(closed), `their process ended with code ${code}`);
}

/** The files that left a kind of resource that is still open, and all that is still open. */
function whatStayedOpen(
  left: ReadonlyMap<string, readonly string[]>,
  open: OpenResources | null,
): readonly [files: string, what: string] {
  const kinds = open?.kinds ?? [];
  const suspects = [...left.keys()].filter((path) =>
    left.get(path)?.some((kind) => kinds.includes(kind)),
  );
  const files = suspects.length > 0 ? suspects : [...left.keys()];
  return [namesOf(files), `it left ${kinds.join(', ')} open (${open?.handles.join(', ')})`];
}

/** A process may have had hundreds of files. */
function namesOf(files: readonly string[]): string {
  const last = files.at(-1) ?? 'a process without files';
  return files.length <= NAMED_MAX ? files.join(', ') : `${last} and ${files.length - 1} before it`;
}

/** Prints the results of the files that have ended. Returns the rest. */
function withoutResults(output: string): string {
  const isSummary = /^ℹ tests /m.test(output);
  const last = isSummary ? undefined : [...output.matchAll(/^[✔✖] [^\n]*\n/gm)].at(-1);
  const end = last === undefined ? 0 : last.index + last[0].length;
  noteSlowChoices(output.slice(0, end));
  process.stdout.write(output.slice(0, end));
  return output.slice(end);
}

/** Prints the results of a process, without its summary. Returns the details of failed tests. */
function printed(output: string): string {
  const [results = '', failed = ''] = output.split('\n✖ failing tests:\n');
  const lines = results.split('\n').filter((line) => {
    const [, name, count] = /^ℹ (\w+) ([\d.]+)$/.exec(line) ?? [];
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + Number(count));
    return name === undefined;
  });
  noteSlowChoices(results);
  const text = lines.join('\n').trimEnd();
  if (text !== '') process.stdout.write(`${text}\n`);
  return failed.trim();
}

function noteSlowChoices(output: string): void {
  slowChoices.push(...(output.match(/^slow: .*$/gm) ?? []));
}

function fail(what: string, why: string): void {
  failures.push(`✖ ${what}: ${why}`);
  process.stdout.write(`✖ ${what}: ${why}\n`);
}

function printSummary(): void {
  const costs = [...costsOfFiles, ...otherCosts].toSorted((a, b) => b.cpuMs - a.cpuMs);
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`.padStart(8);
  const lines = [
    ...(chosen.length > 1 ? ['', 'CPU time and time of what cost most:'] : []),
    ...(chosen.length > 1
      ? costs
          .slice(0, SLOWEST)
          .map(({ what, ms, cpuMs }) => `${seconds(cpuMs)} ${seconds(ms)}  ${what}`)
      : []),
    ...(chosen.length > 1
      ? [`${seconds(cpuTimeMs())} ${seconds(performance.now())}  the run, with servers and checks`]
      : []),
    ...slowChoices,
    ...(failures.length > 0 ? ['', '✖ failed:', '', ...failures] : []),
    '',
    ['tests', 'pass', 'fail', 'cancelled', 'skipped']
      .map((name) => `${name} ${counts.get(name) ?? 0}`)
      .join(', '),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** For the order of the next run. Another run never reads half of it. */
function writeTimes(): void {
  const measured = Object.fromEntries(costsOfFiles.map(({ what, ms }) => [what, Math.round(ms)]));
  mkdirSync(dirname(timesFile), { recursive: true });
  writeFileSync(`${timesFile}.${process.pid}`, JSON.stringify({ ...lastMs, ...measured }));
  renameSync(`${timesFile}.${process.pid}`, timesFile);
}

/** Runs while the tests do, and shows its output when it fails. It is silent until its end. */
async function script(name: string): Promise<void> {
  const limits = { cwd: projectRoot, silenceMs: TOTAL_MS, totalMs: TOTAL_MS };
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
