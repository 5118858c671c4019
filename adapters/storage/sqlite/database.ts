// The SQLite session: one connection, on which work is synchronous, and a writer that commits in
// groups. In the process that serves the file the disk is synced in the thread pool.
//
// Work that only awaits its own reads runs within one turn of the event loop, so all its reads see
// one moment. Another group or process (the CLI) can write in between; the guards detect that.
//
// A batch whose first write is refused has changed nothing, so a create inserts its key and
// externalId without a look-up (`tx.insertsFirst`). If a batch fails later, its group is applied
// again with one savepoint per batch. Heads of feeds are read and stored once for a group.
import type SqliteConnection from 'better-sqlite3';
import { PonteError } from '../../../core/errors.js';
import type { CachedPage, CachedRead, Database, Param, Row, Statement } from '../database.js';
import {
  isMemory,
  openConnection,
  openReadOnlyConnection,
  PreparedStatements,
} from './connection.js';
import { meaningOf } from './errors.js';
import { RowCache } from './row-cache.js';
import { type SyncFile, WalSync } from './wal-sync.js';
import { GroupWriter, type WriterCounts } from './writer.js';

export interface SqliteOptions {
  /** A file, created when missing, or `:memory:`. */
  readonly path: string;
  /** Opened by the caller, closed with the database. */
  readonly connection?: SqliteConnection.Database;
  /** Read-only: the file must exist, and no file is written. */
  readonly readOnly?: boolean;
  /** When waiting batches are committed. The default is the end of the current turn. */
  readonly schedule?: (commit: () => void) => void;
  /** How long a write waits for another process that locks the file, such as the CLI. */
  readonly busyTimeoutMs?: number;
  /** How the log is synced while serving. */
  readonly syncFile?: SyncFile;
}

const BUSY_TIMEOUT_MS = 5_000;

export class SqliteDatabase implements Database {
  readonly refusesAlone = true;
  readonly connection: SqliteConnection.Database;
  readonly #path: string;
  readonly #syncFile: SyncFile | undefined;
  readonly #statements: PreparedStatements;
  readonly #writer: GroupWriter;
  readonly #cache = new RowCache();
  #reads = 0;
  /** The commits of other processes that the cache knows. */
  #mark = 0;
  #closed = false;
  /** Whether the read transaction of this turn is open. */
  #reading = false;
  /** Whether the mark was compared in this turn. */
  #marked = false;
  /** Whether a request has arrived in this turn. */
  #polled = false;

  constructor(options: SqliteOptions) {
    const { path, readOnly = false, busyTimeoutMs = BUSY_TIMEOUT_MS } = options;
    const { schedule = setImmediate } = options;
    this.#path = path;
    this.#syncFile = options.syncFile;
    const open = readOnly ? openReadOnlyConnection : openConnection;
    this.connection = options.connection ?? open(path, busyTimeoutMs);
    this.#statements = new PreparedStatements(this.connection);
    this.#writer = new GroupWriter({
      connection: this.connection,
      busyTimeoutMs,
      schedule: (commit) =>
        schedule(() => {
          this.endReads();
          commit();
        }),
    });
  }

  get counts(): WriterCounts {
    return this.#writer.counts;
  }

  /** Reads that ran a statement. */
  get reads(): number {
    return this.#reads;
  }

  get isWritable(): boolean {
    return !this.#writer.hasFailed;
  }

  /**
   * The process serves the file from now on. Commits are synced in the thread pool, before they are
   * answered, and a file that another process locks is tried again later: neither blocks the event
   * loop. Only a checkpoint does, which SQLite makes every thousand pages.
   */
  serve(): void {
    if (isMemory(this.#path)) return;
    // SQLite refuses the change within a transaction.
    this.endReads();
    this.connection.pragma('synchronous = normal');
    this.connection.pragma('busy_timeout = 0');
    this.#writer.syncWith(new WalSync(this.#path, this.#syncFile));
  }

  async read(sql: string, params: readonly Param[]): Promise<readonly Row[]> {
    return this.#read(() => this.#rows(sql, params));
  }

  async cached<T>(query: CachedRead<T>, params: readonly string[]): Promise<readonly T[]> {
    return this.#read(() => {
      const known = this.#cache.find(query, params);
      return known ?? this.#cache.keep(query, params, this.#rows(query.sql, params));
    });
  }

  async page<T>(page: CachedPage<T>, params: readonly Param[]): Promise<readonly T[]> {
    return this.#read(() => this.#page(page, params));
  }

  kept<T>(query: CachedRead<T>, params: readonly string[]): T | null {
    this.#assertOpen();
    if (!this.#writer.isDurable || !this.#isMarked()) return null;
    return this.#cache.find(query, params)?.[0] ?? null;
  }

  async batch(statements: readonly Statement[]): Promise<void> {
    await this.#apply(statements, false);
  }

  immediate(sql: string, params: readonly Param[]): Promise<readonly Row[]> {
    return this.#apply([{ sql, params, guards: null, template: null }], true);
  }

  /** A read may have seen a commit that is not on the disk yet. */
  durable(): Promise<void> | null {
    return this.#writer.durable();
  }

  /** Something has written on the connection itself. */
  forget(): void {
    this.#cache.clear();
  }

  /**
   * A request has arrived: its reads see what others had committed by then. Earlier reads may
   * have begun their transaction earlier, in a process that waited for a processor. Requests that
   * one poll of the event loop delivers came before the first of them reads, and share one.
   */
  arrived(): void {
    if (this.#polled) return;
    this.#polled = true;
    setImmediate(() => {
      this.#polled = false;
    });
    this.endReads();
  }

  /** Changes with each commit of another connection to the file. */
  writeMark(): number {
    const [row] = this.#statements.rows('pragma data_version', []);
    return Number(row?.['data_version']);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.endReads();
    await this.#writer.close();
    this.connection.close();
  }

  async #apply(statements: readonly Statement[], returns: boolean): Promise<readonly Row[]> {
    this.#assertOpen();
    return new Promise((resolve, reject) => {
      this.#writer.add({
        statements,
        returns,
        resolve: (rows) => {
          for (const statement of statements) this.#cache.written(statement);
          resolve(rows);
        },
        reject: (error) => {
          for (const statement of statements) this.#cache.dropFor(statement);
          reject(error);
        },
      });
    });
  }

  #read<T>(read: () => T): T {
    this.#assertOpen();
    try {
      this.#beginReads();
      return read();
    } catch (error) {
      throw meaningOf(error);
    }
  }

  /** With a commit that is not on the disk, the ids may be newer than what is kept. */
  #page<T>({ sql, read, keySql, key, each }: CachedPage<T>, params: readonly Param[]) {
    if (!this.#writer.isDurable) return this.#rows(sql, params).map(read);
    return this.#rows(keySql, params).flatMap((row) => {
      const ofRow = key.map((column) => String(row[column]));
      const known = this.#cache.find(each, ofRow);
      return known ?? this.#cache.keep(each, ofRow, this.#rows(each.sql, ofRow));
    });
  }

  #rows(sql: string, params: readonly Param[]): readonly Row[] {
    this.#reads += 1;
    return this.#statements.rows(sql, params);
  }

  /**
   * Reads of one turn share a transaction: a lock costs as much as a read. They see the commits of
   * other processes up to now, so what was kept before those is dropped.
   */
  #beginReads(): void {
    if (this.#reading) return;
    this.#control('begin');
    this.#reading = true;
    this.#endOfTurn();
    try {
      this.#compareMark();
    } catch (error) {
      this.endReads();
      throw error;
    }
  }

  #compareMark(): void {
    const mark = this.writeMark();
    if (mark !== this.#mark) this.forget();
    this.#mark = mark;
    this.#marked = true;
  }

  /** Whether the cache has no value that another process had changed when this turn began. */
  #isMarked(): boolean {
    if (this.#marked) return true;
    try {
      this.#compareMark();
    } catch {
      // A read reports it.
      return false;
    }
    this.#endOfTurn();
    return true;
  }

  #endOfTurn(): void {
    setImmediate(() => this.endReads());
  }

  /** Later reads see what is committed by then. */
  endReads(): void {
    this.#marked = false;
    if (!this.#reading) return;
    this.#reading = false;
    // A failing disk may have rolled the transaction back. A rollback cannot fail, and there is
    // nothing to commit.
    if (this.connection.inTransaction) this.#control('rollback');
  }

  #assertOpen(): void {
    if (this.#closed) throw new PonteError('InternalError', 'The store is closed.');
  }

  #control(sql: string): void {
    this.#statements.prepare(sql).statement.run();
  }
}
