// The runner ends every run: a file that hangs is ended and named, and so is a file whose browser,
// database or host was killed.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { temporaryPostgres } from './support/databases/local-postgres.js';
import { loadTypeScript, projectRoot } from './support/source-tree.js';
import { temporaryFolder } from './support/temporary-folder.js';

const folder = temporaryFolder();
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
const support = (name: string) => pathToFileURL(join(projectRoot, 'test/support', name)).href;

/** Runs files with these names and texts as `npm test` does. */
async function runOf(files: Readonly<Record<string, string>>, words: readonly string[] = []) {
  const paths = Object.entries(files).map(([name, text]) => {
    const path = join(folder, `${name}.test.ts`);
    writeFileSync(path, `import { after, before, test } from 'node:test';\n${text}`);
    return path;
  });
  return new Promise<{ readonly code: unknown; readonly output: string }>((resolve) => {
    const program = [...loadTypeScript, 'test/run.ts', ...words, ...paths];
    execFile(process.execPath, program, { cwd: projectRoot }, (error, output) =>
      resolve({ code: error?.code ?? 0, output }),
    );
  });
}

const server = `
  const server = (await import('node:net')).createServer().listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));`;
/** Blocks the event loop, and uses no CPU time. */
const block = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
const silent = 'no progress for 6 seconds';
/** More files than processes: what a process that was ended leaves goes to another one. */
const hanging = {
  load: [silent, block],
  block: [silent, `test('blocks', () => { ${block} });`],
  before: [silent, `${server} before(() => new Promise(() => {})); test('one', () => {});`],
  after: [silent, `${server} after(() => new Promise(() => {})); test('one', () => {});`],
  error: [
    'its process ended with code 1',
    `${server} test('waits', () => new Promise(() => setTimeout(() => { throw server; })));`,
  ],
  handle: ['it left .*TCPServerWrap.* open', `test('opens', async () => { ${server} });`],
  child: [
    'it left .*ProcessWrap.* open',
    `import { spawn } from 'node:child_process';
    import { writeFileSync } from 'node:fs';
    test('starts', () => writeFileSync('${folder}/pid', String(spawn('sleep', ['900']).pid)));`,
  ],
} as const;

test('a file that hangs or throws late is ended and named', async () => {
  const texts = Object.entries(hanging).map(([name, [, text]]) => [name, text]);
  const { code, output } = await runOf(Object.fromEntries(texts), ['--silence', '6']);
  assert.equal(code, 1, output);
  // Files of one process are named together.
  for (const [name, [found]] of Object.entries(hanging))
    assert.match(output, new RegExp(`✖ [^:\n]*/${name}\\.test\\.ts[^:\n]*: ${found}`));
  const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
  assert.throws(() => process.kill(pid, 0), 'what a file started ends with it');
});

const killed = {
  chromium: `
    import { openBrowser } from '${support('servers/browser.ts')}';
    import { suiteEnd } from '${support('suite-end.ts')}';
    const suite = suiteEnd();
    let browser;
    before(async () => {
      browser = await openBrowser();
      suite.after(() => browser.close());
    });
    test('reads', async () => {
      const page = await browser.newPage();
      const session = await browser.newBrowserCDPSession();
      const { processInfo } = await session.send('SystemInfo.getProcessInfo');
      process.kill(processInfo.find(({ type }) => type === 'browser').id, 'SIGKILL');
      console.log('killed Chromium');
      await page.goto('data:text/html,read');
    });`,
  host: `
    import { startHostProcess } from '${support('servers/host-process.ts')}';
    import { suiteEnd } from '${support('suite-end.ts')}';
    import { temporaryFolder } from '${support('temporary-folder.ts')}';
    const suite = suiteEnd();
    let host;
    before(async () => {
      host = await startHostProcess({ PONTE_DATA_DIR: temporaryFolder() });
      suite.after(() => host.stop('SIGTERM'));
    });
    test('calls', async () => {
      process.kill(host.pid, 'SIGKILL');
      console.log('killed the host');
      console.log('slow: a recorded choice');
      await fetch(host.url);
      await fetch(host.url);
    });`,
  postgres: `
    import { localPostgres } from '${support('databases/local-postgres.ts')}';
    import { postmasterIn } from '${support('databases/postgres-pair.ts')}';
    import pg from '${import.meta.resolve('pg')}';
    const postgres = localPostgres();
    test('asks', async () => {
      const client = new pg.Client(await postgres.newDatabase());
      client.on('error', () => {});
      await client.connect();
      const { rows } = await client.query('show data_directory');
      process.kill(postmasterIn(rows[0].data_directory), 'SIGKILL');
      console.log('killed PostgreSQL');
      for (;;) await client.query('select 1');
    });`,
  'after-postgres': `
    import { localPostgres } from '${support('databases/local-postgres.ts')}';
    const postgres = localPostgres();
    test('asks', async () => {
      for (;;) await postgres.newDatabase();
    });`,
};

test('a file whose browser, host or database was killed fails, and the run ends', async () => {
  const { code, output } = await runOf(killed);
  assert.equal(code, 1, output);
  for (const name of Object.keys(killed)) {
    assert.match(output, new RegExp(`^✖ \\S*/${name}\\.test\\.ts`, 'm'));
  }
  for (const victim of ['Chromium', 'the host', 'PostgreSQL'])
    assert.ok(output.includes(`killed ${victim}`), output);
  assert.doesNotMatch(output, /it was ended|it left|ERR_MODULE_NOT_FOUND/);
  assert.equal(output.match(/^slow: /gm)?.length, 2, 'the end repeats what has become slow');
});

test('in a clone that only root can enter, PostgreSQL starts from a copy of its package', async () => {
  const postgres = temporaryPostgres({ copied: true });
  try {
    const client = new pg.Client(await postgres.newDatabase());
    await client.connect();
    const { rows } = await client.query('select 1 as answer');
    await client.end();
    assert.deepEqual(rows, [{ answer: 1 }]);
  } finally {
    await postgres.end();
  }
});
