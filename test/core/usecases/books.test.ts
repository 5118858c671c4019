import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { posting, transfer } from '../../../core/domain/ledger.js';
import { money } from '../../../core/domain/money.js';
import type { Tenant } from '../../../core/domain/tenant.js';
import { findImbalances } from '../../../core/usecases/books.js';
import { type World, world } from '../../support/small-world.js';

const PAYMENTS = 2_500;
const first: Tenant = { orgId: 'org_a', mode: 'live' };
const second: Tenant = { orgId: 'org_a', mode: 'test' };
const third: Tenant = { orgId: 'org_b', mode: 'live' };
const right = posting('funds_received', transfer('buyer', 'partner_float', money(700n, 'EUR')));
/** What left one account and came to no other, in two currencies. */
const wrong = {
  kind: 'refund_paid',
  lines: [
    { account: 'refunds', money: money(1n, 'USD') },
    { account: 'refunds', money: money(-2n, 'EUR') },
  ],
} as const;

let made: World;
beforeEach(async () => {
  made = await world();
});
afterEach(() => made.close());

const payment = (index: number) => `pi_${String(index).padStart(5, '0')}`;
const named = (tenant: Tenant, index: number) => ({ ...tenant, paymentId: payment(index) });

/** Payments that balance, and those of these numbers that do not. */
async function book(tenant: Tenant, count: number, wrongOnes: readonly number[]): Promise<void> {
  await made.deps.store.run(async (tx) => {
    for (let index = 1; index <= count; index += 1) {
      tx.ledger.append(tenant, payment(index), `${tenant.mode}_${index}`, right, index);
    }
    for (const index of wrongOnes) {
      tx.ledger.append(tenant, payment(index), `${tenant.mode}_wrong_${index}`, wrong, index);
    }
  });
}

test('whatever does not balance is found, however many payments there are', async () => {
  assert.deepEqual(await findImbalances(made.deps, 10), []);
  await book(first, PAYMENTS, []);
  await book(third, 3, []);
  assert.deepEqual(await findImbalances(made.deps, 10), []);
  // At both sides of where a page ends, and the last one of a tenant.
  await book(second, PAYMENTS, [500, 501, 1_500, PAYMENTS]);
  await book({ ...third, mode: 'test' }, 0, [1]);
  const found = await findImbalances(made.deps, 100);
  const expected = [
    ...[500, 501, 1_500, PAYMENTS].map((index) => named(second, index)),
    named({ ...third, mode: 'test' }, 1),
  ].flatMap((of) => [
    { ...of, sum: money(-2n, 'EUR') },
    { ...of, sum: money(1n, 'USD') },
  ]);
  assert.deepEqual(found, expected);
  assert.deepEqual(await findImbalances(made.deps, 3), expected.slice(0, 3));
});

test('sums are given payment by payment, in all its currencies', async () => {
  await book(first, 2, [1]);
  const { store } = made.deps;
  const page = await store.run((tx) => tx.ledger.sums(null, 1));
  assert.deepEqual(page, [
    { ...named(first, 1), sum: money(-2n, 'EUR') },
    { ...named(first, 1), sum: money(1n, 'USD') },
  ]);
  const next = await store.run((tx) => tx.ledger.sums(named(first, 1), 1));
  assert.deepEqual(next, [{ ...named(first, 2), sum: money(0n, 'EUR') }]);
  assert.deepEqual(await store.run((tx) => tx.ledger.sums(named(first, 2), 1)), []);
});
