// What a serving process does with the settings of sessions, web origins and proxies.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTokenSigner, fixedKeys } from '../../adapters/crypto/jwt.js';
import { newSecretKey, parseSecretKeys } from '../../adapters/crypto/secret-box.js';
import { sessionRules } from '../../core/domain/access/session.js';
import { runCommand } from '../support/servers/command.js';
import {
  type HostProcess,
  runCommand as runProcess,
  startHostProcess,
} from '../support/servers/host-process.js';
import type { Json } from '../support/servers/json-call.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/wait.js';

const folder = temporaryFolder();

const env = { PONTE_DATA_DIR: folder } as const;
const [first, second] = [newSecretKey('first'), newSecretKey('second')];

async function ponte(
  settings: Readonly<Record<string, string>>,
  words: string,
  run: typeof runProcess = runCommand,
): Promise<Json> {
  const { status, stdout, stderr } = await run({ ...env, ...settings }, [
    ...words.split(' '),
    '--json',
  ]);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as Json;
}

async function served<T>(
  settings: Readonly<Record<string, string>>,
  work: (host: HostProcess) => Promise<T>,
): Promise<T> {
  const host = await startHostProcess({ ...env, ...settings });
  try {
    return await work(host);
  } finally {
    await host.kill();
  }
}

async function statusOf(host: HostProcess, token: unknown): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${host.url}/v1/onboarding/status`, { headers })).status;
}

test('the first PONTE_JWT_KEY signs, all verify; dropping one ends its sessions', async () => {
  const { id } = await ponte({}, 'org create --name Exporter');
  await ponte({}, `member add --org ${id} --email ana@acme.example --role owner`);
  const create = `token create --org ${id} --member ana@acme.example`;
  const own = (await ponte({}, create))['token'];
  const old = (await ponte({ PONTE_JWT_KEY: first }, create))['token'];
  const both = { PONTE_JWT_KEY: `${second},${first}` };
  const renewed = (await ponte(both, create))['token'];
  const tokens = [own, old, renewed];
  const statuses = (settings: Readonly<Record<string, string>>) =>
    served(settings, (host) => Promise.all(tokens.map((token) => statusOf(host, token))));
  assert.deepEqual(await statuses({}), [200, 401, 401]);
  assert.deepEqual(await statuses(both), [401, 200, 200]);
  assert.deepEqual(await statuses({ PONTE_JWT_KEY: second }), [401, 401, 200]);
});

test('without PONTE_JWT_KEY all processes share a key that no secret key yields', async () => {
  const { id } = await ponte({}, 'org create --name Importer');
  const words = `--org ${id} --email eva@acme.example`;
  const member = await ponte({}, `member add ${words} --role owner`);
  const create = `token create --org ${id} --member eva@acme.example`;
  const tokens = await Promise.all([1, 2].map(() => ponte({}, create, runProcess)));
  const secretKeys = parseSecretKeys(readFileSync(join(folder, 'secret-key'), 'utf8').trim());
  assert.ok(secretKeys.valid);
  const forged = await createTokenSigner(fixedKeys(secretKeys.keys)).sign({
    orgId: String(id),
    mode: 'test',
    memberId: String(member['id']),
    sessionId: 'ses_1',
    expiresAtMs: Date.now() + sessionRules.token.lifeMs,
  });
  await served({}, async (host) => {
    for (const { token } of tokens) assert.equal(await statusOf(host, token), 200);
    assert.equal(await statusOf(host, forged), 401);
  });
});

test('listed origins are allowed, and the log names the client behind a proxy', async () => {
  const origin = 'https://app.example.com';
  const settings = { PONTE_CORS_ORIGINS: origin, PONTE_TRUSTED_PROXIES: '127.0.0.0/8' };
  await served(settings, async (host) => {
    const headers = { origin, 'x-forwarded-for': '198.51.100.7', 'x-request-id': 'from-afar' };
    const response = await fetch(`${host.url}/v1/onboarding/status`, { headers });
    assert.equal(response.status, 401);
    assert.equal(response.headers.get('access-control-allow-origin'), origin);
    const lines = () => host.log().split('\n');
    const line = await until(() => lines().find((text) => text.includes('from-afar')));
    assert.equal((JSON.parse(line) as Json)['client'], '198.51.100.7');
  });
});
