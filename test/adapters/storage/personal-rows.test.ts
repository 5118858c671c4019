// The table of personal data, compared with the schema: a new column has to be classified.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnsIn, personalTables } from '../../../adapters/storage/personal-rows.js';
import { emptySqlite } from '../../support/databases/sqlite-plan.js';

test('each column of the schema is personal, withheld or other, and only one of them', () => {
  const { connection } = emptySqlite();
  const stored = connection
    .prepare<unknown[], { readonly place: string }>(
      "select t.name || '.' || c.name as place from sqlite_schema t, pragma_table_info(t.name) c " +
        "where t.type = 'table' and t.name not like 'sqlite_%' and t.name <> 'schema_migrations'",
    )
    .all();
  const classified = Object.entries(personalTables).flatMap(([table, row]) =>
    [row.personal, row.withheld, row.other]
      .flatMap(columnsIn)
      .map((column) => `${table}.${column}`),
  );
  assert.deepEqual(classified.toSorted(), stored.map(({ place }) => place).toSorted());
});

test('sealed texts, secrets and hashes are never exported', () => {
  const exported = Object.values(personalTables).flatMap((row) => [
    ...columnsIn(row.personal),
    ...(row.found === null ? [] : columnsIn(row.other)),
  ]);
  const secrets = exported.filter((column) => /_sealed$|secret|salt|token|code_hash/.test(column));
  assert.deepEqual(secrets, []);
});
