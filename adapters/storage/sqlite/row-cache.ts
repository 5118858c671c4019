// Values made of rows, kept until one of the rows may have changed. There is one rule: a write of
// this process drops what depends on it before it is answered, and a commit of another process
// drops everything. Between a commit and its answer, while the disk syncs, a kept value may be read
// beside a newer row. A write that was decided on it compares its version and fails, a refusal runs
// again, and what only reads answers as before the commit, which is not answered yet.
import {
  type CachedRead,
  type Row,
  type Statement,
  type StatementTemplate,
  tableWrittenBy,
} from '../database.js';

/**
 * The texts of the rows, and OVERHEAD for each value. Full of payments it was measured at 33 MB:
 * the text of an answer is kept with its payment and not counted.
 */
const CHARACTERS_MAX = 8_000_000;
const OVERHEAD = 1_000;

interface Kept {
  readonly name: string;
  readonly values: readonly unknown[];
  /** Names of tables, and of beginnings of their keys. */
  readonly on: readonly string[];
  readonly characters: number;
}

export class RowCache {
  readonly #charactersMax: number;
  readonly #numbers = new Map<string, number>();
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>();
  readonly #dependents = new Map<string, Set<Kept>>();
  #characters = 0;

  constructor(charactersMax = CHARACTERS_MAX) {
    this.#charactersMax = charactersMax;
  }

  find<T>(query: CachedRead<T>, params: readonly string[]): readonly T[] | null {
    const kept = this.#kept.get(this.#nameOf(query, params));
    return kept === undefined ? null : (kept.values as readonly T[]);
  }

  /** Returns the values of rows that were just read. That there are none is not kept. */
  keep<T>(query: CachedRead<T>, params: readonly string[], rows: readonly Row[]): readonly T[] {
    const values = rows.map(query.read);
    if (values.length === 0) return values;
    const on = Object.entries(query.on).flatMap(([table, columns]) => [
      table,
      keyName(table, params.slice(0, columns.length)),
    ]);
    const characters = OVERHEAD + charactersOf(rows);
    const kept = { name: this.#nameOf(query, params), values, on, characters };
    this.#kept.set(kept.name, kept);
    this.#characters += characters;
    for (const name of on) {
      const dependents = this.#dependents.get(name) ?? new Set();
      this.#dependents.set(name, dependents.add(kept));
    }
    for (const oldest of this.#kept.values()) {
      if (this.#characters <= this.#charactersMax) break;
      this.#drop(oldest);
    }
    return values;
  }

  /** Drops what depends on the rows that a statement may write. */
  dropFor({ sql, params, template }: Pick<Statement, 'sql' | 'params' | 'template'>): void {
    if (template?.kind === 'expect') return;
    const table = template?.table ?? tableWrittenBy(sql);
    if (table === null) {
      this.clear();
      return;
    }
    const ofTable = this.#dependents.get(table);
    if (ofTable === undefined) return;
    const key = keyColumns(template).map((column) => String(params[column]));
    // Without a key it may be any row of the table.
    if (key.length === 0) for (const kept of ofTable) this.#drop(kept);
    for (let length = 0; length <= key.length; length += 1) {
      const dependents = this.#dependents.get(keyName(table, key.slice(0, length)));
      for (const kept of dependents ?? []) this.#drop(kept);
    }
  }

  clear(): void {
    this.#kept.clear();
    this.#dependents.clear();
    this.#characters = 0;
  }

  #drop(kept: Kept): void {
    this.#kept.delete(kept.name);
    this.#characters -= kept.characters;
    for (const name of kept.on) {
      const dependents = this.#dependents.get(name);
      dependents?.delete(kept);
      if (dependents?.size === 0) this.#dependents.delete(name);
    }
  }

  /** With a number for the statement, which is long. */
  #nameOf({ sql }: { readonly sql: string }, params: readonly string[]): string {
    const known = this.#numbers.get(sql);
    const number = known ?? this.#numbers.size;
    if (known === undefined) this.#numbers.set(sql, number);
    return keyName(`${number}`, params);
  }
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
  let characters = 0;
  for (const row of rows) {
    for (const value of Object.values(row)) {
      if (typeof value === 'string') characters += value.length;
    }
  }
  return characters;
}
