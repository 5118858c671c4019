// Every statement that the store runs, shown to the planners of both databases: nothing reads a
// whole table or sorts one, but for the few operators' lists named here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import { postgresConnections } from '../../../adapters/storage/postgres/connections.js';
import {
  gatheredReads,
  gatheredStatements,
  guardedStatement,
  readTypes,
  singleRead,
} from '../../../adapters/storage/postgres/query-text.js';
import { openPostgresStore } from '../../../adapters/storage/postgres/store.js';
import { fillStore } from '../../support/databases/filled-store.js';
import { localPostgres } from '../../support/databases/local-postgres.js';
import { emptySqlite, planOf } from '../../support/databases/sqlite-plan.js';
import { callsOfTheStore, statementsOfTheStore } from '../../support/databases/store-statements.js';

/** Statements that may look at a whole table, and why. */
const wholeTables: Readonly<Record<string, string>> = {
  'from operators order by number': 'a database has a few operators',
  'from organizations order by': 'operators list all organizations',
  'from key_check_values order by': 'a service has few secret keys in its life',
  'from service_keys where': 'a service makes few keys for itself',
  'group by account, currency order': 'an operator asks for the trial balance',
  'as held join payments': 'an operator asks what the partner holds',
  'from epochs order by': 'a database is restored a few times in its life',
  ' as personal where': 'an operator answers the request of a person',
  'from book_readings where span': 'a partner and mode have six',
  'from reconciliations order by': 'a partner and mode have one',
  'from refused_requests order by id limit': 'pruning reads along the key',
};

/** Statements that may sort, and why. */
const sorted: Readonly<Record<string, string>> = {
  ' as personal where': 'an operator answers the request of a person',
  'from organizations order by': 'operators list all organizations',
  'from ledger_lines where': 'the lines of one payment are few',
  "order by status = 'rejected'": 'the submissions of a tenant for one buyer are few',
  "purpose in ('sign_in', 'confirmation') and token_hash": 'the open links of one person are few',
  'consolidated_reference = $3': 'the payments of one transfer are few',
  'from bank_details where org_id': 'the bank details of one payment are few',
  'from funds where (refund_owed_minor':
    'open debts are few, and ordered behind the prefix of their ids',
  "from funds where org_id || ''": 'the same of one tenant',
  'from subscriptions where': 'the listed subscriptions of one tenant are few',
  'from api_keys where org_id': 'the listed keys of one organization are few',
  'and payment_id = $3 order by created_at': 'the commands of one payment are few',
  'join events on deliveries.event_id':
    'the deliveries of one payment are few, and read for people',
  'join delivery_attempts': 'the attempts of one delivery are few',
  'from documents where due_at': 'ties of one due time are few',
  'from inbox where due_at': 'ties of one due time are few',
  'from advances where due_at': 'ties of one due time are few',
  'from payments indexed by payments_of_buyer': 'the payments of one buyer are few',
  'from payments where expires_at': 'ties of one due time are few',
};

/** Tables with one row of each tenant, or of each organization. */
const oneOfTenant = ['accounting', 'feed_heads', 'organization_logos', 'organization_profiles'];

/** Statements that read all rows of a tenant, and why. */
const wholeTenants: Readonly<Record<string, string>> = {
  'from members where': 'a team is listed whole',
};

test('every statement of the store finds its rows by an index', async () => {
  const database = emptySqlite();
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
      // An index that is read along its order, or rows that were
      // chosen before (`due`, `taken`, `chosen`), is no whole table where a limit ends the
      // reading; else it is.
      const scans =
        /^SCAN (?!waiting|due|taken|chosen|json_each|one$|CONSTANT|\(subquery|\d+-ROW VALUES)/.test(
          step,
        );
      // From one subscription to the next, each step of the jump ends with its first row.
      const ends = / limit (\$|1\b)/.test(sql) || sql.includes('with recursive waiting');
      const bounded = / USING (COVERING )?INDEX/.test(step) && ends;
      const looksAtAll = scans && !bounded;
      if (looksAtAll && !isOneOf(wholeTables, sql)) wrong.push(`${step}: ${sql}`);
      const isTenant = /^SEARCH (?!h )\w+ USING PRIMARY KEY \(org_id=\?( AND mode=\?)?\)/.test(
        step,
      );
      const isOneRow = oneOfTenant.some((table) => step.includes(` ${table} `));
      if (isTenant && !isOneRow && !ends && !isOneOf(wholeTenants, sql))
        wrong.push(`${step}: ${sql}`);
      const sorts = /TEMP B-TREE/.test(step);
      if (sorts && !isOneOf(sorted, sql)) wrong.push(`${step}: ${sql}`);
    }
  }
  assert.deepEqual(wrong, []);
  const exceptions = Object.keys({ ...wholeTables, ...wholeTenants, ...sorted });
  assert.deepEqual(
    exceptions.filter((name) => !used.has(name)),
    [],
    'exceptions not needed',
  );
  await database.close();
});

const postgres = localPostgres();

/** Indexes of few rows, which may be read through with a condition on each. */
const fewRows: Readonly<Record<string, string>> = {
  partner_commands_stuck: 'what waits for a person is little',
  deliveries_dead: 'few webhooks give up, and pruning removes them',
  deposits_unmatched: 'money that nobody ordered is assigned or sent back soon',
  funds_open: 'debts and lost positions are few',
  funds_received: 'money that has arrived and is not paid out is little',
  proposals_pkey: 'people decide seldom',
  partner_commands_queue: 'debts, and what only a person can establish, are little',
};

/** Waiting deliveries are read in their order, past those that are held. */
const heldPart: Readonly<Record<string, string>> = {
  'select min(created_at) as oldest_at from deliveries':
    'a paused subscription holds only what waited for another attempt when it was paused',
};

/** Statements that may look at many rows in vain, and why. */
const readThrough: Readonly<Record<string, string>> = {
  ...heldPart,
  'and mode = $1 and instance <> $2': 'a start goes once along the commands that are not finished',
  'coalesce((select max(a.started_at)': 'pruning goes along old deliveries, of which few wait',
  'join feed_heads h on': 'one search in three seconds goes along the active subscriptions',
  'set lease_token = null, due_at = $1': 'leases are given back once, when a host stops',
  'from mails where status = $1': 'an operator asks; where nearly all have a status, along the ids',
};

/** Statements that may sort what their index has in one place, and why. */
const fewTies: Readonly<Record<string, string>> = {
  'from partner_commands where due_at': 'commands to the partner are few beside events',
};

/** Statements that sort what one commit writes, and why. */
const sortedGroups: Readonly<Record<string, string>> = {
  'insert into name_words': 'two hosts that write the same words wait for each other in turn',
};

/** Statements over tables of a few rows, whose key no plan needs. */
const smallTables: Readonly<Record<string, string>> = {
  ...wholeTables,
  ...heldPart,
  'as newest from organizations': 'a process that starts seeks the last posting of each one',
  'update book_readings': 'a partner and mode have six',
  'update reconciliations': 'a partner and mode have one',
};

/** More rows than a few ties, a page or one payment have. */
const SORTED_MAX = 30;
const ROWS = 4_000;
/** Rows that a scan may look at in vain. */
const REMOVED_MAX = 30;

interface Plan {
  readonly 'Node Type': string;
  readonly 'Plan Rows': number;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Join Filter'?: string;
  readonly Filter?: string;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Actual Loops'?: number;
  readonly Plans?: readonly Plan[];
}

test('every statement of the store finds its rows by an index in PostgreSQL too', async () => {
  const url = await postgres.migrated();
  const store = openPostgresStore({ url });
  // As the store's sessions plan on the first day, when statements are prepared, and at a size.
  const connections = postgresConnections({ url });
  assert.deepEqual(await connections.use('long', wrongPlans), []);
  await fillStore(store);
  await connections.use('long', multiplyRows);
  assert.equal((await connections.use('long', wrongPlans)).join('\n'), '');
  assert.equal((await connections.use('long', longReads)).join('\n'), '');
  await store.close();
  await connections.close();
});

/** Reads and claims that in fact look at many rows more than they find. */
async function longReads(client: pg.ClientBase): Promise<readonly string[]> {
  const { reads, immediate } = await callsOfTheStore();
  const long: string[] = [];
  for (const [index, { sql, params }] of [...reads, ...immediate].entries()) {
    const names = Object.keys({ ...wholeTables, ...readThrough });
    if (names.some((part) => sql.includes(part))) continue;
    const { text, values } = singleRead(sql, params);
    await client.query(`begin; prepare plan_${index} as ${text}`);
    const given = values.map((value) =>
      typeof value === 'string' ? client.escapeLiteral(value) : String(value),
    );
    const list = given.length === 0 ? '' : `(${given.join(', ')})`;
    const { rows } = await client.query(
      `explain (analyze, format json) execute plan_${index}${list}`,
    );
    await client.query('rollback');
    const [{ Plan: root }] = rows[0]['QUERY PLAN'] as readonly [{ readonly Plan: Plan }];
    const check = (plan: Plan) => {
      const removed = (plan['Rows Removed by Filter'] ?? 0) * (plan['Actual Loops'] ?? 1);
      const isFew = Object.hasOwn(fewRows, plan['Index Name'] ?? '');
      if (removed > REMOVED_MAX && !isFew) long.push(`${text}: ${JSON.stringify(plan)}`);
      for (const inner of plan.Plans ?? []) check(inner);
    };
    check(root);
  }
  return long;
}

async function wrongPlans(client: pg.ClientBase): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const text of await textsOfPostgres()) {
    const { rows } = await client.query(`explain (generic_plan, format json) ${text}`);
    const isAllowed = (names: object) => Object.keys(names).some((part) => text.includes(part));
    const [{ Plan: root }] = rows[0]['QUERY PLAN'] as readonly [{ readonly Plan: Plan }];
    const check = (plan: Plan, isLimited: boolean) => {
      const { 'Node Type': type, 'Plan Rows': count } = plan;
      const isWrong =
        (isWhole(plan, isLimited) && !isAllowed(smallTables)) ||
        (type === 'Sort' && count > SORTED_MAX && !isAllowed({ ...sorted, ...sortedGroups })) ||
        // What shares the first columns may be all that there is: a burst is due at one moment.
        (type === 'Incremental Sort' && !isAllowed({ ...sorted, ...fewTies })) ||
        // All rows of a tenant, each compared with each of a page.
        (plan['Join Filter'] !== undefined && !isAllowed(smallTables));
      if (isWrong) wrong.push(`${text}: ${JSON.stringify(plan)}`);
      for (const inner of plan.Plans ?? []) check(inner, isLimited || type === 'Limit');
    };
    check(root, false);
  }
  return wrong;
}

/** Every statement in each form in which a session sends it: alone, and with others like it. */
async function textsOfPostgres(): Promise<ReadonlySet<string>> {
  const { reads, batched, immediate } = await callsOfTheStore();
  const gathered = reads.flatMap(({ sql, params }) => {
    const types = readTypes(sql, params);
    return types === null ? [] : [gatheredReads(sql, types, [params])];
  });
  const grouped = batched.flatMap((one) =>
    one.template === null ? guardedStatement(one) : gatheredStatements(one.template, [one]),
  );
  const alone = [...reads, ...immediate].map(({ sql, params }) => singleRead(sql, params));
  return new Set([...alone, ...gathered, ...grouped].map(({ text }) => text));
}

/** Not sought by a key, nor read along an order to a limit. */
function isWhole(plan: Plan, isLimited: boolean): boolean {
  const { 'Node Type': type, 'Index Cond': condition, 'Index Name': index = '' } = plan;
  if (type === 'Seq Scan') return true;
  if (!type.startsWith('Index') || condition !== undefined) return false;
  return (plan.Filter !== undefined && !Object.hasOwn(fewRows, index)) || !isLimited;
}

/**
 * One row of each table becomes very many: over 50 organizations and 150
 * subscriptions, ids and times each their own, and states as if there were several.
 */
async function multiplyRows(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query(`
    select t.relname as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns,
      string_agg(case
        when a.attname = 'org_id' then 'r.org_id || n % 50'
        when a.attname = 'subscription_id' then 'r.subscription_id || n % 150'
        when s.is_state then 'r.' || a.attname
        when a.atttypid = 'text'::regtype and a.attname ~ '(id|ref|reference|key|hash|^name)$'
          then 'r.' || a.attname || ' || n'
        when a.atttypid = 'timestamptz'::regtype
          then 'r.' || a.attname || ' + n * interval ''1 second'''
        when a.atttypid = 'bigint'::regtype or a.attname in ('attempt', 'slot')
            or (a.attname = 'number' and a.atttypid = 'integer'::regtype)
          then 'r.' || a.attname || ' + n'
        else 'r.' || a.attname end, ', ' order by a.attnum) as made,
      string_agg('alter column ' || a.attname || ' set (n_distinct = 5)', ', ')
        filter (where s.is_state and a.attname <> 'mode') as states
    from pg_class t join pg_attribute a on a.attrelid = t.oid
    cross join lateral (select a.atttypid = 'text'::regtype and exists (
      select 1 from pg_constraint c
      where c.conrelid = t.oid and c.contype = 'c' and c.conkey = array[a.attnum]
    ) as is_state) s
    where t.relnamespace = current_schema()::regnamespace and t.relkind = 'r'
      and a.attnum > 0 and not a.attisdropped and a.attidentity <> 'a'
      and t.relname <> 'schema_migrations'
    group by t.relname`);
  // Built on rows that are there they take a fraction of the time.
  const { rows: indexes } = await client.query(`
    select c.relname as name, pg_get_indexdef(i.indexrelid) as made
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = current_schema()::regnamespace and not i.indisprimary`);
  await client.query(`drop index ${indexes.map(({ name }) => name).join(', ')}`);
  await client.query("set maintenance_work_mem = '256MB'");
  for (const { name, columns, made, states } of rows) {
    const one = `(select * from ${name} limit 1) r, generate_series(1, ${ROWS}) n`;
    const insert = `insert into ${name} (${columns}) select ${made} from ${one}`;
    if (states !== null) await client.query(`alter table ${name} ${states}`);
    await client.query(`alter table ${name} set unlogged`);
    await client.query(`${insert} on conflict do nothing`);
  }
  for (const { made } of indexes) await client.query(made);
  await client.query(`analyze ${rows.map(({ name }) => name).join(', ')}, schema_migrations`);
  const { rows: small } = await client.query(`
    select relname as name from pg_class where reltuples < ${ROWS}
      and relkind = 'r' and relnamespace = current_schema()::regnamespace order by relname`);
  assert.deepEqual(
    small.map(({ name }) => name),
    // One for each tenant, each organization, each migration; limits begin
    // empty.
    [
      'accounting',
      'book_readings',
      'feed_heads',
      'organization_logos',
      'organization_profiles',
      'organizations',
      'rate_limits',
      'reconciliations',
      'schema_migrations',
    ],
  );
}
