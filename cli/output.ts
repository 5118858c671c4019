// How results look to people: aligned columns and lines. It knows no command and no resource.

import { MINUTE_MS } from '../core/domain/instant.js';

export type Cell = string | number | boolean | null;

/** Rows under their headings; `nothing` when there are none. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  nothing: string,
): string {
  if (rows.length === 0) return nothing;
  const lines = [headings, ...rows.map((row) => row.map(shown))];
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? '').length)),
  );
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** One name and value a line; what is null is left out. */
export function fields(record: Readonly<Record<string, Cell>>): string {
  const entries = Object.entries(record).filter(([, value]) => value !== null);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`).join('\n');
}

/** In minutes, hours or days. */
export function spoken(durationMs: number): string {
  const minutes = Math.floor(durationMs / MINUTE_MS);
  if (minutes < 120) return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
}

function shown(cell: Cell): string {
  return cell === null ? '-' : String(cell);
}
