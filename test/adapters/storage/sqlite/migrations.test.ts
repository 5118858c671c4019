// Migrations: each is applied once, atomically, by the first process; a database ahead of the code
// is refused.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import SqliteConnection from 'better-sqlite3';
import {
  loadMigrations,
  type Migration,
  pendingMigrations,
} from '../../../../adapters/storage/migrations.js';
import { valueOfParam } from '../../../../adapters/storage/sqlite/connection.js';
import { migrateSqlite } from '../../../../adapters/storage/sqlite/migrations.js';
import { openSqliteStore } from '../../../../adapters/storage/sqlite/store.js';
import { commands } from '../../../../adapters/storage/tables/work-rows.js';
import { money } from '../../../../core/domain/base/money.js';
import {
  type CommandState,
  commandMoves,
  moneyKinds,
  STUCK_AFTER_TRIES,
} from '../../../../core/domain/commands/partner-command.js';
import { StoreRefusal } from '../../../../core/errors.js';
import { checkLedger } from '../../../../core/usecases/payments/ledger-check.js';
import {
  formerDepositNames,
  formerDeposits,
  formerReceiptLines,
} from '../../../support/databases/former-deposits.js';
import { aCommand, T0 } from '../../../support/samples/domain-samples.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const folder = temporaryFolder();

let files = 0;
function freshPath(): string {
  files += 1;
  return join(folder, `${files}.db`);
}

function migration(number: number, sql: string): Migration {
  return { number, name: `${String(number).padStart(4, '0')}.sql`, sql, checksum: sql };
}

function applied(connection: SqliteConnection.Database): readonly unknown[] {
  return connection.prepare('select number from schema_migrations order by number').pluck().all();
}

const known = loadMigrations('sqlite').map(({ number }) => number);

test('a fresh database is unhealthy until it is migrated; twice is harmless', async () => {
  const store = openSqliteStore({ path: freshPath() });
  assert.deepEqual(await store.health(), { database: true, migrations: false });
  assert.deepEqual(await store.migrate(), known);
  assert.deepEqual(await store.migrate(), []);
  assert.deepEqual(await store.health(), { database: true, migrations: true });
  await store.close();
  assert.deepEqual(await store.health(), { database: false, migrations: false });
});

test('twenty that open and migrate concurrently leave one migrated database', async () => {
  const path = freshPath();
  const barrier = new Int32Array(new SharedArrayBuffer(4));
  const workers = Array.from({ length: 5 }, () => {
    const url = new URL('./migrating-worker.ts', import.meta.url);
    return new Worker(url, { workerData: { path, barrier, workers: 5, stores: 4 } });
  });
  const ends = await Promise.all(
    workers.map(
      (worker) =>
        new Promise((resolve, reject) => {
          worker.once('error', reject);
          worker.once('message', resolve);
        }),
    ),
  );
  assert.deepEqual(ends.flat(), Array(20).fill({ database: true, migrations: true }));
  const connection = new SqliteConnection(path);
  assert.deepEqual(
    applied(connection),
    loadMigrations('sqlite').map(({ number }) => number),
  );
  connection.close();
});

test('what is missing is applied in order, what is there is not applied again', () => {
  const connection = new SqliteConnection(':memory:');
  const first = migration(1, 'create table a (n integer)');
  const second = migration(2, 'insert into a values (2)');
  const third = migration(3, 'insert into a values (3)');
  migrateSqlite(connection, [first, second]);
  migrateSqlite(connection, [first, second, third]);
  assert.deepEqual(connection.prepare('select n from a').pluck().all(), [2, 3]);
  assert.deepEqual(applied(connection), [1, 2, 3]);
  connection.close();
});

test('a migration that fails leaves nothing of itself, and all before it', () => {
  const connection = new SqliteConnection(':memory:');
  const first = migration(1, 'create table a (n integer)');
  const broken = migration(2, 'insert into a values (2); insert into missing values (1)');
  assert.throws(() => migrateSqlite(connection, [first, broken]), {
    name: 'StoreRefusal',
    message:
      /^Migration 0002\.sql cannot be applied, and changed nothing: no such table: missing\./,
  });
  assert.deepEqual(connection.prepare('select n from a').all(), []);
  assert.deepEqual(applied(connection), [1]);
  assert.equal(connection.inTransaction, false);
  connection.close();
});

test('a database that is ahead of the code is refused in words', async () => {
  const path = freshPath();
  const store = openSqliteStore({ path });
  await store.migrate();
  const connection = new SqliteConnection(path);
  connection.exec("insert into schema_migrations values (99, '0099.sql', 'x', 0)");
  connection.close();
  await assert.rejects(store.migrate(), (error: unknown) => {
    assert.ok(error instanceof StoreRefusal);
    assert.match(error.message, /newer than this version of Ponte.*Install the version/);
    return true;
  });
  assert.deepEqual(await store.health(), { database: true, migrations: false });
  await store.close();
});

test('a database that was migrated with another text is refused', () => {
  const known = [migration(1, 'create table a (n integer)')];
  assert.throws(
    () => pendingMigrations(known, [{ number: 1, checksum: 'another' }]),
    /another text of 0001.sql/,
  );
  assert.deepEqual(pendingMigrations(known, []), known);
});

test('rows of an earlier version get the columns that the domain derives now', () => {
  const states = Object.keys(commandMoves) as readonly CommandState[];
  const all = moneyKinds.flatMap((kind) =>
    states.flatMap((state) =>
      (['open', 'completed', 'failed'] as const).flatMap((end) =>
        [null, '{}'].flatMap((review) =>
          [0, STUCK_AFTER_TRIES].map((tries) => {
            const id = `cmd_${kind}_${state}_${end}_${review}_${tries}`;
            const called = { partnerRef: null, lastSentAtMs: T0, lastError: 'busy' } as const;
            return aCommand({ id, reference: id, kind, state, end, review, tries, ...called });
          }),
        ),
      ),
    ),
  );
  const derived: readonly string[] = ['queue', 'is_stuck', 'is_in_flight'];
  const later: readonly string[] = [...derived, 'is_undecided', 'deposit_id'];
  const formerNames: Readonly<Record<string, string>> = { command_end: 'order_end' };
  const connection = new SqliteConnection(':memory:');
  const migrations = loadMigrations('sqlite');
  migrateSqlite(connection, migrations.slice(0, 3));
  const expected = all.map((command) => {
    const { template, params } = commands.insert(command).statement;
    assert.ok(template !== null);
    const values = template.columns.map(
      (name, at) => [name, valueOfParam(params[at] ?? null)] as const,
    );
    const old = values.filter(([name]) => !later.includes(name));
    const names = old.map(([name]) => formerNames[name] ?? name).join(', ');
    const places = old.map(() => '?').join(', ');
    connection
      .prepare(`insert into partner_commands (${names}) values (${places})`)
      .run(old.map(([, value]) => value));
    return Object.fromEntries(values.filter(([name]) => name === 'id' || derived.includes(name)));
  });
  migrateSqlite(connection, migrations);
  const found = connection.prepare(`select id, ${derived.join(', ')} from partner_commands`).all();
  const byId = new Map(found.map((row) => [(row as { readonly id: string }).id, row]));
  for (const row of expected) assert.deepEqual(byId.get(String(row['id'])), row);
  connection.close();
});

test('deposits in every state come over with postings; the books are read from the first command', async () => {
  const path = freshPath();
  const connection = new SqliteConnection(path);
  migrateSqlite(connection, loadMigrations('sqlite').slice(0, 5));
  const insert = connection.prepare(`insert into receipts values (
    @id, 'fake', 'live', @id, null, 'org_a', null, 100, 'USD', @end, @state, null, null, @paymentId,
    null, ${T0}, ${T0}, 3, @dueAt, 'busy', ${T0}, ${T0}, 4)`);
  for (const name of formerDepositNames) {
    const { state, end } = formerDeposits[name];
    const paymentId = state === 'assigned' ? 'pi_1' : null;
    connection.exec(formerReceiptLines(`rct_${name}`, name, `${T0}`));
    insert.run({
      id: `rct_${name}`,
      state,
      end,
      paymentId,
      dueAt: paymentId === null ? T0 : null,
    });
  }
  connection.exec(`insert into partner_commands (org_id, mode, id, reference, kind, payment_id,
    amount_minor, currency, state, command_end, received_minor, confirmed_minor, tries, created_at,
    updated_at, version, is_stuck, is_in_flight)
    values ('org_a', 'live', 'cmd_1', 'r', 'payin', 'pi_1', 100, 'USD', 'done', 'completed', 100,
      100, 0, ${T0 - 5}, ${T0}, 1, 0, 0)`);
  connection.exec(`insert into statement_scans values
    ('fake', 'live', ${T0}, 'c', ${T0 + 9}, ${T0 + 8}, 0, ${T0 + 20}, null, 7)`);
  connection.close();
  const store = openSqliteStore({ path });
  await store.migrate();
  const [deposits, readings] = await store.run((tx) =>
    Promise.all([tx.deposits.after('', 9), tx.bookReadings.of('fake', 'live')]),
  );
  const stored = Object.fromEntries(deposits.map(({ id, state, end }) => [id, `${state} ${end}`]));
  const expected = formerDepositNames.map((name) => {
    const { state, end } = formerDeposits[name];
    return [`rct_${name}`, `${state} ${end}`];
  });
  assert.deepEqual(stored, Object.fromEntries(expected));
  const { differences, counts } = await checkLedger({ store }, 10);
  assert.deepEqual([differences, counts.deposits, counts.lines], [[], 7, 34]);
  assert.deepEqual(
    readings.map(({ book, span, fromMs, sinceMs, cursor, completedAtMs }) =>
      [book, span, fromMs - T0, sinceMs - T0, cursor, completedAtMs].join(' '),
    ),
    ['payin', 'payout'].flatMap((book) => [
      `${book} complete -5 -5  `,
      `${book} recent -5 0  `,
      `${book} watched -5 0  `,
    ]),
  );
  await store.close();
});

test('a refund that an operator paid before leaves its money with the partner', () => {
  const connection = new SqliteConnection(':memory:');
  const migrations = loadMigrations('sqlite');
  migrateSqlite(connection, migrations.slice(0, 8));
  const done = { kind: 'refund', state: 'done', end: 'completed' } as const;
  const byHand = { partnerRef: null, lastSentAtMs: null };
  for (const fields of [{ id: 'cmd_hand', ...byHand }, { id: 'cmd_partner' }]) {
    const amount = money(4_000n, 'USD');
    const row = aCommand({ ...done, ...fields, reference: fields.id, amount });
    const { template, params } = commands.insert(row).statement;
    assert.ok(template !== null);
    const values = template.columns
      .map((name, at) => [name, valueOfParam(params[at] ?? null)] as const)
      .filter(([name]) => name !== 'deposit_id');
    const names = values.map(([name]) => name).join(', ');
    const places = values.map(() => '?').join(', ');
    connection
      .prepare(`insert into partner_commands (${names}) values (${places})`)
      .run(values.map(([, value]) => value));
  }
  migrateSqlite(connection, migrations);
  const lines = connection
    .prepare('select account, amount_minor from ledger_lines order by line_number')
    .raw()
    .all();
  assert.deepEqual(lines, [
    ['operator', -4_000],
    ['partner_float', 4_000],
  ]);
  assert.throws(() => connection.exec('delete from ledger_lines'), /append-only/);
  connection.close();
});
