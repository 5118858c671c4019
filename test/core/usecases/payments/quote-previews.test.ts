// The price of a payment that does not exist: what a buyer would be shown, with nothing stored.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { money } from '../../../../core/domain/base/money.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import type { QuoteAnswer } from '../../../../core/ports/partner.js';
import { previewQuote } from '../../../../core/usecases/payments/quote-previews.js';
import { changePartner } from '../../../support/partners/changed-partner.js';
import { world } from '../../../support/scenes/test-world.js';

const amount = money(100_000n, 'USD');
const toOrganization = { amount, sellerExternalId: null };

test('a preview is the price of the partner, and no payment comes of it', async (t) => {
  const made = await world(t);
  const tenant = await made.newTenant();
  const { terms, limit } = await previewQuote(made.deps, tenant, toOrganization);
  assert.deepEqual([terms?.source, terms?.target.currency, limit], [amount, 'BRL', null]);
  const feed = await made.deps.store.run((tx) => tx.feed.after(tenant, 0, 10));
  assert.deepEqual(feed, []);
});

test('a preview is refused like a create of the payment', async (t) => {
  const made = await world(t);
  const tenant = await made.newTenant();
  const refusals = [
    [{ amount: money(999n, 'USD') }, 'AmountBelowMinimum'],
    [{ amount: money(100n, 'JPY') }, 'ValidationError'],
    [{ sellerExternalId: 'nobody' }, 'SellerNotReady'],
    // The fees would be more than the amount.
    [{ amount: money(1n, 'EUR') }, 'ValidationError'],
  ] as const;
  for (const [fields, code] of refusals) {
    const asked = previewQuote(made.deps, tenant, { ...toOrganization, ...fields });
    await assert.rejects(asked, { code });
  }
  const stranger = { ...tenant, mode: 'live' } as const;
  await assert.rejects(previewQuote(made.deps, stranger, toOrganization), {
    code: 'KybNotApproved',
  });
});

test('an amount over a limit of the payee has the limit in place of a price', async (t) => {
  const made = await world(t);
  const tenant = await made.newTenant();
  const limit = { period: 'day', left: money(5_000n, 'USD'), untilMs: 1 } as const;
  changePartner(made.partner, {
    quote: async (): Promise<QuoteAnswer> => ({ outcome: 'over_limit', limit }),
  });
  assert.deepEqual(await previewQuote(made.deps, tenant, toOrganization), { terms: null, limit });
});

test('previews are limited, because each is a call to the partner', async (t) => {
  const made = await world(t);
  const tenants = [await made.newTenant(), await made.newTenant(), await made.newTenant()];
  const ask = (of: Tenant) => previewQuote(made.deps, of, toOrganization);
  const [one, other, last] = tenants as [Tenant, Tenant, Tenant];
  for (const tenant of [one, other]) {
    for (let count = 0; count < 10; count += 1) await ask(tenant);
    await assert.rejects(ask(tenant), { code: 'PreviewLimitExceeded' }, 'of a tenant');
  }
  await assert.rejects(ask(last), { code: 'PreviewLimitExceeded' }, 'of all tenants');
  made.advanceClock(6_000);
  await ask(last);
});
