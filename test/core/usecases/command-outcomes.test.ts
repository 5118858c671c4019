// How calls to the partner end, and what follows. An answer in doubt counts for nothing: only a
// look-up that was done and found nothing means that the partner has no order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOOK_UP_AFTER_MS } from '../../../core/domain/partner-command.js';
import { PonteError } from '../../../core/errors.js';
import { retryCommand } from '../../../core/usecases/command-retries.js';
import { findDifferences } from '../../../core/usecases/ledger-check.js';
import {
  cancelPayment,
  failPaymentByOperator,
  readPayment,
} from '../../../core/usecases/payments.js';
import {
  answers,
  completed,
  type MoneyKind,
  type OrderDesk,
  orderDesk,
} from '../../support/order-desk.js';

const inDoubt = { outcome: 'unknown', effect: true } as const;
const lost = { outcome: 'unknown', effect: false } as const;
const refused = { outcome: 'refused', effect: false } as const;
const refusedThoughDone = { outcome: 'refused', effect: true } as const;
const busy = { outcome: 'later', effect: false } as const;

/** The payout or refund is due to be sent, everything before it done. */
async function upTo(kind: MoneyKind, desk: OrderDesk): Promise<void> {
  if (kind === 'payin') return;
  const ends = desk.ends[kind].splice(0);
  await desk.work();
  if (kind === 'refund') await cancelPayment(desk.deps, desk.tenant, desk.paymentId, 'withdrawn');
  await desk.message('payin', completed.payin);
  desk.ends[kind].push(...ends);
}

const funds = async ({ deps, tenant, paymentId }: OrderDesk) =>
  (await readPayment(deps, tenant, paymentId)).funds;

async function standing(desk: OrderDesk, kind: MoneyKind): Promise<string> {
  return (await desk.order(kind)).state;
}

for (const kind of ['payin', 'payout', 'refund'] as const) {
  test(`a ${kind} whose answer was lost is looked up, and is found where it had its effect`, async (t) => {
    const desk = await orderDesk(t);
    desk.ends[kind].push(inDoubt);
    await upTo(kind, desk);
    await desk.work();
    assert.equal(await standing(desk, kind), 'unknown');
    await desk.later(1_000);
    assert.equal(await standing(desk, kind), 'done');
    assert.deepEqual(desk.calls.slice(-2), [`start ${kind}`, `find ${kind}`]);
  });

  test(`a ${kind} that a look-up does not find is made again after 6 minutes, under the same reference`, async (t) => {
    const desk = await orderDesk(t);
    desk.ends[kind].push(lost);
    await upTo(kind, desk);
    await desk.work();
    const { reference, request } = await desk.order(kind);
    await desk.later(1_000);
    await desk.later(LOOK_UP_AFTER_MS - 2_000);
    assert.equal(desk.calls.filter((call) => call === `start ${kind}`).length, 1, 'too early');
    await desk.later(1_000);
    const again = await desk.order(kind);
    assert.deepEqual([again.state, again.reference, again.request], ['done', reference, request]);
    assert.equal(desk.calls.filter((call) => call === `start ${kind}`).length, 2);
  });

  test(`a ${kind} is in doubt for as long as it cannot be looked up`, async (t) => {
    for (const answer of [answers.refused, answers.later, answers.unknown]) {
      const desk = await orderDesk(t);
      desk.ends[kind].push(lost);
      await upTo(kind, desk);
      desk.lookUp = answer;
      await desk.work();
      for (let hours = 0; hours < 30; hours += 1) await desk.later(3_600_000);
      assert.equal(await standing(desk, kind), 'unknown', answer.outcome);
      assert.equal(desk.calls.filter((call) => call === `start ${kind}`).length, 1);
    }
  });

  test(`a ${kind} that is refused although the partner has it goes on`, async (t) => {
    const desk = await orderDesk(t);
    desk.ends[kind].push(refusedThoughDone);
    await upTo(kind, desk);
    await desk.work();
    const order = await desk.order(kind);
    assert.deepEqual([order.state, order.end], ['done', 'open']);
    assert.equal((await funds(desk)).refund === 'operator', false);
  });

  test(`a ${kind} that was refused, and that a look-up does not find, is refused for good`, async (t) => {
    const desk = await orderDesk(t);
    desk.ends[kind].push(refused);
    await upTo(kind, desk);
    await desk.work();
    const order = await desk.order(kind);
    assert.deepEqual([order.state, order.refusal], ['refused', 'account_blocked']);
    const status = { payin: 'failed', payout: 'failed', refund: 'cancelled' }[kind];
    assert.equal(await desk.status(), status);
  });

  test(`a refusal of a ${kind} means nothing while it cannot be looked up`, async (t) => {
    for (const answer of [answers.refused, answers.later, answers.unknown]) {
      const desk = await orderDesk(t);
      desk.ends[kind].push(refusedThoughDone);
      await upTo(kind, desk);
      desk.lookUp = answer;
      await desk.work();
      await desk.later(3_600_000);
      assert.equal(await standing(desk, kind), 'denied', answer.outcome);
      desk.lookUp = null;
      await desk.later(3_600_000);
      assert.equal(await standing(desk, kind), 'done', answer.outcome);
    }
  });

  test(`a ${kind} that surely was not done is sent again after a wait, without a look-up`, async (t) => {
    const desk = await orderDesk(t);
    desk.ends[kind].push(busy);
    await upTo(kind, desk);
    await desk.work();
    assert.equal(await standing(desk, kind), 'pending');
    await desk.later(1_000);
    assert.equal(await standing(desk, kind), 'done');
    assert.equal(desk.calls.includes(`find ${kind}`), false);
  });
}

test('a payout in doubt whose repeat is refused is neither paid twice nor given back', async (t) => {
  const desk = await orderDesk(t);
  await upTo('payout', desk);
  // The first call arrives so late that the look-up after 6 minutes does not find it.
  desk.ends.payout.push(lost, refusedThoughDone);
  await desk.work();
  await desk.later(1_000);
  await desk.later(LOOK_UP_AFTER_MS);
  await desk.message('payout', desk.paid);
  assert.equal(await desk.status(), 'settled');
  const { refundOwedMinor, refundedMinor, lossMinor } = await funds(desk);
  assert.deepEqual([refundOwedMinor, refundedMinor, lossMinor], [0n, 0n, 0n]);
});

test('a payment that ends takes back a payout that a look-up does not find', async (t) => {
  const desk = await orderDesk(t);
  desk.ends.payout.push(lost);
  await upTo('payout', desk);
  await desk.work();
  await failPaymentByOperator(desk.deps, desk.paymentId, 'by hand');
  assert.equal(await standing(desk, 'payout'), 'unknown');
  await desk.later(1_000);
  await desk.later(LOOK_UP_AFTER_MS);
  assert.equal(await standing(desk, 'payout'), 'void');
  assert.equal(await standing(desk, 'refund'), 'done', 'its money goes back');
});

test('the instructions reach the buyer although a message was faster than the answer', async (t) => {
  const desk = await orderDesk(t);
  desk.meanwhile = (call) =>
    call === 'start payin' ? desk.message('payin', { status: 'open' }) : Promise.resolve();
  await desk.work();
  await desk.later(2_000);
  const { payment } = await readPayment(desk.deps, desk.tenant, desk.paymentId);
  assert.equal(payment.payinInstructions, '{"iban":"x"}');
  const order = await desk.order('payin');
  assert.deepEqual([order.state, order.end], ['done', 'open']);
  const finds = desk.calls.filter((call) => call === 'find payin').length;
  await desk.later(60_000);
  assert.equal(desk.calls.filter((call) => call === 'find payin').length, finds, 'told once');
});

test('an answer that was overtaken by a message does not undo it', async (t) => {
  const desk = await orderDesk(t);
  await upTo('payout', desk);
  await desk.work();
  await desk.message('payout', desk.paid);
  assert.equal(await desk.status(), 'settled');
  // The partner is asked; it answers "completed", and before that arrives the money came back.
  await desk.message('payout', { status: 'failed' });
  const { reference } = await desk.order('payout');
  const told = desk.books.get(reference);
  assert.ok(told !== undefined);
  told.report = desk.paid;
  let overtaken = false;
  desk.meanwhile = async (call) => {
    if (call !== 'ask payout' || overtaken) return;
    overtaken = true;
    told.report = { ...desk.paid, status: 'returned' };
    await desk.message('payout', { status: 'returned' });
  };
  await desk.work();
  assert.equal(overtaken, true);
  assert.equal((await desk.order('payout')).end, 'returned');
  await desk.later(60_000);
  assert.equal((await desk.order('payout')).end, 'returned');
  assert.deepEqual(await findDifferences(desk.deps, 9), []);
});

/** A refund that the partner refused, waiting for an operator. */
async function refusedRefund(desk: OrderDesk) {
  desk.ends.refund.push(refused);
  await upTo('refund', desk);
  await desk.work();
  const order = await desk.order('refund');
  assert.equal(order.state, 'refused');
  return order;
}

const refusal = (code: string) => (error: unknown) =>
  error instanceof PonteError && error.code === code;

test('a refused refund is ordered anew only where the partner does not have it', async (t) => {
  const desk = await orderDesk(t);
  const old = await refusedRefund(desk);
  const anew = await retryCommand(desk.deps, old.id);
  assert.notEqual(anew.reference, old.reference);
  assert.deepEqual([anew.state, anew.payinId, anew.amount], ['pending', old.payinId, old.amount]);
  assert.deepEqual((await desk.orders()).map(({ kind, state }) => `${kind} ${state}`).sort(), [
    'payin done',
    'refund pending',
    'refund void',
  ]);
  await assert.rejects(retryCommand(desk.deps, old.id), refusal('CommandNotRetryable'));
});

test('a refused refund that the partner has after all is taken as it stands there', async (t) => {
  for (const [status, refund, refundedMinor] of [
    ['open', 'refund_ordered', 0n],
    ['completed', 'refunded', 10_000n],
  ] as const) {
    const desk = await orderDesk(t);
    const old = await refusedRefund(desk);
    desk.books.set(old.reference, { kind: 'refund', report: { status, reason: null } });
    await assert.rejects(retryCommand(desk.deps, old.id), refusal('CommandNotRetryable'));
    const now = await funds(desk);
    assert.deepEqual([now.refund, now.refundedMinor], [refund, refundedMinor], status);
    assert.equal((await desk.orders()).length, 2, 'nothing is ordered anew');
  }
});

test('a refused refund that failed at the partner is ordered anew', async (t) => {
  const desk = await orderDesk(t);
  await upTo('refund', desk);
  await desk.work();
  const failed = { status: 'failed', reason: 'account closed' } as const;
  const { reference, id } = await desk.order('refund');
  desk.books.set(reference, { kind: 'refund', report: failed });
  await desk.message('refund', failed);
  assert.equal(await standing(desk, 'refund'), 'refused');
  const anew = await retryCommand(desk.deps, id);
  assert.notEqual(anew.id, id);
});

test('a refused refund is left alone while the partner cannot be asked about it', async (t) => {
  for (const answer of [answers.refused, answers.later, answers.unknown]) {
    const desk = await orderDesk(t);
    const old = await refusedRefund(desk);
    desk.lookUp = answer;
    await assert.rejects(retryCommand(desk.deps, old.id), refusal('PartnerUnavailable'));
    desk.lookUp = null;
    desk.question = answer;
    desk.books.set(old.reference, { kind: 'refund', report: completed.refund });
    await assert.rejects(retryCommand(desk.deps, old.id), refusal('PartnerUnavailable'));
    assert.equal((await desk.orders()).length, 2, answer.outcome);
    assert.equal((await desk.order('refund')).state, 'refused');
  }
});
