// The schemas of the two databases agree: the same tables, columns, enumerated values, keys and
// indexes.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import pg from 'pg';
import { loadMigrations } from '../../../adapters/storage/migrations.js';
import { openPostgresStore } from '../../../adapters/storage/postgres/store.js';
import { SqliteDatabase } from '../../../adapters/storage/sqlite/database.js';
import { migrateSqlite } from '../../../adapters/storage/sqlite/migrations.js';
import { objectTypes } from '../../../core/domain/service/audit-record.js';
import { localPostgres } from '../../support/databases/local-postgres.js';

const postgres = localPostgres();
const sqlite = new SqliteDatabase({ path: ':memory:' });
migrateSqlite(sqlite.connection, loadMigrations('sqlite'));

let url = '';
before(async () => {
  url = await postgres.newDatabase();
  const store = openPostgresStore({ url });
  await store.migrate();
  await store.close();
});

/** Rate limits of one serving process are in its memory. */
const ofPostgresAlone = ['rate_limits'];
/** Nothing is inserted twice into a table with a key, so PostgreSQL needs no trigger for it. */
const schemaOfSqlite = (type: string) =>
  sqlite.connection
    .prepare<unknown[], { readonly name: string; readonly sql: string }>(
      'select name, sql from sqlite_schema where type = ? and sql is not null order by name',
    )
    .all(type)
    .filter(({ name }) => !name.startsWith('sqlite_'));

async function rows<T>(text: string): Promise<readonly T[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(text)).rows as readonly T[];
  } finally {
    await client.end();
  }
}

test('both databases have the same tables, with the same columns and the same nulls', async () => {
  const ofSqlite = schemaOfSqlite('table').flatMap(({ name: table }) =>
    sqlite.connection
      .prepare<unknown[], { readonly name: string; readonly notnull: number }>(
        `select name, "notnull" from pragma_table_info('${table}')`,
      )
      .all()
      .map(({ name, notnull }) => `${table}.${name}${notnull === 1 ? '' : ' null'}`),
  );
  const columns = await rows<Record<'table_name' | 'column_name' | 'is_nullable', string>>(
    'select table_name, column_name, is_nullable from information_schema.columns ' +
      'where table_schema = current_schema()',
  );
  const ofPostgres = columns
    .filter(({ table_name: table }) => !ofPostgresAlone.includes(table))
    .map(
      ({ table_name: table, column_name: column, is_nullable: nullable }) =>
        `${table}.${column}${nullable === 'YES' ? ' null' : ''}`,
    );
  assert.deepEqual(ofPostgres.sort(), ofSqlite.toSorted());
});

test('columns of words take the same words in both databases', async () => {
  const inText = (sql: string) =>
    [...sql.matchAll(/check \((\w+) in \(([^)]*)\)/g)].flatMap(([, column, list]) =>
      list?.includes("'") ? [`${column}: ${words(list).join(' ')}`] : [],
    );
  const ofSqlite = schemaOfSqlite('table').flatMap(({ name, sql }) =>
    inText(sql).map((text) => `${name}.${text}`),
  );
  const checks = await rows<{ readonly table: string; readonly definition: string }>(
    'select conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition ' +
      "from pg_constraint where contype = 'c' and connamespace = current_schema()::regnamespace",
  );
  const ofPostgres = checks.flatMap(({ table, definition }) => {
    const found = /^CHECK \(\("?(\w+)"? = ANY \(ARRAY\[(.*)\]\)\)\)$/.exec(definition);
    return found === null ? [] : [`${table}.${found[1]}: ${words(found[2] ?? '').join(' ')}`];
  });
  assert.ok(ofSqlite.length > 30);
  assert.deepEqual(ofPostgres.sort(), ofSqlite.sort());
});

test('both databases have the same indexes, over the same columns and with the same words', async () => {
  const summary = (sql: string) => {
    const [, columns, condition] = /\(([^()]*)\)(?:\s+where (.*))?$/is.exec(sql) ?? [];
    return `(${columns}) ${words(condition ?? '').join(' ')}`;
  };
  const ofSqlite = schemaOfSqlite('index').map(({ name, sql }) => `${name} ${summary(sql)}`);
  const indexes = await rows<{ readonly name: string; readonly sql: string }>(
    'select indexname as name, indexdef as sql from pg_indexes where schemaname = ' +
      "current_schema() and indexname not like '%_pkey'",
  );
  const ofPostgres = indexes.map(({ name, sql }) => `${name} ${summary(sql)}`);
  assert.deepEqual(ofPostgres.sort(), ofSqlite.sort());
});

function words(text: string): readonly string[] {
  return [...text.matchAll(/'([^']+)'/g)].map(([, word]) => word ?? '').sort();
}

/** No batch of a use case writes them. */
const ofTheStoreAlone = ['schema_migrations'];

test('every table has a name in the audit log, or none on purpose', () => {
  const names = schemaOfSqlite('table').map(({ name }) => name);
  const known = [...Object.keys(objectTypes), ...ofTheStoreAlone];
  assert.deepEqual(names.toSorted(), known.toSorted());
});

test('PostgreSQL refuses to change an entry of the audit log', async () => {
  const place = "'service', 'live', 'aud_1', 1, 'key create', 'org_1', '{}', '', now(), ''";
  await rows(`insert into events (org_id, mode, id, sequence, type, subject_id, body, chain_hash,
    created_at, actor) values (${place})`);
  for (const change of ["update events set body = ''", 'delete from events', 'truncate events']) {
    await assert.rejects(rows(change), /the audit log is append-only/, change);
  }
});
