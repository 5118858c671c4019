// A host on PostgreSQL is killed with work under way: others go on with it when they see that its
// session is gone, and do not wait for its leases to end. The nightly run kills one that sends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openPostgresStore } from '../../../adapters/storage/postgres/store.js';
import { localPostgres } from '../../support/databases/local-postgres.js';
import { aCommand, T0 } from '../../support/samples/domain-samples.js';
import { jsonCall } from '../../support/servers/json-call.js';
import { killedHosts, order, prolongLeases } from './killed-hosts.js';

const postgres = localPostgres();

test('a payment under way on a killed host goes on before the lease of its command ends', async (t) => {
  const url = await postgres.migrated();
  const start = killedHosts(t, url, 'payment');
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

test('leases of hosts that are connected, and of commands of operators, are left alone', async (t) => {
  const url = await postgres.migrated();
  const [leader, served, operator] = [1, 2, 3].map(() => openPostgresStore({ url }));
  assert.ok(leader !== undefined && served !== undefined && operator !== undefined);
  t.after(() => Promise.all([leader.close(), served.close(), operator.close()]));
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
