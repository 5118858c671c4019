// Programs of others read what the service publishes: newman runs the Postman collection, Redocly
// lints the description, and a generator's client for TypeScript compiles strictly.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { createPonte } from '../../../../host/embed.js';
import { npmPackages } from '../../../support/npm-packages.js';
import { projectRoot } from '../../../support/source-tree.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const packages = npmPackages('api-tools', {
  newman: '6.2.2',
  '@redocly/cli': '2.77.0',
  '@hey-api/openapi-ts': '0.99.0',
  // The generator uses its API, which version 7 does not have.
  typescript: '5.9.3',
});

async function run(program: string, words: readonly string[], cwd: string): Promise<string> {
  const file = join(await packages, 'node_modules/.bin', program);
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const done = promisify(execFile)(file, words, { cwd, env, maxBuffer: 1 << 26 });
  const { stdout, stderr } = await done.catch((error) => assert.fail(error.stdout + error.stderr));
  return stdout + stderr;
}

/** A folder with a file of the service, at its own address. */
async function published(path: string) {
  const ponte = await createPonte();
  const url = await ponte.listen();
  const folder = temporaryFolder();
  const file = join(folder, 'published.json');
  const text = await (await fetch(`${url}${path}`)).text();
  writeFileSync(file, text);
  return { ponte, url, folder, file, text };
}

test('newman runs the collection from an empty database: nothing is missing, no assertion fails', async (t) => {
  const { ponte, url, folder, file, text } = await published('/docs/postman.json');
  t.after(() => ponte.close());
  const { item } = JSON.parse(text) as { readonly item: readonly { readonly name: string }[] };
  // The reader gives the credentials of the last folder.
  const folders = item.map(({ name }) => name).filter((name) => name !== 'Other credentials');
  const report = join(folder, 'report.json');
  await run(
    'newman',
    [
      'run',
      file,
      ...folders.flatMap((name) => ['--folder', name]),
      '--env-var',
      `baseUrl=${url}`,
      '--env-var',
      `apiKey=${ponte.apiKey}`,
      '--delay-request',
      '50',
      '--reporters',
      'json',
      '--reporter-json-export',
      report,
    ],
    folder,
  );
  const { default: result } = await import(report, { with: { type: 'json' } });
  const { stats, failures, executions } = result.run;
  assert.deepEqual(failures, []);
  assert.ok(stats.assertions.total > 50);
  const missing = executions.filter(
    ({ response }: { readonly response?: { readonly code: number } }) => response?.code === 404,
  );
  assert.deepEqual(missing, []);
});

test('Redocly finds no error in the description', async (t) => {
  const { ponte, folder, file } = await published('/docs-json');
  t.after(() => ponte.close());
  // Rules about what a description should have, not about what it must be.
  const said = await run('redocly', ['lint', file, '--extends', 'spec'], folder);
  assert.match(said, /Your API description is valid/);
});

test('the client that openapi-ts generates compiles strictly', async (t) => {
  const { ponte, folder, file } = await published('/docs-json');
  t.after(() => ponte.close());
  await run('openapi-ts', ['-i', file, '-o', join(folder, 'client')], folder);
  const config = {
    compilerOptions: {
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      target: 'es2022',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2024', 'dom', 'dom.iterable'],
      types: [],
    },
    include: ['client'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(projectRoot, 'node_modules/.bin/tsc');
  await promisify(execFile)(tsc, ['-p', folder], { cwd: folder }).catch(({ stdout }) =>
    assert.fail(stdout),
  );
});
