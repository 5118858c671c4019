// The programs whose journals are written read them, where they are installed: hledger, ledger and
// beancount of Debian.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  bookAccounts,
  type EntryForm,
  entryFile,
  type SettlementEntry,
} from '../../../../core/domain/accounting/settlement-entry.js';
import { formatAmount, money } from '../../../../core/domain/base/money.js';
import { posting, transfer } from '../../../../core/domain/payments/ledger.js';

const START_MS = Date.parse('2026-11-01T00:00:00Z');
const timeZone = 'America/Sao_Paulo';

const entries: readonly SettlementEntry[] = Array.from({ length: 500 }, (_, index) => {
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

const brlMinor = entries
  .flatMap(({ lines }) => lines)
  .filter(({ account }) => account === 'seller')
  .reduce((sum, line) => sum + line.money.amountMinor, 0n);

const programs: readonly (readonly [EntryForm, command: string, args: readonly string[]])[] = [
  ['hledger', 'hledger', ['bal', 'Assets:Bank', '--flat', '-N', '-f']],
  ['ledger', 'ledger', ['bal', 'Assets:Bank', '--flat', '--no-total', '-f']],
  ['beancount', 'bean-check', []],
];

for (const [form, command, args] of programs) {
  test(`${command} reads the journal and has the balance of the ledger`, (t) => {
    const file = join(mkdtempSync(join(tmpdir(), 'ponte-entries-')), `${form}.txt`);
    writeFileSync(file, entryFile(entries, { form, timeZone, accounts: bookAccounts }));
    try {
      const text = execFileSync(command, [...args, file], { encoding: 'utf8' });
      // bean-check prints problems, and nothing if there is none.
      const expected = form === 'beancount' ? '' : `${formatAmount(brlMinor)} BRL  Assets:Bank`;
      assert.equal(text.trim(), expected);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      t.diagnostic(`${command} is not installed: it was not run`);
    }
  });
}
