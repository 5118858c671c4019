// The cap per transfer of the rule under which the partner pays out: at a create, at the price of
// the buyer, and of a transfer for several payments.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { money } from '../../../../core/domain/base/money.js';
import { type Regime, regimeNames, regimes } from '../../../../core/domain/commands/regime.js';
import { trialFacts } from '../../../../core/domain/payments/payer-relation.js';
import type { Deps } from '../../../../core/ports/deps.js';
import { confirmQuote, requestQuote } from '../../../../core/usecases/hosted/buyer-steps.js';
import {
  offerConsolidated,
  payConsolidated,
} from '../../../../core/usecases/hosted/consolidated-payments.js';
import { checkInvoices } from '../../../../core/usecases/payments/payments.js';
import { previewQuote } from '../../../../core/usecases/payments/quote-previews.js';
import { lawRuns } from '../../../support/law-runs.js';
import { depositScene } from '../../../support/scenes/deposit-scene.js';
import { invoiceInput, makeIntent } from '../../../support/scenes/made-payments.js';
import { world } from '../../../support/scenes/test-world.js';

/** The least amount that is over the cap, in units; null: none is. */
const over: Readonly<Record<Regime, bigint | null>> = {
  unstated: null,
  virtual_assets: 10_000_001n,
  virtual_assets_authorised: null,
  exchange: null,
};

test('a create says what the partner reports of each payment under the regime', async (t) => {
  for (const regime of regimeNames) {
    const made = await world(t, { settings: { regime } });
    const tenant = await made.newTenant();
    const { asks }: { readonly asks: readonly string[] } = regimes[regime];
    assert.equal(asks.length, regime.startsWith('virtual_assets') ? 2 : 0);
    for (const lacking of ['purpose', 'payerRelation'] as const) {
      const fields = { ...trialFacts, [lacking]: null, externalId: lacking };
      const created = makeIntent(made.deps, tenant, fields);
      const invoice = { ...invoiceInput, ...trialFacts, [lacking]: null };
      const [check] = await checkInvoices(made.deps, tenant, [invoice]);
      if (asks.length === 0) {
        assert.deepEqual([(await created).replayed, check?.refusal], [false, null]);
        continue;
      }
      const code = 'PaymentMissingFields';
      await assert.rejects(created, { code, message: new RegExp(`^Send ${lacking},`) });
      assert.equal(check?.refusal?.code, code);
    }
    await makeIntent(made.deps, tenant, { ...trialFacts, externalId: 'whole' });
  }
});

test('a repeat of a create from before the regime is answered', async (t) => {
  const made = await world(t);
  const tenant = await made.newTenant();
  await makeIntent(made.deps, tenant, { externalId: 'order-1' });
  const later = {
    ...made.deps,
    settings: { ...made.deps.settings, regime: 'virtual_assets' as const },
  };
  assert.equal((await makeIntent(later, tenant, { externalId: 'order-1' })).replayed, true);
});

test('a create over the cap of the regime is refused, in each currency; at the cap it is not', async (t) => {
  for (const regime of regimeNames) {
    const made = await world(t, { settings: { regime } });
    const tenant = await made.newTenant();
    for (const currency of ['USD', 'EUR', 'GBP']) {
      const create = (minor: bigint) =>
        made.newPayment(tenant, { amount: money(minor, currency), ...trialFacts });
      const limit = over[regime];
      await create((limit ?? 99_999_999n) - 1n);
      if (limit === null) continue;
      await assert.rejects(create(limit), { code: 'AmountAboveCap' }, `${regime} ${currency}`);
    }
    assert.equal(regimes[regime].cap === null, over[regime] === null);
  }
});

type Rates = Readonly<Record<string, string>>;

/** A partner with these rates; it has no price in another currency. */
function withRates(deps: Deps, rates: Rates): Deps {
  const partner = deps.partners.test ?? assert.fail();
  const quote: typeof partner.quote = async (input) => {
    const answer = await partner.quote(input);
    const rate = rates[input.source.currency];
    if (rate === undefined || answer.outcome !== 'done') return { outcome: 'later', reason: '' };
    return { ...answer, value: { ...answer.value, rate } };
  };
  return { ...deps, partners: { ...deps.partners, test: { ...partner, quote } } };
}

test('the price of the buyer compares the cap at the rates of the partner, to the cent', async (t) => {
  const made = await world(t, { settings: { regime: 'virtual_assets' } });
  const tenant = await made.newTenant();
  const { deps } = made;
  const priced = async (minor: bigint, rates: Rates) => {
    const amount = money(minor, 'EUR');
    const id = await made.newPayment(tenant, { amount, ...trialFacts });
    await made.play(tenant, id, 'buyer_kyc_approved');
    const quote = await requestQuote(withRates(deps, rates), tenant, id);
    const payment = await deps.store.run((tx) => tx.payments.get(tenant, id));
    assert.equal(payment?.status, quote === null ? 'buyer_kyc_approved' : 'fx_quoted');
    const asked = { amount, sellerExternalId: null };
    const codeOf = (error: { readonly code: string }) => error.code;
    const preview = await previewQuote(withRates(deps, rates), tenant, asked).catch(codeOf);
    const hit = payment?.limitHit ?? null;
    assert.deepEqual([preview === 'AmountAboveCap', hit?.period === 'transfer'], [!quote, !quote]);
    return hit?.left?.amountMinor ?? null;
  };
  // A euro of 1.2 dollars: the cap is 83,333.33.
  const dear = { USD: '5.00', EUR: '6.00' };
  assert.equal(await priced(8_333_333n, dear), null);
  assert.equal(await priced(8_333_334n, dear), 8_333_333n);
  const unknown = { code: 'PartnerUnavailable' };
  await assert.rejects(priced(1_000n, { EUR: '6.00' }), unknown, 'without the rate of the dollar');
});

test('no pay-in above the cap is ordered, at any rates and without some', async (t) => {
  const made = await world(t, { settings: { regime: 'virtual_assets' } });
  const tenant = await made.newTenant();
  const { deps } = made;
  const seen = new Set<string>();
  const cents = fc.integer({ min: 300, max: 900 }).map((of) => `${(of / 100).toFixed(2)}`);
  const rate = fc.option(cents, { nil: undefined, freq: 5 });
  const given = fc.record({
    currency: fc.constantFrom('USD', 'EUR', 'GBP'),
    minor: fc.bigInt({ min: 5_000_000n, max: 10_200_000n }),
    rates: fc.record({ USD: rate, EUR: rate, GBP: rate }),
  });
  type Given = typeof given extends fc.Arbitrary<infer T> ? T : never;
  const played = async ({ currency, minor, rates }: Given): Promise<string> => {
    const known = Object.fromEntries(
      Object.entries(rates).flatMap(([name, one]) => (one === undefined ? [] : [[name, one]])),
    );
    const partnered = withRates(deps, known);
    const codeOf = (error: { readonly code: string }) => error.code;
    const amount = money(minor, currency);
    const id = await made.newPayment(tenant, { amount, ...trialFacts }).catch(codeOf);
    if (!id.startsWith('pi_')) return id;
    await made.play(tenant, id, 'buyer_kyc_approved');
    const quote = await requestQuote(partnered, tenant, id).catch(codeOf);
    if (quote === null || typeof quote === 'string') return quote ?? 'limit';
    await confirmQuote(partnered, tenant, id, quote.id);
    const commands = await deps.store.run((tx) => tx.commands.ofPayment(tenant, id));
    const scaled = (text = '1') => BigInt(text.replace('.', ''));
    const [rate, rateOfCap] = currency === 'USD' ? [] : [known[currency], known['USD']];
    for (const { amount } of commands)
      assert.ok(amount.amountMinor * scaled(rate) <= 10_000_000n * scaled(rateOfCap));
    return `${commands.length} ordered ${currency}`;
  };
  const law = fc.asyncProperty(given, async (one) => {
    seen.add(await played(one));
  });
  await fc.assert(law, { numRuns: lawRuns(60), seed: 7 });
  const ordered = ['USD', 'EUR', 'GBP'].map((one) => `1 ordered ${one}`);
  const ends = [...ordered, 'AmountAboveCap', 'PartnerUnavailable', 'limit'];
  assert.deepEqual([...seen].sort(), ends.sort());
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
