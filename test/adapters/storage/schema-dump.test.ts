// adapters/storage/schema/ holds what all migrations of a database make together, as one text to
// read and to compare in a review. `npm run -s schema` writes it again after a new migration.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadMigrations } from '../../../adapters/storage/migrations.js';
import { postgresConnections } from '../../../adapters/storage/postgres/connections.js';
import { migratePostgres } from '../../../adapters/storage/postgres/migrations.js';
import { SqliteDatabase } from '../../../adapters/storage/sqlite/database.js';
import { migrateSqlite } from '../../../adapters/storage/sqlite/migrations.js';
import { localPostgres } from '../../support/databases/local-postgres.js';

const COLUMNS_MAX = 100;
const postgres = localPostgres();

test('the dump of the SQLite schema is what the migrations make', async () => {
  const { connection } = new SqliteDatabase({ path: ':memory:' });
  migrateSqlite(connection, loadMigrations('sqlite'));
  const statements = connection
    .prepare<unknown[], string>(
      "select sql from sqlite_schema where sql is not null and name not like 'sqlite~_%' " +
        "escape '~' and name <> 'schema_migrations' " +
        "order by tbl_name, type = 'trigger', type = 'index', name",
    )
    .pluck()
    .all();
  connection.close();
  compare('sqlite', statements);
});

/** Each row has one statement; the parts of a table are lines. */
const postgresSql = `
  select pg_get_functiondef(p.oid) as text, 0 as rank, '' as relation, p.proname as name
  from pg_proc p where p.pronamespace = current_schema()::regnamespace
  union all
  select 'create ' || case when c.relpersistence = 'u' then 'unlogged ' else '' end || 'table '
    || c.relname || E' (\\n  ' || (
      select string_agg(line, E',\\n  ' order by part, place, line) from (
        select 0 as part, a.attnum::int as place,
          a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
            || coalesce(' collate "' || nullif(co.collname, 'default') || '"', '')
            || case when a.attnotnull then ' not null' else '' end
            || case when a.attidentity = 'a' then ' generated always as identity' else '' end
            || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') as line
        from pg_attribute a left join pg_collation co on co.oid = a.attcollation
        left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        union all
        select 1, 0, 'constraint ' || conname || ' ' || pg_get_constraintdef(oid)
        from pg_constraint where conrelid = c.oid and contype <> 'n'
      ) as lines) || E'\\n)', 1, c.relname, ''
  from pg_class c
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
    and c.relname <> 'schema_migrations'
  union all
  select pg_get_indexdef(i.indexrelid), 2, c.relname, i.indexrelid::regclass::text
  from pg_index i join pg_class c on c.oid = i.indrelid
  where c.relnamespace = current_schema()::regnamespace
    and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid)
  union all
  select pg_get_triggerdef(t.oid), 3, c.relname, t.tgname
  from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where c.relnamespace = current_schema()::regnamespace and not t.tgisinternal
  order by relation, rank, name`;

test('the dump of the PostgreSQL schema is what the migrations make', async () => {
  const connections = postgresConnections({ url: await postgres.newDatabase() });
  await migratePostgres(connections, loadMigrations('postgres'));
  const { rows, schema } = await connections.use('once', async (client) => ({
    rows: (await client.query<{ readonly text: string }>(postgresSql)).rows,
    schema: (await client.query<{ readonly name: string }>('select current_schema() as name'))
      .rows[0]?.name,
  }));
  await connections.close();
  compare(
    'postgres',
    rows.map(({ text }) => text.replaceAll(`${schema}.`, '')),
  );
});

function compare(database: 'sqlite' | 'postgres', statements: readonly string[]): void {
  const path = new URL(`../../../adapters/storage/schema/${database}.sql`, import.meta.url);
  const head = `-- The schema on ${database}. Written by \`npm run -s schema\`; edits are lost.`;
  const bodies = statements.map((statement) => `${wrapped(lowered(statement.trim()))};\n`);
  const text = `${[`${head}\n`, ...bodies].join('\n')}`;
  if (process.env['PONTE_WRITE_SCHEMA'] === '1') writeFileSync(path, text);
  assert.equal(readFileSync(path, 'utf8'), text, 'after a new migration: npm run -s schema');
}

/** Keywords as the migrations have them; texts in quotes and bodies of functions stay. */
function lowered(statement: string): string {
  return statement.replace(/'[^']*'|\b[A-Z]{2,}\b/g, (word) =>
    word.startsWith("'") ? word : word.toLowerCase(),
  );
}

function wrapped(statement: string): string {
  return statement.split('\n').map(wrappedLine).join('\n');
}

function wrappedLine(line: string): string {
  if (line.length <= COLUMNS_MAX - 1) return line;
  const at = line.lastIndexOf(' ', COLUMNS_MAX - 2);
  return `${line.slice(0, at)}\n${wrappedLine(`    ${line.slice(at + 1)}`)}`;
}
