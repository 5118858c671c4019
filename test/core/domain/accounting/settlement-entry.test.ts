// Files of entries: each form balances, and hostile names cannot change another line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  bookAccounts,
  type EntryForm,
  entryAccounts,
  entryFile,
  entryForms,
  entryOf,
  isBookAccount,
  type PaymentPosting,
} from '../../../../core/domain/accounting/settlement-entry.js';
import { money } from '../../../../core/domain/base/money.js';
import { posting, sumByCurrency, transfer } from '../../../../core/domain/payments/ledger.js';

/** 23:30 of 30 November in São Paulo. */
const AT_MS = Date.parse('2026-12-01T02:30:00Z');
const timeZone = 'America/Sao_Paulo';

const entries: readonly PaymentPosting[] = [
  {
    id: 'pst_1',
    subjectId: 'pi_1',
    atMs: AT_MS,
    ...posting('funds_received', transfer('buyer', 'partner_float', money(125_000n, 'USD'))),
  },
  {
    id: 'pst_2',
    subjectId: 'inv_2',
    atMs: AT_MS,
    ...posting('payout_paid', [
      ...transfer('partner_float', 'conversion', money(99_370n, 'USD')),
      ...transfer('partner_float', 'fees', money(630n, 'USD')),
      ...transfer('conversion', 'seller', money(540_570n, 'BRL')),
    ]),
  },
];

const written = (form: EntryForm) => entryFile(entries, { form, timeZone, accounts: bookAccounts });

test('a journal has each posting with its lines, on the day of the organization', () => {
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

test('what was converted is booked at the rate of the payee, and the rest is a difference', () => {
  const [received, payout] = entries;
  assert.ok(received !== undefined && payout !== undefined);
  assert.equal(entryOf(received, '5.00'), received, 'nothing is converted yet');
  assert.equal(entryOf(payout, null), payout);
  for (const [rate, differenceMinor] of [
    ['5.00', 540_570n - 496_850n],
    ['6.00', 540_570n - 596_220n],
  ] as const) {
    const { lines } = entryOf(payout, rate);
    assert.deepEqual(lines.slice(payout.lines.length), [
      { account: 'conversion', money: money(differenceMinor, 'BRL') },
      { account: 'exchange_difference', money: money(-differenceMinor, 'BRL') },
    ]);
    assert.equal(sumByCurrency(lines).get('BRL'), 0n);
    // A payout that comes back reverses each line.
    const back = payout.lines.map((line) => ({
      ...line,
      money: money(-line.money.amountMinor, line.money.currency),
    }));
    const reversed = entryOf({ ...payout, kind: 'payout_returned', lines: back }, rate);
    assert.deepEqual(reversed.lines.at(-1)?.money, money(differenceMinor, 'BRL'));
  }
});

test('every account of the ledger has a name that each form can write', () => {
  for (const form of entryForms)
    for (const account of entryAccounts)
      assert.ok(isBookAccount(form, bookAccounts[account]), `${account} in ${form}`);
  assert.equal(new Set(Object.values(bookAccounts)).size, entryAccounts.length);
});

test('no name of an account ends its cell, its line or its word', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'aB1:.-_ ,;"=\n\té') }), (name) => {
      for (const form of entryForms) {
        if (!isBookAccount(form, name)) continue;
        const text = entryFile(entries, {
          form,
          timeZone,
          accounts: { ...bookAccounts, seller: name },
        });
        const plain = entryFile(entries, {
          form,
          timeZone,
          accounts: { ...bookAccounts, seller: 'Assets:Zzz' },
        });
        assert.equal(text.split('\n').length, plain.split('\n').length, name);
        assert.equal(text.split(/[,\s]+/).length, plain.split(/[,\s]+/).length, name);
      }
    }),
    { numRuns: 2_000 },
  );
  for (const name of ['', 'a b', 'a,b', '=1', 'a;b', 'a\nb', ':a', 'a:', 'a::b', `"a"`])
    for (const form of entryForms) assert.equal(isBookAccount(form, name), false, name);
  assert.ok(isBookAccount('csv', '1.1.2.01'), 'numbers of a Brazilian chart of accounts');
  assert.equal(isBookAccount('beancount', '1.1.2.01'), false);
});
