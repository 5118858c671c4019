// The monthly extract for the regulator: a line for each PIX, what is missing, and the sum.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fxLineOf } from '../../../../core/domain/accounting/fx-line.js';
import { DAY_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { formatAmount, money } from '../../../../core/domain/base/money.js';
import { DEFAULT_TIME_ZONE, dayOf } from '../../../../core/domain/base/time-zone.js';
import { fxReport } from '../../../../core/usecases/accounting/fx-reports.js';
import { readView } from '../../../../core/usecases/payments/payment-store.js';
import { simulate } from '../../../../core/usecases/sandbox/simulations.js';
import { sampleSettlement } from '../../../support/samples/sample-rows.js';
import { world } from '../../../support/scenes/test-world.js';

const told = { payerRelation: 'unrelated', purpose: 'services' } as const;
const buyer = { email: 'ana@buyer.example', name: 'Copper Ltd', country: 'US', phone: null };

function monthOf(atMs: number) {
  const [year = 0, month = 0] = dayOf(DEFAULT_TIME_ZONE, atMs).split('-').map(Number);
  return { year, month };
}

test('the extract has each PIX of the month, and its sum is that of the ledger', async (t) => {
  const made = await world(t);
  const [one, other] = [await made.newTenant(), await made.newTenant()];
  const whole = await made.newPayment(one, { ...told, buyer });
  const bare = await made.newPayment(other);
  const open = await made.newPayment(one, told);
  await made.play(one, whole, 'settled');
  await made.play(other, bare, 'settled');
  await made.play(one, open, 'fx_quoted');
  made.advanceClock(2 * MINUTE_MS);
  const paidMs = made.deps.clock.nowMs();
  const { lines, sumMinor } = await fxReport(made.deps, 'test', monthOf(paidMs));
  const byId = new Map(lines.map((line) => [line.facts.paymentId, line]));
  assert.deepEqual([...byId.keys()].sort(), [bare, whole].sort());
  assert.deepEqual(byId.get(whole)?.missing, []);
  assert.deepEqual(byId.get(bare)?.missing, ['payerRelation', 'purpose']);
  const inLedger = async () => {
    const all = await made.deps.store.run((tx) => tx.ledger.balances('test'));
    return all.find(({ account }) => account === 'seller')?.amountMinor ?? 0n;
  };
  assert.equal(sumMinor, await inLedger());
  assert.ok(sumMinor > 0n);
  // In another month the PIX comes back: the closed month stays as it was.
  made.advanceClock(40 * DAY_MS);
  await simulate(made.deps, one, whole, 'payout_returns');
  await made.settle();
  made.advanceClock(2 * MINUTE_MS);
  const before = await fxReport(made.deps, 'test', monthOf(paidMs));
  assert.equal(before.sumMinor, sumMinor);
  const after = await fxReport(made.deps, 'test', monthOf(made.deps.clock.nowMs()));
  const [returned, ...none] = after.lines;
  assert.deepEqual(none, []);
  const paid = byId.get(whole)?.facts;
  assert.equal(returned?.facts.movement, 'payout_returned');
  assert.equal(returned?.facts.brlAmount, `-${paid?.brlAmount}`);
  assert.equal(returned?.facts.amount, `-${paid?.amount}`);
  assert.equal(returned?.facts.effectiveRate, paid?.effectiveRate);
  assert.equal(returned?.facts.endToEndId, paid?.endToEndId);
  assert.equal(before.sumMinor + after.sumMinor, await inLedger());
  assert.equal(formatAmount(after.sumMinor), returned?.facts.brlAmount);
  assert.deepEqual((await fxReport(made.deps, 'live', monthOf(paidMs))).lines, []);
});

test('a PIX of another amount than its payment has its own amount and rate', async (t) => {
  const made = await world(t);
  const tenant = await made.newTenant();
  const id = await made.newPayment(tenant, told);
  const view = await readView(made.deps, tenant, id);
  const { currency } = view.payment.amount;
  const settlement = { ...sampleSettlement, settled: money(20_592n, 'BRL') };
  const settlements = [{ ...settlement, settledAtMs: 1, returnedAtMs: null }];
  const lines = [
    { account: 'partner_float', money: money(-4_000n, currency) },
    { account: 'fees', money: money(40n, currency) },
    { account: 'conversion', money: money(3_960n, currency) },
    { account: 'conversion', money: money(-20_592n, 'BRL') },
    { account: 'seller', money: money(20_592n, 'BRL') },
  ] as const;
  const posting = { id: 'pst_1', subjectId: id, kind: 'payout_paid', lines, atMs: 1 } as const;
  const line = fxLineOf({ posting, view: { ...view, settlements }, organization: 'Lima' });
  const { amount, brlAmount, effectiveRate } = line.facts;
  assert.deepEqual([amount, brlAmount, effectiveRate], ['40.00', '205.92', '5.148']);
});
