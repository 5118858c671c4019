// The tokens of a payout are those that its own pay-ins brought.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../core/domain/base/instant.js';
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
