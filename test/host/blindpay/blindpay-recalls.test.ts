// Money that banks take back after the end of a payment, while every message of it is lost: the
// readings of BlindPay's books find it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../core/domain/base/instant.js';
import { type EntryKind, entryKinds } from '../../../core/domain/deposits/book-reading.js';
import { findDifferences } from '../../../core/usecases/payments/ledger-check.js';
import {
  openPonte,
  type PonteScene,
  paidOrder,
  readySeller,
} from '../../support/blindpay/blindpay-ponte.js';

/** Days after the payment was settled, and how soon the change is known, in hours. */
const recalls = [
  [1, 1],
  [2.5, 1],
  [4, 13],
  [8, 13],
  [30, 25],
] as const;

async function pass({ ponte }: PonteScene, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= DAY_MS) await ponte.advanceTime(Math.min(left, DAY_MS));
}

const commandOf = async ({ ponte }: PonteScene, kind: EntryKind, partnerRef: string) =>
  (await ponte.deps.store.run((tx) => tx.commands.byPartnerRef('test', kind, partnerRef))) ??
  assert.fail(`no ${kind} ${partnerRef}`);

for (const kind of entryKinds) {
  test(`a ${kind} that goes back any day after its end is found, booked and raised`, async (t) => {
    const scene = await openPonte(t, 'cfsb');
    await readySeller(scene);
    const { state } = scene.server;
    for (const [index] of recalls.entries()) {
      assert.equal((await paidOrder(scene, `${100 + index}.00`))['status'], 'settled');
    }
    scene.network = async () => undefined;
    let passedMs = 0;
    for (const [index, [day, hours]] of recalls.entries()) {
      await pass(scene, day * DAY_MS - passedMs);
      const one = (kind === 'payin' ? state.payins : state.payouts)[index];
      assert.ok(one !== undefined);
      one.status = 'refunded';
      const before = scene.alerts.length;
      await pass(scene, hours * HOUR_MS);
      passedMs = day * DAY_MS + hours * HOUR_MS;
      const command = await commandOf(scene, kind, one.id);
      assert.equal(command.end, 'returned', `day ${day}`);
      assert.ok(scene.alerts.length > before, `day ${day}: an alert`);
    }
    assert.deepEqual(await findDifferences(scene.ponte.deps, 10), []);
  });
}

test('a pay-in that takes five days and is recalled an hour after its end is found', async (t) => {
  const scene = await openPonte(t, 'cfsb');
  await readySeller(scene);
  const { state } = scene.server;
  state.payinsWait = true;
  const { id } = await paidOrder(scene, '100.00', { to: 'on_ramp_pending' });
  await pass(scene, 5 * DAY_MS);
  const [payin] = state.payins;
  assert.ok(payin !== undefined);
  state.pay(payin.id);
  await pass(scene, 2 * HOUR_MS);
  assert.equal((await scene.ponte.get(`/v1/payments/${id}`))['status'], 'settled');
  scene.network = async () => undefined;
  payin.status = 'refunded';
  await pass(scene, DAY_MS);
  assert.equal((await commandOf(scene, 'payin', payin.id)).end, 'returned');
});
