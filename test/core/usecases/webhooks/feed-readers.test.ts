// Reading the feed and waiting for it, over the store in memory: what a reader gets, what waiting
// costs, and when it ends.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { PonteError } from '../../../../core/errors.js';
import type { Store } from '../../../../core/ports/storage.js';
import { endQuarantine, quarantineLostCommits } from '../../../../core/usecases/service/epochs.js';
import {
  type FeedPage,
  type FeedReaders,
  feedReaders,
  WAITING_PER_KEY_MAX,
  WAITING_READERS_MAX,
  type Wait,
} from '../../../../core/usecases/webhooks/feed-readers.js';
import { lawRuns } from '../../../support/law-runs.js';
import { prunedFeed } from '../../../support/scenes/pruned-feed.js';
import { emitBy, type Scene, scene, tenant } from '../../../support/scenes/webhook-scene.js';
import { rowsOf, valuesOf } from '../../../support/values-of.js';
import { turn, until } from '../../../support/wait.js';

const otherMode: Tenant = { ...tenant, mode: 'live' };
const otherOrg: Tenant = { orgId: 'org_2', mode: 'test' };

interface Stage extends Scene {
  readonly readers: FeedReaders;
  /** Works on the store so far. */
  readonly runs: () => number;
  /** Stages events, sequences them and wakes the readers. */
  grow(...of: readonly Tenant[]): Promise<void>;
}

async function opened(t: TestContext): Promise<Stage> {
  const made = await scene(t);
  let runs = 0;
  const { store } = made.deps;
  const counted: Store = {
    ...store,
    run: (work) => {
      runs += 1;
      return store.run(work);
    },
  };
  const readers = feedReaders({ store: counted });
  const deps = {
    ...made.deps,
    wake: (work: string, tenants?: readonly Tenant[]) => {
      if (work === 'feed') readers.look(tenants);
    },
  };
  const grow = async (...of: readonly Tenant[]) => {
    await emitBy(deps, ...of);
  };
  return { ...made, readers, runs: () => runs, grow };
}

function times<T>(count: number, one: T): readonly T[] {
  return Array.from({ length: count }, () => one);
}

function sequencesOf({ events }: FeedPage): readonly number[] {
  return events.map(({ sequence }) => sequence);
}

/** A wait without an end, of a new key unless given. */
function never(keyId = `key_${randomUUID()}`): Wait {
  return { keyId, ended: new AbortController().signal };
}

test('pages follow each other by nextAfter, ascending, until there is no more', async (t) => {
  const { readers, grow } = await opened(t);
  await grow(...times(5, tenant), otherMode, otherOrg);
  const pages: FeedPage[] = [];
  for (let after = 0; pages.length < 4; after = pages.at(-1)?.nextAfter ?? after) {
    pages.push(await readers.read(tenant, { after, limit: 2 }, null));
  }
  assert.deepEqual(pages.map(sequencesOf), [[1, 2], [3, 4], [5], []]);
  assert.deepEqual(valuesOf(pages, 'nextAfter'), [2, 4, 5, 5]);
});

test('without a wait an empty page comes at once, with nextAfter as it was sent', async (t) => {
  const { readers, grow } = await opened(t);
  await grow(...times(7, tenant));
  const page = await readers.read(tenant, { after: 7, limit: 5 }, null);
  assert.deepEqual(page, { events: [], nextAfter: 7, epoch: 1 });
});

test('what is there already is not waited for', async (t) => {
  const { readers, grow } = await opened(t);
  await grow(tenant);
  assert.deepEqual(sequencesOf(await readers.read(tenant, { after: 0, limit: 5 }, never())), [1]);
  assert.equal(readers.waiting(), 0);
});

test('a waiting reader gets the next events as they are appended', async (t) => {
  const { readers, grow } = await opened(t);
  await grow(tenant);
  const page = readers.read(tenant, { after: 1, limit: 5 }, never());
  await grow(tenant, tenant);
  assert.deepEqual(sequencesOf(await page), [2, 3]);
  assert.equal(readers.waiting(), 0);
});

test('at the end of its wait a reader gets an empty page and nextAfter as it was', async (t) => {
  const { readers, grow } = await opened(t);
  await grow(...times(3, tenant));
  for (const early of [true, false]) {
    const over = new AbortController();
    if (early) over.abort();
    const wait = { keyId: 'key_1', ended: over.signal };
    const page = readers.read(tenant, { after: 3, limit: 5 }, wait);
    await turn();
    assert.equal(readers.waiting(), early ? 0 : 1);
    over.abort();
    assert.deepEqual(await page, { events: [], nextAfter: 3, epoch: 1 });
    assert.equal(readers.waiting(), 0);
  }
});

test('at the end of its wait a reader gets the events that nobody reported', async (t) => {
  const { readers, deps } = await opened(t);
  const over = new AbortController();
  const page = readers.read(tenant, { after: 0, limit: 5 }, { keyId: 'k', ended: over.signal });
  await until(() => readers.waiting() === 1);
  await emitBy({ ...deps, wake: () => undefined }, tenant);
  over.abort();
  assert.deepEqual(sequencesOf(await page), [1]);
});

test('however many wait for a tenant, a batch of its events costs one look', async (t) => {
  const { readers, runs, grow } = await opened(t);
  const pages = times(500, tenant).map(() => readers.read(tenant, { after: 0, limit: 5 }, never()));
  const elsewhere = readers.read(otherOrg, { after: 0, limit: 5 }, never());
  await until(() => readers.waiting() === 501 && runs() === 501);
  for (let turns = 0; turns < 20; turns += 1) await turn();
  assert.equal(runs(), 501, 'waiting asks nothing');
  await grow(tenant, tenant);
  for (const page of await Promise.all(pages)) assert.deepEqual(sequencesOf(page), [1, 2]);
  assert.equal(runs(), 502);
  await grow(otherOrg);
  assert.deepEqual(sequencesOf(await elsewhere), [1]);
  assert.equal(runs(), 503);
  await grow(tenant, otherMode);
  assert.equal(runs(), 503, 'no look without a waiting reader');
});

test('a look without tenants serves all readers', async (t) => {
  const { readers, deps } = await opened(t);
  const pages = [tenant, otherOrg].map((of) => readers.read(of, { after: 0, limit: 5 }, never()));
  await until(() => readers.waiting() === 2);
  // As in another process: no reader here is woken.
  await emitBy({ ...deps, wake: () => undefined }, tenant, otherOrg);
  readers.look();
  assert.deepEqual((await Promise.all(pages)).map(sequencesOf), [[1], [1]]);
});

test('each reader gets what is behind its own sequence, up to its own limit', async (t) => {
  const { readers, grow } = await opened(t);
  await grow(...times(4, tenant));
  const waiting = [
    { after: 4, limit: 1 },
    { after: 4, limit: 100 },
  ].map((request) => readers.read(tenant, request, never()));
  await until(() => readers.waiting() === 2);
  await grow(...times(4, tenant));
  const pages = await Promise.all(waiting);
  assert.deepEqual(pages.map(sequencesOf), [[5], [5, 6, 7, 8]]);
});

for (const [name, cursor] of [
  ['beyond the latest event', { after: 4 }],
  ['of another epoch', { after: 2, epoch: 2 }],
] as const) {
  test(`a cursor ${name} is refused immediately, with the position of the feed`, async (t) => {
    const { readers, grow } = await opened(t);
    await grow(...times(3, tenant));
    for (const wait of [null, never()]) {
      await assert.rejects(readers.read(tenant, { ...cursor, limit: 5 }, wait), {
        code: 'FeedReset',
        feed: { epoch: 1, lastSequence: 3 },
      });
    }
    assert.equal(readers.waiting(), 0);
  });
}

test('a cursor of the current epoch is read on', async (t) => {
  const { readers, grow } = await opened(t);
  await grow(...times(3, tenant));
  const page = await readers.read(tenant, { after: 1, epoch: 1, limit: 5 }, null);
  assert.deepEqual([sequencesOf(page), page.epoch], [[2, 3], 1]);
});

test('a reader that waits while another epoch begins is refused, not given its events', async (t) => {
  const { readers, grow, deps } = await opened(t);
  await grow(tenant);
  const page = readers.read(tenant, { after: 1, limit: 5 }, never());
  await until(() => readers.waiting() === 1);
  const { number: epoch } = await quarantineLostCommits(deps, 2);
  await endQuarantine(deps, { by: 'ana', forcedBecause: 'a test' });
  await grow(tenant);
  await assert.rejects(page, { code: 'FeedReset', feed: { epoch, lastSequence: 2 } });
});

describe('places to wait are bounded', () => {
  const request = { after: 0, limit: 5 } as const;
  const refused = (page: Promise<FeedPage>) =>
    assert.rejects(page, { code: 'ReaderLimitExceeded' });

  test('of one key; another key of the tenant has its own', async (t) => {
    const { readers, grow } = await opened(t);
    const pages = times(WAITING_PER_KEY_MAX, tenant).map(() =>
      readers.read(tenant, request, never('key_a')),
    );
    await until(() => readers.waiting() === WAITING_PER_KEY_MAX);
    await refused(readers.read(tenant, request, never('key_a')));
    assert.equal(readers.waiting(), WAITING_PER_KEY_MAX);
    const other = readers.read(tenant, request, never('key_b'));
    await until(() => readers.waiting() === WAITING_PER_KEY_MAX + 1);
    assert.deepEqual((await readers.read(tenant, request, null)).events, [], 'without a wait');
    await grow(tenant);
    for (const page of [...pages, other]) assert.deepEqual(sequencesOf(await page), [1]);
    const again = readers.read(tenant, { after: 1, limit: 5 }, never('key_a'));
    await until(() => readers.waiting() === 1);
    await grow(tenant);
    await again;
  });

  test('what is there already needs no place', async (t) => {
    const { deps, grow } = await opened(t);
    const readers = feedReaders(deps, 0);
    await refused(readers.read(tenant, request, never('key_a')));
    await grow(tenant);
    const page = await readers.read(tenant, request, never('key_a'));
    assert.deepEqual(sequencesOf(page), [1]);
  });

  test('a wait that is over frees its place', async (t) => {
    const { readers } = await opened(t);
    const over = new AbortController();
    const last = readers.read(tenant, request, { keyId: 'key_a', ended: over.signal });
    const others = new AbortController();
    const other = { keyId: 'key_a', ended: others.signal };
    const reads = Array.from({ length: WAITING_PER_KEY_MAX - 1 }, () =>
      readers.read(tenant, request, other),
    );
    await until(() => readers.waiting() === WAITING_PER_KEY_MAX);
    await refused(readers.read(tenant, request, never('key_a')));
    over.abort();
    assert.deepEqual((await last).events, []);
    reads.push(readers.read(tenant, request, other));
    await until(() => readers.waiting() === WAITING_PER_KEY_MAX);
    others.abort();
    await Promise.all(reads);
  });

  test('of one process; a tenant with many keys leaves as many to others as it has', async (t) => {
    const { deps } = await opened(t);
    const readers = feedReaders(deps, 10);
    const over = new AbortController();
    const reads: Promise<unknown>[] = [];
    const readAs = async (of: Tenant, count: number) => {
      const before = readers.waiting();
      for (let index = 0; index < count; index += 1) {
        reads.push(readers.read(of, request, { ...never(), ended: over.signal }));
      }
      await until(() => readers.waiting() === before + count);
      await refused(readers.read(of, request, never()));
    };
    await readAs(tenant, 5);
    await readAs(otherOrg, 3);
    await readAs(otherMode, 1);
    assert.equal(readers.waiting(), 9);
    over.abort();
    await Promise.all(reads);
    assert.ok(WAITING_READERS_MAX > 2 * WAITING_PER_KEY_MAX);
  });
});

test('the events of other tenants wake nobody and are shown to nobody', async (t) => {
  const { readers, grow } = await opened(t);
  const page = readers.read(tenant, { after: 0, limit: 5 }, never());
  await grow(otherMode, otherOrg);
  assert.equal(readers.waiting(), 1);
  await grow(tenant);
  const { events } = await page;
  assert.deepEqual(rowsOf(events, 'orgId', 'mode'), [[tenant.orgId, tenant.mode]]);
});

test('events that are no longer kept are refused, naming the oldest that is', async (t) => {
  const { readers, deps } = await opened(t);
  await prunedFeed(deps.store, tenant, { oldest: 6, last: 9 });
  await prunedFeed(deps.store, otherOrg, { oldest: 10, last: 9 });
  for (const [of, after, oldestSequence] of [
    [tenant, 0, 6],
    [tenant, 4, 6],
    [otherOrg, 0, 10],
    [otherOrg, 8, 10],
  ] as const) {
    for (const over of [null, never()]) {
      await assert.rejects(readers.read(of, { after, limit: 2 }, over), {
        code: 'EventsPruned',
        oldestSequence,
      });
    }
  }
  assert.equal(readers.waiting(), 0);
  const kept = await readers.read(tenant, { after: 5, limit: 2 }, null);
  assert.deepEqual(sequencesOf(kept), [6, 7]);
  assert.deepEqual((await readers.read(otherOrg, { after: 9, limit: 2 }, null)).events, []);
});

test('a look that fails rejects the reads that wait; later reads are served', async (t) => {
  const { deps, emit } = await opened(t);
  let broken = false;
  const failure = new PonteError('StoreContention');
  const readers = feedReaders({
    store: {
      ...deps.store,
      run: (work) => (broken ? Promise.reject(failure) : deps.store.run(work)),
    },
  });
  const page = readers.read(tenant, { after: 0, limit: 5 }, never());
  await until(() => readers.waiting() === 1);
  await turn();
  broken = true;
  readers.look([tenant]);
  await assert.rejects(page, failure);
  assert.equal(readers.waiting(), 0);
  broken = false;
  await emit(tenant);
  assert.deepEqual(sequencesOf(await readers.read(tenant, { after: 0, limit: 5 }, null)), [1]);
});

test('law: readers that follow nextAfter miss nothing and see nothing twice', async (t) => {
  const { readers, grow } = await opened(t);
  let tenants = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 4 }),
      async (bursts, limits) => {
        tenants += 1;
        const own: Tenant = { orgId: `org_law_${tenants}`, mode: 'test' };
        const total = bursts.reduce((sum, count) => sum + count, 0);
        const follow = async (limit: number): Promise<readonly number[]> => {
          const seen: number[] = [];
          for (let after = 0; after < total; ) {
            const page = await readers.read(own, { after, limit }, never());
            seen.push(...sequencesOf(page));
            after = page.nextAfter;
          }
          return seen;
        };
        const following = limits.map(follow);
        for (const count of bursts) await grow(...times(count, own));
        const whole = Array.from({ length: total }, (_, index) => index + 1);
        for (const seen of await Promise.all(following)) assert.deepEqual(seen, whole);
        assert.equal(readers.waiting(), 0);
      },
    ),
    { numRuns: lawRuns(50) },
  );
});
