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
