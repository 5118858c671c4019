// The create's buyer, the sign-in and the quotes of a payment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { money } from '../../../../core/domain/base/money.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import {
  confirmQuote,
  requestQuote,
  signIn,
} from '../../../../core/usecases/hosted/buyer-steps.js';
import { submitBuyerKyc } from '../../../../core/usecases/parties/kyc.js';
import { readPayment } from '../../../../core/usecases/payments/payments.js';
import { ana } from '../../../support/samples/dossiers.js';
import { decideKyc, sentByPerson, withPartner } from '../../../support/scenes/kyc-scene.js';
import type { IntentFields } from '../../../support/scenes/made-payments.js';
import { type World, world } from '../../../support/scenes/test-world.js';
import { valuesOf } from '../../../support/values-of.js';

function pay(made: World, tenant: Tenant, email: string, name: string): Promise<string> {
  return made.newPayment(tenant, { buyer: { email, name, country: 'DE', phone: '+49 30 1' } });
}

/** A payment whose buyer may request a quote. */
async function verified(made: World, tenant: Tenant, fields?: IntentFields): Promise<string> {
  const id = await made.newPayment(tenant, fields);
  await made.play(tenant, id, 'buyer_kyc_approved');
  return id;
}

async function quoteFor(made: World, tenant: Tenant, id: string) {
  return (await requestQuote(made.deps, tenant, id)) ?? assert.fail('there is a quote');
}

function person(firstName: string) {
  return { entityType: 'individual', ...ana, firstName } as const;
}

test('a create makes the buyer of an unknown address and never changes a known one', async (t) => {
  const made = await world(t);
  const tenant = await made.newTenant();
  const first = await pay(made, tenant, 'Buyer@Example.com', 'Ana');
  const stored = () => made.deps.store.run((tx) => tx.buyers.byEmail('test', 'buyer@example.com'));
  const buyer = await stored();
  assert.equal(buyer?.email, 'Buyer@Example.com', 'as it was given');
  await signIn(made.deps, tenant, first);
  await submitBuyerKyc(made.deps, tenant, first, person('Ana'));
  await made.settle();
  made.advanceClock(1);
  const second = await pay(made, tenant, ' buyer@example.COM', 'Eve');
  assert.deepEqual(await stored(), buyer);
  const views = await Promise.all([first, second].map((id) => readPayment(made.deps, tenant, id)));
  assert.deepEqual(
    views.map(({ payment }) => [payment.buyerId, payment.buyer.email, payment.buyer.name]),
    [
      [buyer?.id, 'Buyer@Example.com', 'Ana'],
      [buyer?.id, ' buyer@example.COM', 'Eve'],
    ],
  );
  assert.deepEqual(valuesOf(views, 'kycStatus'), ['approved', 'approved']);
});

test('a rejection fails the payments that wait for it, of that tenant only', async (t) => {
  const made = await world(t);
  const [one, other] = [await made.newTenant(), await made.newTenant()];
  const ids = [await made.newPayment(one), await pay(made, one, ' Buyer@Example.com', 'Ana')];
  const elsewhere = await made.newPayment(other);
  for (const id of ids) await signIn(made.deps, one, id);
  await signIn(made.deps, other, elsewhere);
  await submitBuyerKyc(made.deps, one, ids[0] ?? '', person('Fail'));
  await made.settle();
  for (const id of ids) assert.equal(await made.statusOf(id), 'failed');
  assert.equal(await made.statusOf(elsewhere), 'buyer_kyc_pending');
});

test('a repeated rejection does not fail a payment that started to wait after it', async (t) => {
  const made = await world(t);
  const tenant = await made.newTenant();
  const first = await made.newPayment(tenant);
  await signIn(made.deps, tenant, first);
  const rejected = await submitBuyerKyc(made.deps, tenant, first, person('Fail'));
  await made.settle();
  made.advanceClock(1);
  const second = await made.newPayment(tenant);
  await signIn(made.deps, tenant, second);
  const report = { status: 'rejected', reason: null } as const;
  await decideKyc(made.deps, tenant, rejected.id, report);
  assert.equal(await made.statusOf(second), 'buyer_kyc_pending');
  const fresh = await submitBuyerKyc(made.deps, tenant, second, person('Ana'));
  assert.notEqual(fresh.id, rejected.id);
  await decideKyc(made.deps, tenant, rejected.id, report);
  await made.settle();
  assert.equal(await made.statusOf(second), 'buyer_kyc_approved');
  assert.equal(await made.statusOf(first), 'failed');
});

test('an approval is reused over integrators when the buyer signs in, also again', async (t) => {
  const made = await world(t);
  const [one, other] = [await made.newTenant(), await made.newTenant()];
  const [here, there] = [await made.newPayment(one), await made.newPayment(other)];
  await signIn(made.deps, one, here);
  await signIn(made.deps, other, there);
  await sentByPerson(made, await submitBuyerKyc(made.deps, other, there, person('Ana')));
  await made.settle();
  const before = await readPayment(made.deps, one, here);
  assert.equal(before.payment.status, 'buyer_kyc_pending');
  assert.equal(before.kycStatus, 'not_started', 'nothing of another tenant is shown');
  const after = await signIn(made.deps, one, here);
  assert.deepEqual([after.payment.status, after.kycStatus], ['buyer_kyc_approved', 'approved']);
});

test('no quote: refused for good fails the payment; not to be had now leaves it waiting', async (t) => {
  const made = await world(t);
  const tenant = await made.newTenant();
  // The fees would eat it up.
  const tiny = await verified(made, tenant, { amount: money(1n, 'EUR') });
  await assert.rejects(requestQuote(made.deps, tenant, tiny), { code: 'PaymentStateConflict' });
  const { payment } = await readPayment(made.deps, tenant, tiny);
  assert.partialDeepStrictEqual(payment, { status: 'failed' });
  assert.partialDeepStrictEqual(payment, { failureReason: 'quote refused: amount_too_small' });
  const fine = await verified(made, tenant);
  for (const outcome of ['later', 'unknown'] as const) {
    const away = withPartner(made.deps, { quote: async () => ({ outcome, reason: 'down' }) });
    await assert.rejects(requestQuote(away, tenant, fine), { code: 'PartnerUnavailable' });
  }
  assert.equal(await made.statusOf(fine), 'buyer_kyc_approved');
});

test('over a limit of the payee the payment stays, with one alert, until a quote is given', async (t) => {
  const made = await world(t);
  const tenant = await made.newTenant();
  const left = money(4_000n, 'USD');
  const limit = { period: 'month', left, untilMs: null } as const;
  const limited = withPartner(made.deps, { quote: async () => ({ outcome: 'over_limit', limit }) });
  const alerts = () => made.log.filter(({ message }) => message === 'alert').length;
  for (const to of ['buyer_kyc_approved', 'fx_quoted'] as const) {
    const id = await made.newPayment(tenant);
    await made.play(tenant, id, to);
    const before = alerts();
    for (let asked = 0; asked < 3; asked += 1) {
      made.advanceClock(1);
      assert.equal(await requestQuote(limited, tenant, id), null);
      const { payment } = await readPayment(made.deps, tenant, id);
      const hit = { ...limit, atMs: made.deps.clock.nowMs(), isLifted: false };
      assert.deepEqual([payment.status, payment.limitHit], [to, hit]);
    }
    assert.equal(alerts() - before, 1);
    const { id: quoteId } = await quoteFor(made, tenant, id);
    const { payment } = await readPayment(made.deps, tenant, id);
    assert.deepEqual([payment.quoteId, payment.limitHit?.isLifted], [quoteId, true]);
    await requestQuote(limited, tenant, id);
    assert.equal(alerts() - before, 1, 'one for each payment');
  }
});

test('the buyer confirms the quote that it was shown: with another one current, it is refused', async (t) => {
  const made = await world(t);
  const tenant = await made.newTenant();
  const id = await verified(made, tenant);
  const confirm = (quoteId: string) => confirmQuote(made.deps, tenant, id, quoteId);
  const [first, second] = [await quoteFor(made, tenant, id), await quoteFor(made, tenant, id)];
  for (const stale of [first.id, 'qt_none', '']) {
    await assert.rejects(confirm(stale), { code: 'QuoteChanged' });
  }
  assert.equal(await made.statusOf(id), 'fx_quoted');
  const { payment } = await confirm(second.id);
  assert.deepEqual([payment.status, payment.quoteId], ['on_ramp_pending', second.id]);
  for (const late of [first.id, second.id]) {
    await assert.rejects(confirm(late), { code: 'PaymentStateConflict' });
  }
});

test('a quote that ended while it was shown is not confirmed, nor is one of another payment', async (t) => {
  const made = await world(t);
  const tenant = await made.newTenant();
  const [id, other] = [await verified(made, tenant), await verified(made, tenant)];
  const confirm = (quoteId: string) => confirmQuote(made.deps, tenant, id, quoteId);
  await assert.rejects(confirm('qt_none'), { code: 'PaymentStateConflict' });
  const quote = await quoteFor(made, tenant, id);
  const foreign = await quoteFor(made, tenant, other);
  await assert.rejects(confirm(foreign.id), { code: 'QuoteChanged' });
  made.advanceClock(quote.expiresAtMs - made.deps.clock.nowMs());
  await assert.rejects(confirm(quote.id), { code: 'QuoteExpired' });
  const fresh = await quoteFor(made, tenant, id);
  await assert.rejects(confirm(quote.id), { code: 'QuoteChanged' }, 'ended and replaced');
  assert.equal((await confirm(fresh.id)).payment.status, 'on_ramp_pending');
});

test('a quote asked for in another tab does not change what is being confirmed', async (t) => {
  const made = await world(t);
  const tenant = await made.newTenant();
  const id = await verified(made, tenant);
  const shown = await quoteFor(made, tenant, id);
  const [confirmed] = await Promise.allSettled([
    confirmQuote(made.deps, tenant, id, shown.id),
    quoteFor(made, tenant, id),
  ]);
  const { payment } = await readPayment(made.deps, tenant, id);
  const isConfirmed = confirmed.status === 'fulfilled';
  assert.equal(payment.status, isConfirmed ? 'on_ramp_pending' : 'fx_quoted');
  assert.equal(payment.quoteId === shown.id, isConfirmed);
});

test('a confirmation stores the language in which the quote was shown', async (t) => {
  const made = await world(t);
  const tenant = await made.newTenant();
  for (const locale of ['es', null] as const) {
    const id = await verified(made, tenant);
    const { id: quoteId } = await quoteFor(made, tenant, id);
    assert.equal((await readPayment(made.deps, tenant, id)).payment.confirmedLocale, null);
    const { payment } = await confirmQuote(made.deps, tenant, id, quoteId, locale);
    assert.deepEqual([payment.confirmedLocale, payment.quoteId], [locale, quoteId]);
  }
});
