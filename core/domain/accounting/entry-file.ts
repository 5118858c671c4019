// Files of entries, one row of a table for each form. Journals and CSV have every line; statements
// (entry-statement.ts) have what happened on the accounts that are like those of a bank.
import { formatAmount } from '../base/money.js';
import { type BookAccounts, beancountName } from './account-name.js';
import type { BookedEntry } from './accounting.js';
import { camtLines, ofxLines } from './entry-statement.js';
import type { EntryLine } from './settlement-entry.js';

/** What a file is made of, in the order of the entries. */
export interface EntryFile {
  readonly entries: readonly BookedEntry[];
  /** The balances before them; empty in a form without balances. */
  readonly opening: readonly EntryLine[];
  /** The names of accounts on its last day. */
  readonly accounts: BookAccounts;
  /** Both included, YYYY-MM-DD. */
  readonly fromDay: string;
  readonly toDay: string;
  readonly madeAtMs: number;
}

interface Form {
  /** Ends the name of a file. */
  readonly extension: string;
  readonly contentType: string;
  /** What reads it, in the words of lists. */
  readonly label: string;
  /** It needs the balances before its own entries. */
  readonly hasBalances: boolean;
  readonly lines: (file: EntryFile) => readonly string[];
}

const journal = {
  contentType: 'text/plain',
  extension: 'journal',
  hasBalances: false,
  lines: journalLines,
} as const;

export const entryFiles = {
  csv: {
    label: 'CSV',
    extension: 'csv',
    contentType: 'text/csv',
    hasBalances: false,
    lines: csvLines,
  },
  hledger: { ...journal, label: 'hledger' },
  ledger: { ...journal, label: 'ledger' },
  beancount: {
    label: 'Beancount',
    extension: 'beancount',
    contentType: 'text/plain',
    hasBalances: false,
    lines: beancountLines,
  },
  ofx: {
    label: 'OFX',
    extension: 'ofx',
    contentType: 'application/x-ofx',
    hasBalances: true,
    lines: ofxLines,
  },
  'camt.053': {
    label: 'camt.053 (ISO 20022)',
    extension: 'xml',
    contentType: 'application/xml',
    hasBalances: true,
    lines: camtLines,
  },
} as const satisfies Readonly<Record<string, Form>>;

export type EntryForm = keyof typeof entryFiles;
export const entryForms = Object.keys(entryFiles) as readonly EntryForm[];

/** The text of the file, with an end of line after each line. */
export function entryText(form: EntryForm, file: EntryFile): string {
  const { lines }: Form = entryFiles[form];
  return lines(file)
    .map((line) => `${line}\n`)
    .join('');
}

/** The columns of the CSV file. */
export const entryColumns = [
  'entry',
  'day',
  'payment',
  'kind',
  'account',
  'name',
  'amount',
  'currency',
] as const;
type EntryColumn = (typeof entryColumns)[number];

/** One row for each line of an entry. No text in it can hold a comma, a quote or a formula. */
export function entryRows({
  entries,
}: Pick<EntryFile, 'entries'>): readonly Readonly<Record<EntryColumn, string>>[] {
  return entries.flatMap(({ id: entry, day, subjectId: payment, kind, lines, accounts }) =>
    lines.map(({ account, money: { amountMinor, currency } }) => {
      const name = accounts[account];
      const amount = formatAmount(amountMinor);
      return { entry, day, payment, kind, account, name, amount, currency };
    }),
  );
}

function csvLines(file: EntryFile): readonly string[] {
  const rows = entryRows(file).map((row) => entryColumns.map((column) => row[column]).join(','));
  return [entryColumns.join(','), ...rows];
}

/** hledger and ledger read the same journal. */
function journalLines({ entries }: EntryFile): readonly string[] {
  return entries.flatMap(({ id, day, subjectId, kind, lines, accounts }) => [
    `${day} * (${id}) ${subjectId} ${kind}`,
    ...lines.map(({ account, money }) => amountLine(accounts[account], money)),
    '',
  ]);
}

function beancountLines({ entries }: EntryFile): readonly string[] {
  const names = entries.flatMap(({ lines, accounts }) =>
    lines.map(({ account }) => beancountName(accounts, account)),
  );
  const [first] = entries;
  const opened = [...new Set(names)].sort().map((name) => `${first?.day} open ${name}`);
  const booked = entries.flatMap(({ id, day, subjectId, kind, lines, accounts }) => [
    `${day} * "${subjectId}" "${kind}"`,
    `  posting: "${id}"`,
    ...lines.map(({ account, money }) => amountLine(beancountName(accounts, account), money)),
    '',
  ]);
  return first === undefined ? [] : [...opened, '', ...booked];
}

function amountLine(
  name: string,
  { amountMinor, currency }: { readonly amountMinor: bigint; readonly currency: string },
): string {
  return `    ${name}  ${formatAmount(amountMinor)} ${currency}`;
}
