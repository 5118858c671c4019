// The unit file and the page of a Linux host agree, and systemd takes the unit. The program of
// systemd checks it where there is one; package.test.ts starts what the unit starts.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../host/config.js';
import { projectRoot } from '../support/source-tree.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
const unit = read('cli/ponte.service');
const page = read('adapters/docs/linux-host.md');
const manifest = JSON.parse(read('package.json')) as {
  readonly bin: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
};

/** The value of a directive, which the unit has once. */
function directive(name: string): string {
  const values = [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value);
  assert.equal(values.length, 1, name);
  return values[0] ?? '';
}

/** The settings that the page writes to the environment file, as sh reads them. */
function settingsOfPage(): Readonly<Record<string, string>> {
  const block = /```sh\n(PONTE_[\s\S]*?)```/.exec(page)?.[1] ?? '';
  const key = `2026:${Buffer.alloc(32, 7).toString('base64')}`;
  const file = join(temporaryFolder(), 'environment');
  writeFileSync(file, block.replace('2026:…', key));
  const env = { PATH: process.env['PATH'] };
  const printed = execFileSync('sh', ['-c', 'set -a; . "$0"; env', file], {
    encoding: 'utf8',
    env,
  });
  return Object.fromEntries(
    printed.split('\n').flatMap((line) => {
      const [, name, value] = /^(PONTE_\w+)=(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, `${value}`]];
    }),
  );
}

test('each line of the unit is a section, a directive, a comment or empty', () => {
  const form = /^(\[(Unit|Service|Install)\]|[A-Z][A-Za-z]+=.*|# .*|)$/;
  assert.deepEqual(
    unit.split('\n').filter((line) => !form.test(line)),
    [],
  );
});

test('the page creates the user and the paths that the unit names', () => {
  const user = directive('User');
  assert.equal(directive('Group'), user);
  assert.match(page, new RegExp(`^useradd --system .* ${user}$`, 'm'));
  assert.ok(page.includes(` ${directive('EnvironmentFile')}\n`));
  const [program, ...words] = directive('ExecStart').split(' ');
  assert.ok('ponte' in manifest.bin);
  const [, prefix] = /^(.*)\/node_modules\/\.bin\/ponte$/.exec(program ?? '') ?? [];
  assert.deepEqual(words, ['serve']);
  assert.ok(page.includes(`npm install --prefix ${prefix} `));
  assert.ok(page.includes(`exec ${program} "$@"`));
  assert.ok(manifest.files.includes('cli/ponte.service'));
  assert.ok(page.includes(`${prefix}/node_modules/ponte-payments/cli/ponte.service `));
});

test('production accepts the settings of the page, which keep data where the unit allows it', () => {
  const settings = settingsOfPage();
  assert.equal(readConfig(settings).production, true);
  assert.equal(settings['PONTE_DATA_DIR'], `/var/lib/${directive('StateDirectory')}`);
  const drainSeconds = readConfig(settings).drainMs / 1_000;
  assert.ok(Number(directive('TimeoutStopSec')) > drainSeconds + 10);
});

test('the unit gives the process no rights that it does not need', () => {
  const expected = {
    NoNewPrivileges: 'yes',
    CapabilityBoundingSet: '',
    ProtectSystem: 'strict',
    ProtectHome: 'yes',
    PrivateTmp: 'yes',
    PrivateDevices: 'yes',
    SystemCallFilter: '@system-service',
  };
  const given = Object.fromEntries(Object.keys(expected).map((name) => [name, directive(name)]));
  assert.deepEqual(given, expected);
});

test('systemd knows every directive, and rates the exposure as low', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'ponte.service');
  const [program = ''] = directive('ExecStart').split(' ');
  const installed = join(folder, program);
  mkdirSync(dirname(installed), { recursive: true });
  writeFileSync(installed, '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(file, unit.replace(program, installed));
  for (const words of [
    ['verify', '--man=no', file],
    ['security', '--offline=true', '--threshold=25', '--no-pager', file],
  ]) {
    const { error, status, stdout, stderr } = spawnSync('systemd-analyze', words, {
      encoding: 'utf8',
    });
    // A machine without systemd has checked the form alone.
    if (error !== undefined) return;
    assert.equal(status, 0, stdout + stderr);
    assert.doesNotMatch(stderr, /ponte\.service:\d+/);
  }
});

test('an installation without the compiler says how to install, unless the program is built', () => {
  const folder = temporaryFolder();
  const prepare = () =>
    spawnSync('sh', ['-c', manifest.scripts['prepare'] ?? ''], {
      cwd: folder,
      encoding: 'utf8',
    });
  const refused = prepare();
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /npm ci && npm pack.*linux-host\.md/);
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist/cli.js'), '');
  assert.equal(prepare().status, 0);
});
