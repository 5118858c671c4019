// One text makes the schemas of both databases: they have the same tables, columns and indexes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { loadMigrations, sqlFor } from '../../../adapters/storage/migrations.js';
import { openPostgresStore } from '../../../adapters/storage/postgres/store.js';
import { SqliteDatabase } from '../../../adapters/storage/sqlite/database.js';
import { migrateSqlite } from '../../../adapters/storage/sqlite/migrations.js';
import { objectTypes } from '../../../core/domain/service/audit-record.js';
import { localPostgres } from '../../support/databases/local-postgres.js';

const postgres = localPostgres();
const sqlite = new SqliteDatabase({ path: ':memory:' });
migrateSqlite(sqlite.connection, loadMigrations('sqlite'));

let url = '';
url = await postgres.newDatabase();
const store = openPostgresStore({ url });
await store.migrate();
await store.close();

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

test('a part for one database is for that one, and SQLite has its own words for the others', () => {
  const written = `create table a (
  id text collate "C" not null primary key,
  at timestamptz not null,
  size bigint,
  is_on boolean not null default false,
  is_off boolean
);

-- PostgreSQL:

create function f() returns trigger language plpgsql as $$ begin end $$;

-- SQLite:

create trigger t before update on a begin select 1; end;

-- Both:

create table b (
  at timestamptz
); -- with rowid
alter table a add column is_new boolean not null default true;
insert into b values (date_trunc('milliseconds', now()));
`;
  assert.equal(
    sqlFor('sqlite', written),
    `create table a (
  id text not null primary key,
  at integer not null,
  size integer,
  is_on integer not null default false check (is_on in (0, 1)),
  is_off integer check (is_off in (0, 1))
) strict, without rowid;

-- SQLite:

create trigger t before update on a begin select 1; end;

-- Both:

create table b (
  at integer
) strict;
alter table a add column is_new integer not null default true check (is_new in (0, 1));
insert into b values (cast(unixepoch('subsec') * 1000 as integer));
`,
  );
  const own = sqlFor('postgres', written);
  assert.equal(own, written.replace(/-- SQLite:.*(?=-- Both:)/s, ''));
});

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
