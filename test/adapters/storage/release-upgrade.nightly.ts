// A database of each release, and of this version, is upgraded by the migrations since, and is
// served: what it holds is listed, its ledger verifies, and a new payment settles.
// record-release.ts writes the dumps.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
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
import { recordRelease, releasesFolder } from './releases/record-release.js';
import { releaseSecretKeys } from './releases/release-keys.js';

const postgres = localPostgres();

/** The payments of record-release.ts. */
const payments = {
  '100.55': 'on_ramp_pending',
  '100.66': 'failed',
  '100.77': 'failed',
  '100.88': 'failed',
  '250.00': 'settled',
  invoice: 'approved',
  waiting: 'awaiting_buyer',
};

const databases = {
  async sqlite(dump: string, folder: string) {
    const file = join(folder, 'ponte.db');
    const connection = new SqliteConnection(file);
    connection.exec(dump);
    connection.close();
    return { url: `sqlite:${file}`, store: openSqliteStore({ path: file }) };
  },
  async postgres(dump: string) {
    const url = await postgres.newDatabase();
    const client = new pg.Client(url);
    await client.connect();
    await client.query(dump);
    await client.end();
    return { url, store: openPostgresStore({ url }) };
  },
} as const;

const headInDump = /^insert into feed_heads .*\('(\w+)', 'test', '?(\d+)'?, '(\w+)'\);$/m;

const released = readdirSync(releasesFolder).flatMap((name) => {
  const [, database, release] = /^(sqlite|postgres)-(.+)\.dump$/.exec(name) ?? [];
  return database === 'sqlite' && release !== undefined ? [release] : [];
});
const thisVersion = await recordRelease('this version', () => postgres.newDatabase());

for (const release of [...released, 'this version']) {
  for (const [database, load] of (['sqlite', 'postgres'] as const).map(
    (name) => [name, databases[name]] as const,
  )) {
    test(`a database of ${release} on ${database} is upgraded and served`, async (t) => {
      const dump =
        release === 'this version'
          ? thisVersion[database]
          : readFileSync(new URL(`${database}-${release}.dump`, releasesFolder), 'utf8');
      const folder = temporaryFolder();
      const { url, store } = await load(dump, folder);
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
      const all = { status: null, subscriptionId: null, beforeId: null, limit: 100 };
      const [appended, deliveries] = await store.run((tx) =>
        Promise.all([tx.feed.after(tenant, 0, Number(head)), tx.deliveries.list(all)]),
      );
      // The chain covers each event and its place.
      assert.equal(appended.at(-1)?.chainHash, chainHash);
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
