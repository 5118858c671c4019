// What commands to the partner do to the money of their payment: payouts and pay-ins that come
// back, refunds that end otherwise than expected, and what the house loses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  denyCommand,
  type MoneyCommand,
  recordAbsence,
  supersedeCommand,
} from '../../../../core/domain/commands/partner-command.js';
import { settlementsOf } from '../../../../core/domain/commands/settlement.js';
import { payoutDecided } from '../../../../core/domain/payments/command-outcomes.js';
import { balancesOf, sumsOf } from '../../../../core/domain/payments/funds.js';
import { failedByOperator } from '../../../../core/domain/payments/payment-transitions.js';
import {
  commandOf,
  completedPayin,
  START_MS,
  sampleSettlement,
} from '../../../support/samples/sample-rows.js';
import {
  confirmed,
  MoneyScene,
  NOW_MS,
  payin,
  paying,
  payout,
  refund,
  settled,
  unsent,
} from '../../../support/scenes/money-scene.js';

const all = { receivedMinor: 10_000n } as const;
const cancelled = (fields: Partial<MoneyCommand>) =>
  MoneyScene.at('cancelled', [payin, refund(fields)]);

test('a pay-in that goes back before its payout was sent fails the payment, and nothing is owed', () => {
  // At offramp_pending the payout was called, and surely did nothing.
  const postponed = MoneyScene.at('offramp_pending', [
    payin,
    payout({ ...unsent, lastSentAtMs: START_MS }),
  ]);
  for (const was of [confirmed, postponed]) {
    const next = was.report('in', { ...all, end: 'returned' });
    assert.deepEqual([next.payment.status, next.command('out').state], ['failed', 'void']);
    assert.deepEqual(next.amounts(), [10_000n, 0n, 0n, 0n, 0n, 10_000n, 0n]);
    assert.deepEqual([next.drafts(), next.change.alerts], [[], []], was.payment.status);
  }
});

test('a pay-in that goes back when its payout was sent is a loss, until the payout comes back', () => {
  for (const [was, status] of [
    [paying, 'offramp_pending'],
    [settled, 'settled'],
  ] as const) {
    const lost = was.report('in', { ...all, end: 'returned' });
    assert.equal(lost.payment.status, status);
    assert.deepEqual(lost.amounts(), [10_000n, 0n, 10_000n, 0n, 0n, 10_000n, 10_000n]);
    assert.deepEqual(lost.postings(), ['loss', 'returned_by_partner']);
    const returned = lost.report('out', { end: 'returned' });
    // After the settlement an operator says so.
    const back = status === 'settled' ? decided(returned, 'buyer') : returned;
    assert.deepEqual(back.amounts(), [10_000n, 0n, 0n, 0n, 0n, 10_000n, 0n]);
    assert.deepEqual(back.drafts(), [], 'the buyer has the money already');
  }
});

test('a return that the partner takes back leaves the money held, and owed if nothing claims it', () => {
  const back = MoneyScene.at('cancelled', [{ ...payin, end: 'returned' }]);
  const asked = back.report('in', { ...all, end: 'completed', polled: false });
  assert.deepEqual([asked.amounts(), asked.command('in').dueAtMs], [back.amounts(), NOW_MS]);
  const held = back.report('in', { ...all, end: 'completed' });
  assert.deepEqual(held.postings(), ['refund_owed', 'return_reversed']);
  assert.deepEqual(held.drafts(), ['refund 10000 of in']);
});

/** A refund as it stands when its pay-in goes back by itself, and as it stands then. */
const refundsOfReturned: readonly (readonly [
  was: Partial<MoneyCommand>,
  state: string,
  amounts: readonly bigint[],
])[] = [
  [unsent, 'void', [10_000n, 0n, 0n, 0n, 0n, 10_000n, 0n]],
  [{ ...unsent, lastSentAtMs: START_MS }, 'void', [10_000n, 0n, 0n, 0n, 0n, 10_000n, 0n]],
  [{ state: 'refused' }, 'void', [10_000n, 0n, 0n, 0n, 0n, 10_000n, 0n]],
  [{ state: 'sent' }, 'sent', [10_000n, 0n, 0n, 0n, 10_000n, 0n, 0n]],
  [{ state: 'unknown' }, 'unknown', [10_000n, 0n, 0n, 0n, 10_000n, 0n, 0n]],
  [{ state: 'denied' }, 'denied', [10_000n, 0n, 0n, 0n, 10_000n, 0n, 0n]],
  [{}, 'done', [10_000n, 0n, 0n, 0n, 10_000n, 0n, 0n]],
  [{ end: 'completed' }, 'done', [10_000n, 0n, 0n, 0n, 0n, 10_000n, 0n]],
];

test('a refund whose pay-in is returned ends, unless the partner may have it', () => {
  for (const [fields, state, amounts] of refundsOfReturned) {
    const next = cancelled(fields).report('in', { ...all, end: 'returned' });
    assert.deepEqual([next.command('back').state, next.amounts()], [state, amounts], state);
  }
});

test('a refund that fails after its pay-in was returned is no debt', () => {
  const back = { ...payin, end: 'returned' } as const;
  const was = MoneyScene.at('cancelled', [back, refund({ state: 'unknown' })]);
  const ends: readonly MoneyScene[] = [
    was.report('back', { end: 'failed' }),
    was.changed([refund({ state: 'refused' })]),
    was.changed([refund(unsent)]),
  ];
  for (const next of ends) {
    assert.equal(next.command('back').state, 'void');
    assert.deepEqual([next.funds.refund, next.funds.refundedMinor], ['refunded', 10_000n]);
    assert.deepEqual(next.change.alerts, []);
  }
});

test('a payout that failed leaves its money to a person, until the partner says where it is', () => {
  const failed = paying.report('out', { end: 'failed', reason: 'account closed' });
  assert.deepEqual([failed.payment.status, failed.funds.position], ['failed', 'needs_review']);
  assert.deepEqual([failed.amounts()[2], failed.drafts()], [10_000n, []]);
  assert.deepEqual(failed.report('out', { end: 'failed' }).change.alerts, [], 'alerted once');
  const back = failed.report('out', { end: 'returned' });
  assert.deepEqual(
    [back.drafts(), back.funds.position],
    [['refund 10000 of in'], 'returned_to_buyer'],
  );
  const paid = failed.report('out', { end: 'completed' });
  assert.deepEqual([paid.payment.status, paid.funds.position], ['failed', 'paid']);
  const late = ['payment_intent.paid_late', 'invoice.paid_late'];
  assert.deepEqual(paid.events(), late, 'settled never follows failed');
  assert.equal(paid.payment.settlement?.fxRate, '5.20', 'the settlement is recorded');
});

test('a payout that comes back before the settlement is owed back to the buyer', () => {
  const next = paying.report('out', { end: 'returned' });
  assert.equal(next.payment.status, 'failed');
  assert.deepEqual(next.amounts(), [10_000n, 0n, 0n, 10_000n, 0n, 0n, 0n]);
  assert.deepEqual(next.drafts(), ['refund 10000 of in']);
});

const refusals = [
  ['refused', 'account_blocked'],
  ['pending', 'not_enough_tokens'],
] as const;

for (const [state, refusal] of refusals) {
  test(`a payout that is ${state} with a refusal waits for an operator, who has each exit`, () => {
    for (const was of [confirmed, paying]) {
      const next = was.changed([payout({ state, refusal, partnerRef: null })]);
      assert.deepEqual(
        [next.payment.status, next.funds.position],
        [was.payment.status, 'needs_review'],
      );
      const alert = `a payout is refused and waits for an operator: ${refusal}`;
      assert.deepEqual([next.change.alerts, next.drafts()], [[alert], []]);
      const same = next.changed([next.command('out')]);
      assert.deepEqual(same.change.alerts, [], 'it is known');

      const again = decided(next, 'seller');
      assert.deepEqual(again.drafts(), ['payout 10000']);
      assert.equal(again.payment.status, was.payment.status);

      const given = decided(next, 'buyer');
      assert.deepEqual(
        [given.payment.status, given.payment.failureCode],
        ['failed', 'payout_refused'],
      );
      assert.deepEqual(given.amounts(), [10_000n, 0n, 0n, 10_000n, 0n, 0n, 0n]);
      assert.deepEqual(given.drafts(), ['refund 10000 of in']);

      const ended = next.after(failedByOperator(next, next.commands, 'by hand', next.nowMs));
      assert.deepEqual(ended.amounts(), [10_000n, 0n, 0n, 10_000n, 0n, 0n, 0n]);
      assert.deepEqual(ended.drafts(), ['refund 10000 of in']);
      assert.ok(ended.commands.every(({ isUndecided }) => !isUndecided));

      const recalled = next.report('in', { ...all, end: 'returned' });
      assert.deepEqual([recalled.payment.status, recalled.funds.lossMinor], ['failed', 0n]);
      assert.deepEqual(recalled.drafts(), []);
    }
  });
}

test('a payout that takes the place of a refused one is withdrawn if the partner has that one', () => {
  const refused = paying.changed([payout({ state: 'refused', refusal: 'account_blocked' })]);
  const again = decided(refused, 'seller');
  assert.equal(again.command('payout_2').state, 'pending');
  const found = again.report('out', { end: 'completed' });
  assert.deepEqual([found.payment.status, found.command('payout_2').state], ['settled', 'void']);
  assert.deepEqual([found.funds.position, found.funds.lossMinor], ['paid', 0n]);
});

/** The payout came back after the settlement. */
const back = settled.report('out', { end: 'returned' });

function decided(was: MoneyScene, to: 'buyer' | 'seller', id = 'out'): MoneyScene {
  return was.after(payoutDecided(was, was.commands, was.command(id), to, was.nowMs));
}

test('a payout that comes back after the settlement waits for an operator; settled stays', () => {
  assert.deepEqual([back.payment.status, back.drafts()], ['settled', []]);
  assert.equal(back.funds.position, 'needs_review');
  assert.deepEqual(back.amounts(), [10_000n, 0n, 10_000n, 0n, 0n, 0n, 0n]);
  assert.deepEqual(back.postings(), ['payout_returned'], 'the partner holds its money again');
});

test('the operator gives the money of a returned payout back to the buyer', () => {
  const next = decided(back, 'buyer');
  assert.deepEqual(next.drafts(), ['refund 10000 of in']);
  assert.deepEqual(next.amounts(), [10_000n, 0n, 0n, 10_000n, 0n, 0n, 0n]);
  assert.deepEqual(next.postings(), ['refund_owed']);
});

test('the operator pays the seller again: the first settlement stays, the other has its own', () => {
  const again = decided(back, 'seller');
  assert.deepEqual([again.drafts(), again.postings()], [['payout 10000'], []]);
  assert.deepEqual(again.amounts(), [10_000n, 10_000n, 0n, 0n, 0n, 0n, 0n], 'held for it');
  const settlement = { ...sampleSettlement, fxRate: '5.30', endToEndId: 'E2' };
  const paid = again.send('payout_2').report('payout_2', { end: 'completed' }, { settlement });
  assert.deepEqual([paid.payment.status, paid.funds.position], ['settled', 'paid']);
  assert.deepEqual(
    [paid.payment.settlement, paid.payment.settledAtMs],
    [sampleSettlement, START_MS],
  );
  assert.deepEqual(settlementsOf(paid.commands), [
    { ...sampleSettlement, asset: null, settledAtMs: START_MS, returnedAtMs: NOW_MS },
    { ...settlement, asset: null, settledAtMs: NOW_MS, returnedAtMs: null },
  ]);
  assert.deepEqual(paid.events(), ['payment_intent.paid_again', 'invoice.paid_again']);
  assert.deepEqual(paid.postings(), ['payout_paid']);
  const backAgain = paid.report('payout_2', { end: 'returned' });
  assert.equal(backAgain.funds.position, 'needs_review');
  assert.deepEqual(decided(backAgain, 'seller', 'payout_2').drafts(), ['payout 10000']);
});

test('a second payout that the partner refuses waits for an operator again', () => {
  const again = decided(back, 'seller').send('payout_2');
  const blocked = { code: 'account_blocked', message: 'no' };
  const denied = denyCommand(again.command('payout_2'), blocked, again.nowMs);
  const next = again.changed([recordAbsence(denied, 0, again.nowMs)]);
  assert.deepEqual([next.drafts(), next.funds.position], [[], 'needs_review']);
  assert.deepEqual(decided(next, 'buyer', 'payout_2').drafts(), ['refund 10000 of in']);
});

test('a second payout is sent although the refused one was made after all, and came back', () => {
  const refused = payout({ state: 'refused', isUndecided: true });
  const before = MoneyScene.at('on_chain_confirmed', [completedPayin('in', 10_007n), refused]);
  const again = decided(before.report('out', { end: 'returned' }), 'seller');
  const next = again.report('in', { end: 'completed', receivedMinor: 10_007n, polled: true });
  const sent = next.send('payout_2');
  const standing = [next, sent].map(({ payment }) => payment.status);
  assert.deepEqual(standing, ['on_chain_confirmed', 'offramp_pending']);
  const paid = sent.report('payout_2', { end: 'completed' }, { settlement: sampleSettlement });
  assert.deepEqual([paid.payment.status, paid.funds.position], ['settled', 'paid']);
});

test('a second payout is not sent once the first one is paid', () => {
  const next = decided(back, 'seller').report('out', { end: 'completed', polled: true });
  assert.equal(next.command('payout_2').state, 'void');
  assert.deepEqual([next.command('out').isUndecided, next.funds.lossMinor], [false, 0n]);
});

test('a second payout whose money is gone is not sent, and the first one waits for a person', () => {
  const again = decided(back, 'seller');
  for (const [report, owed] of [
    [{ end: 'completed', receivedMinor: 9_000n, accepted: true }, ['refund 9000 of in']],
    [{ end: 'returned', receivedMinor: 10_000n }, []],
  ] as const) {
    const next = again.report('in', report);
    assert.equal(next.command('payout_2').state, 'void');
    assert.deepEqual([next.funds.position, next.drafts()], ['needs_review', []]);
    assert.throws(() => decided(next, 'seller'), { code: 'PaymentStateConflict' });
    assert.deepEqual(decided(next, 'buyer').drafts(), owed);
    const whole = next.report('in', { end: 'completed', receivedMinor: 10_000n, polled: true });
    assert.deepEqual([whole.funds.position, whole.drafts()], ['needs_review', []]);
    assert.deepEqual(decided(whole, 'seller').drafts(), ['payout 10000']);
  }
});

test('the seller is not paid again with money that went back to the buyer', () => {
  const gone = back.report('in', { end: 'returned', receivedMinor: 10_000n });
  assert.deepEqual([gone.funds.lossMinor, gone.funds.position], [10_000n, 'needs_review']);
  const conflict = { code: 'PaymentStateConflict' };
  assert.throws(() => decided(gone, 'seller'), conflict);
  const settledUp = decided(gone, 'buyer');
  assert.deepEqual([settledUp.funds.lossMinor, settledUp.drafts()], [0n, []]);
  const reversed = gone.report('in', { end: 'completed', receivedMinor: 10_000n });
  assert.deepEqual([reversed.funds.position, reversed.drafts()], ['needs_review', []]);
});

test('an operator decides about a payout that came back, also if part of its money never came', () => {
  const less = back.report('in', { end: 'completed', receivedMinor: 9_000n, accepted: true });
  assert.deepEqual([less.command('out').isUndecided, less.drafts()], [true, []]);
  assert.deepEqual(less.amounts(), [9_000n, 0n, 10_000n, 0n, 0n, 0n, 1_000n]);
  assert.throws(() => decided(less, 'seller'), { code: 'PaymentStateConflict' });
  const owed = decided(less, 'buyer');
  assert.deepEqual(owed.drafts(), ['refund 9000 of in']);
  assert.deepEqual(owed.amounts(), [9_000n, 0n, 0n, 9_000n, 0n, 0n, 0n]);
});

test('two payouts that are paid after all are a loss, in books that agree', () => {
  const sent = decided(back, 'seller').send('payout_2');
  const again = sent.report('out', { end: 'completed', polled: true });
  assert.equal(settlementsOf(again.commands).length, 1, 'it never came back');
  assert.deepEqual(again.postings(), ['loss', 'payout_paid']);
  assert.deepEqual(again.amounts(), [10_000n, 0n, 20_000n, 0n, 0n, 0n, 10_000n]);
  assert.equal(sumsOf(again.commands).paidMinor, 10_000n, 'the other one is under way');
  const settled = { amountMinor: 51_400n, currency: 'BRL' };
  const other = { settlement: { ...sampleSettlement, settled, endToEndId: 'E2' } };
  const paid = sent.report('payout_2', { end: 'completed' }, other);
  const both = paid.report('out', { end: 'completed', polled: true });
  assert.deepEqual(both.amounts(), [10_000n, 0n, 20_000n, 0n, 0n, 0n, 10_000n]);
  const balances = balancesOf(sumsOf(both.commands), both.funds);
  assert.equal(balances.get('partner_float USD'), 0n);
  assert.equal(balances.get('seller BRL'), sampleSettlement.settled.amountMinor + 51_400n);
});

test('a payout that completes after all withdraws the refund that was not sent', () => {
  for (const fields of [unsent, { state: 'refused' }] as const) {
    const was = MoneyScene.at('failed', [payin, payout({ end: 'returned' }), refund(fields)]);
    const next = was.report('out', { end: 'completed', polled: true });
    assert.deepEqual([next.payment.status, next.command('back').state], ['failed', 'void']);
    assert.deepEqual(next.amounts(), [10_000n, 0n, 10_000n, 0n, 0n, 0n, 0n]);
    assert.deepEqual(next.postings(), ['refund_withdrawn', 'payout_paid']);
  }
});

test('a payout that completes after its money was refunded is a loss of the house', () => {
  for (const fields of [{ state: 'sent' }, { end: 'completed' }] as const) {
    const was = MoneyScene.at('failed', [payin, payout({ end: 'returned' }), refund(fields)]);
    const next = was.report('out', { end: 'completed', polled: true });
    assert.equal(next.funds.lossMinor, 10_000n);
    assert.deepEqual(next.postings(), ['loss', 'payout_paid']);
    const recovered = next.report('back', { end: 'failed', polled: true });
    assert.deepEqual([recovered.funds.lossMinor, recovered.command('back').state], [0n, 'void']);
  }
});

test('no more of a refund is withdrawn than was lost: the rest is sent again', () => {
  const commands = [completedPayin('in', 13_000n), payout({ end: 'returned' })];
  const was = MoneyScene.at('failed', [...commands, refund({ ...unsent, amountMinor: 13_000n })]);
  const next = was.report('out', { end: 'completed', polled: true });
  assert.deepEqual([next.command('back').state, next.drafts()], ['void', ['refund 3000 of in']]);
  assert.deepEqual(next.amounts(), [13_000n, 0n, 10_000n, 3_000n, 0n, 0n, 0n]);
});

test('a refused or failed refund waits for a person and is not repeated automatically', () => {
  for (const next of [
    cancelled({}).report('back', { end: 'failed', reason: 'account closed' }),
    cancelled({ state: 'denied' }).changed([refund({ state: 'refused' })]),
    cancelled({ end: 'completed' }).report('back', { end: 'failed', polled: true }),
  ]) {
    assert.deepEqual([next.command('back').state, next.funds.refund], ['refused', 'needs_review']);
    assert.deepEqual(next.amounts(), [10_000n, 0n, 0n, 10_000n, 0n, 0n, 0n]);
    assert.deepEqual([next.drafts(), next.change.alerts.length], [[], 1]);
  }
});

test('a message that a completed refund failed changes nothing: the partner is asked first', () => {
  const was = cancelled({ end: 'completed' });
  const next = was.report('back', { end: 'failed', polled: false });
  assert.deepEqual([next.amounts(), next.command('back').dueAtMs], [was.amounts(), NOW_MS]);
  assert.deepEqual(next.change.alerts, []);
});

test('a superseded refund is sent again, against the pay-in that holds the money', () => {
  const refused = refund({ state: 'refused' });
  const next = MoneyScene.at('cancelled', [payin, refused]).changed([
    supersedeCommand(refused, NOW_MS),
  ]);
  assert.deepEqual([next.drafts(), next.postings()], [['refund 10000 of in'], []]);
  assert.deepEqual(next.amounts(), [10_000n, 0n, 0n, 10_000n, 0n, 0n, 0n]);
});

test('a superseded refund that completes after all ends the new one, or is a loss if that is out', () => {
  const superseded = refund({ state: 'void', end: 'failed' });
  const retried = (fields: Partial<MoneyCommand>) => commandOf('refund', 'retried', fields);
  const waiting = MoneyScene.at('cancelled', [payin, superseded, retried(unsent)]);
  const next = waiting.report('back', { end: 'completed', polled: true });
  assert.deepEqual([next.command('retried').state, next.funds.lossMinor], ['void', 0n]);
  const out = MoneyScene.at('cancelled', [payin, superseded, retried({ state: 'sent' })]);
  const both = out.report('back', { end: 'completed', polled: true });
  assert.deepEqual([both.command('retried').state, both.funds.lossMinor], ['sent', 10_000n]);
  const refused = both.changed([
    denyCommand(both.command('retried'), { code: 'x', message: '' }, NOW_MS),
  ]);
  assert.equal(refused.funds.lossMinor, 10_000n, 'a refusal proves nothing yet');
  const absent = both.changed([retried({ state: 'refused' })]);
  assert.deepEqual([absent.command('retried').state, absent.funds.lossMinor], ['void', 0n]);
});

test('where a pay-in was refunded twice, its own refund is withdrawn and no other', () => {
  const commands = [
    payin,
    completedPayin('in_2', 10_000n),
    refund({ state: 'void', end: 'failed' }),
    commandOf('refund', 'retried', unsent),
    commandOf('refund', 'other', { ...unsent, payinId: 'in_2' }),
  ];
  const next = MoneyScene.at('cancelled', commands).report('back', {
    end: 'completed',
    polled: true,
  });
  assert.deepEqual(next.standing().slice(2), [
    'back done/completed',
    'retried void',
    'other pending',
  ]);
});
