// The writes that every table has, made once from the list of its columns: insert, compare-and-set
// update, and the guard on a row that was read and is not written. Reads stand in full beside the
// methods that run them.
import { assert } from '../../core/errors.js';
import type { Param, Row, Statement, StatementTemplate } from './database.js';

type Columns<T> = Readonly<Record<string, (value: T) => Param>>;

export interface Table<T> {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of the primary key, in order. */
  readonly key: readonly string[];
  /** The column of sealed texts; null if there is none. */
  readonly sealed: string | null;
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
  /** The sealed text that it writes, if any. */
  readonly sealed?: string | undefined;
}

/**
 * `key` names a row, `fixed` is written once, `changing` by every update; `sealed` is one of these
 * columns. A table without `version` is never updated.
 */
export function defineTable<T>(definition: {
  readonly name: string;
  readonly key: Columns<T>;
  readonly fixed: Columns<T>;
  readonly changing: Columns<T>;
  readonly version: ((value: T) => number) | null;
  readonly sealed?: string;
  readonly read: (row: Row) => T;
}): Table<T> {
  const { name, key, fixed, changing, version, sealed = null } = definition;
  const versionColumn: Columns<T> = version === null ? {} : { version };
  const keyed = { ...key, ...versionColumn };
  const keyOf = Object.values(key);
  const all = { ...key, ...fixed, ...changing, ...versionColumn };
  const writer = (kind: StatementTemplate['kind'], columns: Columns<T>) => {
    const template: StatementTemplate = {
      kind,
      table: name,
      columns: Object.keys(columns),
      key: Object.keys(keyed),
    };
    const sql = templateSql(template);
    const paramsOf = Object.values(columns);
    const sealedAt = sealed === null ? -1 : template.columns.indexOf(sealed);
    return (value: T): Write => {
      assert(kind === 'insert' || version !== null, `${name} has no version to compare`);
      const params = paramsOf.map((of) => of(value));
      const row = rowName(keyOf.map((of) => of(value)));
      const statement = { sql, params, guards: name, template };
      const written = params[sealedAt];
      return {
        ...{ table: name, row, kind: writeKinds[kind], statement },
        sealed: typeof written === 'string' ? written : undefined,
      };
    };
  };
  return {
    name,
    columns: Object.keys(all),
    key: Object.keys(key),
    sealed,
    versioned: version !== null,
    read: definition.read,
    insert: writer('insert', all),
    update: writer('update', { ...changing, ...keyed }),
    expect: writer('expect', keyed),
    remove: writer('remove', keyed),
  };
}

/** A table's own columns in a row of several tables: what to select, and how to read it. */
export function aliasedColumns<T>({ name, columns, read }: Table<T>): {
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
  expect: 'expect',
} as const satisfies Record<StatementTemplate['kind'], Write['kind']>;

/** The statement of a template for one row. */
export function templateSql({
  kind,
  table,
  columns,
  key,
  unlocked = false,
}: StatementTemplate): string {
  const bound = (column: string) => `$${columns.indexOf(column) + 1}`;
  const equations = (names: readonly string[]) => names.map((name) => `${name} = ${bound(name)}`);
  const where = `where ${equations(key).join(' and ')}`;
  switch (kind) {
    case 'insert': {
      const values = columns.map(bound).join(', ');
      return `insert into ${table} (${columns.join(', ')}) values (${values})`;
    }
    case 'update': {
      const set = equations(columns.filter((column) => !key.includes(column)));
      return `update ${table} set ${set.join(', ')}, version = version + 1 ${where}`;
    }
    case 'remove':
      return `delete from ${table} ${where}`;
    case 'expect':
      return `select 1 as hit from ${table} ${where}${unlocked ? '' : ' for share'}`;
  }
}
