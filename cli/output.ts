// Output for people: tables, fields and times.

import { padded, widthOf } from './text-width.js';

export type Cell = string | number | boolean | null;

/** Between the cells of a row, until the width of the output is known. */
const CELL_END = '\x1f';
/** Width of a pipe, and of a terminal that does not say it. */
const COLUMNS_USUAL = 80;
const COLUMNS_MIN = 40;
const GAP = '  ';

/** Rows under their headings, which `laidOut` aligns; the text `empty` if there are none. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  empty: string,
): string {
  if (rows.length === 0) return empty;
  return [headings, ...rows.map((row) => row.map(shown))]
    .map((line) =>
      line
        .map(printable)
        .map((cell) => `${cell}${CELL_END}`)
        .join(''),
    )
    .join('\n');
}

/** Stored texts may have line ends. */
function printable(cell: string): string {
  return cell.replaceAll(/\p{Cc}+/gu, ' ');
}

/** Codes of terminals, and marks that change the direction of what follows them. */
const reachingOn = /[\p{Cc}\p{Bidi_Control}]+/gu;

const cleaned = (line: string): string =>
  line
    .split(CELL_END)
    .map((part) => part.replaceAll(reachingOn, ' '))
    .join(CELL_END);

export interface Paper {
  readonly columns: number;
  readonly hasColor: boolean;
}

/** What a terminal shows, or a pipe gets. `COLUMNS` sets the width of a pipe. */
export function paperOf(
  { isTTY = false, columns }: { readonly isTTY?: boolean; readonly columns?: number },
  { COLUMNS = '', NO_COLOR = '', TERM }: Readonly<Record<string, string | undefined>>,
): Paper {
  const named = /^[0-9]{1,4}$/.test(COLUMNS) ? Number(COLUMNS) : COLUMNS_USUAL;
  const width = (isTTY && columns) || named;
  const hasColor = isTTY && NO_COLOR === '' && TERM !== 'dumb';
  return { columns: Math.max(COLUMNS_MIN, width), hasColor };
}

/** The text with its tables as wide as the paper at most. */
export function laidOut(text: string, paper: Paper): string {
  const parts: { readonly isTable: boolean; readonly lines: string[] }[] = [];
  for (const line of text.split('\n').map(cleaned)) {
    const isTable = line.endsWith(CELL_END);
    const last = parts.at(-1);
    if (last?.isTable === isTable) last.lines.push(line);
    else parts.push({ isTable, lines: [line] });
  }
  return parts
    .flatMap(({ isTable, lines }) => {
      if (!isTable) return lines;
      return alignedRows(
        lines.map((line) => line.split(CELL_END).slice(0, -1)),
        paper,
      );
    })
    .join('\n');
}

const numberForm = /^-?[0-9][0-9.,]*(?: [A-Z]{3})?$/;
const stateHeadings = ['STATE', 'STATUS'];
/** States that somebody should look at. */
const alarming = /^(?:FAIL|WARN|failed|dead_letter|rejected|refused|unknown)$|\(stuck\)$/;

/**
 * Columns are declared by importance: those that do not fit beside the others stand below their
 * row, each value with its heading, so that nothing is left out. Numbers end below each other.
 */
function alignedRows(
  lines: readonly (readonly string[])[],
  { columns, hasColor }: Paper,
): readonly string[] {
  const [headings = [], ...rows] = lines;
  const widths = headings.map((_, at) => Math.max(...lines.map((line) => widthOf(line[at] ?? ''))));
  const ends = widths.map((_, at) =>
    widths.slice(0, at + 1).reduce((sum, width) => sum + width + GAP.length, -GAP.length),
  );
  const beside = Math.max(1, ends.filter((end) => end <= columns).length);
  const isNumber = headings.map((_, at) =>
    rows.every(({ [at]: cell = '-' }) => cell === '-' || cell === '' || numberForm.test(cell)),
  );
  const aligned = (cells: readonly string[]) =>
    cells
      .slice(0, beside)
      .map((cell, at) => {
        const width = widths[at] ?? 0;
        const text = padded(cell, width, isNumber[at] ? 'start' : 'end');
        const isAlarm = stateHeadings.includes(headings[at] ?? '') && alarming.test(cell);
        return hasColor && isAlarm ? `\x1b[31m${text}\x1b[39m` : text;
      })
      .join(GAP)
      .trimEnd();
  const below = (cells: readonly string[]) => {
    const given = cells.slice(beside).map((cell, at) => [headings[beside + at], cell] as const);
    const shown = given.filter(([, cell]) => cell !== '-' && cell !== '');
    return folded(
      shown.map(([heading, cell]) => `${heading}: ${cell}`),
      columns,
    );
  };
  return [aligned(headings), ...rows.flatMap((cells) => [aligned(cells), ...below(cells)])];
}

/** Texts beside each other on indented lines; one that is too long goes on below. */
function folded(texts: readonly string[], columns: number): readonly string[] {
  const lines: string[] = [];
  for (const text of texts) {
    const [first = '', ...words] = text.split(' ');
    const last = lines.at(-1);
    const isBeside = last !== undefined && `${last}${GAP}${text}`.length <= columns;
    let line = isBeside ? `${lines.pop()}${GAP}${first}` : `${GAP}${first}`;
    for (const word of words) {
      if (widthOf(`${line} ${word}`) <= columns) {
        line = `${line} ${word}`;
        continue;
      }
      lines.push(line);
      line = `${GAP}${GAP}${word}`;
    }
    lines.push(line);
  }
  return lines;
}

/** Such as 17.8 MB: powers of ten, as disks are sold and `ls -h --si` says. */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = power === 0 ? `${bytes}` : (bytes / 1_000 ** power).toFixed(1);
  return `${value} ${units[power]}`;
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
  return entries
    .map(([name, value]) => `${padded(name, width, 'end')}  ${shown(value)}`)
    .join('\n');
}

function shown(cell: Cell): string {
  return cell === null ? '-' : String(cell);
}
