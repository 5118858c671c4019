// The approval of a payment by a colleague of its buyer: whom its mails reach, and what their links
// open.
import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import { pageSessionKinds } from '../../../../core/domain/access/session.js';
import { MINUTE_MS } from '../../../../core/domain/base/instant.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import type { HostedPage } from '../../../../core/domain/hosted/hosted-page.js';
import type { OutgoingMail } from '../../../../core/ports/outside.js';
import { endSession, readSession } from '../../../../core/usecases/access/open-sessions.js';
import {
  confirmQuote,
  requestQuote,
  signIn,
} from '../../../../core/usecases/hosted/buyer-steps.js';
import {
  askApprover,
  decideApproval,
} from '../../../../core/usecases/hosted/colleague-approvals.js';
import { linkState, redeemLink, requestLink } from '../../../../core/usecases/hosted/sign-ins.js';
import { readPayment } from '../../../../core/usecases/payments/payments.js';
import { readTimeline } from '../../../../core/usecases/payments/timelines.js';
import { operatorDoes } from '../../../support/operator-action.js';
import { racing } from '../../../support/racing-store.js';
import { codeIn, pageOf, someBrowser, tokenIn } from '../../../support/scenes/made-payments.js';
import { type World, world } from '../../../support/scenes/test-world.js';

const badLink = { name: 'PonteError', code: 'InvalidSignInLink' };
const conflict = { name: 'PonteError', code: 'PaymentStateConflict' };
const tooSoon = { name: 'PonteError', code: 'RateLimitExceeded' };
const cfo = 'cfo@buyer.example';
const ceo = 'ceo@buyer.example';

let made: World;
let tenant: Tenant;
let id: string;
let quoteId: string;

/** A buyer that signed in by mail is where the price is. */
beforeEach(async (t) => {
  made = await world(t as TestContext);
  tenant = await made.newTenant();
  id = await made.newPayment(tenant);
  await made.play(tenant, id, 'buyer_kyc_approved');
  await signIn(made.deps, tenant, id, { prove: async () => undefined, locale: 'en' });
  quoteId = (await requestQuote(made.deps, tenant, id))?.id ?? '';
  await made.settle();
});

async function paymentNow() {
  return (await readPayment(made.deps, tenant, id)).payment;
}

async function ask(email: string) {
  return askApprover(made.deps, await paymentNow(), { email, locale: 'en', client: null });
}

/** The mails that this sends. */
async function mailsOf(act: () => Promise<unknown>) {
  const before = made.mails.length;
  await act();
  await made.settle();
  return made.mails.slice(before);
}

async function approvalPage(): Promise<HostedPage> {
  return { kind: 'approval', publicId: (await paymentNow()).publicId };
}

async function redeem(mail: OutgoingMail | undefined) {
  const code = codeIn(mail);
  return redeemLink(made.deps, await approvalPage(), tokenIn(mail), 'en', { code });
}

const confirm = () => confirmQuote(made.deps, tenant, id, quoteId);

test('who is asked gets a link, approves, and the buyer is mailed and confirms', async () => {
  const [mail, ...others] = await mailsOf(() => ask(` ${cfo} `));
  assert.deepEqual([mail?.to, others], [cfo, []]);
  assert.match(mail?.text ?? '', /buyer@example\.com wants to pay/);
  await assert.rejects(confirm(), conflict);
  const { session, view } = await redeem(mail);
  assert.partialDeepStrictEqual(session, { ...tenant, kind: 'approver', paymentId: id });
  assert.equal(view, null);
  await assert.rejects(redeem(mail), badLink, 'it works once');
  const [told] = await mailsOf(async () =>
    decideApproval(made.deps, await paymentNow(), 'approve'),
  );
  assert.deepEqual(
    [told?.to, /cfo@buyer\.example has approved/.test(told?.text ?? '')],
    ['buyer@example.com', true],
  );
  assert.equal((await confirm()).payment.status, 'on_ramp_pending');
});

test('a decline is mailed with its reason, and keeps the quote unconfirmed', async () => {
  await mailsOf(() => ask(cfo));
  const [told] = await mailsOf(async () =>
    decideApproval(made.deps, await paymentNow(), 'decline', 'Not ours'),
  );
  assert.match(told?.text ?? '', /The reason: Not ours/);
  await assert.rejects(confirm(), conflict);
  made.advanceClock(MINUTE_MS);
  assert.equal(await ask(ceo), null);
  await decideApproval(made.deps, await paymentNow(), 'approve');
  assert.equal((await confirm()).payment.status, 'on_ramp_pending');
});

test('the link opens the approval only, and the link of the buyer no approval', async () => {
  const [mail] = await mailsOf(() => ask(cfo));
  const payment = pageOf(await paymentNow());
  await assert.rejects(redeemLink(made.deps, payment, tokenIn(mail), 'en'), badLink);
  const asks = { client: null, locale: 'en', browserHash: someBrowser } as const;
  const [own] = await mailsOf(() => requestLink(made.deps, payment, asks));
  assert.equal(own?.to, 'buyer@example.com');
  await assert.rejects(redeem(own), badLink);
  const [another] = await mailsOf(async () => requestLink(made.deps, await approvalPage(), asks));
  assert.equal(another?.to, cfo);
  assert.equal((await redeem(another)).session?.kind, 'approver');
});

test('asking somebody else ends the links and sessions of the one who was asked', async () => {
  const [first] = await mailsOf(() => ask(cfo));
  const { token } = await redeem(first);
  made.advanceClock(MINUTE_MS);
  const [again] = await mailsOf(() => ask(cfo.toUpperCase()));
  assert.notEqual(
    await readSession(made.deps, pageSessionKinds, token),
    null,
    'the same person stays',
  );
  made.advanceClock(MINUTE_MS);
  const [other] = await mailsOf(() => ask(ceo));
  assert.equal(await readSession(made.deps, pageSessionKinds, token), null);
  await assert.rejects(redeem(again), badLink);
  assert.equal((await redeem(other)).session?.kind, 'approver');
});

test('a link that was requested while somebody else was asked signs nobody in', async () => {
  await mailsOf(() => ask(cfo));
  const page = await approvalPage();
  made.advanceClock(MINUTE_MS);
  // It has read whom to mail, and stores the mail after somebody else was asked.
  const deps = racing(made.deps, () => ask(ceo));
  const asks = { client: null, locale: 'en', browserHash: someBrowser } as const;
  const mails = await mailsOf(() => requestLink(deps, page, asks));
  const late = mails.find(({ to }) => to === cfo);
  assert.equal((await linkState(made.deps, page, tokenIn(late))).state, 'valid');
  await assert.rejects(redeem(late), badLink);
});

test('a sign-in that began before somebody else was asked is refused', async () => {
  const [mail] = await mailsOf(() => ask(cfo));
  const page = await approvalPage();
  made.advanceClock(MINUTE_MS);
  let isAsked = false;
  const deps = racing(made.deps, async (_, tx) => {
    if (tx.changes().length === 0 || isAsked) return;
    isAsked = true;
    await ask(ceo);
  });
  const code = codeIn(mail);
  await assert.rejects(redeemLink(deps, page, tokenIn(mail), 'en', { code }), badLink);
  const open = await made.deps.store.run((tx) =>
    tx.sessions.open(tenant, ['approver'], { paymentId: id }),
  );
  assert.deepEqual(open, []);
});

test('who signs in while somebody else is asked has no session afterwards', async () => {
  const [first] = await mailsOf(() => ask(cfo));
  // No link and no session is left that the next request would end.
  await endSession(made.deps, (await redeem(first)).session ?? assert.fail());
  const page = await approvalPage();
  made.advanceClock(MINUTE_MS);
  const { store } = made.deps;
  const asks = { client: null, locale: 'en', browserHash: someBrowser } as const;
  let hasSignedIn = false;
  const deps = racing(made.deps, async (_, tx) => {
    if (tx.changes().length === 0 || hasSignedIn) return;
    hasSignedIn = true;
    // By a link that did not exist when the request read which links to end.
    const [mail] = await mailsOf(() => requestLink(made.deps, page, asks));
    await redeem(mail);
  });
  const request = { email: ceo, locale: 'en', client: null } as const;
  assert.equal(await askApprover(deps, await paymentNow(), request), null);
  assert.equal(hasSignedIn, true);
  const open = await store.run((tx) => tx.sessions.open(tenant, ['approver'], { paymentId: id }));
  assert.deepEqual(open, []);
});

test('an address that is none, and the buyer’s own, are not asked', async () => {
  const mails = await mailsOf(async () => {
    assert.equal(await ask('cfo at buyer'), 'not_an_address');
    assert.equal(await ask('joão@buyer.example'), 'international');
    assert.equal(await ask('BUYER@example.com'), 'own');
  });
  assert.deepEqual(mails, []);
  assert.equal((await paymentNow()).colleagueApproval, null);
});

test('a colleague is asked once a minute, and not once the price is confirmed', async () => {
  await ask(cfo);
  await assert.rejects(ask(cfo), tooSoon);
  await assert.rejects(ask(ceo), tooSoon);
  made.advanceClock(MINUTE_MS);
  assert.equal(await ask(cfo), null);
  await decideApproval(made.deps, await paymentNow(), 'approve');
  await confirm();
  made.advanceClock(MINUTE_MS);
  await assert.rejects(ask(ceo), conflict);
});

test('a request that is over is not mailed, and is decided on no more', async () => {
  await ask(cfo);
  await operatorDoes(made.deps, id, { verb: 'cancel', reason: 'no' });
  await made.settle();
  assert.ok(!made.mails.some(({ to }) => to === cfo));
  await assert.rejects(decideApproval(made.deps, await paymentNow(), 'approve'), conflict);
});

test('the timeline has the request and its decision, without address and reason', async () => {
  await ask(cfo);
  made.advanceClock(1);
  await decideApproval(made.deps, await paymentNow(), 'decline', 'Not ours');
  const { entries } = await readTimeline(made.deps, await paymentNow(), { after: null, limit: 99 });
  const own = entries.filter(({ kind }) => kind === 'colleague_approval');
  assert.deepEqual(
    own.map((entry) => entry.kind === 'colleague_approval' && entry.state),
    ['asked', 'declined'],
  );
  assert.doesNotMatch(JSON.stringify(own), /Not ours|cfo/);
});
