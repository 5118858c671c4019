// One sign-in covers the open payments of a mailbox with an organization: they are payable without
// another mail, and nothing of anybody else is.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HOUR_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import type { Payment } from '../../../../core/domain/payments/payment.js';
import { redeemLink } from '../../../../core/usecases/hosted/sign-ins.js';
import { readPayment } from '../../../../core/usecases/payments/payments.js';
import { memoryOnly } from '../../../support/partners/memory-only.js';
import {
  askForLink,
  makeIntent,
  openLink,
  pageOf,
  tokenIn,
} from '../../../support/scenes/made-payments.js';
import { pageSite } from '../visitor.js';

async function scene(t: TestContext) {
  const site = await pageSite(t, { memory: memoryOnly() });
  const { world } = site;
  const { deps } = world;
  const made = async (email = 'ana@example.com', tenant: Tenant = site.tenant) => {
    const buyer = { email, name: null, country: null, phone: null };
    return (await makeIntent(deps, tenant, { amount: money(20_000n, 'USD'), buyer })).payment;
  };
  const statusOf = async ({ id }: Payment) =>
    (await readPayment(deps, site.tenant, id)).payment.status;
  const mailed = async (payment: Payment) => {
    await askForLink(deps, payment);
    await world.settle();
    return world.mails.at(-1);
  };
  const visitorWith = (token: string) =>
    site.visitor({ headers: { cookie: `ponte-session=${token}` } });
  return { ...site, deps, made, statusOf, mailed, visitorWith };
}

/** The buyer is verified by the first payment that it ever paid. */
async function verifiedScene(t: TestContext) {
  const all = await scene(t);
  const paid = await all.made();
  await all.world.play(all.tenant, paid.id, 'settled');
  return { ...all, paid };
}

test('a sign-in makes all open payments of the mailbox payable together', async (t) => {
  const { made, statusOf, mailed, visitorWith, deps } = await verifiedScene(t);
  const open = [await made(), await made(), await made('ANA@example.com'), await made()];
  const stranger = await made('bo@example.com');
  const [first] = open;
  assert.ok(first !== undefined);
  const { token } = await openLink(deps, await mailed(first));
  for (const payment of open) assert.equal(await statusOf(payment), 'buyer_kyc_approved');
  assert.equal(await statusOf(stranger), 'awaiting_buyer');
  const list = await visitorWith(token).open(`/r/${first.publicId}/payments`);
  assert.equal(list.text.match(/type="checkbox"/g)?.length, open.length);
});

test('who pressed the link of an invitation makes all payable by the code of the mail', async (t) => {
  const { made, statusOf, mailed, visitor: open, newestMail } = await verifiedScene(t);
  const [first, second] = [await made(), await made()];
  await mailed(first);
  const mail = await newestMail();
  const visitor = open();
  // Another browser than the one that asked for the mail: a gateway of mails looks the same.
  await visitor.open(/\/r\/\S+\?token=[\w-]+/.exec(mail)?.[0] ?? '');
  await visitor.send('/enter');
  assert.equal(await statusOf(second), 'awaiting_buyer');
  const path = `/r/${first.publicId}/payments`;
  const list = await visitor.open(path);
  assert.match(list.text, /One payment waits for your sign-in/);
  assert.doesNotMatch(list.text, /cannot be paid with one transfer/);
  await visitor.send('/payments/all');
  assert.equal(await statusOf(second), 'awaiting_buyer', 'a press proves no person');
  const after = await visitor.send('/enter', { code: /\b\d{6}\b/.exec(mail)?.[0] ?? '' });
  assert.equal(after.path, path, 'back at the list');
  assert.equal(await statusOf(second), 'buyer_kyc_approved');
  assert.equal(after.text.match(/type="checkbox"/g)?.length, 2);
});

test('another payment of the list opens without a mail, and the first one stays', async (t) => {
  const { made, visitor: open, newestLink, paid } = await verifiedScene(t);
  const [first, second] = [await made(), await made()];
  const visitor = open();
  await visitor.open(`/r/${first.publicId}`);
  await visitor.send('/link');
  await visitor.open(await newestLink());
  await visitor.send('/enter');
  for (const other of [second, paid]) {
    await visitor.open(`/r/${first.publicId}/payments`);
    const opened = await visitor.send('/payments/open', { payment: other.id });
    assert.deepEqual([opened.status, opened.path], [200, `/r/${other.publicId}`]);
    assert.match(opened.text, new RegExp(`action="/r/${other.publicId}/sign-out"`), 'signed in');
  }
});

test('a session opens nothing of another buyer, organization or mode', async (t) => {
  const { made, mailed, visitorWith, deps, world, tenant } = await verifiedScene(t);
  const first = await made();
  const { token } = await openLink(deps, await mailed(first));
  const elsewhere = await world.newTenant();
  const others = [await made('bo@example.com'), await made('ana@example.com', elsewhere)];
  assert.notEqual(elsewhere.orgId, tenant.orgId);
  for (const other of [...others.map(({ id }) => id), 'pi_unknown', '']) {
    const visitor = visitorWith(token);
    await visitor.open(`/r/${first.publicId}/payments`);
    const { status } = await visitor.send('/payments/open', { payment: other });
    assert.equal(status, 404, other);
  }
});

test('the other session ends when the first one would have ended', async (t) => {
  const { made, mailed, visitorWith, deps, world, tenant } = await verifiedScene(t);
  const [first, second] = [await made(), await made()];
  const { token, session } = await openLink(deps, await mailed(first));
  world.advanceClock(HOUR_MS / 2);
  const visitor = visitorWith(token);
  await visitor.open(`/r/${first.publicId}/payments`);
  await visitor.send('/payments/open', { payment: second.id });
  const other = await deps.store.run((tx) => tx.sessions.newest(tenant, { paymentId: second.id }));
  assert.ok(session !== null && other !== null);
  assert.equal(other.endsAtMs, session.endsAtMs);
});

test('a press of a gateway covers nothing, and its session opens nothing', async (t) => {
  const { made, mailed, visitorWith, deps, statusOf } = await verifiedScene(t);
  const [first, second] = [await made(), await made()];
  const link = tokenIn(await mailed(first));
  const { token } = await redeemLink(deps, pageOf(first), link, 'en');
  assert.equal(await statusOf(second), 'awaiting_buyer');
  const visitor = visitorWith(token);
  await visitor.open(`/r/${first.publicId}/payments`);
  const answer = await visitor.send('/payments/open', { payment: second.id });
  assert.notEqual(answer.path, `/r/${second.publicId}`);
  assert.equal(await statusOf(second), 'awaiting_buyer');
});
