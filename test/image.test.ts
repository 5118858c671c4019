// The settings of the image and of compose.yaml are those that their documents promise.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError, readConfig } from '../host/config.js';
import { runCommand } from './support/servers/command.js';
import { projectRoot } from './support/source-tree.js';
import { temporaryFolder } from './support/temporary-folder.js';

function settingsIn(file: string, form: RegExp): Readonly<Record<string, string>> {
  const text = readFileSync(join(projectRoot, file), 'utf8');
  const found = [...text.matchAll(form)].map(([, name = '', value = '']) => [name, value]);
  assert.notEqual(found.length, 0);
  return Object.fromEntries(found);
}

const image = settingsIn('Dockerfile', /\b(PONTE_\w+)=(\S+)/g);
const compose = settingsIn('compose.yaml', /^ +(PONTE_\w+): '?(.*?)'?$/gm);

test('the image starts in production only, and says what that needs', async () => {
  const env = { ...image, PONTE_DATA_DIR: temporaryFolder() };
  const { status, stderr } = await runCommand(env, ['serve']);
  assert.equal(status, 7);
  for (const name of ['PONTE_SECRET_KEYS', 'PONTE_BASE_URL', 'PONTE_PAY_URL', 'PONTE_SMTP_URL']) {
    assert.match(stderr, new RegExp(`^  ${name}: .* in production$`, 'm'));
  }
});

test('the image is refused as a development host', () => {
  assert.throws(
    () => readConfig({ ...image, PONTE_ENV: 'development' }),
    (error: unknown) =>
      error instanceof ConfigError && error.problems[0]?.startsWith('PONTE_HOST: ') === true,
  );
});

test('the image has the versions of the lock file, on the version of Node that was tested', () => {
  const text = readFileSync(join(projectRoot, 'Dockerfile'), 'utf8');
  const { devDependencies } = JSON.parse(
    readFileSync(join(projectRoot, 'package.json'), 'utf8'),
  ) as { readonly devDependencies: Readonly<Record<string, string>> };
  const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  assert.deepEqual(
    bases,
    ['$', '$'].map((sign) => `${sign}{NODE_IMAGE}`),
  );
  assert.match(text, new RegExp(`^ARG NODE_IMAGE=node:${devDependencies['node']}-`, 'm'));
  const installs = [...text.matchAll(/\bnpm (?:ci|i|install|add|exec)\b.*|\bnpx\b.*/g)];
  assert.deepEqual(
    installs.map(([command]) => command),
    ['npm ci && npm pack', 'npm ci --omit=dev --ignore-scripts'],
  );
});

test('each way to start a host gives V8 the same room for short-lived objects', () => {
  const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
  const { start, ponte } = JSON.parse(read('package.json')).scripts;
  const page = read('adapters/docs/performance.md');
  const places = [start, ponte, read('Dockerfile'), read('cli/ponte.service'), page];
  const [flag] = places.map((text) => /--max-semi-space-size=\d+/.exec(text)?.[0]);
  assert.ok(flag !== undefined);
  for (const text of places) assert.ok(text.includes(flag), text);
  assert.ok(process.allowedNodeEnvironmentFlags.has('--max-semi-space-size'));
});

test('compose gives the process no rights that it does not need', () => {
  const [, ponte = '', postgres = ''] = readFileSync(
    join(projectRoot, 'compose.yaml'),
    'utf8',
  ).split(/^ {2}\w+:$/m);
  const own = ['read_only: true', 'cap_drop: [ALL]', "security_opt: ['no-new-privileges:true']"];
  for (const line of own) assert.ok(ponte.includes(`    ${line}\n`), line);
  assert.ok(postgres.includes("    security_opt: ['no-new-privileges:true']\n"));
});

test('compose starts the image for a trial, on a port of this machine only', () => {
  const { production, host, database } = readConfig({ ...image, ...compose });
  assert.deepEqual([production, host, database.kind], [false, '0.0.0.0', 'postgres']);
  const ports = settingsIn('compose.yaml', /(ports): \[(.*)\]/g);
  assert.deepEqual(ports, { ports: "'127.0.0.1:8080:8080'" });
});
