// A standby that takes over without all that was acknowledged: a process that lived through it
// knows, by where the log was then and where the new timeline began.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openPostgresStore, type PostgresStore } from '../../../adapters/storage/postgres/store.js';
import { isCode } from '../../../core/errors.js';
import type { Store } from '../../../core/ports/storage.js';
import { type PostgresPair, postgresPair } from '../../support/databases/postgres-pair.js';
import { aBuyer } from '../../support/samples/domain-samples.js';

const pairs: PostgresPair[] = [];
const stores: PostgresStore[] = [];
after(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await Promise.all(pairs.map((pair) => pair.stop()));
});

interface LostCommits {
  /** The timeline of the server that lacks commits; null before one was reported. */
  timeline: number | null;
  whileSuspended: Pick<Store, 'run'> | null;
  /** Ends the time in which only \`whileSuspended\` is served. */
  readonly release: () => void;
}

/** A store that has stored a buyer before its primary is killed. */
async function bereaved(synchronous: boolean) {
  const pair = await postgresPair({ synchronous });
  pairs.push(pair);
  const store = openPostgresStore({ url: pair.url, acquireTimeoutMs: 2_000 });
  stores.push(store);
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const report: LostCommits = { timeline: null, whileSuspended: null, release };
  store.onLostCommits((timeline, whileSuspended) => {
    Object.assign(report, { timeline, whileSuspended });
    return promise;
  });
  await store.migrate();
  if (!synchronous) await pair.stopReplication();
  await store.run(async (tx) => tx.buyers.insert(aBuyer()));
  await pair.killPrimary();
  return { pair, store, report };
}

/** The buyer, once the store is served again; null also where its table is lost. */
async function find(store: Pick<Store, 'run'>): Promise<unknown> {
  try {
    return await store.run((tx) => tx.buyers.get('test', aBuyer().id));
  } catch (error) {
    return isCode(error, 'StoreUnavailable') ? find(store) : null;
  }
}

test('a promoted standby that lacks commits is held until that is dealt with', async () => {
  const { pair, store, report } = await bereaved(false);
  await pair.promoteStandby();
  while (report.whileSuspended === null) await refusal(store);
  assert.equal(report.timeline, 2);
  assert.equal(await refusal(store), 'StoreUnavailable');
  assert.equal(await find(report.whileSuspended), null);
  report.release();
  assert.equal(await find(store), null);
});

test('a promoted standby without lost commits is not reported', async () => {
  const { pair, store, report } = await bereaved(true);
  await pair.promoteStandby();
  assert.deepEqual([await find(store), report.timeline], [aBuyer(), null]);
});

test('a standby that was promoted and restarted counts as one that lacks commits', async () => {
  const { pair, store, report } = await bereaved(true);
  await pair.promoteStandby();
  await pair.restartStandby();
  while (report.whileSuspended === null) await refusal(store);
  assert.deepEqual([await find(report.whileSuspended), report.timeline], [aBuyer(), 2]);
  report.release();
  assert.deepEqual(await find(store), aBuyer());
});

async function refusal(store: Pick<Store, 'run'>): Promise<string | null> {
  try {
    await store.run((tx) => tx.buyers.get('test', aBuyer().id));
    return null;
  } catch (error) {
    return (error as { readonly code?: string }).code ?? null;
  }
}
