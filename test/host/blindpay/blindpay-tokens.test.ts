// The tokens of a payout are those that its own pay-ins brought, and come back with its refund.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { developmentOperator } from '../../../core/domain/base/actor.js';
import { DAY_MS, HOUR_MS } from '../../../core/domain/base/instant.js';
import { decide } from '../../../core/usecases/money-desk/money-desk.js';
import { listQueues } from '../../../core/usecases/money-desk/money-queues.js';
import { findDifferences } from '../../../core/usecases/payments/ledger-check.js';
import { openPonte, paidOrder, readySeller } from '../../support/blindpay/blindpay-ponte.js';

test('a transfer that went back does not count for the tokens of the payout', async (t) => {
  for (const broughtMinor of [4_000, 6_000]) {
    const scene = await openPonte(t, 'cfsb');
    const { ponte, server } = scene;
    const { state } = server;
    await readySeller(scene);
    state.payinsWait = true;
    const { id } = await paidOrder(scene, '100.00', { to: 'on_ramp_pending' });
    const [ordered] = state.payins;
    assert.ok(ordered !== undefined);
    const account = state.virtualAccounts.find((one) => one.customer_id === ordered.customer_id);
    const page = await ponte.get(`/v1/payments/${id}`);
    const { reference } = page['payinInstructions'] as { readonly reference: string };
    const deposit = { virtualAccountId: account?.id ?? '', description: reference };
    const partnerRef = state.deposit({ ...deposit, amountMinor: 6_000 });
    const wire = state.payins.find((one) => one.id === partnerRef) ?? assert.fail('a pay-in');
    wire['receiver_amount'] = broughtMinor;
    await ponte.advanceTime(HOUR_MS);
    wire.status = 'refunded';
    state.fire('payin.update', wire);
    await ponte.advanceTime(HOUR_MS);
    state.pay(ordered.id);
    await ponte.advanceTime(DAY_MS);
    assert.deepEqual(
      state.payouts.map((payout) => [payout['sender_amount'], payout.status]),
      [[9_900, 'completed']],
      `${broughtMinor}`,
    );
    assert.equal((await ponte.get(`/v1/payments/${id}`))['status'], 'settled');
  }
});

test('a payout that came back is made again with the tokens that came back', async (t) => {
  const scene = await openPonte(t);
  const { ponte, server } = scene;
  const { state } = server;
  await readySeller(scene);
  const { id } = await paidOrder(scene);
  const [payout] = state.payouts;
  assert.ok(payout !== undefined);
  const wallet = state.wallets.find(({ address }) => address === payout['sender_wallet_address']);
  assert.ok(wallet !== undefined);
  assert.equal(state.balanceOf(wallet), 0);
  payout.status = 'refunded';
  state.fire('payout.update', payout);
  await ponte.advanceTime(HOUR_MS);
  assert.equal(state.balanceOf(wallet), payout['sender_amount']);
  const all = { queue: null, orgId: null, mode: null, after: null, limit: 10 };
  const [row] = await listQueues(ponte.deps, all);
  assert.ok(row !== undefined);
  await decide(ponte.deps, {
    itemId: row.id,
    request: { verb: 'pay_again' },
    operator: developmentOperator,
    evidence: 'the seller has opened its account again',
    replace: false,
  });
  await ponte.advanceTime(HOUR_MS);
  const again = (await ponte.get(`/v1/payments/${id}`))['settlements'] as readonly unknown[];
  assert.equal(again.length, 2);
  assert.deepEqual(
    state.payouts.map((one) => [one.status, one['sender_amount']]),
    ['refunded', 'completed'].map((status) => [status, payout['sender_amount']]),
  );
  assert.equal(state.balanceOf(wallet), 0);
  assert.deepEqual(await findDifferences(ponte.deps, 10), []);
});
