// Runs tests: every `*.test.ts`, or the files and folders that are named; with `--nightly` every
// `*.nightly.ts`, which take too long for each change. A few processes load many files each: the
// service takes longer to load than most files take to run. All files share one PostgreSQL server.
// A run of all tests also checks the format and the types.
//
//   npm test                                            all tests and checks
//   npm test -- test/core test/host/crash.test.ts       a folder and a file
//   npm test -- test/core --name 'is refused'           the tests with such a title
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { buildProgram } from './support/built-program.js';
import { freePort, SHARED_POSTGRES, temporaryPostgres } from './support/local-postgres.js';
import { projectFiles, projectRoot } from './support/source-tree.js';

/** Files that need a separate process, and why. */
const alone: Readonly<Record<string, string>> = {
  'test/on-postgres.test.ts': 'sets the database of the process',
  'test/on-postgres.nightly.ts': 'sets the database of the process',
  'test/on-sqlite-file.test.ts': 'sets the database of the process',
  'test/on-sqlite-file.nightly.ts': 'sets the database of the process',
  'test/adapters/http/description.test.ts': 'compares what the first calls of a process return',
  'test/package.test.ts':
    'its hook failed once in a shared process, where its folder existed already',
};

/** How many files one process loads, by folder: few where tests mostly wait, so that others run. */
const filesPerProcess: readonly (readonly [folder: string, files: number])[] = [
  ['test/host', 5],
  ['test/cli', 5],
  ['test/adapters/storage', 8],
  ['test/adapters', 40],
  ['test/core', 50],
  ['test/simulation', 1],
  ['test', 10],
];

/** Tests wait for servers and clocks about half of their time. */
const LANES_PER_CORE = 2;
const TIMEOUT_MS = 600_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { nightly: { type: 'boolean', default: false }, name: { type: 'string' } },
});
const ending = values.nightly ? '.nightly.ts' : '.test.ts';
const all = projectFiles()
  .map(({ path }) => path)
  .filter((path) => path.startsWith('test/') && path.endsWith(ending));
const chosen = positionals.length === 0 ? all : positionals.flatMap(testsAt);
const folder = mkdtempSync(join(tmpdir(), 'ponte-tests-'));
const isWhole = positionals.length === 0 && !values.nightly;
const removeProgram = startsProgram() ? await buildProgram() : null;
const checks = isWhole ? ['check:format', 'check:typescript'].map(script) : [];
const passed = await (chosen.length === 1 ? runFiles(chosen.map(absolute)) : runShared());
const checked = await Promise.all(checks);
removeProgram?.();
rmSync(folder, { recursive: true });
process.exitCode = passed && !checked.includes(false) ? 0 : 1;

/** Whether the run is large enough to build what some tests start. */
function startsProgram(): boolean {
  return chosen.length > 1 && chosen.some((path) => /^test\/(cli|host)\//.test(path));
}

/** The tests below a path that somebody typed. */
function testsAt(typed: string): readonly string[] {
  const path = typed.replace(/^\.\//, '').replace(/\/$/, '');
  const found = all.filter((file) => file === path || file.startsWith(`${path}/`));
  if (found.length === 0) throw new Error(`There are no tests at ${typed}.`);
  return found;
}

async function runShared(): Promise<boolean> {
  if (chosen.every((path) => path.startsWith('test/core/'))) return runFiles(processes());
  // It starts while the first files load.
  const port = await freePort();
  const server = temporaryPostgres({ port });
  const url = server.url();
  process.env[SHARED_POSTGRES] = `postgres://ponte:ponte@127.0.0.1:${port}/postgres`;
  try {
    return await runFiles(processes());
  } finally {
    await url;
    await server.end();
  }
}

/** The files that node:test starts a process for. Those with many tests to wait for come first. */
function processes(): readonly string[] {
  const shared = chosen.filter((path) => alone[path] === undefined);
  const folders = Map.groupBy(shared, (path) =>
    filesPerProcess.findIndex(([at]) => path.startsWith(at)),
  );
  const groups = [...folders].sort().flatMap(([at, paths]) => inGroups(paths, filesPerProcess[at]));
  const own = chosen.filter((path) => alone[path] !== undefined).map(absolute);
  return [...own, ...groups];
}

function inGroups(paths: readonly string[], [, size]: readonly [string, number] = ['', 1]) {
  const count = Math.ceil(paths.length / size);
  return Array.from({ length: count }, (_, group) => {
    const file = join(folder, `group-${String(paths[group]).replaceAll('/', '-')}.mjs`);
    const members = paths.filter((_, index) => index % count === group);
    writeFileSync(file, suitesOf(members));
    return file;
  });
}

/** A module with one suite for each file: what the file registers belongs to that suite. */
function suitesOf(paths: readonly string[]): string {
  const suites = paths.map((path) => {
    const url = JSON.stringify(pathToFileURL(absolute(path)).href);
    return `suite(${JSON.stringify(path)}, ${url});`;
  });
  return `
    import { after, describe } from 'node:test';
    let open = ${values.name === undefined ? paths.length : 0};
    function suite(path, url) {
      describe(path, async () => {
        after(() => { open -= 1; });
        await import(url);
      });
    }
    // A file that ends the process must not hide the files behind it.
    process.on('exit', () => { if (open > 0) process.exitCode = 1; });
    ${suites.join('\n')}`;
}

/** Whether all passed. */
async function runFiles(files: readonly string[]): Promise<boolean> {
  let failures = 0;
  const stream = run({
    files: [...files],
    concurrency: availableParallelism() * LANES_PER_CORE,
    timeout: TIMEOUT_MS,
    ...(values.name === undefined ? {} : { testNamePatterns: [values.name] }),
  });
  stream.on('test:fail', () => {
    failures += 1;
  });
  const report = stream.compose(new spec());
  report.pipe(process.stdout);
  await finished(report);
  return failures === 0;
}

/** Runs while the tests do, and shows its output when it fails. */
async function script(name: string): Promise<boolean> {
  const child = spawn('npm', ['run', '-s', name], { cwd: projectRoot });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) process.stdout.write(`\n✖ npm run ${name}\n${text}\n`);
  return code === 0;
}

function absolute(path: string): string {
  return join(projectRoot, path);
}
