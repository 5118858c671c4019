// The SQLite session: one connection, on which work is synchronous, and a writer that commits in
// groups, on the same connection or, in a process that serves the file, in a separate thread.
//
// Work that only awaits its own reads runs within one turn of the event loop, so all its reads see
// one moment. The thread or another process (the CLI) can write in between; the guards detect that.
import type SqliteConnection from 'better-sqlite3';
import { assert, PonteError } from '../../../core/errors.js';
import type { Database, Param, Row, Statement } from '../database.js';
import {
  isMemory,
  openConnection,
  openReadOnlyConnection,
  PreparedStatements,
} from './connection.js';
import { meaningOf } from './errors.js';
import { ThreadedWriter } from './threaded-writer.js';
import {
  GroupWriter,
  type SqliteWriter,
  type WriterCounts,
  type WriterStatement,
} from './writer.js';

export interface SqliteOptions {
  /** A file, created when missing, or `:memory:`. */
  readonly path: string;
  readonly image?: Buffer;
  /** Read-only: the file must exist, and no file is written. */
  readonly readOnly?: boolean;
  /** When waiting batches are committed. The default is the end of the current turn. */
  readonly schedule?: (commit: () => void) => void;
}

export class SqliteDatabase implements Database {
  readonly connection: SqliteConnection.Database;
  readonly #path: string;
  readonly #statements: PreparedStatements;
  readonly #ownWriter: SqliteWriter;
  #threadedWriter: ThreadedWriter | null = null;
  #thread: Promise<void> | null = null;
  #writer: SqliteWriter;
  #closed = false;
  /** Whether the read transaction of this turn is open. */
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

  get isWritable(): boolean {
    return !this.#threadedWriter?.hasFailed;
  }

  /**
   * Starts a thread that writes once this resolves. Until then, and if it rejects, the calling
   * thread writes.
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

  /** Changes with each commit of another connection to the file. */
  writeMark(): number {
    return this.connection.pragma('data_version', { simple: true }) as number;
  }

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
    // Waiting batches are committed first: two writers would block each other.
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

  /** Reads of one turn share a transaction: a lock costs as much as a read. */
  #beginReads(): void {
    if (this.#reading) return;
    this.#control('begin');
    this.#reading = true;
    setImmediate(() => this.endReads());
  }

  /** Later reads see what is committed by then. */
  endReads(): void {
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
