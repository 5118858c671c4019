// One run of a piece of work: what it reads passes through at once, what it writes is kept until
// the work returns. It owns the rules that a row is not read after a write to it was staged, and
// not changed twice: the second change could not have been decided on what the first one made.
import { isStorable } from '../../core/domain/raw-json.js';
import { assert } from '../../core/errors.js';
import type { Database, Param, Row, Statement } from './database.js';
import { rowName, type Table, type Write } from './table.js';

export interface Staging {
  /** In the order in which they were staged. */
  statements(): readonly Statement[];
  stage(write: Write): void;
  /** The one row of this primary key; other rows of the table may have staged writes. */
  byKey<T>(
    table: Table<T>,
    key: readonly Param[],
    sql: string,
    params: readonly Param[],
  ): Promise<T | null>;
  /** The first row of a query that may find any row of the table. */
  first<T>(table: Table<T>, sql: string, params: readonly Param[]): Promise<T | null>;
  all<T>(table: Table<T>, sql: string, params: readonly Param[]): Promise<readonly T[]>;
  rows(tableName: string, sql: string, params: readonly Param[]): Promise<readonly Row[]>;
  rowsByKey(
    tableName: string,
    key: readonly Param[],
    sql: string,
    params: readonly Param[],
  ): Promise<readonly Row[]>;
  /** After this, nothing can be staged: the work has returned. */
  end(): void;
  /** Whether rows that were read have changed since, so that they may never have stood together. */
  isStale(): Promise<boolean>;
}

export function newStaging(database: Database): Staging {
  const writes: Write[] = [];
  const writtenTables = new Set<string>();
  const writtenRows = new Set<string>();
  const changedRows = new Set<string>();
  const seen: (() => Write)[] = [];
  let ended = false;

  const readRow = <T>(table: Table<T>, row: Row): T => {
    const value = table.read(row);
    if (table.versioned) seen.push(() => table.expect(value));
    return value;
  };

  const rows = (tableName: string, sql: string, params: readonly Param[]) => {
    assert(!writtenTables.has(tableName), `${tableName} is read after a write to it was staged`);
    return database.read(sql, params);
  };
  const rowsByKey: Staging['rowsByKey'] = (tableName, key, sql, params) => {
    const row = `${tableName}/${rowName(key)}`;
    assert(
      !writtenRows.has(row) && !writtenRows.has(`${tableName}/`),
      `${row} is read after a write to it was staged`,
    );
    return database.read(sql, params);
  };
  return {
    statements: () => statementsOf(writes, changedRows),
    stage(write) {
      const { table, row, kind } = write;
      assert(!ended, `a write to ${table} came after the work had returned`);
      const name = `${table}/${row ?? ''}`;
      const again = kind === 'change' && changedRows.has(name);
      assert(!again, `${name} is changed twice in one batch`);
      if (kind === 'change') changedRows.add(name);
      if (kind !== 'expect') {
        writtenTables.add(table);
        writtenRows.add(name);
      }
      writes.push({ ...write, statement: storable(write.statement) });
    },
    async byKey(table, key, sql, params) {
      const [row] = await rowsByKey(table.name, key, sql, params);
      return row === undefined ? null : readRow(table, row);
    },
    async first(table, sql, params) {
      const [row] = await rows(table.name, sql, params);
      return row === undefined ? null : readRow(table, row);
    },
    async all(table, sql, params) {
      return (await rows(table.name, sql, params)).map((row) => readRow(table, row));
    },
    // Async, so that an assertion rejects here too.
    rows: async (...read) => rows(...read),
    rowsByKey: async (...read) => rowsByKey(...read),
    end() {
      ended = true;
    },
    async isStale() {
      // One row alone was as it was read at some moment, which is all that is asked for.
      if (seen.length < 2) return false;
      for (const expect of seen) {
        const { sql, params } = expect().statement;
        if ((await database.read(sql, params)).length === 0) return true;
      }
      return false;
    },
  };
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
