// What becomes of an order when a call to the partner is in doubt or refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../core/domain/instant.js';
import type { PartnerAnswer } from '../../../core/ports.js';
import { retryCommand } from '../../../core/usecases/command-retries.js';
import { cancelPayment, readPayment } from '../../../core/usecases/payments.js';
import { absent, fates, honestLookUp, scene, silent } from '../../support/order-scene.js';

test('a payout whose answer is lost is looked up, never called again', async (t) => {
  const at = await scene(t);
  const seen = fates(at, 'startPayout', 'executed, answer lost', 'refused');
  await at.pass(120);
  assert.deepEqual(await at.shown(), ['settled', 'paid', 'none', 100, 100, 0, 0, 0]);
  assert.deepEqual([seen.executed.length, seen.calls], [1, 1]);
  await at.booksAreRight();
});

test('a pay-in whose answer is lost is looked up: no second pay-in is ordered', async (t) => {
  const at = await scene(t);
  const seen = fates(at, 'startPayin', 'executed, answer lost', 'refused');
  await at.pass(120);
  assert.equal((await at.orders('payin')).length, 1);
  assert.deepEqual([(await at.shown())[0], seen.calls], ['settled', 1]);
});

test('a refusal of an order that the partner has means nothing', async (t) => {
  const at = await scene(t);
  // As after a restored backup: the partner knows the key from another life.
  fates(at, 'startPayout', 'refused');
  await at.pass(30);
  assert.deepEqual(await at.shown(), ['settled', 'paid', 'none', 100, 100, 0, 0, 0]);
});

test('a refusal counts when a look-up finds no order', async (t) => {
  const at = await scene(t);
  fates(at, 'startPayout', 'refused');
  Object.assign(at.made.partner, { findPayout: absent });
  await at.pass(30);
  assert.deepEqual(await at.shown(), ['failed', 'handed_back', 'refunded', 100, 0, 0, 100, 0]);
  const { payment } = await readPayment(at.made.deps, at.tenant, at.id);
  assert.equal(payment.failureReason, 'payout refused: already_used');
  await at.booksAreRight();
});

test('a call that was lost is made again once a look-up proves that nothing happened', async (t) => {
  const at = await scene(t);
  const seen = fates(at, 'startPayout', 'lost');
  honestLookUp(at, 'findPayout', seen.executed);
  await at.pass(60);
  assert.deepEqual([seen.calls, (await at.order('payout')).state], [1, 'unknown']);
  await at.pass(7, MINUTE_MS);
  assert.equal(seen.executed.length, 1);
  assert.deepEqual((await at.shown())[0], 'settled');
});

const couldNotLook: readonly PartnerAnswer<never>[] = [
  { outcome: 'refused', code: 'forbidden', message: 'no' },
  { outcome: 'refused', code: 'rate_limited', message: 'slow down' },
  { outcome: 'later', reason: 'an HTML page' },
  { outcome: 'unknown', reason: 'time-out' },
];

for (const answer of couldNotLook) {
  const what = answer.outcome === 'refused' ? answer.code : answer.outcome;
  test(`a look-up that ends ${what} is none: the payout stays in doubt`, async (t) => {
    const at = await scene(t);
    const seen = fates(at, 'startPayout', 'executed, answer lost');
    const { findPayout } = at.made.partner;
    Object.assign(at.made.partner, silent, { findPayout: async () => answer });
    await at.pass(60, MINUTE_MS);
    const payout = await at.order('payout');
    assert.deepEqual([payout.state, seen.calls], ['unknown', 1]);
    assert.match(payout.lastError ?? '', /could not be looked up/);
    assert.equal((await retryCommand(at.made.deps, payout.id)).id, payout.id);
    await at.pass(HOUR_MS / MINUTE_MS, MINUTE_MS);
    // Long in doubt, it is shown to operators.
    const stuck = await at.made.deps.store.run((tx) => tx.commands.list({ stuck: true, limit: 5 }));
    assert.deepEqual(
      stuck.map(({ id }) => id),
      [payout.id],
    );
    Object.assign(at.made.partner, { findPayout });
    await at.pass(10, MINUTE_MS);
    assert.deepEqual([(await at.shown())[0], seen.executed.length], ['settled', 1]);
  });
}

test('a refused refund is ordered anew only after the old order was looked up', async (t) => {
  const at = await scene(t, 10_055n);
  const seen = fates(at, 'startRefund', 'executed, answer lost', 'refused');
  const { findRefund } = at.made.partner;
  Object.assign(at.made.partner, silent, { findRefund: absent });
  await at.pass(20);
  await cancelPayment(at.made.deps, at.tenant, at.id, 'withdrawn');
  await at.pass(10, MINUTE_MS);
  const [refused] = await at.orders('refund');
  assert.ok(refused !== undefined);
  const down = async () => ({ outcome: 'later', reason: 'down' }) as const;
  Object.assign(at.made.partner, { findRefund: down });
  await assert.rejects(retryCommand(at.made.deps, refused.id), { code: 'PartnerUnavailable' });
  Object.assign(at.made.partner, { findRefund });
  await assert.rejects(retryCommand(at.made.deps, refused.id), { code: 'CommandNotRetryable' });
  await at.pass(10);
  assert.deepEqual(await at.shown(), [
    'cancelled',
    'handed_back',
    'refunded',
    99.55,
    0,
    0,
    99.55,
    0,
  ]);
  assert.deepEqual([seen.executed.length, (await at.orders('refund')).length], [1, 1]);
  await at.booksAreRight();
});

test('every refused order that the partner really has not is ordered anew', async (t) => {
  const at = await scene(t, 10_055n);
  const seen = fates(at, 'startRefund', 'refused');
  honestLookUp(at, 'findRefund', seen.executed);
  await at.pass(20);
  await cancelPayment(at.made.deps, at.tenant, at.id, 'withdrawn');
  await at.made.settle();
  const refused = await at.order('refund');
  assert.deepEqual([refused.state, (await at.shown())[2]], ['refused', 'operator']);
  const next = await retryCommand(at.made.deps, refused.id);
  assert.notEqual(next.reference, refused.reference);
  await at.pass(10);
  assert.deepEqual(await at.shown(), [
    'cancelled',
    'handed_back',
    'refunded',
    99.55,
    0,
    0,
    99.55,
    0,
  ]);
  await at.booksAreRight();
});

test('the same order has the same reference, whenever and wherever it is made', async (t) => {
  const [one, other] = [await scene(t), await scene(t)];
  await one.pass(20);
  await other.pass(40);
  for (const kind of ['payin', 'payout'] as const) {
    const { id, reference } = await one.order(kind);
    // Both worlds have one seed, so the same key and the same payment.
    assert.equal(one.id, other.id);
    assert.equal(reference, (await other.order(kind)).reference);
    assert.match(reference, /^[0-9a-f]{32}$/);
    assert.notEqual(reference, id);
  }
});
