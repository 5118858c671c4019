// Sign-in to a KYC form without a payment, and to the part of an owner.
import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import { pageSessionKinds } from '../../../../core/domain/access/session.js';
import { DAY_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import type { HostedPage } from '../../../../core/domain/hosted/hosted-page.js';
import type { OutgoingMail } from '../../../../core/ports/outside.js';
import { readSession } from '../../../../core/usecases/access/open-sessions.js';
import { endOwnerAccess, stageOwnerLink } from '../../../../core/usecases/hosted/owner-links.js';
import { redeemLink, requestLink } from '../../../../core/usecases/hosted/sign-ins.js';
import { startBuyerKyc } from '../../../../core/usecases/parties/kyc.js';
import { codeIn, someBrowser, tokenIn } from '../../../support/scenes/made-payments.js';
import { type World, world } from '../../../support/scenes/test-world.js';

const badLink = { name: 'PonteError', code: 'InvalidSignInLink' };
const notFound = { name: 'PonteError', code: 'NotFound' };
const email = 'Ana@Example.com';

let made: World;
let tenant: Tenant;

beforeEach(async (t) => {
  made = await world(t as TestContext);
  tenant = await made.newTenant();
});

async function mailsOf(act: () => Promise<unknown>): Promise<readonly OutgoingMail[]> {
  const before = made.mails.length;
  await act();
  await made.settle();
  return made.mails.slice(before);
}

/** The hosted form of a buyer without a payment. */
async function newForm() {
  const start = { email, name: null, entityType: null, paymentId: null, dossier: {} } as const;
  const submission = await startBuyerKyc(made.deps, tenant, start);
  assert.ok(submission.flowId !== null);
  return { submission, page: { kind: 'form', flowId: submission.flowId } as const };
}

const asks = { client: null, locale: 'en', browserHash: someBrowser } as const;

test('the buyer signs in to a KYC form without a payment', async () => {
  const { submission, page } = await newForm();
  const [mail] = await mailsOf(() => requestLink(made.deps, page, asks));
  assert.equal(mail?.to, email);
  const { session, view } = await redeemLink(made.deps, page, tokenIn(mail), 'en');
  assert.equal(view, null);
  const own = { kind: 'buyer', paymentId: null, submissionId: submission.id, ownerIndex: null };
  assert.partialDeepStrictEqual(session, { ...tenant, ...own });
});

/** Asks an owner of the form to add the rest, after the pause. */
function askOwner(submissionId: string, address: string, ownerIndex = 2) {
  made.advanceClock(MINUTE_MS);
  const owner = { ...tenant, submissionId, ownerIndex, address, locale: 'en' } as const;
  return mailsOf(() => made.deps.store.run((tx) => stageOwnerLink(made.deps, tx, owner)));
}

test('who is asked in place of another owner ends the access of that one', async () => {
  const { submission, page: form } = await newForm();
  const page: HostedPage = { kind: 'owner', flowId: form.flowId, ownerIndex: 2 };
  const [first] = await askOwner(submission.id, 'bo@example.com');
  const [again] = await askOwner(submission.id, ' BO@example.com');
  const byCode = { code: codeIn(first) };
  const { token } = await redeemLink(made.deps, page, tokenIn(first), 'en', byCode);
  await assert.rejects(redeemLink(made.deps, page, tokenIn(again), 'en'), badLink);
  const [late] = await askOwner(submission.id, 'bo@example.com');
  assert.notEqual(await readSession(made.deps, pageSessionKinds, token), null);
  const [other] = await askOwner(submission.id, 'cy@example.com');
  await assert.rejects(redeemLink(made.deps, page, tokenIn(late), 'en'), badLink);
  assert.equal(await readSession(made.deps, pageSessionKinds, token), null);
  const entered = await redeemLink(made.deps, page, tokenIn(other), 'en');
  const part = { ...tenant, submissionId: submission.id, ownerIndex: 2 };
  await made.deps.store.run((tx) => endOwnerAccess(made.deps, tx, part));
  assert.equal(await readSession(made.deps, pageSessionKinds, entered.token), null);
});

test('an owner’s link opens that owner’s part only, and its page mails a new one', async () => {
  const { submission, page: form } = await newForm();
  const page: HostedPage = { kind: 'owner', flowId: form.flowId, ownerIndex: 2 };
  await assert.rejects(requestLink(made.deps, page, asks), notFound);
  const [mail] = await askOwner(submission.id, 'bo@example.com');
  assert.equal(mail?.to, 'bo@example.com');
  const token = tokenIn(mail);
  for (const other of [form, { ...page, ownerIndex: 1 }] as const) {
    const refused = await redeemLink(made.deps, other, token, 'en').catch(({ code }) => code);
    assert.match(String(refused), /^(InvalidSignInLink|NotFound)$/);
  }
  made.advanceClock(7 * DAY_MS - 1);
  const { session } = await redeemLink(made.deps, page, token, 'en');
  assert.partialDeepStrictEqual(session, {
    kind: 'owner',
    submissionId: submission.id,
    ownerIndex: 2,
    paymentId: null,
  });
  const [again] = await mailsOf(() => requestLink(made.deps, page, asks));
  assert.equal(again?.to, 'bo@example.com');
  assert.equal((await redeemLink(made.deps, page, tokenIn(again), 'en')).session?.kind, 'owner');
});
