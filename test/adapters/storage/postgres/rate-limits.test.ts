// Limits that several hosts keep in one database: removing rested keys loosens no limit.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import {
  openPostgresStore,
  type PostgresStore,
} from '../../../../adapters/storage/postgres/store.js';
import type { Bucket } from '../../../../core/domain/service/rate-limit.js';
import { localPostgres } from '../../../support/databases/local-postgres.js';
import { reusedDatabase } from '../../../support/databases/test-store.js';
import { T0 } from '../../../support/samples/domain-samples.js';

const HOUR_MS = 3_600_000;

const emptied = reusedDatabase(localPostgres());
const opened: PostgresStore[] = [];
after(() => Promise.all(opened.map((store) => store.close())));

/** Two hosts on an empty database, and how many of its keys begin so. */
async function hosts() {
  const url = await emptied();
  const stores = [openPostgresStore({ url }), openPostgresStore({ url })] as const;
  await stores[0].migrate();
  opened.push(...stores);
  const asked = async <T>(ask: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = new pg.Client(url);
    await client.connect();
    return ask(client).finally(() => client.end());
  };
  const countOf = async (beginning: string) => {
    const like = [`${beginning}%`];
    const select = 'select 1 from rate_limits where key like $1';
    return (await asked((client) => client.query(select, like))).rows.length;
  };
  const takeFrom = async (host: 0 | 1, buckets: readonly Bucket[], nowMs: number) =>
    (await stores[host].rateLimits.take({ buckets, nowMs })).retryAfterSeconds;
  const take = (host: 0 | 1, key: string, nowMs: number, burst = 1) =>
    takeFrom(host, [{ key, perMinute: 1, burst }], nowMs);
  const takeAll = (host: 0 | 1, key: string) => {
    const ofKey = { key, perMinute: 1, burst: 2 };
    return takeFrom(host, [ofKey, { key: 'all', perMinute: 1, burst: 5 }], T0);
  };
  return { take, takeFrom, takeAll, countOf, asked };
}

test('keys that rested for an hour go as new ones come; those that are held stay', async () => {
  const { take, countOf } = await hosts();
  for (let count = 0; count < 250; count += 1) await take(0, `old ${count}`, T0);
  // Three hours' worth at once.
  for (let count = 0; count < 180; count += 1) await take(0, 'held', T0, 180);
  assert.equal(await countOf('old'), 250);
  const laterMs = T0 + 2 * HOUR_MS;
  for (let count = 0; count < 100; count += 1) await take(0, `new ${count}`, laterMs);
  assert.deepEqual(
    [await countOf('old'), await countOf('held'), await countOf('new')],
    [0, 1, 100],
  );
});

test('a key that was swept has its whole burst again, also on a host that knew it before', async () => {
  const { take, countOf } = await hosts();
  const laterMs = T0 + 2 * HOUR_MS;
  assert.deepEqual([await take(1, 'swept', T0), await take(1, 'swept', T0)], [null, 60]);
  for (let count = 0; count < 100; count += 1) await take(0, `new ${count}`, laterMs);
  assert.equal(await countOf('swept'), 0);
  const answers = await Promise.all([
    take(0, 'swept', laterMs),
    take(1, 'swept', laterMs),
    take(0, 'swept', laterMs),
    take(1, 'swept', laterMs),
  ]);
  assert.deepEqual(
    answers.filter((seconds) => seconds === null),
    [null],
  );
});

test('many keys of two hosts take no more than the bucket that they share', async () => {
  const { take, takeAll } = await hosts();
  const keys = Array.from({ length: 10 }, (_, index) => `k${index}`);
  const taken = await Promise.all(
    keys.flatMap((key, index) => [takeAll((index % 2) as 0 | 1, key), takeAll(0, key)]),
  );
  assert.equal(taken.filter((waitSeconds) => waitSeconds === null).length, 5);
  assert.notEqual(await takeAll(1, 'another'), null);
  assert.equal(await take(0, 'another', T0), null, 'a refused request takes nothing');
});

test('a request that loses a bucket to another host takes nothing from the others', async () => {
  const { take, takeFrom, asked } = await hosts();
  for (const key of ['a', 'b', 'c', 'apart']) await take(0, key, T0, 9);
  const bucket = (key: string) => ({ key, perMinute: 1, burst: key === 'b' ? 9 : 2 });
  await asked(async (other) => {
    await other.query('begin');
    await other.query(`update rate_limits set tat_micros = tat_micros + 1 where key = 'b'`);
    // Joined by `b`; each has one left of its other bucket.
    const taken = [['a', 'b'], ['b', 'c'], ['apart']].map((keys) =>
      takeFrom(0, keys.map(bucket), T0),
    );
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock'
      and query like '%rate_limits%' and datname = current_database()`;
    while ((await asked((client) => client.query(waiting))).rows.length === 0);
    await other.query('commit');
    assert.deepEqual(await Promise.all(taken), [null, null, null]);
  });
});
