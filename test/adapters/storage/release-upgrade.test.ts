// A database of each release is upgraded by the migrations since, and is served: what it holds is
// listed, its ledger verifies, and a new payment settles. record-release.ts writes the dumps.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import SqliteConnection from 'better-sqlite3';
import pg from 'pg';
import { loadMigrations } from '../../../adapters/storage/migrations.js';
import { openPostgresStore } from '../../../adapters/storage/postgres/store.js';
import { openSqliteStore } from '../../../adapters/storage/sqlite/store.js';
import { localPostgres } from '../../support/databases/local-postgres.js';
import { runCommand } from '../../support/servers/command.js';
import { startHostProcess } from '../../support/servers/host-process.js';
import { jsonCall } from '../../support/servers/json-call.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { until } from '../../support/wait.js';
import { releaseSecretKeys } from './releases/release-keys.js';

const postgres = localPostgres();

/** A key that configured payouts before they had a scope. */
const narrowKey = `insert into api_keys
  (id, org_id, mode, name, scopes, salt, secret_hash, created_at, version)
  select 'key_narrow', org_id, mode, 'narrow', '["connected_accounts:write"]', salt, secret_hash,
    created_at, 1 from api_keys limit 1;`;

/** The payments of record-release.ts. */
const paymentsOf = {
  '0.1.0': {
    '100.55': 'on_ramp_pending',
    '100.66': 'failed',
    '100.77': 'failed',
    '100.88': 'failed',
    '250.00': 'settled',
    invoice: 'approved',
    waiting: 'awaiting_buyer',
  },
} as const;

/** Puts the newest events back into the outbox: the release had not numbered them yet. */
const unnumbered = `
  insert into outbox (org_id, mode, event_id, type, subject_id, body, created_at)
    select org_id, mode, id, type, subject_id, body, created_at from events
    where sequence > 10 order by sequence;
  delete from deliveries where event_id in (select event_id from outbox);
  delete from events where sequence > 10;
  update feed_heads set sequence = 10,
    chain_hash = (select chain_hash from events where sequence = 10);
`;

const databases = {
  async sqlite(dump: string, folder: string) {
    const file = join(folder, 'ponte.db');
    const connection = new SqliteConnection(file);
    connection.exec(dump);
    connection.exec(unnumbered);
    connection.close();
    return { url: `sqlite:${file}`, store: openSqliteStore({ path: file }) };
  },
  async postgres(dump: string) {
    const url = await postgres.newDatabase();
    const client = new pg.Client(url);
    await client.connect();
    await client.query(dump);
    await client.query(unnumbered);
    await client.end();
    return { url, store: openPostgresStore({ url }) };
  },
} as const;

const headInDump = /^insert into feed_heads .*\('(\w+)', 'test', '?(\d+)'?, '(\w+)'\);$/m;

for (const [release, payments] of Object.entries(paymentsOf)) {
  for (const [database, load] of Object.entries(databases)) {
    test(`a database of ${release} on ${database} is upgraded and served`, async (t) => {
      const path = new URL(`./releases/${database}-${release}.dump`, import.meta.url);
      const dump = readFileSync(path, 'utf8');
      const folder = temporaryFolder();
      const { url, store } = await load(`${dump}\n${narrowKey}`, folder);
      t.after(() => store.close());
      const env = {
        PONTE_DATA_DIR: folder,
        PONTE_DATABASE_URL: url,
        PONTE_SECRET_KEYS: releaseSecretKeys,
        PONTE_DOCUMENTS: 'none',
        PONTE_FAKE_PARTNER_DELAY_MS: '0',
      };
      const { length: before = 0 } = dump.match(/^insert into schema_migrations /gm) ?? [];
      // A host migrates the other one at its start.
      if (database === 'postgres') {
        const migrated = await runCommand(env, ['migrate', '--json']);
        const later = loadMigrations(database).slice(before);
        assert.deepEqual(
          JSON.parse(migrated.stdout).applied,
          later.map(({ number }) => number),
        );
      }
      const host = await startHostProcess(env);
      t.after(() => host.kill());

      const [, orgId = '', head, chainHash] = headInDump.exec(dump) ?? [];
      const tenant = { orgId, mode: 'test' } as const;
      const keys = await store.run((tx) => tx.keys.list(orgId, 0));
      const kept = keys.flatMap(({ name, keptScopes }) => keptScopes.map((of) => `${name} ${of}`));
      assert.deepEqual(kept, ['narrow payouts:write']);
      const all = { status: null, subscriptionId: null, beforeId: null, limit: 100 };
      const [appended, waiting, deliveries] = await store.run((tx) =>
        Promise.all([
          tx.feed.after(tenant, 10, Number(head) - 10),
          tx.outbox.oldest(1),
          tx.deliveries.list(all),
        ]),
      );
      // The chain covers each event and its place.
      assert.deepEqual([appended.at(-1)?.chainHash, waiting], [chainHash, []]);
      const settled = appended.find(({ type }) => type === 'payment_intent.settled');
      assert.ok(deliveries.some(({ eventId }) => eventId === settled?.id));

      const key = /^-- API key: (\S+)$/m.exec(dump)?.[1] ?? '';
      const call = async (path: string, body?: unknown) =>
        (await jsonCall(host, key, path, body)).body;
      const { data } = (await call('/v1/payments')) as {
        readonly data: readonly { readonly externalId: string; readonly status: string }[];
      };
      assert.deepEqual(
        Object.fromEntries(data.map(({ externalId, status }) => [externalId, status])),
        payments,
      );
      const buyer = { email: 'ana@buyer.example' };
      const fields = { externalId: 'new', amount: '50.00', buyer };
      const { id } = await call('/v1/payment-intents', fields);
      await call(`/v1/test-helpers/payments/${id}/advance`, {});
      await until(async () => (await call(`/v1/payments/${id}`))['status'] === 'settled');
      // The refund that an operator's decision had ordered.
      await until(async () => {
        const { funds } = (await call('/v1/payments/ext_100.77')) as {
          readonly funds: { readonly status: string };
        };
        return funds.status === 'returned_to_buyer';
      });
      const verified = await runCommand(env, ['ledger', 'verify']);
      assert.equal(verified.status, 0, verified.stdout);
    });
  }
}
