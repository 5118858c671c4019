// Notifications between hosts over the database, and their repetition after a lost connection.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import {
  openPostgresStore,
  type PostgresStore,
} from '../../../../adapters/storage/postgres/store.js';
import { type WorkKind, workKinds } from '../../../../core/ports/deps.js';
import type { Log } from '../../../../core/ports/outside.js';
import { localPostgres } from '../../../support/databases/local-postgres.js';
import { otherOrg, tenant } from '../../../support/samples/domain-samples.js';
import { until } from '../../../support/wait.js';

const postgres = localPostgres();
const silent = { warn: () => undefined } as unknown as Log;

type Notice = readonly [WorkKind, unknown];

async function aHost(url: string): Promise<{ store: PostgresStore; next: () => Promise<Notice> }> {
  const pending: Notice[] = [];
  let received = Promise.withResolvers<void>();
  const store = openPostgresStore({ url });
  await store.channel.open((work, tenants) => {
    pending.push([work, tenants]);
    received.resolve();
    received = Promise.withResolvers();
  }, silent);
  const next = async (): Promise<Notice> => {
    while (pending.length === 0) await received.promise;
    return pending.shift() as Notice;
  };
  return { store, next };
}

/** Makes the server end the connection of the oldest host, which may not have noticed yet. */
async function endOldestLine(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(
    'select pid from pg_stat_activity where datname = current_database() ' +
      "and application_name like 'ponte process%' order by backend_start limit 1",
  );
  const [{ pid }] = rows;
  await client.query('select pg_terminate_backend($1)', [pid]);
  const left = async () =>
    (await client.query('select 1 from pg_stat_activity where pid = $1', [pid])).rowCount;
  await until(async () => (await left()) === 0);
  await client.end();
}

test('notifications of one moment reach others together, with their tenants', async () => {
  const url = await postgres.newDatabase();
  const [sender, receiver] = [await aHost(url), await aHost(url)];
  sender.store.channel.publish('feed', [tenant]);
  sender.store.channel.publish('feed', [otherOrg]);
  assert.deepEqual(await receiver.next(), ['feed', [tenant, otherOrg]]);
  await Promise.all([sender.store.close(), receiver.store.close()]);
});

test('a command notifies hosts of what it has stored, at the latest when it closes', async () => {
  const url = await postgres.newDatabase();
  const receiver = await aHost(url);
  const command = openPostgresStore({ url });
  command.channel.publish('feed', [tenant]);
  await command.close();
  assert.deepEqual(await receiver.next(), ['feed', [tenant]]);
  await receiver.store.close();
});

test('notifications without a connection are sent after it returns', async () => {
  const url = await postgres.newDatabase();
  const sender = await aHost(url);
  const receiver = await aHost(url);
  await endOldestLine(url);
  sender.store.channel.publish('feed', [tenant]);
  let next = await receiver.next();
  while (next[0] !== 'feed') next = await receiver.next();
  assert.deepEqual(next, ['feed', undefined]);
  await Promise.all([sender.store.close(), receiver.store.close()]);
});

test('a notification that cannot be read wakes everything', async () => {
  const url = await postgres.newDatabase();
  const { store, next } = await aHost(url);
  const client = new pg.Client(url);
  await client.connect();
  for (const payload of ['not JSON', 'null', '']) {
    await client.query("select pg_notify('ponte_' || current_schema(), $1)", [payload]);
    for (const work of workKinds) assert.deepEqual(await next(), [work, undefined], payload);
  }
  await client.end();
  await store.close();
});
