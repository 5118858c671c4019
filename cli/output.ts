// Output for people: tables, fields and times.
import { formatInstant } from '../core/domain/base/instant.js';

export type Cell = string | number | boolean | null;

/** Rows under their headings; the text `empty` if there are none. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  empty: string,
): string {
  if (rows.length === 0) return empty;
  const lines = [headings, ...rows.map((row) => row.map(shown))];
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? '').length)),
  );
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** The cells of a table, by heading: a field of the row, or made from it. */
export type TableColumns<T> = Readonly<Record<string, keyof T | ((row: T) => Cell)>>;

/** Declared rows under their headings; the text `empty` if there are none. */
export function tableOf<T>(rows: readonly T[], empty: string, columns: TableColumns<T>): string {
  const cellOf = (row: T, column: TableColumns<T>[string]) =>
    typeof column === 'function' ? column(row) : (row[column] as Cell);
  const cells = rows.map((row) => Object.values(columns).map((column) => cellOf(row, column)));
  return table(Object.keys(columns), cells, empty);
}

/** One name and value per line, without null values. */
export function fields(record: Readonly<Record<string, Cell>>): string {
  const entries = Object.entries(record).filter(([, value]) => value !== null);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`).join('\n');
}

export function instantOrNull(atMs: number | null | undefined): string | null {
  return atMs === null || atMs === undefined ? null : formatInstant(atMs);
}

function shown(cell: Cell): string {
  return cell === null ? '-' : String(cell);
}
