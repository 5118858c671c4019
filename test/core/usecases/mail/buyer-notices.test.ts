// Mails about the progress of a payment and of a buyer's KYC.
import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import { pageSessionKinds } from '../../../../core/domain/access/session.js';
import { MINUTE_MS } from '../../../../core/domain/base/instant.js';
import type { Locale } from '../../../../core/domain/base/locale.js';
import { money } from '../../../../core/domain/base/money.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import type { MailStatus } from '../../../../core/domain/mail/mail.js';
import type { Payment } from '../../../../core/domain/payments/payment.js';
import { readSession } from '../../../../core/usecases/access/open-sessions.js';
import { redeemLink, requestLink } from '../../../../core/usecases/hosted/sign-ins.js';
import { runMails } from '../../../../core/usecases/mail/mails.js';
import { startBuyerKyc } from '../../../../core/usecases/parties/kyc.js';
import { changeLogo } from '../../../../core/usecases/parties/organization-settings.js';
import { cancelPayment } from '../../../../core/usecases/payments/payments.js';
import { advancePayment } from '../../../../core/usecases/sandbox/sandbox.js';
import { ana } from '../../../support/samples/dossiers.js';
import { pngOf } from '../../../support/samples/pictures.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import { decideKyc } from '../../../support/scenes/kyc-scene.js';
import {
  askForLink,
  makeIntent,
  pageOf,
  someBrowser,
  tokenIn,
} from '../../../support/scenes/made-payments.js';
import { type World, world } from '../../../support/scenes/test-world.js';

let made: World;
let tenant: Tenant;

beforeEach(async (t) => {
  made = await world(t as TestContext);
  tenant = await made.newTenant();
});

/** A payment whose buyer signed in by mail, and closed the page long ago. */
async function usedPage(amountMinor = 10_000n, locale: Locale = 'en') {
  const { payment } = await makeIntent(made.deps, tenant, { amount: money(amountMinor, 'USD') });
  await askForLink(made.deps, payment);
  await made.settle();
  const mail = made.mails.at(-1);
  const { token } = await redeemLink(made.deps, pageOf(payment), tokenIn(mail), locale);
  made.advanceClock(10 * MINUTE_MS);
  return { payment, token };
}

async function noticesOf(payment: Pick<Payment, 'id'>, status: MailStatus | null = 'sent') {
  const mails = await made.deps.store.run((tx) =>
    tx.mails.list({ status, beforeId: null, limit: 100 }),
  );
  return mails
    .filter(({ subject, purpose }) => {
      const isAbout = subject.kind === 'payment' && subject.paymentId === payment.id;
      return isAbout && purpose !== 'sign_in';
    })
    .map(({ purpose }) => purpose)
    .toReversed();
}

/** Plays buyer and partner until nothing more happens. */
async function playOut({ id }: Payment): Promise<void> {
  await advancePayment(made.deps, tenant, id, 'settled');
  await made.pass(20, 1_000);
}

/** The KYC of the payment's buyer, which awaits its dossier. */
function submissionFor({ id, buyer }: Payment) {
  const start = { email: buyer.email, name: null, entityType: null, paymentId: id };
  return startBuyerKyc(made.deps, tenant, { ...start, dossier: {} });
}

test('a buyer that uses the page is mailed the decision, the bank details and each step of the money', async () => {
  const { payment } = await usedPage();
  await made.play(tenant, payment.id, 'settled');
  const all = ['instructions_ready', 'kyc_approved', 'money_received', 'receipt'];
  assert.deepEqual((await noticesOf(payment)).toSorted(), all);
  const { subject, to } = made.mails.at(-1) ?? {};
  assert.equal(subject, '[Test] Paid: USD 100.00 to Acme Ltda');
  assert.equal(to, payment.buyer.email);
});

const receipt = { name: 'receipt-1.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF') };

test('the mail about a settlement has the receipt; without it, it refers to the page', async () => {
  for (const write of [async () => receipt, () => Promise.reject(new Error('no font'))]) {
    Object.assign(made.deps, { mailedFiles: { receipt: write } });
    const from = made.mails.length;
    const { payment } = await usedPage();
    await made.play(tenant, payment.id, 'settled');
    await made.settle();
    const [last, ...before] = made.mails.slice(from).toReversed();
    const isAttached = last?.attachments.length === 1;
    assert.match(last?.text ?? '', isAttached ? /receipt is attached/ : /page has your receipt/);
    assert.deepEqual(last?.attachments, isAttached ? [receipt] : []);
    assert.ok(before.every(({ attachments }) => attachments.length === 0));
    const isMissed = made.log.some(({ message }) => message === 'a file was not attached');
    assert.equal(isMissed, !isAttached);
  }
});

test('a mail to the buyer carries the logo of the organization', async () => {
  const organization = await made.deps.store.run((tx) => tx.organizations.get(tenant.orgId));
  const { version = 0 } = organization ?? {};
  const { id: memberId } = await addActiveMember(made.deps, {
    orgId: tenant.orgId,
    email: 'owner@rotanorte.example',
    role: 'owner',
  });
  const bytes = pngOf(280, 56);
  const saved = await changeLogo(made.deps, tenant.orgId, memberId, { version, bytes });
  assert.equal(saved, 'saved');
  await usedPage();
  const last = made.mails.at(-1);
  assert.deepEqual(last?.attachments, [
    { name: 'logo.png', type: 'image/png', bytes: Buffer.from(bytes), cid: 'logo' },
  ]);
  assert.match(last?.html ?? '', /cid:logo/);
});

test('a letter whose state is over before it is sent is dropped', async () => {
  const { payment } = await usedPage();
  const own = await submissionFor(payment);
  await decideKyc(made.deps, tenant, own.id, { status: 'approved', reason: null });
  await cancelPayment(made.deps, tenant, payment.id, 'withdrawn');
  await made.settle();
  assert.deepEqual(await noticesOf(payment), ['cancelled']);
  assert.deepEqual(await noticesOf(payment, 'dropped'), ['kyc_approved']);
});

test('an integrator that never uses the page causes no mail', async () => {
  for (const amountMinor of [10_000n, 10_066n, 10_077n, 10_088n, 10_055n]) {
    const { payment } = await makeIntent(made.deps, tenant, { amount: money(amountMinor, 'USD') });
    await playOut(payment);
    const isOpen = amountMinor === 10_055n;
    if (isOpen) await cancelPayment(made.deps, tenant, payment.id, 'withdrawn');
  }
  await made.settle();
  assert.deepEqual(made.mails, []);
});

/** What a buyer may wait for on the page, and how far the payment then is. */
const awaited = {
  kyc_approved: 'buyer_kyc_approved',
  instructions_ready: 'on_ramp_pending',
} as const;

for (const [purpose, status] of Object.entries(awaited)) {
  const of = (all: readonly string[]) => all.filter((one) => one === purpose);

  test(`${purpose}: a page that has shown it makes the mail needless`, async () => {
    const { payment, token } = await usedPage(10_055n);
    await readSession(made.deps, pageSessionKinds, token);
    await made.play(tenant, payment.id, status);
    await made.settle();
    assert.deepEqual(of(await noticesOf(payment)), [], 'the page has some seconds');
    made.advanceClock(2_000);
    await readSession(made.deps, pageSessionKinds, token);
    made.advanceClock(30_000);
    await made.settle();
    assert.deepEqual(of(await noticesOf(payment)), []);
    assert.deepEqual(of(await noticesOf(payment, 'dropped')), [purpose]);
  });

  test(`${purpose}: a page that was open and has not shown it makes the mail half a minute late`, async () => {
    const { payment, token } = await usedPage(10_055n);
    await readSession(made.deps, pageSessionKinds, token);
    await made.play(tenant, payment.id, status);
    made.advanceClock(29_999);
    await readSession(made.deps, pageSessionKinds, token, { background: true });
    await made.settle();
    assert.deepEqual(of(await noticesOf(payment)), []);
    made.advanceClock(1);
    await made.settle();
    assert.deepEqual(of(await noticesOf(payment)), [purpose]);
  });

  test(`${purpose}: without an open page the mail goes at once`, async () => {
    const { payment } = await usedPage(10_055n);
    await made.play(tenant, payment.id, status);
    await made.settle();
    assert.deepEqual(of(await noticesOf(payment)), [purpose]);
  });
}

test('letters have the language in which the buyer signed in', async () => {
  const { payment } = await usedPage(10_000n, 'pt-BR');
  await cancelPayment(made.deps, tenant, payment.id, 'withdrawn');
  await made.settle();
  const mail = made.mails.at(-1);
  assert.equal(mail?.locale, 'pt-BR');
  assert.match(mail?.subject ?? '', /cancelou a cobrança/);
});

test('money that is short is mailed once for each amount', async () => {
  const { payment } = await usedPage(10_055n);
  await made.play(tenant, payment.id, 'on_ramp_pending');
  for (let count = 0; count < 3; count += 1) {
    made.advanceClock(MINUTE_MS);
    await made.settle();
  }
  const short = (await noticesOf(payment)).filter((purpose) => purpose === 'money_short');
  assert.deepEqual(short, ['money_short']);
  assert.match(made.mails.at(-1)?.subject ?? '', /USD 1\.00 is still missing/);
});

test('money of a cancelled payment comes back with two letters: on its way, and back', async () => {
  const { payment } = await usedPage(10_055n);
  await made.play(tenant, payment.id, 'on_ramp_pending');
  made.advanceClock(MINUTE_MS);
  await made.settle();
  await cancelPayment(made.deps, tenant, payment.id, 'withdrawn');
  await made.pass(9, MINUTE_MS);
  const letters = [...(await noticesOf(payment)), ...(await noticesOf(payment, 'dropped'))];
  const ofMoney = letters.filter((purpose) => purpose.startsWith('refund'));
  assert.deepEqual(ofMoney.toSorted(), ['refund_ordered', 'refunded']);
  assert.equal(letters.includes('cancelled'), false);
});

test('each failure has its letter', async () => {
  const failures = { 66: 'failed', 77: 'failed', 88: 'refunded' } as const;
  for (const [cents, purpose] of Object.entries(failures)) {
    const { payment } = await usedPage(10_000n + BigInt(cents));
    await playOut(payment);
    assert.ok((await noticesOf(payment)).includes(purpose), `.${cents}`);
  }
});

/** A hosted KYC form without a payment, and whether its buyer signed in to it. */
async function usedForm(isUsed: boolean) {
  const start = {
    email: 'ana@example.com',
    name: null,
    entityType: null,
    paymentId: null,
  } as const;
  const submission = await startBuyerKyc(made.deps, tenant, { ...start, dossier: {} });
  const page = { kind: 'form', flowId: submission.flowId ?? '' } as const;
  if (isUsed) {
    const asked = { client: null, locale: 'es', browserHash: someBrowser } as const;
    await requestLink(made.deps, page, asked);
    await made.settle();
    await redeemLink(made.deps, page, tokenIn(made.mails.at(-1)), 'es');
    made.advanceClock(10 * MINUTE_MS);
  }
  const whole = { ...start, entityType: 'individual' as const, dossier: ana };
  return { submission, finish: () => startBuyerKyc(made.deps, tenant, whole) };
}

test('the buyer of a form without a payment is mailed the decision, if it used the form', async () => {
  for (const isUsed of [true, false]) {
    const { finish } = await usedForm(isUsed);
    const before = made.mails.length;
    await finish();
    await made.settle();
    const subjects = made.mails.slice(before).map(({ subject }) => subject);
    assert.deepEqual(subjects, isUsed ? ['[Test] Sus datos están aprobados'] : []);
    tenant = await made.newTenant();
  }
});

test('a request for corrections is mailed once, about the payment or the form', async () => {
  const { payment } = await usedPage();
  const { submission } = await usedForm(true);
  const ask = (id: string, reason: string) => {
    const corrections = [{ field: 'idDocFrontFile', reason }];
    return decideKyc(made.deps, tenant, id, { status: 'verifying', reason: null, corrections });
  };
  for (const reason of ['blurred', 'blurred', 'too small']) await ask(submission.id, reason);
  await made.settle();
  const subjects = made.mails.slice(-2).map(({ subject }) => subject);
  assert.deepEqual(subjects, ['[Test] Corrija sus datos', '[Test] Corrija sus datos']);
  assert.deepEqual(await noticesOf(payment), []);
  const own = await submissionFor(payment);
  await ask(own.id, 'blurred');
  await made.settle();
  assert.deepEqual(await noticesOf(payment), ['kyc_more']);
});

test('a rejected buyer is mailed without a reason', async () => {
  const { payment } = await usedPage();
  const own = await submissionFor(payment);
  await decideKyc(made.deps, tenant, own.id, { status: 'rejected', reason: 'sanctions list' });
  await made.settle();
  assert.deepEqual(await noticesOf(payment), ['kyc_rejected']);
  assert.doesNotMatch(made.mails.at(-1)?.text ?? '', /sanctions/);
});

test('after a crash between the change and the mail, the mail is sent once', async () => {
  const { payment } = await usedPage();
  await cancelPayment(made.deps, tenant, payment.id, 'withdrawn');
  const before = made.mails.length;
  const broken = {
    ...made.deps,
    mailer: { send: () => Promise.reject(new Error('the host died')) },
  };
  await runMails(broken, made.deps.clock.nowMs(), 9);
  made.advanceClock(MINUTE_MS);
  await made.settle();
  await made.settle();
  assert.equal(made.mails.length, before + 1);
});
