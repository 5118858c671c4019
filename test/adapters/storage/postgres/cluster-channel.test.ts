// What hosts tell each other over the database, and what is told again after a line was broken.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import {
  openPostgresStore,
  type PostgresStore,
} from '../../../../adapters/storage/postgres/store.js';
import type { WorkKind } from '../../../../core/ports/deps.js';
import type { Log } from '../../../../core/ports/outside.js';
import { otherOrg, tenant } from '../../../support/domain-samples.js';
import { localPostgres } from '../../../support/local-postgres.js';

const postgres = localPostgres();
const silent = { warn: () => undefined } as unknown as Log;

type Word = readonly [WorkKind, unknown];

async function aHost(url: string): Promise<{ store: PostgresStore; next: () => Promise<Word> }> {
  const words: Word[] = [];
  let heard = Promise.withResolvers<void>();
  const store = openPostgresStore({ url });
  await store.channel.open((work, tenants) => {
    words.push([work, tenants]);
    heard.resolve();
    heard = Promise.withResolvers();
  }, silent);
  const next = async (): Promise<Word> => {
    while (words.length === 0) await heard.promise;
    return words.shift() as Word;
  };
  return { store, next };
}

/** The line of the oldest host, ended by the server, whether or not the host knows yet. */
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
  while ((await left()) !== 0);
  await client.end();
}

test('notifications of one moment reach others together, with their tenants', async () => {
  const url = await postgres.newDatabase();
  const [teller, hearer] = [await aHost(url), await aHost(url)];
  teller.store.channel.publish('feed', [tenant]);
  teller.store.channel.publish('feed', [otherOrg]);
  assert.deepEqual(await hearer.next(), ['feed', [tenant, otherOrg]]);
  await Promise.all([teller.store.close(), hearer.store.close()]);
});

test('notifications without a connection are sent after it returns', async () => {
  const url = await postgres.newDatabase();
  const teller = await aHost(url);
  const hearer = await aHost(url);
  await endOldestLine(url);
  teller.store.channel.publish('feed', [tenant]);
  let word = await hearer.next();
  while (word[0] !== 'feed') word = await hearer.next();
  assert.deepEqual(word, ['feed', undefined]);
  await Promise.all([teller.store.close(), hearer.store.close()]);
});
