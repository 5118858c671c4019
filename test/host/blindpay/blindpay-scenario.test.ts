// A payment through the whole service with BlindPay as its partner, over the simulator: a seller,
// its PIX destination, a buyer, a quote, a pay-in and a payout, with messages and without, and with
// a fault at each call that has an effect.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/domain/base/instant.js';
import { readPaymentPage } from '../../../core/usecases/hosted/payment-page.js';
import { findDifferences } from '../../../core/usecases/payments/ledger-check.js';
import {
  assertSettledOnce,
  type effectiveCalls,
  openPonte as open,
  paidOrder,
  readySeller,
  type PonteScene as Scene,
  settleDespite,
} from '../../support/blindpay/blindpay-ponte.js';
import type { Fault } from '../../support/blindpay/blindpay-server.js';
import { valuesOf } from '../../support/values-of.js';

/**
 * One that has an effect for each call. The nightly run has all four for each call,
 * blindpay-faults.test.ts has all that there are.
 */
const seenFaults: Readonly<Record<(typeof effectiveCalls)[number], Fault>> = {
  'POST /customers': 'late',
  'POST /payins/evm': 'cut after',
  'POST /quotes': 'late',
  'POST /payouts/evm': 'cut after',
};

test('a payment is settled to its seller', async (t) => {
  const scene = await open(t);
  await readySeller(scene);
  const payment = await paidOrder(scene);
  await assertSettledOnce(scene, payment);
});

test('the buyer that test mode plays has a country, which BlindPay requires', async (t) => {
  const scene = await open(t);
  await readySeller(scene);
  const { status } = await paidOrder(scene, '1250.00', { buyer: { email: 'ana@buyer.example' } });
  assert.equal(status, 'settled');
});

test('an order that is in doubt gets its id back from another one, and each has its own money', async (t) => {
  for (const kind of ['payin', 'payout'] as const) {
    const scene = await open(t);
    const { ponte, server } = scene;
    const { state } = server;
    await readySeller(scene);
    const made = () => (kind === 'payin' ? state.payins : state.payouts).map(({ id }) => id);
    state.payinsWait = kind === 'payin';
    /** No order is answered but with this id, and no look-up once there is an order. */
    const answerOrdersWith = (id: string | null) => {
      const before = made().length;
      server.change = ({ path }, answer) => {
        const isOrder = path === `/${kind}s/evm`;
        if (isOrder && id !== null) return { ...answer, body: { ...(answer.body as object), id } };
        const isKept = isOrder || (path.startsWith(`/${kind}s`) && made().length > before);
        return isKept ? { ...answer, status: 502, body: '' } : answer;
      };
    };
    answerOrdersWith(null);
    const to = kind === 'payin' ? 'on_ramp_pending' : 'offramp_pending';
    const at = { to, lastsMs: 2 * MINUTE_MS };
    const one = await paidOrder(scene, '100.00', at);
    const [ordered] = made();
    assert.ok(ordered !== undefined);
    answerOrdersWith(ordered);
    const two = await paidOrder(scene, '200.00', { ...at, externalId: 'two' });
    const ids = async () =>
      Promise.all(
        [one, two].map(async ({ id }) => {
          const commands = await ponte.deps.store.run(async (tx) => {
            const payment = await tx.payments.find(String(id));
            return tx.commands.ofPayment(payment ?? assert.fail(), String(id));
          });
          return commands.find((command) => command.kind === kind)?.partnerRef;
        }),
      );
    assert.deepEqual(await ids(), [null, ordered], kind);
    server.change = (_, answer) => answer;
    for (const id of kind === 'payin' ? made() : []) state.pay(id);
    await ponte.advanceTime(DAY_MS);
    assert.deepEqual(await ids(), made(), kind);
    for (const { id, amount } of [one, two]) {
      const { status, funds } = await ponte.get(`/v1/payments/${id}`);
      const { received } = funds as { received: string };
      assert.deepEqual([status, received], ['settled', amount], kind);
    }
    assert.deepEqual([state.payins.length, state.payouts.length], [2, 2]);
    assert.deepEqual(await findDifferences(ponte.deps, 10), []);
  }
});

test('polls alone settle a payment, and so do messages that come twice and backwards', async (t) => {
  for (const network of ['lost', 'twice', 'backwards'] as const) {
    const scene = await open(t);
    const held: (() => Promise<void>)[] = [];
    scene.network = async (send) => {
      if (network === 'lost') return;
      if (network === 'twice') await Promise.all([send(), send()]);
      else {
        held.push(send);
        if (held.length === 3) for (const one of held.splice(0).toReversed()) await one();
      }
    };
    await readySeller(scene);
    await assertSettledOnce(scene, await paidOrder(scene));
  }
});

test('messages alone settle a payment within a minute of its end', async (t) => {
  const scene = await open(t);
  await readySeller(scene);
  const read = scene.server.calls.length;
  await paidOrder(scene);
  const reads = scene.server.calls.slice(read).filter(({ method }) => method === 'GET');
  assert.ok(reads.length < 60, `${reads.length} reads`);
});

for (const [call, fault] of Object.entries(seenFaults)) {
  test(`${call}: a fault costs no second object, and the payment settles`, (t) =>
    settleDespite(t, call, fault));
}

test('a failed pay-in fails the payment; money of a failed payout waits for an operator', async (t) => {
  const scene = await open(t);
  await readySeller(scene);
  for (const [amount, reason, funds] of [
    ['666.00', 'BlindPay: failed', { status: 'none', received: '0.00', refundStatus: 'none' }],
    // Where the money is, is not proved.
    ['667.00', 'BlindPay: invalid_key', { status: 'needs_review', refundOwed: '0.00' }],
    // There is no call for the refund that is owed.
    ['778.00', 'BlindPay: refunded', { refundOwed: '778.00', refundStatus: 'needs_review' }],
  ] as const) {
    const payment = await paidOrder(scene, amount);
    assert.deepEqual([payment['status'], payment['failureReason']], ['failed', reason]);
    assert.partialDeepStrictEqual(payment['funds'], funds);
  }
  assert.deepEqual(await findDifferences(scene.ponte.deps, 10), []);
});

test('a failed payout needs review until BlindPay reports it refunded', async (t) => {
  const scene = await open(t);
  await readySeller(scene);
  const failed = await paidOrder(scene, '667.00');
  assert.partialDeepStrictEqual(failed['funds'], { status: 'needs_review', refundOwed: '0.00' });
  const [payout] = scene.server.state.payouts;
  assert.ok(payout !== undefined);
  payout.status = 'refunded';
  await scene.ponte.advanceTime(2 * HOUR_MS);
  const { funds } = await scene.ponte.get(`/v1/payments/${failed['id']}`);
  assert.partialDeepStrictEqual(funds, { status: 'returned_to_buyer', refundOwed: '667.00' });
  assert.deepEqual(await findDifferences(scene.ponte.deps, 10), []);
});

test('a party that is rejected after its approval is rejected here too', async (t) => {
  const scene = await open(t);
  const id = await readySeller(scene);
  const { state } = scene.server;
  const seller = state.customers.find((customer) => customer['legal_name'] === 'Lima Ltda');
  state.setKyc(seller?.id ?? '', 'rejected');
  await scene.ponte.advanceTime(MINUTE_MS);
  const { status } = await scene.ponte.get(`/v1/connected-accounts/${id}`);
  assert.equal(status, 'rejected');
});

test('an amount over the limit of the seller waits for the buyer to ask again, and settles then', async (t) => {
  const scene = await open(t);
  const { ponte, server } = scene;
  await readySeller(scene);
  server.state.limits = { payin: { daily: 124_999, monthly: 900_000 } };
  const waiting = await paidOrder(scene);
  const limit = { period: 'day', left: '1249.99' };
  assert.equal(waiting['status'], 'buyer_kyc_approved');
  assert.partialDeepStrictEqual(waiting['amountLimit'], limit);
  const timeline = await ponte.get(`/v1/payments/${waiting['id']}/timeline`);
  const entries = timeline['data'] as readonly Record<string, unknown>[];
  const [entry] = entries.filter(({ kind }) => kind === 'limit_reached');
  assert.partialDeepStrictEqual(entry, limit);
  assert.equal(server.calls.filter(({ path }) => path.startsWith('/limits/')).length, 1);
  server.state.limits = { payin: { daily: 125_000, monthly: 900_000 } };
  await ponte.post(`/v1/test-helpers/payments/${waiting['id']}/advance`, {});
  await ponte.advanceTime(HOUR_MS);
  const payment = await ponte.get(`/v1/payments/${waiting['id']}`);
  assert.equal(payment['amountLimit'], null);
  await assertSettledOnce(scene, payment);
});

test('the purpose of a payment reaches BlindPay with its payout', async (t) => {
  const scene = await open(t);
  await readySeller(scene);
  const payment = await paidOrder(scene, '1250.00', { purpose: 'software_and_licenses' });
  assert.equal(payment['purpose'], 'software_and_licenses');
  const [payout] = scene.server.state.payouts;
  assert.match(`${payout?.['description']}`, /^\w+ 1250\.00 USD software and licenses$/);
  await assertSettledOnce(scene, payment);
});

/** The page as the buyer sees it. */
async function pageOf({ ponte }: Scene, payment: Record<string, unknown>) {
  const publicId = String(payment['hostedPaymentUrl']).split('/').at(-1) ?? '';
  const { screen, isLate } = await readPaymentPage(ponte.deps, publicId);
  return [screen, isLate];
}

test('a pay-in without an end is late after five business days: one alert, and the page says so', async (t) => {
  const scene = await open(t);
  const { ponte, server, alerts } = scene;
  await readySeller(scene);
  server.state.payinsWait = true;
  const payment = await paidOrder(scene, '1250.00', { to: 'on_ramp_pending' });
  assert.equal(payment['status'], 'on_ramp_pending');
  await ponte.advanceTime(4 * DAY_MS);
  assert.deepEqual([await pageOf(scene, payment), alerts], [['bank_details', false], []]);
  await ponte.advanceTime(4 * DAY_MS);
  const [alert, ...others] = alerts;
  assert.deepEqual(others, []);
  assert.equal(alert?.['alert'], 'a command has had no end for 5 business days: payin, open');
  assert.equal(alert?.['paymentId'], payment['id']);
  assert.deepEqual(await pageOf(scene, payment), ['bank_details', true]);
  const payinReads = () => server.calls.filter(({ path }) => /^\/payins\/pi_/.test(path)).length;
  const before = payinReads();
  await ponte.advanceTime(4 * DAY_MS);
  assert.equal(alerts.length, 1);
  assert.ok(payinReads() - before <= 4 * 4 + 1, 'four reads a day');
});

test('a pay-in on hold is shown as checked, and is late after thirty days', async (t) => {
  const scene = await open(t);
  const { ponte, server, alerts } = scene;
  await readySeller(scene);
  server.state.payinsWait = true;
  const payment = await paidOrder(scene, '1250.00', { to: 'on_ramp_pending' });
  const [payin] = server.state.payins;
  assert.ok(payin !== undefined);
  payin.status = 'on_hold';
  await ponte.advanceTime(HOUR_MS);
  assert.deepEqual(await pageOf(scene, payment), ['held', false]);
  await ponte.advanceTime(29 * DAY_MS);
  assert.deepEqual([await pageOf(scene, payment), alerts], [['held', false], []]);
  await ponte.advanceTime(DAY_MS);
  assert.deepEqual(await pageOf(scene, payment), ['held', true]);
  const words = 'a command has had no end for 30 days: payin, held';
  assert.deepEqual(valuesOf(alerts, 'alert'), [words]);
});
