// Checks that the ledger, the funds and the commands to the partner agree for each payment, and
// that the postings of each receipt follow from its state. Rows are read page by page while the
// service runs; one that changes during its read is read again.
import type { Money } from '../../domain/base/money.js';
import { tenantOf } from '../../domain/base/tenant.js';
import type { MoneyCommand } from '../../domain/commands/partner-command.js';
import {
  type Receipt,
  type ReceiptPosting,
  receiptAccounts,
  receiptBalances,
} from '../../domain/deposits/receipt.js';
import {
  balanceName,
  balancesOf,
  type Funds,
  fundsAmounts,
  fundsOf,
  heldMinor,
  sumsOf,
} from '../../domain/payments/funds.js';
import type { StoredPosting } from '../../domain/payments/ledger.js';
import type { Payment } from '../../domain/payments/payment.js';
import { assert } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';

const ROWS_PER_PAGE = 100;

/** In minor units of `currency`. */
export interface LedgerDifference {
  /** A payment or a receipt. */
  readonly subjectId: string;
  /** An account of the ledger, or an amount of the funds. */
  readonly what: string;
  readonly currency: string;
  readonly expectedMinor: bigint;
  readonly foundMinor: bigint;
}

/** What was compared. */
export interface LedgerCounts {
  readonly payments: number;
  readonly receipts: number;
  /** Lines of postings. */
  readonly lines: number;
  /** Accounts of each currency that have a line. */
  readonly accounts: number;
}

/** At most `max` differences. */
export async function findDifferences(
  deps: Pick<Deps, 'store'>,
  max: number,
): Promise<readonly LedgerDifference[]> {
  return (await checkLedger(deps, max)).differences;
}

/** At most `max` differences, with what was compared until then. */
export async function checkLedger(
  { store }: Pick<Deps, 'store'>,
  max: number,
): Promise<{ readonly differences: readonly LedgerDifference[]; readonly counts: LedgerCounts }> {
  const found: LedgerDifference[] = [];
  const tally = new Tally();
  for (let last: Funds | null = null; found.length < max; ) {
    const after: Funds | null = last;
    const page: readonly Funds[] = await store.run((tx) => tx.funds.page(after, ROWS_PER_PAGE));
    const checked = await Promise.all(page.map((funds) => checkPayment(store, funds, tally)));
    found.push(...checked.flat());
    tally.payments += page.length;
    last = page.at(-1) ?? null;
    if (last === null) break;
  }
  for (let after = ''; found.length < max; ) {
    const id = after;
    const page = await store.run((tx) => tx.receipts.after(id, ROWS_PER_PAGE));
    const checked = await Promise.all(page.map(({ id: its }) => checkReceipt(store, its, tally)));
    found.push(...checked.flat());
    tally.receipts += page.length;
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  return { differences: found.slice(0, max), counts: tally.counts() };
}

class Tally {
  payments = 0;
  receipts = 0;
  #lines = 0;
  readonly #accounts = new Set<string>();

  note(lines: readonly { readonly account: string; readonly money: Money }[]): void {
    this.#lines += lines.length;
    for (const { account, money } of lines) this.#accounts.add(`${account} ${money.currency}`);
  }

  counts(): LedgerCounts {
    const { payments, receipts } = this;
    return { payments, receipts, lines: this.#lines, accounts: this.#accounts.size };
  }
}

interface PaymentLedger {
  readonly payment: Payment;
  readonly funds: Funds;
  readonly commands: readonly MoneyCommand[];
  readonly postings: readonly StoredPosting[];
}

async function checkPayment(
  store: Deps['store'],
  row: Funds,
  tally: Tally,
): Promise<readonly LedgerDifference[]> {
  for (;;) {
    const books = await store.run((tx) => readBooks(tx, row));
    if (books === null) continue;
    tally.note(books.postings.flatMap(({ lines }) => lines));
    return differencesOf(books);
  }
}

/** Null if the payment changed: every change of its money raises its version. */
async function readBooks(tx: Tx, row: Funds): Promise<PaymentLedger | null> {
  const tenant = tenantOf(row);
  const { paymentId } = row;
  const payment = await tx.payments.get(tenant, paymentId);
  const [funds, commands, postings] = await Promise.all([
    tx.funds.get(tenant, paymentId),
    tx.commands.ofPayment(tenant, paymentId),
    tx.ledger.ofPayment(tenant, paymentId),
  ]);
  const after = await tx.payments.get(tenant, paymentId);
  assert(payment !== null && after !== null && funds !== null, 'a payment and its funds stay');
  return payment.version === after.version ? { payment, funds, commands, postings } : null;
}

function differencesOf({
  payment,
  funds,
  commands,
  postings,
}: PaymentLedger): readonly LedgerDifference[] {
  const { currency } = funds;
  const sums = sumsOf(commands);
  const booked = new Map<string, bigint>();
  for (const { account, money } of postings.flatMap(({ lines }) => lines)) {
    const name = balanceName(account, money.currency);
    booked.set(name, (booked.get(name) ?? 0n) + money.amountMinor);
  }
  const rows: [string, bigint, bigint][] = [];
  const settlement = sums.paidMinor > 0n ? payment.settlement : null;
  if (sums.paidMinor > 0n && settlement === null) rows.push(['settlement', sums.paidMinor, 0n]);
  else {
    const expected = balancesOf(sums, currency, settlement);
    for (const name of new Set([...expected.keys(), ...booked.keys()])) {
      rows.push([`ledger ${name}`, expected.get(name) ?? 0n, booked.get(name) ?? 0n]);
    }
  }
  const derived = fundsOf(funds, commands);
  for (const name of fundsAmounts) rows.push([`funds ${name}`, derived[name], funds[name]]);
  if (derived.position !== funds.position || derived.refund !== funds.refund) {
    rows.push([`funds ${funds.position}/${funds.refund}`, heldMinor(derived), -1n]);
  }
  return rows
    .filter(([, expectedMinor, foundMinor]) => expectedMinor !== foundMinor)
    .map(([what, expectedMinor, foundMinor]) => ({
      subjectId: funds.paymentId,
      what,
      currency,
      expectedMinor,
      foundMinor,
    }));
}

async function checkReceipt(
  store: Deps['store'],
  id: string,
  tally: Tally,
): Promise<readonly LedgerDifference[]> {
  for (;;) {
    const [receipt, postings, after] = await store.run(async (tx) => [
      await tx.receipts.get(id),
      await tx.receipts.postings(id),
      await tx.receipts.get(id),
    ]);
    assert(receipt !== null && after !== null, 'a receipt stays');
    if (receipt.version !== after.version) continue;
    tally.note(postings.flatMap(({ lines }) => lines));
    return receiptDifferences(receipt, postings);
  }
}

function receiptDifferences(
  receipt: Receipt,
  postings: readonly ReceiptPosting[],
): readonly LedgerDifference[] {
  const { currency } = receipt.amount;
  const expected = receiptBalances(receipt);
  const lines = postings.flatMap((posting) => posting.lines);
  return receiptAccounts.flatMap((account) => {
    const foundMinor = lines
      .filter((line) => line.account === account)
      .reduce((sum, { money }) => sum + money.amountMinor, 0n);
    const expectedMinor = expected[account];
    const what = `ledger ${account}`;
    const isRight = foundMinor === expectedMinor;
    return isRight ? [] : [{ subjectId: receipt.id, what, currency, expectedMinor, foundMinor }];
  });
}
