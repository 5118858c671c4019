// Postings of two payments, and the file of their entries.
import { bookAccounts } from '../../../core/domain/accounting/account-name.js';
import type { Accounting } from '../../../core/domain/accounting/accounting.js';
import type { EntryFile } from '../../../core/domain/accounting/entry-file.js';
import type { PaymentPosting } from '../../../core/domain/accounting/settlement-entry.js';
import { money } from '../../../core/domain/base/money.js';
import { posting, transfer } from '../../../core/domain/payments/ledger.js';
import { tenant } from './domain-samples.js';

const AT_MS = Date.parse('2026-12-01T02:30:00Z');

export const samplePostings: readonly PaymentPosting[] = [
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

/** Of a day of November in São Paulo. */
export function sampleFile(
  accounts: EntryFile['entries'][number]['accounts'] = bookAccounts,
  postings: readonly PaymentPosting[] = samplePostings,
): EntryFile {
  const day = '2026-11-30';
  return {
    entries: postings.map((entry) => ({ ...entry, day, month: '2026-11', accounts })),
    opening: [],
    accounts,
    fromDay: '2026-11-01',
    toDay: day,
    madeAtMs: AT_MS,
  };
}

/** A name, and a closed month. */
export function anAccounting(): Accounting {
  const closed = { month: '2026-11', untilMs: AT_MS, timeZone: 'UTC', closedAtMs: AT_MS };
  const balances = [
    { account: 'seller', money: money(540_570n, 'BRL') },
    { account: 'buyer', money: money(-125_000n, 'USD') },
  ] as const;
  const accounts = { seller: '1.1.2.01' };
  const names = { ...bookAccounts, ...accounts };
  const month = { ...closed, accounts: names, balances, summedTo: null };
  return { ...tenant, accounts, closed: [month], version: 1 };
}
