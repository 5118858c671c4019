// A database of the version before is carried over: what was received, refused, paid out and in
// doubt is found again with each order, and the books agree.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import SqliteConnection from 'better-sqlite3';
import { loadMigrations } from '../../../adapters/storage/migrations.js';
import { openPostgresStore } from '../../../adapters/storage/postgres.js';
import { postgresConnections } from '../../../adapters/storage/postgres-connections.js';
import { migratePostgres } from '../../../adapters/storage/postgres-migrations.js';
import { migrateSqlite, openSqliteStore } from '../../../adapters/storage/sqlite.js';
import type { ServedStore } from '../../../adapters/storage/store.js';
import { isInDoubt, isStuck } from '../../../core/domain/partner-command.js';
import { findDifferences } from '../../../core/usecases/ledger-check.js';
import { T0 } from '../../support/domain-samples.js';
import { localPostgres } from '../../support/local-postgres.js';

type Row = Readonly<Record<string, string | number | null>>;
type OldRows = readonly (readonly [table: string, row: Row])[];

const tenant = { org_id: 'org_a', mode: 'test' } as const;
const none = { status: 'awaiting_buyer', covered_at: null };

function payment(id: string, fields: Row): [string, Row] {
  return [
    'payments',
    {
      ...{ ...tenant, id, origin: 'payment_intent', public_id: `pub_${id}`, ...none },
      ...{ amount_minor: 10_000, currency: 'USD', buyer_id: 'byr_1', buyer_email: 'a@b.example' },
      ...{ destination: 'pix_1', metadata: '{}', created_at: T0, updated_at: T0, version: 3 },
      ...fields,
    },
  ];
}

function funds(paymentId: string, fields: Row): [string, Row] {
  return [
    'funds',
    {
      ...{ ...tenant, payment_id: paymentId, currency: 'USD', position: 'none', refund: 'none' },
      ...{ received_minor: 0, payout_minor: 0, refund_owed_minor: 0 },
      ...{ refund_ordered_minor: 0, refunded_minor: 0, version: 3 },
      ...fields,
    },
  ];
}

function order(paymentId: string, id: string, fields: Row): [string, Row] {
  return [
    'partner_commands',
    {
      ...{ ...tenant, id, kind: 'payin', payment_id: paymentId, amount_minor: 10_000 },
      ...{ currency: 'USD', state: 'done', request: 'sealed', partner_ref: `pa_${id}` },
      ...{ order_end: 'open', tries: 1, first_sent_at: T0, due_at: null, last_error: null },
      ...{ created_at: T0, updated_at: T0 + 1, version: 3 },
      ...fields,
    },
  ];
}

function posted(
  paymentId: string,
  kind: string,
  lines: readonly (readonly [account: string, amountMinor: number, currency?: string])[],
): OldRows {
  return lines.map(([account, amountMinor, currency = 'USD'], index) => [
    'ledger_lines',
    {
      ...{ ...tenant, posting_id: `pst_${paymentId}_${kind}`, line_number: index },
      ...{ payment_id: paymentId, kind, account, amount_minor: amountMinor, currency },
      posted_at: T0,
    },
  ]);
}

const received = (paymentId: string, amountMinor = 10_000) =>
  posted(paymentId, 'funds_received', [
    ['buyer', -amountMinor],
    ['partner_float', amountMinor],
  ]);
const owed = (paymentId: string) =>
  posted(paymentId, 'refund_owed', [
    ['partner_float', -10_000],
    ['refunds', 10_000],
  ]);

/** Payments as the version before left them. */
const oldRows: OldRows = [
  payment('pi_waits', { status: 'on_ramp_pending' }),
  funds('pi_waits', { position: 'received', received_minor: 4_000 }),
  order('pi_waits', 'cmd_1', {
    ...{ state: 'refused', partner_ref: null, last_error: 'quote_expired: Ask for a new one.' },
  }),
  order('pi_waits', 'cmd_2', { due_at: T0 + 9 }),
  ...received('pi_waits', 4_000),

  payment('pi_settled', {
    ...{ status: 'settled', settled_minor: 51_480, settled_currency: 'BRL' },
    ...{ settled_fx_rate: '5.20', end_to_end_id: 'E1' },
  }),
  funds('pi_settled', { position: 'paid', received_minor: 10_000, payout_minor: 10_000 }),
  order('pi_settled', 'cmd_3', { order_end: 'completed' }),
  order('pi_settled', 'cmd_4', { kind: 'payout', order_end: 'completed' }),
  ...received('pi_settled'),
  ...posted('pi_settled', 'payout_paid', [
    ['partner_float', -10_000],
    ['fees', 100],
    ['conversion', 9_900],
    ['conversion', -51_480, 'BRL'],
    ['seller', 51_480, 'BRL'],
  ]),

  payment('pi_refused', { status: 'cancelled', cancel_reason: 'withdrawn' }),
  funds('pi_refused', {
    ...{ position: 'handed_back', refund: 'operator' },
    ...{ received_minor: 10_000, refund_owed_minor: 10_000 },
  }),
  order('pi_refused', 'cmd_5', { order_end: 'completed' }),
  order('pi_refused', 'cmd_6', {
    ...{ kind: 'refund', state: 'refused', partner_ref: null },
    last_error: 'account_blocked: The account is blocked.',
  }),
  ...received('pi_refused'),
  ...owed('pi_refused'),

  payment('pi_paid_back', { status: 'cancelled', cancel_reason: 'withdrawn' }),
  funds('pi_paid_back', {
    ...{ position: 'handed_back', refund: 'refunded' },
    ...{ received_minor: 10_000, refunded_minor: 10_000 },
  }),
  order('pi_paid_back', 'cmd_7', { order_end: 'completed' }),
  // It had failed, and was paid after all.
  order('pi_paid_back', 'cmd_8', { kind: 'refund', state: 'refused', order_end: 'completed' }),
  ...received('pi_paid_back'),
  ...owed('pi_paid_back'),
  ...posted('pi_paid_back', 'returned_by_partner', [
    ['refunds', -10_000],
    ['buyer', 10_000],
  ]),

  payment('pi_lost', { status: 'offramp_pending' }),
  funds('pi_lost', { position: 'operator', received_minor: 10_000, payout_minor: 10_000 }),
  order('pi_lost', 'cmd_9', { order_end: 'completed' }),
  order('pi_lost', 'cmd_10', {
    ...{ kind: 'payout', state: 'unknown', partner_ref: null, updated_at: T0 + 5_000 },
    last_error: 'the partner does not know this order',
  }),
  ...received('pi_lost'),

  payment('pi_missing', { status: 'failed', failure_reason: 'payout failed' }),
  funds('pi_missing', { position: 'operator', received_minor: 10_000, payout_minor: 10_000 }),
  order('pi_missing', 'cmd_11', { order_end: 'completed' }),
  order('pi_missing', 'cmd_12', { kind: 'payout', order_end: 'failed', due_at: T0 + 9 }),
  ...received('pi_missing'),

  [
    'partner_commands',
    {
      ...{ ...tenant, id: 'cmd_party', kind: 'submit_buyer', submission_id: 'kyc_1' },
      ...{ state: 'done', request: 'sealed', partner_ref: 're_1', order_end: 'completed' },
      ...{ tries: 0, created_at: T0, updated_at: T0, version: 2 },
    },
  ],
];

const opened: ServedStore[] = [];
const folder = mkdtempSync(join(tmpdir(), 'ponte-money-'));
after(async () => {
  await Promise.all(opened.map((store) => store.close()));
  rmSync(folder, { recursive: true });
});
const postgres = localPostgres();

/** Up to here the schema of the version before goes. */
const lastBefore = { sqlite: 12, postgres: 7 } as const;

const databases: Readonly<Record<string, () => Promise<ServedStore>>> = {
  SQLite: async () => {
    const path = join(folder, 'old.db');
    const connection = new SqliteConnection(path);
    migrateSqlite(connection, loadMigrations('sqlite').slice(0, lastBefore.sqlite));
    for (const [table, row] of oldRows) {
      const names = Object.keys(row);
      const marks = names.map(() => '?').join(', ');
      const sql = `insert into ${table} (${names.join(', ')}) values (${marks})`;
      connection.prepare(sql).run(...Object.values(row));
    }
    connection.close();
    return openSqliteStore({ path });
  },
  PostgreSQL: async () => {
    const url = await postgres.newDatabase();
    const connections = postgresConnections({ url });
    await migratePostgres(connections, loadMigrations('postgres').slice(0, lastBefore.postgres));
    await connections.use('once', async (client) => {
      for (const [table, row] of oldRows) {
        const names = Object.keys(row);
        const marks = names.map((_name, index) => `$${index + 1}`).join(', ');
        const values = names.map((name) => {
          const value = row[name] ?? null;
          return name.endsWith('_at') && value !== null ? new Date(value) : value;
        });
        const sql = `insert into ${table} (${names.join(', ')}) values (${marks})`;
        await client.query(sql, values);
      }
    });
    await connections.close();
    return openPostgresStore({ url });
  },
};

for (const [database, openOld] of Object.entries(databases)) {
  describe(`an old database on ${database}`, () => {
    let migrated: Promise<ServedStore> | null = null;
    const store = () => {
      migrated ??= openOld().then(async (old) => {
        opened.push(old);
        await old.migrate();
        return old;
      });
      return migrated;
    };
    const order = async (id: string) => {
      const found = await (await store()).run((tx) => tx.commands.get(id));
      return found ?? assert.fail(`${id} is gone`);
    };

    test('its books agree, payment by payment', async () => {
      assert.deepEqual(await findDifferences({ store: await store() }, 100), []);
    });

    test('every order is there, under its id as its reference', async () => {
      const ids = oldRows.filter(([table]) => table === 'partner_commands').map(([, { id }]) => id);
      for (const id of ids) assert.equal((await order(String(id))).reference, id);
      const all = await (await store()).run((tx) => tx.commands.list({ stuck: false, limit: 100 }));
      assert.equal(all.length, ids.length);
    });

    test('what was received came by the newest pay-in that the partner has', async () => {
      const [first, second] = [await order('cmd_1'), await order('cmd_2')];
      assert.deepEqual([first.receivedMinor, second.receivedMinor], [0n, 4_000n]);
      assert.deepEqual([first.refusal, second.confirmedMinor], ['quote_expired', 0n]);
      const full = await order('cmd_3');
      assert.deepEqual([full.receivedMinor, full.confirmedMinor], [10_000n, 10_000n]);
    });

    test('a settled payment keeps what was posted of its payout, fees included', async () => {
      const paid = await (await store()).run((tx) => tx.payments.find('pi_settled'));
      assert.deepEqual(paid?.settlement, {
        settled: { amountMinor: 51_480n, currency: 'BRL' },
        fees: { amountMinor: 100n, currency: 'USD' },
        fxRate: '5.20',
        endToEndId: 'E1',
      });
    });

    test('a refused refund waits for a person, against its pay-in; one that was paid is done', async () => {
      const refused = await order('cmd_6');
      assert.ok(refused.kind === 'refund');
      assert.deepEqual(
        [refused.state, refused.refusal, refused.payinId, isStuck(refused)],
        ['refused', 'account_blocked', 'cmd_5', true],
      );
      const paid = await order('cmd_8');
      assert.deepEqual([paid.state, paid.end, isStuck(paid)], ['done', 'completed', false]);
      const stuck = await (await store()).run((tx) => tx.commands.list({ stuck: true, limit: 9 }));
      assert.deepEqual(
        stuck.map(({ id }) => id),
        ['cmd_6'],
      );
    });

    test('an order in doubt that nobody looked at any more is looked up again', async () => {
      const lost = await order('cmd_10');
      assert.deepEqual([lost.state, isInDoubt(lost)], ['unknown', true]);
      assert.equal(lost.dueAtMs, T0 + 5_000);
      assert.equal(lost.firstSentAtMs, T0 + 5_000, 'it may have been called as late as that');
      const claim = { nowMs: T0 + 6_000, limit: 9, leaseMs: 1_000, token: 'w' };
      const claimed = await (await store()).claims.commands(claim);
      assert.ok(claimed.some(({ id }) => id === 'cmd_10'));
    });
  });
}
