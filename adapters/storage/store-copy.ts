// Moves a store from SQLite to PostgreSQL: every table of the file in batches, in the order of its
// primary key; then both sides are read and compared. The databases list the tables and columns. A
// batch is one statement, so an interrupted copy resumes behind the last key of a table.
//
// Until both sides are found equal, the target has a table `store_copy`. Every process refuses to
// serve or migrate such a database (postgres/migrations.ts).
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import SqliteConnection from 'better-sqlite3';
import type pg from 'pg';
import { assert, PonteError, StoreRefusal } from '../../core/errors.js';
import { loadMigrations } from './migrations.js';
import { leadSql } from './postgres/cluster-channel.js';
import { type PostgresConnections, postgresConnections } from './postgres/connections.js';
import { migratePostgres } from './postgres/migrations.js';
import { missingMigrations } from './sqlite/migrations.js';
import { acquireServingLock } from './sqlite/serving-lock.js';

/** Bounds memory: the longest rows have about 70 KB. */
const BATCH_ROWS = 500;

export interface CopyOptions {
  readonly from: string;
  /** The URL of a PostgreSQL database that is new, or was migrated and never used. */
  readonly to: string;
  /** Called after each batch with the rows of the table that are copied so far. */
  readonly progress?: (table: string, rows: number) => void;
}

/** The content of a table, comparable between databases. */
export interface TableSum {
  readonly rows: number;
  /** SHA-256 over the canonical text of the rows in the order of their keys, in hex. */
  readonly checksum: string;
}

export interface CopiedTable {
  readonly table: string;
  readonly copied: number;
  readonly source: TableSum;
  readonly target: TableSum;
  readonly equal: boolean;
}

/**
 * Copies what the target lacks and compares both sides. The target can be served once all tables
 * are equal. The source is locked against serving and is not changed.
 */
export async function copyStore(options: CopyOptions): Promise<readonly CopiedTable[]> {
  if (!existsSync(options.from)) {
    throw new PonteError('NotFound', `There is no database ${options.from}.`);
  }
  const release = acquireServingLock(options.from);
  try {
    const source = new SqliteConnection(options.from, { readonly: true });
    try {
      return await copyFrom(source, options);
    } finally {
      source.close();
    }
  } finally {
    release();
  }
}

async function copyFrom(
  source: SqliteConnection.Database,
  { from, to, progress }: CopyOptions,
): Promise<readonly CopiedTable[]> {
  // A snapshot: an operator's command may write to the file during the copy.
  source.exec('begin');
  if (missingMigrations(source, loadMigrations('sqlite')).length > 0) {
    throw new StoreRefusal(
      `${from} was last used by an older version of Ponte. Run ponte migrate on it first.`,
    );
  }
  const connections = postgresConnections({ url: to });
  try {
    return await connections.use('long', async (client) => {
      await begin(client, connections, source);
      const copies: CopiedTable[] = [];
      for (const table of await tablesOf(source, client)) {
        const copied = await copyTable(source, client, table, progress);
        const [ofSource, ofTarget] = [
          await sumOf(batchesOf(sourceRows(source, table, null))),
          await sumOf(targetBatches(client, table)),
        ];
        const equal = ofSource.rows === ofTarget.rows && ofSource.checksum === ofTarget.checksum;
        copies.push({ table: table.name, copied, source: ofSource, target: ofTarget, equal });
      }
      if (!copies.every(({ equal }) => equal)) return copies;
      // Without statistics the planner takes indexes that read far too much.
      for (const { table } of copies) await client.query(`analyze ${table}`);
      await client.query('drop table store_copy');
      return copies;
    });
  } catch (error) {
    throw toOperator(error);
  } finally {
    await connections.close();
  }
}

/** A wrong name or password is one of the causes. */
function toOperator(error: unknown): unknown {
  if (!(error instanceof PonteError) || error.code !== 'StoreUnavailable') return error;
  return new PonteError(
    error.code,
    'The target cannot be reached. Give the same command again: it resumes.',
    { cause: error.cause },
  );
}

/** Marks the target as being copied from this source, or checks that it is. */
async function begin(
  client: pg.ClientBase,
  connections: PostgresConnections,
  source: SqliteConnection.Database,
): Promise<void> {
  // Hosts that serve the target since before the marker have a leader.
  const lead = await client.query(leadSql);
  if (lead.rows[0]?.locked !== true) throw refused('A host serves it, or another copy is running.');
  const fingerprint = fingerprintOf(source);
  const marked = await client.query("select to_regclass('store_copy') is not null as marked");
  if (marked.rows[0]?.marked === true) {
    const mark = await client.query('select source from store_copy');
    if (mark.rows[0]?.source === fingerprint) return;
    throw refused('Another database is being copied into it, or by another version of Ponte.');
  }
  await migratePostgres(connections, loadMigrations('postgres'));
  const tables = await tablesOf(source, client);
  await client.query('begin');
  try {
    await client.query('create table store_copy (source text not null)');
    await client.query('insert into store_copy (source) values ($1)', [fingerprint]);
    // The target's own first epoch, which its migration made.
    await client.query('delete from epochs');
    const used: string[] = [];
    for (const { name } of tables) {
      const found = await client.query(`select exists (select 1 from ${name}) as used`);
      if (found.rows[0]?.used === true) used.push(name);
    }
    if (used.length > 0) throw refused(`It holds rows already: ${used.join(', ')}.`);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/**
 * Identifies the file and the two schemas: each file was migrated at a different time. The final
 * comparison detects a file that changed since.
 */
function fingerprintOf(source: SqliteConnection.Database): string {
  const migrated = source.prepare('select * from schema_migrations order by number').raw().all();
  const known = loadMigrations('postgres').map(({ checksum }) => checksum);
  return createHash('sha256')
    .update(JSON.stringify([migrated, known]))
    .digest('hex');
}

function refused(why: string): StoreRefusal {
  return new StoreRefusal(`Nothing can be copied into this database. ${why}`);
}

interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly key: readonly string[];
}

interface Column {
  readonly name: string;
  readonly type: string;
}

type Value = string | number | bigint | boolean | null;

async function tablesOf(
  source: SqliteConnection.Database,
  client: pg.ClientBase,
): Promise<readonly Table[]> {
  const names = source
    .prepare<unknown[], string>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite~_%' " +
        "escape '~' and name <> 'schema_migrations' order by name",
    )
    .pluck()
    .all();
  const found = await client.query<Readonly<Record<string, string>>>(
    'select table_name, column_name, data_type from information_schema.columns ' +
      'where table_schema = current_schema() order by ordinal_position',
  );
  return names.map((name) => {
    const inSource = source
      .prepare<unknown[], { readonly name: string; readonly pk: number }>(
        'select name, pk from pragma_table_info(?)',
      )
      .all(name);
    const inTarget = found.rows.filter((row) => row['table_name'] === name);
    const columns = inTarget.map((row) => ({
      name: row['column_name'] ?? '',
      type: row['data_type'] ?? '',
    }));
    const sorted = (of: readonly { readonly name: string }[]) => of.map((one) => one.name).sort();
    assert(
      sorted(inSource).join() === sorted(columns).join(),
      `${name} has the same columns in both databases`,
    );
    const key = inSource.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    return { name, columns, key: key.map((column) => column.name) };
  });
}

/** Copies the rows behind the last row of the target; returns how many. */
async function copyTable(
  source: SqliteConnection.Database,
  client: pg.ClientBase,
  table: Table,
  progress: CopyOptions['progress'],
): Promise<number> {
  const { name, columns, key } = table;
  const backwards = key.map((column) => `${column} desc`).join(', ');
  const last = await client.query<Value[]>({
    text: `select ${key.join(', ')} from ${name} order by ${backwards} limit 1`,
    rowMode: 'array',
  });
  const names = columns.map((column) => column.name).join(', ');
  const lists = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ');
  const text =
    `insert into ${name} (${names}) overriding system value ` +
    `select * from unnest(${lists}) as given (${names})`;
  let copied = 0;
  for (const batch of batchesOf(sourceRows(source, table, last.rows[0] ?? null))) {
    const values = columns.map((column, index) =>
      batch.map((row) => inTarget(name, column, row[index] ?? null)),
    );
    await client.query(text, values);
    copied += batch.length;
    progress?.(name, copied);
  }
  return copied;
}

function* sourceRows(
  source: SqliteConnection.Database,
  { name, columns, key }: Table,
  behind: readonly Value[] | null,
): Iterable<readonly Value[]> {
  const names = columns.map((column) => column.name).join(', ');
  const keys = key.join(', ');
  const where = behind === null ? '' : `where (${keys}) > (${key.map(() => '?').join(', ')})`;
  yield* source
    .prepare<Value[], Value[]>(`select ${names} from ${name} ${where} order by ${keys}`)
    .safeIntegers(true)
    .raw(true)
    .iterate(...(behind ?? []));
}

function* batchesOf(rows: Iterable<readonly Value[]>): Iterable<readonly (readonly Value[])[]> {
  let batch: (readonly Value[])[] = [];
  for (const row of rows) {
    if (batch.push(row) < BATCH_ROWS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* targetBatches(
  client: pg.ClientBase,
  { name, columns, key }: Table,
): AsyncIterable<readonly (readonly Value[])[]> {
  const names = columns.map((column) => column.name);
  const keys = key.join(', ');
  const places = key.map((column) => names.indexOf(column));
  for (let behind: readonly Value[] = []; ; ) {
    const where = behind.length === 0 ? '' : `where (${keys}) > (${bound(key.length)})`;
    const { rows } = await client.query<Value[]>({
      text: `select ${names.join(', ')} from ${name} ${where} order by ${keys} limit ${BATCH_ROWS}`,
      values: [...behind],
      rowMode: 'array',
    });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    behind = places.map((place) => last[place] ?? null);
  }
}

function bound(count: number): string {
  return Array.from({ length: count }, (_, index) => `$${index + 1}`).join(', ');
}

/** Flags are 0 or 1 in SQLite, times milliseconds. */
function inTarget(table: string, { name, type }: Column, value: Value): Value {
  if (value === null) return null;
  if (type === 'boolean') return BigInt(value) === 1n;
  if (type === 'timestamp with time zone') return new Date(Number(value)).toISOString();
  const text = String(value);
  assert(!text.includes('\0'), `${table}.${name} has a NUL, which PostgreSQL does not keep`);
  return text;
}

async function sumOf(
  batches: Iterable<readonly (readonly Value[])[]> | AsyncIterable<readonly (readonly Value[])[]>,
): Promise<TableSum> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const batch of batches) {
    for (const row of batch) hash.update(`${JSON.stringify(row.map(canonical))}\n`);
    rows += batch.length;
  }
  return { rows, checksum: hash.digest('hex') };
}

/** The same text of a value in both databases: times come as milliseconds from either. */
function canonical(value: Value): string | null {
  if (value === null) return null;
  return String(typeof value === 'boolean' ? Number(value) : value);
}
