// Deliveries by month: a database with and without them differs in nothing but how old ones go.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import pg from 'pg';
import { postgresConnections } from '../../../../adapters/storage/postgres/connections.js';
import { deliveryMonths } from '../../../../adapters/storage/postgres/delivery-months.js';
import {
  openPostgresStore,
  type PostgresStore,
} from '../../../../adapters/storage/postgres/store.js';
import type { WebhookDelivery } from '../../../../core/domain/webhooks/webhook-delivery.js';
import type { DeliveryMonths } from '../../../../core/ports/storage.js';
import { storeRetentionContract } from '../../../contract/store-retention-contract.js';
import { contentsOf, fillStore } from '../../../support/databases/filled-store.js';
import { localPostgres } from '../../../support/databases/local-postgres.js';
import { postgresStore } from '../../../support/databases/test-store.js';
import { aDelivery, anAttempt, T0 } from '../../../support/samples/domain-samples.js';

const postgres = localPostgres();
const ended = { status: 'delivered', dueAtMs: null, nextAttemptAtMs: null } as const;
const months = [
  { name: '2026_12', fromId: 'whd_k', toId: 'whd_l' },
  { name: '2027_01', fromId: 'whd_l', toId: 'whd_m' },
];

interface Stage {
  readonly url: string;
  readonly store: PostgresStore;
  readonly deliveryMonths: DeliveryMonths;
}

async function opened(t: TestContext): Promise<Stage> {
  const url = await postgres.migrated();
  const store = openPostgresStore({ url });
  t.after(() => store.close());
  return { url, store, deliveryMonths: store.deliveryMonths };
}

/** The parts of deliveries, and those of their attempts. */
async function parts({ url }: Stage): Promise<readonly (readonly string[])[]> {
  const client = new pg.Client(url);
  await client.connect();
  const names = async (table: string) => {
    const { rows } = await client.query<{ readonly name: string }>(
      'select relname as name from pg_inherits join pg_class on oid = inhrelid ' +
        'where inhparent = to_regclass($1) order by 1',
      [table],
    );
    return rows.map(({ name }) => name.replace(`${table}_`, ''));
  };
  const both = [await names('deliveries'), await names('delivery_attempts')];
  await client.end();
  return both;
}

async function indexes({ url }: Stage): Promise<readonly unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(
    'select i.relname as name, pg_get_constraintdef(k.oid) as key, ' +
      "regexp_replace(pg_get_indexdef(i.oid), ' ON (ONLY )?\\S+ ', ' ') as text " +
      'from pg_index x join pg_class i on i.oid = x.indexrelid ' +
      'left join pg_constraint k on k.conindid = i.oid ' +
      "where x.indrelid in (to_regclass('deliveries'), to_regclass('delivery_attempts')) " +
      'order by 1',
  );
  await client.end();
  return rows;
}

async function insert(
  { store }: Stage,
  id: string,
  { attemptedAtMs = T0, ...changes }: Partial<WebhookDelivery> & { attemptedAtMs?: number } = {},
): Promise<void> {
  await store.run(async (tx) => {
    tx.deliveries.insert(aDelivery({ id, createdAtMs: T0, ...ended, ...changes }));
    tx.deliveries.logAttempt(anAttempt({ deliveryId: id, startedAtMs: attemptedAtMs }));
  });
}

const cutoff = { sinceMs: T0 + 1, sinceDeliveryId: 'whd_l' };

describe('a store with deliveries by month keeps the promises about old rows', () => {
  storeRetentionContract(async (stage) => {
    const store = await postgresStore(await postgres.url());
    await store.deliveryMonths.begin(months);
    if (stage !== undefined) await store.run(async (tx) => stage(tx));
    return store;
  });
});

test('all rows, counts and indexes are as before, and a second time changes nothing', async (t) => {
  const stage = await opened(t);
  const { store, deliveryMonths } = stage;
  await fillStore(store);
  const before = [await contentsOf(store), await store.rows(), await indexes(stage)];
  assert.equal(await deliveryMonths.begin(months), true);
  assert.deepEqual([await contentsOf(store), await store.rows(), await indexes(stage)], before);
  assert.deepEqual(await store.health(), { database: true, migrations: true });
  const named = ['2026_12', '2027_01', 'before', 'others'];
  assert.deepEqual(await parts(stage), [named, named]);
  assert.equal(await deliveryMonths.begin(months), false);
  assert.deepEqual(await parts(stage), [named, named]);
});

test('an old month is dropped with its attempts, and a later one stays', async (t) => {
  const stage = await opened(t);
  await insert(stage, 'whd_a');
  await stage.deliveryMonths.begin(months);
  await insert(stage, 'whd_k1');
  await insert(stage, 'whd_l1');
  assert.equal(await stage.deliveryMonths.prune(cutoff, []), 2);
  assert.deepEqual((await parts(stage))[0], ['2027_01', 'others']);
  const left = await stage.store.run((tx) =>
    Promise.all(['whd_a', 'whd_k1', 'whd_l1'].map((id) => tx.deliveries.attempts(id))),
  );
  assert.deepEqual(
    left.map((attempts) => attempts.length),
    [0, 0, 1],
  );
});

for (const [what, changes] of [
  ['waits', { status: 'pending', dueAtMs: T0, nextAttemptAtMs: T0 }],
  ['was attempted lately', { attemptedAtMs: T0 + 1 }],
] as const) {
  test(`a month in which a delivery ${what} stays whole`, async (t) => {
    const stage = await opened(t);
    await stage.deliveryMonths.begin(months);
    await insert(stage, 'whd_k1');
    await insert(stage, 'whd_k2', changes);
    assert.equal(await stage.deliveryMonths.prune(cutoff, []), 0);
    assert.equal((await stage.store.run((tx) => tx.deliveries.get('whd_k1')))?.id, 'whd_k1');
  });
}

test('a delivery of a dropped month is kept in the part of all others', async (t) => {
  const stage = await opened(t);
  await stage.deliveryMonths.begin(months);
  await stage.deliveryMonths.prune(cutoff, []);
  await insert(stage, 'whd_k3');
  assert.equal(await stage.deliveryMonths.prune(cutoff, months), 0);
  assert.deepEqual((await parts(stage))[0], ['2027_01', 'others'], 'others has ids of 2026_12');
  assert.equal((await stage.store.run((tx) => tx.deliveries.attempts('whd_k3'))).length, 1);
});

test('a month that is in use is left', async (t) => {
  const stage = await opened(t);
  await stage.deliveryMonths.begin(months);
  await insert(stage, 'whd_k1');
  const reader = new pg.Client(stage.url);
  await reader.connect();
  t.after(() => reader.end());
  await reader.query('begin; lock table deliveries_2026_12 in row exclusive mode');
  const connections = postgresConnections({ url: stage.url });
  t.after(() => connections.close());
  const impatient = deliveryMonths(connections, { tableTimeoutMs: 50 });
  assert.equal(await impatient.prune(cutoff, []), 0);
  await reader.query('rollback');
  assert.equal(await stage.deliveryMonths.prune(cutoff, []), 1);
});

test('where deliveries are not kept by month nothing is removed or made', async (t) => {
  const stage = await opened(t);
  await insert(stage, 'whd_a');
  assert.equal(await stage.deliveryMonths.prune(cutoff, months), 0);
  assert.deepEqual(await parts(stage), [[], []]);
});
