// The table of personal data, compared with the schema: a new column has to be classified.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import SqliteConnection from 'better-sqlite3';
import {
  columnsIn,
  type PersonalTable,
  personalTables,
} from '../../../adapters/storage/personal-rows.js';
import { openSqliteStore } from '../../../adapters/storage/sqlite/store.js';
import { emptySqlite } from '../../support/databases/sqlite-plan.js';
import {
  farmerCpf,
  otherAddress,
  personAddress,
  personKey,
  storePerson,
} from '../../support/scenes/stored-person.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

test('each column of the schema is personal, withheld or other, and only one of them', () => {
  const { connection } = emptySqlite();
  const stored = connection
    .prepare<unknown[], { readonly place: string }>(
      "select t.name || '.' || c.name as place from sqlite_schema t, pragma_table_info(t.name) c " +
        "where t.type = 'table' and t.name not like 'sqlite_%' and t.name <> 'schema_migrations'",
    )
    .all();
  const classified = Object.entries<PersonalTable>(personalTables).flatMap(([table, row]) =>
    [row.personal, row.withheld, row.other]
      .flatMap(columnsIn)
      .map((column) => `${table}.${column}`),
  );
  assert.deepEqual(classified.toSorted(), stored.map(({ place }) => place).toSorted());
});

test('sealed texts, secrets and hashes are never exported', () => {
  const exported = Object.values<PersonalTable>(personalTables).flatMap((row) => [
    ...columnsIn(row.personal),
    ...(row.found === undefined ? [] : columnsIn(row.other)),
  ]);
  const secrets = exported.filter((column) => /_sealed$|secret|salt|token|code_hash/.test(column));
  assert.deepEqual(secrets, []);
});

test('after an erasure the address and the names are only in columns that are kept', async () => {
  const path = join(temporaryFolder(), 'ponte.db');
  const store = openSqliteStore({ path });
  await store.migrate();
  await storePerson(store);
  const connection = new SqliteConnection(path);
  const before = placesOf(connection);
  await store.run((tx) => tx.people.erase(personAddress));
  const after = placesOf(connection);
  connection.close();
  await store.close();
  const erased = Object.entries<PersonalTable>(personalTables).flatMap(([table, row]) => {
    if (row.found === undefined) return [];
    const parts = Object.keys(row.partly?.erased ?? {});
    const columns = row.erased === 'row' ? [] : [...Object.keys(row.erased ?? {}), ...parts];
    return columns.map((column) => `${table}.${column}`);
  });
  // Texts of others keep the name of the person: nobody knows that it is one.
  const ofOthers = ['payments.metadata'];
  const left = after.filter((place) => !ofOthers.includes(place));
  assert.deepEqual(left, ['connected_accounts.legal_name', 'payments.buyer_name']);
  const named = before.filter((place) => erased.includes(place));
  assert.ok(named.length >= 12, named.join(' '));
});

/** The columns in which the address or a name of the person is. */
function placesOf(connection: SqliteConnection.Database): readonly string[] {
  return Object.keys(personalTables).flatMap((table) => {
    const rows = connection.prepare<unknown[], Record<string, unknown>>(`select * from ${table}`);
    const found = rows.all().flatMap((row) =>
      Object.entries(row).flatMap(([column, value]) => {
        const text = typeof value === 'string' ? value.toLowerCase() : '';
        const isOther = text.includes(otherAddress.toLowerCase());
        const isNamed =
          text.includes(personKey) || text.includes(farmerCpf) || /rosa .*prado/.test(text);
        return isNamed && !isOther ? [`${table}.${column}`] : [];
      }),
    );
    return [...new Set(found)].toSorted();
  });
}
