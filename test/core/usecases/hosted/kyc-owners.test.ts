// An owner's part of the KYC form, when another person is asked for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageSessionKinds } from '../../../../core/domain/access/session.js';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../../core/domain/base/instant.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { readSession } from '../../../../core/usecases/access/open-sessions.js';
import {
  addOwner,
  askOwner,
  finishOwnerPart,
  removeOwner,
  takeBackForm,
  takeBackOwner,
} from '../../../../core/usecases/hosted/kyc-owners.js';
import { redeemLink } from '../../../../core/usecases/hosted/sign-ins.js';
import { startBuyerKyc } from '../../../../core/usecases/parties/kyc.js';
import {
  formScene,
  typedAddress,
  typedCompany,
  typedOwner,
} from '../../../support/scenes/form-scene.js';
import { tokenIn } from '../../../support/scenes/made-payments.js';
import { startSession } from '../../../support/scenes/started-session.js';

test('another address does not see what the owner who was asked before filled in', async (t) => {
  const made = await formScene(t);
  await made.fillCompany();
  const owner = await addOwner(made.deps, made.visitor);
  const ask = (email: string) =>
    askOwner(made.deps, made.visitor, { owner, email, locale: 'en', client: null });
  await ask('priya@owner.example');
  const session = await made.ownerSession(owner);
  await made.fillOwner(owner, session);
  const ownPart = async () => (await made.open(session)).draft.dossier.owners?.[0];
  made.advanceClock(MINUTE_MS);
  await ask(' PRIYA@owner.example');
  assert.equal((await ownPart())?.addressLine1, typedAddress.addressLine1);
  made.advanceClock(MINUTE_MS);
  await ask('clerk@company.example');
  const { lastName, addressLine1, dateOfBirth, selfieFile } = (await ownPart()) ?? {};
  assert.deepEqual([lastName, addressLine1, dateOfBirth, selfieFile], [null, null, null, null]);
});

test('who asked an owner sees the names as it entered them, then and after taking the part back', async (t) => {
  const made = await formScene(t);
  await made.fillCompany();
  const { deps, visitor } = made;
  const owner = await addOwner(deps, visitor);
  const entered = { role: 'beneficial_owner', firstName: 'P.', lastName: 'R.' };
  await made.type('owner', entered, owner);
  await askOwner(deps, visitor, {
    owner,
    email: 'priya@owner.example',
    locale: 'en',
    client: null,
  });
  const session = await made.ownerSession(owner);
  const part = async (by = visitor) => (await made.open(by)).draft.dossier.owners?.[0];
  assert.partialDeepStrictEqual(await part(session), entered);
  await made.fillOwner(owner, session);
  assert.deepEqual(await part(), entered);
  await made.type('owner', { ...entered, lastName: 'Rao' }, owner);
  assert.deepEqual(await part(), { ...entered, lastName: 'Rao' });
  const { firstName, lastName } = (await part(session)) ?? {};
  assert.deepEqual([firstName, lastName], [typedOwner.firstName, 'Rao'], 'what was changed counts');
  await finishOwnerPart(deps, session);
  assert.deepEqual(await part(), { ...entered, lastName: 'Rao' });
  await takeBackOwner(deps, visitor, owner);
  const { firstName: kept, addressLine1 } = (await part()) ?? {};
  assert.deepEqual([kept, addressLine1], ['P.', null]);
});

test('who asked an owner need not enter the names, and clears none', async (t) => {
  const made = await formScene(t);
  await made.fillCompany();
  const { deps, visitor } = made;
  const owner = await addOwner(deps, visitor);
  await askOwner(deps, visitor, { owner, email: 'a@owner.example', locale: 'en', client: null });
  const session = await made.ownerSession(owner);
  await made.fillOwner(owner, session);
  const role = 'beneficial_owner';
  assert.equal(await made.type('owner', { role, firstName: '', lastName: '' }, owner), null);
  const [part] = (await made.open(session)).draft.dossier.owners ?? [];
  assert.deepEqual([part?.role, part?.lastName], [role, typedOwner.lastName]);
});

test('one owner is asked at most once a minute, at any address', async (t) => {
  const made = await formScene(t);
  await made.fillCompany();
  const owner = await addOwner(made.deps, made.visitor);
  const ask = async (email: string) => {
    await askOwner(made.deps, made.visitor, { owner, email, locale: 'en', client: null });
    await made.settle();
  };
  await ask('priya@owner.example');
  made.advanceClock(MINUTE_MS - 1);
  for (const email of ['PRIYA@owner.example', 'bo@owner.example']) {
    await assert.rejects(ask(email), { code: 'RateLimitExceeded', retryAfterSeconds: 1 });
  }
  await takeBackOwner(made.deps, made.visitor, owner);
  await assert.rejects(ask('bo@owner.example'), { code: 'RateLimitExceeded' });
  made.advanceClock(1);
  await ask('priya@owner.example');
  made.advanceClock(MINUTE_MS);
  await ask('bo@owner.example');
  const to = made.mails.map((mail) => mail.to);
  assert.deepEqual(to, ['priya@owner.example', 'priya@owner.example', 'bo@owner.example']);
});

test('a form mails other people twenty links a day', async (t) => {
  const made = await formScene(t);
  const { deps, visitor } = made;
  await made.fillCompany();
  const asked = async (owner: number | null, to: string) => {
    await askOwner(deps, visitor, { owner, email: to, locale: 'en', client: null });
  };
  for (let count = 0; count < 20; count += 2) {
    await asked(null, `director-${count}@company.example`);
    await takeBackForm(deps, visitor, '');
    const owner = await addOwner(deps, visitor);
    await asked(owner, `owner-${count}@company.example`);
    await removeOwner(deps, visitor, owner);
    made.advanceClock(MINUTE_MS);
  }
  const owner = await addOwner(deps, visitor);
  const retryAfterSeconds = (DAY_MS - 10 * MINUTE_MS) / SECOND_MS;
  const tooMany = { code: 'RateLimitExceeded', retryAfterSeconds };
  for (const part of [null, owner]) {
    await assert.rejects(asked(part, 'another@company.example'), tooMany);
  }
  made.advanceClock(retryAfterSeconds * SECOND_MS);
  await asked(owner, 'another@company.example');
});

test('a client, and in test mode a tenant, has a limit of mails to other people an hour', async (t) => {
  const made = await formScene(t);
  const { deps, tenant } = made;
  let count = 0;
  const asked = async (of: Tenant, client: string | null) => {
    count += 1;
    const start = { name: null, entityType: null, paymentId: null, dossier: {} } as const;
    const email = `buyer-${count}@example.com`;
    const { id: submissionId } = await startBuyerKyc(deps, of, { ...start, email });
    const form = {
      ...of,
      kind: 'buyer',
      paymentId: null,
      accountId: null,
      submissionId,
      ownerIndex: null,
    } as const;
    const to = { owner: null, email: `${count}@company.example`, locale: 'en', client } as const;
    await askOwner(deps, form, to);
  };
  const refused = {
    owner: 999,
    email: 'owner@company.example',
    locale: 'en',
    client: null,
  } as const;
  for (let tries = 0; tries < 40; tries += 1) {
    await assert.rejects(askOwner(deps, made.visitor, refused), { code: 'NotFound' });
  }
  for (let mails = 0; mails < 20; mails += 1) await asked(tenant, null);
  const tooMany = { code: 'RateLimitExceeded', retryAfterSeconds: 3 * 60 };
  await assert.rejects(asked(tenant, null), tooMany);
  const client = '203.0.113.9';
  for (let mails = 0; mails < 30; mails += 1) {
    await asked(await made.newTenant(), client);
  }
  await assert.rejects(asked(await made.newTenant(), client), { retryAfterSeconds: 2 * 60 });
});

test('a repeat of taking a part back leaves what was filled in since', async (t) => {
  const made = await formScene(t);
  await made.fillCompany();
  const owner = await addOwner(made.deps, made.visitor);
  await askOwner(made.deps, made.visitor, {
    owner,
    email: 'a@b.example',
    locale: 'en',
    client: null,
  });
  await takeBackOwner(made.deps, made.visitor, owner);
  await made.type('owner', typedOwner, owner);
  await takeBackOwner(made.deps, made.visitor, owner);
  const [part] = (await made.open()).draft.dossier.owners ?? [];
  assert.equal(part?.addressLine1, typedAddress.addressLine1);
});

test('a form that was handed over is taken back: link and sessions end, what was saved stays', async (t) => {
  const made = await formScene(t);
  const { deps, visitor, tenant } = made;
  await made.type('type', { entityType: 'business' });
  const ask = (email: string) =>
    askOwner(deps, visitor, { owner: null, email, locale: 'en', client: null });
  await ask('director@company.example');
  await made.settle();
  const { id: submissionId, flowId } = await made.submission();
  const page = { kind: 'form', flowId: flowId ?? '' } as const;
  const entered = await redeemLink(deps, page, tokenIn(made.mails.at(-1)), 'en');
  made.advanceClock(MINUTE_MS);
  await ask('director@company.example');
  await made.settle();
  const unused = tokenIn(made.mails.at(-1));
  const director = { ...visitor, paymentId: null, accountId: null, submissionId };
  await made.type('company', typedCompany, null, director);
  made.advanceClock(MINUTE_MS);
  await assert.rejects(ask('other@company.example'), { code: 'PaymentStateConflict' });
  const own = await startSession(deps, { ...tenant, ...visitor });
  await takeBackForm(deps, visitor, own.session.id);
  assert.equal(await readSession(deps, pageSessionKinds, entered.token), null);
  assert.notEqual(await readSession(deps, pageSessionKinds, own.token), null);
  await assert.rejects(redeemLink(deps, page, unused, 'en'), { code: 'InvalidSignInLink' });
  assert.equal((await made.open()).draft.dossier.legalName, typedCompany.legalName);
  await ask('other@company.example');
});

test('who takes back a form without a payment keeps their own session', async (t) => {
  const { deps, tenant } = await formScene(t);
  const start = { email: 'cy@example.com', name: null, entityType: null, paymentId: null };
  const { id: submissionId } = await startBuyerKyc(deps, tenant, { ...start, dossier: {} });
  const form = {
    ...tenant,
    kind: 'buyer',
    paymentId: null,
    accountId: null,
    submissionId,
    ownerIndex: null,
  } as const;
  const [own, other] = [await startSession(deps, form), await startSession(deps, form)];
  await askOwner(deps, own.session, {
    owner: null,
    email: 'a@b.example',
    locale: 'en',
    client: null,
  });
  await takeBackForm(deps, own.session, own.session.id);
  assert.notEqual(await readSession(deps, pageSessionKinds, own.token), null);
  assert.equal(await readSession(deps, pageSessionKinds, other.token), null);
});
