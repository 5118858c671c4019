// A buyer's KYC that is started without a dossier: it is verifying, nothing goes to the partner,
// and the dossier that comes later joins the same submission.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tenantOf } from '../../../../core/domain/base/tenant.js';
import type { KycSubmission } from '../../../../core/domain/parties/buyer-kyc.js';
import { signIn } from '../../../../core/usecases/hosted/buyer-steps.js';
import { submitBuyerKyc } from '../../../../core/usecases/parties/kyc.js';
import { readDraft } from '../../../../core/usecases/parties/kyc-drafts.js';
import { advancePayment } from '../../../../core/usecases/sandbox/sandbox.js';
import { acme, ana } from '../../../support/samples/dossiers.js';
import {
  business,
  commandsOf,
  decided,
  hosted,
  individual,
  type Scene,
  scene,
  sentByPerson,
} from '../../../support/scenes/kyc-scene.js';

test('without entityType the submission is verifying, under one id, and nothing is sent', async (t) => {
  const made = await scene(t);
  const paymentId = await made.pay();
  const said = { ...hosted, name: 'Ana Lima', dossier: { country: 'PT', phone: '+351 1' } };
  const first = await made.start(said);
  assert.deepEqual([first.status, first.partnerRef], ['verifying', null]);
  assert.match(first.flowId ?? '', /^[a-z0-9]{28}$/);
  made.advanceClock(5);
  const again = await made.start({ ...hosted, dossier: { phone: '+351 2' } });
  assert.deepEqual(
    [again.id, again.flowId, again.submittedAtMs],
    [first.id, first.flowId, first.submittedAtMs],
  );
  const { name, dossier } = readDraft(made.deps, again);
  assert.equal(name, 'Ana Lima');
  assert.deepEqual(dossier, { country: 'PT', phone: '+351 2' });
  assert.ok(!again.draftSealed?.includes('Lima'));
  const found = await made.deps.store.run((tx) => tx.buyers.submissionByFlow(first.flowId ?? ''));
  assert.deepEqual(found, again);
  await made.settle();
  assert.deepEqual(await commandsOf(made), []);
  assert.equal(await decided(made, first), 'verifying', 'no decision comes without a dossier');
  assert.equal(await made.kycStatusOf(paymentId), 'verifying');
});

test('a later dossier joins the submission, of a person or a business, and is decided on', async (t) => {
  for (const start of [individual, business]) {
    const made = await scene(t);
    const waiting = await made.start(hosted);
    made.advanceClock(5);
    const joined = await made.start(start);
    assert.partialDeepStrictEqual(joined, { id: waiting.id, receiverId: waiting.receiverId });
    assert.partialDeepStrictEqual(joined, { status: 'verifying', draftSealed: null });
    assert.equal(joined.submittedAtMs, waiting.submittedAtMs + 5);
    assert.deepEqual(await made.start(hosted), joined, 'the form is not offered any more');
    await made.settle();
    assert.equal(await decided(made, waiting), 'approved');
    assert.equal((await commandsOf(made)).length, 1);
  }
});

test('the dossier of the hosted form joins it too, and the payment that waits goes on', async (t) => {
  const made = await scene(t);
  const waiting = await made.start(hosted);
  const paymentId = await made.pay();
  await signIn(made.deps, made.tenant, paymentId);
  assert.equal(await made.statusOf(paymentId), 'buyer_kyc_pending');
  const person = { entityType: 'individual', ...ana } as const;
  const joined = await submitBuyerKyc(made.deps, made.tenant, paymentId, person);
  assert.equal(joined.id, waiting.id);
  await made.settle();
  assert.equal(await made.statusOf(paymentId), 'buyer_kyc_approved');
});

test('the sandbox buyer fills the form in', async (t) => {
  const made = await scene(t);
  const waiting = await made.start(hosted);
  const paymentId = await made.pay();
  await advancePayment(made.deps, made.tenant, paymentId, 'buyer_kyc_approved');
  for (let looks = 0; (await made.statusOf(paymentId)) !== 'buyer_kyc_approved'; looks += 1) {
    assert.ok(looks < 20, await made.statusOf(paymentId));
    await made.settle();
    made.advanceClock(1_000);
  }
  assert.equal(await decided(made, waiting), 'approved');
});

test('a dossier that is refused leaves the submission awaiting another', async (t) => {
  const made = await scene(t);
  const waiting = await made.start(hosted);
  const wrong = [
    { ...individual, dossier: {} },
    { ...business, dossier: { ...acme, kycTier: 'enhanced' } },
    { ...individual, dossier: { ...ana, selfieFile: 'http://files.example/selfie.jpg' } },
  ] as const;
  for (const start of wrong) await assert.rejects(made.start(start));
  const still = await made.start(hosted);
  assert.deepEqual([still.id, still.flowId], [waiting.id, waiting.flowId]);
  assert.notEqual(still.draftSealed, null);
  assert.equal((await made.start()).id, waiting.id);
});

test('a rejection of the dossier ends it; the next start without one begins afresh', async (t) => {
  const made = await scene(t);
  const waiting = await made.start(hosted);
  await made.start({ ...individual, dossier: { ...ana, firstName: 'Fail' } });
  await made.settle();
  assert.equal(await decided(made, waiting), 'rejected');
  made.advanceClock(1);
  const fresh = await made.start(hosted);
  assert.equal(fresh.status, 'verifying');
  assert.notEqual(fresh.id, waiting.id);
  assert.notEqual(fresh.flowId, waiting.flowId);
});

test('terms accepted with either start count for both', async (t) => {
  const made = await scene(t);
  const waiting = await made.start({ ...hosted, dossier: { tosId: 'tos_1' } });
  const other = { ...individual, dossier: { ...ana, tosId: 'tos_2' } };
  await assert.rejects(made.start(other), { code: 'TosIdMismatch' });
  const joined = await made.start();
  assert.deepEqual([joined.id, joined.tosId], [waiting.id, 'tos_1']);
});

test('starts with and without a dossier that race are one submission and one command', async (t) => {
  for (let round = 0; round < 5; round += 1) {
    const made = await scene(t);
    const starts = Array.from({ length: 8 }, (_, at) => made.start(at % 2 ? individual : hosted));
    const all = await Promise.all(starts);
    assert.equal(new Set(all.map(({ id }) => id)).size, 1);
    assert.ok(all.every(({ status }) => status === 'verifying'));
    assert.equal((await commandsOf(made)).length, 1);
    await made.settle();
    assert.equal(await decided(made, all[0] as KycSubmission), 'approved');
  }
});

test('a buyer who is verified elsewhere and signs in needs the form no more', async (t) => {
  const made = await scene(t);
  const elsewhere = { ...made.tenant, orgId: await made.organization() };
  await sentByPerson(made, await made.start(individual, elsewhere));
  await made.settle();
  const waiting = await made.start(hosted);
  const paymentId = await made.pay();
  await signIn(made.deps, made.tenant, paymentId);
  const known = await made.start(hosted);
  assert.deepEqual([known.id, known.status, known.draftSealed], [waiting.id, 'approved', null]);
  assert.equal(await made.statusOf(paymentId), 'buyer_kyc_approved');
});

/** `pending` is a status of the API that the service does not write. */
async function setPending({ deps, tenant }: Scene, { id }: KycSubmission): Promise<void> {
  await deps.store.run(async (tx) => {
    const submission = (await tx.buyers.submissionById(tenantOf(tenant), id)) ?? assert.fail();
    tx.buyers.updateSubmission({ ...submission, status: 'pending' });
  });
}

test('a pending row is read, joined, and verifying from then on', async (t) => {
  for (const start of [hosted, individual]) {
    const made = await scene(t);
    const paymentId = await made.pay();
    const waiting = await made.start(hosted);
    await setPending(made, waiting);
    assert.equal(await made.kycStatusOf(paymentId), 'pending');
    const joined = await made.start(start);
    assert.deepEqual([joined.id, joined.status], [waiting.id, 'verifying']);
    assert.equal(joined.draftSealed === null, start === individual);
  }
});
