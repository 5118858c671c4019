// An amount over a limit of the customer is refused at the quote, before the buyer confirms it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done } from '../../../adapters/partner-kit/conformance-harness.js';
import { DAY_MS, MINUTE_MS } from '../../../core/domain/base/instant.js';
import type { AmountLimit } from '../../../core/domain/payments/amount-limit.js';
import {
  type BlindPayScene,
  blindPay,
  destinationAt,
  preparedPayin,
  usd,
} from '../../support/blindpay/blindpay-scene.js';

const limitCall = /^\/limits\/customers\//;

function limitReads({ server }: BlindPayScene): number {
  return server.calls.filter(({ path }) => limitCall.test(path)).length;
}

/** The simulator's time is in January 2030. */
const month = { period: 'month', untilMs: Date.UTC(2030, 1, 1) } as const;
function dayAt({ nowMs }: BlindPayScene) {
  return { period: 'day', untilMs: (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS } as const;
}

test('the smaller rest of pay-ins and payouts counts; of several limits, the one that lasts longest', async (t) => {
  const scene = await blindPay(t);
  const destination = await destinationAt(scene);
  const day = dayAt(scene);
  const full = { daily: 1_000_000, monthly: 2_000_000 };
  const cases: readonly (readonly [
    payin: typeof full,
    payout: typeof full,
    limit: AmountLimit | null,
  ])[] = [
    [full, full, null],
    [{ ...full, daily: 125_000 }, full, null],
    [{ ...full, daily: 124_999 }, full, { ...day, left: usd(124_999n) }],
    [full, { ...full, daily: 50_000 }, { ...day, left: usd(50_000n) }],
    [full, { ...full, monthly: 0 }, { ...month, left: usd(0n) }],
    [{ daily: 0, monthly: -7 }, full, { ...month, left: usd(0n) }],
    [
      { ...full, daily: -1 },
      { ...full, daily: 9 },
      { ...day, left: usd(0n) },
    ],
  ];
  for (const [payin, payout, limit] of cases) {
    scene.server.state.limits = { payin, payout };
    scene.pass(MINUTE_MS);
    const answer = await scene.partner.quote({ source: usd(125_000n), destination });
    if (limit === null) done(answer);
    else assert.deepEqual(answer, { outcome: 'over_limit', limit });
  }
});

test('an amount over what one transaction may be is over a limit, named if BlindPay names it', async (t) => {
  const scene = await blindPay(t);
  scene.server.state.perTransaction = 1_000_000;
  const destination = await destinationAt(scene);
  const quote = () => scene.partner.quote({ source: usd(1_000_001n), destination });
  const limit = { period: 'payment', left: usd(1_000_000n), untilMs: null };
  assert.deepEqual(await quote(), { outcome: 'over_limit', limit });
  const [customer] = scene.server.state.customers;
  for (const unknown of [null, { per_transaction: null }]) {
    Object.assign(customer ?? assert.fail(), { limit: unknown });
    assert.deepEqual(await quote(), { outcome: 'over_limit', limit: { ...limit, left: null } });
  }
  done(await scene.partner.quote({ source: usd(1_000_000n), destination }));
});

test('limits are read once a minute for each customer', async (t) => {
  const scene = await blindPay(t);
  const destination = await destinationAt(scene);
  const quote = () => scene.partner.quote({ source: usd(125_000n), destination });
  for (let count = 0; count < 5; count += 1) done(await quote());
  assert.equal(limitReads(scene), 1);
  scene.pass(MINUTE_MS - 1);
  done(await quote());
  assert.equal(limitReads(scene), 1);
  scene.pass(1);
  done(await quote());
  assert.equal(limitReads(scene), 2);
});

test('without an answer about limits there is no quote now; BlindPay without limits quotes', async (t) => {
  const scene = await blindPay(t);
  const destination = await destinationAt(scene);
  const quote = () => scene.partner.quote({ source: usd(125_000n), destination });
  const [customer] = scene.server.state.customers;
  const path = `GET /limits/customers/${customer?.id}`;
  for (const fault of ['429', '500 before', '403 page'] as const) {
    scene.server.failNext(path, fault);
    assert.equal((await quote()).outcome, 'later', fault);
    scene.pass(MINUTE_MS);
  }
  for (const limits of [{}, null]) {
    scene.server.state.limits = limits;
    scene.pass(MINUTE_MS);
    done(await quote());
  }
  assert.equal(scene.log.at(-1)?.level, 'warn');
});

test('a limit that is reached between quote and pay-in asks the buyer for another quote', async (t) => {
  for (const code of ['LIMITS_VOLUME_EXCEEDED', 'LIMITS_AMOUNT_OUT_OF_RANGE']) {
    const scene = await blindPay(t);
    const request = await preparedPayin(scene);
    const refusal = { success: false, message: code.toLowerCase(), code, errors: [] };
    scene.server.state.createPayin = () => ({ status: 400, body: refusal });
    const answer = await scene.partner.payin.start(request);
    assert.equal(answer.outcome === 'refused' && answer.code, 'quote_expired', code);
    assert.deepEqual(done(await scene.partner.payin.find(request)), null);
  }
});
