// The form of a seller, and of an organization: what it asks, its draft, what it sends to the
// partner, corrections, and the end of the draft.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { kycStepsOf, ownerPages } from '../../../../core/domain/hosted/kyc-form.js';
import type { Deps } from '../../../../core/ports/deps.js';
import type { PartyInput } from '../../../../core/ports/partner.js';
import type { KycSession } from '../../../../core/usecases/hosted/form-subjects.js';
import {
  acceptKycTerms,
  kycTermsUrl,
  openKycForm,
  saveKycPage,
  submitKycForm,
} from '../../../../core/usecases/hosted/kyc-forms.js';
import { addOwner, askOwner } from '../../../../core/usecases/hosted/kyc-owners.js';
import { storePageDocument } from '../../../../core/usecases/hosted/page-documents.js';
import { readAccount, submitAccount } from '../../../../core/usecases/parties/accounts.js';
import { openPartyDraft } from '../../../../core/usecases/parties/kyc-drafts.js';
import { readOrganization } from '../../../../core/usecases/parties/organizations.js';
import type { PartnerChanges } from '../../../support/partners/changed-partner.js';
import {
  inChunks,
  jpeg,
  ownerFiles,
  personFiles,
  typedOwner,
  typedPerson,
} from '../../../support/scenes/form-scene.js';
import { scene, withPartner } from '../../../support/scenes/kyc-scene.js';
import { memberSession, newSeller, sellerSession } from '../../../support/scenes/seller-scene.js';

const typedCompany = { email: 'ana@seller.example', legalName: 'Ana Ltda', cnpj: '11222333000181' };

async function sellerForm(
  t: TestContext,
  fields: Parameters<typeof newSeller>[2] = {},
  partner: PartnerChanges = {},
) {
  const made = await scene(t);
  const deps = withPartner(made.deps, partner);
  const { tenant } = made;
  const { id } = await newSeller(deps, tenant, fields);
  const session = sellerSession(tenant, id);
  return {
    ...made,
    deps,
    id,
    session,
    open: () => openKycForm(deps, session),
    send: async () => submitKycForm(deps, session, (await openKycForm(deps, session)).version),
    account: () => readAccount(deps, tenant, id),
    draft: () => deps.store.run((tx) => tx.partyDrafts.get(tenant, id)),
  };
}

async function upload(deps: Deps, by: KycSession, kind: string, owner: number | null = null) {
  const file = { kind: kind as 'selfie', owner, declaredType: '', bytes: inChunks(jpeg) };
  assert.equal(await storePageDocument(deps, by, file), null);
}

test('a company fills in what a seller needs, is approved, and its draft is deleted', async (t) => {
  const { deps, session, ...made } = await sellerForm(t);
  assert.deepEqual(kycStepsOf(await made.open()), ['company', 'review']);
  assert.deepEqual(await saveKycPage(deps, session, { page: 'company', typed: {} }), {
    email: 'missing',
    legalName: 'missing',
    cnpj: 'missing',
  });
  const wrong = { ...typedCompany, email: 'ana', cnpj: '11222333000180' };
  assert.deepEqual(await saveKycPage(deps, session, { page: 'company', typed: wrong }), {
    email: 'not_an_address',
    cnpj: 'not_a_cnpj',
  });
  assert.equal((await made.send()).outcome, 'incomplete');
  assert.equal(await saveKycPage(deps, session, { page: 'company', typed: typedCompany }), null);
  const draft = await made.draft();
  assert.ok(draft !== null && !draft.draftSealed.includes('Ana'));
  assert.equal((await made.send()).outcome, 'submitted');
  assert.partialDeepStrictEqual(await made.account(), {
    status: 'approved',
    email: 'ana@seller.example',
    legalName: 'Ana Ltda',
  });
  assert.equal(await made.draft(), null);
  assert.equal((await made.open()).state, 'approved');
});

test('what the integrator sent is not asked again', async (t) => {
  const given = { email: 'ana@seller.example', legalName: 'Ana Ltda', taxId: '11222333000181' };
  const { open, send } = await sellerForm(t, given);
  const form = await open();
  assert.equal(form.email, given.email);
  assert.partialDeepStrictEqual(form.draft.dossier, { legalName: 'Ana Ltda', cnpj: given.taxId });
  assert.equal((await send()).outcome, 'submitted');
});

test('a person adds documents, and the submission has them', async (t) => {
  const sent: PartyInput[] = [];
  const { deps, session, ...made } = await sellerForm(t, {
    entityType: 'individual',
    email: 'ana@seller.example',
  });
  const { test: partner } = deps.partners;
  const noting = withPartner(deps, {
    party: {
      prepare: async (input) => {
        sent.push(input);
        return partner?.party.prepare(input) ?? assert.fail();
      },
    },
  });
  assert.deepEqual(kycStepsOf(await made.open()), ['person', 'documents', 'review']);
  assert.equal(await saveKycPage(deps, session, { page: 'person', typed: typedPerson }), null);
  for (const kind of personFiles) await upload(deps, session, kind);
  const { version } = await made.open();
  assert.equal((await submitKycForm(noting, session, version)).outcome, 'submitted');
  assert.match(sent[0]?.selfieFile ?? '', /^http.*\/v1\/documents\//);
  assert.equal((await made.account()).status, 'verifying');
});

test('the version that was shown is sent, or none', async (t) => {
  const { deps, session, ...made } = await sellerForm(t);
  await saveKycPage(deps, session, { page: 'company', typed: typedCompany });
  const { version } = await made.open();
  await saveKycPage(deps, session, { page: 'company', typed: typedCompany });
  assert.equal((await submitKycForm(deps, session, version)).outcome, 'changed');
  assert.equal((await made.account()).status, 'created');
});

test('two submissions of one form make one party', async (t) => {
  const { deps, session, ...made } = await sellerForm(t);
  await saveKycPage(deps, session, { page: 'company', typed: typedCompany });
  const { version } = await made.open();
  const sent = [1, 2].map(() => submitKycForm(deps, session, version));
  const outcomes = (await Promise.all(sent)).map(({ outcome }) => outcome);
  assert.ok(outcomes.includes('submitted'));
  const commands = await deps.store.run((tx) => tx.commands.list({ stuck: false, limit: 10 }));
  assert.equal(commands.filter(({ kind }) => kind === 'submit_account').length, 1);
});

test('corrections ask for nothing else, and answer the partner', async (t) => {
  const { deps, session, settle, ...made } = await sellerForm(t);
  const more = { ...typedCompany, legalName: 'More' };
  await saveKycPage(deps, session, { page: 'company', typed: more });
  await made.send();
  await settle();
  const form = await made.open();
  assert.equal(form.state, 'corrections');
  assert.deepEqual(kycStepsOf(form), ['address', 'review']);
  assert.equal((await made.send()).outcome, 'incomplete');
  const typed = { addressLine1: 'Rua A 1' };
  assert.equal(await saveKycPage(deps, session, { page: 'address', typed }), null);
  assert.equal((await made.send()).outcome, 'submitted');
  await settle();
  assert.equal((await made.account()).status, 'approved');
});

test('the draft of an answer is deleted once the partner has taken it', async (t) => {
  const { deps, session, settle, tenant, id, ...made } = await sellerForm(t);
  await saveKycPage(deps, session, { page: 'company', typed: typedCompany });
  await made.send();
  await settle();
  await deps.store.run(async (tx) => {
    const account = (await tx.accounts.get(tenant, id)) ?? assert.fail('no account');
    const corrections = JSON.stringify([{ field: 'addressLine1', reason: 'Where?' }]);
    tx.accounts.update({ ...account, corrections });
  });
  await saveKycPage(deps, session, { page: 'address', typed: { addressLine1: 'Rua A 1' } });
  assert.notEqual(await made.draft(), null);
  assert.equal((await made.send()).outcome, 'submitted');
  await settle();
  assert.equal((await made.account()).status, 'approved');
  assert.equal(await made.draft(), null);
});

test('a draft is sealed for its mode, and opens in no other', async (t) => {
  const { deps, session, ...made } = await sellerForm(t);
  await saveKycPage(deps, session, { page: 'company', typed: typedCompany });
  const draft = (await made.draft()) ?? assert.fail('no draft');
  assert.equal(openPartyDraft(deps, draft).dossier.legalName, 'Ana Ltda');
  assert.throws(() => openPartyDraft(deps, { ...draft, mode: 'live' }));
});

test('a seller of the API answers what is due on the form', async (t) => {
  const { deps, session, settle, tenant, id, ...made } = await sellerForm(t);
  await submitAccount(deps, tenant, id, { ...typedCompany, legalName: 'More' });
  await settle();
  const form = await made.open();
  assert.deepEqual([form.state, kycStepsOf(form)], ['corrections', ['address', 'review']]);
  await saveKycPage(deps, session, { page: 'address', typed: { addressLine1: 'Rua A 1' } });
  assert.equal((await made.send()).outcome, 'submitted');
});

test('a question that the form does not have is not sent unanswered', async (t) => {
  const { deps, session, settle, tenant, id, ...made } = await sellerForm(t);
  await submitAccount(deps, tenant, id, { ...typedCompany, legalName: 'More' });
  await settle();
  await deps.store.run(async (tx) => {
    const account = await tx.accounts.get(tenant, id);
    if (account === null) return;
    const corrections = JSON.stringify([{ field: 'rfi_7', reason: 'Who are your suppliers?' }]);
    tx.accounts.update({ ...account, corrections });
  });
  assert.deepEqual(kycStepsOf(await made.open()), ['review']);
  assert.equal((await made.send()).outcome, 'incomplete');
  const page = { page: 'address', typed: { addressLine1: 'Rua A 1' } } as const;
  await saveKycPage(deps, session, page);
  assert.equal((await made.send()).outcome, 'incomplete');
});

test('a rejected seller fills the form in again', async (t) => {
  const { deps, session, settle, ...made } = await sellerForm(t);
  const typed = { ...typedCompany, legalName: 'Fail' };
  await saveKycPage(deps, session, { page: 'company', typed });
  await made.send();
  await settle();
  assert.equal((await made.account()).status, 'rejected');
  assert.equal(await made.draft(), null);
  const form = await made.open();
  assert.deepEqual([form.state, form.corrections.length], ['form', 1]);
  await saveKycPage(deps, session, { page: 'company', typed: typedCompany });
  assert.equal((await made.send()).outcome, 'submitted');
  assert.equal((await made.account()).status, 'approved');
});

test('what the partner does not take leads back to its field, with all that was typed', async (t) => {
  const refused = { outcome: 'refused', code: 'cnpj', message: 'no such company' } as const;
  const { deps, session, ...made } = await sellerForm(
    t,
    {},
    {
      party: { prepare: async () => refused },
    },
  );
  await saveKycPage(deps, session, { page: 'company', typed: typedCompany });
  const sent = await made.send();
  assert.deepEqual(sent, {
    outcome: 'refused',
    corrections: [{ place: { field: 'cnpj', owner: null }, reason: null }],
  });
  assert.equal((await made.account()).status, 'created');
  assert.equal((await made.open()).draft.dossier.legalName, 'Ana Ltda');
});

test('a submission that the partner does not take keeps the draft', async (t) => {
  const refuse = async () => ({ outcome: 'refused', code: 'cnpj', message: 'no' }) as const;
  const nothing = async () => ({ outcome: 'done', value: null }) as const;
  const partner = { party: { start: refuse, find: nothing } };
  const { deps, session, settle, ...made } = await sellerForm(t, {}, partner);
  await saveKycPage(deps, session, { page: 'company', typed: typedCompany });
  await made.send();
  await settle();
  assert.equal((await made.account()).status, 'rejected');
  const form = await made.open();
  assert.equal(form.draft.dossier.legalName, 'Ana Ltda');
  assert.deepEqual(form.corrections[0]?.place, { field: 'cnpj', owner: null });
});

test('the terms of the partner are accepted in the session of the account', async (t) => {
  const { deps, session, ...made } = await sellerForm(t, {}, { requirements: () => ['tosId'] });
  await saveKycPage(deps, session, { page: 'company', typed: typedCompany });
  assert.equal((await made.send()).outcome, 'incomplete');
  const url = await kycTermsUrl(deps, session, 'https://pages.example/back');
  const tosId = new URL(url).searchParams.get('tos_id') ?? '';
  await acceptKycTerms(deps, session, tosId);
  assert.equal((await made.account()).tosId, tosId);
  assert.equal((await made.send()).outcome, 'submitted');
});

test('a session of a seller reaches no other seller, and no buyer', async (t) => {
  const { deps, tenant, id, newTenant } = await sellerForm(t);
  const elsewhere = sellerSession(await newTenant(), id);
  await assert.rejects(openKycForm(deps, elsewhere), { code: 'NotFound' });
  const { id: buyer } = await newSeller(deps, tenant, { role: 'buyer' });
  await assert.rejects(openKycForm(deps, sellerSession(tenant, buyer)), { code: 'NotFound' });
});

test('an organization adds owners and documents, and the partner gets them', async (t) => {
  const sent: PartyInput[] = [];
  const made = await scene(t);
  const { test: partner } = made.deps.partners;
  const deps = withPartner(made.deps, {
    requirements: () => ['incorporationDocFile', 'owners'],
    party: {
      prepare: async (input) => {
        sent.push(input);
        return partner?.party.prepare(input) ?? assert.fail();
      },
    },
  });
  const tenant = { orgId: await made.organization({ sandboxKyb: false }), mode: 'test' } as const;
  const session = memberSession(tenant);
  const open = () => openKycForm(deps, session);
  // Test mode begins with the details of the sandbox.
  assert.deepEqual(kycStepsOf(await open()), ['company', 'owners', 'documents', 'review']);
  await upload(deps, session, 'incorporation_doc');
  const owner = await addOwner(deps, session);
  const asked = { owner, email: 'priya@rota.example', locale: 'en', client: null } as const;
  await assert.rejects(askOwner(deps, session, asked), { code: 'NotFound' });
  for (const page of ownerPages) {
    await saveKycPage(deps, session, { page, owner, typed: typedOwner });
  }
  for (const kind of ownerFiles) await upload(deps, session, kind, owner);
  const outcome = await submitKycForm(deps, session, (await open()).version);
  assert.equal(outcome.outcome, 'submitted');
  assert.equal(sent[0]?.email, session.email);
  assert.match(sent[0]?.incorporationDocFile ?? '', /\/v1\/documents\//);
  assert.partialDeepStrictEqual(sent[0]?.owners?.[0], { firstName: 'Priya', lastName: 'Raman' });
  await made.settle();
  const { profiles } = await readOrganization(deps, tenant.orgId);
  assert.equal(profiles.test.status, 'approved');
  assert.equal(await deps.store.run((tx) => tx.partyDrafts.get(tenant, tenant.orgId)), null);
  const page = { beforeId: null, limit: 100, kept: true };
  const kept = await deps.store.run((tx) => tx.documents.list(page));
  assert.ok(!kept.some(({ status }) => status !== 'purged'));
});
