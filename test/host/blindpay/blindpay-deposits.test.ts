// Money that nobody ordered, through the whole service with BlindPay as its partner: sellers have
// virtual accounts, payers pay into them with and without a text, and messages are lost.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../core/domain/base/instant.js';
import type { Deposit } from '../../../core/domain/deposits/deposit.js';
import { shortIdOf } from '../../../core/domain/payments/bank-record.js';
import { findDifferences } from '../../../core/usecases/payments/ledger-check.js';
import { openPonte, type PonteScene, readySeller } from '../../support/blindpay/blindpay-ponte.js';
import { assignDeposit, listDeposits } from '../../support/scenes/deposit-decisions.js';

interface BlindPayContext extends PonteScene {
  /** A transfer into the seller's virtual account; its pay-in. */
  deposit(amountMinor: number, description?: string): string;
}

/** A seller with a virtual account, and a pay-in of each payment that stays open. */
async function open(t: TestContext): Promise<BlindPayContext> {
  const scene = await openPonte(t, 'jpmorgan');
  const { state } = scene.server;
  await readySeller(scene);
  state.payinsWait = true;
  const seller = state.customers.find((customer) => customer['legal_name'] === 'Lima Ltda');
  const account = state.virtualAccounts.find((one) => one.customer_id === seller?.id);
  const virtualAccountId = account?.id ?? assert.fail('the seller has a virtual account');
  const sender = { name: 'Ana Lima', bank: 'Chase' };
  return Object.assign(scene, {
    deposit: (amountMinor: number, description = '') =>
      state.deposit({ virtualAccountId, amountMinor, sender, description, trace: '0123' }),
  });
}

/** A payment whose bank details are shown. */
async function awaiting({ ponte }: BlindPayContext, amount: string, externalId: string) {
  const buyer = { email: 'ana@buyer.example', name: 'Ana Lima', country: 'US' };
  const order = { externalId, amount, buyer, sellerExternalId: 'seller-1' };
  const { id } = await ponte.post('/v1/payments', order);
  await ponte.post(`/v1/test-helpers/payments/${id}/advance`, {});
  await ponte.advanceTime(MINUTE_MS);
  const payment = await ponte.deps.store.run((tx) => tx.payments.find(String(id)));
  assert.ok(payment);
  assert.equal(payment.status, 'on_ramp_pending');
  return payment;
}

const statusOf = async ({ ponte }: BlindPayContext, id: string) =>
  (await ponte.get(`/v1/payments/${id}`))['status'];

const depositOf = ({ ponte }: BlindPayContext, ref: string): Promise<Deposit | null> =>
  ponte.deps.store.run((tx) => tx.deposits.byPartnerRef('blindpay', 'test', 'payin', ref));

const shown = async (desk: BlindPayContext, ref: string) => {
  const deposit = await depositOf(desk, ref);
  return deposit === null ? null : `${deposit.state} ${deposit.end} ${deposit.rule}`;
};

const booksAreRight = async ({ ponte }: BlindPayContext) =>
  assert.deepEqual(await findDifferences(ponte.deps, 10), []);

test('a deposit of the amount settles the payment that waits, and the ordered pay-in stays open', async (t) => {
  const desk = await open(t);
  const { id } = await awaiting(desk, '1250.00', 'order-1');
  const ref = desk.deposit(125_000);
  await desk.ponte.advanceTime(HOUR_MS);
  assert.equal(await shown(desk, ref), 'assigned completed amount');
  const payment = await desk.ponte.get(`/v1/payments/${id}`);
  assert.deepEqual([payment['status'], payment['brlSettledAmount']], ['settled', '6677.15']);
  const { payins, payouts } = desk.server.state;
  assert.deepEqual([payins.length, payouts.length], [2, 1]);
  await booksAreRight(desk);
});

test('two equal payments: the reference in the transfer decides, and without it a person', async (t) => {
  const desk = await open(t);
  const one = await awaiting(desk, '1250.00', 'order-1');
  const other = await awaiting(desk, '1250.00', 'order-2');
  const { payinInstructions: shownDetails, publicId } = other;
  assert.deepEqual(
    [shownDetails?.reference, shownDetails?.referenceRequired, shownDetails?.holder],
    [shortIdOf(publicId), false, 'payee'],
    'BlindPay ignores its memo code here',
  );
  const unclear = desk.deposit(125_000, 'INVOICE PAYMENT');
  const clear = desk.deposit(125_000, `REF ${shownDetails?.reference}`);
  await desk.ponte.advanceTime(HOUR_MS);
  assert.equal(await shown(desk, unclear), 'waiting completed null');
  assert.equal(await shown(desk, clear), 'assigned completed text');
  assert.deepEqual(
    [await statusOf(desk, one.id), await statusOf(desk, other.id)],
    ['on_ramp_pending', 'settled'],
  );
  const { deps } = desk.ponte;
  const [deposit] = await listDeposits(deps, { waiting: true, beforeId: null, limit: 9 });
  await assignDeposit(deps, deposit?.id ?? '', one.id);
  await desk.ponte.advanceTime(HOUR_MS);
  assert.equal(await statusOf(desk, one.id), 'settled');
  await booksAreRight(desk);
});

test('a deposit of a stranger waits; one that comes twice counts once, and the rest is owed', async (t) => {
  const desk = await open(t);
  const { id, publicId } = await awaiting(desk, '1250.00', 'order-1');
  const stranger = desk.deposit(7_700, 'gift');
  const text = `invoice ${shortIdOf(publicId)}`;
  const refs = [desk.deposit(125_000, text), desk.deposit(125_000, text)];
  await desk.ponte.advanceTime(HOUR_MS);
  assert.equal(await shown(desk, stranger), 'waiting completed null');
  for (const ref of refs) assert.equal(await shown(desk, ref), 'assigned completed text');
  const payment = await desk.ponte.get(`/v1/payments/${id}`);
  assert.equal(payment['status'], 'settled');
  assert.partialDeepStrictEqual(payment['funds'], { received: '2500.00', refundOwed: '1250.00' });
  assert.equal(desk.server.state.payouts.length, 1);
  await booksAreRight(desk);
});

test('deposits whose messages are lost are found by the scan', async (t) => {
  const desk = await open(t);
  const { id } = await awaiting(desk, '1250.00', 'order-1');
  desk.network = async () => undefined;
  const [stranger, ref] = [desk.deposit(7_700), desk.deposit(125_000)];
  await desk.ponte.advanceTime(HOUR_MS);
  assert.equal(await shown(desk, stranger), 'waiting completed null');
  assert.equal(await shown(desk, ref), 'assigned completed amount');
  assert.equal(await statusOf(desk, id), 'settled');
  await booksAreRight(desk);
});

test('a pay-in that was ordered is no deposit, however its messages come', async (t) => {
  for (const network of ['as sent', 'twice'] as const) {
    const desk = await open(t);
    desk.server.state.payinsWait = false;
    if (network === 'twice')
      desk.network = async (send) => void (await Promise.all([send(), send()]));
    const buyer = { email: 'ana@buyer.example', name: 'Ana Lima', country: 'US' };
    const order = { externalId: 'o', amount: '1250.00', buyer, sellerExternalId: 'seller-1' };
    const { id } = await desk.ponte.post('/v1/payments', order);
    await desk.ponte.post(`/v1/test-helpers/payments/${id}/advance`, {});
    await desk.ponte.advanceTime(HOUR_MS);
    assert.equal(await statusOf(desk, String(id)), 'settled');
    const all = { waiting: false, beforeId: null, limit: 9 };
    assert.deepEqual(await listDeposits(desk.ponte.deps, all), []);
    await booksAreRight(desk);
  }
});

test('the pay-in call times out while a deposit arrives: each is what it is', async (t) => {
  for (const fault of ['late', 'cut after'] as const) {
    const desk = await open(t);
    desk.server.failNext('POST /payins/evm', fault);
    const buyer = { email: 'ana@buyer.example', name: 'Ana Lima', country: 'US' };
    const order = { externalId: 'o', amount: '1250.00', buyer, sellerExternalId: 'seller-1' };
    const { id } = await desk.ponte.post('/v1/payments', order);
    await desk.ponte.post(`/v1/test-helpers/payments/${id}/advance`, {});
    await desk.ponte.advanceTime(5_000);
    const ref = desk.deposit(125_000, 'o');
    desk.server.runLate();
    await desk.ponte.advanceTime(HOUR_MS);
    assert.match(`${await shown(desk, ref)}`, /^(assigned completed (text|amount)|waiting)/);
    const [ordered] = desk.server.state.payins.filter((payin) => payin.id !== ref);
    assert.ok(ordered);
    assert.equal(await depositOf(desk, ordered.id), null);
    await booksAreRight(desk);
  }
});
