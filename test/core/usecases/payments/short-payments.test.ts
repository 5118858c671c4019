// A buyer that sent too little may take it back, until the rest has arrived.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { readPayment, takeShortBack } from '../../../../core/usecases/payments/payments.js';
import { simulate } from '../../../../core/usecases/sandbox/simulations.js';
import { racing } from '../../../support/racing-store.js';
import { world } from '../../../support/scenes/test-world.js';

const conflict = { name: 'PonteError', code: 'PaymentStateConflict' };

/** A payment to which one unit is missing. */
async function short(t: TestContext) {
  const made = await world(t, { payins: 'wait' });
  const tenant = await made.newTenant();
  const id = await made.newPayment(tenant);
  await made.play(tenant, id, 'on_ramp_pending');
  await made.settle();
  const pay = async (event: 'money_short' | 'money_top_up') => {
    await simulate(made.deps, tenant, id, event);
    await made.settle();
  };
  await pay('money_short');
  const read = async () => (await readPayment(made.deps, tenant, id)).payment;
  const { version } = await read();
  return { made, tenant, id, version, read, pay };
}

test('what a buyer sent is taken back in the version of the payment that it saw', async (t) => {
  const { made, tenant, id, version, read } = await short(t);
  const takeBack = (seen: number) => takeShortBack(made.deps, tenant, id, seen);
  await assert.rejects(takeBack(version - 1), conflict);
  assert.equal((await read()).status, 'on_ramp_pending');
  await takeBack(version);
  assert.equal((await read()).status, 'cancelled');
  await assert.rejects(takeBack((await read()).version), conflict, 'it is over');
});

test('the rest that arrives while the buyer takes its money back is not cancelled', async (t) => {
  const { made, tenant, id, version, read, pay } = await short(t);
  let arrives: Promise<void> | null = null;
  // The rest arrives after the decision was made, before it is stored.
  const raced = racing(made.deps, () => {
    arrives ??= pay('money_top_up');
    return arrives;
  });
  await assert.rejects(takeShortBack(raced, tenant, id, version), conflict);
  assert.ok(!['cancelled', 'on_ramp_pending'].includes((await read()).status));
});
