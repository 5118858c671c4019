// The database session that the store needs, and the values that pass between them. The store's SQL
// is written once for both databases, with `$1` placeholders. A session adapts placeholders, times
// and booleans, and drops the clause of the other database: `skipLocked` or an `indexHint`.
import type { DuePage } from '../../core/ports/storage.js';

export interface Database {
  /** Whether a batch whose first write is refused costs the other batches of its commit nothing. */
  readonly refusesAlone: boolean;
  /** Sees every batch that was answered before it. */
  read(sql: string, params: readonly Param[]): Promise<readonly Row[]>;
  /** The same as values, which may be kept until their rows may have changed. */
  cached<T>(query: CachedRead<T>, params: readonly string[]): Promise<readonly T[]>;
  /** A page whose values may be those of a cached read, each kept under its own key. */
  page<T>(page: CachedPage<T>, params: readonly Param[]): Promise<readonly T[]>;
  /** The first value, if the same read would be answered from what is kept, and is durable. */
  kept<T>(query: CachedRead<T>, params: readonly string[]): T | null;
  /**
   * Applies all statements or none. Rejects with StoreConflict when a guarded statement did not hit
   * exactly one row or a unique value is taken; with anything else, nothing is known to be applied.
   */
  batch(statements: readonly Statement[]): Promise<void>;
  /** One writing statement on its own, answered with the rows it returns. */
  immediate(sql: string, params: readonly Param[]): Promise<readonly Row[]>;
  /**
   * Resolves when everything that a read has seen is durable; null if it is. An answer to a client
   * waits for it: what was answered must survive a power cut.
   */
  durable(): Promise<void> | null;
}

/** A read whose values are few and wanted often. */
export interface CachedRead<T> {
  readonly sql: string;
  /**
   * Every table with the columns that the first parameters select in it. Each write of one of its
   * rows has a key that begins with them, or none.
   */
  readonly on: Readonly<Record<string, readonly string[]>>;
  readonly read: (row: Row) => T;
  /**
   * Tables of which the one row has all columns, with this prefix. A write of this process then
   * changes what is kept instead of dropping it.
   */
  readonly whole?: Readonly<Record<string, string>>;
}

/** A page as values that are not kept, and by its keys as values of a cached read. */
export interface CachedPage<T> {
  readonly sql: string;
  readonly read: (row: Row) => T;
  readonly each: CachedRead<T>;
  /** The columns of the key, which are the parameters of `each`. */
  readonly keySql: string;
  readonly key: readonly string[];
}

export interface Statement {
  readonly sql: string;
  readonly params: readonly Param[];
  /** What must be hit exactly once, for the conflict's text; null: any number of rows is right. */
  readonly guards: string | null;
  /** Statements of one template (the same object) may be grouped; null: applied on its own. */
  readonly template: StatementTemplate | null;
}

/**
 * What a statement does to one row, as data: a session may build another text from it. All but a
 * `merge` are guarded. An `append` inserts an event. The session gives it the next number of its
 * tenant, in the commit.
 */
export interface StatementTemplate {
  readonly kind: 'insert' | 'update' | 'remove' | 'merge' | 'expect' | 'append';
  readonly table: string;
  readonly columns: readonly string[];
  /** Those of them that find the row; an update sets the others, and raises the version. */
  readonly key: readonly string[];
  /** Set for the `expect` that every batch has: it locks no row, so that hosts share no lock. */
  readonly unlocked?: boolean;
  /** The text of a `merge` for many: their columns are the table `p`. */
  readonly gathered?: string;
}

/** PostgreSQL only: SQLite has one writer, and no row locks. */
export const skipLocked = ' for update skip locked';
/** PostgreSQL is asked by the key: for `in`, its planner may read the whole table. */
export const dueIds = 'in (select id from due)';
export const dueIdsByKey = '= any (array(select id from due))';
/** SQLite only: the index that its planner would not choose. */
export const indexHint = / indexed by \w+/g;

export type Param = string | number | bigint | boolean | null | Time;

/** A moment on its way into a column whose name ends in `_at`. */
export interface Time {
  readonly timeMs: number;
}

/** Whole numbers come as bigint or safe number, times as milliseconds, flags as boolean or 0/1. */
export type Row = Readonly<Record<string, unknown>>;

export function timeParam(timeMs: number): Time {
  return { timeMs };
}

/** The table of a writing statement; null if the statement has another form. */
export function tableWrittenBy(sql: string): string | null {
  return /(?:^|\) )(?:insert into|update|delete from) (\w+)/.exec(sql)?.[1] ?? null;
}

/** Parameters $1 to $4 of a page of due rows: by when, behind which time and id, how many. */
export function duePage({ nowMs, after, limit }: DuePage): readonly Param[] {
  return [timeParam(nowMs), timeParam(after?.dueAtMs ?? 0), after?.id ?? '', limit];
}

/** A batch lost a race: what it decided on is no longer so, or a unique value was taken. */
export class StoreConflict extends Error {
  override readonly name = 'StoreConflict';
  readonly kind: 'guard' | 'unique';

  constructor(kind: 'guard' | 'unique', message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}
