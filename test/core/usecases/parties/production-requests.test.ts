// Requests for production access: asked by a member, granted with the access or refused by an
// operator, and mailed to the member who asked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportOf } from '../../../../cli/certify/certify-report.js';
import {
  ANSWER_LENGTH_MAX,
  type ProductionRequest,
  productionQuestions,
} from '../../../../core/domain/parties/production-request.js';
import { removeMember } from '../../../../core/usecases/access/members.js';
import { setSupportContact } from '../../../../core/usecases/parties/organizations.js';
import {
  listProductionRequests,
  readProductionRequest,
  refuseProduction,
  requestProduction,
} from '../../../../core/usecases/parties/production-requests.js';
import { operatorDoes } from '../../../support/operator-action.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import { world } from '../../../support/scenes/test-world.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { valuesOf } from '../../../support/values-of.js';

const answers = { sells: 'Coffee', customers: 'Cafés, US', monthlyVolume: 'USD 80,000' } as const;
const by = 'Ana';
const made = await world(suiteEnd());

/** An organization with a contact, and the ids of it and of its owner. */
async function newOwner(): Promise<{ readonly orgId: string; readonly memberId: string }> {
  const { deps } = made;
  const orgId = await made.organization();
  await setSupportContact(deps, orgId, { supportEmail: 'help@acme.example' });
  const owner = { orgId, email: `owner.${orgId}@acme.example`, role: 'owner' } as const;
  return { orgId, memberId: (await addActiveMember(deps, owner)).id };
}

function ask(of: Awaited<ReturnType<typeof newOwner>>): Promise<ProductionRequest> {
  return requestProduction(made.deps, of, answers);
}

test('a request waits until it is decided, and a repeat returns it', async () => {
  const owner = await newOwner();
  const request = await ask(owner);
  assert.deepEqual([request.state, request.answers], ['requested', answers]);
  assert.equal((await ask(owner)).id, request.id);
  assert.deepEqual(await readProductionRequest(made.deps, owner.orgId), request);
  const waiting = valuesOf(await listProductionRequests(made.deps), 'id');
  assert.ok(waiting.includes(request.id));
});

test('a request carries the report of ponte certify, as the command wrote it', async () => {
  const owner = await newOwner();
  const subject = { receiver: 'https://shop.example/', probe: null, seed: '1' };
  const found = { number: 1, name: 'duplicate', verdict: 'ok', findings: [] } as const;
  const report = reportOf(subject, [found]);
  const changed = JSON.stringify({ ...report, receiver: 'https://other.example/' });
  await assert.rejects(requestProduction(made.deps, owner, answers, changed), {
    code: 'ValidationError',
  });
  const request = await requestProduction(made.deps, owner, answers, JSON.stringify(report));
  const { signedBy = '', ...summary } = request.certified ?? assert.fail('it is stored');
  assert.deepEqual(summary, { at: report.at, ok: 1, failed: 0, notSeen: 0, others: [] });
  assert.match(signedBy, /^[0-9a-f]{16}$/);
  assert.deepEqual(await readProductionRequest(made.deps, owner.orgId), request);
});

test('two members who ask at once make one request', async () => {
  const owner = await newOwner();
  const [one, other] = await Promise.all([ask(owner), ask(owner)]);
  assert.equal(one.id, other.id);
});

test('each question needs an answer, and live mode a support contact', async () => {
  const owner = await newOwner();
  for (const question of productionQuestions) {
    for (const text of ['', ' ', 'x'.repeat(ANSWER_LENGTH_MAX + 1), 'a\0b']) {
      const asked = requestProduction(made.deps, owner, { ...answers, [question]: text });
      await assert.rejects(asked, { code: 'ValidationError' });
    }
  }
  await setSupportContact(made.deps, owner.orgId, { supportEmail: '' });
  await assert.rejects(ask(owner), { code: 'ValidationError' });
  assert.equal(await readProductionRequest(made.deps, owner.orgId), null);
});

test('a member who was removed, or is no owner any more, asks for nothing', async () => {
  const { deps } = made;
  const { orgId } = await newOwner();
  const email = `other.${orgId}@acme.example`;
  const admin = {
    orgId,
    memberId: (await addActiveMember(deps, { orgId, email, role: 'admin' })).id,
  };
  await assert.rejects(ask(admin), { code: 'InsufficientScope' });
  await removeMember(deps, orgId, email);
  await assert.rejects(ask(admin), { code: 'InvalidToken' });
  assert.equal(await readProductionRequest(deps, orgId), null);
});

test('a refusal has a reason, is mailed, and another request may follow', async () => {
  const owner = await newOwner();
  const { orgId } = owner;
  const refuse = (reason: string) => refuseProduction(made.deps, orgId, { reason, by });
  await assert.rejects(refuse('too early'), { code: 'NotFound' });
  const { id } = await ask(owner);
  await assert.rejects(refuse(' '), { code: 'ValidationError' });
  const refused = await refuse('Name your buyers.');
  assert.deepEqual(
    [refused.id, refused.state, refused.reason, refused.decidedBy],
    [id, 'refused', 'Name your buyers.', by],
  );
  await assert.rejects(refuse('again'), { code: 'NotFound' });
  await made.settle();
  const mail = made.mails.findLast(({ to }) => to === `owner.${orgId}@acme.example`);
  assert.match(mail?.text ?? '', /decided on the production access/);
  made.advanceClock(1);
  assert.notEqual((await ask(owner)).id, id);
});

test('a refusal that names a request does not refuse the next one', async () => {
  const owner = await newOwner();
  const { orgId } = owner;
  const { id: requestId } = await ask(owner);
  await refuseProduction(made.deps, orgId, { requestId, reason: 'Name your buyers.', by });
  made.advanceClock(1);
  const next = await ask(owner);
  const stale = refuseProduction(made.deps, orgId, { requestId, reason: 'again', by });
  await assert.rejects(stale, { code: 'DecisionNotAllowed' });
  assert.deepEqual(await readProductionRequest(made.deps, orgId), next);
  await made.settle();
});

test('the grant of the access grants the request, once, and there is nothing to ask any more', async () => {
  const owner = await newOwner();
  const { orgId } = owner;
  await ask(owner);
  await made.settle();
  const before = made.mails.length;
  await operatorDoes(made.deps, orgId, { verb: 'grant-production' });
  await operatorDoes(made.deps, orgId, { verb: 'grant-production' });
  const request = await readProductionRequest(made.deps, orgId);
  assert.equal(request?.state, 'granted');
  await made.settle();
  assert.equal(made.mails.length, before + 1);
  await assert.rejects(ask(owner), { code: 'ValidationError' });
});

test('a member who was removed gets no mail', async () => {
  const owner = await newOwner();
  const { orgId } = owner;
  await addActiveMember(made.deps, { orgId, email: 'other@acme.example', role: 'owner' });
  await ask(owner);
  await removeMember(made.deps, orgId, `owner.${orgId}@acme.example`);
  await made.settle();
  const before = made.mails.length;
  await refuseProduction(made.deps, orgId, { reason: 'no', by });
  await made.settle();
  assert.equal(made.mails.length, before);
});
