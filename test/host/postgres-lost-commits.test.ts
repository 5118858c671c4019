// A standby that takes over without all that was acknowledged: a process that lived through it
// knows, by where the log was then and where the new timeline began.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openPostgresStore, type PostgresStore } from '../../adapters/storage/postgres.js';
import { isCode } from '../../core/errors.js';
import { aBuyer } from '../support/domain-samples.js';
import { type PostgresPair, postgresPair } from '../support/postgres-pair.js';

const pairs: PostgresPair[] = [];
const stores: PostgresStore[] = [];
after(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await Promise.all(pairs.map((pair) => pair.stop()));
});

/** What is left of a buyer that was stored before the primary died, and whether a loss is told. */
async function afterPromotion(synchronous: boolean) {
  const pair = await postgresPair({ synchronous });
  pairs.push(pair);
  const store = openPostgresStore({ url: pair.url });
  stores.push(store);
  let isTold = false;
  store.onLostCommits(() => {
    isTold = true;
  });
  await store.migrate();
  if (!synchronous) await pair.stopReplication();
  await store.run(async (tx) => tx.buyers.insert(aBuyer()));
  await pair.killPrimary();
  await pair.promoteStandby();
  const look = async (): Promise<unknown> => {
    try {
      return await store.run((tx) => tx.buyers.get('test', aBuyer().id));
    } catch (error) {
      // The migrations may be lost too.
      if (!isCode(error, 'StoreUnavailable')) return null;
      return look();
    }
  };
  return { found: await look(), isTold };
}

test('commits that a promoted standby never had are told by the next connection', async () => {
  assert.deepEqual(await afterPromotion(false), { found: null, isTold: true });
});

test('a promoted standby that had everything is told of nothing', async () => {
  assert.deepEqual(await afterPromotion(true), { found: aBuyer(), isTold: false });
});
