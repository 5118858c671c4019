import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { programArguments } from '../support/servers/host-process.js';
import { projectRoot } from '../support/source-tree.js';
import { temporaryFolder } from '../support/temporary-folder.js';

// The bin in a separate folder, with a CLI that only reports that it was called.
const folder = temporaryFolder();
for (const name of ['cli/bin.cjs', 'cli/node-version.cjs', 'package.json']) {
  cpSync(join(projectRoot, name), join(folder, name));
}
for (const name of ['dist', 'core', 'adapters', 'host']) mkdirSync(join(folder, name));
writeFileSync(join(folder, 'dist/cli.js'), "process.stdout.write('reached\\n');\n");

function runBin(nodeVersion: string): { status: number | null; stdout: string; stderr: string } {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '${nodeVersion}' });`;
  const bin = JSON.stringify(join(folder, 'cli/bin.cjs'));
  const script = `${pretend} require(${bin});`;
  return spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
}

for (const version of ['0.12.18', '10.24.1', '20.20.2', '22.0.0', '22.18.1']) {
  test(`Node ${version} is refused in one line on stderr before anything is loaded`, () => {
    const { status, stdout, stderr } = runBin(version);
    assert.equal(status, 1);
    assert.equal(stdout, '');
    assert.match(
      stderr,
      /^ponte: needs Node 22\.19 or newer, but .*\. Install .* npm run -s ponte --.*\n$/,
    );
  });
}

for (const version of ['22.19.0', '22.20.1', '24.0.0', '100.0.0']) {
  test(`Node ${version} is let through`, () => {
    const { status, stdout, stderr } = runBin(version);
    assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: 'reached\n', stderr: '' });
  });
}

test('compiled code is kept for the next start, and one that cannot be kept is no error', () => {
  const kept = join(folder, 'node_modules/.cache/ponte');
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  runBin('24.0.0');
  assert.equal(
    readdirSync(kept, { recursive: true, withFileTypes: true }).some((file) => file.isFile()),
    true,
  );
  rmSync(join(folder, 'node_modules'), { recursive: true });
  writeFileSync(join(folder, 'node_modules'), 'no folder');
  const { status, stdout, stderr } = runBin('24.0.0');
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: 'reached\n', stderr: '' });
  rmSync(join(folder, 'node_modules'));
});

test('a clone whose sources are newer than dist/ says so and runs all the same', () => {
  writeFileSync(join(folder, 'tsup.config.ts'), '');
  writeFileSync(join(folder, 'core/a.ts'), '');
  const soon = new Date(Date.now() + 60_000);
  utimesSync(join(folder, 'core/a.ts'), soon, soon);
  const { status, stdout, stderr } = runBin('24.0.0');
  assert.deepEqual({ status, stdout }, { status: 0, stdout: 'reached\n' });
  assert.match(stderr, /^ponte: dist\/ is older than the sources; .*\n$/);
  rmSync(join(folder, 'tsup.config.ts'));
  assert.equal(runBin('24.0.0').stderr, '', 'an installed package does not look');
});

test('a clone that was never built says how to build it', () => {
  rmSync(join(folder, 'dist/cli.js'));
  const { status, stderr } = runBin('24.0.0');
  assert.equal(status, 1);
  assert.match(stderr, /^ponte: dist\/ is missing; run `npm run build` in .*\n$/);
});

test('a command with a closed output ends silently', async () => {
  const child = spawn(process.execPath, [...programArguments, '--help'], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Long before it has loaded what it says.
  child.stdout.destroy();
  let stderr = '';
  for await (const text of child.stderr) stderr += String(text);
  const status = child.exitCode ?? (await once(child, 'exit'))[0];
  assert.deepEqual([status, stderr], [0, '']);
});

test('a command whose output has no room says so in one line', () => {
  const output = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [...programArguments, '--version'], {
    cwd: projectRoot,
    stdio: ['ignore', output, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(output);
  assert.equal(status, 1);
  assert.match(stderr, /^ponte: The output cannot be written: ENOSPC.*\n$/);
});

test('SIGUSR1 does not open the inspector', async () => {
  const script = "process.stdin.resume(); process.stdout.write('reached\\n');";
  writeFileSync(join(folder, 'dist/cli.js'), script);
  const start = async (...words: readonly string[]) => {
    const child = spawn(process.execPath, ['--inspect-port=0', ...words], { stdio: 'pipe' });
    await once(child.stdout, 'data');
    return child;
  };
  const [served, plain] = [await start(join(folder, 'cli/bin.cjs')), await start('-e', script)];
  served.kill('SIGUSR1');
  plain.kill('SIGUSR1');
  // Once a process without the listener has opened it, this one had as much time.
  const [text] = await once(plain.stderr, 'data');
  assert.match(String(text), /^Debugger listening/);
  plain.kill('SIGKILL');
  served.stdin.end();
  let stderr = '';
  for await (const more of served.stderr) stderr += String(more);
  assert.equal(stderr, '');
});
