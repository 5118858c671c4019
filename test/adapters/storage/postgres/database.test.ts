// The PostgreSQL session: grouped batches share a round trip and a commit, an error fails its own
// batch alone, and a lost connection is distinguished from a refusal.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { newClaims } from '../../../../adapters/storage/claims.js';
import type { Database } from '../../../../adapters/storage/database.js';
import { postgresConnections } from '../../../../adapters/storage/postgres/connections.js';
import { singleRead } from '../../../../adapters/storage/postgres/query-text.js';
import { hostUrls } from '../../../../adapters/storage/postgres/servers.js';
import {
  openPostgresStore,
  type PostgresStore,
} from '../../../../adapters/storage/postgres/store.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { PonteError } from '../../../../core/errors.js';
import type { Log } from '../../../../core/ports/outside.js';
import type { Store } from '../../../../core/ports/storage.js';
import { checkedFeed } from '../../../contract/store-feed-contract.js';
import { localPostgres } from '../../../support/databases/local-postgres.js';
import { reusedDatabase } from '../../../support/databases/test-store.js';
import {
  aBarePayment,
  aBuyer,
  aDelivery,
  anEvent,
  anOrganization,
  aPayment,
  aProfile,
  otherOrg,
  someFunds,
  T0,
  tenant,
} from '../../../support/samples/domain-samples.js';
import { aMail } from '../../../support/samples/mail-samples.js';
import { until } from '../../../support/wait.js';

const postgres = localPostgres({ own: true });
const emptied = reusedDatabase(postgres);
const opened: PostgresStore[] = [];
after(() => Promise.all(opened.map((store) => store.close())));

/** Tests about outages wait for a refusal; others allow for a slow machine. */
async function aStore(
  acquireTimeoutMs = 60_000,
  newUrl = emptied,
): Promise<{ readonly store: PostgresStore; readonly url: string }> {
  const url = await newUrl();
  const store = openPostgresStore({ url, acquireTimeoutMs });
  opened.push(store);
  await store.migrate();
  return { store, url };
}

async function sql(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const results = await client.query(text);
    return [results].flat().at(-1)?.rows ?? [];
  } finally {
    await client.end();
  }
}

function ids(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `pi_${String(index).padStart(3, '0')}`);
}

test('values of writes and reads that go together are kept as they are', async () => {
  const { store } = await aStore();
  const names = ['', 'null', '{a,"b"}', 'back\\slash', 'two\nlines', 'São 漢字 😀', ' '];
  // At first no row of this process has a value in the column, then some have.
  const moments = [null, 1, -62_135_596_800_000, 253_402_300_799_999, null];
  for (const grantedAtMs of [[null], moments]) {
    const made = names.flatMap((name, at) =>
      grantedAtMs.map((productionGrantedAtMs, index) => {
        const id = `org_${grantedAtMs.length}_${at}_${index}`;
        const requiresApproval = index % 2 === 1;
        return anOrganization({ id, name, productionGrantedAtMs, requiresApproval });
      }),
    );
    await Promise.all(
      made.map((organization) =>
        store.run(async (tx) => tx.organizations.insert(organization, [])),
      ),
    );
    const found = await Promise.all(
      made.map(({ id }) => store.run((tx) => tx.organizations.get(id))),
    );
    assert.deepEqual(found, made);
    const turned = made.map((one) => ({ ...one, requiresApproval: !one.requiresApproval }));
    await Promise.all(
      turned.map((organization) => store.run(async (tx) => tx.organizations.update(organization))),
    );
    const after = await Promise.all(
      made.map(({ id }) => store.run((tx) => tx.organizations.get(id))),
    );
    assert.deepEqual(
      after,
      turned.map((one) => ({ ...one, version: one.version + 1 })),
    );
  }
});

test('a hundred concurrent creates are few commits and few round trips', async () => {
  const { store } = await aStore();
  await store.run(async (tx) => tx.organizations.insert(anOrganization(), [aProfile()]));
  const before = store.counts;
  await Promise.all(
    ids(100).map((id) =>
      store.run(async (tx) => {
        const profile = await tx.organizations.profile(tenant);
        assert.ok(profile);
        tx.organizations.expectProfile(profile);
        tx.payments.insert(aBarePayment({ id, publicId: id }));
        tx.funds.put(someFunds({ paymentId: id }));
        tx.feed.append(anEvent({ id: `evt_${id}`, subjectId: id }));
      }),
    ),
  );
  assert.equal(store.counts.applied - before.applied, 100);
  assert.ok(store.counts.commits - before.commits <= 3, `${store.counts.commits} commits`);
  assert.ok(store.counts.reads - before.reads <= 3, `${store.counts.reads} reads`);
});

test('hosts that append side by side leave no gap, and no batch loses to another', async () => {
  const { store, url } = await aStore();
  const other = openPostgresStore({ url });
  opened.push(other);
  let runs = 0;
  const append = (host: Store, name: string, tenants: readonly Tenant[]) =>
    host.run(async (tx) => {
      runs += 1;
      for (const one of tenants) {
        tx.feed.append(anEvent({ ...one, id: name }));
      }
    });
  const rounds = ids(50);
  // Each host has two groups at a time.
  await Promise.all([
    inTurns(rounds, (id) => append(store, `evt_${id}_1`, [tenant, otherOrg])),
    inTurns(rounds, (id) => append(store, `evt_${id}_2`, [otherOrg, tenant])),
    inTurns(rounds, (id) => append(other, `evt_${id}_3`, [otherOrg, tenant])),
    inTurns(rounds, (id) => append(other, `evt_${id}_4`, [tenant, otherOrg])),
  ]);
  assert.equal(await checkedFeed(store, tenant), 200);
  assert.equal(await checkedFeed(store, otherOrg), 200);
  assert.equal(runs, 200);
});

async function inTurns(all: readonly string[], work: (id: string) => Promise<void>): Promise<void> {
  for (const id of all) await work(id);
}

test('concurrent reads each get their own rows', async () => {
  const { store } = await aStore();
  await store.run(async (tx) => {
    for (const id of ids(50)) tx.payments.insert(aBarePayment({ id, publicId: `of ${id}` }));
  });
  const asked = [...ids(60), ...ids(10)];
  const found = await Promise.all(
    asked.map((id) => store.run((tx) => tx.payments.get(tenant, id))),
  );
  const expected = asked.map((id) => (id < 'pi_050' ? `of ${id}` : undefined));
  assert.deepEqual(
    found.map((payment) => payment?.publicId),
    expected,
  );
});

test('a read that fails takes no other one with it', async () => {
  const { store } = await aStore();
  const reads = [
    store.run((tx) => tx.buyers.get('test', 'byr_1')),
    store.run((tx) => tx.payments.get(tenant, 'no\0text')),
    store.run((tx) => tx.funds.get(tenant, 'pi_1')),
  ];
  const outcomes = (await Promise.allSettled(reads)).map(({ status }) => status);
  assert.deepEqual(outcomes, ['fulfilled', 'rejected', 'fulfilled']);
});

test('concurrent pages are each in their order', async () => {
  const { store } = await aStore();
  const invoices = ids(30).map((id) => id.replace('pi', 'inv'));
  await store.run(async (tx) => {
    for (const id of invoices) {
      tx.payments.insert(aBarePayment({ id, publicId: id, origin: 'invoice' }));
      tx.funds.put(someFunds({ paymentId: id }));
    }
  });
  const page = (afterId: string) =>
    ({ origins: ['invoice'], fromMs: T0 + 5, untilMs: T0 + 5, afterId, limit: 5 }) as const;
  const pages = await Promise.all(
    invoices.map((afterId) => store.run((tx) => tx.views.updatedPayments(tenant, page(afterId)))),
  );
  for (const [index, page] of pages.entries()) {
    const expected = invoices.slice(index + 1, index + 6);
    assert.deepEqual(
      page.map(({ payment }) => payment.id),
      expected,
    );
  }
});

test('what fails of batches that go together is applied by none, the others are', async () => {
  const { store } = await aStore();
  await store.run(async (tx) => tx.payments.insert(aPayment()));
  const outcomes = await Promise.allSettled(
    ids(20).map((id, index) =>
      store.run(async (tx) => {
        tx.buyers.insert(aBuyer({ id: `byr_${id}`, emailKey: `${id}@example.com` }));
        // This guard fails at every retry.
        if (index % 7 === 3) tx.payments.update(aPayment({ version: 9 }));
      }),
    ),
  );
  const refused = ids(20).filter((_, index) => index % 7 === 3);
  assert.deepEqual(
    outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [ids(20)[index]] : [])),
    refused,
  );
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    assert.ok(outcome.reason instanceof PonteError);
    assert.equal(outcome.reason.code, 'StoreContention');
  }
  const stored = await store.run((tx) =>
    Promise.all(ids(20).map((id) => tx.buyers.get('test', `byr_${id}`))),
  );
  assert.deepEqual(
    stored.flatMap((buyer, index) => (buyer === null ? [ids(20)[index]] : [])),
    refused,
  );
});

test('a batch whose guard fails commits nothing', async () => {
  const { store, url } = await aStore();
  await store.run(async (tx) => tx.payments.insert(aPayment()));
  await assert.rejects(
    store.run(async (tx) => {
      tx.buyers.insert(aBuyer());
      tx.payments.update(aPayment({ version: 9 }));
      tx.feed.append(anEvent());
    }),
    { code: 'StoreContention' },
  );
  const [counts] = await sql(
    url,
    'select (select count(*) from buyers) + (select count(*) from events) as written',
  );
  assert.deepEqual(counts, { written: '0' });
});

test('a row is read whole after a migration has given its table a column', async () => {
  const { store, url } = await aStore(60_000, postgres.newDatabase);
  await store.run(async (tx) => tx.payments.insert(aPayment()));
  const read = () => store.run((tx) => tx.payments.get(tenant, 'pi_1'));
  assert.deepEqual(await read(), aPayment());
  await sql(url, 'alter table payments add column later text');
  assert.deepEqual(await read(), aPayment());
});

test('a connection that breaks while nothing is under way is replaced without a word', async () => {
  const { store, url } = await aStore();
  await store.run(async (tx) => tx.buyers.insert(aBuyer()));
  await sql(
    url,
    'select pg_terminate_backend(pid) from pg_stat_activity ' +
      "where application_name = 'ponte' and pid <> pg_backend_pid()",
  );
  assert.deepEqual(await store.run((tx) => tx.buyers.get('test', 'byr_1')), aBuyer());
});

test('a batch that waits when its connection ends is refused, and not known to be stored', async () => {
  const { store, url } = await aStore(300);
  await store.run(async (tx) => tx.payments.insert(aPayment()));
  const holder = new pg.Client(url);
  await holder.connect();
  await holder.query('begin');
  await holder.query('select 1 from payments for update');
  const update = store.run(async (tx) => tx.payments.update(aPayment({ status: 'settled' })));
  const refused = assert.rejects(update, { code: 'StoreUnavailable', retryAfterSeconds: 2 });
  await waitingForLock(url);
  await sql(
    url,
    "select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'",
  );
  await refused;
  await holder.query('rollback');
  await holder.end();
  assert.deepEqual(await store.run((tx) => tx.payments.get(tenant, 'pi_1')), aPayment());
});

test('without a database everything is refused with a time to come back, until it is there', async () => {
  const { store } = await aStore(300);
  await postgres.stop();
  await assert.rejects(
    store.run((tx) => tx.buyers.get('test', 'byr_1')),
    { code: 'StoreUnavailable', retryAfterSeconds: 2 },
  );
  await assert.rejects(
    store.run(async (tx) => tx.buyers.insert(aBuyer())),
    { code: 'StoreUnavailable' },
  );
  assert.deepEqual(await store.health(), { database: false, migrations: false });
  await postgres.start();
  await store.run(async (tx) => tx.buyers.insert(aBuyer()));
  assert.deepEqual(await store.health(), { database: true, migrations: true });
});

test('of several hosts in a URL, the first that answers is used', async () => {
  const { url } = await aStore();
  const { port } = new URL(url);
  const both = url.replace(`127.0.0.1:${port}`, `127.0.0.1:1,127.0.0.1:${port}`);
  const store = openPostgresStore({ url: both });
  opened.push(store);
  await store.run(async (tx) => tx.buyers.insert(aBuyer()));
  // A connection beside the pool looks for itself.
  const connections = postgresConnections({ url: both });
  const line = await connections.connect();
  assert.deepEqual((await line.query('select 1 as one')).rows, [{ one: 1 }]);
  await line.end();
  const nowhere = postgresConnections({ url: url.replace(port, '1') });
  await assert.rejects(nowhere.connect(), { code: 'StoreUnavailable' });
});

test('a commit that waits for its standby too long is refused, and may be stored', async () => {
  const { store, url } = await aStore(300);
  const durable = durably(url);
  await withoutStandby(url, async () => {
    const hurried = openPostgresStore({ url: durable, answerTimeoutMs: 2_000 });
    opened.push(hurried);
    const insert = hurried.run(async (tx) => tx.buyers.insert(aBuyer()));
    await assert.rejects(insert, { code: 'StoreUnavailable', retryAfterSeconds: 2 });
    // An operator who ends the wait makes the server commit alone, and say COMMIT.
    const patient = openPostgresStore({ url: durable });
    opened.push(patient);
    let isDone = false;
    const other = patient
      .run(async (tx) => tx.mails.insert(aMail()))
      .finally(() => {
        isDone = true;
      });
    const refused = assert.rejects(other, { code: 'StoreUnavailable', retryAfterSeconds: 2 });
    while (!isDone) {
      await sql(url, cancelWaiting);
      await wait(100);
    }
    await refused;
  });
  assert.deepEqual(await store.run((tx) => tx.buyers.get('test', 'byr_1')), aBuyer());
  assert.deepEqual(await store.run((tx) => tx.mails.get(tenant, aMail().id)), aMail());
});

/** Ends the wait of the newest session. */
const cancelWaiting =
  'select pg_cancel_backend(pid) from (select pid from pg_stat_activity ' +
  "where wait_event = 'SyncRep' order by backend_start desc limit 1) as newest";

/** What commits in such a session is on disk and, where there is one, on the standby. */
function durably(url: string): string {
  return url.replace('options=', `options=${encodeURIComponent('-c synchronous_commit=on ')}`);
}

/** Runs `work` while every commit of a durable session waits for a standby that never comes. */
async function withoutStandby(url: string, work: () => Promise<void>): Promise<void> {
  const probe = new pg.Client(durably(url));
  probe.on('error', () => undefined);
  await probe.connect();
  await sql(url, "alter system set synchronous_standby_names = 'nobody'");
  await sql(url, 'select pg_reload_conf()');
  // The server takes a new setting when it gets to it: then this waits.
  let waits = false;
  const probing = (async () => {
    for (let n = 0; !waits; n += 1) {
      await probe.query(`create table probe_${n} (n integer)`);
      await wait(100);
    }
  })().catch(() => undefined);
  await seen(url, "select 1 from pg_stat_activity where wait_event = 'SyncRep'");
  waits = true;
  await work();
  await sql(url, 'alter system reset synchronous_standby_names');
  await sql(url, 'select pg_reload_conf()');
  await probing;
  await probe.end();
}

test('the server notices within half a minute that a host is gone without a word', async () => {
  const connections = postgresConnections({ url: await postgres.newDatabase() });
  const line = await connections.connect();
  const shown = async (name: string) => {
    const { rows } = await line.query(`show tcp_keepalives_${name}`);
    return Number(rows[0][`tcp_keepalives_${name}`]);
  };
  const [idle, interval, count] = [
    await shown('idle'),
    await shown('interval'),
    await shown('count'),
  ];
  await line.end();
  const noticedAfterSeconds = idle + interval * count;
  assert.ok(idle > 0 && noticedAfterSeconds <= 30, `after ${noticedAfterSeconds} s`);
});

test('a URL of several hosts is one URL for each', () => {
  assert.deepEqual(hostUrls('postgres://u:p@a:1,b:2/name?sslmode=verify-full'), [
    'postgres://u:p@a:1/name?sslmode=verify-full',
    'postgres://u:p@b:2/name?sslmode=verify-full',
  ]);
  assert.deepEqual(hostUrls('postgresql://only/name'), ['postgresql://only/name']);
});

/** Until a session of the store waits for a lock. */
function waitingForLock(url: string): Promise<void> {
  return seen(url, "select 1 from pg_stat_activity where wait_event_type = 'Lock'");
}

async function seen(url: string, text: string): Promise<void> {
  while ((await sql(url, text)).length === 0) await wait(100);
}

test('a claim from a backlog finds its rows by their key, and reads no whole table', async () => {
  const { store, url } = await aStore();
  await store.run(async (tx) => {
    for (const id of ids(4_000)) tx.deliveries.insert(aDelivery({ id, eventId: id }));
  });
  let claim = '';
  const immediate = async (text: string) => {
    claim = singleRead(text, []).text;
    return [];
  };
  const due = { nowMs: T0, leaseMs: 1, limit: 100, subscriptionId: 'whs_1' };
  await newClaims({ immediate } as unknown as Database, () => '.').deliveries(due);
  const plan = await sql(
    url,
    `analyze deliveries; set plan_cache_mode = force_generic_plan; prepare claim as ${claim};
     explain execute claim('t', now(), 'whs_1', now(), 100)`,
  );
  assert.doesNotMatch(JSON.stringify(plan), /Seq Scan on deliveries/);
});

test('a table that has grown from nothing gets its statistics, once', async () => {
  const { store, url } = await aStore(60_000, postgres.newDatabase);
  await store.channel.open(() => undefined, { warn: () => undefined } as unknown as Log);
  await store.run(async (tx) => {
    for (const id of ids(300)) tx.buyers.insert(aBuyer({ id, emailKey: id }));
  });
  const buyers =
    "select analyze_count from pg_stat_user_tables where relname = 'buyers' " +
    'and schemaname = current_schema()';
  // PostgreSQL reports a connection's changes at most once a second, after its next query.
  await until(async () => {
    await store.run((tx) => tx.buyers.get('test', 'b'));
    return (await store.channel.analyzeGrowingTables()) > 0;
  });
  const [{ analyze_count: times } = {}] = await sql(url, buyers);
  assert.equal(times, '1');
  assert.equal(await store.channel.analyzeGrowingTables(), 0);
});
