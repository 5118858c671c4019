// One run of a piece of work: reads pass through, writes are staged until the work returns. A row
// is neither read nor written after a write to it was staged: no decision can rely on a result that
// is not there yet, and PostgreSQL applies the writes of a batch grouped by kind.
import { hash } from 'node:crypto';
import type { Actor } from '../../core/domain/base/actor.js';
import { isStorable } from '../../core/domain/base/raw-json.js';
import { modes, type Tenant } from '../../core/domain/base/tenant.js';
import type { PaymentWithCommands } from '../../core/domain/payments/change.js';
import type { ChangeDetails, ChangedRow } from '../../core/domain/service/audit-record.js';
import { keyIdOf } from '../../core/domain/service/sealed-text.js';
import { assert } from '../../core/errors.js';
import type { Tx } from '../../core/ports/storage.js';
import type { CachedPage, CachedRead, Database, Param, Row, Statement } from './database.js';
import { type RowImage, rowName, type Table, type Write } from './table.js';

/** The methods of a part of Tx, which all runs share: each takes the unit of its run first. */
export type TxPart<P extends keyof Tx> = {
  readonly [M in keyof Tx[P]]: Tx[P][M] extends (...args: infer A) => infer R
    ? (unit: UnitOfWork, ...args: A) => R
    : never;
};

export interface Joined<T> {
  readonly tables: readonly Pick<Table<unknown>, 'name'>[];
  readonly read: (row: Row) => T;
  /** Guards on the rows that were read completely. */
  readonly expect: (value: T) => readonly Write[];
}

export interface CachedJoin<T> extends CachedRead<T>, Joined<T> {}

interface Staged {
  readonly tables: Set<string>;
  readonly rows: Set<string>;
  readonly changedRows: Set<string>;
  /** Secret keys of the sealed texts. */
  readonly keyIds: Set<string>;
}

export class UnitOfWork {
  readonly isFirst: boolean;
  readonly insertsFirst: boolean;
  /** Who causes the events of this run; null: not known. */
  actor: Actor | null = null;
  readonly #database: Database;
  /** What the caller has read of a payment; null after the first run. */
  readonly #knownPayment: PaymentWithCommands | null;
  readonly #writes: Write[] = [];
  /** Made by the first write: most runs only read. */
  #staged: Staged | null = null;
  /** Guards on the rows that were read, one function per value. */
  readonly #seen: (() => readonly Write[])[] = [];
  /** Guards on the rows that were read before this run. */
  readonly #known: Write[] = [];
  #listeners: ((stored: boolean) => void)[] | null = null;
  #ended = false;

  constructor(database: Database, isFirst: boolean, known: PaymentWithCommands | null = null) {
    this.#database = database;
    this.isFirst = isFirst;
    this.#knownPayment = isFirst ? known : null;
    this.insertsFirst = isFirst && database.refusesAlone;
  }

  statements(): readonly Statement[] {
    const writes = [...this.#writes, ...this.#known];
    return statementsOf(writes, this.#staged?.changedRows ?? new Set());
  }

  stage(write: Write): void {
    const { table, row, kind } = write;
    assert(!this.#ended, `a write to ${table} came after the work had returned`);
    const name = `${table}/${row ?? ''}`;
    this.#staged ??= {
      tables: new Set(),
      rows: new Set(),
      changedRows: new Set(),
      keyIds: new Set(),
    };
    const staged = this.#staged;
    if (kind === 'change') staged.changedRows.add(name);
    if (kind !== 'expect') {
      // A merge fits any row, and PostgreSQL applies it after inserts and changes.
      const isAgain = kind !== 'merge' && row !== null && staged.rows.has(name);
      assert(!isAgain, `${name} is written twice in one batch`);
      staged.tables.add(table);
      staged.rows.add(name);
    }
    for (const text of write.sealed ?? []) staged.keyIds.add(keyIdOf(text));
    this.#writes.push({ ...write, statement: storable(write.statement) });
  }

  isEmpty(): boolean {
    return this.#writes.length === 0;
  }

  writesTo(table: string): boolean {
    return this.#staged?.tables.has(table) === true;
  }

  guard(write: Write): void {
    this.#writes.push(write);
  }

  hasGuardOn(tableName: string): boolean {
    return this.#writes.some(({ table, kind }) => table === tableName && kind === 'expect');
  }

  /** What the staged writes change, in order. A merge into a row with a write is part of it. */
  changes(): readonly ChangedRow[] {
    const writes = this.#writes.filter(({ kind }) => kind !== 'expect');
    const whole = writes.filter(({ kind, row }) => kind !== 'merge' && row !== null);
    const rows = new Set(whole.map(({ table, row }) => `${table}/${row}`));
    const made = writes.filter(
      ({ kind, table, row }) => kind !== 'merge' || !rows.has(`${table}/${row}`),
    );
    return made.map((write) => ({
      table: write.table,
      kind: changeKind(write),
      isOne: write.row !== null,
      sizeBytes: () => sizeOf(write),
      isWhole: write.image !== undefined,
      details: () => rowDetails(write, write.kind === 'change' ? this.#imageRead(write) : null),
    }));
  }

  /** The row as it was read last: a write of an earlier read would conflict. Null: it was not. */
  #imageRead({ table, row }: Write): RowImage | null {
    for (const expect of this.#seen.toReversed()) {
      const guard = expect().findLast((one) => one.table === table && one.row === row);
      if (guard !== undefined) return guard.image?.() ?? null;
    }
    return null;
  }

  isSealedUnder(keyId: string): boolean {
    return this.#staged?.keyIds.has(keyId) === true;
  }

  /** The one row of this primary key; other rows of the table may have staged writes. */
  async byKey<T>(table: Table<T>, key: readonly Param[]): Promise<T | null> {
    const [row] = await this.rowsByKey(table.name, key, table.selectByKey);
    return row === undefined ? null : this.#readRow(table, row);
  }

  /**
   * The row that the caller has read before: the first run of the work takes it as it is, and its
   * batch guards it. Later runs read it.
   */
  async known<T>(table: Table<T>, value: T, key: readonly Param[]): Promise<T | null> {
    if (!this.isFirst) return this.byKey(table, key);
    return this.taken({ tables: [table], expect: () => [table.expect(value)] }, value, key);
  }

  /** Takes what the caller has read before. The first of its rows guards the others. */
  taken<T>({ tables, expect }: Omit<Joined<T>, 'read'>, value: T, key: readonly Param[]): T {
    for (const { name } of tables) this.#assertRowUnwritten(name, key);
    const guards = expect(value);
    this.#known.push(...guards.slice(0, 1));
    this.#seen.push(() => guards);
    return value;
  }

  /** What the caller has read of this payment before; null: nothing, or it may have changed. */
  knownPayment({ orgId, mode }: Tenant, paymentId: string): PaymentWithCommands | null {
    const { payment } = this.#knownPayment?.was ?? {};
    const isOne = payment?.id === paymentId && payment.orgId === orgId && payment.mode === mode;
    return isOne ? this.#knownPayment : null;
  }

  async first<T>(table: Table<T>, tail: string, params: readonly Param[]): Promise<T | null> {
    return (await this.all(table, tail, params))[0] ?? null;
  }

  /** The rows of a query; `tail` is what follows the name of the table. */
  async all<T>(table: Table<T>, tail: string, params: readonly Param[]): Promise<readonly T[]> {
    const { name } = table;
    const rows = await this.rows(name, `select ${name}.* from ${name} ${tail}`, params);
    return rows.map((row) => this.#readRow(table, row));
  }

  /**
   * A page of the newest rows, by id. `filters` has a condition, as in `{ 'id <': beforeId }`, for
   * each value that is not null.
   */
  newest<T>(
    table: Table<T>,
    filters: Readonly<Record<string, Param>>,
    limit: number,
    { others = [], index }: { others?: readonly string[]; index?: string | undefined } = {},
  ): Promise<readonly T[]> {
    const given = Object.entries(filters).filter(([, value]) => value !== null);
    const conditions = [...given.map(([comparison], at) => `${comparison} $${at + 1}`), ...others];
    const tail = [
      ...(index === undefined ? [] : [`indexed by ${index}`]),
      ...(conditions.length === 0 ? [] : [`where ${conditions.join(' and ')}`]),
      `order by id desc limit $${given.length + 1}`,
    ].join(' ');
    return this.all(table, tail, [...given.map(([, value]) => value), limit]);
  }

  async joined<T>(joined: Joined<T>, sql: string, params: readonly Param[]): Promise<readonly T[]> {
    for (const { name } of joined.tables) this.assertUnwritten(name);
    const rows = await this.#database.read(sql, params);
    return rows.map((row) => {
      const value = joined.read(row);
      this.#seen.push(() => joined.expect(value));
      return value;
    });
  }

  /** A page of what is shown: nothing is decided on it. */
  async page<T>(
    tables: Joined<T>['tables'],
    page: CachedPage<T>,
    params: readonly Param[],
  ): Promise<readonly T[]> {
    for (const { name } of tables) this.assertUnwritten(name);
    return this.#database.page(page, params);
  }

  async cached<T>(query: CachedJoin<T>, params: readonly string[]): Promise<readonly T[]> {
    for (const { name } of query.tables) this.assertUnwritten(name);
    return this.#cached(query, params);
  }

  async firstCached<T>(query: CachedJoin<T>, params: readonly string[]): Promise<T | null> {
    return (await this.cached(query, params))[0] ?? null;
  }

  /** Throws synchronously when the table has staged writes; its callers are async. */
  rows(tableName: string, sql: string, params: readonly Param[]): Promise<readonly Row[]> {
    this.assertUnwritten(tableName);
    return this.#database.read(sql, params);
  }

  rowsByKey(tableName: string, key: readonly Param[], sql: string): Promise<readonly Row[]> {
    this.#assertRowUnwritten(tableName, key);
    return this.#database.read(sql, key);
  }

  /** The one row of this key in several tables; others of them may have staged writes. */
  async joinedByKey<T>(query: CachedJoin<T>, key: readonly string[]): Promise<T | null> {
    for (const { name } of query.tables) this.#assertRowUnwritten(name, key);
    return (await this.#cached(query, key))[0] ?? null;
  }

  onEnd(listener: (stored: boolean) => void): void {
    this.#listeners ??= [];
    this.#listeners.push(listener);
  }

  /** Whether the batch is known as stored. */
  settle(stored: boolean): void {
    for (const listener of this.#listeners ?? []) listener(stored);
  }

  /** The work has returned: nothing can be staged any more. */
  end(): void {
    this.#ended = true;
  }

  /** Whether rows have changed since they were read: the reads may not be consistent. */
  async isStale(): Promise<boolean> {
    // A single row that was just read is consistent with itself.
    if (this.#seen.length < 2 && this.#known.length === 0) return false;
    for (const { statement } of this.#seen.flatMap((expect) => expect())) {
      const { sql, params } = statement;
      if ((await this.#database.read(sql, params)).length === 0) return true;
    }
    return false;
  }

  assertUnwritten(tableName: string): void {
    const isWritten = this.#staged?.tables.has(tableName) === true;
    assert(!isWritten, `${tableName} is read after a write to it was staged`);
  }

  #assertRowUnwritten(tableName: string, key: readonly Param[]): void {
    const staged = this.#staged;
    if (!staged?.tables.has(tableName)) return;
    const row = `${tableName}/${rowName(key)}`;
    const written = staged.rows.has(row) || staged.rows.has(`${tableName}/`);
    assert(!written, `${row} is read after a write to it was staged`);
  }

  async #cached<T>(query: CachedJoin<T>, params: readonly string[]): Promise<readonly T[]> {
    const values = await this.#database.cached(query, params);
    for (const value of values) this.#seen.push(() => query.expect(value));
    return values;
  }

  #readRow<T>(table: Table<T>, row: Row): T {
    const value = table.read(row);
    if (table.versioned) this.#seen.push(() => [table.expect(value)]);
    return value;
  }
}

/** The staged writes that every table has. */
export function writes<T>(table: Table<T>) {
  return {
    insert: (unit: UnitOfWork, value: T) => unit.stage(table.insert(value)),
    update: (unit: UnitOfWork, value: T) => unit.stage(table.update(value)),
    expect: (unit: UnitOfWork, value: T) => unit.stage(table.expect(value)),
    remove: (unit: UnitOfWork, value: T) => unit.stage(table.remove(value)),
  };
}

function sizeOf({ statement: { params } }: Write): number {
  return params.reduce<number>((sum, one) => {
    return sum + (typeof one === 'string' || one instanceof Uint8Array ? one.length : 8);
  }, 0);
}

function changeKind({ kind, statement }: Write): ChangedRow['kind'] {
  if (statement.template?.kind === 'remove') return 'remove';
  return kind === 'insert' ? 'insert' : 'change';
}

/** What a record has of a row that this write writes. */
export function rowDetails(write: Write, before: RowImage | null = null): ChangeDetails {
  const { row, statement } = write;
  const image = write.image?.() ?? null;
  const column = (name: string) => {
    const value = image?.[name];
    return typeof value === 'string' ? value : null;
  };
  const mode = column('mode');
  const isRemoved = changeKind(write) === 'remove';
  return {
    id: column('id') ?? row,
    orgId: column('org_id'),
    word: column('kind'),
    mode: modes.find((one) => one === mode) ?? null,
    before: before === null ? null : imageHash(before),
    after: isRemoved ? null : imageHash(image ?? statement.params),
  };
}

/** Without columns that are null: one that a migration adds changes no hash of before. */
function imageHash(image: RowImage | readonly Param[]): string {
  if (Array.isArray(image)) return hash('sha256', JSON.stringify(image.map(jsonable)), 'hex');
  const known: Record<string, Param> = {};
  for (const [name, value] of Object.entries(image))
    if (value !== null) known[name] = jsonable(value);
  return hash('sha256', JSON.stringify(known), 'hex');
}

/** A replacer of JSON would take three times as long, and every change has two hashes. */
function jsonable(value: Param): Param {
  return typeof value === 'bigint' ? String(value) : value;
}

/** A change compares the version of its row: a guard on that row is redundant. */
function statementsOf(writes: readonly Write[], changedRows: ReadonlySet<string>) {
  return writes
    .filter(({ table, row, kind }) => kind !== 'expect' || !changedRows.has(`${table}/${row}`))
    .map(({ statement }) => statement);
}

/**
 * Unchecked outside texts (a receiver's response, a partner's reason) may contain characters that
 * PostgreSQL does not store. Both databases store U+FFFD instead.
 */
function storable(statement: Statement): Statement {
  const isFit = (param: Param) => typeof param !== 'string' || isStorable(param);
  if (statement.params.every(isFit)) return statement;
  const params = statement.params.map((param) =>
    typeof param === 'string' ? param.toWellFormed().replaceAll('\0', '\ufffd') : param,
  );
  return { ...statement, params };
}
