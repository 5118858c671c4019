// One run of a piece of work: what it reads passes through at once, what it writes is kept until
// the work returns. It owns the rules that a row is not read after a write to it was staged, and
// not changed twice: the second change could not have been decided on what the first one made.
import { assert } from '../../core/errors.js';
import type { Database, Param, Row, Statement } from './database.js';
import { rowName, type Table, type Write } from './table.js';

export interface Staging {
  readonly statements: readonly Statement[];
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
}

export function newStaging(database: Database): Staging {
  const statements: Statement[] = [];
  const writtenTables = new Set<string>();
  const writtenRows = new Set<string>();
  const changedRows = new Set<string>();
  let ended = false;

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
    statements,
    stage({ table, row, kind, statement }) {
      assert(!ended, `a write to ${table} came after the work had returned`);
      const name = `${table}/${row ?? ''}`;
      const changed = changedRows.has(name);
      assert(!(kind === 'change' && changed), `${name} is changed twice in one batch`);
      // The change has compared the version already.
      if (kind === 'expect' && changed) return;
      if (kind === 'change') changedRows.add(name);
      if (kind !== 'expect') {
        writtenTables.add(table);
        writtenRows.add(name);
      }
      statements.push(statement);
    },
    async byKey(table, key, sql, params) {
      return firstOf(table, await rowsByKey(table.name, key, sql, params));
    },
    async first(table, sql, params) {
      return firstOf(table, await rows(table.name, sql, params));
    },
    async all(table, sql, params) {
      return (await rows(table.name, sql, params)).map(table.read);
    },
    // Async, so that an assertion rejects here too.
    rows: async (...read) => rows(...read),
    rowsByKey: async (...read) => rowsByKey(...read),
    end() {
      ended = true;
    },
  };
}

function firstOf<T>(table: Table<T>, found: readonly Row[]): T | null {
  const [row] = found;
  return row === undefined ? null : table.read(row);
}
