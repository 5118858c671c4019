// What the partner tells, by message or when asked, and what is done with it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStuck } from '../../../core/domain/partner-command.js';
import { PonteError } from '../../../core/errors.js';
import type { PartnerFact } from '../../../core/ports.js';
import { acceptReport, retryCommand } from '../../../core/usecases/command-retries.js';
import { findDifferences } from '../../../core/usecases/ledger-check.js';
import { cancelPayment, readPayment } from '../../../core/usecases/payments.js';
import { readReview, receivePartnerMessage } from '../../../core/usecases/settlement.js';
import { completed, type OrderDesk, orderDesk } from '../../support/order-desk.js';

const HOUR_MS = 3_600_000;
const MINUTES_15_MS = 900_000;

const fundsOf = async ({ deps, tenant, paymentId }: OrderDesk) =>
  (await readPayment(deps, tenant, paymentId)).funds;

const refuses =
  (code: string, text = /./) =>
  (error: unknown) =>
    error instanceof PonteError && error.code === code && text.test(error.message);

async function payingOut(desk: OrderDesk): Promise<void> {
  await desk.work();
  await desk.message('payin', completed.payin);
  await desk.work();
  assert.equal(await desk.status(), 'offramp_pending');
}

async function refunding(desk: OrderDesk): Promise<void> {
  await desk.work();
  await desk.message('payin', completed.payin);
  await cancelPayment(desk.deps, desk.tenant, desk.paymentId, 'order withdrawn');
  await desk.work();
  assert.equal((await fundsOf(desk)).refund, 'refund_ordered');
}

/** How the partner says that the newest order of a kind stands, when it is asked. */
async function standsAs(desk: OrderDesk, kind: 'payin' | 'payout' | 'refund', report: object) {
  const order = desk.books.get((await desk.order(kind)).reference);
  assert.ok(order !== undefined);
  order.report = { ...order.report, ...report };
}

test('a pay-in that completed short is asked about until it is topped up', async (t) => {
  const desk = await orderDesk(t);
  await desk.work();
  await desk.message('payin', { ...completed.payin, receivedMinor: 9_900n });
  const short = await desk.order('payin');
  assert.deepEqual(
    [short.state, short.end, await desk.status()],
    ['done', 'completed', 'on_ramp_pending'],
  );
  await standsAs(desk, 'payin', { ...completed.payin, receivedMinor: 9_900n });
  await desk.later(HOUR_MS);
  assert.notEqual((await desk.order('payin')).dueAtMs, null);
  await standsAs(desk, 'payin', completed.payin);
  await desk.later(HOUR_MS);
  assert.notEqual(await desk.status(), 'on_ramp_pending');
  await desk.later(HOUR_MS);
  assert.equal((await desk.order('payin')).dueAtMs, null);
});

test('a message that contradicts the known end makes us ask, and the answer counts', async (t) => {
  for (const [status, refund, alerts] of [
    ['completed', 'refunded', 0],
    ['failed', 'operator', 1],
  ] as const) {
    const desk = await orderDesk(t);
    await refunding(desk);
    await desk.message('refund', completed.refund);
    await standsAs(desk, 'refund', { status });
    await desk.message('refund', { status: 'failed' });
    assert.equal((await fundsOf(desk)).refund, 'refunded', 'a message alone changes no money');
    await desk.work();
    assert.equal((await fundsOf(desk)).refund, refund, status);
    assert.equal(desk.alerts().length, alerts);
    assert.deepEqual(await findDifferences(desk.deps, 9), []);
  }
});

test('the same end told twice changes nothing', async (t) => {
  const desk = await orderDesk(t);
  await refunding(desk);
  await desk.message('refund', completed.refund);
  const [order, funds] = [await desk.order('refund'), await fundsOf(desk)];
  await desk.message('refund', completed.refund);
  assert.deepEqual([await desk.order('refund'), await fundsOf(desk)], [order, funds]);
});

test('a refund that fails after its pay-in came back leaves nothing for an operator', async (t) => {
  const desk = await orderDesk(t);
  await refunding(desk);
  await desk.message('payin', { ...completed.payin, status: 'returned' });
  await desk.message('refund', { status: 'failed', reason: 'nothing is left' });
  const { refund, refundedMinor } = await fundsOf(desk);
  assert.deepEqual([refund, refundedMinor], ['refunded', 10_000n]);
  assert.equal((await desk.order('refund')).state, 'void');
  const stuck = await desk.deps.store.run((tx) => tx.commands.list({ stuck: true, limit: 9 }));
  assert.deepEqual(stuck, []);
});

test('the pay-in of a payment that ended is asked about ever more rarely, for 180 days', async (t) => {
  const desk = await orderDesk(t);
  await desk.work();
  await cancelPayment(desk.deps, desk.tenant, desk.paymentId, 'order withdrawn');
  const waitMs = async () => {
    const { dueAtMs } = await desk.order('payin');
    return dueAtMs === null ? null : dueAtMs - desk.deps.clock.nowMs();
  };
  await desk.later(HOUR_MS);
  assert.equal(await waitMs(), HOUR_MS);
  await desk.later(48 * HOUR_MS);
  assert.equal(await waitMs(), 24 * HOUR_MS);
  await desk.later(180 * 24 * HOUR_MS);
  assert.equal(await waitMs(), null);
  await desk.message('payin', completed.payin);
  assert.equal((await fundsOf(desk)).refundOwedMinor, 10_000n, 'a message still counts');
});

test('an implausible report is not applied: it waits for a person, who sees why', async (t) => {
  const desk = await orderDesk(t);
  await payingOut(desk);
  await desk.message('payout', { ...desk.paid, settled: { amountMinor: 1n, currency: 'BRL' } });
  const order = await desk.order('payout');
  assert.deepEqual(
    [order.end, isStuck(order), await desk.status()],
    ['open', true, 'offramp_pending'],
  );
  const { kind, reason } = readReview(order.review ?? '');
  assert.deepEqual([kind, /^1 BRL cents/.test(reason)], ['implausible', true]);
  assert.equal((await fundsOf(desk)).position, 'operator');
  assert.deepEqual(desk.alerts(), ['the position of the money must be found out']);
  assert.deepEqual(await findDifferences(desk.deps, 9), []);
});

test('a report in review ends with a plausible one: the partner corrected it', async (t) => {
  const desk = await orderDesk(t);
  await payingOut(desk);
  await desk.message('payout', { ...desk.paid, fxRate: '0.01' });
  await standsAs(desk, 'payout', desk.paid);
  await desk.later(MINUTES_15_MS);
  const order = await desk.order('payout');
  assert.deepEqual([order.review, order.end, await desk.status()], [null, 'completed', 'settled']);
});

test('a person accepts an implausible report as it is, once', async (t) => {
  const desk = await orderDesk(t);
  await payingOut(desk);
  const { id } = await desk.order('payout');
  await assert.rejects(acceptReport(desk.deps, id), refuses('CommandNotRetryable', /No report/));
  const settled = { amountMinor: 77n, currency: 'BRL' };
  await desk.message('payout', { ...desk.paid, settled });
  const order = await acceptReport(desk.deps, id);
  assert.deepEqual([order.review, order.end], [null, 'completed']);
  const { payment, funds } = await readPayment(desk.deps, desk.tenant, desk.paymentId);
  assert.deepEqual([payment.status, funds.position], ['settled', 'paid']);
  assert.deepEqual(payment.settlement?.settled, settled);
  await assert.rejects(acceptReport(desk.deps, id), refuses('CommandNotRetryable', /No report/));
  assert.deepEqual(await findDifferences(desk.deps, 9), []);
});

test('a report that cannot be booked is not accepted by anybody', async (t) => {
  const desk = await orderDesk(t);
  await payingOut(desk);
  await desk.message('payout', { ...desk.paid, fxRate: 'abc' });
  const { id } = await desk.order('payout');
  await assert.rejects(
    acceptReport(desk.deps, id),
    refuses('CommandNotRetryable', /Ask the partner/),
  );
  assert.equal((await desk.order('payout')).end, 'open');
});

test('a report in review can be set to be asked about again at once', async (t) => {
  const desk = await orderDesk(t);
  await payingOut(desk);
  await desk.message('payout', { ...desk.paid, fxRate: '0.01' });
  await standsAs(desk, 'payout', desk.paid);
  await retryCommand(desk.deps, (await desk.order('payout')).id);
  await desk.work();
  assert.equal(await desk.status(), 'settled');
});

test('an amount that a person accepted is not questioned again when it is told again', async (t) => {
  const desk = await orderDesk(t);
  await desk.work();
  const threefold = { status: 'open', receivedMinor: 30_000n } as const;
  await desk.message('payin', threefold);
  await acceptReport(desk.deps, (await desk.order('payin')).id);
  assert.equal((await fundsOf(desk)).receivedMinor, 30_000n);
  await standsAs(desk, 'payin', threefold);
  await desk.message('payin', threefold);
  await desk.later(HOUR_MS);
  assert.equal((await desk.order('payin')).review, null);
});

test('what is told of a paid payout again changes neither its settlement nor its review', async (t) => {
  const desk = await orderDesk(t);
  await payingOut(desk);
  await desk.message('payout', desk.paid);
  const { payment } = await readPayment(desk.deps, desk.tenant, desk.paymentId);
  for (const other of [
    { settled: { amountMinor: 1n, currency: 'BRL' } },
    { fees: { amountMinor: 0n, currency: 'USD' } },
    { fxRate: 'abc' },
    { settled: null },
  ]) {
    await desk.message('payout', { ...desk.paid, ...other });
    assert.equal((await desk.order('payout')).review, null);
  }
  const { payment: after } = await readPayment(desk.deps, desk.tenant, desk.paymentId);
  assert.deepEqual(after.settlement, payment.settlement);
  assert.deepEqual(await findDifferences(desk.deps, 9), []);
});

/** A genuine message with this fact, as the host takes it in. */
async function received(desk: OrderDesk, messageId: string, fact: PartnerFact): Promise<void> {
  const { test: partner } = desk.deps.partners;
  assert.ok(partner !== null);
  const reading = { ...partner, readInbound: () => ({ messageId, facts: [fact] }) };
  const deps = { ...desk.deps, partners: { test: reading, live: null } };
  const body = new Uint8Array();
  await receivePartnerMessage(deps, { partner: partner.name, mode: 'test', headers: {}, body });
}

test('a message finds its order by our reference, and by the partner’s id where it has none', async (t) => {
  for (const named of [true, false]) {
    const desk = await orderDesk(t);
    await desk.work();
    const { reference, partnerRef } = await desk.order('payin');
    const report = completed.payin;
    const fact = { kind: 'payin', partnerRef: partnerRef ?? '', report } as const;
    await received(desk, 'msg_1', { ...fact, reference: named ? reference : null });
    assert.equal((await desk.order('payin')).end, 'completed', `${named}`);
  }
});

test('a message that names another order under our reference is not applied, and is shown', async (t) => {
  const desk = await orderDesk(t);
  await desk.work();
  const { reference } = await desk.order('payin');
  const fact = {
    kind: 'payin',
    reference,
    partnerRef: 'another',
    report: completed.payin,
  } as const;
  await received(desk, 'msg_1', fact);
  const order = await desk.order('payin');
  assert.deepEqual([order.end, order.receivedMinor], ['open', 0n]);
  assert.equal(desk.alerts().length, 1);
});

test('a message of another kind under our reference is not applied', async (t) => {
  const desk = await orderDesk(t);
  await desk.work();
  const { reference, partnerRef } = await desk.order('payin');
  const fact = { reference, partnerRef: partnerRef ?? '', report: completed.refund } as const;
  await received(desk, 'msg_1', { kind: 'refund', ...fact });
  assert.equal((await desk.order('payin')).end, 'open');
});

test('a message is applied once, however often it comes', async (t) => {
  const desk = await orderDesk(t);
  await desk.work();
  const { reference, partnerRef } = await desk.order('payin');
  const fact = { kind: 'payin', reference, partnerRef: partnerRef ?? '' } as const;
  for (const receivedMinor of [4_000n, 6_000n]) {
    await received(desk, 'msg_1', { ...fact, report: { ...completed.payin, receivedMinor } });
  }
  assert.equal((await desk.order('payin')).receivedMinor, 4_000n);
});
