// A connection to an SQLite file and its prepared statements.
import { closeSync, openSync } from 'node:fs';
import SqliteConnection from 'better-sqlite3';
import { assert } from '../../../core/errors.js';
import { type Param, type Row, skipLocked } from '../database.js';

export type Value = string | number | bigint | null;

export interface Prepared {
  readonly statement: SqliteConnection.Statement<unknown[], Row>;
  readonly order: readonly number[];
}

/**
 * Creates the file when it is missing. From then on only SQLite may open and close it: closing it
 * releases all locks of the process.
 */
export function openConnection(path: string, busyTimeoutMs: number): SqliteConnection.Database {
  // Only the operator's user may read the data of integrators and buyers.
  if (!isMemory(path)) closeSync(openSync(path, 'a', 0o600));
  const connection = new SqliteConnection(path, { timeout: busyTimeoutMs });
  connection.pragma('journal_mode = wal');
  // An acknowledged write survives a power cut, not only a crash of the process.
  connection.pragma('synchronous = full');
  return connection;
}

/** Writes no file, also no log: for backups and copies. */
export function openReadOnlyConnection(path: string): SqliteConnection.Database {
  return new SqliteConnection(path, { readonly: true });
}

export function isMemory(path: string): boolean {
  return path === ':memory:';
}

export function valueOfParam(param: Param): Value {
  if (typeof param === 'boolean') return param ? 1 : 0;
  if (typeof param === 'object' && param !== null) return param.timeMs;
  return param;
}

export class PreparedStatements {
  readonly #connection: SqliteConnection.Database;
  readonly #prepared = new Map<string, Prepared>();

  constructor(connection: SqliteConnection.Database) {
    this.#connection = connection;
  }

  /** Rows; none for a statement without a result. */
  rows(sql: string, params: readonly Param[]): readonly Row[] {
    const { statement, order } = this.prepare(sql);
    const bound = inOrder(order, params);
    if (statement.reader) return statement.all(...bound);
    statement.run(...bound);
    return [];
  }

  /** The number of rows in the result, or of changed rows. */
  hits(sql: string, params: readonly Param[]): number {
    const { statement, order } = this.prepare(sql);
    const bound = inOrder(order, params);
    return statement.reader ? statement.all(...bound).length : statement.run(...bound).changes;
  }

  prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const order: number[] = [];
    const own = sql.replace(skipLocked, '').replace(/\$(\d+)/g, (_, number: string) => {
      order.push(Number(number) - 1);
      // The planner looks at the value of a bare `?`: it would plan the statement again for each
      // value that may fit a partial index or a limit, at ten times the cost of running it.
      return '+?';
    });
    const statement = this.#connection.prepare<unknown[], Row>(own);
    // Amounts may exceed the safe integers; elsewhere a bigint only costs time.
    const hasAmounts = statement.reader && statement.columns().some(isAmount);
    statement.safeIntegers(hasAmounts);
    const prepared = { statement, order };
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}

function isAmount({ name }: SqliteConnection.ColumnDefinition): boolean {
  return name.endsWith('_minor');
}

function inOrder(order: readonly number[], params: readonly Param[]): readonly Value[] {
  return order.map((index) => {
    const param = params[index];
    assert(param !== undefined, 'every placeholder has its parameter');
    return valueOfParam(param);
  });
}
