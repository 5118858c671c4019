// What people do to a payment. What the partner does is in order-outcomes*.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandState } from '../../../../core/domain/commands/partner-command.js';
import type { Change, PaymentAggregate } from '../../../../core/domain/payments/change.js';
import {
  isCancellable,
  isExpirable,
  isTerminal,
  type Payment,
  type PaymentStatus,
  paymentStatuses,
} from '../../../../core/domain/payments/payment.js';
import {
  cancelled,
  colleagueApprovalAsked,
  colleagueApprovalDecided,
  confirmed,
  documented,
  expired,
  failedByOperator,
  kycDecided,
  limited,
  quoted,
  quoteRefused,
  signedIn,
} from '../../../../core/domain/payments/payment-transitions.js';
import {
  commandOf,
  completedPayin,
  START_MS,
  sampleFunds,
  samplePayment,
  sampleQuote,
} from '../../../support/samples/sample-rows.js';
import { MoneyScene } from '../../../support/scenes/money-scene.js';

const NOW_MS = START_MS + 1_000;

function at(status: PaymentStatus, fields: Partial<Payment> = {}): PaymentAggregate {
  return { payment: { ...samplePayment, ...fields, status }, funds: sampleFunds };
}

function types({ events }: Change): readonly string[] {
  return events.map(({ type }) => type);
}

/** Nothing to store or report. */
function assertUnchanged(change: Change, was: PaymentAggregate, name?: string): void {
  assert.equal(change.payment, was.payment, name);
  assert.equal(change.funds, was.funds, name);
  const { postings, events, commands, changedCommands, alerts } = change;
  assert.deepEqual([postings, events, commands, changedCommands, alerts], [[], [], [], [], []]);
}

test('a buyer who signs in unverified waits for KYC', () => {
  const change = signedIn(at('awaiting_buyer'), false, NOW_MS);
  assert.equal(change.payment.status, 'buyer_kyc_pending');
  assert.equal(change.payment.updatedAtMs, NOW_MS);
  assert.deepEqual(types(change), [
    'payment_intent.buyer_kyc_pending',
    'invoice.buyer_kyc_pending',
  ]);
});

test('sign-in of an approved buyer: an intent passes both statuses with both events', () => {
  const change = signedIn(at('awaiting_buyer'), true, NOW_MS);
  assert.equal(change.payment.status, 'buyer_kyc_approved');
  assert.deepEqual(
    change.events.map(({ type, payment }) => `${type} ${payment.status}`),
    [
      'payment_intent.buyer_kyc_pending buyer_kyc_pending',
      'invoice.buyer_kyc_pending buyer_kyc_pending',
      'payment_intent.buyer_kyc_approved buyer_kyc_approved',
      'invoice.buyer_kyc_approved buyer_kyc_approved',
    ],
  );
});

test('sign-in of an approved buyer: an invoice goes straight from awaiting_buyer', () => {
  const change = signedIn(at('awaiting_buyer', { origin: 'invoice' }), true, NOW_MS);
  assert.equal(change.payment.status, 'buyer_kyc_approved');
  assert.deepEqual(types(change), ['invoice.buyer_kyc_approved']);
});

test('a buyer approved elsewhere continues by signing in again', () => {
  const was = at('buyer_kyc_pending');
  assertUnchanged(signedIn(was, false, NOW_MS), was);
  const change = signedIn(was, true, NOW_MS);
  assert.deepEqual(types(change), [
    'payment_intent.buyer_kyc_approved',
    'invoice.buyer_kyc_approved',
  ]);
});

test('a fiscal document is added or replaced in every status, and moves nothing', () => {
  const first = { kind: 'other', key: null, number: '7', issuedOn: null } as const;
  for (const status of paymentStatuses) {
    let was = at(status);
    for (const sent of [first, { ...first, number: '8' }]) {
      const change: Change = documented(was, { ...sent }, NOW_MS);
      const { fiscalDocument, updatedAtMs, ...rest } = change.payment;
      assert.deepEqual([fiscalDocument, updatedAtMs], [sent, NOW_MS], status);
      assert.deepEqual({ ...was.payment, ...rest }, was.payment);
      assertUnchanged({ ...change, payment: was.payment }, was, status);
      was = { ...was, payment: change.payment };
      assertUnchanged(documented(was, { ...sent }, NOW_MS + 1), was, status);
    }
  }
});

test('sign-in in any other status changes nothing', () => {
  for (const status of paymentStatuses) {
    if (status === 'awaiting_buyer' || status === 'buyer_kyc_pending') continue;
    for (const verified of [true, false]) {
      const was = at(status);
      assertUnchanged(signedIn(was, verified, NOW_MS), was, status);
    }
  }
});

test('an approval of the buyer moves only payments that wait for it', () => {
  for (const status of paymentStatuses) {
    const was = at(status);
    const change = kycDecided(was, [], 'approve', null, NOW_MS);
    if (status === 'buyer_kyc_pending') assert.equal(change.payment.status, 'buyer_kyc_approved');
    else assertUnchanged(change, was, status);
  }
});

test('a rejection fails a payment up to the quote; later its payout waits for an operator', () => {
  const failing = ['buyer_kyc_pending', 'buyer_kyc_approved', 'fx_quoted'];
  const waiting = ['on_ramp_pending', 'on_chain_confirmed', 'offramp_pending'];
  for (const status of paymentStatuses) {
    const was = at(status);
    const change = kycDecided(was, [], 'reject', 'sanctions', NOW_MS);
    const { payment, alerts } = change;
    if (failing.includes(status)) {
      assert.deepEqual([payment.status, payment.failureReason], ['failed', 'sanctions'], status);
    } else if (waiting.includes(status)) {
      assert.deepEqual([payment.status, payment.approvalLostAtMs], [status, NOW_MS]);
      const alert = 'the buyer was rejected after its approval: the payout waits for an operator';
      assert.deepEqual(alerts, [alert]);
      assertUnchanged(kycDecided(change, [], 'reject', null, NOW_MS + 1), change, 'a repeat');
    } else assertUnchanged(change, was, status);
  }
});

test('an approval restores one that was lost, and the next rejection counts again', () => {
  for (const status of ['on_ramp_pending', 'on_chain_confirmed', 'offramp_pending'] as const) {
    const lost = kycDecided(at(status), [], 'reject', null, NOW_MS);
    const restored = kycDecided(lost, [], 'approve', null, NOW_MS + 1);
    assert.deepEqual(
      [restored.payment.status, restored.payment.approvalLostAtMs, restored.events],
      [status, null, []],
    );
    const again = kycDecided(restored, [], 'reject', null, NOW_MS + 2);
    assert.deepEqual([again.payment.approvalLostAtMs, again.alerts.length], [NOW_MS + 2, 1]);
  }
  const ended = at('failed', { approvalLostAtMs: NOW_MS });
  assertUnchanged(kycDecided(ended, [], 'approve', null, NOW_MS + 1), ended, 'it stays on record');
});

test('money of a payment that a rejection or a refused quote fails is owed to the buyer', () => {
  const commands = [commandOf('payin', 'in', { end: 'failed', receivedMinor: 4_000n })];
  const was = MoneyScene.at('fx_quoted', commands);
  for (const change of [
    kycDecided(was, commands, 'reject', null, NOW_MS),
    quoteRefused(was, commands, 'blocked', NOW_MS),
  ]) {
    assert.equal(change.payment.status, 'failed');
    assert.equal(change.funds.refundOwedMinor, 4_000n);
  }
});

test('buyer_kyc_rejected stands for failed in the payment_intent namespace only', () => {
  const intent = kycDecided(at('buyer_kyc_pending'), [], 'reject', 'document unreadable', NOW_MS);
  assert.deepEqual(types(intent), ['payment_intent.buyer_kyc_rejected', 'invoice.failed']);
  assert.equal(intent.payment.failureReason, 'document unreadable');
  const invoice = at('buyer_kyc_pending', { origin: 'invoice' });
  const without = kycDecided(invoice, [], 'reject', null, NOW_MS);
  assert.deepEqual(types(without), ['invoice.failed']);
  assert.equal(without.payment.failureReason, 'buyer KYC rejected');
  assert.equal(without.payment.failureCode, 'buyer_rejected');
});

test('a new quote replaces the one before in the same status, and is no event', () => {
  const first = quoted(at('buyer_kyc_approved'), sampleQuote, NOW_MS);
  assert.deepEqual(types(first), ['payment_intent.fx_quoted', 'invoice.fx_quoted']);
  assert.equal(first.payment.quoteId, 'qt_1');
  const again = quoted(first, { ...sampleQuote, id: 'qt_2' }, NOW_MS);
  assert.deepEqual([again.payment.status, again.payment.quoteId], ['fx_quoted', 'qt_2']);
  assert.deepEqual(again.events, []);
});

test('an amount over a limit is stored while a quote is awaited, without event or other change', () => {
  const limit = { period: 'month', left: null, untilMs: NOW_MS + 1 } as const;
  for (const status of paymentStatuses) {
    const was = at(status);
    const change = limited(was, limit, NOW_MS);
    if (status !== 'buyer_kyc_approved' && status !== 'fx_quoted') {
      assertUnchanged(change, was, status);
      continue;
    }
    const { limitHit, ...rest } = change.payment;
    assert.deepEqual(limitHit, { ...limit, atMs: NOW_MS, isLifted: false });
    assert.deepEqual({ ...rest, limitHit: null }, { ...was.payment, updatedAtMs: NOW_MS });
    assert.deepEqual([types(change), change.alerts.length], [[], 1]);
    const again = limited(change, { ...limit, period: 'day' }, NOW_MS + 1);
    assert.deepEqual([again.payment.limitHit?.period, again.alerts], ['day', []]);
    assert.equal(quoted(again, sampleQuote, NOW_MS).payment.limitHit?.isLifted, true);
  }
});

test('a quote that is refused for good fails a payment that waits for one, and no other', () => {
  for (const status of paymentStatuses) {
    const was = at(status);
    const change = quoteRefused(was, [], 'amount_too_small', NOW_MS);
    if (status !== 'buyer_kyc_approved' && status !== 'fx_quoted') {
      assertUnchanged(change, was, status);
      continue;
    }
    assert.deepEqual(types(change), ['payment_intent.failed', 'invoice.failed']);
    const { status: ended, failureCode, failureReason } = change.payment;
    assert.deepEqual([ended, failureReason], ['failed', 'quote refused: amount_too_small']);
    assert.equal(failureCode, 'quote_refused');
  }
});

test('confirming an unexpired quote sends the pay-in of the whole amount', () => {
  const was = at('fx_quoted', { quoteId: 'qt_1' });
  const change = confirmed(was, [], sampleQuote, sampleQuote.expiresAtMs - 1);
  assert.deepEqual([change.payment.status, change.funds.position], ['on_ramp_pending', 'expected']);
  assert.deepEqual(change.commands, [
    { kind: 'payin', amount: samplePayment.amount, payinId: null },
  ]);
  assert.throws(() => confirmed(was, [], sampleQuote, sampleQuote.expiresAtMs), {
    code: 'QuoteExpired',
  });
});

test('a quote is asked for and confirmed only where the table says so', () => {
  const conflict = { code: 'PaymentStateConflict' };
  for (const status of paymentStatuses) {
    if (!['buyer_kyc_approved', 'fx_quoted'].includes(status)) {
      assert.throws(() => quoted(at(status), sampleQuote, NOW_MS), conflict, status);
    }
    if (status !== 'fx_quoted') {
      assert.throws(() => confirmed(at(status), [], sampleQuote, NOW_MS), conflict, status);
    }
  }
});

test('cancel ends every cancellable status once; a cancelled one is returned unchanged', () => {
  for (const status of paymentStatuses) {
    const was = at(status);
    const cancel = () => cancelled(was, [], 'command withdrawn', NOW_MS);
    if (status === 'cancelled') assertUnchanged(cancel(), was);
    else if (!isCancellable(status)) {
      assert.throws(cancel, { code: 'PaymentNotCancellable' }, status);
    } else {
      const { payment } = cancel();
      assert.deepEqual([payment.status, payment.cancelReason], ['cancelled', 'command withdrawn']);
    }
  }
});

test('operations staff can fail every payment that has not ended', () => {
  for (const status of paymentStatuses) {
    const fail = () => failedByOperator(at(status), [], 'by hand', NOW_MS);
    if (isTerminal(status)) assert.throws(fail, { code: 'PaymentStateConflict' }, status);
    else {
      const { payment } = fail();
      assert.deepEqual([payment.status, payment.failureReason], ['failed', 'by hand'], status);
      assert.equal(payment.failureCode, 'operator');
    }
  }
});

test('a payment expires at its time and in an expirable status, and in no other', () => {
  for (const status of paymentStatuses) {
    const due = at(status, { expiresAtMs: NOW_MS });
    if (isExpirable(status)) assert.equal(expired(due, [], NOW_MS).payment.status, 'expired');
    else assertUnchanged(expired(due, [], NOW_MS), due, status);
  }
  const due = at('on_ramp_pending', { expiresAtMs: NOW_MS });
  assert.deepEqual(types(expired(due, [], NOW_MS)), ['payment_intent.expired', 'invoice.expired']);
  assertUnchanged(expired(due, [], NOW_MS - 1), due, 'too early');
  const never = at('on_ramp_pending');
  assertUnchanged(expired(never, [], NOW_MS), never, 'without an expiry');
  const covered = at('on_ramp_pending', { expiresAtMs: NOW_MS, coveredAtMs: START_MS });
  assertUnchanged(expired(covered, [], NOW_MS), covered, 'the partner has reported all the funds');
});

/** The three ways in which people end a payment. */
const ends = {
  cancelled: ({ payment, funds, commands }: MoneyScene) =>
    cancelled({ payment, funds }, commands, 'command withdrawn', NOW_MS),
  expired: ({ payment, funds, commands }: MoneyScene) =>
    expired({ payment: { ...payment, expiresAtMs: NOW_MS }, funds }, commands, NOW_MS),
  failed: ({ payment, funds, commands }: MoneyScene) =>
    failedByOperator({ payment, funds }, commands, 'by hand', NOW_MS),
} as const;

for (const [name, end] of Object.entries(ends)) {
  test(`${name}: what was not sent is void, and what the partner may know is left alone`, () => {
    const states = ['pending', 'sent', 'unknown', 'denied', 'done', 'refused', 'void'] as const;
    for (const state of states) {
      const scene = MoneyScene.at('on_ramp_pending', [commandOf('payin', 'in', { state })]);
      const next = scene.after(end(scene));
      assert.equal(next.payment.status, name);
      assert.equal(next.command('in').state, state === 'pending' ? 'void' : state);
      const expected = ['sent', 'unknown', 'denied', 'done'].includes(state);
      assert.equal(next.funds.position, expected ? 'expected' : 'none', state);
    }
  });

  test(`${name}: what was received is owed back at once, a waiting refund included`, () => {
    const scene = MoneyScene.at('on_ramp_pending', [
      commandOf('payin', 'in', { receivedMinor: 4_000n }),
      completedPayin('in_2', 6_070n),
      commandOf('refund', 'back', { state: 'pending', amountMinor: 70n, payinId: 'in_2' }),
    ]);
    const next = scene.after(end(scene));
    assert.deepEqual(next.drafts(), ['refund 6000 of in_2', 'refund 4000 of in']);
    assert.equal(next.command('back').state, 'pending');
    assert.deepEqual(next.amounts(), [10_070n, 0n, 0n, 10_070n, 0n, 0n, 0n]);
  });
}

test('a payout that was not sent is void with the payment, and one that was sent is waited for', () => {
  const payin = completedPayin('in', 10_000n);
  const scene = (status: PaymentStatus, state: CommandState) =>
    MoneyScene.at(status, [payin, commandOf('payout', 'out', { state })]);
  for (const end of [ends.cancelled, ends.failed]) {
    const unsent = scene('on_chain_confirmed', 'pending');
    const voided = unsent.after(end(unsent));
    assert.equal(voided.command('out').state, 'void');
    assert.deepEqual(voided.drafts(), ['refund 10000 of in']);
  }
  for (const state of ['sent', 'unknown', 'denied', 'done'] as const) {
    const paying = scene('offramp_pending', state);
    const failed = paying.after(ends.failed(paying));
    assert.deepEqual([failed.command('out').state, failed.drafts()], [state, []]);
    assert.deepEqual(failed.amounts(), [10_000n, 0n, 10_000n, 0n, 0n, 0n, 0n], state);
  }
});

const conflict = { name: 'PonteError', code: 'PaymentStateConflict' };

test('the buyer asks a colleague while the price is next, who decides once', () => {
  for (const status of paymentStatuses) {
    const ask = () => colleagueApprovalAsked(at(status), 'cfo@buyer.example', NOW_MS);
    if (status !== 'buyer_kyc_approved' && status !== 'fx_quoted') {
      assert.throws(ask, conflict, status);
      continue;
    }
    const asked = ask();
    const { state, askedAtMs, decidedAtMs } = asked.payment.colleagueApproval ?? {};
    assert.deepEqual([state, askedAtMs, decidedAtMs], ['asked', NOW_MS, null]);
    assert.deepEqual([asked.payment.status, types(asked)], [status, []]);
    const approved = colleagueApprovalDecided(asked, 'approve', null, NOW_MS + 1);
    assert.partialDeepStrictEqual(approved.payment.colleagueApproval, {
      state: 'approved',
      email: 'cfo@buyer.example',
      decidedAtMs: NOW_MS + 1,
    });
    for (const decision of ['approve', 'decline'] as const) {
      assert.throws(() => colleagueApprovalDecided(approved, decision, null, NOW_MS), conflict);
    }
    assert.throws(() => colleagueApprovalAsked(approved, 'ceo@buyer.example', NOW_MS), conflict);
  }
});

test('a decline is asked about again, and what was declined is not approved', () => {
  const asked = colleagueApprovalAsked(at('fx_quoted'), 'cfo@buyer.example', NOW_MS);
  const declined = colleagueApprovalDecided(asked, 'decline', 'too much', NOW_MS);
  assert.equal(declined.payment.colleagueApproval?.reason, 'too much');
  assert.throws(() => colleagueApprovalDecided(declined, 'approve', null, NOW_MS), conflict);
  const again = colleagueApprovalAsked(declined, 'ceo@buyer.example', NOW_MS + 1);
  assert.deepEqual(again.payment.colleagueApproval, {
    state: 'asked',
    email: 'ceo@buyer.example',
    askedAtMs: NOW_MS + 1,
    decidedAtMs: null,
    reason: null,
  });
});

test('nobody approves a payment that nobody was asked about, or one that has ended', () => {
  const approve = (was: PaymentAggregate) => colleagueApprovalDecided(was, 'approve', null, NOW_MS);
  assert.throws(() => approve(at('fx_quoted')), conflict);
  const { colleagueApproval } = colleagueApprovalAsked(
    at('fx_quoted'),
    'a@b.example',
    NOW_MS,
  ).payment;
  assert.throws(() => approve(at('cancelled', { colleagueApproval })), conflict);
});

test('the buyer is not its own approver, however the address is written', () => {
  const { email } = samplePayment.buyer;
  const tagged = email.replace('@', '+boss@');
  for (const own of [email, email.toUpperCase(), ` ${email} `, tagged, tagged.toUpperCase()]) {
    const ask = () => colleagueApprovalAsked(at('fx_quoted'), own, NOW_MS);
    assert.throws(ask, { name: 'PonteError', code: 'SelfApprovalNotAllowed' });
  }
});

test('the quote is confirmed without an approval, unless the buyer asked for one', () => {
  const confirm = ({ payment, funds }: PaymentAggregate) =>
    confirmed({ payment, funds }, [], sampleQuote, START_MS).payment.status;
  const without = at('fx_quoted', { quoteId: sampleQuote.id });
  assert.equal(confirm(without), 'on_ramp_pending');
  const asked = colleagueApprovalAsked(without, 'cfo@buyer.example', START_MS);
  assert.throws(() => confirm(asked), conflict);
  const declined = colleagueApprovalDecided(asked, 'decline', 'no', START_MS);
  assert.throws(() => confirm(declined), conflict);
  const approved = colleagueApprovalDecided(asked, 'approve', null, START_MS);
  assert.equal(confirm(approved), 'on_ramp_pending');
});
