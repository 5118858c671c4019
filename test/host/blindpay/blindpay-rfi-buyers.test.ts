// What BlindPay wants of a buyer that it knows, by the API and by the form of the hosted page,
// through the whole service over the simulator.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/domain/base/instant.js';
import { signIn } from '../../../core/usecases/hosted/buyer-steps.js';
import {
  acceptKycTerms,
  openKycForm,
  saveKycPage,
  submitKycForm,
} from '../../../core/usecases/hosted/kyc-forms.js';
import { storePageDocument } from '../../../core/usecases/hosted/page-documents.js';
import { question } from '../../support/blindpay/blindpay-compliance.js';
import { dueIn, noted } from '../../support/blindpay/blindpay-due.js';
import { openPonte, type PonteScene } from '../../support/blindpay/blindpay-ponte.js';
import { ana } from '../../support/samples/dossiers.js';
import { inChunks, jpeg, typedPerson } from '../../support/scenes/form-scene.js';

const buyerBody = {
  entityType: 'individual',
  buyerEmail: 'ana@example.com',
  buyerCountry: 'US',
  ...ana,
};

test('a buyer’s request is read and answered by the API, before and after its approval', async (t) => {
  const scene = await openPonte(t);
  const { ponte, server } = scene;
  const kyc = await ponte.post('/v1/buyer-kyc', buyerBody);
  await ponte.advanceTime(MINUTE_MS);
  const read = async () => {
    await ponte.advanceTime(MINUTE_MS);
    return ponte.get(`/v1/buyer-kyc/${kyc['buyerId']}/requirements`);
  };
  assert.deepEqual(await read(), { due: [], dueBy: null });
  for (const status of ['compliance_request', 'approved_rfi'] as const) {
    const rfi = server.state.compliance.ask(
      server.state.customers.at(-1)?.id ?? '',
      [question],
      status,
    );
    assert.deepEqual(dueIn(await read()), ['business_description_explanation']);
    const start = { entityType: 'individual', buyerEmail: 'ana@example.com' };
    const answers = { business_description_explanation: 'A holiday.' };
    const sent = await ponte.post('/v1/buyer-kyc', { ...start, answers });
    const stays = status === 'approved_rfi';
    assert.deepEqual([sent['id'], sent['status']], [kyc['id'], stays ? 'approved' : 'verifying']);
    assert.equal(rfi.status, 'submitted');
    assert.deepEqual(await read(), { due: [], dueBy: null });
    const again = await ponte.post('/v1/buyer-kyc', buyerBody);
    assert.deepEqual([again['id'], again['status']], [kyc['id'], 'approved']);
  }
});

async function formOf({ ponte }: PonteScene) {
  const { deps, tenant } = ponte;
  const buyer = { email: 'bea@buyer.example', name: 'Bea', country: 'US' };
  const made = await ponte.post('/v1/payment-intents', {
    externalId: 'f1',
    amount: '90.00',
    buyer,
  });
  const paymentId = String(made['id']);
  await signIn(deps, tenant, paymentId);
  const none = { submissionId: null, accountId: null, ownerIndex: null };
  const visitor = { ...tenant, kind: 'buyer', paymentId, ...none } as const;
  const type = (page: 'type' | 'person', typed: Readonly<Record<string, string>>) =>
    saveKycPage(deps, visitor, { page, typed });
  await type('type', { entityType: 'individual' });
  await type('person', typedPerson);
  const upload = (kind: 'selfie' | 'id_doc_front') =>
    storePageDocument(deps, visitor, {
      kind,
      owner: null,
      declaredType: '',
      bytes: inChunks(jpeg),
    });
  for (const kind of ['selfie', 'id_doc_front'] as const) assert.equal(await upload(kind), null);
  const open = () => openKycForm(deps, visitor);
  const send = async () => submitKycForm(deps, visitor, (await open()).version);
  return { visitor, open, send, upload, type, paymentId };
}

const idAgain = {
  title: 'Identity document',
  description: 'The photo is blurred.',
  fields: [{ key: 'id_doc_front_file', label: 'Front', required: true }],
};

test('a buyer corrects on the page what the request names, and is approved', async (t) => {
  const scene = await openPonte(t);
  const { ponte, server } = scene;
  const form = await formOf(scene);
  server.state.kycDelayMs = DAY_MS;
  assert.equal((await form.send()).outcome, 'submitted');
  const customer = server.state.customers.at(-1)?.id ?? '';
  const rfi = server.state.compliance.ask(customer, [idAgain]);
  await ponte.advanceTime(MINUTE_MS);
  const asked = await form.open();
  assert.equal(asked.state, 'corrections');
  const [correction] = asked.corrections;
  assert.deepEqual(correction?.place, { field: 'idDocFrontFile', owner: null });
  assert.match(correction?.reason ?? '', /The photo is blurred/);
  assert.equal((await form.send()).outcome, 'incomplete', 'it is not corrected');
  assert.equal(await form.upload('id_doc_front'), null);
  server.state.kycDelayMs = 2_000;
  assert.equal((await form.send()).outcome, 'submitted');
  assert.deepEqual(Object.keys(rfi.response), ['id_doc_front_file']);
  await ponte.advanceTime(MINUTE_MS);
  assert.equal((await form.open()).state, 'approved');
});

test('a request that the form does not ask is shown, alerted, and ends in the dashboard', async (t) => {
  const scene = await openPonte(t);
  const { ponte, server } = scene;
  const alerts = noted(scene);
  const form = await formOf(scene);
  server.state.kycDelayMs = 30 * DAY_MS;
  await form.send();
  const { compliance } = server.state;
  const rfi = compliance.ask(server.state.customers.at(-1)?.id ?? '', [question]);
  await ponte.advanceTime(MINUTE_MS);
  const asked = await form.open();
  assert.equal(asked.state, 'corrections');
  assert.equal(asked.corrections[0]?.place, null);
  assert.match(asked.corrections[0]?.reason ?? '', /doesn't match the company's website/);
  assert.equal(alerts.length, 1);
  const sent = await form.send();
  assert.equal(sent.outcome, 'refused');
  assert.equal(rfi.status, 'pending');
  // A person answers in the dashboard of BlindPay.
  compliance.answer(rfi.customer_id, { business_description_explanation: 'Coffee.' });
  await ponte.advanceTime(HOUR_MS);
  assert.equal((await form.open()).state, 'verifying');
});

test('terms that were not accepted, or serve another, lead the buyer back to the terms', async (t) => {
  const scene = await openPonte(t);
  const { ponte, server } = scene;
  const { deps } = ponte;
  const partner = deps.partners.test ?? assert.fail('a partner');
  const requirements = partner.requirements.bind(partner);
  Object.assign(partner, {
    requirements: (...of: Parameters<typeof requirements>) => [...requirements(...of), 'tosId'],
  });
  const form = await formOf(scene);
  await acceptKycTerms(deps, form.visitor, 'to_made_up_here');
  await form.send();
  await ponte.advanceTime(MINUTE_MS);
  const refused = await form.open();
  assert.equal(refused.state, 'corrections');
  assert.deepEqual(refused.corrections[0]?.place, { field: 'tosId', owner: null });
  assert.equal((await form.send()).outcome, 'incomplete');
  server.state.compliance.accept('to_000000000003', 'key');
  await acceptKycTerms(deps, form.visitor, 'to_000000000003');
  assert.equal((await form.send()).outcome, 'submitted');
  await ponte.advanceTime(MINUTE_MS);
  assert.equal((await form.open()).state, 'approved');
});
