import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/domain/instant.js';
import type { Payment } from '../../../core/domain/payment.js';
import type { Tenant } from '../../../core/domain/tenant.js';
import type { Deps } from '../../../core/ports/deps.js';
import type { Store, Tx } from '../../../core/ports/storage.js';
import { inviteBuyer } from '../../../core/usecases/invoices.js';
import { readPayment } from '../../../core/usecases/payments.js';
import { redeemSignIn, requestSignIn } from '../../../core/usecases/sign-ins.js';
import { makeIntent, makeInvoice, tokenIn } from '../../support/made-payments.js';
import { type World, world } from '../../support/test-world.js';

const tooMany = { name: 'PonteError', code: 'RateLimitExceeded' };
const badLink = { name: 'PonteError', code: 'InvalidSignInLink' };
const email = 'Ana@Example.com';

let made: World;
let tenant: Tenant;

beforeEach(async (t) => {
  made = await world(t as TestContext);
  tenant = await made.newTenant();
});

async function newIntent(home = tenant): Promise<Payment> {
  const buyer = { email, name: null, country: null, phone: null };
  return (await makeIntent(made.deps, home, { buyer })).payment;
}

/** Asks for a link; answers with the mails that this brought. */
async function ask({ publicId }: Payment, address = email) {
  const before = made.mails.length;
  await requestSignIn(made.deps, publicId, address, null);
  await made.settle();
  return made.mails.slice(before);
}

test('the buyer asks for a link on the page and is signed in by it', async () => {
  const payment = await newIntent();
  assert.deepEqual(made.mails, [], 'nobody is mailed for a payment intent by itself');
  const [mail] = await ask(payment);
  const view = await redeemSignIn(made.deps, tokenIn(mail));
  assert.deepEqual([view.payment.id, view.payment.status], [payment.id, 'buyer_kyc_pending']);
});

test('addresses are compared trimmed and in lower case; the mail goes to the one given', async () => {
  const payment = await newIntent();
  const [mail] = await ask(payment, '  ana@EXAMPLE.com ');
  assert.equal(mail?.to, email);
});

test('another address gets the same answer and no mail', async () => {
  const payment = await newIntent();
  assert.equal(
    await requestSignIn(made.deps, payment.publicId, 'eve@example.com', null),
    undefined,
  );
  assert.deepEqual(await ask(payment, 'eve@example.com'), []);
});

/** What a request for a link asks of the world outside, in order, up to its answer. */
async function callsOf(publicId: string, address: string): Promise<readonly string[]> {
  const calls: string[] = [];
  const over = Promise.withResolvers<void>();
  const noted = <T extends object>(part: string, of: T): T =>
    new Proxy(of, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: readonly unknown[]) => {
          calls.push(`${part}.${String(name)}`);
          return Reflect.apply(value, target, args);
        };
      },
    });
  const { store, rateLimits, secretBox } = made.deps;
  const run: Store['run'] = (work) =>
    store.run((tx) => work(new Proxy(tx, { get: (of, name: keyof Tx) => noted(name, of[name]) })));
  const deps: Deps = {
    ...made.deps,
    store: { ...store, run },
    rateLimits: noted('rateLimits', rateLimits),
    secretBox: noted('secretBox', secretBox),
    pause: (durationMs) => {
      calls.push(`pause for ${durationMs}`);
      return over.promise;
    },
    wake: (work) => {
      calls.push(`wake ${work}`);
      setImmediate(() => {
        calls.push('pause over');
        over.resolve();
      });
    },
  };
  await requestSignIn(deps, publicId, address, '203.0.113.7');
  return [...calls, 'answer'];
}

test('a match changes neither the calls nor the moment of the answer', async () => {
  const { publicId } = await newIntent();
  const matching = await callsOf(publicId, email);
  assert.deepEqual(matching, [
    ...['pause for 400', 'rateLimits.take', 'payments.byPublicId', 'rateLimits.take'],
    ...['payments.byPublicId', 'mails.newestNumbered', 'secretBox.seal', 'mails.insert'],
    ...['wake mails', 'pause over', 'answer'],
  ]);
  assert.deepEqual(await callsOf(publicId, 'eve@example.com'), matching);
  for (let count = 1; count < 5; count += 1) await requestSignIn(made.deps, publicId, email, null);
  assert.deepEqual(await callsOf(publicId, email), matching, 'the limit of the address is reached');
  await made.settle();
  assert.equal(made.mails.length, 5);
});

test('a refusal comes after the pause, too', async () => {
  const over = Promise.withResolvers<void>();
  const deps: Deps = { ...made.deps, pause: () => over.promise };
  const order: string[] = [];
  const refused = requestSignIn(deps, 'nothing', email, null).catch(({ code }) => order.push(code));
  await made.deps.store.run((tx) => tx.payments.byPublicId('nothing'));
  setImmediate(() => {
    order.push('pause over');
    over.resolve();
  });
  await refused;
  assert.deepEqual(order, ['pause over', 'NotFound']);
});

test('a request with another address leaves a dropped mail, without that address', async () => {
  const { publicId } = await newIntent();
  await requestSignIn(made.deps, publicId, 'eve@example.com', '203.0.113.7');
  await made.settle();
  const rows = await made.deps.store.run((tx) =>
    tx.mails.list({ status: null, beforeId: null, limit: 9 }),
  );
  assert.deepEqual(
    rows.map(({ status, lastError, tries, nth, tokenSealed }) => {
      return [status, lastError, tries, nth, tokenSealed];
    }),
    [['dropped', 'another address was given', 0, null, null]],
  );
  assert.doesNotMatch(JSON.stringify(rows), /eve@/);
});

test('a page accepts a burst of ten requests and ten an hour, from any client', async () => {
  const [page, other] = [await newIntent(), await newIntent()];
  const guess = (count: number, { publicId }: Payment) =>
    requestSignIn(made.deps, publicId, `guess-${count}@example.com`, `203.0.113.${count}`);
  for (let count = 0; count < 10; count += 1) await guess(count, page);
  const refused = { ...tooMany, retryAfterSeconds: 6 * 60 };
  await assert.rejects(guess(10, page), refused);
  await assert.rejects(requestSignIn(made.deps, page.publicId, email, null), refused);
  await guess(10, other);
  made.advanceClock(6 * MINUTE_MS);
  await guess(11, page);
  await assert.rejects(guess(12, page), tooMany);
});

test('a client may send a burst of thirty requests and thirty an hour, over all pages', async () => {
  const pages = await Promise.all(Array.from({ length: 4 }, () => newIntent()));
  const asked = (count: number, client: string) =>
    requestSignIn(made.deps, pages[count % 4]?.publicId ?? '', email, client);
  for (let count = 0; count < 27; count += 1) await asked(count, '2001:db8:0:1::1');
  for (let count = 0; count < 3; count += 1) {
    const unknown = requestSignIn(made.deps, `no page ${count}`, email, '2001:db8:0:1:9::');
    await assert.rejects(unknown, { code: 'NotFound' });
  }
  const same = asked(0, '2001:DB8::1:ffff:ffff:ffff:ffff');
  await assert.rejects(same, { ...tooMany, retryAfterSeconds: 2 * 60 });
  await asked(0, '2001:db8:0:2::1');
  made.advanceClock(2 * MINUTE_MS);
  await asked(1, '2001:db8:0:1::2');
});

test('where there is no page there is nothing to sign in to', async () => {
  const { payment: invoice } = await makeInvoice(made.deps, tenant);
  for (const publicId of ['nothing', invoice.publicId, invoice.id]) {
    await assert.rejects(requestSignIn(made.deps, publicId, email, null), { code: 'NotFound' });
  }
  await inviteBuyer(made.deps, tenant, invoice.id);
  await requestSignIn(made.deps, invoice.publicId, email, null);
});

test('a link is good once', async () => {
  const token = tokenIn((await ask(await newIntent()))[0]);
  await redeemSignIn(made.deps, token);
  await assert.rejects(redeemSignIn(made.deps, token), badLink);
});

test('a link opened twice concurrently signs in once', async () => {
  const token = tokenIn((await ask(await newIntent()))[0]);
  const results = await Promise.allSettled(
    Array.from({ length: 5 }, () => redeemSignIn(made.deps, token)),
  );
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('a sign-in link ends after half an hour, an invitation’s after a week', async () => {
  const payment = await newIntent();
  const { payment: invoice } = await makeInvoice(made.deps, tenant);
  await inviteBuyer(made.deps, tenant, invoice.id);
  await made.settle();
  const invitation = tokenIn(made.mails.at(-1));
  const [early, late] = [tokenIn((await ask(payment))[0]), tokenIn((await ask(payment))[0])];
  made.advanceClock(30 * MINUTE_MS - 1);
  await redeemSignIn(made.deps, early);
  made.advanceClock(1);
  await assert.rejects(redeemSignIn(made.deps, late), badLink);
  made.advanceClock(7 * DAY_MS - 30 * MINUTE_MS - 1);
  assert.equal((await redeemSignIn(made.deps, invitation)).payment.id, invoice.id);
});

test('an invitation’s link is refused once its week is over', async () => {
  const { payment: invoice } = await makeInvoice(made.deps, tenant);
  await inviteBuyer(made.deps, tenant, invoice.id);
  await made.settle();
  made.advanceClock(7 * DAY_MS);
  await assert.rejects(redeemSignIn(made.deps, tokenIn(made.mails[0])), badLink);
  const { payment } = await readPayment(made.deps, tenant, invoice.id);
  assert.equal(payment.status, 'awaiting_buyer');
});

test('no text but a token that was sent is taken', async () => {
  const token = tokenIn((await ask(await newIntent()))[0]);
  const flipped = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`;
  for (const text of ['', 'x', flipped, `${token} `, token.slice(0, -1), token.toUpperCase()]) {
    await assert.rejects(redeemSignIn(made.deps, text), badLink);
  }
  await redeemSignIn(made.deps, token);
});

test('an address is sent five sign-in mails an hour, over all its payments', async () => {
  const other = await made.newTenant();
  const payments = [await newIntent(), await newIntent(other)] as const;
  const sent = async (index: 0 | 1) => (await ask(payments[index])).length;
  const counts = [];
  for (const index of [0, 1, 0, 1, 0, 1, 0] as const) counts.push(await sent(index));
  assert.deepEqual(counts, [1, 1, 1, 1, 1, 0, 0]);
  made.advanceClock(HOUR_MS - 1);
  assert.equal(await sent(0), 0);
  made.advanceClock(1);
  assert.equal(await sent(0), 1);
});

test('concurrent requests are limited to five too', async () => {
  const payment = await newIntent();
  await Promise.all(
    Array.from({ length: 7 }, () => requestSignIn(made.deps, payment.publicId, email, null)),
  );
  await made.settle();
  assert.equal(made.mails.length, 5);
});

test('invitations take nothing of what an address may ask for', async () => {
  const { payment: invoice } = await makeInvoice(made.deps, tenant);
  for (let count = 0; count < 5; count += 1) {
    await inviteBuyer(made.deps, tenant, invoice.id);
    made.advanceClock(MINUTE_MS);
  }
  await made.settle();
  assert.equal(made.mails.length, 5);
  for (let count = 0; count < 5; count += 1) assert.equal((await ask(invoice)).length, 1);
  assert.equal((await ask(invoice)).length, 0);
});
