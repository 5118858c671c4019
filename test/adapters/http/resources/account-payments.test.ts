// Payments of connected accounts over HTTP: sellers that are paid, and buyers that are known.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { signIn } from '../../../../core/usecases/hosted/buyer-steps.js';
import type { Json } from '../../../support/servers/json-call.js';
import { type Answer, refusalOf, sharedSite } from '../checked-site.js';
import { createBody } from '../docs/example-calls.js';
import { newSeller, readySeller } from './account-calls.js';
import { type AccountClient, newAccountClient, reportOn } from './account-client.js';

const site = sharedSite();
let api: AccountClient;

beforeEach(async () => {
  api = await newAccountClient(site);
});

test('only a seller that is ready can be named on a payment', async () => {
  const created = await newSeller(site.world, api.tenant);
  const approved = await api.approvedSeller();
  const rejected = await readySeller(site.world, api.tenant);
  await reportOn(site.world, await api.submissionOf(rejected.id), {
    status: 'rejected',
    reason: 'taken back',
  });
  const buyer = await api.newBuyer('bo@example.com');
  await site.world.settle();
  const externalIds = [created.id, approved, rejected.id, buyer].map(async (id) =>
    String((await api.get(id)).body['externalId']),
  );
  const stranger = await site.world.newTenant();
  const strangers = (await readySeller(site.world, stranger)).externalId;
  for (const sellerExternalId of ['unknown', strangers, ...(await Promise.all(externalIds))]) {
    for (const path of ['/v1/payment-intents', '/v1/payments']) {
      const answer = await api.pay({ ...createBody(), sellerExternalId }, path);
      assert.equal(refusalOf(answer), '400 SellerNotReady', String(sellerExternalId));
    }
  }
});

test('a payment on /v1/payments names a seller; on /v1/payment-intents it may', async () => {
  assert.equal(refusalOf(await api.pay(createBody(), '/v1/payments')), '400 ValidationError');
  const own = await api.pay(createBody(), '/v1/payment-intents');
  assert.equal(own.status, 201);
  const { externalId } = await readySeller(site.world, api.tenant);
  for (const path of ['/v1/payments', '/v1/payment-intents']) {
    const answer = await api.pay({ ...createBody(), sellerExternalId: externalId }, path);
    assert.equal(answer.status, 201);
    assert.equal(answer.body['sellerExternalId'], externalId);
  }
});

test("a payment settles to the PIX of its seller, or to the organization's, and keeps who is paid", async () => {
  const seller = await readySeller(site.world, api.tenant);
  const toSeller = await api.pay({ ...createBody(), sellerExternalId: seller.externalId });
  const toUs = await api.pay(createBody(), '/v1/payment-intents');
  const destinations = await site.world.deps.store.run(async (tx) => {
    const [sellers, ours, profile] = await Promise.all([
      tx.payments.get(api.tenant, String(toSeller.body['id'])),
      tx.payments.get(api.tenant, String(toUs.body['id'])),
      tx.organizations.profile(api.tenant),
    ]);
    assert.equal(ours?.destination, profile?.destinationRef);
    assert.deepEqual([sellers?.payeeName, ours?.payeeName], [seller.legalName, 'Acme Ltda']);
    return [sellers?.destination, ours?.destination];
  });
  assert.equal(destinations[0], seller.destinationRef);
  assert.notEqual(destinations[0], destinations[1]);
  assert.equal((await api.played(toSeller.body['id']))['status'], 'settled');
});

test('running payments of a seller that is rejected go on; the next one is refused', async () => {
  const seller = await readySeller(site.world, api.tenant);
  const body = { ...createBody(), sellerExternalId: seller.externalId };
  const running = await api.pay(body);
  await reportOn(site.world, await api.submissionOf(seller.id), {
    status: 'rejected',
    reason: 'taken back',
  });
  const next = { ...createBody(), sellerExternalId: seller.externalId };
  assert.equal(refusalOf(await api.pay(next)), '400 SellerNotReady');
  // The same create again still answers with what it made.
  assert.equal((await api.pay(body)).status, 200);
  assert.equal((await api.played(running.body['id']))['status'], 'settled');
});

test('a create that races with a rejection is stored before it, or refused', async () => {
  for (let round = 0; round < 10; round += 1) {
    const seller = await readySeller(site.world, api.tenant);
    const [answer] = await Promise.all([
      api.pay({ ...createBody(), sellerExternalId: seller.externalId }),
      reportOn(site.world, await api.submissionOf(seller.id), {
        status: 'rejected',
        reason: 'taken back',
      }),
    ]);
    if (answer.status !== 201) assert.equal(refusalOf(answer), '400 SellerNotReady');
  }
});

test("an approved buyer account counts as this tenant's KYC of that e-mail", async () => {
  const email = 'Carla@Example.com';
  const earlier = await api.pay({ ...createBody(), buyer: { email } }, '/v1/payment-intents');
  assert.equal(kycOf(earlier), 'not_started');
  await api.newBuyer(' carla@example.COM');
  assert.equal(kycOf(await api.readPayment(earlier.body['id'])), 'not_started');
  await site.world.settle();
  assert.equal(kycOf(await api.readPayment(earlier.body['id'])), 'approved');
  const later = await api.pay({ ...createBody(), buyer: { email } }, '/v1/payment-intents');
  assert.equal(kycOf(later), 'approved');
  await signIn(site.world.deps, api.tenant, String(later.body['id']));
  assert.equal((await api.readPayment(later.body['id'])).body['status'], 'buyer_kyc_approved');
});

test('the approval of a buyer account moves the payments that wait for that buyer', async () => {
  const email = 'dora@example.com';
  const waiting = await api.pay({ ...createBody(), buyer: { email } }, '/v1/payment-intents');
  await signIn(site.world.deps, api.tenant, String(waiting.body['id']));
  assert.equal((await api.readPayment(waiting.body['id'])).body['status'], 'buyer_kyc_pending');
  await api.newBuyer(email);
  await site.world.settle();
  assert.equal((await api.readPayment(waiting.body['id'])).body['status'], 'buyer_kyc_approved');
});

test('an approved buyer account is private: it counts with no other organization', async () => {
  const email = 'eva@example.com';
  await api.newBuyer(email);
  await site.world.settle();
  api = await newAccountClient(site);
  const other = await api.pay({ ...createBody(), buyer: { email } }, '/v1/payment-intents');
  assert.equal(kycOf(other), 'not_started');
  await signIn(site.world.deps, api.tenant, String(other.body['id']));
  assert.equal((await api.readPayment(other.body['id'])).body['status'], 'buyer_kyc_pending');
});

test("a buyer's approval taken back: payments up to the quote fail, the next ask again", async () => {
  const email = 'fay@example.com';
  const id = await api.newBuyer(email);
  await site.world.settle();
  const running = await api.pay({ ...createBody(), buyer: { email } }, '/v1/payment-intents');
  await signIn(site.world.deps, api.tenant, String(running.body['id']));
  await reportOn(site.world, await api.submissionOf(id), {
    status: 'rejected',
    reason: 'taken back',
  });
  const next = await api.pay({ ...createBody(), buyer: { email } }, '/v1/payment-intents');
  assert.equal(kycOf(next), 'not_started');
  await signIn(site.world.deps, api.tenant, String(next.body['id']));
  assert.equal((await api.readPayment(next.body['id'])).body['status'], 'buyer_kyc_pending');
  assert.equal((await api.readPayment(running.body['id'])).body['status'], 'failed');
});

function kycOf({ body }: Answer): unknown {
  return (body['buyer'] as Json)['kycStatus'];
}
