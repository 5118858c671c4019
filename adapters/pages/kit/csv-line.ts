// A line of a CSV file (RFC 4180) that no spreadsheet runs, whether it splits at commas, semicolons
// or tabs. A file for a spreadsheet is written as that of the reader's language reads it, and keeps
// what it would change.
import { parseInstant } from '../../../core/domain/base/instant.js';
import type { Locale } from '../../../core/domain/base/locale.js';
import { localTime } from '../../../core/domain/base/time-zone.js';
import { download, type PageAnswer } from './page-route.js';

/** Spreadsheets read UTF-8 as such if it begins with this. */
export const BYTE_ORDER_MARK = '\ufeff';

/**
 * What the cells of a column are: any text, a plain decimal (`-1234.50`), a day (YYYY-MM-DD), or an
 * instant as `formatInstant` writes it.
 */
export type CsvKind = 'text' | 'number' | 'day' | 'instant';

/** How a file is written. */
export interface CsvForm {
  readonly divider: ',' | ';';
  readonly write: Readonly<Record<CsvKind, (text: string) => string>>;
}

/** For programs: the same in every language and zone. */
export const plainCsv: CsvForm = {
  divider: ',',
  write: { text: (text) => guarded(text, ','), number: same, day: same, instant: same },
};

/** What a file begins with, and how its lines are written. */
export type CsvStyle = Readonly<{ begin: string; form: CsvForm }>;

export const programStyle: CsvStyle = { begin: '', form: plainCsv };

interface Reader {
  readonly locale: Locale;
  readonly hasDecimalPoint: boolean;
  /** Whose time instants are. */
  readonly timeZone: string;
}

/** Whether Excel in the reader's language expects one. */
export function hasDecimalComma({ locale, hasDecimalPoint }: Omit<Reader, 'timeZone'>): boolean {
  return locale === 'pt-BR' || (locale === 'es' && !hasDecimalPoint);
}

/** For Excel in the reader's language; a decimal comma needs semicolons between cells. */
export function spreadsheetCsv({ timeZone, ...reader }: Reader): CsvForm {
  const { locale } = reader;
  const isPoint = !hasDecimalComma(reader);
  const day = (text: string) =>
    locale === 'en' ? text : text.replace(/^(\d{4})-(\d\d)-(\d\d)/, '$3/$2/$1');
  const divider = isPoint ? ',' : ';';
  return {
    divider,
    write: {
      text: (text) => kept(text, divider),
      number: (text) => (isPoint ? text : text.replace('.', ',')),
      day,
      instant: (text) => {
        const atMs = parseInstant(text);
        return atMs === null ? text : day(localTime(timeZone, atMs));
      },
    },
  };
}

/** Cells without kinds are texts, as names of columns. */
export function csvLine(
  cells: readonly (string | null)[],
  { divider, write }: CsvForm = plainCsv,
  kinds: readonly CsvKind[] = [],
): string {
  const written = cells.map((cell, at) => {
    if (cell === null) return '';
    const kind = kinds[at] ?? 'text';
    // No other kind has a divider.
    return kind === 'text' ? quoted(write.text(cell)) : write[kind](cell);
  });
  return `${written.join(divider)}\r\n`;
}

function same(text: string): string {
  return text;
}

/**
 * Where a spreadsheet reads a formula: also a sign of double width, and, in one that splits at
 * another sign than the file does and takes the quotes of a cell as text, within a cell. The blanks
 * before a sign contain no separator, so that a run of separators is read once.
 */
const formulas = {
  ',': /(^|[;\t\r\n])([[\s--[\t\r\n]]"]*[=+\-@＝＋－＠])/gv,
  ';': /(^|[,;\t\r\n])([[\s--[\t\r\n]]"]*[=+\-@＝＋－＠])/gv,
} as const satisfies Readonly<Record<CsvForm['divider'], RegExp>>;
const firstBlank = /^(?=[\t\r\n])/;

function guarded(text: string, divider: CsvForm['divider']): string {
  return text.replace(formulas[divider], "$1'$2").replace(firstBlank, "'");
}

/** In the three languages. */
const month =
  '(?:jan|ene|fe[bv]|ma[riy]|abr|apr|ju[nl]|ago|aug|se[pt]|out|oct|nov|de[cz]|dic)' +
  String.raw`\p{L}{0,9}`;

/**
 * What Excel takes as a number, a day or a time and then shows otherwise: zeros at the beginning,
 * more than eleven digits (`1,23457E+11`), `1E5`, `3-12`, `1/2`, `12:30`, `mar 1`.
 */
const changed = [
  /^[0-9]{12,}$/,
  /^0[0-9]+$/,
  /^[0-9][0-9.,]*e[+-]?[0-9]+$/i,
  /^[0-9]+[.,][0-9]+$/,
  /^[0-9]{1,3}([.,])[0-9]{3}(?:\1[0-9]{3})*(?:[.,][0-9]+)?$/,
  /^[0-9]{1,4}[./:-][0-9]{1,2}(?:[./:-][0-9]{1,4})?$/,
  new RegExp(`^(?:[0-9]{1,2}[ /.-]?)?${month}[ /.-]?[0-9]{1,4}$`, 'iu'),
  new RegExp(`^[0-9]{1,2}[ /.-]?${month}$`, 'iu'),
];

/** As a formula that gives the text, which no other form keeps in Excel. */
function kept(text: string, divider: CsvForm['divider']): string {
  return changed.some((form) => form.test(text)) ? `="${text}"` : guarded(text, divider);
}

function quoted(text: string): string {
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A file with a header. */
export function csvFile(name: string, body: PageAnswer['body']): PageAnswer {
  return download(`${name}.csv`, 'text/csv; charset=utf-8; header=present', body);
}
