// One run of a piece of work: what it reads passes through at once, what it writes is kept until
// the work returns. It owns the rules that a row is not read after a write to it was staged, and
// not changed twice: the second change could not have been decided on what the first one made.
import { isStorable } from '../../core/domain/raw-json.js';
import { keyIdOf } from '../../core/domain/sealed-text.js';
import { assert } from '../../core/errors.js';
import type { Database, Param, Row, Statement } from './database.js';
import { rowName, type Table, type Write } from './table.js';

/** What a statement makes of rows of several tables. */
export interface Joined<T> {
  /** All that it looks into. */
  readonly tables: readonly Pick<Table<unknown>, 'name'>[];
  readonly read: (row: Row) => T;
  /** The guards on the rows that a value was read from whole. */
  readonly expect: (value: T) => readonly Write[];
}

export class UnitOfWork {
  readonly #database: Database;
  readonly #writes: Write[] = [];
  readonly #writtenTables = new Set<string>();
  readonly #writtenRows = new Set<string>();
  readonly #changedRows = new Set<string>();
  /** The guards on rows that were read: of those that were read as one, together. */
  readonly #seen: (() => readonly Write[])[] = [];
  /** Secret keys of the sealed texts in the writes. */
  readonly #keyIds = new Set<string>();
  #ended = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** In the order in which they were staged. */
  statements(): readonly Statement[] {
    return statementsOf(this.#writes, this.#changedRows);
  }

  stage(write: Write): void {
    const { table, row, kind } = write;
    assert(!this.#ended, `a write to ${table} came after the work had returned`);
    const name = `${table}/${row ?? ''}`;
    const again = kind === 'change' && this.#changedRows.has(name);
    assert(!again, `${name} is changed twice in one batch`);
    if (kind === 'change') this.#changedRows.add(name);
    if (kind !== 'expect') {
      this.#writtenTables.add(table);
      this.#writtenRows.add(name);
    }
    if (write.sealed !== undefined) this.#keyIds.add(keyIdOf(write.sealed));
    this.#writes.push({ ...write, statement: storable(write.statement) });
  }

  /** Whether nothing is staged. */
  isEmpty(): boolean {
    return this.#writes.length === 0;
  }

  /** Adds a condition of the store itself. */
  guard(write: Write): void {
    this.#writes.push(write);
  }

  /** Whether a row of this table is relied on and not changed. */
  relies(tableName: string): boolean {
    return this.#writes.some(({ table, kind }) => table === tableName && kind === 'expect');
  }

  /** Whether a write contains a text sealed under this key. */
  isSealedUnder(keyId: string): boolean {
    return this.#keyIds.has(keyId);
  }

  /** The one row of this primary key; other rows of the table may have staged writes. */
  async byKey<T>(table: Table<T>, key: readonly Param[]): Promise<T | null> {
    const [row] = await this.rowsByKey(table.name, key, table.selectByKey);
    return row === undefined ? null : this.#readRow(table, row);
  }

  /** The first row of a query that may find any row of the table. */
  async first<T>(table: Table<T>, sql: string, params: readonly Param[]): Promise<T | null> {
    const [row] = await this.rows(table.name, sql, params);
    return row === undefined ? null : this.#readRow(table, row);
  }

  async all<T>(table: Table<T>, sql: string, params: readonly Param[]): Promise<readonly T[]> {
    return (await this.rows(table.name, sql, params)).map((row) => this.#readRow(table, row));
  }

  async joined<T>(joined: Joined<T>, sql: string, params: readonly Param[]): Promise<readonly T[]> {
    for (const { name } of joined.tables) this.#assertUnwritten(name);
    const rows = await this.#database.read(sql, params);
    return rows.map((row) => {
      const value = joined.read(row);
      this.#seen.push(() => joined.expect(value));
      return value;
    });
  }

  /** Throws at once where it must not be read: methods that call it are async. */
  rows(tableName: string, sql: string, params: readonly Param[]): Promise<readonly Row[]> {
    this.#assertUnwritten(tableName);
    return this.#database.read(sql, params);
  }

  rowsByKey(tableName: string, key: readonly Param[], sql: string): Promise<readonly Row[]> {
    if (this.#writtenTables.has(tableName)) {
      const row = `${tableName}/${rowName(key)}`;
      const written = this.#writtenRows.has(row) || this.#writtenRows.has(`${tableName}/`);
      assert(!written, `${row} is read after a write to it was staged`);
    }
    return this.#database.read(sql, key);
  }

  /** The writes of a table, staged. */
  writes<T>(table: Table<T>) {
    return {
      insert: (value: T) => this.stage(table.insert(value)),
      update: (value: T) => this.stage(table.update(value)),
      expect: (value: T) => this.stage(table.expect(value)),
      remove: (value: T) => this.stage(table.remove(value)),
    };
  }

  /** After this, nothing can be staged: the work has returned. */
  end(): void {
    this.#ended = true;
  }

  /** Whether rows that were read have changed since, so that they may never have stood together. */
  async isStale(): Promise<boolean> {
    // One row alone was as it was read at some moment, which is all that is asked for.
    if (this.#seen.length < 2) return false;
    for (const { statement } of this.#seen.flatMap((expect) => expect())) {
      const { sql, params } = statement;
      if ((await this.#database.read(sql, params)).length === 0) return true;
    }
    return false;
  }

  #assertUnwritten(tableName: string): void {
    const written = this.#writtenTables.has(tableName);
    assert(!written, `${tableName} is read after a write to it was staged`);
  }

  #readRow<T>(table: Table<T>, row: Row): T {
    const value = table.read(row);
    if (table.versioned) this.#seen.push(() => [table.expect(value)]);
    return value;
  }
}

/** The change of a row compares the version that was read of it: nothing else need guard it. */
function statementsOf(writes: readonly Write[], changedRows: ReadonlySet<string>) {
  return writes
    .filter(({ table, row, kind }) => kind !== 'expect' || !changedRows.has(`${table}/${row}`))
    .map(({ statement }) => statement);
}

/**
 * What comes from outside other than in a checked request (an answer of a receiver, a reason of the
 * partner) may hold what PostgreSQL does not keep in texts: it is kept as U+FFFD on both.
 */
function storable(statement: Statement): Statement {
  const isFit = (param: Param) => typeof param !== 'string' || isStorable(param);
  if (statement.params.every(isFit)) return statement;
  const params = statement.params.map((param) =>
    typeof param === 'string' ? param.toWellFormed().replaceAll('\0', '\ufffd') : param,
  );
  return { ...statement, params };
}
