// The SQLite session: one connection, all of whose work is synchronous, and a writer that commits
// in groups: on the same connection, or where a process serves the file, in a thread of its own. It
// knows no aggregate.
//
// A piece of work that only awaits its own reads runs within one tick, so that everything it reads
// is of one moment; the thread or another process (the CLI) can come between, which the guards
// notice.
import type SqliteConnection from 'better-sqlite3';
import { assert, PonteError } from '../../core/errors.js';
import type { Sealer } from '../../core/ports.js';
import type { Database, Param, Row, Statement } from './database.js';
import { newMemoryRateLimits } from './memory-rate-limits.js';
import { loadMigrations, type Migration, pendingMigrations, unfit } from './migrations.js';
import { sqliteRows } from './row-counts.js';
import { acquireServingLock, servingProcess } from './serving-lock.js';
import {
  isMemory,
  openConnection,
  openReadOnlyConnection,
  PreparedStatements,
} from './sqlite-connection.js';
import { meaningOf } from './sqlite-errors.js';
import {
  GroupWriter,
  type SqliteWriter,
  type WriterCounts,
  type WriterStatement,
} from './sqlite-writer.js';
import { newStore, type ServedStore } from './store.js';
import { ThreadedWriter } from './threaded-writer.js';
import { keepWaits, readNextDue } from './upkeep.js';
import { WriteWatch } from './write-watch.js';

export interface SqliteOptions {
  /** A file, made when missing, or `:memory:`. */
  readonly path: string;
  /** The image of a database: `:memory:` begins with it. */
  readonly image?: Buffer;
  /** Only reads: the file must exist, and nothing is written into it or beside it. */
  readonly readOnly?: boolean;
  /** When the writer commits what waits. The default is the end of the current turn. */
  readonly schedule?: (commit: () => void) => void;
}

/** One process serves a file; others may read and write beside it, but run no workers. */
export interface SqliteStore extends ServedStore {
  readonly counts: WriterCounts;
}

/** Opens the file and nothing more: `migrate` comes before the first use of a new one. */
export function openSqliteStore(options: SqliteOptions, sealer: Sealer | null = null): SqliteStore {
  const database = new SqliteDatabase(options);
  const writes = new WriteWatch(database);
  // Read once: what this process knows does not change while it runs.
  const known = loadMigrations('sqlite');
  let releaseServing: (() => void) | null = null;
  return {
    ...newStore(writes.database, sealer),
    async migrate() {
      database.endReads();
      return migrateSqlite(database.connection, known);
    },
    connectionProblems: async () => [],
    onLostCommits: () => undefined,
    async servers() {
      const holder = isMemory(options.path) ? null : servingProcess(options.path);
      if (holder === null) return [];
      if (holder === 'unknown') return [{ name: 'a process that is starting', sinceMs: null }];
      return [{ name: `process ${holder.pid}`, sinceMs: holder.sinceMs }];
    },
    isNew: async () => missingMigrations(database.connection, known).length === known.length,
    rows: async () => sqliteRows(database.connection),
    async health() {
      const { migrations, database: isReadable } = healthOf(database.connection, known);
      const isWritable = database.isWritable && (await writes.isWritable());
      return { database: isReadable && isWritable, migrations };
    },
    async close() {
      await database.close();
      releaseServing?.();
      releaseServing = null;
    },
    beginServing() {
      assert(releaseServing === null, 'a store is taken for serving once');
      if (!isMemory(options.path)) releaseServing = acquireServingLock(options.path);
      return 'alone';
    },
    startThread: isMemory(options.path) ? null : () => database.startThread(),
    rateLimits: newMemoryRateLimits(),
    nextDue: () => readNextDue(database),
    writeMark: () => database.writeMark(),
    onWrite: (written) => writes.onWrite(written),
    clockMs: null,
    keepWaits: (step) => keepWaits(writes.database, step),
    line: null,
    name: options.path,
    get counts() {
      return database.counts;
    },
    connections: null,
  };
}

/** The connection that reads, and the writer; the store above it is made by `openSqliteStore`. */
export class SqliteDatabase implements Database {
  readonly connection: SqliteConnection.Database;
  readonly #path: string;
  readonly #statements: PreparedStatements;
  readonly #ownWriter: SqliteWriter;
  #threadedWriter: ThreadedWriter | null = null;
  #thread: Promise<void> | null = null;
  #writer: SqliteWriter;
  #closed = false;
  /** Whether the transaction of this turn's reads is open. */
  #reading = false;

  constructor({ path, image, readOnly = false, schedule = setImmediate }: SqliteOptions) {
    this.#path = path;
    this.connection = readOnly ? openReadOnlyConnection(path) : openConnection(path, image);
    this.#statements = new PreparedStatements(this.connection);
    this.#ownWriter = new GroupWriter(this.connection, (commit) =>
      schedule(() => {
        this.endReads();
        commit();
      }),
    );
    this.#writer = this.#ownWriter;
  }

  get counts(): WriterCounts {
    const [own, threaded] = [this.#ownWriter.counts, this.#threadedWriter?.counts];
    return {
      commits: own.commits + (threaded?.commits ?? 0),
      applied: own.applied + (threaded?.applied ?? 0),
    };
  }

  /** False when the thread of its writer has failed. */
  get isWritable(): boolean {
    return !this.#threadedWriter?.hasFailed;
  }

  /**
   * Starts a thread that writes from when this resolves; until then this one goes on. It does so
   * too where the thread cannot write, which rejects.
   */
  startThread(): Promise<void> {
    this.#thread ??= this.#handOver();
    return this.#thread;
  }

  async read(sql: string, params: readonly Param[]): Promise<readonly Row[]> {
    this.#assertOpen();
    try {
      this.#beginReads();
      return this.#statements.rows(sql, params);
    } catch (error) {
      throw meaningOf(error);
    }
  }

  async batch(statements: readonly Statement[]): Promise<void> {
    await this.#apply(statements, false);
  }

  immediate(sql: string, params: readonly Param[]): Promise<readonly Row[]> {
    return this.#apply([{ sql, params, guards: null }], true);
  }

  /** Raised by each commit of other connections to the file. */
  writeMark(): number {
    return this.connection.pragma('data_version', { simple: true }) as number;
  }

  /** Commits what waits, then lets go of the file. */
  async close(): Promise<void> {
    this.#closed = true;
    this.endReads();
    await this.#ownWriter.close();
    await this.#threadedWriter?.close();
    this.connection.close();
  }

  async #handOver(): Promise<void> {
    assert(!isMemory(this.#path), 'a database in memory is seen by one connection alone');
    const threaded = new ThreadedWriter(this.#path, () => this.endReads());
    this.#threadedWriter = threaded;
    try {
      await threaded.ready;
    } catch (error) {
      this.#threadedWriter = null;
      if (this.#closed) return;
      throw error;
    }
    // What waits goes first, in this turn: two writers would wait for each other's transactions.
    this.endReads();
    const committed = this.#ownWriter.close();
    this.#writer = threaded;
    await committed;
  }

  async #apply(statements: readonly WriterStatement[], returns: boolean): Promise<readonly Row[]> {
    this.#assertOpen();
    return new Promise((resolve, reject) => {
      this.#writer.add({ statements, returns, resolve, reject });
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
    // A failing disk may have rolled it back.
    if (this.connection.inTransaction) this.#control('commit');
  }

  #assertOpen(): void {
    if (this.#closed) throw new PonteError('InternalError', 'The store is closed.');
  }

  #control(sql: string): void {
    this.#statements.prepare(sql).statement.run();
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
        applyTo(connection, next);
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

function applyTo(connection: SqliteConnection.Database, migration: Migration): void {
  try {
    connection.exec(migration.sql);
  } catch (error) {
    const isOfSql = error instanceof Error && meaningOf(error) === error;
    throw isOfSql ? unfit(migration, error) : error;
  }
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
