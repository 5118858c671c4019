// What BlindPay wants of a seller or an organization that it knows, through the whole service over
// the simulator: a request for information, new terms, an approval that it suspends or takes back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/domain/base/instant.js';
import { requestQuote } from '../../../core/usecases/hosted/buyer-steps.js';
import {
  acceptOrganizationTerms,
  readOrganization,
  submitKyb,
} from '../../../core/usecases/parties/organizations.js';
import { addressAgain, question, RFI_LIFE_MS } from '../../support/blindpay/blindpay-compliance.js';
import {
  addressAnswer,
  customerOf,
  dueAddress,
  dueIn,
  file,
  noted,
} from '../../support/blindpay/blindpay-due.js';
import { openPonte, type PonteScene, readySeller } from '../../support/blindpay/blindpay-ponte.js';
import type { Json } from '../../support/servers/json-call.js';

async function seller({ ponte }: PonteScene, id: string): Promise<Json> {
  await ponte.advanceTime(MINUTE_MS);
  return ponte.get(`/v1/connected-accounts/${id}`);
}

test('a seller is suspended by a request, answers it by the API, and collects again', async (t) => {
  const scene = await openPonte(t);
  const { ponte, server } = scene;
  const id = await readySeller(scene);
  const path = `/v1/connected-accounts/${id}`;
  const customerId = customerOf(scene, 'Lima Ltda');
  const rfi = server.state.compliance.ask(customerId, [addressAgain, question]);
  const asked = await seller(scene, id);
  assert.deepEqual([asked['status'], asked['readyToCollect']], ['verifying', false]);
  assert.deepEqual(dueIn(asked), [...dueAddress, 'business_description_explanation']);
  const { dueBy, due } = asked['requirements'] as { dueBy: string; due: readonly Json[] };
  assert.equal(dueBy, rfi.expires_at);
  assert.match(String(due[0]?.['reason']), /doesn't match the address provided/);

  const order = { externalId: 'p1', amount: '100.00', buyer: { email: 'b@buyer.example' } };
  const payment = { ...order, sellerExternalId: 'seller-1' };
  await assert.rejects(ponte.post('/v1/payments', payment), { code: 'SellerNotReady' });

  // Nothing of what is due changes nothing; a part of it is not enough.
  assert.equal((await ponte.post(`${path}/submit`, { phone: '+5511' }))['status'], 'verifying');
  await assert.rejects(ponte.post(`${path}/submit`, addressAnswer), {
    code: 'ConnectedAccountMissingFields',
    message: /business_description_explanation/,
  });
  assert.equal(rfi.status, 'pending');
  const answers = { business_description_explanation: 'We roast coffee.' };
  const wrong = { ...addressAnswer, proofOfAddressDocType: 'TAX_DOCUMENT', answers };
  await assert.rejects(ponte.post(`${path}/submit`, wrong), { code: 'ValidationError' });
  const sent = await ponte.post(`${path}/submit`, { ...addressAnswer, answers });
  assert.deepEqual([sent['status'], dueIn(sent)], ['verifying', []]);
  assert.deepEqual(rfi.response, {
    proof_of_address_doc_type: 'UTILITY_BILL',
    proof_of_address_doc_file: file,
    ...answers,
  });
  const ready = await seller(scene, id);
  assert.deepEqual([ready['status'], ready['readyToCollect']], ['approved', true]);
  assert.equal(server.state.customers.length, 2, 'no second customer');
  const events = ponte.webhooks.map(({ event }) => event);
  assert.deepEqual(events, []);
});

test('an approved customer with an open request keeps collecting, and its answer is enough', async (t) => {
  const scene = await openPonte(t);
  const { ponte, server } = scene;
  const id = await readySeller(scene);
  const rfi = server.state.compliance.ask(
    customerOf(scene, 'Lima Ltda'),
    [addressAgain],
    'approved_rfi',
  );
  const asked = await seller(scene, id);
  assert.deepEqual([asked['status'], asked['readyToCollect']], ['approved', true]);
  assert.deepEqual(dueIn(asked), dueAddress);
  await ponte.post(`/v1/connected-accounts/${id}/submit`, addressAnswer);
  assert.equal(rfi.status, 'submitted');
  const after = await seller(scene, id);
  assert.deepEqual(
    [after['status'], after['readyToCollect'], dueIn(after)],
    ['approved', true, []],
  );
});

test('polls alone bring a request, its answer in the dashboard, and its cancellation', async (t) => {
  const scene = await openPonte(t);
  const { server } = scene;
  const id = await readySeller(scene);
  const { compliance } = server.state;
  const customerId = customerOf(scene, 'Lima Ltda');
  const rfi = compliance.ask(customerId, [addressAgain]);
  assert.deepEqual(dueIn(await seller(scene, id)), dueAddress);
  scene.network = async () => undefined;
  compliance.cancel(rfi, 'approved');
  await scene.ponte.advanceTime(HOUR_MS);
  const cancelled = await seller(scene, id);
  assert.deepEqual([cancelled['status'], dueIn(cancelled)], ['approved', []]);
});

test('each fault of an answer costs no second one', async (t) => {
  for (const fault of ['cut after', 'cut before', '500 before', '500 after', 'late'] as const) {
    const scene = await openPonte(t);
    const { ponte, server } = scene;
    const id = await readySeller(scene);
    const customerId = customerOf(scene, 'Lima Ltda');
    const rfi = server.state.compliance.ask(customerId, [addressAgain]);
    await seller(scene, id);
    server.failNext(`POST /customers/${customerId}/rfi`, fault);
    await ponte.post(`/v1/connected-accounts/${id}/submit`, addressAnswer);
    server.runLate();
    await ponte.advanceTime(HOUR_MS);
    const { status, requirements } = await ponte.get(`/v1/connected-accounts/${id}`);
    assert.deepEqual([status, rfi.status], ['approved', 'submitted'], fault);
    assert.deepEqual(requirements, { due: [], dueBy: null });
  }
});

test('an answer that BlindPay refuses leaves the party as it is, with the request due', async (t) => {
  const scene = await openPonte(t);
  const { ponte, server } = scene;
  const alerts = noted(scene);
  const id = await readySeller(scene);
  const customerId = customerOf(scene, 'Lima Ltda');
  const strict = { key: 'website', label: 'Website', required: true, regex: '^https://www\\.' };
  const section = { title: 'Website', description: 'It does not open.', fields: [strict] };
  const rfi = server.state.compliance.ask(customerId, [section], 'approved_rfi');
  await seller(scene, id);
  const submit = (website: string) =>
    ponte.post(`/v1/connected-accounts/${id}/submit`, { website });
  await submit('https://lima.example');
  const refused = await seller(scene, id);
  assert.deepEqual([refused['status'], dueIn(refused)], ['approved', ['website']]);
  assert.deepEqual(alerts, [
    'the partner refuses the answer of a party: what it wants is still due',
  ]);
  await submit('https://www.lima.example');
  assert.equal(rfi.status, 'submitted');
  assert.deepEqual(dueIn(await seller(scene, id)), []);
});

test('operators are alerted once, a week before the end; without an answer it is rejected', async (t) => {
  const scene = await openPonte(t);
  const { ponte, server } = scene;
  const alerts = noted(scene);
  const id = await readySeller(scene);
  server.state.compliance.ask(customerOf(scene, 'Lima Ltda'), [addressAgain]);
  await ponte.advanceTime(19 * DAY_MS);
  assert.deepEqual(alerts, []);
  await ponte.advanceTime(2 * DAY_MS);
  assert.equal(alerts.length, 1);
  await ponte.advanceTime(RFI_LIFE_MS - 21 * DAY_MS);
  assert.equal(alerts.length, 1);
  const { status, readyToCollect, requirements } = await seller(scene, id);
  assert.deepEqual([status, readyToCollect], ['rejected', false]);
  assert.deepEqual(requirements, { due: [], dueBy: null });
});

test('a company whose activity code is not corrected is rejected, and starts again as another', async (t) => {
  const scene = await openPonte(t);
  const { ponte, server } = scene;
  const id = await readySeller(scene);
  const first = customerOf(scene, 'Lima Ltda');
  server.state.compliance.expectCnae(first, ['4637-1'], 30 * DAY_MS);
  const asked = await seller(scene, id);
  assert.deepEqual([asked['status'], asked['readyToCollect']], ['approved', true]);
  assert.deepEqual(dueIn(asked), ['cnae']);
  await ponte.advanceTime(31 * DAY_MS);
  const rejected = await ponte.get(`/v1/connected-accounts/${id}`);
  assert.deepEqual([rejected['status'], rejected['readyToCollect']], ['rejected', false]);
  const dossier = { email: 'eva@lima.example', legalName: 'Lima Ltda', cnpj: '11.222.333/0001-81' };
  await ponte.post(`/v1/connected-accounts/${id}/submit`, dossier);
  const again = await seller(scene, id);
  assert.deepEqual([again['status'], again['payoutConfigured']], ['approved', false]);
  assert.notEqual(customerOf(scene, 'Lima Ltda'), first);
});

test('new terms are due again; a quote waits for them, and the payment does not fail', async (t) => {
  const scene = await openPonte(t);
  const { ponte, server } = scene;
  const alerts = noted(scene);
  const id = await readySeller(scene);
  const path = `/v1/connected-accounts/${id}`;
  const buyer = { email: 'ana@buyer.example', name: 'Ana Lima', country: 'US' };
  const made = await ponte.post('/v1/payments', {
    externalId: 'p1',
    amount: '1250.00',
    buyer,
    sellerExternalId: 'seller-1',
  });
  const payment = `/v1/payments/${made['id']}`;
  const to = { to: 'buyer_kyc_approved' };
  await ponte.post(`/v1/test-helpers/payments/${made['id']}/advance`, to);
  await ponte.advanceTime(MINUTE_MS);
  assert.equal((await ponte.get(payment))['status'], 'buyer_kyc_approved');

  server.state.compliance.newTerms();
  const quote = () => requestQuote(ponte.deps, ponte.tenant, String(made['id']));
  await assert.rejects(quote, { code: 'PartnerUnavailable' });
  assert.equal((await ponte.get(payment))['status'], 'buyer_kyc_approved');
  assert.equal(alerts.length, 1);
  const asked = await seller(scene, id);
  assert.deepEqual([asked['status'], dueIn(asked)], ['approved', ['tosId']]);

  const redirectUrl = 'https://shop.example/terms';
  const { url } = await ponte.post(`${path}/tos-session`, { redirectUrl });
  const session = new URL(String(url)).searchParams;
  assert.equal(session.get('customer_id'), customerOf(scene, 'Lima Ltda'));
  // Without an acceptance at BlindPay the id proves nothing: the terms stay due.
  await ponte.post(`${path}/tos-accepted`, { tosId: 'to_00000000none' });
  assert.deepEqual(dueIn(await seller(scene, id)), ['tosId']);
  const customerId = session.get('customer_id');
  server.state.compliance.accept('to_000000000001', 'key', customerId);
  await ponte.post(`${path}/tos-accepted`, { tosId: 'to_000000000001' });
  assert.deepEqual(dueIn(await seller(scene, id)), []);
  assert.notEqual(await quote(), null);
});

test('the organization’s request is shown, and answered by submitting its KYB again', async (t) => {
  const scene = await openPonte(t);
  const { ponte, server } = scene;
  const alerts = noted(scene);
  const { deps, tenant } = ponte;
  const customerId = customerOf(scene, 'Test');
  const rfi = server.state.compliance.ask(customerId, [addressAgain]);
  await ponte.advanceTime(MINUTE_MS);
  const profile = async () => (await readOrganization(deps, tenant.orgId)).profiles.test;
  const asked = await profile();
  assert.deepEqual([asked.status, asked.answerByMs], ['verifying', Date.parse(rfi.expires_at)]);
  assert.equal(alerts.length, 1);
  await assert.rejects(submitKyb(deps, tenant, { proofOfAddressDocFile: file }), {
    code: 'ValidationError',
    message: /^proofOfAddressDocType: /,
  });
  await submitKyb(deps, tenant, { ...addressAnswer, proofOfAddressDocType: 'UTILITY_BILL' });
  assert.equal(rfi.status, 'submitted');
  await ponte.advanceTime(MINUTE_MS);
  const answered = await profile();
  assert.deepEqual([answered.status, answered.corrections], ['approved', null]);
  assert.equal(answered.railsRef, asked.railsRef);

  server.state.compliance.newTerms();
  server.state.setKyc(customerId, 'approved');
  await ponte.advanceTime(MINUTE_MS);
  await assert.rejects(acceptOrganizationTerms(deps, tenant, null), { message: /customer_id=re_/ });
  server.state.compliance.accept('to_000000000002', 'key', customerId);
  await acceptOrganizationTerms(deps, tenant, 'to_000000000002');
  await ponte.advanceTime(MINUTE_MS);
  const renewed = await profile();
  assert.deepEqual([renewed.tosId, renewed.corrections], ['to_000000000002', null]);
});
