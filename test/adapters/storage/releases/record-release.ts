// Writes the dumps of a release beside this file: `node --import tsx <this file> 1.0.0`, at the
// commit that is released. A host of this version makes payments in each state that holds money;
// the dump has the schema and every row, as SQLite has them and as `ponte store copy` brings them
// to PostgreSQL.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import pg from 'pg';
import { loadMigrations } from '../../../../adapters/storage/migrations.js';
import { copyStore } from '../../../../adapters/storage/store-copy.js';
import { temporaryPostgres } from '../../../support/databases/local-postgres.js';
import { runCommand } from '../../../support/servers/command.js';
import { startHostProcess } from '../../../support/servers/host-process.js';
import { jsonCall } from '../../../support/servers/json-call.js';
import { startReceiver } from '../../../support/servers/local-receiver.js';
import { until } from '../../../support/wait.js';
import { releaseSecretKeys } from './release-keys.js';

/** By the last digits of the amount, the fake partner plays each of these to its end. */
const amounts: Readonly<Record<string, string>> = {
  '250.00': 'settled',
  '100.55': 'on_ramp_pending',
  '100.66': 'failed',
  '100.77': 'failed',
  '100.88': 'failed',
};

/** No migration makes it. */
const migrationsTable = {
  sqlite:
    'create table schema_migrations (number integer not null primary key, name text not null, ' +
    'checksum text not null, applied_at integer not null) strict;',
  postgres:
    'create table schema_migrations (number integer not null primary key, name text not null, ' +
    'checksum text not null, applied_at timestamptz not null);',
} as const;

/** The folder of the dumps of releases. */
export const releasesFolder = new URL('./', import.meta.url);

/** The dumps of this version. `newDatabase` makes an empty database of PostgreSQL. */
export async function recordRelease(
  release: string,
  newDatabase: () => Promise<string>,
): Promise<{ readonly sqlite: string; readonly postgres: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'ponte-release-'));
  const file = join(folder, 'ponte.db');
  try {
    const apiKey = await play(folder);
    const source = new SqliteConnection(file, { readonly: true });
    const sqlite = dumpOf('sqlite', release, apiKey, sqliteRows(source));
    source.close();
    const url = await newDatabase();
    await copyStore({ from: file, to: url });
    const client = new pg.Client(url);
    await client.connect();
    const postgres = dumpOf('postgres', release, apiKey, await postgresRows(client));
    await client.end();
    return { sqlite, postgres };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The key of its organization. */
async function play(folder: string): Promise<string> {
  const receiver = await startReceiver((response) => response.writeHead(204).end());
  const env = {
    PONTE_DATA_DIR: folder,
    PONTE_DOCUMENTS: 'none',
    PONTE_FAKE_PARTNER_DELAY_MS: '0',
    PONTE_SECRET_KEYS: releaseSecretKeys,
  };
  const host = await startHostProcess(env);
  const call = async (path: string, body?: unknown) => {
    const answer = await jsonCall(host, `${host.key}`, path, body);
    if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  };
  const eventTypes = ['payment_intent.settled'];
  await call('/v1/webhook-subscriptions', { url: receiver.url, eventTypes });
  const buyer = { email: 'ana@buyer.example', name: 'Ana Prado' };
  await call('/v1/payment-intents', { externalId: 'waiting', amount: '75.00', buyer });
  await call('/v1/invoices', { externalId: 'invoice', amount: '80.00', buyer });
  for (const [amount, end] of Object.entries(amounts)) {
    const { id } = await call('/v1/payment-intents', { externalId: amount, amount, buyer });
    await call(`/v1/test-helpers/payments/${id}/advance`, {});
    await until(async () => (await call(`/v1/payments/${id}`))['status'] === end);
  }
  await until(() => receiver.requests.length > 0);
  await host.stop('SIGTERM');
  await receiver.close();
  // A decision of an operator, whose refund is still to be sent.
  const { stdout } = await runCommand(env, ['money', 'list', '--queue', 'in_review', '--json']);
  const [{ id }] = JSON.parse(stdout).data;
  await runCommand(env, ['money', 'resolve', id, '--as', 'returned', '--evidence', 'case 4711']);
  return `${host.key}`;
}

function dumpOf(
  database: 'sqlite' | 'postgres',
  release: string,
  apiKey: string,
  rows: readonly string[],
): string {
  const migrations = loadMigrations(database).map(({ sql }) => sql.trimEnd());
  const head = [
    `-- Ponte ${release} on ${database}, by record-release.ts: never edited.`,
    `-- API key: ${apiKey}`,
  ].join('\n');
  // The rows have the first epoch, too.
  const empty = 'delete from epochs;';
  const parts = [head, ...migrations, empty, migrationsTable[database], rows.join('\n')];
  return `${parts.join('\n\n')}\n`;
}

function sqliteRows(source: SqliteConnection.Database): readonly string[] {
  const list = (sql: string) => source.prepare<unknown[], string>(sql).pluck().all();
  const tables = list(
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite~_%' " +
      "escape '~' order by name",
  );
  return tables.flatMap((table) => {
    const columns = list(`select name from pragma_table_info('${table}')`);
    const values = columns.map((column) => `quote(${column})`).join(" || ', ' || ");
    const insert = `insert into ${table} (${columns.join(', ')}) values (`;
    return list(`select '${insert}' || ${values} || ');' from ${table}`);
  });
}

async function postgresRows(client: pg.Client): Promise<readonly string[]> {
  const list = async (sql: string) =>
    (await client.query<{ readonly text: string }>(sql)).rows.map(({ text }) => text);
  const ofSchema = 'table_schema = current_schema()';
  const rows: string[] = [];
  for (const table of await list(
    `select table_name as text from information_schema.tables where ${ofSchema} order by 1`,
  )) {
    const columns = await list(
      `select column_name as text from information_schema.columns where ${ofSchema} ` +
        `and table_name = '${table}' order by ordinal_position`,
    );
    const values = columns.map((column) => `quote_nullable(${column}::text)`).join(" || ', ' || ");
    const insert = `insert into ${table} (${columns.join(', ')}) overriding system value values (`;
    rows.push(...(await list(`select '${insert}' || ${values} || ');' as text from ${table}`)));
  }
  // What an identity column counts is not in a row.
  const restarts = await list(
    `select format('select setval(pg_get_serial_sequence(%L, %L), ' ||
      'coalesce((select max(%I) from %I), 1));', table_name, column_name, column_name, table_name)
      as text from information_schema.columns where ${ofSchema} and is_identity = 'YES'`,
  );
  return [...rows, ...restarts];
}

if (import.meta.filename === process.argv[1]) {
  const [, , release = ''] = process.argv;
  const postgres = temporaryPostgres();
  const dumps = await recordRelease(release, () => postgres.newDatabase());
  await postgres.end();
  for (const [database, dump] of Object.entries(dumps))
    writeFileSync(new URL(`${database}-${release}.dump`, releasesFolder), dump);
}
