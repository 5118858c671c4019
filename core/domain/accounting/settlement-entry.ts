// Entries for the books of an organization: one per posting of the ledger, line by line, so that
// they agree with it to the cent. Nothing is stored: an entry has the date of its posting and never
// changes. What is corrected later is an entry of a later period.
import { convert, formatAmount, money, parseRate } from '../base/money.js';
import { dayOf } from '../base/time-zone.js';
import { PAYOUT_CURRENCY } from '../payments/funds.js';
import type { LedgerAccount, LedgerLine, StoredPosting } from '../payments/ledger.js';

/** An account of the ledger, or the difference of the BRL to those that the payee had booked. */
export type EntryAccount = LedgerAccount | 'exchange_difference';

export interface EntryLine extends Pick<LedgerLine, 'money'> {
  readonly account: EntryAccount;
}

/** A posting about a payment. */
export interface PaymentPosting extends StoredPosting {
  readonly subjectId: string;
}

export interface SettlementEntry extends Omit<PaymentPosting, 'lines'> {
  readonly lines: readonly EntryLine[];
}

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

/** Only a posting with BRL has an exchange difference. */
export function isExchange({ lines }: StoredPosting): boolean {
  return lines.some(({ account, money: { currency } }) => {
    return account === 'conversion' && currency === PAYOUT_CURRENCY;
  });
}

/**
 * The entry of a posting. With the rate at which the payee booked the amount, what was converted
 * has that rate, rounded half to even. The rest of the BRL is a difference; a gain is negative. A
 * payout that comes back reverses it.
 */
export function entryOf(posting: PaymentPosting, bookedRate: string | null): SettlementEntry {
  const rate = bookedRate === null ? null : parseRate(bookedRate);
  if (rate === null || !isExchange(posting)) return posting;
  let differenceMinor = 0n;
  for (const { account, money: of } of posting.lines) {
    if (account !== 'conversion') continue;
    const isPaid = of.currency === PAYOUT_CURRENCY;
    const brl = isPaid ? of : convert(of, rate, PAYOUT_CURRENCY, 'half-even');
    differenceMinor -= brl.amountMinor;
  }
  if (differenceMinor === 0n) return posting;
  const added: readonly EntryLine[] = [
    { account: 'conversion', money: money(differenceMinor, PAYOUT_CURRENCY) },
    { account: 'exchange_difference', money: money(-differenceMinor, PAYOUT_CURRENCY) },
  ];
  return Object.freeze({ ...posting, lines: [...posting.lines, ...added] });
}

/** hledger and ledger read the same journal. */
export const entryForms = ['csv', 'hledger', 'ledger', 'beancount'] as const;
export type EntryForm = (typeof entryForms)[number];

/** A name that each of the forms but beancount reads as one word. */
const accountForm = /^[A-Za-z0-9][A-Za-z0-9._-]*(:[A-Za-z0-9][A-Za-z0-9._-]*)*$/;
const beancountForm = /^(Assets|Liabilities|Equity|Income|Expenses)(:[A-Z0-9][A-Za-z0-9-]*)+$/;
const ACCOUNT_LENGTH_MAX = 100;

/** Whether a file of this form can name the account so. */
export function isBookAccount(form: EntryForm, name: string): boolean {
  const pattern = form === 'beancount' ? beancountForm : accountForm;
  return name.length <= ACCOUNT_LENGTH_MAX && pattern.test(name);
}

/** How a file is written; its days are those of the time zone. */
export interface EntryFile {
  readonly form: EntryForm;
  readonly timeZone: string;
  readonly accounts: BookAccounts;
}

/** The file of these entries, with an end of line after each line. */
export function entryFile(entries: readonly SettlementEntry[], file: EntryFile): string {
  const write = file.form === 'csv' ? csvLines : journalLines;
  const lines = [...headOf(entries, file), ...entries.flatMap((entry) => write(entry, file))];
  return lines.map((line) => `${line}\n`).join('');
}

function headOf(
  entries: readonly SettlementEntry[],
  { form, timeZone, accounts }: EntryFile,
): readonly string[] {
  if (form === 'csv') return ['entry,day,payment,kind,account,name,amount,currency'];
  const [first] = entries;
  if (form !== 'beancount' || first === undefined) return [];
  const used = new Set(entries.flatMap(({ lines }) => lines.map((line) => accounts[line.account])));
  const day = dayOf(timeZone, first.atMs);
  return [...[...used].sort().map((name) => `${day} open ${name}`), ''];
}

/** No text in it can hold a comma, a quote or a formula. */
function csvLines(entry: SettlementEntry, { timeZone, accounts }: EntryFile): readonly string[] {
  const { id, atMs, subjectId, kind } = entry;
  return entry.lines.map(({ account, money: { amountMinor, currency } }) =>
    [
      id,
      dayOf(timeZone, atMs),
      subjectId,
      kind,
      account,
      accounts[account],
      formatAmount(amountMinor),
      currency,
    ].join(','),
  );
}

function journalLines(
  { id, atMs, subjectId, kind, lines }: SettlementEntry,
  { form, timeZone, accounts }: EntryFile,
): readonly string[] {
  const day = dayOf(timeZone, atMs);
  const head =
    form === 'beancount'
      ? [`${day} * "${subjectId}" "${kind}"`, `  posting: "${id}"`]
      : [`${day} * (${id}) ${subjectId} ${kind}`];
  const amounts = lines.map(({ account, money: { amountMinor, currency } }) => {
    return `    ${accounts[account]}  ${formatAmount(amountMinor)} ${currency}`;
  });
  return [...head, ...amounts, ''];
}
