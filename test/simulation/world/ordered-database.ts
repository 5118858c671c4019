// A database session whose answers come in an order that does not depend on how long each takes,
// so that a seed decides the same history on every database. Calls of one turn of the event loop
// start together: first the reads, then the batches, which share a commit, then single statements
// one by one. The answers of such a group are given in the order of the calls.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  CachedPage,
  CachedRead,
  Database,
  Param,
  Row,
  Statement,
} from '../../../adapters/storage/database.js';

interface Call {
  /** A call that is `alone` shares no group. */
  readonly kind: 'read' | 'batch' | 'alone';
  readonly start: () => Promise<() => void>;
}

export class OrderedDatabase implements Database {
  // On every database, so that a seed decides the same history.
  readonly refusesAlone = true;
  readonly #database: Database;
  #waiting: Call[] = [];
  #isWorking = false;

  constructor(database: Database) {
    this.#database = database;
  }

  read(sql: string, params: readonly Param[]): Promise<readonly Row[]> {
    return this.#queued('read', () => this.#database.read(sql, params));
  }

  cached<T>(query: CachedRead<T>, params: readonly string[]): Promise<readonly T[]> {
    return this.#queued('read', () => this.#database.cached(query, params));
  }

  page<T>(page: CachedPage<T>, params: readonly Param[]): Promise<readonly T[]> {
    return this.#queued('read', () => this.#database.page(page, params));
  }

  /** Every read has its place in the order. */
  kept(): null {
    return null;
  }

  batch(statements: readonly Statement[]): Promise<void> {
    // PostgreSQL applies a statement without a template after the others of its group, SQLite in
    // its place. Both orders are right, and a history has one.
    const kind = statements.every(({ template }) => template !== null) ? 'batch' : 'alone';
    return this.#queued(kind, () => this.#database.batch(statements));
  }

  immediate(sql: string, params: readonly Param[]): Promise<readonly Row[]> {
    return this.#queued('alone', () => this.#database.immediate(sql, params));
  }

  durable(): Promise<void> | null {
    return this.#database.durable();
  }

  #queued<T>(kind: Call['kind'], call: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const start = () =>
        call().then(
          (value) => () => resolve(value),
          (error: unknown) => () => reject(error),
        );
      this.#waiting.push({ kind, start });
      if (!this.#isWorking) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    await nextTurn();
    while (this.#waiting.length > 0) {
      const group = this.#nextGroup();
      this.#waiting = this.#waiting.filter((call) => !group.includes(call));
      const answers = await Promise.all(group.map(({ start }) => start()));
      for (const answer of answers) answer();
      // What the callers ask next joins the next group.
      await nextTurn();
    }
    this.#isWorking = false;
  }

  #nextGroup(): readonly Call[] {
    for (const kind of ['read', 'batch'] as const) {
      const alike = this.#waiting.filter((call) => call.kind === kind);
      if (alike.length > 0) return alike;
    }
    return this.#waiting.slice(0, 1);
  }
}
