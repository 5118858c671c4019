// The writes that every table has, made once from the list of its columns: insert, compare-and-set
// update, and the guard on a row that was read and is not written. Reads stand in full beside the
// methods that run them.
import { assert } from '../../core/errors.js';
import type { Param, Row, Statement } from './database.js';

type Columns<T> = Readonly<Record<string, (value: T) => Param>>;

export interface Table<T> {
  readonly name: string;
  /** Rows of a table without versions never change. */
  readonly versioned: boolean;
  /** A row becomes a domain value here and nowhere else. */
  readonly read: (row: Row) => T;
  readonly insert: (value: T) => Write;
  /** Sets what may change and raises the version, if the version is still that of `value`. */
  readonly update: (value: T) => Write;
  /** Hits one row if the version is still that of `value`. */
  readonly expect: (value: T) => Write;
  readonly remove: (value: T) => Write;
}

/** A statement, what it does, and to which row (null: no one row that could be read back). */
export interface Write {
  readonly table: string;
  readonly row: string | null;
  /** `change` ends what was read of the row: nothing else may be decided on it in this batch. */
  readonly kind: 'insert' | 'change' | 'expect' | 'merge';
  readonly statement: Statement;
}

/**
 * `key` names a row, `fixed` is written once, `changing` by every update. A table without
 * `version` is never updated.
 */
export function defineTable<T>(definition: {
  readonly name: string;
  readonly key: Columns<T>;
  readonly fixed: Columns<T>;
  readonly changing: Columns<T>;
  readonly version: ((value: T) => number) | null;
  readonly read: (row: Row) => T;
}): Table<T> {
  const { name, key, fixed, changing, version } = definition;
  const versionColumn: Columns<T> = version === null ? {} : { version };
  const inserted = { ...key, ...fixed, ...changing, ...versionColumn };
  const guarded = { ...changing, ...key, ...versionColumn };
  const keyed = { ...key, ...versionColumn };
  const insertSql = insertText(name, Object.keys(inserted));
  const updateSql = [
    `update ${name} set ${equations(Object.keys(changing), 1).join(', ')}, version = version + 1`,
    `where ${equations(Object.keys(keyed), Object.keys(changing).length + 1).join(' and ')}`,
  ].join(' ');
  const keyedSql = `where ${equations(Object.keys(keyed), 1).join(' and ')}`;
  const expectSql = `select 1 as hit from ${name} ${keyedSql} for share`;
  const removeSql = `delete from ${name} ${keyedSql}`;
  const keyOf = Object.values(key);
  const writer = (kind: Write['kind'], sql: string, columns: Columns<T>) => {
    const paramsOf = Object.values(columns);
    return (value: T): Write => {
      assert(kind === 'insert' || version !== null, `${name} has no version to compare`);
      const params = paramsOf.map((of) => of(value));
      const row = rowName(keyOf.map((of) => of(value)));
      return { table: name, row, kind, statement: { sql, params, guards: name } };
    };
  };
  return {
    name,
    versioned: version !== null,
    read: definition.read,
    insert: writer('insert', insertSql, inserted),
    update: writer('change', updateSql, guarded),
    expect: writer('expect', expectSql, keyed),
    remove: writer('change', removeSql, keyed),
  };
}

export function rowName(key: readonly Param[]): string {
  return key.map(String).join('/');
}

function insertText(name: string, columns: readonly string[]): string {
  const values = columns.map((_, index) => `$${index + 1}`);
  return `insert into ${name} (${columns.join(', ')}) values (${values.join(', ')})`;
}

function equations(columns: readonly string[], from: number): readonly string[] {
  return columns.map((column, index) => `${column} = $${from + index}`);
}
