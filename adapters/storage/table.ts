// Tables. The columns of a table give its writes (insert, compare-and-set update, delete, the guard
// on a row that is read and not written) and the read of a row by its key. Other reads are written
// next to the methods that run them.
import { assert } from '../../core/errors.js';
import { type Columns, type Part, partsOf, readerOf } from './columns.js';
import type { Param, Row, Statement, StatementTemplate } from './database.js';

/** What to select of a table, and how to read it. */
export interface Selection<T> {
  readonly name: string;
  readonly columns: readonly string[];
  readonly read: (row: Row) => T;
}

export interface Table<T> extends Selection<T> {
  readonly key: readonly string[];
  /** Rows of a table without versions never change. */
  readonly versioned: boolean;
  readonly selectByKey: string;
  readonly insert: (value: T) => Write;
  /** Sets what may change and raises the version, if the version is still that of `value`. */
  readonly update: (value: T) => Write;
  /** Hits one row if the version is still that of `value`. */
  readonly expect: (value: T) => Write;
  readonly remove: (value: T) => Write;
}

/** A table whose values have a property for each column, or group of columns. */
export interface PlainTable<T> extends Table<T> {
  readonly without: <P extends keyof T>(unread: readonly P[]) => Selection<Omit<T, P>>;
}

export interface Write {
  readonly table: string;
  /** Null: not one row that could be read back. */
  readonly row: string | null;
  /** `change` ends what was read of the row: nothing else may be decided on it in this batch. */
  readonly kind: 'insert' | 'change' | 'expect' | 'merge';
  readonly statement: Statement;
  /** The sealed texts in it. */
  readonly sealed?: readonly string[];
  /** The row by column, without its version and columns that are not hashed; absent if unknown. */
  readonly image?: () => RowImage;
}

export type RowImage = Readonly<Record<string, Param>>;

/** A table without a `version` column is never updated. */
export function defineTable<T extends object>(name: string, columns: Columns<T>): PlainTable<T> {
  const properties = Object.keys(columns) as (keyof T & string)[];
  const ofKind = (kind: Columns<T>[keyof T]['about']['kind']) => {
    const chosen = properties.filter((property) => columns[property].about.kind === kind);
    return partsOf(columns, chosen);
  };
  const [key, version, changing] = [ofKind('key'), ofKind('version'), ofKind('changing')];
  const keyed = [...key, ...version];
  const all = [...key, ...ofKind('fixed'), ...changing, ...version];
  const sealed = properties.filter((property) => columns[property].about.isSealed);
  const sealedNames = partsOf(columns, sealed).map(({ name }) => name);
  const names = (of: readonly Part<T>[]) => of.map((part) => part.name);
  const hashed = properties.filter((property) => columns[property].about.isHashed);
  const hashedNames = partsOf(columns, hashed).map(({ name }) => name);
  const imaged = all.filter((part) => !version.includes(part) && hashedNames.includes(part.name));
  const imageOf = (value: T): RowImage => {
    const image: Record<string, Param> = {};
    for (const { name, write } of imaged) image[name] = write(value);
    return image;
  };
  const writer = (kind: StatementTemplate['kind'], parts: readonly Part<T>[]) => {
    const template = { kind, table: name, columns: names(parts), key: names(keyed) };
    const sql = templateSql(template);
    const writes = parts.map(({ write }) => write);
    const sealedAt = sealedNames.map((column) => template.columns.indexOf(column));
    return (value: T): Write => {
      assert(kind === 'insert' || version.length > 0, `${name} has no version to compare`);
      const params = writes.map((write) => write(value));
      const texts = sealedAt.map((at) => params[at]).filter((text) => typeof text === 'string');
      return {
        table: name,
        kind: writeKinds[kind],
        row: rowName(key.map((of) => of.write(value))),
        statement: { sql, params, guards: name, template },
        sealed: texts,
        image: () => imageOf(value),
      };
    };
  };
  return {
    name,
    columns: names(all),
    key: names(key),
    versioned: version.length > 0,
    selectByKey: `select * from ${name} where ${equations(names(key), names(key)).join(' and ')}`,
    read: readerOf(columns),
    without(unread) {
      const read = properties.filter(
        (property) => !(unread as readonly unknown[]).includes(property),
      );
      const chosen: unknown = Object.fromEntries(read.map((one) => [one, columns[one]]));
      const reader = readerOf(chosen as Columns<Omit<T, (typeof unread)[number]>>);
      return { name, columns: names(partsOf(columns, read)), read: reader };
    },
    insert: writer('insert', all),
    update: writer('update', [...changing, ...keyed]),
    expect: writer('expect', keyed),
    remove: writer('remove', keyed),
  };
}

/** A table whose values have another shape than its rows. */
export function mapped<T, R>(
  table: Table<R>,
  toRow: (value: T) => R,
  fromRow: (row: R) => T,
): Table<T> {
  return {
    ...table,
    read: (row) => fromRow(table.read(row)),
    insert: (value) => table.insert(toRow(value)),
    update: (value) => table.update(toRow(value)),
    expect: (value) => table.expect(toRow(value)),
    remove: (value) => table.remove(toRow(value)),
  };
}

/** A write that may hit any number of rows, or that resolves conflicts itself. */
export function merge(
  table: string,
  row: string | null,
  sql: string,
  params: readonly Param[],
): Write {
  const statement = { sql, params, guards: null, template: null };
  return { table, row, kind: 'merge', statement };
}

/** A write of one row that the table does not derive. Null: a row without a known key. */
export function templated(template: StatementTemplate, sql = templateSql(template)) {
  const { table, kind } = template;
  const guards = kind === 'merge' ? null : table;
  return (row: string | null, params: readonly Param[]): Write => ({
    table,
    row,
    kind: writeKinds[kind],
    statement: { sql, params, guards, template },
  });
}

/** The columns of a table within a row of several tables: what to select, and how to read it. */
export function aliasedColumns<T>({ name, columns, read }: Selection<T>): {
  readonly columns: string;
  readonly read: (row: Row) => T;
} {
  const names = columns.map((column) => [column, `${name}_${column}`] as const);
  return {
    columns: names.map(([column, given]) => `${name}.${column} as ${given}`).join(', '),
    read(row) {
      const own: Record<string, unknown> = {};
      for (const [column, given] of names) own[column] = row[given];
      return read(own);
    },
  };
}

export function rowName(key: readonly Param[]): string {
  return key.map(String).join('/');
}

const writeKinds = {
  insert: 'insert',
  update: 'change',
  remove: 'change',
  merge: 'merge',
  expect: 'expect',
  append: 'insert',
} as const satisfies Record<StatementTemplate['kind'], Write['kind']>;

function templateSql({ kind, table, columns, key }: StatementTemplate): string {
  assert(kind !== 'merge', 'each merge brings its text');
  const where = `where ${equations(key, columns).join(' and ')}`;
  switch (kind) {
    case 'append':
    case 'insert': {
      const values = columns.map((_, at) => `$${at + 1}`).join(', ');
      return `insert into ${table} (${columns.join(', ')}) values (${values})`;
    }
    case 'update': {
      const set = equations(
        columns.filter((column) => !key.includes(column)),
        columns,
      );
      return `update ${table} set ${set.join(', ')}, version = version + 1 ${where}`;
    }
    case 'remove':
      return `delete from ${table} ${where}`;
    case 'expect':
      return `select 1 as hit from ${table} ${where}`;
  }
}

/** `name = $n`, where `n` is the place of the name among the parameters. */
function equations(names: readonly string[], params: readonly string[]): readonly string[] {
  return names.map((name) => `${name} = $${params.indexOf(name) + 1}`);
}
