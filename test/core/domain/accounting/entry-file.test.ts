// Files of entries: each form balances, and hostile names cannot change another line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  bookAccounts,
  entryAccounts,
  isAccountName,
} from '../../../../core/domain/accounting/account-name.js';
import {
  type EntryForm,
  entryForms,
  entryText,
} from '../../../../core/domain/accounting/entry-file.js';
import { sampleFile } from '../../../support/samples/entry-samples.js';

const written = (form: EntryForm) => entryText(form, sampleFile());

test('a journal has each posting with its lines, on the day of the books', () => {
  const [first = '', second = ''] = written('hledger').trimEnd().split('\n\n');
  assert.equal(
    first,
    [
      '2026-11-30 * (pst_1) pi_1 funds_received',
      '    Assets:Receivables  -1250.00 USD',
      '    Assets:Partner:Held  1250.00 USD',
    ].join('\n'),
  );
  assert.match(second, /^2026-11-30 \* \(pst_2\) inv_2 payout_paid\n/);
  assert.match(second, /\n {4}Assets:Bank {2}5405\.70 BRL$/);
  assert.equal(written('ledger'), written('hledger'), 'both programs read the same text');
});

test('a beancount file opens each account that it uses, and no other', () => {
  const text = written('beancount');
  const opened = [...text.matchAll(/^2026-11-30 open (\S+)$/gm)].map(([, name]) => name);
  assert.deepEqual(opened, [
    'Assets:Bank',
    'Assets:Partner:Held',
    'Assets:Receivables',
    'Equity:Conversion',
    'Expenses:PartnerFees',
  ]);
  assert.match(text, /^2026-11-30 \* "pi_1" "funds_received"\n {2}posting: "pst_1"\n/m);
});

test('a CSV file has one row for each line, with the same number of cells', () => {
  const rows = written('csv').trimEnd().split('\n');
  assert.equal(rows.length, 1 + 2 + 6);
  assert.deepEqual([...new Set(rows.map((row) => row.split(',').length))], [8]);
  assert.equal(
    rows[1],
    'pst_1,2026-11-30,pi_1,funds_received,buyer,Assets:Receivables,-1250.00,USD',
  );
});

test('the names of an organization are in each form, and Beancount has those that it reads', () => {
  const accounts = { ...bookAccounts, seller: '1.1.2.01', partner_float: 'Assets:Ponte' };
  for (const form of entryForms) {
    const text = entryText(form, sampleFile(accounts));
    assert.ok(text.includes('Assets:Ponte'), form);
    assert.equal(text.includes('1.1.2.01'), form !== 'beancount', form);
  }
  assert.ok(entryText('beancount', sampleFile(accounts)).includes('Assets:Bank'));
});

test('no name of an account ends its cell, its line, its word or its element', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'aB1:.-_ ,;"=<>&\n\té') }), (name) => {
      if (!isAccountName(name)) return;
      for (const form of entryForms) {
        const text = entryText(form, sampleFile({ ...bookAccounts, seller: name }));
        const plain = entryText(form, sampleFile({ ...bookAccounts, seller: 'Assets:Zzz' }));
        for (const break_ of [/\n/, /[,\s]+/, /</, /&/])
          assert.equal(text.split(break_).length, plain.split(break_).length, `${form}: ${name}`);
      }
    }),
    { numRuns: 2_000 },
  );
  for (const name of ['', 'a b', 'a,b', '=1', 'a;b', 'a\nb', ':a', 'a:', 'a::b', '"a"', 'a<b', 'é'])
    assert.equal(isAccountName(name), false, name);
  assert.ok(isAccountName('1.1.2.01'), 'numbers of a Brazilian chart of accounts');
});

test('no two accounts have one usual name', () => {
  for (const account of entryAccounts) assert.ok(isAccountName(bookAccounts[account]), account);
  assert.equal(new Set(Object.values(bookAccounts)).size, entryAccounts.length);
});
