// A host on PostgreSQL is killed while it sends a webhook.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { localPostgres } from '../../support/databases/local-postgres.js';
import { jsonCall } from '../../support/servers/json-call.js';
import { startReceiver } from '../../support/servers/local-receiver.js';
import { killedHosts, order, prolongLeases } from './killed-hosts.js';

const postgres = localPostgres();

test('a webhook under way on a killed host is sent by another one before its lease ends', async (t) => {
  const url = await postgres.newDatabase();
  const start = killedHosts(t, url, 'webhook');
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
