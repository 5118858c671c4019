// A production host behind a name server that answers nothing, garbage, late or never: each webhook
// to such a name is a failed attempt, and the host serves on.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { runCommand } from '../support/servers/command.js';
import { startHostProcess } from '../support/servers/host-process.js';
import { jsonCall } from '../support/servers/json-call.js';
import { answerKinds, startNameServer } from '../support/servers/name-server.js';
import { loginOf, registerOperators } from '../support/servers/operator-login.js';
import { orderOf } from '../support/servers/payment-load.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/wait.js';

interface Delivery {
  readonly eventType: string;
  readonly responseStatus: number | null;
  readonly lastError: string | null;
}

const noSuchName = 'the host name does not exist';
const unresolved = 'the host name could not be resolved';
const notPublic = 'the host has an address that is not public';

/** What the integrator reads of an attempt, by the answer of the name server. */
const errors: Readonly<Record<string, readonly string[]>> = {
  alias: [noSuchName],
  empty: [noSuchName],
  unknown: [noSuchName],
  failing: [unresolved],
  truncated: [unresolved],
  noise: [unresolved],
  short: [unresolved],
  loop: [noSuchName],
  private: [notPublic, unresolved],
  late: [notPublic, unresolved],
  never: [unresolved],
};

const preload = './test/support/servers/set-name-server.ts';

test('a host survives every answer of a name server, at the event and after a restart', async (t) => {
  const nameServer = await startNameServer();
  t.after(() => nameServer.close());
  const env = {
    PONTE_ENV: 'production',
    PONTE_DATA_DIR: temporaryFolder(),
    PONTE_SECRET_KEYS: `a:${randomBytes(32).toString('base64')}`,
    PONTE_BASE_URL: 'https://api.ponte.example',
    PONTE_PAY_URL: 'https://pay.ponte.example',
    PONTE_SMTP_URL: 'smtp://127.0.0.1:9',
    PONTE_MAIL_FROM: 'pay@ponte.example',
    PONTE_DRAIN_SECONDS: '0',
    TEST_NAME_SERVER: nameServer.address,
  };
  const start = async () => {
    const started = await startHostProcess(env, { preload });
    t.after(() => started.kill());
    return started;
  };
  const command = async (words: string) => {
    const operator = { ...env, ...loginOf(keys, 'ana') };
    const { status, stdout, stderr } = await runCommand(operator, `${words} --json`.split(' '));
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
  };
  let host = await start();
  const keys = temporaryFolder();
  await registerOperators(env, keys, ['ana']);
  const isAlive = async () => {
    assert.equal(host.ended(), false, host.log());
    assert.equal((await fetch(`${host.url}/healthz`)).status, 200);
  };
  const { id: org } = await command('org create --name Exporter');
  const { secret: key } = await command(`key create --org ${org} --mode test --name erp`);
  const subscriptions = new Map<string, string>();
  for (const kind of answerKinds) {
    const hook = { url: `https://${kind}.example/`, eventTypes: ['payment_intent.created'] };
    const { status, body } = await jsonCall(host, key, '/v1/webhook-subscriptions', hook);
    // A name with a private address is refused before it is stored, if it is known in time.
    const isRefused = ['private', 'late'].includes(kind) && status === 400;
    assert.equal(status, isRefused ? 400 : 201, kind);
    if (!isRefused) subscriptions.set(kind, String(body['id']));
  }
  const deliveriesOf = async (id: string) => {
    const path = `/v1/webhook-subscriptions/${id}/deliveries`;
    return (await jsonCall(host, key, path)).body['data'] as readonly Delivery[];
  };
  const hasFailed = async (kind: string, eventType: string) => {
    const delivery = await until(async () => {
      assert.equal(host.ended(), false, host.log());
      const deliveries = await deliveriesOf(subscriptions.get(kind) ?? '');
      const found = deliveries.find((one) => one.eventType === eventType);
      return found !== undefined && found.lastError !== null && found;
    });
    assert.equal(delivery.responseStatus, null, kind);
    assert.ok(errors[kind]?.includes(delivery.lastError ?? ''), `${kind}: ${delivery.lastError}`);
  };
  for (const [kind, id] of subscriptions) {
    const sent = await jsonCall(host, key, `/v1/webhook-subscriptions/${id}/test`, {});
    assert.equal(sent.status, 200, `${kind} ${JSON.stringify(sent.body)}`);
    await hasFailed(kind, 'webhook.test');
    await isAlive();
  }

  const created = await jsonCall(host, key, '/v1/payment-intents', orderOf(1));
  assert.equal(created.status, 201);
  await hasFailed('alias', 'payment_intent.created');
  // The attempt at a name server that never answers is running.
  await host.kill();
  host = await start();
  for (const kind of subscriptions.keys()) await hasFailed(kind, 'payment_intent.created');
  await isAlive();
  assert.equal(host.log().includes('"level":"fatal"'), false, host.log());
});
