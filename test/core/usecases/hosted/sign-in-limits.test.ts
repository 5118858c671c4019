// How often a page mails a link, to the buyer and to strangers who have its address.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import type { Payment } from '../../../../core/domain/payments/payment.js';
import type { OutgoingMail } from '../../../../core/ports/outside.js';
import { addMember } from '../../../../core/usecases/access/members.js';
import {
  hashBrowser,
  linkState,
  redeemCode,
  redeemLink,
  requestLink,
} from '../../../../core/usecases/hosted/sign-ins.js';
import { inviteBuyer } from '../../../../core/usecases/payments/invoices.js';
import {
  askForLink,
  codeIn,
  pageOf,
  someBrowser,
  tokenIn,
} from '../../../support/scenes/made-payments.js';
import { signInScene } from '../../../support/scenes/sign-in-scene.js';
import type { World } from '../../../support/scenes/test-world.js';

const notFound = { name: 'PonteError', code: 'NotFound' };

let made: World;
let tenant: Tenant;
let strangers = 0;

const { newIntent, ask, invited } = signInScene((world, home) => {
  made = world;
  tenant = home;
});

const redeem = (payment: Payment, mail: OutgoingMail | undefined) =>
  redeemLink(made.deps, pageOf(payment), tokenIn(mail), 'en');

/** Mails asked for by a stranger who has the address of the page, in a new browser each time. */
async function askedByStrangers(payment: Payment, count: number, client: string | null = null) {
  for (let asked = 0; asked < count; asked += 1) {
    strangers += 1;
    await askForLink(made.deps, payment, { client, browserHash: hashBrowser(`${strangers}`) });
  }
  await made.settle();
}

test('a browser pauses after each of its mails, and the page says until when', async () => {
  const payment = await newIntent();
  for (const minutes of [1, 2, 5, 10]) {
    assert.equal((await ask(payment)).length, 1);
    const sentAtMs = made.deps.clock.nowMs();
    const untilMs = sentAtMs + minutes * MINUTE_MS;
    const tooSoon = { outcome: 'too_soon', untilMs, sentAtMs };
    assert.deepEqual(await askForLink(made.deps, payment), tooSoon);
    made.advanceClock(minutes * MINUTE_MS - 1);
    assert.deepEqual(await askForLink(made.deps, payment), tooSoon);
    made.advanceClock(1);
  }
});

test('requests of a stranger leave another browser its own mail', async () => {
  const payment = await newIntent();
  await askedByStrangers(payment, 4);
  const [mail] = await ask(payment);
  const tried = { client: null, browserHash: someBrowser, code: codeIn(mail) };
  await redeemCode(made.deps, pageOf(payment), tried, 'en');
});

test('a stranger that asks all day sends 18 mails, and a link in the mailbox always signs in', async () => {
  const payment = await newIntent();
  const stateOf = async (mail: OutgoingMail) =>
    (await linkState(made.deps, pageOf(payment), tokenIn(mail))).state;
  for (let minutes = 0; minutes < 24 * 60; minutes += 5) {
    await askedByStrangers(payment, 6);
    const answer = await askForLink(made.deps, payment);
    assert.equal(answer.outcome, 'too_soon', 'the stranger asked first');
    const states = await Promise.all(made.mails.slice(-5).map(stateOf));
    assert.ok(states.includes('valid'), `after ${minutes} minutes`);
    made.advanceClock(5 * MINUTE_MS);
  }
  assert.equal(made.mails.length, 18);
  made.advanceClock(-1);
  await redeem(payment, made.mails.at(-1));
  assert.equal((await ask(payment)).length, 1, 'a sign-in proves that the mails are wanted');
});

test('after the code of an invitation signed the buyer in, its page mails a link at once', async () => {
  const { invoice, mail } = await invited();
  await askedByStrangers(invoice, 9);
  const code = codeIn(mail);
  await redeemLink(made.deps, pageOf(invoice), tokenIn(mail), 'en', { code });
  assert.equal((await ask(invoice)).length, 1);
});

test('strangers at one page of an address leave its other pages their mails', async () => {
  const [page, other, elsewhere] = [
    await newIntent(),
    await newIntent(),
    await newIntent(await made.newTenant()),
  ];
  for (let hour = 0; hour < 24; hour += 1) {
    await askedByStrangers(page, 9);
    made.advanceClock(HOUR_MS);
  }
  for (const payment of [other, elsewhere]) assert.equal((await ask(payment)).length, 1);
});

test('after sixty sign-ins a day to an address, a page mails one when its latest link has ended', async () => {
  const pages: Payment[] = [];
  for (let count = 0; count < 61; count += 1) pages.push(await newIntent());
  const last = pages.pop() as Payment;
  for (const page of pages) await askedByStrangers(page, 1);
  assert.equal((await ask(last)).length, 1, 'other pages lock nobody out of this one');
  const sentAtMs = made.deps.clock.nowMs();
  made.advanceClock(2 * MINUTE_MS);
  const tooSoon = { outcome: 'too_soon', untilMs: sentAtMs + 15 * MINUTE_MS, sentAtMs };
  assert.deepEqual(await askForLink(made.deps, last), tooSoon);
  assert.equal((await ask(await newIntent(await made.newTenant()))).length, 1);
  made.advanceClock(13 * MINUTE_MS);
  assert.equal((await ask(last)).length, 1);
});

test('a client that has asked thirty times an hour slows the browsers behind it, and locks none out', async () => {
  const proxy = '2001:db8:0:1::1';
  const page = await newIntent();
  for (let count = 0; count < 30; count += 1) {
    const unknown = askForLink(made.deps, { publicId: `no page ${count}` }, { client: proxy });
    await assert.rejects(unknown, notFound);
  }
  await askedByStrangers(page, 2, proxy);
  assert.equal(made.mails.length, 1, 'the page pauses for all browsers');
  const client = '2001:DB8::1:ffff:ffff:ffff:ffff';
  const answer = await askForLink(made.deps, page, { client });
  assert.equal(answer.outcome, 'too_soon', 'of the same network');
  await redeem(page, made.mails.at(-1));
  const [other] = await ask(await newIntent(tenant, 'bo@example.com'), { client });
  assert.equal(other?.to, 'bo@example.com');
});

test('concurrent requests are limited too', async () => {
  const payment = await newIntent();
  const requests = Array.from({ length: 40 }, (_, index) =>
    askForLink(made.deps, payment, { browserHash: hashBrowser(`${index}`) }),
  );
  const answers = await Promise.all(requests);
  assert.equal(answers.filter(({ outcome }) => outcome === 'sent').length, 5);
  await made.settle();
  assert.equal(made.mails.length, 5);
});

test('of a client a hundred typed addresses an hour are stored, and no more mailed', async () => {
  const client = '203.0.113.9';
  const type = async (address: string) => {
    const page = { kind: 'dashboard', address } as const;
    const asked = { client, locale: 'en', browserHash: hashBrowser(address) } as const;
    return (await requestLink(made.deps, page, asked)).outcome;
  };
  const outcomes: string[] = [];
  for (let n = 0; n < 102; n += 1) outcomes.push(await type(`typed${n}@example.com`));
  assert.deepEqual(outcomes, [...Array(100).fill('sent'), 'too_soon', 'too_soon']);
  made.advanceClock(HOUR_MS / 100);
  assert.equal(await type('later@example.com'), 'sent');
  await made.settle();
  assert.equal(made.mails.length, 0);
});

test('a typed address is mailed as it was given to its member, not as it was typed', async () => {
  const email = 'Joana.Lima@example.com';
  await addMember(made.deps, { orgId: tenant.orgId, email, role: 'viewer' });
  const page = { kind: 'dashboard', address: ' jOANA.lima@EXAMPLE.com' } as const;
  const asked = { client: null, locale: 'en', browserHash: someBrowser } as const;
  await requestLink(made.deps, page, asked);
  await made.settle();
  assert.equal(made.mails.at(-1)?.to, email);
});

test('invitations take nothing of what an address may ask for', async () => {
  const { invoice } = await invited();
  for (let count = 1; count < 5; count += 1) {
    made.advanceClock(MINUTE_MS);
    await inviteBuyer(made.deps, tenant, invoice.id);
  }
  await made.settle();
  assert.equal(made.mails.length, 5);
  await askedByStrangers(invoice, 6);
  assert.equal(made.mails.length, 10);
});

test('a mail that names one action does not hold back the mail of another', async () => {
  const { deps } = made;
  const { orgId } = tenant;
  const address = 'joana@rotanorte.example';
  await addMember(deps, { orgId, email: address, role: 'owner' });
  const page = { kind: 'dashboard', address } as const;
  const asked = { client: null, locale: 'en', browserHash: someBrowser } as const;
  for (const action of ['create_key', 'change_payout'] as const) {
    const proof = { action, orgId };
    assert.equal((await requestLink(deps, page, { ...asked, proof })).outcome, 'sent', action);
    assert.equal((await requestLink(deps, page, { ...asked, proof })).outcome, 'too_soon', action);
  }
  await made.settle();
  const named = made.mails.flatMap(({ text }) => /You are about to (\w+)/.exec(text)?.[1] ?? []);
  assert.deepEqual(named.toSorted(), ['change', 'create']);
});
