// `ponte secrets` beside a real host: retiring a secret key keeps everything that was handed out
// valid, and the session key rotates. The nightly run retires a key on PostgreSQL too.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newSecretKey } from '../../adapters/crypto/secret-box.js';
import { addMember } from '../../core/usecases/access/members.js';
import { createSession } from '../../core/usecases/access/sessions.js';
import { currentKey, recordKeys } from '../../core/usecases/service/service-keys.js';
import { runCommand } from '../support/servers/command.js';
import {
  demoTenant,
  folder,
  newKey,
  service,
  sqliteDatabase,
  statusOf,
  testRetirement,
} from './secrets-scene.js';

testRetirement('SQLite', sqliteDatabase);

test('a new key signs sessions; existing ones stay valid or end immediately', async (t) => {
  const { start, command, json } = service(await sqliteDatabase());
  const host = await start(newKey);
  t.after(() => host.stop());
  const { orgId } = await demoTenant(host);
  const email = 'ana@acme.example';
  await addMember(host.deps, { orgId, email, role: 'owner' });
  const tokens: string[] = [];
  const newToken = async () => {
    tokens.push((await createSession(host.deps, { orgId, email, mode: 'test' })).token);
  };
  const statuses = () => Promise.all(tokens.map((token) => statusOf(host, token)));
  await newToken();
  const dry = await json(newKey, 'secrets rotate-session-key --dry-run --end-sessions');
  assert.deepEqual([dry['dryRun'], await statuses()], [true, [200]]);
  const rotated = await json(newKey, 'secrets rotate-session-key');
  assert.notEqual(rotated['previousExpiresAt'], null);
  await newToken();
  assert.deepEqual(await statuses(), [200, 200]);
  const ended = await command(newKey, 'secrets rotate-session-key --end-sessions');
  assert.equal(ended.stdout, 'A new key signs sessions. No earlier session is valid.\n');
  await newToken();
  assert.deepEqual(await statuses(), [401, 401, 200]);
});

test('a new key signs records, and the earlier one stays published', async (t) => {
  const { start, json } = service(await sqliteDatabase());
  const host = await start(newKey);
  t.after(() => host.stop());
  const kids = async () => (await recordKeys(host.deps)).map(({ kid }) => kid);
  const { id: first } = await currentKey(host.deps, 'record');
  await json(newKey, 'secrets rotate-record-key --dry-run');
  assert.deepEqual(await kids(), [first]);
  const { kid } = await json(newKey, 'secrets rotate-record-key');
  assert.deepEqual((await kids()).toSorted(), [first, kid].toSorted());
  assert.equal((await currentKey(host.deps, 'record')).id, kid);
});

test('the session key cannot be rotated while PONTE_JWT_KEY signs sessions', async () => {
  const folderOfIts = mkdtempSync(join(folder, 'jwt-'));
  const env = { PONTE_DATA_DIR: folderOfIts, PONTE_JWT_KEY: newSecretKey('j1') };
  assert.equal((await runCommand(env, ['migrate'])).status, 0);
  const { status, stderr } = await runCommand(env, ['secrets', 'rotate-session-key']);
  assert.equal(status, 7);
  assert.match(stderr, /PONTE_JWT_KEY: it signs the sessions: add a new key in front/);
});
