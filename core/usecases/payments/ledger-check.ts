// Checks that the ledger, the funds and the commands to the partner agree for each payment, and
// that the postings of each deposit follow from its state. Rows are read page by page while the
// service runs; one that changes during its read is read again.
import { tenantOf } from '../../domain/base/tenant.js';
import type { MoneyCommand } from '../../domain/commands/partner-command.js';
import { sameFacts, settlementsOf } from '../../domain/commands/settlement.js';
import { type Deposit, depositBalances, depositTenant } from '../../domain/deposits/deposit.js';
import {
  balanceName,
  balancesOf,
  type Funds,
  fundsAmounts,
  fundsOf,
  heldMinor,
  sumsOf,
  unsettledPayouts,
} from '../../domain/payments/funds.js';
import type { LedgerAccount, StoredPosting } from '../../domain/payments/ledger.js';
import type { Payment } from '../../domain/payments/payment.js';
import { assert } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { readShares } from './deposit-shares.js';

const ROWS_PER_PAGE = 100;

/** In minor units of `currency`. */
export interface LedgerDifference {
  /** A payment or a deposit. */
  readonly subjectId: string;
  /** An account of the ledger, or an amount of the funds. */
  readonly what: string;
  readonly currency: string;
  readonly expectedMinor: bigint;
  readonly foundMinor: bigint;
}

/** At most `max` differences. */
export async function findDifferences(
  deps: Pick<Deps, 'store'>,
  max: number,
): Promise<readonly LedgerDifference[]> {
  return (await checkLedger(deps, max)).differences;
}

/** At most `max` differences, with what was compared until then. */
export async function checkLedger({ store }: Pick<Deps, 'store'>, max: number) {
  const found: LedgerDifference[] = [];
  const tally = new Tally();
  async function checkRows<Row>(
    page: (tx: Tx, after: Row | null) => Promise<readonly Row[]>,
    read: (tx: Tx, row: Row) => Promise<Books | null>,
  ): Promise<number> {
    let rows = 0;
    for (let last: Row | null = null; found.length < max; ) {
      const after: Row | null = last;
      const next: readonly Row[] = await store.run((tx) => page(tx, after));
      const books = await Promise.all(next.map((row) => readUnchanged(store, read, row)));
      found.push(...books.flatMap((one) => tally.note(one)));
      rows += next.length;
      last = next.at(-1) ?? null;
      if (last === null) break;
    }
    return rows;
  }
  const payments = await checkRows<Payment>(
    (tx, after) => tx.payments.page(after, ROWS_PER_PAGE),
    booksOfPayment,
  );
  const deposits = await checkRows<Deposit>(
    (tx, after) => tx.deposits.after(after?.id ?? '', ROWS_PER_PAGE),
    booksOfDeposit,
  );
  const counts = { payments, deposits, lines: tally.lines, accounts: tally.accounts.size };
  return { differences: found.slice(0, max), counts };
}

type Compared = readonly [what: string, expectedMinor: bigint, foundMinor: bigint];

/** The postings of a payment or a deposit, and what they are compared with. */
interface Books {
  readonly subjectId: string;
  readonly currency: string;
  readonly postings: readonly StoredPosting[];
  /** By `balanceName`; zero where absent. */
  readonly balances: ReadonlyMap<string, bigint>;
  /** Amounts that are not balances of the ledger. */
  readonly others: readonly Compared[];
}

class Tally {
  lines = 0;
  readonly accounts = new Set<string>();

  /** Returns what differs. */
  note({ subjectId, currency, postings, balances, others }: Books): readonly LedgerDifference[] {
    const booked = new Map<string, bigint>();
    for (const { account, money } of postings.flatMap(({ lines }) => lines)) {
      const name = balanceName(account, money.currency);
      booked.set(name, (booked.get(name) ?? 0n) + money.amountMinor);
      this.accounts.add(name);
      this.lines += 1;
    }
    const accounts = [...new Set([...balances.keys(), ...booked.keys()])].map(
      (name): Compared => [`ledger ${name}`, balances.get(name) ?? 0n, booked.get(name) ?? 0n],
    );
    return [...accounts, ...others]
      .filter(([, expectedMinor, foundMinor]) => expectedMinor !== foundMinor)
      .map(([what, expectedMinor, foundMinor]) => {
        return { subjectId, what, currency, expectedMinor, foundMinor };
      });
  }
}

/** `read` returns null if the row has changed during the read. */
async function readUnchanged<Row>(
  store: Deps['store'],
  read: (tx: Tx, row: Row) => Promise<Books | null>,
  row: Row,
): Promise<Books> {
  for (;;) {
    const books = await store.run((tx) => read(tx, row));
    if (books !== null) return books;
  }
}

/** Every change of a payment's money raises its version. */
async function booksOfPayment(tx: Tx, row: Payment): Promise<Books | null> {
  const tenant = tenantOf(row);
  const { id: paymentId } = row;
  const { currency } = row.amount;
  const payment = await tx.payments.get(tenant, paymentId);
  const [funds, commands, postings] = await Promise.all([
    tx.funds.of(row),
    tx.commands.ofPayment(tenant, paymentId),
    tx.ledger.ofSubject(tenant, paymentId),
  ]);
  const after = await tx.payments.get(tenant, paymentId);
  assert(payment !== null && after !== null, 'a payment stays');
  if (payment.version !== after.version) return null;
  const sums = sumsOf(commands);
  const derived = fundsOf(funds, commands);
  const unsettled = unsettledPayouts(commands);
  return {
    subjectId: paymentId,
    currency,
    postings,
    balances: balancesOf(sums, derived),
    others: [
      ...unsettled.map(({ id, amount }): Compared => {
        return [`settlement of ${id}`, amount.amountMinor, 0n];
      }),
      ...comparedFirst(payment, commands),
      ...comparedFunds(funds, derived),
    ],
  };
}

/** A payment shows the first of its settlements. */
function comparedFirst(
  { settlement, settledAtMs }: Payment,
  commands: readonly MoneyCommand[],
): readonly Compared[] {
  const first = settlementsOf(commands)[0] ?? null;
  const isSame =
    first === null || settlement === null
      ? first === settlement
      : sameFacts(first, settlement) && first.settledAtMs === settledAtMs;
  if (isSame) return [];
  return [['first settlement', first?.settled.amountMinor ?? 0n, -1n]];
}

function comparedFunds(funds: Funds, derived: Funds): readonly Compared[] {
  const isPlaced = derived.position === funds.position && derived.refund === funds.refund;
  return [
    ...fundsAmounts.map((name): Compared => [`funds ${name}`, derived[name], funds[name]]),
    ...(isPlaced
      ? []
      : [[`funds ${funds.position}/${funds.refund}`, heldMinor(derived), -1n] as const]),
  ];
}

async function booksOfDeposit(tx: Tx, { id }: Deposit): Promise<Books | null> {
  const deposit = await tx.deposits.get(id);
  assert(deposit !== null, 'a deposit stays');
  const postings = await tx.ledger.ofSubject(depositTenant(deposit), id);
  const others = await comparedShares(tx, deposit);
  const after = await tx.deposits.get(id);
  if (deposit.version !== after?.version) return null;
  const { currency } = deposit.amount;
  const balances = Object.entries(depositBalances(deposit)).map(
    ([account, amountMinor]) =>
      [balanceName(account as LedgerAccount, currency), amountMinor] as const,
  );
  return { subjectId: id, currency, postings, balances: new Map(balances), others };
}

/** The shares of a deposit change with it, and their sum is its amount unless it failed. */
async function comparedShares(tx: Tx, deposit: Deposit): Promise<readonly Compared[]> {
  const { consolidatedReference, end, amount } = deposit;
  if (consolidatedReference === null) return [];
  const shares = (await readShares(tx, deposit)).filter(
    (share) => share.end === end && share.amount.currency === amount.currency,
  );
  const sumMinor = shares.reduce((sum, { receivedMinor }) => sum + receivedMinor, 0n);
  return [['shares', end === 'failed' ? 0n : amount.amountMinor, sumMinor]];
}
