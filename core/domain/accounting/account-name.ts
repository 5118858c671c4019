// The names of the accounts of entries: one table of usual ones, and the form of those that an
// organization gives.
import type { EntryAccount } from './settlement-entry.js';

/**
 * The name of each account of the ledger in the books of an organization. A positive amount is a
 * debit. The names are valid in hledger, ledger and beancount. The operator of the service bears
 * `losses`, so they are no expense here. Deposits alone use `suspense` and `adjustments`.
 */
export const bookAccounts = {
  exchange_difference: 'Income:ExchangeDifference',
  buyer: 'Assets:Receivables',
  partner_float: 'Assets:Partner:Held',
  refunds: 'Assets:Partner:Refunds',
  suspense: 'Assets:Partner:Suspense',
  adjustments: 'Assets:Partner:Adjustments',
  seller: 'Assets:Bank',
  operator: 'Liabilities:Operator:PaidByHand',
  losses: 'Liabilities:Operator:Losses',
  write_offs: 'Liabilities:Operator:WriteOffs',
  conversion: 'Equity:Conversion',
  fees: 'Expenses:PartnerFees',
} as const satisfies Record<EntryAccount, string>;

export const entryAccounts = Object.keys(bookAccounts) as readonly EntryAccount[];

export type BookAccounts = Readonly<Record<EntryAccount, string>>;

/** A code of a chart of accounts, or words divided by colons: one word for every program. */
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]*(:[A-Za-z0-9][A-Za-z0-9._-]*)*$/;
const beancountForm = /^(Assets|Liabilities|Equity|Income|Expenses)(:[A-Z0-9][A-Za-z0-9-]*)+$/;
export const ACCOUNT_NAME_LENGTH_MAX = 100;

export function isAccountName(name: string): boolean {
  return name.length <= ACCOUNT_NAME_LENGTH_MAX && nameForm.test(name);
}

/** Beancount knows no other names: for it, an account without such a name has its usual one. */
export function beancountName(accounts: BookAccounts, account: EntryAccount): string {
  const name = accounts[account];
  return beancountForm.test(name) ? name : bookAccounts[account];
}
