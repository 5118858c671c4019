// Programs that others wrote read the files, where they are installed: hledger, ledger, beancount
// and ofxdump of Debian (the package ofx), and for camt.053 iso20022.js of npm (global). xmllint
// (libxml2-utils) asks the schema of ISO 20022, where CAMT_XSD names its file, and onsgmls (opensp)
// the document type of OFX that libofx brings.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { bookAccounts } from '../../../../core/domain/accounting/account-name.js';
import {
  type EntryFile,
  type EntryForm,
  entryText,
} from '../../../../core/domain/accounting/entry-file.js';
import { statementsOf } from '../../../../core/domain/accounting/entry-statement.js';
import type { PaymentPosting } from '../../../../core/domain/accounting/settlement-entry.js';
import { formatAmount, money } from '../../../../core/domain/base/money.js';
import { posting, transfer } from '../../../../core/domain/payments/ledger.js';
import { sampleFile } from '../../../support/samples/entry-samples.js';

const START_MS = Date.parse('2026-11-01T00:00:00Z');

const postings: readonly PaymentPosting[] = Array.from({ length: 500 }, (_, index) => {
  const amountMinor = BigInt(1_000 + ((index * 7_919) % 900_000));
  const currency = ['USD', 'EUR', 'GBP'][index % 3] ?? 'USD';
  const amount = money(amountMinor, currency);
  const [about, atMs] = [{ subjectId: `pi_${index}` }, START_MS + index * 3_600_000];
  const brl = money(amountMinor * 5n + 7n, 'BRL');
  return [
    {
      ...about,
      ...posting('funds_received', transfer('buyer', 'partner_float', amount)),
      id: `pst_${index}a`,
      atMs,
    },
    {
      ...about,
      ...posting('payout_paid', [
        ...transfer('partner_float', 'conversion', amount),
        ...transfer('conversion', 'seller', brl),
      ]),
      id: `pst_${index}b`,
      atMs,
    },
  ];
}).flat();

const file: EntryFile = sampleFile(bookAccounts, postings);

const brlMinor = postings
  .flatMap(({ lines }) => lines)
  .filter(({ account }) => account === 'seller')
  .reduce((sum, line) => sum + line.money.amountMinor, 0n);

function written(form: EntryForm): string {
  const path = join(mkdtempSync(join(tmpdir(), 'ponte-entries-')), `file.${form}`);
  writeFileSync(path, entryText(form, file));
  return path;
}

/** Null where it is not installed. */
function printed(t: TestContext, command: string, args: readonly string[]): string | null {
  try {
    return execFileSync(command, args, { encoding: 'utf8', maxBuffer: 100_000_000 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    t.diagnostic(`${command} is not installed: it was not run`);
    return null;
  }
}

const programs: readonly (readonly [EntryForm, command: string, args: readonly string[]])[] = [
  ['hledger', 'hledger', ['bal', 'Assets:Bank', '--flat', '-N', '-f']],
  ['ledger', 'ledger', ['bal', 'Assets:Bank', '--flat', '--no-total', '-f']],
  ['beancount', 'bean-check', []],
];

for (const [form, command, args] of programs) {
  test(`${command} reads the journal and has the balance of the ledger`, (t) => {
    const text = printed(t, command, [...args, written(form)]);
    // bean-check prints problems, and nothing if there is none.
    const expected = form === 'beancount' ? '' : `${formatAmount(brlMinor)} BRL  Assets:Bank`;
    if (text !== null) assert.equal(text.trim(), expected);
  });
}

test('ofxdump reads each statement with its movements and balance', (t) => {
  const text = printed(t, 'ofxdump', [written('ofx')]);
  if (text === null) return;
  const all = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, value]) => value ?? '');
  const statements = statementsOf(file);
  assert.deepEqual(
    all(/Ledger balance: *(-?[0-9.]+)/g),
    statements.map(({ closingMinor }) => formatAmount(closingMinor)),
  );
  assert.deepEqual(
    all(/Total money amount: *(-?[0-9.]+)/g).toSorted(),
    statements
      .flatMap(({ movements }) => movements.map(({ amountMinor }) => formatAmount(amountMinor)))
      .toSorted(),
  );
});

test('camt.053 is valid by the schema of ISO 20022', (t) => {
  const schema = process.env['CAMT_XSD'];
  if (schema === undefined) return t.diagnostic('CAMT_XSD names no file: no schema was asked');
  // A fault ends it with a code, which throws.
  const text = printed(t, 'xmllint', ['--noout', '--schema', schema, written('camt.053')]);
  assert.ok(text === null || text.trim() === '');
});

test('OFX is valid by its document type', (t) => {
  const folder = '/usr/share/libofx7/libofx/dtd';
  if (!existsSync(folder)) return t.diagnostic('libofx7 is not installed: no type was asked');
  const read = (path: string) => readFileSync(path, 'latin1');
  // The header is no SGML.
  const body = read(written('ofx')).split('\n\n').slice(1).join('\n\n');
  const path = written('ofx');
  writeFileSync(path, `${read(`${folder}/opensp.dcl`)}${read(`${folder}/ofx160.dtd`)}${body}`);
  const text = printed(t, 'onsgmls', ['-s', path]);
  assert.ok(text === null || text.trim() === '');
});

interface CamtStatement {
  readonly balances: readonly { readonly amount: number; readonly type: string }[];
  readonly entries: readonly unknown[];
}

test('iso20022.js reads each statement of camt.053 with its entries and balances', async (t) => {
  const root = printed(t, 'npm', ['root', '--global'])?.trim() ?? '';
  const path = pathToFileURL(join(root, 'iso20022.js', 'dist', 'index.mjs')).href;
  const library = await import(path).catch(() => null);
  if (library === null) return t.diagnostic('iso20022.js is not installed: it was not run');
  const read = library.CashManagementEndOfDayReport.fromXML(entryText('camt.053', file));
  const found: readonly CamtStatement[] = read.statements;
  assert.deepEqual(
    found.map(({ balances, entries }) => [balances.map(({ amount }) => amount), entries.length]),
    statementsOf(file).map(({ openingMinor, closingMinor, movements }) => [
      [Number(openingMinor), Number(closingMinor)],
      movements.length,
    ]),
  );
});
