import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageSessionKinds } from '../../../../core/domain/access/session.js';
import { DAY_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import type { Payment } from '../../../../core/domain/payments/payment.js';
import { readSession } from '../../../../core/usecases/access/open-sessions.js';
import {
  hashBrowser,
  linkState,
  redeemCode,
  redeemLink,
} from '../../../../core/usecases/hosted/sign-ins.js';
import { runMails } from '../../../../core/usecases/mail/mails.js';
import { inviteBuyer } from '../../../../core/usecases/payments/invoices.js';
import { readPayment } from '../../../../core/usecases/payments/payments.js';
import {
  askForLink,
  codeIn,
  makeInvoice,
  openLink,
  pageOf,
  someBrowser,
  tokenIn,
} from '../../../support/scenes/made-payments.js';
import { signInEmail as email, signInScene } from '../../../support/scenes/sign-in-scene.js';
import type { World } from '../../../support/scenes/test-world.js';

const badLink = { name: 'PonteError', code: 'InvalidSignInLink' };
const badCode = { name: 'PonteError', code: 'InvalidSignInCode' };
const codeOver = { name: 'PonteError', code: 'SignInCodeExpired' };
const notFound = { name: 'PonteError', code: 'NotFound' };

type Asked = Awaited<ReturnType<typeof ask>>[number] | undefined;

let made: World;
let tenant: Tenant;

const { newIntent, mailsOf, ask, invited } = signInScene((world, home) => {
  made = world;
  tenant = home;
});

const redeem = (payment: Payment, token: string) =>
  redeemLink(made.deps, pageOf(payment), token, 'en');

const enterCode = (payment: Payment, code: string, browserHash = someBrowser) =>
  redeemCode(made.deps, pageOf(payment), { client: null, browserHash, code }, 'en');

/** Another code than this one. */
const otherThan = (code: string) => (code === '000000' ? '000001' : '000000');

test('the buyer asks for a link on the page and is signed in by it', async () => {
  const payment = await newIntent();
  assert.deepEqual(made.mails, [], 'nobody is mailed for a payment intent by itself');
  const [mail] = await ask(payment);
  assert.equal(mail?.to, email, 'at the address of the payment, which nobody types');
  const { token, session, view } = await openLink(made.deps, mail);
  assert.deepEqual([view?.payment.id, view?.payment.status], [payment.id, 'buyer_kyc_pending']);
  assert.deepEqual(await readSession(made.deps, pageSessionKinds, token), session);
  assert.partialDeepStrictEqual(session, { ...tenant, kind: 'buyer', paymentId: payment.id });
});

test('the buyer is signed in by the code of the mail, too', async () => {
  const payment = await newIntent();
  const [mail] = await ask(payment);
  const code = codeIn(mail);
  assert.match(mail?.text ?? '', new RegExp(`\\b${code}\\b`));
  const { session } = await enterCode(payment, ` ${code.slice(0, 3)} ${code.slice(3)}`);
  assert.equal(session?.paymentId, payment.id);
  await assert.rejects(redeem(payment, tokenIn(mail)), badLink, 'link and code work once together');
  await assert.rejects(enterCode(payment, code), codeOver);
});

// Digits of keyboards (Unicode, general category Nd), and signs that a mail program adds.
const keyboards: Readonly<Record<string, (digits: string) => string>> = {
  'full-width': (digits) => digits.replace(/\d/g, (digit) => digitFrom(0xff10, digit)),
  Arabic: (digits) => digits.replace(/\d/g, (digit) => digitFrom(0x660, digit)),
  Persian: (digits) => digits.replace(/\d/g, (digit) => digitFrom(0x6f0, digit)),
  Devanagari: (digits) => digits.replace(/\d/g, (digit) => digitFrom(0x966, digit)),
  Bengali: (digits) => digits.replace(/\d/g, (digit) => digitFrom(0x9e6, digit)),
  Thai: (digits) => digits.replace(/\d/g, (digit) => digitFrom(0xe50, digit)),
  Burmese: (digits) => digits.replace(/\d/g, (digit) => digitFrom(0x1040, digit)),
  Khmer: (digits) => digits.replace(/\d/g, (digit) => digitFrom(0x17e0, digit)),
  'with a dash': (digits) => `${digits.slice(0, 3)}\u2013${digits.slice(3)}`,
  'with a blank that does not break': (digits) => `${digits.slice(0, 3)}\u00a0${digits.slice(3)}`,
  'with marks of direction': (digits) => `\u2066${digits}\u2069`,
  'with an invisible blank': (digits) => `${digits.slice(0, 3)}\u200b${digits.slice(3)}`,
};

function digitFrom(zero: number, digit: string): string {
  return String.fromCharCode(zero + Number(digit));
}

test('the code is read in the digits of any keyboard', async () => {
  for (const [name, write] of Object.entries(keyboards)) {
    const payment = await newIntent();
    const code = codeIn((await ask(payment))[0]);
    const { session } = await enterCode(payment, write(code));
    assert.equal(session?.paymentId, payment.id, name);
  }
});

test('a code works in the browser that asked only', async () => {
  const payment = await newIntent();
  const code = codeIn((await ask(payment))[0]);
  await assert.rejects(enterCode(payment, code, hashBrowser('another')), codeOver);
  await enterCode(payment, code);
});

test('a code is tried five times; then its link still works', async () => {
  const payment = await newIntent();
  const [mail] = await ask(payment);
  const token = tokenIn(mail);
  const [right, wrong] = [codeIn(mail), otherThan(codeIn(mail))];
  for (let count = 1; count < 5; count += 1) {
    await assert.rejects(enterCode(payment, wrong), badCode);
  }
  await assert.rejects(enterCode(payment, wrong), codeOver, 'the fifth says that it was the last');
  await assert.rejects(enterCode(payment, right), codeOver);
  await redeem(payment, token);
});

test('the fifth try may be the right one', async () => {
  const payment = await newIntent();
  const code = codeIn((await ask(payment))[0]);
  for (let count = 1; count < 5; count += 1) {
    await assert.rejects(enterCode(payment, otherThan(code)), badCode);
  }
  await enterCode(payment, code);
});

test('concurrent tries are five, too', async () => {
  const payment = await newIntent();
  const code = codeIn((await ask(payment))[0]);
  const tries = Array.from({ length: 8 }, () => enterCode(payment, otherThan(code)));
  await Promise.allSettled(tries);
  await assert.rejects(enterCode(payment, code), codeOver);
});

test('of two mails either code is taken in the browser that asked', async () => {
  const payment = await newIntent();
  const [first] = await ask(payment);
  made.advanceClock(MINUTE_MS);
  await ask(payment);
  await enterCode(payment, codeIn(first));
});

test('a code of another page, or of a link that has ended, is refused', async () => {
  const [payment, other] = [await newIntent(), await newIntent()];
  const code = codeIn((await ask(payment))[0]);
  await assert.rejects(enterCode(other, code), codeOver);
  made.advanceClock(15 * MINUTE_MS);
  await assert.rejects(enterCode(payment, code), codeOver);
});

test('the code of an invitation goes with its link only', async () => {
  const { invoice, mail } = await invited();
  await assert.rejects(enterCode(invoice, codeIn(mail)), codeOver);
  const withCode = (code: string) =>
    redeemLink(made.deps, pageOf(invoice), tokenIn(mail), 'en', { code });
  await assert.rejects(withCode(otherThan(codeIn(mail))), badCode);
  assert.equal((await withCode(codeIn(mail))).session?.began, 'mail');
  await assert.rejects(withCode(codeIn(mail)), badLink, 'once');
});

test('a link that was pressed opens with the code of its mail, five times at most', async () => {
  const { invoice, mail } = await invited();
  const token = tokenIn(mail);
  const use = (code = '') => redeemLink(made.deps, pageOf(invoice), token, 'en', { code });
  const pressed = await use();
  assert.equal(pressed.session?.began, 'press');
  await assert.rejects(use(), badLink);
  const look = () => linkState(made.deps, pageOf(invoice), token);
  const masked = { state: 'valid', takes: 'code', address: 'A•••@Example.com' };
  assert.partialDeepStrictEqual(await look(), masked);
  for (let count = 0; count < 5; count += 1) {
    await assert.rejects(use(otherThan(codeIn(mail))), badCode);
  }
  await assert.rejects(use(codeIn(mail)), badLink);
  assert.equal((await look()).state, 'used');
});

test('before it is used, a link shows whose it is; looking changes nothing', async () => {
  const payment = await newIntent();
  const [mail] = await ask(payment);
  const token = tokenIn(mail);
  const endsAtMs = made.deps.clock.nowMs() + 15 * MINUTE_MS;
  const look = (text = token) => linkState(made.deps, pageOf(payment), text);
  const shown = { state: 'valid', address: email, endsAtMs, takes: 'press' };
  for (let looks = 0; looks < 2; looks += 1) {
    assert.deepEqual(await look(), { ...shown, browserHash: someBrowser });
  }
  const usedAtMs = made.deps.clock.nowMs();
  await enterCode(payment, codeIn(mail));
  const maskedAddress = 'A•••@Example.com';
  assert.deepEqual(await look(), { state: 'used', usedAtMs, maskedAddress });
  assert.deepEqual(await look('unknown'), { state: 'unknown' });
});

test('a link opens its own page only', async () => {
  const [payment, other] = [await newIntent(), await newIntent()];
  const token = tokenIn((await ask(payment))[0]);
  assert.deepEqual(await linkState(made.deps, pageOf(other), token), { state: 'unknown' });
  await assert.rejects(redeem(other, token), badLink);
  await redeem(payment, token);
});

test('a sign-in ends the other links of the page, sent or not, and no others', async () => {
  const [payment, other] = [await newIntent(), await newIntent()];
  const [earlier] = await ask(payment);
  const [elsewhere] = await ask(other);
  made.advanceClock(MINUTE_MS);
  const [used] = await ask(payment);
  made.advanceClock(2 * MINUTE_MS);
  await askForLink(made.deps, payment);
  await openLink(made.deps, used);
  assert.deepEqual(await mailsOf(() => runMails(made.deps, made.deps.clock.nowMs(), 9)), []);
  await assert.rejects(openLink(made.deps, earlier), badLink);
  await openLink(made.deps, elsewhere);
});

test('a gateway that presses the button locks nobody out: the browser that asked signs in', async () => {
  const ways = [
    (payment: Payment, mail: Asked) => enterCode(payment, codeIn(mail)),
    (payment: Payment, mail: Asked) =>
      redeemLink(made.deps, pageOf(payment), tokenIn(mail), 'en', { browserHash: someBrowser }),
    // On another device.
    (payment: Payment, mail: Asked) =>
      redeemLink(made.deps, pageOf(payment), tokenIn(mail), 'en', { code: codeIn(mail) }),
  ];
  for (const enters of ways) {
    const payment = await newIntent();
    const [earlier] = await ask(payment);
    made.advanceClock(MINUTE_MS);
    const [mail] = await ask(payment);
    const token = tokenIn(mail);
    await redeem(payment, token);
    await assert.rejects(redeem(payment, token), badLink, 'the link is used once');
    const page = pageOf(payment);
    const stateIn = (browser: string | null) => linkState(made.deps, page, token, browser);
    assert.partialDeepStrictEqual(await stateIn(null), { state: 'valid', takes: 'code' });
    assert.partialDeepStrictEqual(await stateIn(someBrowser), { state: 'valid', takes: 'press' });
    await assert.rejects(enterCode(payment, otherThan(codeIn(mail))), badCode);
    const { session } = await enters(payment, mail);
    assert.equal(session?.paymentId, payment.id);
    // The person is in: the code, the link and what was mailed before have ended.
    await assert.rejects(enterCode(payment, codeIn(mail)), codeOver);
    await assert.rejects(
      redeemLink(made.deps, page, token, 'en', { browserHash: someBrowser }),
      badLink,
    );
    await assert.rejects(redeem(payment, tokenIn(earlier)), badLink);
    made.advanceClock(DAY_MS);
  }
});

test('a gateway that presses every button of a mailbox leaves the newest code', async () => {
  const payment = await newIntent();
  const mails: Asked[] = [];
  for (let nth = 0; nth < 3; nth += 1) {
    mails.push((await ask(payment))[0]);
    made.advanceClock(2 * MINUTE_MS);
  }
  for (const mail of mails) await redeem(payment, tokenIn(mail));
  await enterCode(payment, codeIn(mails.at(-1)));
});

test('where there is no page there is nothing to sign in to', async () => {
  const { payment: invoice } = await makeInvoice(made.deps, tenant);
  for (const publicId of ['nothing', invoice.publicId, invoice.id]) {
    const page = { kind: 'payment', publicId } as const;
    await assert.rejects(askForLink(made.deps, { publicId }), notFound);
    await assert.rejects(linkState(made.deps, page, 'token'), notFound);
    await assert.rejects(redeemLink(made.deps, page, 'token', 'en'), notFound);
  }
  await inviteBuyer(made.deps, tenant, invoice.id);
  await askForLink(made.deps, invoice);
});

test('a link opened twice concurrently signs in once', async () => {
  const payment = await newIntent();
  const token = tokenIn((await ask(payment))[0]);
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => redeem(payment, token)));
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('a requested link ends after 15 minutes, an invitation’s after a day', async () => {
  const { invoice, mail } = await invited();
  const payment = await newIntent();
  const [early] = await ask(payment);
  made.advanceClock(15 * MINUTE_MS - 1);
  await openLink(made.deps, early);
  const [late] = await ask(payment);
  made.advanceClock(15 * MINUTE_MS);
  await assert.rejects(openLink(made.deps, late), badLink);
  made.advanceClock(DAY_MS - 30 * MINUTE_MS);
  assert.equal((await openLink(made.deps, mail)).session?.paymentId, invoice.id);
});

test('after a day an invitation no longer signs in and masks its address; its page mails a new link', async () => {
  const { invoice, mail } = await invited();
  made.advanceClock(DAY_MS);
  await assert.rejects(openLink(made.deps, mail), badLink);
  const state = await linkState(made.deps, pageOf(invoice), tokenIn(mail));
  const endsAtMs = made.deps.clock.nowMs();
  assert.deepEqual(state, { state: 'over', endsAtMs, maskedAddress: 'A•••@Example.com' });
  const { payment } = await readPayment(made.deps, tenant, invoice.id);
  assert.equal(payment.status, 'awaiting_buyer');
  const [fresh] = await ask(invoice);
  await openLink(made.deps, fresh);
});

test('no text but a token that was sent is taken', async () => {
  const payment = await newIntent();
  const token = tokenIn((await ask(payment))[0]);
  const flipped = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`;
  for (const text of ['', 'x', flipped, `${token} `, token.slice(0, -1), token.toUpperCase()]) {
    await assert.rejects(redeem(payment, text), badLink);
  }
  await redeem(payment, token);
});

test('the language of the page is that of the buyer’s later mails', async () => {
  const payment = await newIntent();
  assert.equal(payment.buyerLocale, null);
  const [mail] = await ask(payment, { locale: 'pt-BR' });
  const { view } = await redeemLink(made.deps, pageOf(payment), tokenIn(mail), 'pt-BR');
  assert.equal(view?.payment.buyerLocale, 'pt-BR');
  const [again] = await ask(payment);
  const { view: later } = await redeemLink(made.deps, pageOf(payment), tokenIn(again), 'es');
  assert.equal(later?.payment.buyerLocale, 'es');
});
