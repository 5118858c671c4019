// The writer of the SQLite session. Waiting batches are applied in one transaction, so one fsync
// serves many callers, and each is resolved after the commit. It runs on the connection of the
// session, or on a separate one in a thread.
import type SqliteConnection from 'better-sqlite3';
import { assert } from '../../../core/errors.js';
import { type Row, type Statement, StoreConflict } from '../database.js';
import { PreparedStatements } from './connection.js';
import { meaningOf } from './errors.js';

/** Larger groups would block the event loop, and delay the first batches. */
const GROUP_MAX = 256;

export type WriterStatement = Pick<Statement, 'sql' | 'params' | 'guards'>;

export interface WriteBatch {
  readonly statements: readonly WriterStatement[];
  /** Whether it resolves with the rows of its one statement. */
  readonly returns: boolean;
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
}

export interface WriterCounts {
  readonly commits: number;
  /** Batches and immediate statements in those transactions. */
  readonly applied: number;
}

export interface SqliteWriter {
  /** Resolves the batch after the commit. */
  add(batch: WriteBatch): void;
  readonly counts: WriterCounts;
  /** Commits what waits. Nothing may be added after this. */
  close(): Promise<void>;
}

type Outcome =
  | { readonly kind: 'applied'; readonly rows: readonly Row[] }
  | { readonly kind: 'failed'; readonly error: unknown };

export class GroupWriter implements SqliteWriter {
  readonly #connection: SqliteConnection.Database;
  readonly #statements: PreparedStatements;
  readonly #schedule: (commit: () => void) => void;
  #waiting: WriteBatch[] = [];
  #scheduled = false;
  #commits = 0;
  #applied = 0;

  /** `schedule` decides when waiting batches are committed. */
  constructor(connection: SqliteConnection.Database, schedule: (commit: () => void) => void) {
    this.#connection = connection;
    this.#statements = new PreparedStatements(connection);
    this.#schedule = schedule;
  }

  get counts(): WriterCounts {
    return { commits: this.#commits, applied: this.#applied };
  }

  add(batch: WriteBatch): void {
    this.#waiting.push(batch);
    this.#scheduleCommit();
  }

  async close(): Promise<void> {
    while (this.#waiting.length > 0) this.#commitGroup();
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

  #commitGroup(): void {
    const group = this.#waiting.slice(0, GROUP_MAX);
    this.#waiting = this.#waiting.slice(GROUP_MAX);
    let outcomes: readonly Outcome[];
    try {
      outcomes = this.#applyGroup(group);
    } catch (error) {
      const refusal = meaningOf(error);
      for (const { reject } of group) reject(refusal);
      return;
    }
    for (const [index, outcome] of outcomes.entries()) {
      const { resolve, reject } = group[index] as WriteBatch;
      if (outcome.kind === 'applied') resolve(outcome.rows);
      else reject(outcome.error);
    }
  }

  /** Throws when nothing of the group is committed. */
  #applyGroup(group: readonly WriteBatch[]): readonly Outcome[] {
    // Failures are rare: only after one does each batch get a savepoint.
    let hasFailed = false;
    const applyPlainly = (batch: WriteBatch): Outcome => {
      try {
        return { kind: 'applied', rows: this.#apply(batch) };
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
    return this.#inTransaction(() => group.map((batch) => this.#applyOne(batch)));
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
      // Some errors (disk full, I/O) roll everything back.
      if (this.#connection.inTransaction) this.#control('rollback');
      throw error;
    }
  }

  #applyOne(batch: WriteBatch): Outcome {
    this.#control('savepoint one');
    try {
      const rows = this.#apply(batch);
      this.#control('release one');
      return { kind: 'applied', rows };
    } catch (error) {
      // Without a transaction the earlier savepoints are gone too: the group has failed.
      if (!this.#connection.inTransaction) throw error;
      this.#control('rollback to one');
      this.#control('release one');
      return { kind: 'failed', error: meaningOf(error) };
    }
  }

  #apply({ statements, returns }: WriteBatch): readonly Row[] {
    if (returns) return statements.flatMap(({ sql, params }) => this.#statements.rows(sql, params));
    for (const { sql, params, guards } of statements) {
      const hits = this.#statements.hits(sql, params);
      if (guards === null || hits === 1) continue;
      assert(hits === 0, `a guarded statement on ${guards} hit ${hits} rows`);
      throw new StoreConflict('guard', `${guards}: the row has changed since it was read`);
    }
    return [];
  }

  #control(sql: string): void {
    this.#statements.prepare(sql).statement.run();
  }
}
