// The guards that were checked in a group of batches. Most batches guard the same rows, such as the
// profile of an organization: a guard that holds is not checked again until its table is written.
import { type Param, type Statement, tableWrittenBy } from '../database.js';
import { valueOfParam } from './connection.js';

type GroupStatement = Pick<Statement, 'sql' | 'params' | 'template'>;

export class CheckedGuards {
  /** By table. */
  readonly #checked = new Map<string, Set<string>>();

  has({ params, template }: GroupStatement): boolean {
    if (template?.kind !== 'expect') return false;
    return this.#checked.get(template.table)?.has(nameOf(params)) === true;
  }

  /** The statement has hit its row. */
  note({ sql, params, template }: GroupStatement): void {
    if (template?.kind === 'expect') {
      const ofTable = this.#checked.get(template.table) ?? new Set();
      this.#checked.set(template.table, ofTable.add(nameOf(params)));
      return;
    }
    const table = template?.table ?? tableWrittenBy(sql);
    if (table === null) this.clear();
    else this.#checked.delete(table);
  }

  clear(): void {
    this.#checked.clear();
  }
}

/** Stored texts contain no NUL. */
function nameOf(params: readonly Param[]): string {
  return params.map(valueOfParam).join('\0');
}
