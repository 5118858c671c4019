// The hosted KYC form over the store: drafts page by page, what is sent, corrections, owners who
// fill in their own part, and what each session may see.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { nextKycStep } from '../../../../core/domain/hosted/kyc-form.js';
import { kycStateOf } from '../../../../core/domain/parties/buyer-kyc.js';
import {
  acceptKycTerms,
  kycTermsUrl,
  openKycForm,
  submitKycForm,
} from '../../../../core/usecases/hosted/kyc-forms.js';
import {
  addOwner,
  askOwner,
  finishOwnerPart,
  removeOwner,
  takeBackOwner,
} from '../../../../core/usecases/hosted/kyc-owners.js';
import { readDraft } from '../../../../core/usecases/parties/kyc-drafts.js';
import { cancelPayment } from '../../../../core/usecases/payments/payments.js';
import {
  type FormScene,
  formScene,
  typedOwner,
  typedPerson,
} from '../../../support/scenes/form-scene.js';
import { commandsOf, decided, partyReported } from '../../../support/scenes/kyc-scene.js';

function statesOf({ steps }: Awaited<ReturnType<FormScene['open']>>): Record<string, string> {
  return Object.fromEntries(steps.map(({ step, state }) => [step, state]));
}

test('opening the form changes nothing, and shows what the integrator said of the buyer', async (t) => {
  const buyer = { email: 'ana@buyer.example', name: 'Acme GmbH', country: 'DE', phone: '+49 1' };
  const made = await formScene(t, { buyer });
  const form = await made.open();
  assert.deepEqual([form.state, form.submissionId, form.version], ['form', null, 0]);
  assert.deepEqual(statesOf(form), { type: 'open' });
  assert.equal(await made.kycStatusOf(made.paymentId), 'not_started');
  await made.type('type', { entityType: 'business' });
  const { dossier } = (await made.open()).draft;
  assert.deepEqual(dossier, { legalName: 'Acme GmbH', country: 'DE', phone: '+49 1', owners: [] });
});

test('a page is saved sealed, with its values without a problem, and read back', async (t) => {
  const made = await formScene(t);
  await made.type('type', { entityType: 'individual' });
  const wrong = { ...typedPerson, dateOfBirthDay: '32', lastName: '' };
  const problems = await made.type('person', wrong);
  assert.deepEqual(problems, { lastName: 'missing', dateOfBirth: 'no_such_date' });
  const { draft, steps } = await made.open();
  assert.partialDeepStrictEqual(draft.dossier, { firstName: 'Ana', idDocCountry: 'PT' });
  const missing = steps.flatMap((step) => step.missing.map(({ field }) => field));
  assert.deepEqual(missing, ['lastName', 'dateOfBirth', 'selfieFile', 'idDocFrontFile']);
  const { draftSealed } = await made.submission();
  assert.ok(!draftSealed?.includes('Ana'));
  // 144 bits in letters and digits.
  assert.match((await made.submission()).flowId ?? '', /^[a-z0-9]{28}$/);
});

test('the form of a person, filled in page by page, is sent and decided', async (t) => {
  const made = await formScene(t);
  assert.deepEqual(await made.send(), { outcome: 'incomplete' });
  await made.fillPerson();
  const form = await made.open();
  assert.equal(nextKycStep(form.steps), 'review');
  const sent = await made.send();
  assert.equal(sent.outcome, 'submitted');
  assert.equal((await made.open()).state, 'verifying');
  await assert.rejects(made.type('person', typedPerson), { code: 'PaymentStateConflict' });
  await made.settle();
  assert.equal(await made.statusOf(made.paymentId), 'buyer_kyc_approved');
  const { draftSealed, dossierSealed } = await made.submission();
  assert.deepEqual([draftSealed, dossierSealed], [null, null]);
});

test('the answers for the other type are not sent', async (t) => {
  const inputs: unknown[] = [];
  const made = await formScene(t);
  const { test: partner } = made.deps.partners;
  const prepare = partner?.party.prepare;
  assert.ok(partner !== null && prepare !== undefined);
  Object.assign(partner.party, {
    prepare: (input: Parameters<typeof prepare>[0]) => {
      inputs.push(input);
      return prepare(input);
    },
  });
  await made.fillCompany();
  await made.fillPerson();
  assert.equal((await made.send()).outcome, 'submitted');
  assert.equal(inputs.length, 1);
  const [input] = inputs as Record<string, unknown>[];
  assert.equal(input?.entityType, 'individual');
  for (const field of ['legalName', 'website', 'owners', 'incorporationDocFile', 'taxId']) {
    assert.equal(input?.[field] ?? null, null, field);
  }
});

test('only the version that was reviewed is sent; a double click sends it once', async (t) => {
  const made = await formScene(t);
  await made.fillPerson();
  const { version } = await made.open();
  await made.type('person', { ...typedPerson, firstName: 'Bea' });
  assert.deepEqual(await submitKycForm(made.deps, made.visitor, version), { outcome: 'changed' });
  const current = (await made.open()).version;
  const both = [1, 2].map(() => submitKycForm(made.deps, made.visitor, current));
  const outcomes = (await Promise.all(both)).map(({ outcome }) => outcome);
  assert.deepEqual(outcomes, ['submitted', 'submitted']);
  assert.equal((await commandsOf(made)).length, 1);
});

test('concurrent pages do not overwrite each other', async (t) => {
  const made = await formScene(t);
  await made.type('type', { entityType: 'business' });
  const owners = [];
  for (let at = 0; at < 4; at += 1) owners.push(await addOwner(made.deps, made.visitor));
  await Promise.all(
    owners.map((owner) => made.type('owner', { ...typedOwner, lastName: `Owner ${owner}` }, owner)),
  );
  const names = ((await made.open()).draft.dossier.owners ?? []).map(({ lastName }) => lastName);
  assert.deepEqual(names, ['Owner 0', 'Owner 1', 'Owner 2', 'Owner 3']);
});

test('a whole tax id is never shown, and a blank one keeps it', async (t) => {
  const made = await formScene(t);
  await made.fillCompany();
  const shown = JSON.stringify(await made.open());
  assert.ok(shown.includes('•••• 6789') && !shown.includes('12-3456789'));
  await made.type('company', { legalName: 'Other Inc', taxId: '', website: 'https://a.example' });
  const { dossier } = readDraft(made.deps, await made.submission());
  assert.deepEqual([dossier.taxId, dossier.legalName], ['12-3456789', 'Other Inc']);
});

test('the payment that ended, and the form of another payment, are closed', async (t) => {
  const made = await formScene(t);
  await cancelPayment(made.deps, made.tenant, made.paymentId, 'no longer needed');
  const choice = made.type('type', { entityType: 'business' });
  await assert.rejects(choice, { code: 'PaymentStateConflict' });
  const other = { ...made.visitor, paymentId: 'pi_unknown' };
  await assert.rejects(openKycForm(made.deps, other), { code: 'NotFound' });
});

test('the terms of a partner that asks for them are a step, and the first ones stay', async (t) => {
  const made = await formScene(t, { partner: { requirements: () => ['tosId'] } });
  await made.fillPerson();
  assert.equal(statesOf(await made.open()).terms, 'open');
  const back = 'https://pay.example.com/r/1/kyc/terms';
  const url = new URL(await kycTermsUrl(made.deps, made.visitor, back));
  const tosId = url.searchParams.get('tos_id') ?? '';
  await acceptKycTerms(made.deps, made.visitor, tosId);
  assert.equal(statesOf(await made.open()).terms, 'done');
  const other = acceptKycTerms(made.deps, made.visitor, 'tos_other');
  await assert.rejects(other, { code: 'TosIdMismatch' });
  assert.equal((await made.send()).outcome, 'submitted');
  assert.equal((await made.submission()).tosId, tosId);
});

async function withBusiness(t: Parameters<typeof formScene>[0]) {
  const made = await formScene(t);
  await made.fillCompany();
  const owner = await addOwner(made.deps, made.visitor);
  return { made, owner };
}

test('an owner who is asked fills in the part alone; the person who asked sees no more of it', async (t) => {
  const { made, owner } = await withBusiness(t);
  await made.fillOwner(owner);
  const email = 'priya@owner.example';
  const ask = (address: string) =>
    askOwner(made.deps, made.visitor, { owner, email: address, locale: 'es', client: null });
  assert.equal(await ask('no'), 'not_an_address');
  assert.equal(await ask('joão@owner.example'), 'international');
  assert.equal(await ask(email), null);
  assert.ok(made.woken.includes('mails'));
  await made.settle();
  assert.equal(made.mails.at(-1)?.to, email);
  const form = await made.open();
  assert.deepEqual(Object.keys(form.draft.dossier.owners?.[0] ?? {}), [
    'role',
    'firstName',
    'lastName',
  ]);
  assert.equal(statesOf(form).owners, 'waiting');
  await assert.rejects(made.upload('selfie', owner), { code: 'NotFound' });
  const bySession = await made.ownerSession(owner);
  const own = await made.open(bySession);
  assert.deepEqual(own.draft.ownerNumbers, [owner]);
  assert.deepEqual(Object.keys(own.draft.dossier).sort(), ['legalName', 'owners']);
  const problems = await made.type('owner', { ...typedOwner, city: '' }, owner, bySession);
  assert.deepEqual(problems, { city: 'missing' });
  assert.equal(await made.type('owner', typedOwner, owner, bySession), null);
  for (const page of ['company', 'type', 'owners'] as const) {
    await assert.rejects(made.type(page, {}, null, bySession), { code: 'NotFound' });
  }
  assert.deepEqual(await made.send(), { outcome: 'incomplete' });
  assert.deepEqual(await finishOwnerPart(made.deps, bySession), []);
  assert.equal((await made.open()).draft.asked[0]?.doneAtMs, made.deps.clock.nowMs());
  assert.equal((await made.send()).outcome, 'submitted');
});

const asked = { email: 'a@b.example', locale: 'en', client: null } as const;

test('what an owner has not filled in is named when the owner wants to finish', async (t) => {
  const { made, owner } = await withBusiness(t);
  await askOwner(made.deps, made.visitor, { owner, ...asked });
  const session = await made.ownerSession(owner);
  const typed = { ...typedOwner, idDocType: 'ID_CARD' };
  await made.type('owner', typed, owner, session);
  const missing = (await finishOwnerPart(made.deps, session)).map(({ field }) => field);
  assert.ok(missing.includes('selfieFile') && !missing.includes('idDocBackFile'));
  assert.equal((await made.open()).draft.asked[0]?.doneAtMs, null);
});

test('a part that is taken back is erased, and its link shows nothing any more', async (t) => {
  const { made, owner } = await withBusiness(t);
  await askOwner(made.deps, made.visitor, { owner, ...asked });
  const session = await made.ownerSession(owner);
  await made.fillOwner(owner, session);
  await takeBackOwner(made.deps, made.visitor, owner);
  await assert.rejects(made.open(session), { code: 'NotFound' });
  const [left] = readDraft(made.deps, await made.submission()).dossier.owners ?? [];
  assert.deepEqual([left?.taxId, left?.selfieFile, left?.lastName], [null, null, null]);
  const kept = await made.deps.store.run((tx) =>
    tx.documents.list({ kept: true, beforeId: null, limit: 50 }),
  );
  assert.equal(
    kept.filter(({ status, ownerIndex }) => status === 'stored' && ownerIndex === 0).length,
    0,
  );
});

test('the link of an owner who was removed never shows another owner', async (t) => {
  const { made, owner } = await withBusiness(t);
  await askOwner(made.deps, made.visitor, { owner, ...asked });
  const session = await made.ownerSession(owner);
  const next = await addOwner(made.deps, made.visitor);
  await made.type('owner', typedOwner, next);
  await removeOwner(made.deps, made.visitor, owner);
  await assert.rejects(made.open(session), { code: 'NotFound' });
  assert.notEqual(await addOwner(made.deps, made.visitor), owner);
});

test('a form has ten owners at most', async (t) => {
  const { made } = await withBusiness(t);
  for (let count = 1; count < 10; count += 1) await addOwner(made.deps, made.visitor);
  await assert.rejects(addOwner(made.deps, made.visitor), { code: 'ValidationError' });
});

/** The partner asks for a correction of the latest command. */
async function askAgain(made: FormScene, field: string, reason = 'the lower edge is cut off') {
  const [input = assert.fail()] = await commandsOf(made);
  const report = { status: 'verifying', reason: null, corrections: [{ field, reason }] } as const;
  await partyReported(made.deps, input, input.partnerRef ?? 'party_1', report);
  return input;
}

/** A partner that never decides by itself. */
const slow = {
  party: {
    read: async () => ({ outcome: 'done', value: { status: 'verifying', reason: null } }) as const,
  },
};

test('what the partner asks to correct is answered by a second command, and the first counts no more', async (t) => {
  const made = await formScene(t, { partner: slow });
  await made.fillPerson();
  await made.send();
  const first = await askAgain(made, 'idDocFrontFile');
  const form = await made.open();
  assert.equal(form.state, 'corrections');
  assert.deepEqual(form.corrections, [
    { place: { field: 'idDocFrontFile', owner: null }, reason: 'the lower edge is cut off' },
  ]);
  assert.equal(statesOf(form).documents, 'correct');
  assert.deepEqual(await made.send(), { outcome: 'incomplete' });
  assert.equal(await made.upload('id_doc_front'), null);
  assert.deepEqual((await made.open()).corrections, []);
  const before = await made.submission();
  assert.equal((await made.send()).outcome, 'submitted');
  const after = await made.submission();
  assert.deepEqual([after.id, after.corrections], [before.id, null]);
  const inputs = await commandsOf(made);
  const second = inputs.find(({ id }) => id !== first.id);
  assert.ok(inputs.length === 2 && second !== undefined);
  const rejected = { status: 'rejected', reason: 'no answer in time' } as const;
  await partyReported(made.deps, first, first.partnerRef ?? '', rejected);
  assert.equal(await decided(made, after), 'verifying');
  const approved = { status: 'approved', reason: null } as const;
  await partyReported(made.deps, second, second.partnerRef ?? 'party_2', approved);
  assert.equal(await decided(made, after), 'approved');
});

test('an owner is asked again for what the partner wants corrected', async (t) => {
  const made = await formScene(t, { partner: slow });
  await made.fillCompany();
  const owner = await addOwner(made.deps, made.visitor);
  await made.fillOwner(owner);
  const ask = { owner, email: 'priya@owner.example', locale: 'en', client: null } as const;
  await askOwner(made.deps, made.visitor, ask);
  const session = await made.ownerSession(owner);
  await finishOwnerPart(made.deps, session);
  assert.equal((await made.send()).outcome, 'submitted');
  await askAgain(made, 'owners[0].selfie_file');
  assert.equal(statesOf(await made.open()).documents, 'correct');
  made.advanceClock(MINUTE_MS);
  await askOwner(made.deps, made.visitor, ask);
  const place = { field: 'selfieFile', owner };
  assert.deepEqual(await finishOwnerPart(made.deps, session), [place]);
  await made.upload('selfie', owner, session);
  assert.deepEqual(await finishOwnerPart(made.deps, session), []);
  assert.equal((await made.send()).outcome, 'submitted');
  assert.equal((await commandsOf(made)).length, 2);
});

test('the same request for corrections changes nothing; another one asks again', async (t) => {
  const made = await formScene(t, { partner: slow });
  await made.fillPerson();
  await made.send();
  await askAgain(made, 'id_doc_front');
  const { version } = await made.submission();
  await askAgain(made, 'id_doc_front');
  assert.equal((await made.submission()).version, version);
  await made.upload('id_doc_front');
  await askAgain(made, 'id_doc_front', 'it is blurred');
  assert.equal((await made.open()).corrections.length, 1);
});

test('a decision during the corrections closes the form and erases the dossier', async (t) => {
  for (const status of ['approved', 'rejected'] as const) {
    const made = await formScene(t, { partner: slow });
    await made.fillPerson();
    await made.send();
    const command = await askAgain(made, 'selfie');
    await partyReported(made.deps, command, command.partnerRef ?? 'party_1', {
      status,
      reason: null,
    });
    const submission = await made.submission();
    const { draftSealed, dossierSealed, corrections } = submission;
    assert.deepEqual([draftSealed, dossierSealed, corrections], [null, null, null]);
    assert.equal(kycStateOf(submission.status, submission), status);
  }
});

test('a refusal leads back to the field that its code names; any other alerts an operator', async (t) => {
  for (const [code, place] of [
    ['date_of_birth', { field: 'dateOfBirth', owner: null }],
    ['duplicate_customer', null],
  ] as const) {
    const refuse = async () => ({ outcome: 'refused', code, message: 'no' }) as const;
    const nothing = async () => ({ outcome: 'done', value: null }) as const;
    const made = await formScene(t, { partner: { party: { start: refuse, find: nothing } } });
    await made.fillPerson();
    assert.equal((await made.send()).outcome, 'submitted');
    const form = await made.open();
    assert.equal(form.state, 'corrections');
    assert.deepEqual(form.corrections, [{ place, reason: null }]);
    const alerts = made.log.filter(({ message }) => message === 'alert');
    assert.equal(alerts.length, place === null ? 1 : 0);
    assert.equal(await made.statusOf(made.paymentId), 'buyer_kyc_pending');
  }
});

test('a refusal before the call names the field too, and nothing is stored', async (t) => {
  const refuse = async () => ({ outcome: 'refused', code: 'firstName', message: 'no' }) as const;
  const made = await formScene(t, { partner: { party: { prepare: refuse } } });
  await made.fillPerson();
  const corrections = [{ place: { field: 'firstName', owner: null }, reason: null }];
  assert.deepEqual(await made.send(), { outcome: 'refused', corrections });
  assert.equal((await made.open()).state, 'form');
});

test('after a rejection the payment that waits has a new, empty form', async (t) => {
  const made = await formScene(t);
  await made.type('type', { entityType: 'individual' });
  const first = await made.submission();
  await made.type('person', { ...typedPerson, firstName: 'Fail' });
  for (const kind of ['id_doc_front', 'selfie'] as const) await made.upload(kind);
  await made.send();
  await made.settle();
  assert.equal((await made.submission()).status, 'rejected');
  const later = { ...made.visitor, paymentId: await made.pay() };
  made.advanceClock(1);
  assert.equal((await made.open(later)).draft.entityType, null);
  await made.type('type', { entityType: 'business' }, null, later);
  assert.notEqual((await made.submission()).id, first.id);
});
