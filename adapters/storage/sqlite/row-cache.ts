// Values made of rows, kept until one of the rows may have changed. There is one rule: a write of
// this process drops what depends on it before it is answered, or changes it if it is the whole row
// of the version that was written over, and a commit of another process drops everything. Between a
// commit and its answer, while the disk syncs, a kept value may be read beside a newer row. A write
// that was decided on it compares its version and fails, a refusal runs again, and what only reads
// answers as before the commit, which is not answered yet.
import {
  type CachedRead,
  type Row,
  type Statement,
  type StatementTemplate,
  tableWrittenBy,
} from '../database.js';
import { valueOfParam } from './connection.js';

/**
 * The texts of the rows, and OVERHEAD for each value. Full of payments it was measured at 33 MB:
 * the text of an answer is kept with its payment and not counted.
 */
const CHARACTERS_MAX = 8_000_000;
const OVERHEAD = 1_000;

interface Kept {
  /** The statement, and the parameters. */
  readonly path: readonly string[];
  readonly query: CachedRead<unknown>;
  /** Only of a query that is changed by writes. */
  row: Row | null;
  /** Null: to be read from the row. */
  values: readonly unknown[] | null;
  /** Names of tables, and of beginnings of their keys. */
  readonly on: readonly string[];
  characters: number;
}

/** What is kept, by one step of its path after the other: no text is made for a look-up. */
interface Level extends Map<string, Level | Kept> {}

type Written = Pick<Statement, 'sql' | 'params' | 'template'>;

export class RowCache {
  readonly #charactersMax: number;
  readonly #byPath: Level = new Map();
  /** The oldest first. */
  readonly #kept = new Set<Kept>();
  readonly #dependents = new Map<string, Set<Kept>>();
  #characters = 0;

  constructor(charactersMax = CHARACTERS_MAX) {
    this.#charactersMax = charactersMax;
  }

  find<T>(query: CachedRead<T>, params: readonly string[]): readonly T[] | null {
    const kept = this.#at(query, params);
    if (kept === undefined) return null;
    kept.values ??= kept.row === null ? [] : [query.read(kept.row)];
    return kept.values as readonly T[];
  }

  /** Returns the values of rows that were just read. That there are none is not kept. */
  keep<T>(query: CachedRead<T>, params: readonly string[], rows: readonly Row[]): readonly T[] {
    const values = rows.map(query.read);
    if (values.length === 0) return values;
    const on = Object.entries(query.on).flatMap(([table, columns]) => [
      table,
      keyName(table, params.slice(0, columns.length)),
    ]);
    const characters = charactersOf(rows);
    const row = query.whole === undefined ? null : (rows[0] ?? null);
    const kept = { path: [query.sql, ...params], query, row, values, on, characters };
    const before = this.#at(query, params);
    if (before !== undefined) this.#drop(before);
    place(this.#byPath, kept.path, kept);
    this.#kept.add(kept);
    this.#characters += characters;
    for (const name of on) {
      const dependents = this.#dependents.get(name) ?? new Set();
      this.#dependents.set(name, dependents.add(kept));
    }
    this.#dropOldest();
    return values;
  }

  /** Drops what depends on the rows that a statement may have written: nobody knows. */
  dropFor(statement: Written): void {
    for (const kept of this.#dependentsOn(statement)) this.#drop(kept);
  }

  /** A statement is stored: changes what it has written, and drops what else depends on it. */
  written(statement: Written): void {
    for (const kept of this.#dependentsOn(statement)) {
      const row = rowAfter(kept, statement);
      if (row === null) {
        this.#drop(kept);
        continue;
      }
      const characters = charactersOf([row]);
      this.#characters += characters - kept.characters;
      Object.assign(kept, { row, values: null, characters });
    }
    this.#dropOldest();
  }

  #dependentsOn({ sql, params, template }: Written): Iterable<Kept> {
    if (template?.kind === 'expect') return [];
    const table = template?.table ?? tableWrittenBy(sql);
    if (table === null) return this.#kept;
    const ofTable = this.#dependents.get(table);
    if (ofTable === undefined) return [];
    const key = keyColumns(template).map((column) => String(params[column]));
    // Without a key it may be any row of the table.
    if (key.length === 0) return ofTable;
    return [null, ...key].flatMap((_, length) => [
      ...(this.#dependents.get(keyName(table, key.slice(0, length))) ?? []),
    ]);
  }

  clear(): void {
    this.#byPath.clear();
    this.#kept.clear();
    this.#dependents.clear();
    this.#characters = 0;
  }

  #dropOldest(): void {
    for (const oldest of this.#kept) {
      if (this.#characters <= this.#charactersMax) break;
      this.#drop(oldest);
    }
  }

  #drop(kept: Kept): void {
    this.#kept.delete(kept);
    removePath(this.#byPath, kept.path);
    this.#characters -= kept.characters;
    for (const name of kept.on) {
      const dependents = this.#dependents.get(name);
      dependents?.delete(kept);
      if (dependents?.size === 0) this.#dependents.delete(name);
    }
  }

  #at({ sql }: { readonly sql: string }, params: readonly string[]): Kept | undefined {
    let at = this.#byPath.get(sql);
    for (const param of params) at = (at as Level | undefined)?.get(param);
    return at as Kept | undefined;
  }
}

function place(level: Level, [step = '', ...rest]: readonly string[], kept: Kept): void {
  if (rest.length === 0) {
    level.set(step, kept);
    return;
  }
  const next = (level.get(step) as Level | undefined) ?? new Map();
  level.set(step, next);
  place(next, rest, kept);
}

/** A level without anything goes too. */
function removePath(level: Level, [step = '', ...rest]: readonly string[]): void {
  const next = level.get(step);
  if (rest.length > 0) removePath(next as Level, rest);
  if (rest.length === 0 || (next as Level).size === 0) level.delete(step);
}

/** The row of what is kept after a stored write; null if it was not that of the version before. */
function rowAfter({ query, row }: Kept, { params, template }: Written): Row | null {
  const prefix = template === null ? undefined : query.whole?.[template.table];
  if (prefix === undefined || template === null || row === null) return null;
  const { kind, columns } = template;
  const version = row[`${prefix}version`];
  // A left join has found no row.
  const isNew = kind === 'insert' && version === null;
  const isNext = kind === 'update' && Number(version) === params[columns.indexOf('version')];
  if (!isNew && !isNext) return null;
  const after: Record<string, unknown> = { ...row };
  for (const [at, column] of columns.entries())
    after[`${prefix}${column}`] = valueOfParam(params[at] ?? null);
  if (isNext) after[`${prefix}version`] = Number(version) + 1;
  return after;
}

/** The places of the key among the parameters. */
function keyColumns(template: StatementTemplate | null): readonly number[] {
  if (template === null) return [];
  const { key, columns } = template;
  return key.filter((name) => name !== 'version').map((name) => columns.indexOf(name));
}

/** No two keys have one name: the length of each part stands before it. */
function keyName(beginning: string, key: readonly string[]): string {
  let name = `${beginning}:`;
  for (const part of key) name += `${part.length}:${part}`;
  return name;
}

function charactersOf(rows: readonly Row[]): number {
  let characters = OVERHEAD;
  for (const row of rows) {
    for (const value of Object.values(row)) {
      if (typeof value === 'string') characters += value.length;
    }
  }
  return characters;
}
