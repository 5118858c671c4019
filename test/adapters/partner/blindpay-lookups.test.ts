// Look-ups at BlindPay: their calls do not grow with what a seller has done before.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { done } from '../../../adapters/partner-kit/conformance-harness.js';
import { DAY_MS, HOUR_MS } from '../../../core/domain/base/instant.js';
import { newTracking } from '../../support/blindpay/blindpay-objects.js';
import {
  type BlindPayScene,
  blindPay,
  preparedPayin,
  preparedPayout,
  usd,
} from '../../support/blindpay/blindpay-scene.js';
import type { BlindPayState } from '../../support/blindpay/blindpay-state.js';

const lookUps = {
  payin: {
    prepare: (scene: BlindPayScene) => preparedPayin(scene),
    calls: ({ partner }: BlindPayScene) => partner.payin,
  },
  payout: {
    prepare: (scene: BlindPayScene) =>
      preparedPayout(scene, usd(125_000n), { sinceMs: scene.nowMs }),
    calls: ({ partner }: BlindPayScene) => partner.payout,
  },
} as const;

/** Earlier pay-ins and payouts of the seller, one every eight hours, oldest first. */
function remember({ server, nowMs }: BlindPayScene, count: number): void {
  const { state } = server;
  const [customer] = state.customers;
  for (const [list, prefix] of [
    [state.payins, 'pi'],
    [state.payouts, 'po'],
  ] as const) {
    const earlier = Array.from({ length: count }, (_, index) => ({
      id: `${prefix}_${`${index}`.padStart(12, 'e')}`,
      customer_id: customer?.id ?? '',
      status: 'completed',
      payin_quote_id: `qu_earlier${index}`,
      description: `${'0'.repeat(24)}${`${index}`.padStart(8, '0')} 10.00 USD`,
      sender_amount: 1_000,
      receiver_amount: 5_000,
      ...newTracking(),
      created_at: new Date(nowMs - (count - index) * 8 * HOUR_MS).toISOString(),
    }));
    list.unshift(...earlier);
  }
}

/** The calls of a look-up that finds nothing, and of one that finds its command. */
async function callsOf(
  t: TestContext,
  kind: keyof typeof lookUps,
  count: number,
  order: BlindPayState['listOrder'],
) {
  const scene = await blindPay(t);
  scene.server.state.listOrder = order;
  const request = await lookUps[kind].prepare(scene);
  remember(scene, count);
  const { start, find } = lookUps[kind].calls(scene);
  const counted = async (work: () => Promise<unknown>) => {
    const before = scene.server.calls.length;
    await work();
    return scene.server.calls.length - before;
  };
  const absent = await counted(async () => assert.equal(done(await find(request)), null));
  const { partnerRef } = done(await start(request));
  scene.pass(DAY_MS / 2);
  const found = await counted(async () => {
    assert.equal(done(await find(request))?.partnerRef, partnerRef);
  });
  return { absent, found };
}

for (const kind of ['payin', 'payout'] as const) {
  test(`${kind}: a look-up takes as many calls after 3,000 of the seller as after 30`, async (t) => {
    const few = await callsOf(t, kind, 30, 'newest first');
    assert.deepEqual(await callsOf(t, kind, 3_000, 'newest first'), few);
    assert.equal(few.absent, 1);
  });

  test(`${kind}: in a list of another order, pages have a thousand items`, async (t) => {
    for (const order of ['oldest first', 'mixed'] as const) {
      const { absent } = await callsOf(t, kind, 3_000, order);
      assert.ok(absent <= 5, `${order}: ${absent}`);
    }
  });
}
