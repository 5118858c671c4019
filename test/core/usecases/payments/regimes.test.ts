// The cap per transfer of the rule under which the partner pays out: at a create, at the price of
// the buyer, and of a transfer for several payments.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { money } from '../../../../core/domain/base/money.js';
import { type Regime, regimeNames, regimes } from '../../../../core/domain/commands/regime.js';
import { requestQuote } from '../../../../core/usecases/hosted/buyer-steps.js';
import {
  offerConsolidated,
  payConsolidated,
} from '../../../../core/usecases/hosted/consolidated-payments.js';
import { depositScene } from '../../../support/scenes/deposit-scene.js';
import { world } from '../../../support/scenes/test-world.js';

/** The least amount that is over the cap, in units; null: none is. */
const over: Readonly<Record<Regime, bigint | null>> = {
  unstated: null,
  virtual_assets: 10_000_001n,
  virtual_assets_authorised: null,
  exchange: null,
};

test('a create over the cap of the regime is refused, in each currency; at the cap it is not', async (t) => {
  for (const regime of regimeNames) {
    const made = await world(t, { settings: { regime } });
    const tenant = await made.newTenant();
    for (const currency of ['USD', 'EUR', 'GBP']) {
      const create = (minor: bigint) => made.newPayment(tenant, { amount: money(minor, currency) });
      const limit = over[regime];
      await create((limit ?? 99_999_999n) - 1n);
      if (limit === null) continue;
      await assert.rejects(create(limit), { code: 'AmountAboveCap' }, `${regime} ${currency}`);
    }
    assert.equal(regimes[regime].cap === null, over[regime] === null);
  }
});

test('the price of the buyer compares the cap at the rates of the partner, to the cent', async (t) => {
  const made = await world(t, { settings: { regime: 'virtual_assets' } });
  const tenant = await made.newTenant();
  const { deps } = made;
  const partner = deps.partners.test ?? assert.fail();
  const quoteAt = (rates: Readonly<Record<string, string>>) => ({
    ...deps,
    partners: {
      ...deps.partners,
      test: {
        ...partner,
        quote: async (input: Parameters<typeof partner.quote>[0]) => {
          const answer = await partner.quote(input);
          const rate = rates[input.source.currency];
          if (rate === undefined || answer.outcome !== 'done')
            return { outcome: 'later', reason: '' };
          return { ...answer, value: { ...answer.value, rate } };
        },
      },
    } as typeof deps.partners,
  });
  const priced = async (minor: bigint, rates: Readonly<Record<string, string>>) => {
    const id = await made.newPayment(tenant, { amount: money(minor, 'EUR') });
    await made.play(tenant, id, 'buyer_kyc_approved');
    const quote = await requestQuote(quoteAt(rates), tenant, id);
    const payment = await deps.store.run((tx) => tx.payments.get(tenant, id));
    assert.equal(payment?.status, quote === null ? 'buyer_kyc_approved' : 'fx_quoted');
    return quote === null ? (payment?.limitHit?.left?.amountMinor ?? 0n) : null;
  };
  // A euro of 1.2 dollars: the cap is 83,333.33.
  const dear = { USD: '5.00', EUR: '6.00' };
  assert.equal(await priced(8_333_333n, dear), null);
  assert.equal(await priced(8_333_334n, dear), 8_333_333n);
  // Without the rate of the dollar, a euro counts as one.
  assert.equal(await priced(10_000_000n, { EUR: '6.00' }), null);
});

test('a transfer for several payments is one transfer under the cap', async (t) => {
  const scene = await depositScene(t, { settings: { regime: 'virtual_assets' } });
  const all: { paymentId: string; quoteId: string | null; publicId: string }[] = [];
  for (const amountMinor of [6_000_000n, 4_000_000n, 1n]) {
    const { payment } = await (await scene.priced(amountMinor + 100_000n)).read();
    all.push({ paymentId: payment.id, quoteId: payment.quoteId, publicId: payment.publicId });
  }
  const { deps } = scene.made;
  const over = all.slice(0, 2);
  const publicId = all[0]?.publicId ?? '';
  const ids = (some: typeof all) => some.map(({ paymentId }) => paymentId);
  await assert.rejects(offerConsolidated(deps, publicId, ids(over)), { code: 'AmountAboveCap' });
  await assert.rejects(payConsolidated(deps, publicId, over, 'en'), { code: 'AmountAboveCap' });
  assert.deepEqual(scene.collected, [], 'the partner is asked for no bank details');
  const within = [all[0], all[2]].filter((one) => one !== undefined);
  await payConsolidated(deps, publicId, within, 'en');
  assert.equal(scene.collected.length, 1);
});
