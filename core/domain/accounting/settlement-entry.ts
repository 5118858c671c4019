// Entries for the books of an organization: one per posting of the ledger, line by line, so that
// they agree with it to the cent. Nothing is stored: an entry has the date of its posting and never
// changes. What is corrected later is an entry of a later period.
import { convert, money, parseRate } from '../base/money.js';
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

/** The sum of lines by account and currency, without zeros, in order. */
export function summedLines(lines: readonly EntryLine[]): readonly EntryLine[] {
  const sums = new Map<string, EntryLine>();
  for (const { account, money: of } of lines) {
    const name = `${account} ${of.currency}`;
    const amountMinor = (sums.get(name)?.money.amountMinor ?? 0n) + of.amountMinor;
    sums.set(name, { account, money: money(amountMinor, of.currency) });
  }
  return [...sums]
    .filter(([, line]) => line.money.amountMinor !== 0n)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, line]) => line);
}

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
