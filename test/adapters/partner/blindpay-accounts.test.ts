// Virtual accounts at BlindPay: which reference a buyer is shown, and that a deposit is not taken
// for a pay-in whose call has no answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done } from '../../../adapters/partner-kit/conformance-harness.js';
import { HOUR_MS } from '../../../core/domain/base/instant.js';
import {
  type BlindPayScene,
  blindPay,
  destinationAt,
  usd,
} from '../../support/blindpay/blindpay-scene.js';

const route = { bankingPartner: 'jpmorgan' };

/** A prepared pay-in of 1,250.00 USD to a customer, with a virtual account or without. */
async function prepared(scene: BlindPayScene, hasAccount = true) {
  const destinationRef = await destinationAt(scene);
  const [partyRef = ''] = destinationRef.split('.');
  const { partner, server } = scene;
  if (hasAccount) done(await partner.provisionRails({ partyRef, destinationRef, key: 'k' }));
  const quote = done(await partner.quote({ source: usd(125_000n), destination: destinationRef }));
  const payer = { payerEmail: 'ana@buyer.example', payerReference: '7KQ4-M2XD' };
  const request = done(await partner.payin.prepare({ reference: 'reference-1', quote, ...payer }));
  const account = server.state.virtualAccounts.find((one) => one.customer_id === partyRef);
  return { request, virtualAccountId: account?.id ?? '' };
}

async function shownAfterStart({ partner }: BlindPayScene, request: string) {
  const { instructions } = done(await partner.payin.start(request));
  return [instructions?.reference, instructions?.referenceRequired, instructions?.holder];
}

async function shown(scene: BlindPayScene, request: string) {
  const details = await shownAfterStart(scene, request);
  const found = done(await scene.partner.payin.find(request))?.instructions;
  const again = [found?.reference, found?.referenceRequired, found?.holder];
  assert.deepEqual(again, details, 'a look-up gives the same details');
  return details;
}

test('what a wallet holds is in whole tokens there, and in cents here', async (t) => {
  const scene = await blindPay(t);
  const destination = await destinationAt(scene);
  const { wallets } = scene.partner;
  const wallet = wallets?.walletOf(destination) ?? assert.fail('a wallet');
  for (const cents of [0, 1, 29, 1_050, 123_456_789]) {
    scene.server.state.otherTokens.set(wallet.split('.')[1] ?? '', cents);
    const answer = await wallets?.balance(wallet);
    assert.deepEqual(answer, { outcome: 'done', value: usd(BigInt(cents)) });
  }
  assert.equal(wallets?.walletOf('nonsense'), null);
});

test('where BlindPay ignores its memo code, the buyer is shown a reference of ours', async (t) => {
  const scene = await blindPay(t, { route });
  const { request } = await prepared(scene);
  assert.deepEqual(await shown(scene, request), ['7KQ4-M2XD', false, 'payee']);
});

test('a customer without a virtual account needs the memo code, with the setting and without', async (t) => {
  for (const given of [{ route }, {}]) {
    const scene = await blindPay(t, given);
    const { request } = await prepared(scene, false);
    const [reference, ...others] = await shown(scene, request);
    assert.match(`${reference}`, /^[0-9A-F]{8}$/);
    assert.deepEqual(others, [true, 'partner']);
  }
});

test('without an answer about virtual accounts the memo code counts', async (t) => {
  const scene = await blindPay(t, { route });
  const { request } = await prepared(scene);
  const { customerId } = JSON.parse(request);
  scene.server.failNext(`GET /customers/${customerId}/virtual-accounts`, '500 before');
  const [reference, ...others] = await shownAfterStart(scene, request);
  assert.match(`${reference}`, /^[0-9A-F]{8}$/);
  assert.deepEqual(others, [true, 'partner']);
});

test('a deposit of another amount or time leaves no doubt about a call without an answer', async (t) => {
  const deposits = [
    { amountMinor: 99_900, laterMs: 0, isDoubtful: false },
    { amountMinor: 125_000, laterMs: 2 * HOUR_MS, isDoubtful: false },
    { amountMinor: 125_000, laterMs: 0, isDoubtful: true },
  ];
  for (const { amountMinor, laterMs, isDoubtful } of deposits) {
    const scene = await blindPay(t, { route });
    const { request, virtualAccountId } = await prepared(scene);
    scene.pass(laterMs);
    scene.server.state.deposit({ virtualAccountId, amountMinor, isQuoted: false });
    const found = await scene.partner.payin.find(request);
    assert.equal(found.outcome, isDoubtful ? 'later' : 'done');
    if (found.outcome === 'done') assert.equal(found.value, null);
  }
});

test('a pay-in that was prepared by an earlier version is found and started', async (t) => {
  const scene = await blindPay(t, { route });
  const { request } = await prepared(scene);
  const { kind, reference, customerId, quoteId } = JSON.parse(request);
  const older = JSON.stringify({ kind, reference, customerId, quoteId });
  assert.equal(done(await scene.partner.payin.find(older)), null);
  const { partnerRef, instructions } = done(await scene.partner.payin.start(older));
  assert.equal(done(await scene.partner.payin.find(older))?.partnerRef, partnerRef);
  assert.deepEqual([instructions?.reference, instructions?.referenceRequired], [null, false]);
});
