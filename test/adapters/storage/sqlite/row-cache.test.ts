// The cache of rows on SQLite: a read is answered from it only while nothing has written the rows
// that it was made of, neither this process in any way nor another one.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type CachedRead, tableWrittenBy } from '../../../../adapters/storage/database.js';
import { SqliteDatabase } from '../../../../adapters/storage/sqlite/database.js';
import { RowCache } from '../../../../adapters/storage/sqlite/row-cache.js';
import { newStore } from '../../../../adapters/storage/store.js';
import type { Store, Tx } from '../../../../core/ports/storage.js';
import { allPayments } from '../../../../core/usecases/payments/payment-lists.js';
import { migratedImage } from '../../../support/databases/migrated-image.js';
import { callsOfTheStore } from '../../../support/databases/store-statements.js';
import {
  aBuyer,
  aKey,
  anAccount,
  anOrganization,
  aPayment,
  aProfile,
  aSubmission,
  otherMode,
  otherOrg,
  someFunds,
  T0,
  tenant,
} from '../../../support/samples/domain-samples.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const folder = temporaryFolder();
const opened: SqliteDatabase[] = [];
after(() => Promise.all(opened.map((database) => database.close())));
let files = 0;

const payment = aPayment();
const buyer = aBuyer({ id: payment.buyerId });
const submission = aSubmission({ buyerId: buyer.id, status: 'pending' });
const account = anAccount({ role: 'buyer', status: 'created', email: buyer.email });

interface OpenStore extends Pick<Store, 'run' | 'kept'> {
  readonly database: SqliteDatabase;
}

async function filled(): Promise<{ readonly here: OpenStore; open(): OpenStore }> {
  files += 1;
  const path = join(folder, `${files}.db`);
  writeFileSync(path, migratedImage());
  const open = () => {
    const database = new SqliteDatabase({ path });
    opened.push(database);
    return { ...newStore(database), database };
  };
  const here = open();
  await here.run(async (tx) => {
    tx.organizations.insert(anOrganization(), [aProfile()]);
    tx.keys.insert(aKey());
    tx.buyers.insert(buyer);
    tx.buyers.insertSubmission(submission);
    tx.accounts.insert(account);
    tx.payments.insert(payment);
    tx.funds.put(someFunds());
  });
  return { here, open };
}

const page = { ...allPayments, fromMoment: null, beforeMoment: null, settled: null };

const reads = {
  key: (tx: Tx) => tx.keys.get('key_1'),
  profile: (tx: Tx) => tx.organizations.named(tenant),
  kyc: (tx: Tx) => tx.views.kycStatus(tenant, buyer),
  view: (tx: Tx) => tx.views.get(tenant, payment.id),
  aggregate: (tx: Tx) => tx.payments.withFunds(tenant, payment.id),
  submission: (tx: Tx) => tx.buyers.submissionById(tenant, submission.id),
  list: (tx: Tx) => tx.views.listPayments(tenant, { ...page, limit: 2 }),
  epoch: (tx: Tx) => tx.epochs.current(),
} as const;

/** What a write of this process changes instead of dropping it. */
const changed: readonly (keyof typeof reads)[] = ['aggregate', 'submission'];

function changedSubmission(tx: Tx): void {
  tx.buyers.updateSubmission({ ...submission, status: 'verifying' });
}

function newSubmission(tx: Tx): void {
  tx.buyers.updateSubmission({ ...submission, status: 'rejected' });
  tx.buyers.insertSubmission({
    ...submission,
    id: 'kyc_2',
    flowId: 'flow_2',
    status: 'approved',
  });
}

/** What changes each of them. */
const writes: Readonly<
  Record<keyof typeof reads, Readonly<Record<string, (tx: Tx) => void | Promise<void>>>>
> = {
  key: {
    'its revocation': (tx) => tx.keys.update(aKey({ revokedAtMs: T0 })),
    'its use, which compares no version': (tx) => tx.keys.touch('key_1', T0 + 60_000),
  },
  profile: {
    'the profile': (tx) => tx.organizations.updateProfile(aProfile({ destinationRef: 'other' })),
    'the name of the organization': (tx) => tx.organizations.update(anOrganization({ name: 'B' })),
  },
  kyc: {
    'a changed submission': changedSubmission,
    'a new submission': newSubmission,
    'a changed account': (tx) => tx.accounts.update({ ...account, status: 'approved' }),
    'a new account': (tx) =>
      tx.accounts.insert({ ...account, id: 'acct_2', externalId: null, status: 'approved' }),
  },
  aggregate: {
    'the payment': (tx) =>
      tx.payments.update({ ...payment, cancelReason: 'other', status: 'cancelled' }),
    'the funds': (tx) =>
      tx.funds.put(someFunds({ version: 1, position: 'needs_review', lossMinor: 7n })),
    both: (tx) => {
      tx.payments.update({ ...payment, approvalLostAtMs: T0 });
      tx.funds.put(someFunds({ version: 1, receivedMinor: 7n }));
    },
  },
  submission: { 'a changed submission': changedSubmission },
  list: {
    'a payment': (tx) => tx.payments.update({ ...payment, cancelReason: 'other' }),
    'the funds': (tx) => tx.funds.put(someFunds({ version: 1, position: 'needs_review' })),
    'the KYC of the buyer': (tx) => tx.accounts.update({ ...account, status: 'approved' }),
    'a new payment': (tx) => {
      const id = 'pi_2';
      tx.payments.insert({ ...payment, id, publicId: 'p2', externalId: null });
      tx.funds.put({ ...someFunds(), paymentId: id });
    },
  },
  view: {
    'the payment': (tx) => tx.payments.update({ ...payment, cancelReason: 'other' }),
    'the funds': (tx) => tx.funds.put(someFunds({ version: 1, position: 'needs_review' })),
    'the KYC of the buyer': (tx) => tx.accounts.update({ ...account, status: 'approved' }),
  },
  epoch: {
    'a quarantine': async (tx) => {
      tx.epochs.update({ ...(await tx.epochs.current()), state: 'quarantine' });
    },
  },
};

/** What is given without a promise. */
const keptOf: Partial<Record<keyof typeof reads, (store: OpenStore) => unknown>> = {
  key: ({ kept }) => kept.key('key_1'),
  view: ({ kept }) => kept.view(tenant, payment.id),
};

/** A list of kept payments still reads their ids, of each origin. */
const keysOf: Partial<Record<keyof typeof reads, number>> = { list: 2 };

/** The value, and how many statements it took. */
async function cost(store: OpenStore, name: keyof typeof reads) {
  const before = store.database.reads;
  const value = await store.run<unknown>((tx) => reads[name](tx));
  return { value, statements: store.database.reads - before };
}

for (const name of Object.keys(reads) as (keyof typeof reads)[]) {
  describe(`${name}: what was read is kept`, () => {
    for (const [what, write] of Object.entries(writes[name])) {
      for (const by of ['this process', 'another process']) {
        test(`until ${by} writes ${what}`, async () => {
          const { here, open } = await filled();
          const { value } = await cost(here, name);
          assert.deepEqual(await cost(here, name), { value, statements: keysOf[name] ?? 0 });
          if (keptOf[name] !== undefined) assert.deepEqual(keptOf[name](here), value);
          const writer = by === 'this process' ? here : open();
          await writer.run(async (tx) => write(tx), { inQuarantine: true });
          assert.equal(keptOf[name]?.(here) ?? null, null);
          const after = await cost(here, name);
          assert.notDeepEqual(after.value, value);
          const fresh = await cost(open(), name);
          assert.deepEqual(after.value, fresh.value);
          const isKept = changed.includes(name) && by === 'this process';
          if (isKept) assert.equal(after.statements, 0);
          else if (keysOf[name] === undefined) assert.deepEqual(after, fresh);
        });
      }
    }
  });
}

test('what writes change is what is stored, in any order and beside another process', async () => {
  const { here, open } = await filled();
  const other = open();

  const read = (from: OpenStore) => from.run((tx) => tx.payments.withFunds(tenant, payment.id));
  let statements = 0;
  for (let turn = 0; turn < 60; turn += 1) {
    const by = turn % 7 === 5 ? other : here;
    const before = here.database.reads;
    assert.deepEqual(await read(here), await read(open()));
    statements += here.database.reads - before;
    await by.run(async (tx) => {
      const was = await tx.payments.withFunds(tenant, payment.id);
      assert.ok(was !== null);
      if (turn % 3 < 2) {
        const failureReason = turn % 5 === 0 ? null : `${turn} \ud800`;
        tx.payments.update({ ...was.payment, failureReason, remindAtMs: T0 + turn });
      }
      if (turn % 3 > 0) tx.funds.put({ ...was.funds, receivedMinor: 90_000n + BigInt(turn) });
    });
  }
  // The first read, and one after each write of the other process.
  assert.equal(statements, 1 + 8);
});

const wholeRead: CachedRead<unknown> = {
  sql: 'select',
  on: { payments: ['id'] },
  whole: { payments: '' },
  read: ({ status, version }) => [status, version],
};
const template = {
  kind: 'update',
  table: 'payments',
  columns: ['status', 'id', 'version'],
  key: ['id', 'version'],
} as const;

test('a write over another version than the kept one drops it', () => {
  for (const [over, found] of [
    [1, null],
    [2, [['settled', 3]]],
    [3, null],
  ] as const) {
    const cache = new RowCache();
    cache.keep(wholeRead, ['pi_1'], [{ id: 'pi_1', status: 'expired', version: 2 }]);
    cache.written({ sql: 'update', params: ['settled', 'pi_1', over], template });
    assert.deepEqual(cache.find(wholeRead, ['pi_1']), found, `${over}`);
  }
});

test('a payment without funds is kept until its first ones are written', async () => {
  const { here, open } = await filled();
  const fresh = { ...payment, id: 'pi_2', publicId: 'p2', externalId: null };
  for (const [writer, id] of [
    [here, 'pi_2'],
    [open(), 'pi_3'],
  ] as const) {
    await here.run(async (tx) => tx.payments.insert({ ...fresh, id, publicId: id }));
    const positionOf = async () =>
      (await here.run((tx) => tx.views.get(tenant, id)))?.funds.position;
    const both = () => here.run((tx) => tx.payments.withFunds(tenant, id));
    assert.equal((await both())?.funds.version, 0);
    assert.equal(await positionOf(), 'none');
    await writer.run(async (tx) =>
      tx.funds.put(someFunds({ paymentId: id, position: 'needs_review' })),
    );
    assert.equal(await positionOf(), 'needs_review');
    assert.deepEqual((await both())?.funds, await here.run((tx) => tx.funds.get(tenant, id)));
  }
});

test('a write keeps what was read of other rows', async () => {
  const { here } = await filled();
  const others = { ...payment, id: 'pi_2', publicId: 'p2', externalId: null };
  const foreign = { ...payment, orgId: otherOrg.orgId };
  await here.run(async (tx) => {
    tx.payments.insert(others);
    tx.funds.put({ ...someFunds(), paymentId: others.id });
    tx.payments.insert({ ...foreign, publicId: 'p3' });
    tx.funds.put({ ...someFunds(), orgId: otherOrg.orgId });
  });
  const both = async () => [
    await here.run((tx) => tx.views.get(tenant, others.id)),
    await here.run((tx) => tx.views.get(otherOrg, foreign.id)),
  ];
  const before = await both();
  const statements = here.database.reads;
  await here.run(async (tx) => {
    tx.payments.update({ ...payment, cancelReason: 'other' });
    tx.accounts.insert({ ...account, ...otherMode, externalId: null });
  });
  assert.deepEqual(await both(), before);
  assert.equal(here.database.reads, statements);
});

test('that nothing was found is not kept', async () => {
  const { here, open } = await filled();
  const found = () => here.run((tx) => tx.buyers.byEmail('test', 'new@buyer.example'));
  assert.equal(await found(), null);
  const added = {
    ...buyer,
    id: 'byr_2',
    email: 'new@buyer.example',
    emailKey: 'new@buyer.example',
  };
  await open().run(async (tx) => tx.buyers.insert(added));
  assert.deepEqual(await found(), added);
});

test('a cached read names every table whose rows may change', async () => {
  const { cached } = await callsOfTheStore();
  assert.ok(cached.length >= Object.keys(reads).length);
  for (const { sql, on } of cached) {
    const tables = new Set([...sql.matchAll(/\b(?:from|join) (\w+)/g)].map(([, table]) => table));
    // Buyers and quotes never change, and settlements only with their payment.
    for (const name of ['chosen', 'buyers', 'quotes', 'partner_commands']) tables.delete(name);
    assert.deepEqual(Object.keys(on).sort(), [...tables].sort(), sql);
  }
});

test('the key of a write begins with what selects the rows of a cached read', async () => {
  const { cached, batched } = await callsOfTheStore();
  const ons = cached.flatMap(({ on }) => Object.entries(on));
  for (const { sql, template } of batched) {
    if (template === null || template.kind === 'expect' || template.key.length === 0) continue;
    for (const [, columns] of ons.filter(([table]) => table === template.table)) {
      assert.deepEqual(template.key.slice(0, columns.length), columns, sql);
    }
  }
});

test('the table of every write is known', async () => {
  const { batched, immediate } = await callsOfTheStore();
  for (const { sql, template } of batched) {
    if (template?.kind === 'expect') continue;
    const table = tableWrittenBy(sql);
    assert.ok(table !== null && table === (template?.table ?? table), sql);
  }
  for (const { sql } of immediate) assert.notEqual(tableWrittenBy(sql), null, sql);
});

const anyRead: CachedRead<unknown> = {
  sql: 'select 1',
  on: { t: ['id'] },
  read: (row) => row['v'],
};

test('a write of an unknown table drops everything', () => {
  const cache = new RowCache();
  cache.keep(anyRead, ['a'], [{ v: 1 }]);
  cache.dropFor({ sql: 'vacuum', params: [], template: null });
  assert.equal(cache.find(anyRead, ['a']), null);
});

test('no two lists of parameters are one', () => {
  const cache = new RowCache();
  cache.keep(anyRead, ['a/b', 'c'], [{ v: 1 }]);
  for (const params of [
    ['a', 'b/c'],
    ['a/b/c', ''],
    ['', 'a/b/c'],
    ['a/b', ''],
  ]) {
    assert.equal(cache.find(anyRead, params), null);
  }
  assert.deepEqual(cache.find(anyRead, ['a/b', 'c']), [1]);
});

test('what is kept again replaces what was kept, and counts once', () => {
  const cache = new RowCache(10_000);
  cache.keep(anyRead, ['other'], [{ v: 'x' }]);
  for (let nth = 0; nth < 20; nth += 1) cache.keep(anyRead, ['a'], [{ v: `${nth}` }]);
  assert.deepEqual(cache.find(anyRead, ['a']), ['19']);
  assert.deepEqual(cache.find(anyRead, ['other']), ['x']);
});

test('the oldest values go when the rows are too many', () => {
  const cache = new RowCache(10_000);
  for (let nth = 0; nth < 20; nth += 1) cache.keep(anyRead, [`${nth}`], [{ v: 'x'.repeat(1_000) }]);
  const kept = Array.from({ length: 20 }, (_, nth) => cache.find(anyRead, [`${nth}`]) !== null);
  assert.deepEqual(
    kept,
    Array.from({ length: 20 }, (_, nth) => nth >= 15),
  );
});

test('a row that grows by a write is counted as it is', () => {
  const cache = new RowCache(10_000);
  for (const id of ['pi_1', 'pi_2']) cache.keep(wholeRead, [id], [{ id, status: '', version: 1 }]);
  const write = (status: string, over: number) =>
    cache.written({ sql: 'update', params: [status, 'pi_1', over], template });
  write('x'.repeat(7_000), 1);
  write('x'.repeat(7_500), 2);
  const isKept = (id: string) => cache.find(wholeRead, [id]) !== null;
  assert.deepEqual([isKept('pi_1'), isKept('pi_2')], [true, true]);
  write('x'.repeat(9_000), 3);
  assert.deepEqual([isKept('pi_1'), isKept('pi_2')], [false, true]);
});
