// Every statement that the store runs, shown to the planners of both databases: nothing reads a
// whole table or sorts one, but for the few operators' lists named here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadMigrations } from '../../../adapters/storage/migrations.js';
import { openPostgresStore } from '../../../adapters/storage/postgres.js';
import { postgresConnections } from '../../../adapters/storage/postgres-connections.js';
import { singleRead } from '../../../adapters/storage/postgres-text.js';
import { migrateSqlite, SqliteDatabase } from '../../../adapters/storage/sqlite.js';
import { localPostgres } from '../../support/local-postgres.js';
import { statementsOfTheStore } from '../../support/store-statements.js';

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
    [['role'], 'INDEX connected_accounts_of_role'],
    [['status'], 'INDEX connected_accounts_of_status'],
    [['role', 'status'], 'INDEX connected_accounts_of_both'],
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
      `where ${compared.join(' and ')} order by id desc limit $${compared.length + 1}`,
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
      const { rows } = await client.query(`explain (generic_plan) ${singleRead(sql, []).text}`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      // Each scan of a table or an index, with its conditions, which stand below it.
      const scans = plan.match(/(Seq|Index|Index Only|Bitmap Heap) Scan .*(\n(?!.*->).*)*/g) ?? [];
      assert.ok(scans.length > 0 || sql.startsWith('insert '), plan);
      if (Object.keys(wholeTables).some((part) => sql.includes(part))) continue;
      const whole = scans.filter((scan) => isWhole(scan, plan.includes('Limit ')));
      found.push(...whole.map((scan) => `${scan}: ${sql}`));
      // All rows of a tenant, each compared with each of a page: a plan made for few rows stays.
      if (plan.includes('Join Filter')) found.push(`${plan}: ${sql}`);
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
