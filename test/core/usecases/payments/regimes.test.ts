// The cap per transfer of the rule under which the partner pays out, at a create.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { money } from '../../../../core/domain/base/money.js';
import { type Regime, regimeNames, regimes } from '../../../../core/domain/commands/regime.js';
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
