// What the page of a payment reads besides the payment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { money } from '../../../../core/domain/base/money.js';
import { senderNamesOf } from '../../../../core/domain/payments/payer-facts.js';
import { payConsolidated } from '../../../../core/usecases/hosted/consolidated-payments.js';
import { moneyTimesOf, readPaymentPage } from '../../../../core/usecases/hosted/payment-page.js';
import {
  configureAccountPayout,
  createAccount,
  submitAccount,
} from '../../../../core/usecases/parties/accounts.js';
import { anyAuthor } from '../../../support/samples/domain-samples.js';
import type { Scene } from '../../../support/scenes/command-scene.js';
import { depositScene } from '../../../support/scenes/deposit-scene.js';
import { refusedRefund } from '../../../support/scenes/desk-scene.js';
import { world } from '../../../support/scenes/test-world.js';

test('the page has the tax id of the seller, if the account is still who was paid', async (t) => {
  const { deps, newTenant, newPayment } = await world(t);
  const tenant = await newTenant();
  const { account } = await createAccount(deps, tenant, {
    role: 'seller',
    entityType: 'business',
    externalId: 'seller-1',
    email: 'loja@example.com',
    legalName: null,
    displayName: 'Loja',
    country: null,
    taxId: null,
  });
  const dossier = { legalName: 'Loja Ltda', cnpj: '11.222.333/0001-81' };
  await submitAccount(deps, tenant, account.id, dossier);
  const pix = { pixKey: 'loja@pix.example', accountHolderName: 'Loja Ltda' };
  await configureAccountPayout(deps, tenant, account.id, pix, anyAuthor);
  const shown = async (fields: { readonly sellerExternalId?: string }) => {
    const id = await newPayment(tenant, fields);
    const payment = await deps.store.run((tx) => tx.payments.get(tenant, id));
    return async () => (await readPaymentPage(deps, payment?.publicId ?? '')).payeeTaxIdLast4;
  };
  const ofSeller = await shown({ sellerExternalId: 'seller-1' });
  assert.equal(await ofSeller(), '0181');
  assert.equal(await (await shown({}))(), null);
  await deps.store.run(async (tx) => {
    const known = (await tx.accounts.get(tenant, account.id)) ?? assert.fail();
    tx.accounts.update({ ...known, legalName: 'Another Ltda' });
  });
  assert.equal(await ofSeller(), null);
});

test('a settled payment names who sent the money, if the books do', async (t) => {
  const scene = await depositScene(t);
  const namesOf = async (name: string | null) => {
    const at = await scene.awaiting();
    const partnerRef = `va_${at.id}`;
    const payer = { name, bank: null, texts: [], trace: null };
    await scene.arrive(partnerRef, { payer });
    await at.pass(3);
    const { payment } = await at.read();
    return senderNamesOf(payment.payer);
  };
  assert.deepEqual(await namesOf('Harbor Treasury LLC'), ['Harbor Treasury LLC']);
  assert.deepEqual(await namesOf(null), []);
});

test('a refund was ordered when it was sent to the partner, not when it was owed', () => {
  const owed = [{ id: 'pst_1', atMs: 1, kind: 'refund_owed', lines: [] }] as const;
  const orderedAtMs = (lastSentAtMs: number | null) =>
    moneyTimesOf(owed, [refusedRefund({ lastSentAtMs })]).refundOrderedAtMs;
  assert.equal(orderedAtMs(null), null);
  assert.equal(orderedAtMs(9), 9);
});

test('a settled payment names the transfer that it shares, with those that have money of it', async (t) => {
  const scene = await depositScene(t);
  const all: Scene[] = [];
  for (const amountMinor of [10_000n, 20_000n, 30_000n]) {
    all.push(await scene.priced(amountMinor));
    scene.made.advanceClock(1);
  }
  const read = () => Promise.all(all.map(async (at) => (await at.read()).payment));
  const [first] = await read();
  assert.ok(first);
  const accepted = (await read()).map(({ id: paymentId, quoteId }) => ({ paymentId, quoteId }));
  await payConsolidated(scene.made.deps, first.publicId, accepted, 'en');
  const { reference } = scene.collected[0] ?? assert.fail('nothing is collected');
  const shared = async () => {
    const pages = (await read()).map(({ publicId }) => readPaymentPage(scene.made.deps, publicId));
    return (await Promise.all(pages)).map(({ sharedTransfers }) =>
      sharedTransfers.map(({ amount, others }) => [
        amount.amountMinor,
        others.map(({ id }) => all.findIndex((at) => at.id === id)),
      ]),
    );
  };
  assert.deepEqual(await shared(), [[], [], []]);
  scene.transfer('va_1', reference, { amount: money(30_000n, 'USD') });
  await scene.tell('va_1');
  await all[0]?.pass(3);
  assert.deepEqual(await shared(), [[[30_000n, [1]]], [[30_000n, [0]]], []]);
  scene.transfer('va_2', reference, { amount: money(30_000n, 'USD') });
  await scene.tell('va_2');
  await all[0]?.pass(3);
  assert.deepEqual((await shared())[2], [], 'the second transfer paid it alone');
});
