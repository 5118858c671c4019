// The entries for the books of an organization, against what its payments say of their money.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createIds } from '../../../../adapters/crypto/ids.js';
import { bookAccounts } from '../../../../core/domain/accounting/account-name.js';
import {
  type Accounting,
  type BookedEntry,
  daysOfMonth,
} from '../../../../core/domain/accounting/accounting.js';
import { entryText } from '../../../../core/domain/accounting/entry-file.js';
import { statementsOf } from '../../../../core/domain/accounting/entry-statement.js';
import {
  type EntryLine,
  summedLines,
} from '../../../../core/domain/accounting/settlement-entry.js';
import { DAY_MS, formatInstant, HOUR_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { money, parseAmount } from '../../../../core/domain/base/money.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { dayOf, daysAfter, endOfDay } from '../../../../core/domain/base/time-zone.js';
import { sumByCurrency } from '../../../../core/domain/payments/ledger.js';
import {
  closeMonth,
  readAccounting,
  setAccounts,
} from '../../../../core/usecases/accounting/accounting-settings.js';
import {
  allEntries,
  allOfThem,
  booksOf,
  type EntryRange,
  readEntries,
  readEntryFile,
} from '../../../../core/usecases/accounting/settlement-entries.js';
import { setTimeZone } from '../../../../core/usecases/parties/organizations.js';
import { readView } from '../../../../core/usecases/payments/payment-store.js';
import { advancePayment } from '../../../../core/usecases/sandbox/sandbox.js';
import { simulate } from '../../../../core/usecases/sandbox/simulations.js';
import { type World, world } from '../../../support/scenes/test-world.js';
import { valuesOf } from '../../../support/values-of.js';

/** Ends of an amount with a meaning for the fake partner, and some without. */
const endings = ['00', '66', '77', '88', '55', '13', '01'] as const;

const BOOKED_RATE = '5.4321';

/** The BRL of an amount at that rate, in centavos, half to even. */
function booked(minor: bigint): bigint {
  const [whole, rest] = [(minor * 54_321n) / 10_000n, (minor * 54_321n) % 10_000n];
  const isUp = rest > 5_000n || (rest === 5_000n && whole % 2n === 1n);
  return isUp ? whole + 1n : whole;
}

/** Payments that settle, fail, arrive short, go back, and are paid out twice. */
async function paid(made: World, tenant: Tenant, seed: number): Promise<readonly string[]> {
  const ids: string[] = [];
  let state = seed;
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
  for (const ending of endings) {
    for (let count = 0; count < 3; count += 1) {
      const amountMinor = parseAmount(`${20 + next(5_000)}.${ending}`) ?? 0n;
      const currency = ['USD', 'EUR', 'GBP'][next(3)] ?? 'USD';
      const bookedRate = count === 0 ? null : BOOKED_RATE;
      const id = await made.newPayment(tenant, { amount: { amountMinor, currency }, bookedRate });
      await advancePayment(made.deps, tenant, id, 'settled');
      ids.push(id);
    }
  }
  await made.settle();
  made.advanceClock(10 * MINUTE_MS);
  await made.settle();
  made.advanceClock(MINUTE_MS);
  for (const id of ids.slice(0, 2)) await simulate(made.deps, tenant, id, 'payout_returns');
  await made.settle();
  made.advanceClock(2 * MINUTE_MS);
  return ids;
}

async function scene(t: TestContext) {
  const made = await world(t);
  const tenant = await made.newTenant();
  const ids = await paid(made, tenant, 7);
  return { made, tenant, ids };
}

function dayAt(ms: number): string {
  return formatInstant(ms).slice(0, 'YYYY-MM-DD'.length);
}

function monthBefore(day: string): string {
  return daysAfter(`${day.slice(0, 'YYYY-MM'.length)}-01`, -1).slice(0, 'YYYY-MM'.length);
}

/** By name and currency, read from the text of the file alone. */
function sumsOfFile(text: string): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const row of text.trimEnd().split('\n').slice(1)) {
    const [, , , , , account, amount = '', currency] = row.split(',');
    const name = `${account} ${currency}`;
    const minor = (parseAmount(amount.replace('-', '')) ?? 0n) * (amount[0] === '-' ? -1n : 1n);
    sums.set(name, (sums.get(name) ?? 0n) + minor);
  }
  return new Map([...sums].filter(([, minor]) => minor !== 0n));
}

test('the sums of the entries are what the payments say of their money', async (t) => {
  const { made, tenant, ids } = await scene(t);
  const entries = await allEntries(made.deps, tenant, allOfThem);
  for (const { id, lines } of entries)
    for (const [currency, minor] of sumByCurrency(lines)) assert.equal(minor, 0n, id + currency);
  const expected = new Map<string, bigint>();
  const add = (account: string, currency: string, minor: bigint) => {
    const name = `${account} ${currency}`;
    expected.set(name, (expected.get(name) ?? 0n) + minor);
  };
  for (const id of ids) {
    const { payment, funds, settlements } = await readView(made.deps, tenant, id);
    const { currency, amountMinor } = payment.amount;
    const owedMinor = funds.refundOwedMinor + funds.refundOrderedMinor;
    const has = settlements.filter(({ returnedAtMs }) => returnedAtMs === null);
    const heldMinor = funds.receivedMinor - owedMinor - funds.refundedMinor;
    add('Assets:Receivables', currency, funds.refundedMinor - funds.receivedMinor);
    add('Assets:Partner:Refunds', currency, owedMinor);
    add('Assets:Partner:Held', currency, heldMinor - (has.length === 0 ? 0n : amountMinor));
    for (const { settled, fees } of has) {
      add('Assets:Bank', 'BRL', settled.amountMinor);
      const bookedMinor = booked(amountMinor - fees.amountMinor);
      const gainMinor = payment.bookedRate === null ? 0n : settled.amountMinor - bookedMinor;
      add('Equity:Conversion', 'BRL', gainMinor - settled.amountMinor);
      add('Income:ExchangeDifference', 'BRL', -gainMinor);
      add('Equity:Conversion', currency, amountMinor - fees.amountMinor);
      add('Expenses:PartnerFees', currency, fees.amountMinor);
    }
  }
  const file = await readEntryFile(made.deps, tenant, 'csv', { from: null, to: null });
  assert.deepEqual(file.entries, entries);
  const found = sumsOfFile(entryText('csv', file));
  const sorted = (sums: ReadonlyMap<string, bigint>) =>
    [...sums].filter(([, minor]) => minor !== 0n).sort();
  assert.deepEqual(sorted(found), sorted(expected));
  const ledger = await made.deps.store.run((tx) => tx.ledger.balances(tenant.mode));
  const named = ledger.map(({ account, currency, amountMinor }) => {
    const name = bookAccounts[account as keyof typeof bookAccounts];
    return [`${name} ${currency}`, amountMinor] as const;
  });
  // The ledger knows no rate of the payee: its conversion contains the difference.
  const [gain, conversion] = ['Income:ExchangeDifference BRL', 'Equity:Conversion BRL'] as const;
  assert.ok((found.get(gain) ?? 0n) !== 0n);
  const joined = new Map(found);
  joined.set(conversion, (found.get(conversion) ?? 0n) + (found.get(gain) ?? 0n));
  joined.delete(gain);
  assert.deepEqual(sorted(joined), sorted(new Map(named)), 'as the ledger has them');
});

test('pages of any size, from any place, give each entry once and in one order', async (t) => {
  const { made, tenant } = await scene(t);
  const all = await allEntries(made.deps, tenant, allOfThem);
  for (const limit of [1, 2, 7, 1_000]) {
    const read: BookedEntry[] = [];
    for (let afterId: string | null = null; ; ) {
      const range: EntryRange = { ...allOfThem, afterId };
      const page = await readEntries(made.deps, tenant, range, limit);
      assert.ok(page.entries.length <= limit);
      read.push(...page.entries);
      if (page.lastId === afterId) break;
      afterId = page.lastId;
    }
    assert.deepEqual(read, all, `${limit} a page`);
  }
  const atMs = all.at(-1)?.atMs ?? 0;
  const before = await allEntries(made.deps, tenant, { ...allOfThem, to: atMs });
  const after = await allEntries(made.deps, tenant, { ...allOfThem, from: atMs });
  assert.deepEqual([...before, ...after], all, 'a range ends where the next one begins');
  assert.ok(before.length > 0 && after.length > 0);
});

test('an entry appears a minute after its posting, and never changes', async (t) => {
  const made = await world(t);
  const tenant = await made.newTenant();
  const id = await made.newPayment(tenant);
  await made.play(tenant, id, 'settled');
  assert.deepEqual(await allEntries(made.deps, tenant, allOfThem), []);
  made.advanceClock(2 * MINUTE_MS);
  const first = await allEntries(made.deps, tenant, allOfThem);
  assert.ok(first.length >= 2);
  const nowMs = made.deps.clock.nowMs();
  await simulate(made.deps, tenant, id, 'payout_returns');
  await made.settle();
  made.advanceClock(2 * MINUTE_MS);
  const closed = await allEntries(made.deps, tenant, { ...allOfThem, to: nowMs });
  assert.deepEqual(closed, first, 'what comes later is not in an earlier period');
  const later = await allEntries(made.deps, tenant, { ...allOfThem, from: nowMs });
  assert.deepEqual(valuesOf(later, 'kind'), ['payout_returned']);
});

test('the balances of each closed month, and of each day, are the sum of all entries before', async (t) => {
  const made = await world(t);
  const tenant = await made.newTenant();
  const { deps } = made;
  const today = () => dayAt(deps.clock.nowMs());
  const begin = today();
  const sumBefore = async (day: string) => {
    const all = await allEntries(deps, tenant, { ...allOfThem, to: daysAfter(day, -1) });
    return summedLines(all.flatMap(({ lines }) => lines));
  };
  const openingOf = async (from: string) =>
    (await readEntryFile(deps, tenant, 'camt.053', { from, to: null })).opening;
  // A month without payments, one closing of several months, and another zone.
  const closings = [31, 40, 75, 33] as const;
  for (const [at, days] of closings.entries()) {
    if (at !== 1) await paid(made, tenant, at);
    if (at === 2) await setTimeZone(deps, tenant.orgId, 'Pacific/Kiritimati');
    made.advanceClock(days * DAY_MS);
    await closeMonth(deps, tenant, monthBefore(today()));
  }
  await paid(made, tenant, 9);
  const { closed } = await readAccounting(deps, tenant);
  assert.deepEqual([closed.length, new Set(closed.map(({ month }) => month)).size], [4, 4]);
  for (const { month, balances } of closed) {
    const { to } = daysOfMonth(month);
    assert.deepEqual(balances, await sumBefore(daysAfter(to, 1)), month);
  }
  for (let day = begin; day <= daysAfter(today(), 40); day = daysAfter(day, 9))
    assert.deepEqual(await openingOf(day), await sumBefore(day), day);
  const last = await closeMonth(deps, tenant, closed[0]?.month ?? '');
  assert.deepEqual(last.closed, closed, 'a closed month stays closed as it is');
});

test('no request reads all history to close a month: the service sums the rest', async (t) => {
  const made = await world(t);
  const tenant = await made.newTenant();
  const { deps } = made;
  const id = await made.newPayment(tenant);
  const sumOf = (count: number) =>
    [1n, -1n].map((sign, at) => {
      const account = at === 0 ? 'partner_float' : 'buyer';
      return { account, money: money(sign * 100n * BigInt(count), 'USD') } as const;
    });
  const count = 2_345;
  const fromMs = deps.clock.nowMs();
  await deps.store.run(async (tx) => {
    for (let atMs = fromMs; atMs < fromMs + count; atMs += 1) {
      const posting = { kind: 'funds_received', lines: sumOf(1) } as const;
      tx.ledger.append(tenant, id, deps.ids.next('pst', atMs), posting, atMs);
    }
  });
  made.advanceClock(70 * DAY_MS);
  const today = dayAt(deps.clock.nowMs());
  const sorted = (lines: readonly EntryLine[]) =>
    lines.toSorted((left, right) => (left.account < right.account ? 1 : -1));
  const stateOf = ({ closed }: Accounting) =>
    closed.map(({ summedTo, balances }) => [summedTo === null, sorted(balances)]);
  const first = await closeMonth(deps, tenant, monthBefore(`${monthBefore(today)}-01`));
  assert.deepEqual(stateOf(first), [[false, sumOf(2_000)]]);
  const second = await closeMonth(deps, tenant, monthBefore(today));
  assert.deepEqual(stateOf(second), [
    [true, sumOf(count)],
    [false, []],
  ]);
  const { opening } = await readEntryFile(deps, tenant, 'camt.053', { from: today, to: null });
  assert.deepEqual(sorted(opening), sumOf(count), 'the entries after the last complete balances');
  await made.settle();
  const all = [true, sumOf(count)];
  assert.deepEqual(stateOf(await readAccounting(deps, tenant)), [all, all]);
});

test('entries of another organization, mode or origin are not read', async (t) => {
  const { made, tenant } = await scene(t);
  const other = await made.newTenant();
  const invoices: EntryRange = { ...allOfThem, origins: ['invoice'] };
  assert.deepEqual(await allEntries(made.deps, other, allOfThem), []);
  assert.deepEqual(await allEntries(made.deps, { ...tenant, mode: 'live' }, allOfThem), []);
  assert.deepEqual(await allEntries(made.deps, tenant, invoices), []);
});

test('a closed month never changes: what comes later, and other names, are of the next one', async (t) => {
  const { made, tenant, ids } = await scene(t);
  const { deps } = made;
  const month = dayAt(deps.clock.nowMs()).slice(0, 7);
  await setAccounts(deps, tenant, { seller: '1.1.2.01' });
  const { from, to } = daysOfMonth(month);
  made.advanceClock(endOfDay('UTC', to) + MINUTE_MS - deps.clock.nowMs());
  await closeMonth(deps, tenant, month);
  const closed = await readEntryFile(deps, tenant, 'ofx', { from, to });
  await setAccounts(deps, tenant, { seller: '9.9' });
  await setTimeZone(deps, tenant.orgId, 'Pacific/Pago_Pago');
  await simulate(deps, tenant, ids.at(-1) ?? '', 'payout_returns');
  await made.settle();
  made.advanceClock(2 * MINUTE_MS);
  const again = await readEntryFile(deps, tenant, 'ofx', { from, to });
  assert.deepEqual(again.entries, closed.entries);
  assert.ok(closed.entries.some(({ accounts }) => accounts.seller === '1.1.2.01'));
  const next = await readEntryFile(deps, tenant, 'ofx', { from: daysAfter(to, 1), to: null });
  const [first] = next.entries;
  assert.deepEqual(
    [first?.kind, first?.day, first?.accounts.seller],
    ['payout_returned', daysAfter(to, 1), '9.9'],
  );
  // The next statement opens with what the last one closed with.
  const closing = new Map(statementsOf(closed).map((one) => [one.currency, one.closingMinor]));
  for (const { name, currency, openingMinor } of statementsOf(next))
    if (name !== bookAccounts.partner_float)
      assert.equal(openingMinor, closing.get(currency), name);
  const { opening } = await readEntryFile(deps, tenant, 'csv', {
    from: daysAfter(to, 1),
    to: null,
  });
  assert.deepEqual(opening, [], 'a file without balances reads its own days alone');
  const other = await made.newTenant();
  assert.deepEqual((await readAccounting(deps, other)).closed, []);
});

test('a reader of the books misses nothing after the clock of the machine went back', async (t) => {
  const made = await world(t);
  const tenant = await made.newTenant();
  const settled = async () => {
    const id = await made.newPayment(tenant);
    await made.play(tenant, id, 'settled');
    return id;
  };
  const ids: string[] = [];
  const read: string[] = [];
  let lastId: string | null = null;
  const resume = async () => {
    const page = await readEntries(made.deps, tenant, { ...allOfThem, afterId: lastId }, 500);
    read.push(...page.entries.map(({ subjectId }) => subjectId));
    lastId = page.lastId;
  };
  made.advanceClock(HOUR_MS);
  ids.push(await settled());
  made.advanceClock(2 * MINUTE_MS);
  await resume();
  made.advanceClock(-HOUR_MS);
  ids.push(await settled());
  // Another process continues the order.
  const newestMs = (await made.deps.store.run((tx) => tx.ledger.newestMs())) ?? 0;
  const fresh = createIds();
  fresh.postedUntil(newestMs);
  Object.assign(made.deps.ids, fresh);
  ids.push(await settled());
  await resume();
  made.advanceClock(2 * HOUR_MS);
  ids.push(await settled());
  made.advanceClock(2 * MINUTE_MS);
  await resume();
  assert.deepEqual([...new Set(read)], ids);
});

test('a process adds no entry to a month that it closed while the clock was ahead', async (t) => {
  const made = await world(t);
  const tenant = await made.newTenant();
  const settle = async () => made.play(tenant, await made.newPayment(tenant), 'settled');
  await settle();
  const { timeZone } = await made.deps.store.run((tx) => booksOf(tx, tenant));
  const month = dayOf(timeZone, made.deps.clock.nowMs()).slice(0, 'YYYY-MM'.length);
  const endMs = endOfDay(timeZone, daysOfMonth(month).to);
  made.advanceClock(endMs + 2 * MINUTE_MS - made.deps.clock.nowMs());
  const { closed } = await closeMonth(made.deps, tenant, month);
  const balances = closed[0]?.balances ?? assert.fail();
  made.advanceClock(-HOUR_MS);
  await settle();
  made.advanceClock(2 * HOUR_MS);
  const entries = await allEntries(made.deps, tenant, allOfThem);
  const lines = entries.filter((one) => one.month === month).flatMap((one) => one.lines);
  assert.ok(entries.some((one) => one.month > month));
  assert.deepEqual(summedLines(lines), balances);
});
