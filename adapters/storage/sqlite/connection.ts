// A connection to an SQLite file, and its prepared statements: the session's reads and the writer
// share one, or have one each in threads of their own.
import { closeSync, openSync } from 'node:fs';
import SqliteConnection from 'better-sqlite3';
import { assert } from '../../../core/errors.js';
import type { Param, Row } from '../database.js';

/** How long a write waits for another process that holds the file: the CLI beside a server. */
const BUSY_TIMEOUT_MS = 5_000;

/** What a parameter is bound as. */
export type Value = string | number | bigint | null;

export interface Prepared {
  readonly statement: SqliteConnection.Statement<unknown[], Row>;
  /** For each `?`, the index of its parameter. */
  readonly order: readonly number[];
}

/** The first one of this process to the file, which is made when it is missing. */
export function openConnection(path: string, image?: Buffer): SqliteConnection.Database {
  // Only the operator's own user may read what integrators and buyers told us.
  if (!isMemory(path)) closeSync(openSync(path, 'a', 0o600));
  return openAnotherConnection(path, image);
}

/**
 * One more to a file that this process has open. Nothing but SQLite may open and close that then:
 * closing lets go of all locks that the process has on the file.
 */
export function openAnotherConnection(path: string, image?: Buffer): SqliteConnection.Database {
  const connection = new SqliteConnection(image ?? path, { timeout: BUSY_TIMEOUT_MS });
  connection.pragma('journal_mode = wal');
  // An acknowledged write survives a power cut, not only a crash of the process.
  connection.pragma('synchronous = full');
  return connection;
}

/** Writes nothing, beside nothing: for copies that must stay as they are, and to copy from. */
export function openReadOnlyConnection(path: string): SqliteConnection.Database {
  return new SqliteConnection(path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
}

export function isMemory(path: string): boolean {
  return path === ':memory:';
}

export function valueOfParam(param: Param): Value {
  if (typeof param === 'boolean') return param ? 1 : 0;
  if (typeof param === 'object' && param !== null) return param.timeMs;
  return param;
}

/** The statements of one connection, each prepared once. */
export class PreparedStatements {
  readonly #connection: SqliteConnection.Database;
  readonly #prepared = new Map<string, Prepared>();

  constructor(connection: SqliteConnection.Database) {
    this.#connection = connection;
  }

  /** The rows that it yields; none where it yields none. */
  rows(sql: string, params: readonly Param[]): readonly Row[] {
    const { statement, order } = this.prepare(sql);
    const bound = inOrder(order, params);
    if (statement.reader) return statement.all(...bound);
    statement.run(...bound);
    return [];
  }

  /** How many rows it yields or changes. */
  hits(sql: string, params: readonly Param[]): number {
    const { statement, order } = this.prepare(sql);
    const bound = inOrder(order, params);
    return statement.reader ? statement.all(...bound).length : statement.run(...bound).changes;
  }

  prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const order: number[] = [];
    // One connection writes at a time, so there is no row to lock.
    const unlocked = sql.replace(/ for (update skip locked|share)\b/g, '');
    const own = unlocked.replace(/\$(\d+)/g, (_, number: string) => {
      order.push(Number(number) - 1);
      // Of a bare one, the planner looks at the value: the statement would be planned anew with
      // every value that might fit a partial index or a limit, at ten times the cost of running it.
      return '+?';
    });
    const statement = this.#connection.prepare<unknown[], Row>(own);
    // Amounts may be larger than a number holds exactly; for the rest a bigint only costs time.
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
