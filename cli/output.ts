// Output for people: tables, fields, durations and times.
import { formatInstant, MINUTE_MS } from '../core/domain/base/instant.js';

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

export function formatDuration(durationMs: number): string {
  const minutes = Math.floor(durationMs / MINUTE_MS);
  if (minutes < 120) return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
}

function shown(cell: Cell): string {
  return cell === null ? '-' : String(cell);
}
