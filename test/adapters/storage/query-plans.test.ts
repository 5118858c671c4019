// Every statement that the store runs, shown to the planners of both databases: nothing reads a
// whole table or sorts one, but for the few operators' lists named here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, Param } from '../../../adapters/storage/database.js';
import { loadMigrations } from '../../../adapters/storage/migrations.js';
import { openPostgresStore } from '../../../adapters/storage/postgres.js';
import { postgresConnections } from '../../../adapters/storage/postgres-connections.js';
import { migrateSqlite, SqliteDatabase } from '../../../adapters/storage/sqlite.js';
import { newStore } from '../../../adapters/storage/store.js';
import type { Claims, Tx } from '../../../core/ports.js';
import {
  aBuyer,
  aCommand,
  aDelivery,
  aDocument,
  aFeedEvent,
  aKey,
  aMail,
  aMember,
  aMessage,
  anAccount,
  anAdvance,
  anAttempt,
  anEvent,
  anOrganization,
  aPayment,
  aProfile,
  aQuote,
  aSubmission,
  aSubscription,
  duePage,
  someFunds,
  T0,
  tenant,
} from '../../support/domain-samples.js';
import { localPostgres } from '../../support/local-postgres.js';

/** Statements that may look at a whole table, and why. */
const wholeTables: Readonly<Record<string, string>> = {
  'from organizations order by': 'operators list all organizations',
  'from ledger_lines group by': 'the check of the books reads all of them',
  'from key_canaries order by': 'a service has few secret keys in its life',
};

/** Statements that may sort, and why. */
const sorted: Readonly<Record<string, string>> = {
  'from organizations order by': 'operators list all organizations',
  'from ledger_lines group by': 'the check of the books reads all of them',
  'from ledger_lines where': 'the lines of one payment are few',
  'from funds where': 'open debts are few, and ordered behind the prefix of their ids',
  'from subscriptions where': 'the subscriptions of one tenant are few',
  'and payment_id = $3 order by created_at': 'the commands of one payment are few',
  'from (select * from outbox': 'the events of one payment that wait are few',
  'from events join deliveries': 'the deliveries of one payment are few, and read for people',
  'from delivery_attempts': 'the attempts of one delivery are few',
  'from documents where due_at': 'ties of one due time are few',
  'from inbox where due_at': 'ties of one due time are few',
  'from advances where due_at': 'ties of one due time are few',
  'from payments where expires_at': 'ties of one due time are few',
};

const everything: (tx: Tx) => Promise<unknown> = async (tx) => {
  const page = { beforeId: 'x', limit: 5 };
  await Promise.all([
    tx.organizations.get('org_a'),
    tx.organizations.list(),
    tx.organizations.profile(tenant),
    tx.members.get('org_a', 'mem_1'),
    tx.members.byEmail('org_a', 'a@b'),
    tx.members.list('org_a'),
    tx.keys.get('key_1'),
    tx.keys.list('org_a'),
    tx.payments.get(tenant, 'pi_1'),
    tx.payments.byExternalId(tenant, 'invoice', 'e'),
    tx.payments.ofBuyer(tenant, 'byr_1', 'approved', { fromMs: T0, afterId: 'x', limit: 5 }),
    tx.payments.anyOfBuyer(tenant, 'byr_1'),
    tx.payments.list({ status: null, orgId: null, ...page }),
    tx.payments.list({ status: null, orgId: null, beforeId: null, limit: 5 }),
    tx.payments.list({ status: 'failed', orgId: 'org_a', ...page }),
    tx.payments.find('pi_1'),
    tx.payments.byPublicId('p'),
    ...[null, 'approved' as const].flatMap((status) => [
      tx.payments.listInvoices(tenant, { status, ...page }),
      tx.payments.listInvoices(tenant, { status, beforeId: null, limit: 5 }),
    ]),
    tx.funds.get(tenant, 'pi_1'),
    tx.funds.open(5),
    tx.quotes.get(tenant, 'qt_1'),
    tx.commands.get('cmd_1'),
    tx.commands.byPartnerRef('test', 'payin', 'p'),
    tx.commands.ofPayment(tenant, 'pi_1'),
    tx.commands.list({ stuck: true, limit: 5 }),
    tx.commands.list({ stuck: false, limit: 5 }),
    tx.ledger.imbalances(5),
    tx.ledger.ofPayment(tenant, 'pi_1'),
    tx.idempotency.find(tenant, 'k'),
    tx.buyers.byEmail('test', 'a@b'),
    tx.buyers.get('test', 'byr_1'),
    tx.buyers.submission(tenant, 'byr_1'),
    tx.buyers.submissionById(tenant, 'kyc_1'),
    tx.buyers.approvedAnywhere('test', 'byr_1'),
    tx.buyers.approvedByPartnerRef('test', 'p', 5),
    tx.buyers.submissionByFlow('f'),
    tx.documents.find('doc_1'),
    tx.documents.due(duePage(5)),
    ...[true, false].flatMap((kept) => [
      tx.documents.list({ kept, ...page }),
      tx.documents.list({ kept, beforeId: null, limit: 5 }),
    ]),
    tx.mails.get(tenant, 'mail_1'),
    tx.mails.byTokenHash('h'),
    tx.mails.oldest(5),
    tx.mails.newestNumbered('test', 'a@b', 5),
    ...[null, 'refused' as const].flatMap((status) => [
      tx.mails.list({ status, ...page }),
      tx.mails.list({ status, beforeId: null, limit: 5 }),
    ]),
    tx.accounts.get(tenant, 'acct_1'),
    tx.accounts.byExternalId(tenant, 'e'),
    tx.accounts.ofBuyer(tenant, 'a@b'),
    ...[null, 'seller' as const].flatMap((role) =>
      [null, 'approved' as const].flatMap((status) => [
        tx.accounts.list(tenant, { role, status, ...page }),
        tx.accounts.list(tenant, { role, status, beforeId: null, limit: 5 }),
      ]),
    ),
    tx.outbox.oldest(5),
    tx.outbox.ofSubject(tenant, 'pi_1'),
    tx.feed.head(tenant),
    tx.feed.after(tenant, 0, 5),
    tx.feed.get(tenant, 'evt_1'),
    tx.feed.ofSubject(tenant, 'pi_1'),
    tx.subscriptions.get(tenant, 'whs_1'),
    tx.subscriptions.find('whs_1'),
    tx.subscriptions.list(tenant),
    tx.subscriptions.active(tenant),
    tx.deliveries.get('whd_1'),
    tx.deliveries.ofSubscription(tenant, 'whs_1', page),
    tx.deliveries.list({ status: null, subscriptionId: null, ...page }),
    tx.deliveries.list({ status: 'dead_letter', subscriptionId: null, ...page }),
    tx.deliveries.list({ status: 'pending', subscriptionId: 'whs_1', ...page }),
    tx.deliveries.pendingOf('whs_1', 5),
    tx.deliveries.attempts('whd_1'),
    tx.deliveries.ofSubject(tenant, 'pi_1', { fromMs: T0, afterId: 'x', limit: 5 }),
    tx.deliveries.attemptsOfSubject(tenant, 'pi_1', { fromMs: T0, afterId: 'x', limit: 5 }),
    tx.inbox.get('fake', 'test', 'm'),
    tx.inbox.unapplied(duePage(5)),
    tx.advances.get(tenant, 'pi_1'),
    tx.advances.due(duePage(5)),
    tx.keyCanaries.list(),
    tx.backlog.read(T0, 5),
  ]);
  tx.organizations.insert(anOrganization(), [aProfile()]);
  tx.organizations.update(anOrganization());
  tx.organizations.expect(anOrganization({ id: 'org_b' }));
  tx.organizations.updateProfile(aProfile());
  tx.organizations.expectProfile(aProfile({ mode: 'live' }));
  tx.members.insert(aMember());
  tx.members.update(aMember());
  tx.keys.insert(aKey());
  tx.keys.update(aKey());
  tx.keys.touch('key_1', T0);
  tx.payments.insert(aPayment());
  tx.payments.update(aPayment());
  tx.funds.insert(someFunds());
  tx.funds.update(someFunds());
  tx.quotes.insert(aQuote());
  tx.commands.insert(aCommand());
  tx.commands.update(aCommand());
  tx.idempotency.bind(tenant, 'k', 'invoice', 'inv_1', T0);
  tx.buyers.insert(aBuyer());
  tx.buyers.insertSubmission(aSubmission());
  tx.buyers.updateSubmission(aSubmission());
  tx.buyers.expectSubmission(aSubmission({ id: 'kyc_2' }));
  tx.accounts.insert(anAccount());
  tx.accounts.update(anAccount());
  tx.accounts.expect(anAccount({ id: 'acct_2' }));
  tx.mails.insert(aMail());
  tx.mails.update(aMail());
  tx.mails.remove(aMail({ id: 'mail_2' }));
  tx.documents.insert(aDocument());
  tx.documents.update(aDocument());
  tx.documents.orderPurge(tenant, aDocument().owner, T0);
  tx.outbox.append(anEvent());
  tx.outbox.remove([{ position: 1n, event: anEvent() }]);
  tx.feed.append(aFeedEvent());
  tx.feed.setHead(tenant, null, { sequence: 1, chainHash: 'a' });
  tx.feed.setHead(tenant, { sequence: 1, chainHash: 'a' }, { sequence: 2, chainHash: 'b' });
  tx.subscriptions.insert(aSubscription());
  tx.subscriptions.update(aSubscription());
  tx.deliveries.insert(aDelivery());
  tx.deliveries.update(aDelivery());
  tx.deliveries.logAttempt(anAttempt());
  tx.inbox.insert(aMessage());
  tx.inbox.update(aMessage());
  tx.keyCanaries.insert({ keyId: 'k1', sealed: 's1', createdAtMs: T0 });
  tx.advances.put(anAdvance());
  tx.advances.update(anAdvance());
  tx.advances.remove(anAdvance({ paymentId: 'pi_2' }));
};

async function everyClaim(claims: Claims): Promise<void> {
  const claim = { nowMs: T0, limit: 5, leaseMs: 1_000, token: 't' };
  await claims.commands(claim);
  await claims.mails(claim);
  await claims.dueSubscriptions(T0);
  await claims.deliveries({ ...claim, subscriptionId: 'whs_1' });
  await claims.spentDeliveries(T0, 5);
  await claims.expiredPayments(duePage(5));
  await claims.releaseOwn(T0);
  await claims.releaseAll(T0);
  await claims.nextDueAtMs();
}

async function statementsOfTheStore(): Promise<ReadonlySet<string>> {
  const texts = new Set<string>();
  const noted = (sql: string, _params: readonly Param[]) => {
    texts.add(sql);
    // The backlog is numbers, also where nothing waits.
    const counts = / as (due|counted|oldest_at)\b/.test(sql);
    const none = { due: 0, counted: 0, oldest_due_at: null, oldest_at: null };
    return Promise.resolve(counts ? [none] : []);
  };
  const database: Database = {
    read: noted,
    immediate: noted,
    batch: async (statements) => {
      for (const { sql, params } of statements) await noted(sql, params);
    },
  };
  const store = newStore(database);
  await store.run(everything);
  await everyClaim(store.claims);
  return texts;
}

function planOf({ connection }: SqliteDatabase, sql: string): readonly string[] {
  const own = sql.replace(/ for (update skip locked|share)\b/g, '').replace(/\$\d+/g, '?');
  const statement = connection.prepare<unknown[], { readonly detail: string }>(
    `explain query plan ${own}`,
  );
  const params = Array.from({ length: own.split('?').length - 1 }, () => 1);
  return statement.all(...params).map(({ detail }) => detail);
}

test('every statement of the store finds its rows by an index', async () => {
  const database = new SqliteDatabase({ path: ':memory:' });
  migrateSqlite(database.connection, loadMigrations('sqlite'));
  const texts = await statementsOfTheStore();
  assert.ok(texts.size > 70, `${texts.size} statements`);
  const wrong: string[] = [];
  const used = new Set<string>();
  const isOneOf = (names: Readonly<Record<string, string>>, sql: string) => {
    const name = Object.keys(names).find((part) => sql.includes(part));
    if (name !== undefined) used.add(name);
    return name !== undefined;
  };
  for (const sql of texts) {
    for (const step of planOf(database, sql)) {
      // An index that is read along its order, the outbox along its positions, or rows that were
      // chosen before (`due`, `taken`), is no whole table where a limit ends the reading; else it
      // is.
      const scans = /^SCAN (?!waiting|due|taken|CONSTANT|outbox|\(subquery)/.test(step);
      const bounded = / USING (COVERING )?INDEX/.test(step) && / limit \$/.test(sql);
      const looksAtAll = scans && !bounded;
      if (looksAtAll && !isOneOf(wholeTables, sql)) wrong.push(`${step}: ${sql}`);
      const sorts = /TEMP B-TREE/.test(step);
      if (sorts && !isOneOf(sorted, sql)) wrong.push(`${step}: ${sql}`);
    }
  }
  assert.deepEqual(wrong, []);
  const exceptions = new Set([...Object.keys(wholeTables), ...Object.keys(sorted)]);
  assert.deepEqual(
    [...exceptions].filter((name) => !used.has(name)),
    [],
    'exceptions not needed',
  );
  database.close();
});

test('pages of long lists are sought in an index that has their order', async () => {
  const database = new SqliteDatabase({ path: ':memory:' });
  migrateSqlite(database.connection, loadMigrations('sqlite'));
  const texts = [...(await statementsOfTheStore())];
  for (const [part, ...steps] of [
    [
      'from deliveries where org_id = $1 and mode = $2 and subscription_id = $3 and id < $4',
      'SEARCH deliveries USING INDEX deliveries_of_subscription (subscription_id=? AND id<?)',
    ],
    [
      'from events where org_id = $1 and mode = $2 and sequence > $3',
      'SEARCH events USING INDEX events_sequence (org_id=? AND mode=? AND sequence>?)',
    ],
    // However many intents there are beside them.
    [
      "origin = 'invoice' order by id desc",
      'SEARCH payments USING INDEX payments_invoices (org_id=? AND mode=?)',
    ],
    [
      "origin = 'invoice' and id < $4",
      'SEARCH payments USING INDEX payments_invoices (org_id=? AND mode=? AND id<?)',
    ],
    [
      "origin = 'invoice' and status = $4 order by id desc",
      'SEARCH payments USING INDEX payments_invoices_of_status (org_id=? AND mode=? AND status=?)',
    ],
    [
      "origin = 'invoice' and status = $4 and id < $5",
      'SEARCH payments USING INDEX payments_invoices_of_status ' +
        '(org_id=? AND mode=? AND status=? AND id<?)',
    ],
    ...accountPages(),
    ['from mails order by id desc', 'SCAN mails USING INDEX mails_id'],
    ['from mails where id <', 'SEARCH mails USING INDEX mails_id (id<?)'],
    [
      'from mails where status = $2 and id <',
      'SEARCH mails USING INDEX mails_of_status (status=? AND id<?)',
    ],
    ['from documents order by id desc', 'SCAN documents USING INDEX documents_id'],
    ['from documents where id <', 'SEARCH documents USING INDEX documents_id (id<?)'],
    [
      "from documents where status <> 'purged' and id <",
      'SEARCH documents USING INDEX documents_kept (id<?)',
    ],
  ] as const) {
    const sql = texts.find((text) => text.includes(part));
    assert.ok(sql !== undefined, part);
    assert.deepEqual(planOf(database, sql), steps);
  }
  database.close();
});

/** By role and status or not, the first page and one behind another: an index names the rows. */
function accountPages(): readonly (readonly [string, ...string[]])[] {
  const filters = [
    [[], 'PRIMARY KEY'],
    [['role'], 'COVERING INDEX connected_accounts_of_role'],
    [['status'], 'COVERING INDEX connected_accounts_of_status'],
    [['role', 'status'], 'COVERING INDEX connected_accounts_of_both'],
  ] as const;
  const pages = filters.flatMap(([filter, index]) =>
    [false, true].map((isBehind) => ({ filter, index, isBehind })),
  );
  return pages.map(({ filter, index, isBehind }) => {
    const columns = ['org_id', 'mode', ...filter];
    const compared = columns.map((column, place) => `${column} = $${place + 1}`);
    const sought = columns.map((column) => `${column}=?`);
    if (isBehind) compared.push(`id < $${columns.length + 1}`);
    if (isBehind) sought.push('id<?');
    return [
      `select id from connected_accounts where ${compared.join(' and ')} order by id desc`,
      'SEARCH connected_accounts USING PRIMARY KEY (org_id=? AND mode=? AND id=?)',
      'LIST SUBQUERY 1',
      `SEARCH connected_accounts USING ${index} (${sought.join(' AND ')})`,
    ];
  });
}

const postgres = localPostgres();

/** Indexes of few rows, which may be read through with a condition on each. */
const fewRows: Readonly<Record<string, string>> = {
  partner_commands_stuck: 'what waits for a person is little',
  funds_open: 'debts and lost positions are few',
  outbox_pkey: 'the condition is true of every row but for clocks that differ',
};

test('every statement of the store finds its rows by an index in PostgreSQL too', async () => {
  const url = await postgres.newDatabase();
  const store = openPostgresStore({ url });
  await store.migrate();
  await store.close();
  // As the store's sessions plan.
  const connections = postgresConnections({ url });
  const wrong = await connections.use('once', async (client) => {
    const found: string[] = [];
    for (const sql of await statementsOfTheStore()) {
      const { rows } = await client.query(`explain (generic_plan) ${sql}`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      // Each scan of a table or an index, with its conditions, which stand below it.
      const scans = plan.match(/(Seq|Index|Index Only|Bitmap Heap) Scan .*(\n(?!.*->).*)*/g) ?? [];
      assert.ok(scans.length > 0 || sql.startsWith('insert '), plan);
      if (Object.keys(wholeTables).some((part) => sql.includes(part))) continue;
      const whole = scans.filter((scan) => isWhole(scan, plan.includes('Limit ')));
      found.push(...whole.map((scan) => `${scan}: ${sql}`));
    }
    return found;
  });
  await connections.close();
  assert.deepEqual(wrong, []);
});

/** Not sought by a key, nor read along an order to a limit. */
function isWhole(scan: string, limited: boolean): boolean {
  if (scan.startsWith('Seq Scan')) return true;
  if (scan.includes('Index Cond')) return false;
  const read = Object.keys(fewRows).some((index) => scan.includes(` using ${index} `));
  return (scan.includes('Filter:') && !read) || !limited;
}
