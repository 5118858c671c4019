// A host on PostgreSQL is killed with work under way: others go on with it when they see that its
// session is gone, and do not wait for its leases to end.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { openPostgresStore } from '../../../adapters/storage/postgres/store.js';
import { localPostgres } from '../../support/databases/local-postgres.js';
import { aCommand, T0 } from '../../support/samples/domain-samples.js';
import { type HostProcess, startHostProcess } from '../../support/servers/host-process.js';
import { jsonCall } from '../../support/servers/json-call.js';
import { startReceiver } from '../../support/servers/local-receiver.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const postgres = localPostgres();
const PONTE_SECRET_KEYS = `a:${randomBytes(32).toString('base64')}`;

function scene(t: TestContext, url: string, name: string) {
  const env = {
    PONTE_SECRET_KEYS,
    PONTE_DATABASE_URL: url,
    PONTE_DATA_DIR: join(folder, name),
    PONTE_FAKE_PARTNER_DELAY_MS: '20',
    REFUSING_PARTNER_FOLDER: join(folder, name, 'partner'),
  };
  return async (kills = ''): Promise<HostProcess> => {
    const host = await startHostProcess(
      { ...env, REFUSING_PARTNER_KILLS: kills },
      { preload: './test/support/partners/refusing-partner.ts', replacesSources: true },
    );
    t.after(() => host.kill());
    return host;
  };
}

/** No lease of now ends by itself: what a test waits for does not wait for that. */
async function prolongLeases(url: string, table: 'partner_commands' | 'deliveries') {
  const client = new pg.Client(url);
  await client.connect();
  const later = "due_at + interval '1 day'";
  await client.query(`update ${table} set due_at = ${later} where lease_token is not null`);
  await client.end();
}

const order = {
  externalId: 'order-1',
  amount: '250.00',
  buyer: { email: 'ana@buyer.example' },
};

test('a payment under way on a killed host goes on before the lease of its command ends', async (t) => {
  const url = await postgres.newDatabase();
  const start = scene(t, url, 'payment');
  const dying = await start('1');
  const key = dying.key ?? '';
  const { id } = (await jsonCall(dying, key, '/v1/payment-intents', order)).body;
  await jsonCall(dying, key, `/v1/test-helpers/payments/${id}/advance`, {});
  while (!dying.ended()) await wait(10);
  await prolongLeases(url, 'partner_commands');
  const other = await start();
  while ((await jsonCall(other, key, `/v1/payments/${id}`)).body['status'] !== 'settled')
    await wait(50);
});

test('a webhook under way on a killed host is sent by another one before its lease ends', async (t) => {
  const url = await postgres.newDatabase();
  const start = scene(t, url, 'webhook');
  const first = await start();
  const other = await start();
  const key = first.key ?? '';
  const receiver = await startReceiver((response) => {
    if (receiver.requests.length > 1) response.writeHead(204).end();
  });
  t.after(() => receiver.close());
  const hook = { url: receiver.url, eventTypes: ['payment_intent.created'] };
  await jsonCall(first, key, '/v1/webhook-subscriptions', hook);
  await jsonCall(first, key, '/v1/payment-intents', order);
  while (receiver.requests.length === 0) await wait(10);
  await first.kill();
  await prolongLeases(url, 'deliveries');
  while (receiver.requests.length === 1) await wait(10);
  const [one, again] = receiver.requests.map(({ headers }) => headers['x-service-delivery-id']);
  assert.equal(one, again);
  assert.equal((await jsonCall(other, key, '/readyz')).body['status'], 'ready');
});

test('leases of hosts that are connected, and of commands of operators, are left alone', async (t) => {
  const url = await postgres.newDatabase();
  const [leader, served, operator] = [1, 2, 3].map(() => openPostgresStore({ url }));
  assert.ok(leader !== undefined && served !== undefined && operator !== undefined);
  t.after(() => Promise.all([leader.close(), served.close(), operator.close()]));
  await leader.migrate();
  const quiet = () => undefined;
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  for (const store of [leader, served]) {
    store.acquireServing();
    await store.channel.open(() => undefined, log);
  }
  await leader.run(async (tx) => {
    for (const id of ['cmd_1', 'cmd_2']) {
      tx.commands.insert(aCommand({ id, reference: id, dueAtMs: T0 }));
    }
  });
  const claim = { nowMs: T0, limit: 1, leaseMs: 60_000 };
  assert.equal((await served.claims.commands(claim)).length, 1);
  assert.equal((await operator.claims.commands(claim)).length, 1);
  const looks = async (from: number) => {
    const ended = [];
    for (const second of [0, 1, 2, 3, 4]) {
      ended.push(await leader.channel.endLostLeases(from + second * 1_000));
    }
    return ended;
  };
  assert.deepEqual(await looks(T0), [0, 0, 0, 0, 0]);
  await served.channel.close();
  assert.deepEqual(await looks(T0 + 10_000), [0, 0, 0, 1, 0], 'after three seconds');
  const free = await leader.claims.commands({ ...claim, nowMs: T0 + 20_000, limit: 9 });
  assert.equal(free.length, 1);
});
