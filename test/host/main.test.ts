// A serving process as its operator sees it: what it prints, what it makes, what it refuses, and
// how it stops.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import SqliteConnection from 'better-sqlite3';
import { allOk } from '../adapters/http/checked-site.js';
import { runCommand } from '../support/servers/command.js';
import {
  type HostProcess,
  runCommand as runProcess,
  startHostProcess,
} from '../support/servers/host-process.js';
import { startReceiver } from '../support/servers/local-receiver.js';
import { suiteEnd } from '../support/suite-end.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { valuesOf } from '../support/values-of.js';
import { until } from '../support/wait.js';

const folder = temporaryFolder();
const env = { PONTE_DATA_DIR: join(folder, 'data'), PONTE_FAKE_PARTNER_DELAY_MS: '0' } as const;

const STOPPED = 'sending was stopped';

interface Shown {
  readonly status: string;
  readonly attempt: number;
  readonly lastError: string | null;
  readonly nextAttemptAt: string;
  readonly attempts: readonly {
    readonly attempt: number;
    readonly startedAt: string;
    readonly error: string | null;
  }[];
}

let host: HostProcess;
const suite = suiteEnd();

before(async () => {
  host = await startHostProcess(env);
  suite.after(() => host.kill());
});
async function json(path: string, init: RequestInit = {}) {
  const response = await fetch(`${host.url}${path}`, init);
  return (await response.json()) as Readonly<Record<string, unknown>>;
}

test('the first start prints a curl line that works as printed', async () => {
  const line = /^ *(curl .*)$/m.exec(host.startText)?.[1];
  assert.ok(line !== undefined);
  const { stdout } = await promisify(execFile)('sh', ['-c', line]);
  const payment = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
  assert.equal(payment['status'], 'awaiting_buyer');
  assert.equal(payment['externalId'], 'order-1');
  assert.ok(String(payment['hostedPaymentUrl']).startsWith(`${host.url}/r/`));
});

test('a running host is alive and ready', async () => {
  assert.deepEqual(await json('/healthz'), { status: 'ok' });
  const { version, ...ready } = await json('/readyz');
  assert.deepEqual(ready, { status: 'ready', checks: allOk });
  const { stdout } = await runProcess(env, ['--version']);
  assert.equal(version, stdout.trim());
});

test('a payment that fell due while no host ran expires at the start', async () => {
  const key = host.key ?? '';
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const buyer = { email: 'ana@buyer.example' };
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const { id } = await json('/v1/payment-intents', {
    method: 'POST',
    headers,
    body: JSON.stringify({ externalId: 'left alone', amount: '20.00', buyer, expiresAt }),
  });
  assert.equal(await host.stop('SIGTERM'), 0);
  const database = new SqliteConnection(join(env.PONTE_DATA_DIR, 'ponte.db'));
  database.prepare('update payments set expires_at = ? where id = ?').run(Date.now(), id);
  database.close();
  host = { ...(await startHostProcess(env)), key };
  await until(async () => {
    const { status } = await json(`/v1/payments/${id}`, { headers });
    assert.ok(['awaiting_buyer', 'expired'].includes(String(status)));
    return status === 'expired';
  });
});

test('what a development host makes is for its owner alone', () => {
  const data = env.PONTE_DATA_DIR;
  assert.equal(statSync(data).mode & 0o777, 0o700);
  const files = readdirSync(data);
  assert.ok(files.includes('secret-key') && files.includes('ponte.db'));
  for (const name of files.filter((file) => statSync(join(data, file)).isFile())) {
    assert.equal(statSync(join(data, name)).mode & 0o077, 0, name);
  }
});

describe('a host that cannot serve says why', () => {
  test('another one serves the database', async () => {
    const { status, stdout, stderr } = await runCommand({ ...env, PONTE_PORT: '0' }, ['serve']);
    assert.deepEqual([status, stdout], [4, '']);
    const shutdown =
      /^ponte: Process (\d+) already serves \S+ponte\.db\. It began at (\S+)\. .* kill (\d+)$/m;
    const [, pid, since = '', killed] = shutdown.exec(stderr) ?? assert.fail(stderr);
    assert.deepEqual([Number(pid), Number(killed)], [host.pid, host.pid]);
    assert.ok(Date.parse(since) <= Date.now());
    assert.equal((await json('/healthz'))['status'], 'ok');
  });

  test('the usual name of another program suggests the command, not one spelled alike', async () => {
    const { status, stderr } = await runCommand(env, ['start']);
    assert.equal(status, 2);
    assert.match(stderr, /unknown command 'start'\n\(Did you mean serve\?\)\n/);
    assert.match((await runCommand(env, ['serv'])).stderr, /\(Did you mean serve\?\)/);
  });

  test('the port is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const other = { PONTE_DATA_DIR: join(folder, 'other'), PONTE_PORT: `${port}` };
    const { status, stderr } = await runCommand(other, ['serve']);
    server.close();
    assert.equal(status, 7);
    assert.match(stderr, new RegExp(`PONTE_PORT: 127\\.0\\.0\\.1:${port} is in use: stop`));
  });

  test('a wrong configuration reports all its problems', async () => {
    const wrong = { ...env, PONTE_ENV: 'production', PONTE_PORT: 'x', PONTE_PROT: '1' };
    const { status, stdout, stderr } = await runCommand(wrong, ['serve']);
    assert.deepEqual([status, stdout], [7, '']);
    for (const name of ['PONTE_PORT', 'PONTE_SECRET_KEYS', 'PONTE_BASE_URL', 'PONTE_PAY_URL']) {
      assert.match(stderr, new RegExp(`^ {2}${name}: `, 'm'));
    }
  });
});

test('SIGTERM lets a webhook under way be answered, and keeps the outcome', async () => {
  const [arrived, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const receiver = await startReceiver((response) => {
    arrived.resolve();
    void mayAnswer.promise.then(() => response.writeHead(204).end());
  });
  const headers = { 'content-type': 'application/json', 'x-api-key': host.key ?? '' };
  const post = (path: string, body: unknown) =>
    json(path, { method: 'POST', headers, body: JSON.stringify(body) });
  const url = `${receiver.url}/webhooks`;
  const subscription = await post('/v1/webhook-subscriptions', { url, eventTypes: ['*'] });
  await post(`/v1/webhook-subscriptions/${subscription['id']}/test`, {});
  await arrived.promise;
  const stopped = host.stop('SIGTERM');
  // Refused from now on; until then it is answered.
  await until(() =>
    json('/healthz')
      .then(() => false)
      .catch(() => true),
  );
  mayAnswer.resolve();
  assert.equal(await stopped, 0);
  await receiver.close();
  const list = await runCommand(env, ['deliveries', 'list', '--json']);
  const { data } = JSON.parse(list.stdout) as { readonly data: readonly { status: string }[] };
  assert.deepEqual(valuesOf(data, 'status'), ['delivered']);
  const backfill = async (...options: readonly string[]) => {
    const command = ['deliveries', 'backfill', String(subscription['id']), '--json', ...options];
    return JSON.parse((await runCommand(env, command)).stdout) as { readonly queued: number };
  };
  const { queued } = await backfill('--dry-run');
  assert.ok(queued > 0, 'events from before the subscription');
  assert.deepEqual(await backfill(), { queued, dryRun: false });
  assert.deepEqual(await backfill(), { queued: 0, dryRun: false });
  const { key } = host;
  host = { ...(await startHostProcess(env)), key };
});

test('SIGTERM ends webhooks that hang: failed attempts on record, and no error', async () => {
  const receiver = await startReceiver(() => undefined);
  const headers = { 'content-type': 'application/json', 'x-api-key': host.key ?? '' };
  const post = (path: string, body: unknown) =>
    json(path, { method: 'POST', headers, body: JSON.stringify(body) });
  const url = `${receiver.url}/hanging`;
  const { id } = await post('/v1/webhook-subscriptions', { url, eventTypes: ['invoice.settled'] });
  const sent = await Promise.all(
    [1, 2, 3].map(() => post(`/v1/webhook-subscriptions/${id}/test`, {})),
  );
  await until(() => receiver.requests.length === sent.length);
  assert.equal(await host.stop('SIGTERM'), 0);
  const levels = host
    .log()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).level);
  assert.deepEqual(
    levels.filter((level) => level !== 'info'),
    [],
    host.log(),
  );
  await receiver.close();
  for (const delivery of sent) {
    const { stdout } = await runCommand(env, [
      'deliveries',
      'show',
      String(delivery['id']),
      '--json',
    ]);
    const shown = JSON.parse(stdout) as Shown;
    assert.deepEqual([shown.status, shown.attempt, shown.lastError], ['pending', 1, STOPPED]);
    assert.deepEqual(
      shown.attempts.map(({ attempt, error }) => [attempt, error]),
      [[1, STOPPED]],
    );
    assert.ok(Date.parse(shown.nextAttemptAt) > Date.parse(shown.attempts[0]?.startedAt ?? ''));
  }
  const { key } = host;
  host = { ...(await startHostProcess(env)), key };
});

test('SIGTERM ends it with code 0, and the next start goes on without another demo', async () => {
  const key = host.key ?? '';
  assert.equal(await host.stop('SIGTERM'), 0);
  await assert.rejects(fetch(`${host.url}/healthz`));
  host = await startHostProcess({ ...env, PONTE_PROT: '1' });
  assert.equal(host.key, null);
  assert.doesNotMatch(host.startText, /hostedPaymentUrl/);
  assert.match(host.startText, /^Dashboard: http:\S+\/dashboard, sign in as a member$/m);
  assert.match(host.startText, /"ponte org list", .*"ponte key create --org <org-id> --mode test/);
  assert.match(host.log(), /PONTE_PROT is not a variable of Ponte .*: did you mean PONTE_PORT\?/);
  const kept = await json('/v1/payments/ext_order-1', { headers: { 'x-api-key': key } });
  assert.equal(kept['status'], 'awaiting_buyer');
  const page = await fetch(String(kept['hostedPaymentUrl']));
  assert.match(await page.text(), /mailto:help@demo\.example/, 'its buyers find whom to ask');
  assert.equal(await host.stop('SIGINT'), 0);
});
