// The SQLite session: one connection, all of whose work is synchronous, and a writer that commits
// in groups. Batches that wait are applied in one tick and one transaction, so that one fsync
// serves many callers; each is answered after the commit. It knows no aggregate.
//
// A piece of work that only awaits its own reads runs within one tick, so that everything it reads
// is of one moment; another process (the CLI) can come between, which the guards notice.
import { closeSync, openSync } from 'node:fs';
import SqliteConnection from 'better-sqlite3';
import { assert, PonteError } from '../../core/errors.js';
import { type Database, type Param, type Row, type Statement, StoreConflict } from './database.js';
import { newMemoryRateLimits } from './memory-rate-limits.js';
import { loadMigrations, type Migration, pendingMigrations } from './migrations.js';
import { acquireServingLock } from './serving-lock.js';
import { newStore, type ServedStore } from './store.js';

/** Larger groups would hold up the event loop; the next group follows in the next tick. */
const GROUP_MAX = 256;
/** How long a write waits for another process that holds the file: the CLI beside a server. */
const BUSY_TIMEOUT_MS = 5_000;

export interface SqliteOptions {
  /** A file, made when missing, or `:memory:`. */
  readonly path: string;
  /** When the writer commits what waits. The default is the end of the current turn. */
  readonly schedule?: (commit: () => void) => void;
}

export interface SqliteCounts {
  /** Transactions that were committed. */
  readonly commits: number;
  /** Batches and immediate statements that were applied in them. */
  readonly applied: number;
}

/** One process serves a file; others may read and write beside it, but run no workers. */
export interface SqliteStore extends ServedStore {
  readonly counts: SqliteCounts;
}

interface Waiting {
  readonly apply: () => readonly Row[];
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome =
  | { readonly kind: 'applied'; readonly rows: readonly Row[] }
  | { readonly kind: 'failed'; readonly error: unknown };

interface Prepared {
  readonly statement: SqliteConnection.Statement<unknown[], Row>;
  /** For each `?`, the index of its parameter. */
  readonly order: readonly number[];
}

/** Opens the file and nothing more: `migrate` comes before the first use of a new one. */
export function openSqliteStore(options: SqliteOptions): SqliteStore {
  const database = new SqliteDatabase(options);
  // Read once: what this process knows does not change while it runs.
  const known = loadMigrations('sqlite');
  let releaseServing: (() => void) | null = null;
  return {
    ...newStore(database),
    async migrate() {
      database.endReads();
      return migrateSqlite(database.connection, known);
    },
    async health() {
      return healthOf(database.connection, known);
    },
    async close() {
      database.close();
      releaseServing?.();
      releaseServing = null;
    },
    beginServing() {
      assert(releaseServing === null, 'a store is taken for serving once');
      if (!isMemory(options.path)) releaseServing = acquireServingLock(options.path);
      return 'alone';
    },
    rateLimits: newMemoryRateLimits(),
    line: null,
    name: options.path,
    get counts() {
      return database.counts;
    },
    connections: null,
  };
}

/** One connection and its writer; the store above it is made by `openSqliteStore`. */
export class SqliteDatabase implements Database {
  readonly connection: SqliteConnection.Database;
  readonly #schedule: (commit: () => void) => void;
  readonly #prepared = new Map<string, Prepared>();
  #waiting: Waiting[] = [];
  #scheduled = false;
  /** Whether the transaction of this turn's reads is open. */
  #reading = false;
  #commits = 0;
  #applied = 0;

  constructor(options: SqliteOptions) {
    this.#schedule = options.schedule ?? setImmediate;
    this.connection = openConnection(options.path);
  }

  get counts(): SqliteCounts {
    return { commits: this.#commits, applied: this.#applied };
  }

  async read(sql: string, params: readonly Param[]): Promise<readonly Row[]> {
    this.#assertOpen();
    this.#beginReads();
    return this.#rows(sql, params);
  }

  async batch(statements: readonly Statement[]): Promise<void> {
    await this.#enqueue(() => {
      for (const statement of statements) this.#apply(statement);
      return [];
    });
  }

  immediate(sql: string, params: readonly Param[]): Promise<readonly Row[]> {
    return this.#enqueue(() => this.#rows(sql, params));
  }

  /** Commits what waits, then lets go of the file. */
  close(): void {
    this.endReads();
    while (this.#waiting.length > 0) this.#commitGroup();
    this.connection.close();
  }

  async #enqueue(apply: () => readonly Row[]): Promise<readonly Row[]> {
    this.#assertOpen();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ apply, resolve, reject });
      this.#scheduleCommit();
    });
  }

  #scheduleCommit(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#schedule(() => {
      this.#scheduled = false;
      if (this.#waiting.length === 0) return;
      this.#commitGroup();
      if (this.#waiting.length > 0) this.#scheduleCommit();
    });
  }

  /** Reads of one turn share a transaction: taking and giving the lock costs as much as a read. */
  #beginReads(): void {
    if (this.#reading) return;
    this.#control('begin');
    this.#reading = true;
    setImmediate(() => this.endReads());
  }

  /** What comes after sees what was committed until then. */
  endReads(): void {
    if (!this.#reading) return;
    this.#reading = false;
    this.#control('commit');
  }

  #commitGroup(): void {
    this.endReads();
    const group = this.#waiting.slice(0, GROUP_MAX);
    this.#waiting = this.#waiting.slice(GROUP_MAX);
    let outcomes: readonly Outcome[];
    try {
      outcomes = this.#applyGroup(group);
    } catch (error) {
      const refusal = refusalOf(error);
      for (const { reject } of group) reject(refusal);
      return;
    }
    for (const [index, outcome] of outcomes.entries()) {
      const { resolve, reject } = group[index] as Waiting;
      if (outcome.kind === 'applied') resolve(outcome.rows);
      else reject(outcome.error);
    }
  }

  /** Throws when nothing of the group was committed. */
  #applyGroup(group: readonly Waiting[]): readonly Outcome[] {
    // Almost always none fails: only when one has does each get a savepoint of its own.
    let hasFailed = false;
    const applyPlainly = ({ apply }: Waiting): Outcome => {
      try {
        return { kind: 'applied', rows: apply() };
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    };
    try {
      return this.#inTransaction(() => group.map(applyPlainly));
    } catch (error) {
      if (!hasFailed) throw error;
    }
    return this.#inTransaction(() => group.map(({ apply }) => this.#applyOne(apply)));
  }

  #inTransaction(applyAll: () => readonly Outcome[]): readonly Outcome[] {
    try {
      this.#control('begin immediate');
      const outcomes = applyAll();
      this.#control('commit');
      this.#commits += 1;
      this.#applied += outcomes.filter(({ kind }) => kind === 'applied').length;
      return outcomes;
    } catch (error) {
      // Some errors (disk full, I/O) have already rolled everything back.
      if (this.connection.inTransaction) this.#control('rollback');
      throw error;
    }
  }

  #applyOne(apply: () => readonly Row[]): Outcome {
    this.#control('savepoint one');
    try {
      const rows = apply();
      this.#control('release one');
      return { kind: 'applied', rows };
    } catch (error) {
      // Without a transaction the savepoints before this one are gone too: the group has failed.
      if (!this.connection.inTransaction) throw error;
      this.#control('rollback to one');
      this.#control('release one');
      return { kind: 'failed', error: asConflict(error) };
    }
  }

  #apply({ sql, params, guards }: Statement): void {
    const { statement, order } = this.#prepare(sql);
    const values = order.map((index) => bindable(params[index]));
    const hits = statement.reader
      ? statement.all(...values).length
      : statement.run(...values).changes;
    if (guards === null || hits === 1) return;
    assert(hits === 0, `a guarded statement on ${guards} hit ${hits} rows`);
    throw new StoreConflict('guard', `${guards}: the row has changed since it was read`);
  }

  #rows(sql: string, params: readonly Param[]): readonly Row[] {
    const { statement, order } = this.#prepare(sql);
    const values = order.map((index) => bindable(params[index]));
    if (statement.reader) return statement.all(...values);
    statement.run(...values);
    return [];
  }

  #assertOpen(): void {
    if (!this.connection.open) throw new PonteError('InternalError', 'The store is closed.');
  }

  #control(sql: string): void {
    this.#prepare(sql).statement.run();
  }

  #prepare(sql: string): Prepared {
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
    const statement = this.connection.prepare<unknown[], Row>(own);
    // Amounts may be larger than a number holds exactly; for the rest a bigint only costs time.
    const hasAmounts = statement.reader && statement.columns().some(isAmount);
    statement.safeIntegers(hasAmounts);
    const prepared = { statement, order };
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}

/**
 * Applies what is missing of `known`, one transaction each, and yields the numbers; other processes
 * may do the same.
 */
export function migrateSqlite(
  connection: SqliteConnection.Database,
  known: readonly Migration[],
): readonly number[] {
  const numbers: number[] = [];
  while (missingMigrations(connection, known).length > 0) {
    connection.exec('begin immediate');
    try {
      connection.exec(
        'create table if not exists schema_migrations (number integer not null primary key, ' +
          'name text not null, checksum text not null, applied_at integer not null) strict',
      );
      // Looked at again under the lock: another process may have been first.
      const [next] = missingMigrations(connection, known);
      if (next !== undefined) {
        connection.exec(next.sql);
        connection
          .prepare(
            'insert into schema_migrations (number, name, checksum, applied_at) ' +
              "values (?, ?, ?, cast(unixepoch('subsec') * 1000 as integer))",
          )
          .run(next.number, next.name, next.checksum);
      }
      connection.exec('commit');
      if (next !== undefined) numbers.push(next.number);
    } catch (error) {
      if (connection.inTransaction) connection.exec('rollback');
      throw error;
    }
  }
  return numbers;
}

/** What of `known` was not applied yet; refuses a file newer than the code. */
export function missingMigrations(
  connection: SqliteConnection.Database,
  known: readonly Migration[],
): readonly Migration[] {
  const isNew =
    connection
      .prepare("select 1 from sqlite_schema where type = 'table' and name = 'schema_migrations'")
      .get() === undefined;
  if (isNew) return known;
  const applied = connection
    .prepare<unknown[], Row>('select number, checksum from schema_migrations order by number')
    .all();
  return pendingMigrations(known, applied);
}

function healthOf(connection: SqliteConnection.Database, known: readonly Migration[]) {
  try {
    connection.prepare('select 1').get();
  } catch {
    return { database: false, migrations: false };
  }
  try {
    return { database: true, migrations: missingMigrations(connection, known).length === 0 };
  } catch {
    return { database: true, migrations: false };
  }
}

function openConnection(path: string): SqliteConnection.Database {
  // Only the operator's own user may read what integrators and buyers told us.
  if (!isMemory(path)) closeSync(openSync(path, 'a', 0o600));
  const connection = new SqliteConnection(path, { timeout: BUSY_TIMEOUT_MS });
  connection.pragma('journal_mode = wal');
  // An acknowledged write survives a power cut, not only a crash of the process.
  connection.pragma('synchronous = full');
  return connection;
}

function isMemory(path: string): boolean {
  return path === ':memory:';
}

function isAmount({ name }: SqliteConnection.ColumnDefinition): boolean {
  return name.endsWith('_minor');
}

function bindable(param: Param | undefined): string | number | bigint | null {
  assert(param !== undefined, 'every placeholder has its parameter');
  if (typeof param === 'boolean') return param ? 1 : 0;
  if (typeof param === 'object' && param !== null) return param.timeMs;
  return param;
}

function asConflict(error: unknown): unknown {
  if (!(error instanceof SqliteConnection.SqliteError)) return error;
  const taken =
    error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
  return taken ? new StoreConflict('unique', error.message, error) : error;
}

/** Another process held the file for too long: nothing was changed, and a repeat may succeed. */
function refusalOf(error: unknown): unknown {
  const busy =
    error instanceof SqliteConnection.SqliteError && error.code.startsWith('SQLITE_BUSY');
  return busy ? new PonteError('StoreContention', undefined, { cause: error }) : error;
}
