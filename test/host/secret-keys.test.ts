// A database is served with the secret keys that it was served with before, or not at all.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { newSecretKey } from '../../adapters/crypto/secret-box.js';
import { readConfig } from '../../host/config.js';
import { startHost } from '../../host/main.js';
import { runCommand } from '../support/servers/command.js';

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function dataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ponte-keys-'));
  folders.push(folder);
  return folder;
}

function environment(folder: string, keys?: string) {
  const env = { PONTE_DATA_DIR: folder, PONTE_PORT: '0', PONTE_LOG_LEVEL: 'silent' };
  return keys === undefined ? env : { ...env, PONTE_SECRET_KEYS: keys };
}

/** Starts a host and stops it again. */
async function serve(folder: string, keys?: string): Promise<void> {
  const host = await startHost(readConfig(environment(folder, keys)));
  await host.stop();
}

const command = (folder: string, keys: string | undefined, words: string) =>
  runCommand(environment(folder, keys), words.split(' '));

const closed = (id: string) => ({
  name: 'ConfigError',
  message: new RegExp(`PONTE_SECRET_KEYS: .*under the key ${id} does not open`),
});

test('a start without the key that sealed before is refused, one with it is not', async () => {
  const folder = dataDir();
  const [first, second] = [newSecretKey('first'), newSecretKey('second')];
  await serve(folder, first);
  await assert.rejects(serve(folder, second), closed('"first"'));
  await assert.rejects(serve(folder, newSecretKey('first')), closed('"first"'));
  await serve(folder, first);
  await serve(folder, `${second},${first}`);
  await assert.rejects(serve(folder, second), closed('"first"'));
  await assert.rejects(serve(folder, first), closed('"second"'));
  await serve(folder, `${first},${second}`);
});

test('doctor reports wrong keys, and every other command refuses them', async () => {
  const folder = dataDir();
  const [right, wrong] = [newSecretKey('right'), newSecretKey('wrong')];
  await serve(folder, right);
  const doctor = await command(folder, wrong, 'doctor --json');
  assert.equal(doctor.status, 8);
  const { checks } = JSON.parse(doctor.stdout) as {
    readonly checks: readonly { readonly name: string; ok: boolean; detail: string }[];
  };
  const check = checks.find(({ name }) => name === 'secret keys');
  assert.equal(check?.ok, false);
  assert.match(check.detail, /under the key "right" does not open/);
  const listed = await command(folder, wrong, 'org list');
  assert.deepEqual([listed.status, listed.stdout], [7, '']);
  assert.match(listed.stderr, /PONTE_SECRET_KEYS: .*"right"/);
  assert.equal((await command(folder, right, 'doctor')).status, 0);
});

test('an existing database gets no new development key', async () => {
  const folder = dataDir();
  await serve(folder);
  const path = join(folder, 'secret-key');
  const key = readFileSync(path, 'utf8').trim();
  renameSync(path, `${path}.away`);
  const gone = { name: 'ConfigError', message: /PONTE_SECRET_KEYS: .*secret-key is missing/ };
  await assert.rejects(serve(folder), gone);
  assert.equal((await command(folder, undefined, 'doctor')).status, 7);
  assert.equal(existsSync(path), false);
  await serve(folder, key);
  renameSync(`${path}.away`, path);
  await serve(folder);
});
