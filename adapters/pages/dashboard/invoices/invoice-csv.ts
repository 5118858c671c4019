// Reads a CSV file of invoices as accountants have it: one invoice a line, commas, semicolons or
// tabs. What has two meanings is a fault, unless the member says how the file is written. So is a
// value that a spreadsheet has changed.
import { CsvError, type InfoRecord, parse } from 'csv-parse/sync';
import { isCalendarDate } from '../../../../core/domain/base/instant.js';
import { type Locale, localeOf } from '../../../../core/domain/base/locale.js';
import {
  formatAmount,
  hasOtherGroups,
  parseTypedAmount,
} from '../../../../core/domain/base/money.js';
import { hasUnstorableText } from '../../../../core/domain/base/raw-json.js';
import { recordOf } from '../../../../core/domain/base/record-of.js';
import { plainSigns } from '../../../../core/domain/base/typed-text.js';
import { type CsvKind, csvLine, spreadsheetCsv } from '../../kit/csv-line.js';
import type { DashboardTexts } from '../texts/dashboard-en.js';
import { type CellKind, lossOf } from './spreadsheet-losses.js';
import { faultsIn, type TypedField, type TypedInvoice, typedFields } from './typed-invoice.js';

/** Invoices of one file: their creates share the time limit of a request. */
export const IMPORT_LINES_MAX = 200;
/** Characters of a file: more than 200 lines have with notes of usual length. */
export const IMPORT_TEXT_MAX = 100_000;
const EXTERNAL_ID_MAX = 200;

interface ColumnRule {
  readonly kind: CellKind;
  /** The field of the form; null for none. */
  readonly field: TypedField | 'item0' | 'amount0' | null;
  /** In the file to begin with. */
  readonly example: string;
}

/** The names are those of the API and of the export. */
export const importColumns = {
  'buyer.email': { kind: 'text', field: 'email', example: 'accounts@buyer.example' },
  'buyer.name': { kind: 'text', field: 'name', example: 'Example Buyer Inc.' },
  amount: { kind: 'amount', field: 'amount0', example: '1250.00' },
  currency: { kind: 'text', field: 'currency', example: 'USD' },
  description: { kind: 'text', field: 'item0', example: 'Green coffee, lot 26/311' },
  number: { kind: 'id', field: 'number', example: 'EXAMPLE-1' },
  dueDate: { kind: 'day', field: 'due', example: '2030-01-31' },
  sellerExternalId: { kind: 'id', field: 'seller', example: '' },
  externalId: { kind: 'id', field: null, example: '' },
  locale: { kind: 'text', field: null, example: '' },
  notes: { kind: 'text', field: 'notes', example: '' },
  purchaseOrder: { kind: 'id', field: 'purchaseOrder', example: 'PO-4711' },
  'buyer.country': { kind: 'text', field: 'country', example: 'US' },
  purpose: { kind: 'text', field: 'purpose', example: 'goods' },
  sellerTaxId: { kind: 'id', field: 'taxId', example: '' },
  taxes: { kind: 'text', field: 'taxes', example: '' },
  payerRelation: { kind: 'text', field: 'payerRelation', example: 'unrelated' },
  bookedRate: { kind: 'text', field: 'bookedRate', example: '' },
  'fiscalDocument.key': { kind: 'id', field: 'fiscalKey', example: '' },
} as const satisfies Readonly<Record<string, ColumnRule>>;
export type ImportColumn = keyof typeof importColumns;
const columns = Object.keys(importColumns) as readonly ImportColumn[];
/** Every file has them. */
export const neededColumns: readonly ImportColumn[] = ['buyer.email', 'amount', 'description'];

/** How a file writes amounts and days, with an example of each. */
export const writings = {
  /** Refuses what has two meanings. */
  plain: { rule: null, amount: '1250.00', day: '2030-12-31' },
  brazilian: { rule: { decimal: ',', dayFirst: true }, amount: '1.250,00', day: '31/12/2030' },
  american: { rule: { decimal: '.', dayFirst: false }, amount: '1,250.00', day: '12/31/2030' },
  british: { rule: { decimal: '.', dayFirst: true }, amount: '1,250.00', day: '31/12/2030' },
} as const;
export type Writing = keyof typeof writings;

export type ImportedLine = ReturnType<typeof lineOf>;

export interface LineFault {
  /** Null: the line as such. */
  readonly column: ImportColumn | null;
  readonly text: string;
}

/** Why nothing of the file can be read; else its lines. */
export type ImportedFile =
  | { readonly fault: string; readonly lines?: never }
  | { readonly fault: null; readonly lines: readonly ImportedLine[] };

type Words = Pick<DashboardTexts, 'invoice' | 'invoiceImport'>;

/** The text of a file, and whether it was taken as that of old programs of Windows. */
export type DecodedFile = Readonly<{ text: string; isWindows1252: boolean }>;

/**
 * UTF-16 with its mark is the "Unicode text" of Excel, Windows-1252 the "CSV" of a Brazilian one.
 * Null for bytes that are no text, such as those of a workbook.
 */
export function textOfFile(bytes: Uint8Array): DecodedFile | null {
  const [first, second] = bytes;
  const utf16 = { 65534: 'utf-16le', 65279: 'utf-16be' }[((first ?? 0) << 8) | (second ?? 0)];
  const encodings = utf16 === undefined ? ['utf-8', 'windows-1252'] : [utf16];
  for (const encoding of encodings) {
    const read = decoded(bytes, encoding);
    if (read === null) continue;
    const text = read.endsWith(END_OF_FILE) ? read.slice(0, -1) : read;
    // Windows-1252 leaves some bytes free, which become control characters.
    return controls.test(text) ? null : { text, isWindows1252: encoding === 'windows-1252' };
  }
  return null;
}

/** Old ERPs write it after the last line, as DOS did. */
const END_OF_FILE = '\u{1a}';

const controls = /[\p{Cc}--[\t\n\f\r]]/v;

function decoded(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The same for a file and for a paste of it: line ends and byte order marks do not count. */
export function plainCsv(text: string): string {
  return text
    .replace(/^\ufeff+/, '')
    .replaceAll(/\r\n?/g, '\n')
    .trimEnd();
}

/** `text` is `plainCsv`; `locale` is the language of the mail of a line that names none. */
export function readInvoices(
  words: Words,
  text: string,
  writing: Writing,
  locale: Locale,
): ImportedFile {
  const { faults } = words.invoiceImport;
  if (text === '') return { fault: faults.empty };
  if (text.length > IMPORT_TEXT_MAX) return { fault: faults.tooLong(IMPORT_LINES_MAX) };
  if (hasUnstorableText(text)) return { fault: faults.encoding };
  const found = recordsOf(faults, text);
  if (typeof found === 'string') return { fault: found };
  const [header, ...records] = found;
  if (header === undefined) return { fault: faults.empty };
  const names = headerOf(faults, header.cells);
  if (typeof names === 'string') return { fault: names };
  if (records.length === 0) return { fault: faults.noLine };
  if (records.length > IMPORT_LINES_MAX) return { fault: faults.tooLong(IMPORT_LINES_MAX) };
  const lines = records.map((record) => lineOf(words, names, record, writing, locale));
  return { fault: null, lines: withDoubles(faults, lines) };
}

type Faults = Words['invoiceImport']['faults'];

type CsvRecord = Readonly<{ line: number; cells: readonly string[] }>;

/** A sentence if the text is no CSV. */
function recordsOf(faults: Faults, text: string): readonly CsvRecord[] | string {
  const { delimiter, table } = delimited(text);
  try {
    const found = parse(table, {
      delimiter,
      info: true,
      raw: true,
      record_delimiter: '\n',
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      trim: true,
      to: IMPORT_LINES_MAX + 2,
    }) as unknown as readonly ParsedRecord[];
    return found.map(({ info, raw, record }) => ({ line: firstLine(info, raw), cells: record }));
  } catch (error) {
    if (error instanceof CsvError) return faults.quotes(Number(error['lines'] ?? 1));
    throw error;
  }
}

/** `sep=;` in the first line is for Excel, which may quote the line or add empty cells. */
const separatorLine = /^\s*"?sep=(?<delimiter>[^\n"\p{L}\p{N}])"?[;,\t]*(?=\n|$)/iu;

function delimited(text: string): { readonly delimiter: string; readonly table: string } {
  const [line, said] = separatorLine.exec(text) ?? [];
  // The line feed stays, so that lines have the numbers of the file.
  if (line !== undefined && said !== undefined) {
    return { delimiter: said, table: text.slice(line.length) };
  }
  const [first = ''] = text.trimStart().split('\n', 1);
  // No name of a column has one of them.
  return { delimiter: [';', '\t', '|'].find((one) => first.includes(one)) ?? ',', table: text };
}

interface ParsedRecord {
  readonly info: Pick<InfoRecord, 'lines'>;
  readonly raw: string;
  readonly record: readonly string[];
}

/** The parser counts to the end of a record, which may have several lines. */
function firstLine({ lines }: ParsedRecord['info'], raw: string): number {
  return lines - (raw.trim().split('\n').length - 1);
}

/** The column of each cell, or a sentence. */
function headerOf(
  faults: Faults,
  cells: readonly string[],
): readonly (ImportColumn | null)[] | string {
  const names = cells.map((cell) => {
    const known = columns.find((column) => bareName(column) === bareName(cell));
    return { cell, column: known ?? null };
  });
  const unknown = names.find(({ cell, column }) => column === null && bareName(cell) !== '');
  if (unknown !== undefined) return faults.unknownColumn(unknown.cell.slice(0, 40));
  const found = names.flatMap(({ column }) => column ?? []);
  const double = found.find((column, at) => found.indexOf(column) !== at);
  if (double !== undefined) return faults.doubleColumn(double);
  const missing = neededColumns.find((column) => !found.includes(column));
  if (missing !== undefined) return faults.missingColumn(missing);
  return names.map(({ column }) => column);
}

/** `Buyer E-mail` and `buyer_email` are `buyer.email`. */
function bareName(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

function lineOf(
  words: Words,
  names: readonly (ImportColumn | null)[],
  { line, cells }: CsvRecord,
  writing: Writing,
  locale: Locale,
) {
  const { faults } = words.invoiceImport;
  const cell = (column: ImportColumn) => unwrapped(cells[names.indexOf(column)] ?? '');
  const amount = readAmount(cell('amount'), writing);
  const due = readDay(cell('dueDate'), writing);
  const mailed = cell('locale') === '' ? locale : localeOf(cell('locale'));
  const currency = cell('currency') === '' ? 'USD' : cell('currency').toUpperCase();
  const externalId = cell('externalId');
  const typed: TypedInvoice = {
    ...recordOf(typedFields, (field) =>
      columnOf[field] === undefined ? '' : cell(columnOf[field]),
    ),
    // A paste from a web page has signs that nobody sees.
    email: cell('buyer.email').replaceAll(/\p{Cf}/gu, ''),
    locale: mailed ?? locale,
    due: due === null || due === 'unclear' ? '' : due,
    currency,
    country: cell('buyer.country').toUpperCase(),
    purpose: cell('purpose').toLowerCase(),
    payerRelation: cell('payerRelation').toLowerCase(),
    lines: [
      {
        item: cell('description'),
        quantity: '',
        amount: typeof amount === 'bigint' ? formatAmount(amount) : '',
      },
    ],
  };
  const isExtra = cells.some((text, at) => text !== '' && (names[at] ?? null) === null);
  const fault = (column: ImportColumn | null, isFault: boolean, text: string) =>
    isFault ? [{ column, text }] : [];
  const lost = columns.flatMap((column) => {
    const loss = lossOf(plainSigns(cell(column)).trim(), importColumns[column].kind);
    return loss === null ? [] : [{ column, text: faults.losses[loss](cell(column).slice(0, 60)) }];
  });
  const { amount: amountLike, day: dayLike } = writings[writing];
  const ownFaults = [
    ...fault(null, isExtra, faults.cells),
    ...lost,
    ...fault('description', cell('description') === '', words.invoice.faults.item),
    ...fault('amount', amount === 'unclear', faults.amountUnclear(cell('amount'))),
    ...fault(
      'amount',
      amount === null,
      hasOtherGroups(cell('amount')) ? words.invoice.faults.groups : faults.amount(amountLike),
    ),
    ...fault('dueDate', due === null, faults.day(dayLike)),
    ...fault('dueDate', due === 'unclear', faults.dayUnclear(cell('dueDate'))),
    ...fault('currency', !/^[A-Z]{3}$/.test(currency), faults.currency),
    ...fault('locale', mailed === null, faults.locale),
    ...fault('externalId', [...externalId].length > EXTERNAL_ID_MAX, faults.externalId),
  ];
  const ofForm = faultsIn(words.invoice, typed).map(({ field, text }) => ({
    column: columnOf[field] ?? null,
    text,
  }));
  // One for each column: the first says most.
  const all = [...ownFaults, ...ofForm].filter(
    ({ column }, at, list) => list.findIndex((one) => one.column === column) === at,
  );
  return { line, typed, externalId: externalId === '' ? null : externalId, faults: all };
}

/** An id as a CSV file for Excel writes it, so that it stays text: `="0012"`. */
function unwrapped(text: string): string {
  return /^="([^"]*)"$/.exec(text)?.[1] ?? text;
}

/** The column of a field of the form. */
export const columnOf: Readonly<Record<string, ImportColumn>> = Object.fromEntries(
  columns.flatMap((column) => {
    const { field } = importColumns[column];
    return field === null ? [] : [[field, column]];
  }),
);

/** An externalId names one invoice. */
function withDoubles(faults: Faults, lines: readonly ImportedLine[]): readonly ImportedLine[] {
  const firsts = new Map<string, number>();
  return lines.map((one) => {
    const { externalId, line } = one;
    if (externalId === null) return one;
    const first = firsts.get(externalId);
    if (first === undefined) {
      firsts.set(externalId, line);
      return one;
    }
    const double = { column: 'externalId', text: faults.double(first) } as const;
    return { ...one, faults: [...one.faults, double] };
  });
}

/** '1,234' is a thousand in one country and a little more than one in another. */
function readAmount(cell: string, writing: Writing): bigint | 'unclear' | null {
  const text = plainSigns(cell).trim();
  const amountMinor = parseTypedAmount(text);
  if (amountMinor === null || amountMinor === 0n) return null;
  const { rule } = writings[writing];
  const [, decimal] = /([.,])[0-9]{1,2}$/.exec(text) ?? [];
  const [, group] = /([.,])[0-9]{3}(?![0-9])/.exec(text) ?? [];
  if (rule !== null) {
    const isOther = (decimal ?? rule.decimal) !== rule.decimal || group === rule.decimal;
    return isOther ? null : amountMinor;
  }
  return /^[0-9]{1,3}[.,][0-9]{3}$/.test(text) ? 'unclear' : amountMinor;
}

/** As year-month-day, empty for no day; null if the text is no day. */
function readDay(cell: string, writing: Writing): string | null {
  // The cell of a day has midnight as its time in many exports.
  const plain = plainSigns(cell)
    .trim()
    .replace(/[ T]00:00(?::00(?:\.0+)?)?Z?$/, '');
  if (plain === '' || isCalendarDate(plain)) return plain;
  const [, one = '', sign, other = '', year] =
    /^([0-9]{1,2})([/.-])([0-9]{1,2})\2([0-9]{4})$/.exec(plain) ?? [];
  if (sign === undefined) return null;
  const day = (month: string, dayOfMonth: string) => {
    const found = `${year}-${month.padStart(2, '0')}-${dayOfMonth.padStart(2, '0')}`;
    return isCalendarDate(found) ? found : null;
  };
  const [dayFirst, monthFirst] = [day(other, one), day(one, other)];
  const { rule } = writings[writing];
  if (rule !== null) return rule.dayFirst ? dayFirst : monthFirst;
  if (dayFirst !== null && monthFirst !== null && dayFirst !== monthFirst) return 'unclear';
  return dayFirst ?? monthFirst;
}

/** A file to begin with, as spreadsheets of the language open it. */
export function importTemplate(locale: Locale): string {
  const form = spreadsheetCsv({ locale, hasDecimalPoint: false, timeZone: 'UTC' });
  const kinds = columns.map((column) => cellKinds[importColumns[column].kind]);
  return `${csvLine(columns, form)}${csvLine(
    columns.map((column) => (column === 'locale' ? locale : importColumns[column].example)),
    form,
    kinds,
  )}`;
}

const cellKinds = {
  amount: 'number',
  day: 'day',
  id: 'text',
  text: 'text',
} as const satisfies Record<CellKind, CsvKind>;
