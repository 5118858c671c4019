import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/domain/instant.js';
import type { Payment } from '../../../core/domain/payment.js';
import type { Tenant } from '../../../core/domain/tenant.js';
import { inviteBuyer } from '../../../core/usecases/invoices.js';
import { createPayment, readPayment } from '../../../core/usecases/payments.js';
import { redeemSignIn, requestSignIn } from '../../../core/usecases/sign-ins.js';
import { makeInvoice, tokenIn } from '../../support/invoices-made.js';
import { type World, world } from '../../support/small-world.js';

const badLink = { name: 'PonteError', code: 'InvalidSignInLink' };
const email = 'Ana@Example.com';

let made: World;
let tenant: Tenant;

beforeEach(async () => {
  made = await world();
  tenant = { orgId: await made.organization(), mode: 'test' };
});
afterEach(() => made.close());

async function newIntent(home: Tenant = tenant): Promise<Payment> {
  const { payment } = await createPayment(made.deps, home, {
    origin: 'payment_intent',
    idempotencyKey: null,
    externalId: null,
    amount: { amountMinor: 10_000n, currency: 'USD' },
    buyer: { email, name: null, country: null, phone: null },
    sellerExternalId: null,
    returnUrl: null,
    display: null,
    metadata: '{}',
    expiresAtMs: null,
  });
  return payment;
}

/** Asks for a link; answers with the mails that this brought. */
async function ask({ publicId }: Payment, address = email) {
  const before = made.mails.length;
  await requestSignIn(made.deps, publicId, address);
  await made.settle();
  return made.mails.slice(before);
}

test('the buyer asks for a link on the page and is signed in by it', async () => {
  const payment = await newIntent();
  assert.deepEqual(made.mails, [], 'nobody is mailed for a payment intent by itself');
  const [mail] = await ask(payment);
  const view = await redeemSignIn(made.deps, tokenIn(mail));
  assert.equal(view.payment.id, payment.id);
  assert.equal(view.payment.status, 'buyer_kyc_pending');
});

test('addresses are compared trimmed and in lower case; the mail goes to the one given', async () => {
  const payment = await newIntent();
  const [mail] = await ask(payment, '  ana@EXAMPLE.com ');
  assert.equal(mail?.to, email);
});

test('another address gets the same answer and no mail', async () => {
  const payment = await newIntent();
  assert.equal(await requestSignIn(made.deps, payment.publicId, 'eve@example.com'), undefined);
  assert.deepEqual(await ask(payment, 'eve@example.com'), []);
});

test('where there is no page there is nothing to sign in to', async () => {
  const { payment: invoice } = await makeInvoice(made.deps, tenant);
  for (const publicId of ['nothing', invoice.publicId, invoice.id]) {
    await assert.rejects(requestSignIn(made.deps, publicId, email), { code: 'NotFound' });
  }
  await inviteBuyer(made.deps, tenant, invoice.id);
  await requestSignIn(made.deps, invoice.publicId, email);
});

test('a link is good once', async () => {
  const token = tokenIn((await ask(await newIntent()))[0]);
  await redeemSignIn(made.deps, token);
  await assert.rejects(redeemSignIn(made.deps, token), badLink);
});

test('a link that is opened twice at once signs in once', async () => {
  const token = tokenIn((await ask(await newIntent()))[0]);
  const results = await Promise.allSettled(
    Array.from({ length: 5 }, () => redeemSignIn(made.deps, token)),
  );
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('a sign-in link ends after half an hour, an invitation’s after a week', async () => {
  const payment = await newIntent();
  const { payment: invoice } = await makeInvoice(made.deps, tenant);
  await inviteBuyer(made.deps, tenant, invoice.id);
  await made.settle();
  const invitation = tokenIn(made.mails.at(-1));
  const [early, late] = [tokenIn((await ask(payment))[0]), tokenIn((await ask(payment))[0])];
  made.advanceClock(30 * MINUTE_MS - 1);
  await redeemSignIn(made.deps, early);
  made.advanceClock(1);
  await assert.rejects(redeemSignIn(made.deps, late), badLink);
  made.advanceClock(7 * DAY_MS - 30 * MINUTE_MS - 1);
  assert.equal((await redeemSignIn(made.deps, invitation)).payment.id, invoice.id);
});

test('an invitation’s link is refused once its week is over', async () => {
  const { payment: invoice } = await makeInvoice(made.deps, tenant);
  await inviteBuyer(made.deps, tenant, invoice.id);
  await made.settle();
  made.advanceClock(7 * DAY_MS);
  await assert.rejects(redeemSignIn(made.deps, tokenIn(made.mails[0])), badLink);
  const { payment } = await readPayment(made.deps, tenant, invoice.id);
  assert.equal(payment.status, 'awaiting_buyer');
});

test('no text but a token that was sent is taken', async () => {
  const token = tokenIn((await ask(await newIntent()))[0]);
  const flipped = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`;
  for (const text of ['', 'x', flipped, `${token} `, token.slice(0, -1), token.toUpperCase()]) {
    await assert.rejects(redeemSignIn(made.deps, text), badLink);
  }
  await redeemSignIn(made.deps, token);
});

test('an address is sent five sign-in mails an hour, over all its payments', async () => {
  const other: Tenant = { orgId: await made.organization(), mode: 'test' };
  const payments = [await newIntent(), await newIntent(other)] as const;
  const sent = async (index: 0 | 1) => (await ask(payments[index])).length;
  const counts = [];
  for (const index of [0, 1, 0, 1, 0, 1, 0] as const) counts.push(await sent(index));
  assert.deepEqual(counts, [1, 1, 1, 1, 1, 0, 0]);
  made.advanceClock(HOUR_MS - 1);
  assert.equal(await sent(0), 0);
  made.advanceClock(1);
  assert.equal(await sent(0), 1);
});

test('asked for at once, they are five too', async () => {
  const payment = await newIntent();
  await Promise.all(
    Array.from({ length: 7 }, () => requestSignIn(made.deps, payment.publicId, email)),
  );
  await made.settle();
  assert.equal(made.mails.length, 5);
});

test('invitations take nothing of what an address may ask for', async () => {
  const { payment: invoice } = await makeInvoice(made.deps, tenant);
  for (let count = 0; count < 5; count += 1) {
    await inviteBuyer(made.deps, tenant, invoice.id);
    made.advanceClock(MINUTE_MS);
  }
  await made.settle();
  assert.equal(made.mails.length, 5);
  for (let count = 0; count < 5; count += 1) assert.equal((await ask(invoice)).length, 1);
  assert.equal((await ask(invoice)).length, 0);
});
