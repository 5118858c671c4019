// Which payments a buyer can pay with one transfer, and what the confirmation of their prices does.
// How the money is split: consolidated-deposits.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import { isCode } from '../../../../core/errors.js';
import { requestQuote } from '../../../../core/usecases/hosted/buyer-steps.js';
import {
  CONSOLIDATED_MAX,
  consolidatableOf,
  offerConsolidated,
  payConsolidated,
} from '../../../../core/usecases/hosted/consolidated-payments.js';
import { endQuarantine, quarantineRestored } from '../../../../core/usecases/service/epochs.js';
import { aDeposit } from '../../../support/samples/deposit-samples.js';
import type { Scene } from '../../../support/scenes/command-scene.js';
import { refundDeposit } from '../../../support/scenes/deposit-decisions.js';
import {
  type DepositScene,
  depositScene,
  storeDeposit,
} from '../../../support/scenes/deposit-scene.js';

async function pageOf(at: Scene): Promise<string> {
  return (await at.read()).payment.publicId;
}

async function accepted(...all: readonly Scene[]) {
  const read = await Promise.all(all.map((at) => at.read()));
  return read.map(({ payment }) => ({ paymentId: payment.id, quoteId: payment.quoteId }));
}

async function pay(scene: DepositScene, ...all: readonly [Scene, ...Scene[]]) {
  const page = await pageOf(all[0]);
  return payConsolidated(scene.made.deps, page, await accepted(...all), 'es');
}

async function isUntouched(at: Scene): Promise<void> {
  const { payment } = await at.read();
  assert.deepEqual([payment.status, payment.consolidatedReference], ['fx_quoted', null]);
}

test('an offer asks for the prices that are missing or over, and has the total', async (t) => {
  const scene = await depositScene(t);
  const { deps } = scene.made;
  const priced = await scene.priced(10_000n);
  const over = await scene.priced(20_000n);
  scene.made.advanceClock(DAY_MS);
  await requestQuote(deps, scene.tenant, priced.id);
  const { quoteId } = (await priced.read()).payment;
  const offer = await offerConsolidated(deps, await pageOf(priced), [priced.id, over.id]);
  assert.equal(offer.total.amountMinor, 30_000n);
  const quotes = offer.payments.map(({ quote }) => quote);
  assert.equal(quotes[0]?.id, quoteId, 'the price that holds stays');
  assert.ok((quotes[1]?.expiresAtMs ?? 0) > deps.clock.nowMs());
});

test('if one price has ended or changed, no payment is changed and the partner is not asked', async (t) => {
  const scene = await depositScene(t);
  const [one, other] = [await scene.priced(10_000n), await scene.priced(20_000n)];
  const shown = await accepted(one, other);
  const page = await pageOf(one);
  await requestQuote(scene.made.deps, scene.tenant, other.id);
  const changed = payConsolidated(scene.made.deps, page, shown, null);
  await assert.rejects(changed, (error) => isCode(error, 'QuoteChanged'));
  scene.made.advanceClock(DAY_MS);
  await assert.rejects(pay(scene, one, other), (error) => isCode(error, 'QuoteExpired'));
  for (const at of [one, other]) await isUntouched(at);
  assert.deepEqual(scene.collected, []);
});

test('how many payments are chosen is checked before any is read', async (t) => {
  const { made } = await depositScene(t);
  const many = Array.from({ length: CONSOLIDATED_MAX + 1 }, (_, at) => `pi_${at}`);
  const invalid = (error: unknown) => isCode(error, 'ValidationError');
  await assert.rejects(offerConsolidated(made.deps, 'no-page', many), invalid);
  const shown = many.map((paymentId) => ({ paymentId, quoteId: null }));
  await assert.rejects(payConsolidated(made.deps, 'no-page', shown, null), invalid);
  await assert.rejects(payConsolidated(made.deps, 'no-page', [], null), invalid);
});

test('one payment, and payments in two currencies, cannot be paid together', async (t) => {
  const scene = await depositScene(t);
  const one = await scene.priced(10_000n);
  const euros = await scene.made.newPayment(scene.tenant, { amount: money(1_000n, 'EUR') });
  await scene.made.play(scene.tenant, euros, 'fx_quoted');
  const page = await pageOf(one);
  const { deps } = scene.made;
  const alone = offerConsolidated(deps, page, [one.id, one.id]);
  await assert.rejects(alone, (error) => isCode(error, 'ValidationError'));
  const mixed = offerConsolidated(deps, page, [one.id, euros]);
  await assert.rejects(mixed, (error) => isCode(error, 'PaymentStateConflict'));
  await isUntouched(one);
});

test('while a deposit from before a restore waits, no bank details are given', async (t) => {
  const scene = await depositScene(t);
  const { deps } = scene.made;
  const [one, other] = [await scene.priced(10_000n), await scene.priced(20_000n)];
  // However many wait for others.
  await deps.store.run(async (tx) => {
    for (let at = 0; at < 250; at += 1) {
      const other = { id: `dep_0_${at}`, partnerRef: `va_other_${at}`, partyRef: 're_other' };
      storeDeposit(tx, aDeposit({ ...other, enteredAtMs: deps.clock.nowMs() }));
    }
  });
  scene.deposit('va_1', { amount: money(30_000n, 'USD') });
  scene.made.advanceClock(1_000);
  await quarantineRestored(deps);
  await endQuarantine(deps, { by: 'ana', forcedBecause: 'a test' });
  await scene.tell('va_1');
  const conflict = (error: unknown) => isCode(error, 'PaymentStateConflict');
  const offer = offerConsolidated(deps, await pageOf(one), [one.id, other.id]);
  await assert.rejects(offer, conflict);
  await assert.rejects(pay(scene, one, other), conflict);
  assert.deepEqual(scene.collected, []);
  for (const at of [one, other]) await isUntouched(at);
  await refundDeposit(deps, (await scene.found('va_1')).id);
  await pay(scene, one, other);
  assert.equal(scene.collected.length, 1);
});

test('two confirmations at a time with one payment in both: one wins', async (t) => {
  const scene = await depositScene(t);
  const [one, both, other] = [
    await scene.priced(10_000n),
    await scene.priced(20_000n),
    await scene.priced(30_000n),
  ];
  const done = await Promise.allSettled([pay(scene, one, both), pay(scene, other, both)]);
  assert.deepEqual(done.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  const references = await Promise.all(
    [one, both, other].map(async (at) => (await at.read()).payment.consolidatedReference),
  );
  assert.equal(references.filter((reference) => reference === null).length, 1);
  assert.equal(new Set(references.filter((reference) => reference !== null)).size, 1);
});

test('a payment with an own pay-in joins, and its bank details become those of all', async (t) => {
  const scene = await depositScene(t);
  const [priced, own] = [await scene.priced(10_000n), await scene.awaiting(20_000n)];
  const before = (await own.read()).payment.bankDetailsCode;
  await pay(scene, priced, own);
  const { payment } = await own.read();
  const [{ reference, amount } = { reference: '', amount: money(0n, 'USD') }] = scene.collected;
  assert.equal(payment.payinInstructions?.reference, reference);
  assert.equal(amount.amountMinor, 30_000n);
  assert.notEqual(payment.bankDetailsCode, before);
  // Its own pay-in that nobody pays does not end it.
  const nothing = { received: money(0n, 'USD'), transactionHash: null, reason: 'nobody paid' };
  await own.answer('payin', { status: 'failed', ...nothing });
  assert.equal((await own.shown())[0], 'on_ramp_pending');
  await scene.pay('va_1', reference, amount.amountMinor);
  await own.pass(3);
  assert.deepEqual(
    [(await priced.shown())[0], (await own.shown())[0]],
    ['settled', 'settled'],
    'both are paid',
  );
});

test('money for a pay-in and for the transfer: the surplus is owed back', async (t) => {
  const scene = await depositScene(t);
  const [priced, own] = [await scene.priced(10_000n), await scene.awaiting(20_000n)];
  await pay(scene, priced, own);
  const paid = { received: money(20_000n, 'USD'), transactionHash: null, reason: null };
  await own.report('payin', { status: 'completed', ...paid });
  const [{ reference, amount } = { reference: '', amount: money(0n, 'USD') }] = scene.collected;
  await scene.pay('va_1', reference, amount.amountMinor);
  await own.pass(3);
  assert.equal(await own.summary(), 'settled paid none 200 200 0 0 0');
  assert.match(await priced.summary(), /^settled paid needs_review 300 100 200 0 0$/);
});

test('the list offers payments that have others with them', async (t) => {
  const scene = await depositScene(t);
  const { deps } = scene.made;
  const [one, other, done] = [
    await scene.priced(10_000n),
    await scene.awaiting(20_000n),
    await scene.awaiting(30_000n),
  ];
  await scene.arrive('va_1', { amount: money(30_000n, 'USD') });
  await done.pass(3);
  const all = await Promise.all([one, other, done].map(async (at) => (await at.read()).payment));
  assert.deepEqual(
    [...(await consolidatableOf(deps, all))].toSorted(),
    [one.id, other.id].toSorted(),
  );
  assert.deepEqual([...(await consolidatableOf(deps, all.slice(1)))], []);
});
