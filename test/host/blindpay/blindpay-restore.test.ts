// The check after a restore with BlindPay, which stores no reference of ours with a pay-in: its
// books answer for all payments, so the check is complete without a question per payment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '../../../core/domain/base/instant.js';
import type { MoneyKind } from '../../../core/domain/commands/partner-command.js';
import type { PartnerAnswer } from '../../../core/ports/partner.js';
import type { CheckedPayment } from '../../../core/usecases/money-desk/payment-check.js';
import { checkRestored, isCheckComplete } from '../../../core/usecases/money-desk/restore-check.js';
import {
  commandReference,
  commandSubject,
} from '../../../core/usecases/payments/command-references.js';
import { findDifferences } from '../../../core/usecases/payments/ledger-check.js';
import { endQuarantine, quarantineRestored } from '../../../core/usecases/service/epochs.js';
import { currentKey } from '../../../core/usecases/service/service-keys.js';
import {
  openPonte,
  type PonteScene,
  paidOrder,
  readySeller,
} from '../../support/blindpay/blindpay-ponte.js';

function done<T>(answer: PartnerAnswer<T>): T {
  return answer.outcome === 'done' ? answer.value : assert.fail(JSON.stringify(answer));
}

/** What the lost time ordered for a payment that the backup has with its quote. */
async function orderedInTheLostTime({ ponte, server }: PonteScene, id: string): Promise<void> {
  const { deps, tenant } = ponte;
  const partner = deps.partners.test ?? assert.fail('BlindPay is the partner');
  const payment = await deps.store.run((tx) => tx.payments.get(tenant, id));
  const quote = await deps.store.run((tx) => tx.quotes.get(tenant, payment?.quoteId ?? ''));
  assert.ok(payment !== null && quote !== null);
  const { bytes } = await currentKey(deps, 'partner');
  const referenceOf = (kind: MoneyKind) =>
    commandReference(bytes, { subject: commandSubject(payment), kind, number: 1 });
  const payer = { payerEmail: payment.buyer.email, payerReference: 'AAAA-AAAA' };
  const asked = { reference: referenceOf('payin'), quote, ...payer };
  const { partnerRef } = done(await partner.payin.start(done(await partner.payin.prepare(asked))));
  server.state.pay(partnerRef);
  await ponte.advanceTime(10 * MINUTE_MS);
  server.state.tick();
  const { amount, destination, purpose } = payment;
  const reference = referenceOf('payout');
  const money = { reference, amount, destination, payinRefs: [partnerRef], quote, purpose };
  done(await partner.payout.start(done(await partner.payout.prepare(money))));
  await ponte.advanceTime(10 * MINUTE_MS);
  server.state.tick();
}

test('a check with BlindPay is complete, and asks nothing about a payment that did not change', async (t) => {
  const scene = await openPonte(t);
  await readySeller(scene);
  const { deps } = scene.ponte;
  for (const amount of ['100.00', '101.00', '102.00']) await paidOrder(scene, amount);
  scene.server.state.payinsWait = true;
  for (const amount of ['103.00', '104.00', '105.00']) {
    await paidOrder(scene, amount, { to: 'on_ramp_pending' });
  }
  const { id } = await paidOrder(scene, '106.00', { to: 'fx_quoted', lastsMs: MINUTE_MS });
  // Messages of the lost time went to the lost database.
  scene.network = async () => undefined;
  await quarantineRestored(deps);
  await orderedInTheLostTime(scene, String(id));
  const before = scene.server.calls.length;
  const found: CheckedPayment[] = [];
  const counts = await checkRestored(deps, (payment) => found.push(payment));
  const calls = scene.server.calls.slice(before).map(({ method, path }) => `${method} ${path}`);
  assert.ok(isCheckComplete(counts), JSON.stringify(counts));
  assert.deepEqual([counts.payments, counts.deposits, counts.unknownPayouts], [7, 0, 0]);
  assert.deepEqual(
    found.map(({ paymentId, is }) => [paymentId, is]),
    [[id, 'settled']],
  );
  // Both books, and what is new.
  const lost = scene.server.state.payouts.at(-1);
  assert.deepEqual(calls, ['GET /payins', 'GET /payouts', `GET /payouts/${lost?.id}`]);
  await endQuarantine(deps, { by: 'ana', forcedBecause: null });
  await scene.ponte.advanceTime(60 * MINUTE_MS);
  assert.equal(scene.server.state.payouts.length, 4);
  assert.deepEqual(await findDifferences(deps, 10), []);
});
