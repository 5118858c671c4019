// The writer of the SQLite session. Waiting batches are applied in one transaction, so one sync of
// the disk serves many callers, and each is resolved after it. While the disk syncs one group, the
// next one gathers: groups grow with the latency of the disk.
import { setTimeout as pause } from 'node:timers/promises';
import type SqliteConnection from 'better-sqlite3';
import { assert, isCode, PonteError } from '../../../core/errors.js';
import { type Row, type Statement, StoreConflict } from '../database.js';
import { CheckedGuards } from './checked-guards.js';
import { PreparedStatements } from './connection.js';
import { meaningOf } from './errors.js';
import { FeedHeads } from './feed-heads.js';
import type { WalSync } from './wal-sync.js';

/** Larger groups would block the event loop, and delay the first batches. */
const GROUP_MAX = 256;
/** Between two tries to write to a file that another process has locked. */
const BUSY_PAUSE_MS = 5;

export type WriterStatement = Pick<Statement, 'sql' | 'params' | 'guards' | 'template'>;

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

export interface WriterOptions {
  readonly connection: SqliteConnection.Database;
  /** Decides when waiting batches are committed. */
  readonly schedule: (commit: () => void) => void;
  /** How long a group waits for another process that has locked the file. */
  readonly busyTimeoutMs: number;
}

/** What the batches of a group share. */
interface GroupState {
  readonly heads: FeedHeads;
  readonly checked: CheckedGuards;
}

type Outcome =
  | { readonly kind: 'applied'; readonly rows: readonly Row[] }
  | { readonly kind: 'failed'; readonly error: unknown };

export class GroupWriter {
  readonly #connection: SqliteConnection.Database;
  readonly #statements: PreparedStatements;
  readonly #schedule: (commit: () => void) => void;
  readonly #busyTimeoutMs: number;
  /** Null where SQLite syncs each commit, or there is no disk. */
  #wal: WalSync | null = null;
  #syncing: Promise<void> | null = null;
  #failure: PonteError | null = null;
  #waiting: WriteBatch[] = [];
  #scheduled = false;
  #busySinceMs: number | null = null;
  #commits = 0;
  #applied = 0;

  constructor({ connection, schedule, busyTimeoutMs }: WriterOptions) {
    this.#connection = connection;
    this.#statements = new PreparedStatements(connection);
    this.#schedule = schedule;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  get counts(): WriterCounts {
    return { commits: this.#commits, applied: this.#applied };
  }

  get hasFailed(): boolean {
    return this.#failure !== null;
  }

  /** Whether all that is committed is on the disk. */
  get isDurable(): boolean {
    return this.#failure === null && this.#syncing === null;
  }

  /** Resolves when what is committed is on the disk; null if it is. Rejects once that failed. */
  durable(): Promise<void> | null {
    return this.#failure === null ? this.#syncing : Promise.reject(this.#failure);
  }

  /** From now on SQLite does not sync its commits, and answers wait for `wal`. */
  syncWith(wal: WalSync): void {
    this.#wal = wal;
  }

  /** Resolves the batch after the commit, once that is on the disk. */
  add(batch: WriteBatch): void {
    if (this.#failure !== null) batch.reject(this.#failure);
    else this.#waiting.push(batch);
    this.#scheduleCommit();
  }

  /** Commits what waits. Nothing may be added after this. */
  async close(): Promise<void> {
    while (this.#waiting.length > 0 || this.#syncing !== null) {
      // Every batch has got the failure.
      await this.#syncing?.catch(() => undefined);
      if (this.#waiting.length > 0) this.#commitGroup();
      if (this.#busySinceMs !== null) await pause(BUSY_PAUSE_MS);
    }
    this.#wal?.close();
  }

  #scheduleCommit(): void {
    if (this.#scheduled || this.#syncing !== null || this.#waiting.length === 0) return;
    this.#scheduled = true;
    this.#schedule(() => {
      this.#scheduled = false;
      if (this.#waiting.length === 0 || this.#syncing !== null) return;
      this.#commitGroup();
      this.#scheduleCommit();
    });
  }

  #commitGroup(): void {
    const group = this.#waiting.slice(0, GROUP_MAX);
    this.#waiting = this.#waiting.slice(GROUP_MAX);
    const triedAtMs = this.#busySinceMs ?? performance.now();
    this.#busySinceMs = null;
    let outcomes: readonly Outcome[];
    try {
      outcomes = this.#applyGroup(group);
    } catch (error) {
      const refusal = meaningOf(error);
      const mayWait = performance.now() - triedAtMs < this.#busyTimeoutMs;
      if (isCode(refusal, 'StoreContention') && mayWait) this.#commitLater(group, triedAtMs);
      else for (const { reject } of group) reject(refusal);
      return;
    }
    if (this.#wal === null) settle(group, outcomes);
    else this.#settleOnDisk(this.#wal, group, outcomes);
  }

  /** Another process has locked the file. Reads are served. */
  #commitLater(group: readonly WriteBatch[], triedAtMs: number): void {
    this.#busySinceMs = triedAtMs;
    this.#waiting = [...group, ...this.#waiting];
    this.#scheduled = true;
    setTimeout(() => {
      this.#scheduled = false;
      this.#scheduleCommit();
    }, BUSY_PAUSE_MS);
  }

  #settleOnDisk(wal: WalSync, group: readonly WriteBatch[], outcomes: readonly Outcome[]): void {
    const synced = wal.run().then(
      () => settle(group, outcomes),
      (error: unknown) => this.#fail(error, group),
    );
    const ended = synced.finally(() => {
      this.#syncing = null;
      this.#scheduleCommit();
    });
    // Every batch has got the failure, and the process ends.
    ended.catch(() => undefined);
    this.#syncing = ended;
  }

  /**
   * After a failed sync nobody knows what is on the disk, and a second one could report success
   * without it. So the process ends: the next start reads what is there.
   */
  #fail(error: unknown, group: readonly WriteBatch[]): never {
    const failure = new PonteError('StoreUnavailable', undefined, { cause: error });
    this.#failure = failure;
    for (const { reject } of [...group, ...this.#waiting]) reject(failure);
    this.#waiting = [];
    setImmediate(() => {
      throw error;
    });
    throw failure;
  }

  /** Throws when nothing of the group is committed. */
  #applyGroup(group: readonly WriteBatch[]): readonly Outcome[] {
    // Failures after a write are rare: only after one does each batch get a savepoint.
    let hasFailed = false;
    const applyPlainly = (batch: WriteBatch, state: GroupState): Outcome => {
      try {
        return this.#apply(batch, state);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    };
    try {
      return this.#inTransaction((state) => group.map((batch) => applyPlainly(batch, state)));
    } catch (error) {
      if (!hasFailed) throw error;
    }
    return this.#inTransaction((state) => group.map((batch) => this.#applyOne(batch, state)));
  }

  #inTransaction(applyAll: (state: GroupState) => readonly Outcome[]): readonly Outcome[] {
    try {
      this.#control('begin immediate');
      const heads = new FeedHeads(this.#statements);
      const outcomes = applyAll({ heads, checked: new CheckedGuards() });
      heads.store();
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

  #applyOne(batch: WriteBatch, state: GroupState): Outcome {
    this.#control('savepoint one');
    const restoreHeads = state.heads.savepoint();
    try {
      const outcome = this.#apply(batch, state);
      this.#control('release one');
      return outcome;
    } catch (error) {
      // Without a transaction the earlier savepoints are gone too: the group has failed.
      if (!this.#connection.inTransaction) throw error;
      this.#control('rollback to one');
      this.#control('release one');
      restoreHeads();
      state.checked.clear();
      return { kind: 'failed', error: meaningOf(error) };
    }
  }

  #apply({ statements, returns }: WriteBatch, state: GroupState): Outcome {
    if (returns) {
      state.checked.clear();
      const rows = statements.flatMap(({ sql, params }) => this.#statements.rows(sql, params));
      return { kind: 'applied', rows };
    }
    let hasWritten = false;
    for (const statement of statements) {
      const { template } = statement;
      // Numbering moves the head.
      hasWritten ||= template?.kind === 'append';
      try {
        this.#applyStatement(statement, state);
      } catch (error) {
        const refusal = meaningOf(error);
        if (hasWritten || !(refusal instanceof StoreConflict)) throw error;
        // There is nothing to take back: the group goes on without it.
        return { kind: 'failed', error: refusal };
      }
      hasWritten ||= template?.kind !== 'expect';
    }
    return { kind: 'applied', rows: [] };
  }

  #applyStatement(statement: WriterStatement, { heads, checked }: GroupState): void {
    if (checked.has(statement)) return;
    const { sql, params, guards, template } = statement;
    const all = template?.kind === 'append' ? heads.numbered(template, params) : params;
    const hits = this.#statements.hits(sql, all);
    if (guards !== null && hits !== 1) {
      assert(hits === 0, `a guarded statement on ${guards} hit ${hits} rows`);
      throw new StoreConflict('guard', `${guards}: the row has changed since it was read`);
    }
    checked.note(statement);
  }

  #control(sql: string): void {
    this.#statements.prepare(sql).statement.run();
  }
}

function settle(group: readonly WriteBatch[], outcomes: readonly Outcome[]): void {
  for (const [index, outcome] of outcomes.entries()) {
    const { resolve, reject } = group[index] as WriteBatch;
    if (outcome.kind === 'applied') resolve(outcome.rows);
    else reject(outcome.error);
  }
}
