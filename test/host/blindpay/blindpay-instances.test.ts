// A database and two BlindPay instances: only the one that got a command is asked about it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { connectHost } from '../../support/blindpay/blindpay-operator.js';
import {
  type BlindPayService,
  startBlindPayService,
} from '../../support/blindpay/blindpay-service.js';
import { freePort } from '../../support/databases/local-postgres.js';
import { outputOf, runCommand } from '../../support/servers/command.js';
import { type HostProcess, startHostProcess } from '../../support/servers/host-process.js';
import { jsonCall } from '../../support/servers/json-call.js';
import { suiteEnd } from '../../support/suite-end.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { until } from '../../support/wait.js';

const suite = suiteEnd();
const credential = z.object({
  organizationId: z.string(),
  missing: z.array(z.object({ need: z.string() })),
});
type Credential = z.infer<typeof credential>;
type Environment = Readonly<Record<string, string>>;

const [first, second] = [
  await startBlindPayService(),
  await startBlindPayService({ idsFrom: 5e5 }),
];
suite.after(first.close);
suite.after(second.close);
const port = await freePort();
const own = { PONTE_DATA_DIR: temporaryFolder(), PONTE_PORT: `${port}` };
const environmentAt = async (service: BlindPayService): Promise<Environment> => ({
  ...own,
  ...(await connectHost(service, `http://127.0.0.1:${port}`, 'test')),
});
const [atFirst, atSecond] = [await environmentAt(first), await environmentAt(second)];
let key = '';
const path = '/v1/payments/ext_order-1';

async function serving<T>(env: Environment, work: (host: HostProcess) => Promise<T>): Promise<T> {
  const host = await startHostProcess(env);
  try {
    return await work(host);
  } finally {
    await host.kill();
  }
}

/** What the key is for. */
async function credentialOf(host: HostProcess): Promise<Credential> {
  return credential.parse((await jsonCall(host, key, '/v1/me')).body);
}

async function statusOf(host: HostProcess): Promise<unknown> {
  return (await jsonCall(host, key, path)).body['status'];
}

/** A payout that the first instance executes while its answer and the host are lost. */
await serving(atFirst, async (host) => {
  key = host.key ?? '';
  first.failNext('POST /payouts/evm', 'cut after');
  const buyer = { email: 'a@buyer.example', country: 'US' };
  const order = { externalId: 'order-1', amount: '250.00', buyer };
  // A start registers the destination if BlindPay has verified the organization by then.
  await until(async () => {
    const { organizationId, missing } = await credentialOf(host);
    const given = ['org', 'payout-config', organizationId, '--mode', 'test'];
    if (missing[0]?.need === 'pix_destination') await outputOf(atFirst, given, 'a@b.example');
    return missing.length === 0;
  });
  assert.equal((await jsonCall(host, key, '/v1/payment-intents', order)).status, 201);
  await jsonCall(host, key, '/v1/test-helpers/payments/ext_order-1/advance', {});
  await until(async () => first.state.payouts.length === 1);
});

const open = /not finished there: cmd_/i;

test('another instance refuses the start while a command is open', async () => {
  await assert.rejects(startHostProcess(atSecond), (error: Error) => {
    assert.match(error.message, open);
    assert.match(error.message, /ponte partner change --mode test/);
    return true;
  });
});

test('another partner refuses the start while a command is open', async () => {
  const env = { ...atSecond, PONTE_PARTNER_TEST: 'fake' };
  await assert.rejects(startHostProcess(env), open);
});

test('a change to another instance is refused while a command is open', async () => {
  for (const name of ['blindpay', 'fake']) {
    const env = { ...atSecond, PONTE_PARTNER_TEST: name };
    const { status, stderr } = await runCommand(env, ['partner', 'change', '--mode', 'test']);
    assert.notEqual(status, 0);
    assert.match(stderr, /does not have the commands of .*not finished there: cmd_/);
  }
});

test('a command of an operator asks no other instance', async () => {
  const calls = second.calls.length;
  const found = await runCommand(atSecond, ['reconcile', '--mode', 'test']);
  assert.notEqual(found.status, 0);
  assert.equal(second.calls.length, calls);
});

test('the same instance at another address has the commands: the payout is one', async () => {
  const env = {
    ...atFirst,
    PONTE_BLINDPAY_TEST_URL: first.url.replace('127.0.0.1', 'localhost'),
  };
  await assert.rejects(startHostProcess(env), open);
  const changed = await runCommand(env, ['partner', 'change', '--mode', 'test', '--json']);
  assert.equal(changed.status, 0, changed.stderr);
  const [inTest] = JSON.parse(changed.stdout).data;
  assert.match(inTest.bound, /localhost/);
  assert.deepEqual([inTest.bound, inTest.unfinished], [inTest.configured, []]);
  await serving(env, async (host) => {
    await until(async () => (await statusOf(host)) === 'settled');
    const show = ['partner', 'show', '--json'];
    // What has ended is polled once more.
    await until(async () => {
      return JSON.parse(await outputOf(atSecond, show)).data[0].unfinished.length === 0;
    });
  });
  assert.equal(first.state.payouts.length, 1);
  assert.equal(second.state.payouts.length, 0);
});

test('once no command is open, another instance needs the word of an operator', async () => {
  await assert.rejects(startHostProcess(atSecond), /None is open/);
  const changed = await runCommand(atSecond, ['partner', 'change', '--mode', 'test']);
  assert.equal(changed.status, 0, changed.stderr);
  await serving(atSecond, async (host) => {
    assert.equal(await statusOf(host), 'settled');
  });
  assert.equal(second.state.payouts.length, 0);
});
