// The writer of the SQLite session, in a process that serves the file and in any other: batches
// that wait together are committed together, and an error fails its own batch alone unless it ended
// the whole transaction.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import SqliteConnection from 'better-sqlite3';
import fc from 'fast-check';
import { type Statement, StoreConflict } from '../../../../adapters/storage/database.js';
import { SqliteDatabase } from '../../../../adapters/storage/sqlite/database.js';
import { openSqliteStore } from '../../../../adapters/storage/sqlite/store.js';
import { AssertionFailure, PonteError } from '../../../../core/errors.js';
import { aBarePayment, aBuyer, anEvent, tenant } from '../../../support/samples/domain-samples.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const folder = temporaryFolder();

let files = 0;

const writers = {
  'in memory': () => new SqliteDatabase({ path: ':memory:' }),
  'of a served file': () => {
    files += 1;
    const database = new SqliteDatabase({ path: join(folder, `served-${files}.db`) });
    database.serve();
    return database;
  },
} as const;

/** A table in which 2 is always refused by rolling everything back, 3 by its own statement. */
function withNumbers(t: TestContext, database: SqliteDatabase): SqliteDatabase {
  t.after(() => database.close());
  database.connection.exec(`
    create table numbers (n integer not null primary key check (n <> 3)) strict;
    create trigger numbers_two before insert on numbers when new.n = 2
    begin select raise(rollback, 'two takes all with it'); end;
    create table parents (n integer not null primary key) strict;
    create table children (
      n integer not null references parents (n) deferrable initially deferred
    ) strict;
  `);
  return database;
}

function insert(n: number): Statement {
  return {
    sql: 'insert into numbers (n) values ($1)',
    params: [n],
    guards: 'numbers',
    template: null,
  };
}

function remove(n: number): Statement {
  return {
    sql: 'delete from numbers where n = $1',
    params: [n],
    guards: 'numbers',
    template: null,
  };
}

const guard = { kind: 'expect', table: 'numbers', columns: ['n'], key: ['n'] } as const;

function expectThere(n: number): Statement {
  return {
    sql: 'select 1 as hit from numbers where n = $1',
    params: [n],
    guards: 'numbers',
    template: guard,
  };
}

const steps = { insert, remove, expect: expectThere } as const;

/** The statements that the connection prepares from now on. */
function preparedBy({ connection }: SqliteDatabase): readonly string[] {
  const texts: string[] = [];
  const prepare = connection.prepare.bind(connection);
  connection.prepare = ((sql: string) => {
    texts.push(sql);
    return prepare(sql);
  }) as typeof connection.prepare;
  return texts;
}

function numbers({ connection }: SqliteDatabase): readonly unknown[] {
  return connection.prepare('select n from numbers order by n').pluck().all();
}

function statuses(settled: readonly PromiseSettledResult<unknown>[]): readonly string[] {
  return settled.map(({ status }) => status);
}

test('a hundred concurrent creates are one commit', async () => {
  const store = openSqliteStore({ path: join(folder, 'group.db') });
  await store.migrate();
  const before = store.counts;
  await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      store.run(async (tx) => {
        assert.equal(await tx.payments.byExternalId(tenant, 'payment_intent', `e${index}`), null);
        tx.payments.insert(aBarePayment({ id: `pi_${index}`, externalId: `e${index}` }));
      }),
    ),
  );
  assert.deepEqual(store.counts, { commits: before.commits + 1, applied: before.applied + 100 });
  await store.close();
});

test('a batch that first appends an event with a taken id leaves no gap in the feed', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  await store.migrate();
  const append = (id: string) => store.run(async (tx) => tx.feed.append(anEvent({ id })));
  await append('evt_1');
  const settled = await Promise.allSettled(['evt_2', 'evt_1', 'evt_3'].map(append));
  assert.deepEqual(statuses(settled), ['fulfilled', 'rejected', 'fulfilled']);
  const events = await store.run((tx) => tx.feed.after(tenant, 0, 10));
  assert.deepEqual(
    events.map(({ id, sequence }) => [id, sequence]),
    [
      ['evt_1', 1],
      ['evt_2', 2],
      ['evt_3', 3],
    ],
  );
  assert.equal((await store.run((tx) => tx.feed.head(tenant)))?.sequence, 3);
  await store.close();
});

test('work that stages nothing commits nothing', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  await store.migrate();
  await store.run((tx) => tx.payments.get(tenant, 'pi_1'));
  assert.deepEqual(store.counts, { commits: 0, applied: 0 });
  await store.close();
});

test('a group has its bound; what is beyond it follows in the next', async (t) => {
  const database = withNumbers(t, new SqliteDatabase({ path: ':memory:' }));
  const all = Array.from({ length: 600 }, (_, index) => database.batch([insert(index + 10)]));
  await Promise.all(all);
  assert.equal(numbers(database).length, 600);
  assert.deepEqual(database.counts, { commits: 3, applied: 600 });
});

for (const [writer, open] of Object.entries(writers)) {
  test(`the writer ${writer}: a batch that fails in a group leaves the others as they are`, async (t) => {
    const database = withNumbers(t, open());
    const settled = await Promise.allSettled([
      database.batch([insert(1)]),
      database.batch([insert(5), insert(3), insert(6)]),
      database.batch([insert(7), insert(7)]),
      database.batch([remove(99)]),
      database.batch([insert(8)]),
    ]);
    assert.deepEqual(statuses(settled), [
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    const reasons = settled.map((one) => (one.status === 'rejected' ? one.reason : null));
    assert.ok(!(reasons[1] instanceof StoreConflict), 'a broken check is no race');
    assert.equal((reasons[2] as StoreConflict).kind, 'unique');
    assert.equal((reasons[3] as StoreConflict).kind, 'guard');
    assert.deepEqual(numbers(database), [1, 8]);
    assert.deepEqual(database.counts, { commits: 1, applied: 2 });
  });

  test(`the writer ${writer}: a group ends like its batches in turn, without the failing ones`, async (t) => {
    const database = withNumbers(t, open());
    // Inserts of what may be there, deletes and guards that may find nothing, a broken check.
    const kind = fc.constantFrom('insert', 'insert', 'remove', 'expect');
    const step = fc.oneof(
      { weight: 10, arbitrary: fc.record({ kind, n: fc.integer({ min: 4, max: 9 }) }) },
      { weight: 1, arbitrary: fc.constant({ kind: 'insert', n: 3 } as const) },
    );
    const batch = fc.array(step, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { maxLength: 12 }), async (batches) => {
        database.connection.exec('delete from numbers');
        const settled = await Promise.allSettled(
          batches.map((taken) => database.batch(taken.map(({ kind, n }) => steps[kind](n)))),
        );
        let expected = new Set<number>();
        for (const [index, taken] of batches.entries()) {
          const next = new Set(expected);
          const fits = taken.every(({ kind, n }) => {
            if (kind === 'remove') return next.delete(n);
            if (kind === 'expect') return next.has(n);
            const allowed = n !== 3 && !next.has(n);
            next.add(n);
            return allowed;
          });
          assert.equal(settled[index]?.status, fits ? 'fulfilled' : 'rejected');
          if (fits) expected = next;
        }
        assert.deepEqual(numbers(database), [...expected].sort());
      }),
    );
  });

  test(`the writer ${writer}: a batch whose first write is refused costs no savepoints`, async (t) => {
    const database = withNumbers(t, open());
    await database.batch([insert(1)]);
    const texts = preparedBy(database);
    const settled = await Promise.allSettled([
      database.batch([insert(4)]),
      database.batch([expectThere(1), insert(1), insert(5)]),
      database.batch([insert(6)]),
    ]);
    assert.deepEqual(statuses(settled), ['fulfilled', 'rejected', 'fulfilled']);
    assert.ok(!texts.includes('savepoint one'));
    await assert.rejects(database.batch([insert(7), insert(1)]), StoreConflict);
    assert.ok(texts.includes('savepoint one'));
    assert.deepEqual(numbers(database), [1, 4, 6]);
  });

  test(`the writer ${writer}: a guard holds for its group until its table is written`, async (t) => {
    const database = withNumbers(t, open());
    await database.batch([insert(1)]);
    const settled = await Promise.allSettled([
      database.batch([expectThere(1), insert(4)]),
      database.batch([expectThere(1), remove(1)]),
      database.batch([expectThere(1), insert(5)]),
    ]);
    assert.deepEqual(statuses(settled), ['fulfilled', 'fulfilled', 'rejected']);
    assert.deepEqual(numbers(database), [4]);
    const others = await Promise.allSettled([
      database.batch([insert(9), expectThere(9), insert(4)]),
      database.batch([expectThere(9), insert(5)]),
      database.batch([expectThere(4)]),
      database.immediate('delete from numbers where n = $1 returning n', [4]),
      database.batch([expectThere(4), insert(7)]),
    ]);
    const expected = ['rejected', 'rejected', 'fulfilled', 'fulfilled', 'rejected'];
    assert.deepEqual(statuses(others), expected);
    assert.deepEqual(numbers(database), []);
  });

  test(`the writer ${writer}: a placeholder without its parameter fails its batch alone`, async (t) => {
    const database = withNumbers(t, open());
    const settled = await Promise.allSettled([
      database.batch([insert(1)]),
      database.batch([{ ...insert(4), params: [] }]),
    ]);
    assert.deepEqual(statuses(settled), ['fulfilled', 'rejected']);
    const [, failed] = settled;
    assert.ok(failed?.status === 'rejected' && failed.reason instanceof AssertionFailure);
    assert.deepEqual(numbers(database), [1]);
  });

  test(`the writer ${writer}: an error that rolls everything back fails its group only`, async (t) => {
    const database = withNumbers(t, open());
    const settled = await Promise.allSettled([
      database.batch([insert(1)]),
      database.batch([insert(2)]),
      database.batch([insert(4)]),
    ]);
    assert.deepEqual(statuses(settled), ['rejected', 'rejected', 'rejected']);
    assert.deepEqual(numbers(database), []);
    assert.equal(database.connection.inTransaction, false);
    await database.batch([insert(4)]);
    assert.deepEqual(numbers(database), [4]);
  });

  test(`the writer ${writer}: a commit that fails fails every batch of its group`, async (t) => {
    const database = withNumbers(t, open());
    const orphan = {
      sql: 'insert into children (n) values ($1)',
      params: [1],
      guards: null,
      template: null,
    };
    const settled = await Promise.allSettled([
      database.batch([insert(1)]),
      database.batch([orphan]),
    ]);
    assert.deepEqual(statuses(settled), ['rejected', 'rejected']);
    assert.deepEqual(numbers(database), []);
    assert.equal(database.connection.inTransaction, false);
    assert.deepEqual(database.counts, { commits: 0, applied: 0 });
    await database.batch([insert(1)]);
    assert.deepEqual(numbers(database), [1]);
  });

  test(`the writer ${writer}: immediate statements and batches share a commit, in call order`, async (t) => {
    const database = withNumbers(t, open());
    const taken = 'delete from numbers where n >= $2 and n < $1 returning n';
    const [, rows] = await Promise.all([
      database.batch([insert(10), insert(11)]),
      database.immediate(taken, [11, 5]),
      database.batch([insert(12)]),
    ]);
    assert.deepEqual(rows, [{ n: 10 }]);
    assert.deepEqual(numbers(database), [11, 12]);
    assert.equal(database.counts.commits, 1);
  });
}

test('no write is answered before the commit, and the schedule is the given one', async () => {
  const turns: (() => void)[] = [];
  const schedule = (commit: () => void) => void turns.push(commit);
  const database = new SqliteDatabase({ path: ':memory:', schedule });
  database.connection.exec('create table numbers (n integer not null primary key) strict');
  let answered = false;
  const batch = database.batch([insert(1)]).then(() => {
    answered = true;
  });
  await new Promise(setImmediate);
  assert.deepEqual([answered, numbers(database)], [false, []]);
  assert.equal(turns.length, 1);
  turns[0]?.();
  await batch;
  assert.deepEqual([answered, numbers(database)], [true, [1]]);
  await database.close();
});

test('closing commits what waits', async () => {
  const path = join(folder, 'closing.db');
  const store = openSqliteStore({ path });
  await store.migrate();
  const write = store.run(async (tx) => tx.buyers.insert(aBuyer()));
  // The work has returned and its batch waits.
  await Promise.resolve();
  await Promise.resolve();
  await store.close();
  await write;
  const again = openSqliteStore({ path });
  assert.deepEqual(await again.run((tx) => tx.buyers.get('test', 'byr_1')), aBuyer());
  await again.close();
});

test('a file that another process writes to for too long is a transient refusal', async () => {
  const path = join(folder, 'busy.db');
  const database = new SqliteDatabase({ path, busyTimeoutMs: 0 });
  database.connection.exec('create table numbers (n integer not null primary key) strict');
  const other = new SqliteConnection(path);
  other.exec('begin immediate');
  await assert.rejects(database.batch([insert(1)]), (error: unknown) => {
    return error instanceof PonteError && error.code === 'StoreContention' && error.transient;
  });
  other.exec('rollback');
  await database.batch([insert(1)]);
  assert.deepEqual(numbers(database), [1]);
  other.close();
  await database.close();
});

test('a file is written to the disk at each commit, and read by its owner alone', async () => {
  const path = join(folder, 'settings.db');
  const database = new SqliteDatabase({ path });
  const pragma = (name: string) => database.connection.pragma(name, { simple: true });
  assert.deepEqual([pragma('journal_mode'), pragma('synchronous')], ['wal', 2]);
  assert.equal(statSync(path).mode & 0o077, 0);
  await database.close();
});

test('ledger lines cannot be changed or removed, not even by hand', async () => {
  const path = join(folder, 'ledger.db');
  const store = openSqliteStore({ path });
  await store.migrate();
  const money = { amountMinor: 5n, currency: 'EUR' } as const;
  const lines = [{ account: 'buyer', money }] as const;
  await store.run(async (tx) =>
    tx.ledger.append(tenant, 'pi_1', 'pst_1', { kind: 'refund_paid', lines }, 1),
  );
  await store.close();
  const hand = new SqliteConnection(path);
  assert.throws(() => hand.exec('update ledger_lines set amount_minor = 6'), /append-only/);
  assert.throws(() => hand.exec('delete from ledger_lines'), /append-only/);
  assert.throws(
    () => hand.exec('insert or replace into ledger_lines select * from ledger_lines'),
    /append-only/,
  );
  assert.equal(hand.prepare('select count(*) from ledger_lines').pluck().get(), 1);
  hand.close();
});

test('reads of one turn are of one moment; those of the next see what came between', async () => {
  const path = join(folder, 'moments.db');
  const [store, beside] = [openSqliteStore({ path }), openSqliteStore({ path })];
  await store.migrate();
  const count = () => store.run(async (tx) => (await tx.buyers.get('test', 'byr_1')) !== null);
  const first = count();
  const written = beside.run(async (tx) => tx.buyers.insert(aBuyer()));
  assert.equal(await first, false);
  await written;
  assert.equal(await count(), true);
  await Promise.all([store.close(), beside.close()]);
});
