import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Change,
  type Collection,
  cancelled,
  confirmed,
  expired,
  failedByOperator,
  kycDecided,
  type PayinReport,
  payinAccepted,
  payinRefused,
  payinReported,
  quoted,
  quoteRefused,
  signedIn,
} from '../../../core/domain/collection.js';
import { expectFunds, heldMinor } from '../../../core/domain/funds.js';
import type { PartnerCommand } from '../../../core/domain/partner-command.js';
import {
  isCancellable,
  isTerminal,
  type Payment,
  type PaymentStatus,
  paymentStatuses,
} from '../../../core/domain/payment.js';
import { type ErrorCode, PonteError } from '../../../core/errors.js';
import {
  commandIn,
  START_MS,
  sampleFunds,
  samplePayment,
  sampleQuote,
} from '../../support/sample-rows.js';

const NOW_MS = START_MS + 1_000;

function at(status: PaymentStatus, fields: Partial<Payment> = {}): Collection {
  const pending = status === 'on_ramp_pending';
  return {
    payment: { ...samplePayment, ...fields, status },
    funds: pending ? expectFunds(sampleFunds) : sampleFunds,
  };
}

function report(fields: Partial<PayinReport>): PayinReport {
  return { status: 'open', receivedMinor: 0n, transactionHash: null, reason: null, ...fields };
}

function payin(was: Collection, fields: Partial<PayinReport>): Change {
  return payinReported(was, [], report(fields), NOW_MS);
}

function types({ events }: Change): readonly string[] {
  return events.map(({ type }) => type);
}

function refusedWith(code: ErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof PonteError && error.code === code;
}

/** Nothing to store, nothing to tell. */
function assertUnchanged(change: Change, was: Collection, name?: string): void {
  assert.equal(change.payment, was.payment, name);
  assert.equal(change.funds, was.funds, name);
  const { postings, events, commands, changedCommands } = change;
  assert.deepEqual([postings, events, commands, changedCommands], [[], [], [], []], name);
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

test('a buyer approved meanwhile elsewhere goes on by signing in again', () => {
  const was = at('buyer_kyc_pending');
  assertUnchanged(signedIn(was, false, NOW_MS), was);
  const change = signedIn(was, true, NOW_MS);
  assert.deepEqual(types(change), [
    'payment_intent.buyer_kyc_approved',
    'invoice.buyer_kyc_approved',
  ]);
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

test('the decision on the buyer moves only payments that wait for it', () => {
  for (const status of paymentStatuses) {
    for (const decision of ['approve', 'reject'] as const) {
      const was = at(status);
      const change = kycDecided(was, decision, null, NOW_MS);
      if (status !== 'buyer_kyc_pending') assertUnchanged(change, was, `${status} ${decision}`);
      else
        assert.equal(
          change.payment.status,
          decision === 'approve' ? 'buyer_kyc_approved' : 'failed',
        );
    }
  }
});

test('buyer_kyc_rejected stands for failed in the payment_intent namespace only', () => {
  const intent = kycDecided(at('buyer_kyc_pending'), 'reject', 'document unreadable', NOW_MS);
  assert.deepEqual(types(intent), ['payment_intent.buyer_kyc_rejected', 'invoice.failed']);
  assert.equal(intent.payment.failureReason, 'document unreadable');
  const invoice = at('buyer_kyc_pending', { origin: 'invoice' });
  const without = kycDecided(invoice, 'reject', null, NOW_MS);
  assert.deepEqual(types(without), ['invoice.failed']);
  assert.equal(without.payment.failureReason, 'buyer KYC rejected');
});

test('a new quote replaces the one before in the same status, and is no event', () => {
  const first = quoted(at('buyer_kyc_approved'), sampleQuote, NOW_MS);
  assert.deepEqual(types(first), ['payment_intent.fx_quoted', 'invoice.fx_quoted']);
  assert.equal(first.payment.quoteId, 'qt_1');
  const again = quoted(first, { ...sampleQuote, id: 'qt_2' }, NOW_MS);
  assert.deepEqual([again.payment.status, again.payment.quoteId], ['fx_quoted', 'qt_2']);
  assert.deepEqual(again.events, []);
});

test('a quote that is refused for good fails a payment that waits for one, and no other', () => {
  for (const status of paymentStatuses) {
    const was = at(status);
    const change = quoteRefused(was, 'amount_too_small', NOW_MS);
    if (status !== 'buyer_kyc_approved' && status !== 'fx_quoted') {
      assertUnchanged(change, was, status);
      continue;
    }
    assert.deepEqual(types(change), ['payment_intent.failed', 'invoice.failed']);
    assert.deepEqual(
      [change.payment.status, change.payment.failureReason],
      ['failed', 'quote refused: amount_too_small'],
    );
  }
});

test('confirming an unexpired quote orders the pay-in of the whole amount', () => {
  const was = at('fx_quoted', { quoteId: 'qt_1' });
  const change = confirmed(was, sampleQuote, sampleQuote.expiresAtMs - 1);
  assert.equal(change.payment.status, 'on_ramp_pending');
  assert.equal(change.funds.position, 'expected');
  assert.deepEqual(change.commands, [{ kind: 'payin', amount: samplePayment.amount }]);
  assert.throws(
    () => confirmed(was, sampleQuote, sampleQuote.expiresAtMs),
    refusedWith('QuoteExpired'),
  );
});

test('a quote is asked for and confirmed only where the table says so', () => {
  for (const status of paymentStatuses) {
    if (!['buyer_kyc_approved', 'fx_quoted'].includes(status)) {
      const refusal = refusedWith('PaymentStateConflict');
      assert.throws(() => quoted(at(status), sampleQuote, NOW_MS), refusal, status);
    }
    if (status !== 'fx_quoted') {
      const refusal = refusedWith('PaymentStateConflict');
      assert.throws(() => confirmed(at(status), sampleQuote, NOW_MS), refusal, status);
    }
  }
});

test('the payment instructions are kept, whatever became of the payment, and are no event', () => {
  for (const status of ['on_ramp_pending', 'cancelled'] as const) {
    const change = payinAccepted(at(status), '{"iban":"x"}', NOW_MS);
    assert.deepEqual(
      [change.payment.status, change.payment.payinInstructions, change.events],
      [status, '{"iban":"x"}', []],
    );
  }
});

test('a pay-in refused because the quote expired goes back to fx_quoted, any other one fails', () => {
  const back = payinRefused(at('on_ramp_pending', { quoteId: 'qt_1' }), 'quote_expired', NOW_MS);
  assert.deepEqual([back.payment.status, back.funds.position], ['fx_quoted', 'none']);
  assert.equal(back.payment.quoteId, null, 'the refused quote cannot be confirmed again');
  assert.deepEqual(types(back), ['payment_intent.fx_quoted', 'invoice.fx_quoted']);
  const failed = payinRefused(at('on_ramp_pending'), 'account_blocked', NOW_MS);
  assert.equal(failed.payment.status, 'failed');
  assert.match(failed.payment.failureReason ?? '', /account_blocked/);
  const late = payinRefused(at('cancelled'), 'quote_expired', NOW_MS);
  assert.deepEqual([late.payment.status, late.events], ['cancelled', []]);
});

test('the pay-in completed orders the payout, and the transaction hash is kept', () => {
  const fields = { status: 'completed', receivedMinor: 10_000n, transactionHash: '0xabc' } as const;
  const change = payin(at('on_ramp_pending'), fields);
  assert.equal(change.payment.status, 'on_chain_confirmed');
  assert.equal(change.payment.transactionHash, '0xabc');
  assert.equal(change.funds.position, 'received');
  assert.deepEqual(change.commands, [{ kind: 'payout', amount: samplePayment.amount }]);
  assertUnchanged(payin(change, fields), change, 'told twice');
});

test('received less than asked: the payment waits, completed or not, until topped up', () => {
  const short = payin(at('on_ramp_pending'), { status: 'completed', receivedMinor: 9_900n });
  assert.deepEqual([short.payment.status, short.commands], ['on_ramp_pending', []]);
  assert.equal(short.funds.receivedMinor, 9_900n);
  assert.equal(short.payment.coveredAtMs, null);
  const full = payin(short, { status: 'completed', receivedMinor: 10_000n });
  assert.equal(full.payment.status, 'on_chain_confirmed');
});

test('received more: the surplus is owed back at once, before and after the payout', () => {
  const early = payin(at('on_ramp_pending'), { receivedMinor: 10_070n });
  assert.equal(early.payment.status, 'on_ramp_pending');
  assert.deepEqual([early.funds.refundOwedMinor, heldMinor(early.funds)], [70n, 10_000n]);
  assert.deepEqual(early.commands, [
    { kind: 'refund', amount: { amountMinor: 70n, currency: 'USD' } },
  ]);
  const done = payin(early, { status: 'completed', receivedMinor: 10_100n });
  assert.deepEqual(
    done.commands.map(({ kind, amount }) => `${kind} ${amount?.amountMinor}`),
    ['payout 10000', 'refund 30'],
  );
});

test('a pay-in that fails or is returned fails the payment, with what it brought accounted', () => {
  const part = payin(at('on_ramp_pending'), { receivedMinor: 4_000n });
  const failed = payin(part, { status: 'failed', receivedMinor: 4_000n, reason: 'bank closed' });
  assert.deepEqual(
    [failed.payment.status, failed.payment.failureReason],
    ['failed', 'bank closed'],
  );
  assert.deepEqual([failed.funds.refundOwedMinor, failed.commands.length], [4_000n, 1]);
  const returned = payin(part, { status: 'returned', receivedMinor: 4_000n });
  assert.equal(returned.payment.failureReason, 'pay-in returned');
  assert.deepEqual([returned.funds.refundedMinor, returned.commands], [4_000n, []]);
});

test('money received on a cancelled, expired or failed payment is owed back at once', () => {
  for (const status of ['cancelled', 'expired', 'failed'] as const) {
    for (const told of ['open', 'completed', 'failed'] as const) {
      const was = at(status);
      const change = payin(was, { status: told, receivedMinor: 2_500n });
      assert.equal(change.payment.status, status);
      assert.deepEqual(change.events, []);
      assert.deepEqual(
        [change.funds.refund, change.funds.refundOwedMinor, heldMinor(change.funds)],
        ['refund_owed', 2_500n, 0n],
      );
      assert.deepEqual(change.commands, [
        { kind: 'refund', amount: { amountMinor: 2_500n, currency: 'USD' } },
      ]);
      assertUnchanged(payin(change, { status: told, receivedMinor: 2_500n }), change, told);
    }
  }
});

test('cancel ends every cancellable status once; a cancelled one is returned unchanged', () => {
  for (const status of paymentStatuses) {
    const was = at(status);
    const cancel = () => cancelled(was, [], 'order withdrawn', NOW_MS);
    if (status === 'cancelled') assertUnchanged(cancel(), was);
    else if (!isCancellable(status)) {
      assert.throws(cancel, refusedWith('PaymentNotCancellable'), status);
    } else {
      const { payment } = cancel();
      assert.deepEqual([payment.status, payment.cancelReason], ['cancelled', 'order withdrawn']);
    }
  }
});

test('an end takes back what was not sent, and leaves alone what the partner may know', () => {
  const commands = Object.values(commandIn).map(
    (command, index): PartnerCommand => ({ ...command, id: `cmd_${index}`, kind: 'payin' }),
  );
  const surplus: PartnerCommand = { ...commandIn.pending, id: 'cmd_refund', kind: 'refund' };
  const was = at('on_ramp_pending', { expiresAtMs: NOW_MS });
  const ends: readonly Change[] = [
    cancelled(was, [...commands, surplus], 'order withdrawn', NOW_MS),
    expired(was, [...commands, surplus], NOW_MS),
    failedByOperator(was, [...commands, surplus], 'by hand', NOW_MS),
  ];
  for (const { changedCommands, payment } of ends) {
    assert.deepEqual(
      changedCommands.map(({ id, state }) => `${id} ${state}`),
      ['cmd_0 void'],
      payment.status,
    );
  }
});

test('when the pay-in order is taken back no money is expected any more', () => {
  const was = at('on_ramp_pending');
  const unsent: PartnerCommand = { ...commandIn.pending, kind: 'payin' };
  assert.equal(cancelled(was, [unsent], 'order withdrawn', NOW_MS).funds.position, 'none');
  const known: PartnerCommand = { ...commandIn.unknown, kind: 'payin' };
  assert.equal(cancelled(was, [known], 'order withdrawn', NOW_MS).funds.position, 'expected');
});

test('expiry fires at its time, and not once the partner has reported the funds received', () => {
  const due = at('on_ramp_pending', { expiresAtMs: NOW_MS });
  assert.deepEqual(types(expired(due, [], NOW_MS)), ['payment_intent.expired', 'invoice.expired']);
  assertUnchanged(expired(due, [], NOW_MS - 1), due, 'too early');
  const never = at('on_ramp_pending');
  assertUnchanged(expired(never, [], NOW_MS), never, 'without an expiry');
  const part = payin(due, { receivedMinor: 9_999n });
  const ended = expired(part, [], NOW_MS);
  assert.deepEqual([ended.payment.status, ended.funds.refundOwedMinor], ['expired', 9_999n]);
  const covered = payin(due, { receivedMinor: 10_000n });
  assert.equal(covered.payment.status, 'on_ramp_pending');
  assertUnchanged(expired(covered, [], NOW_MS + 1), covered, 'all is there');
});

test('operations staff can fail every payment that has not ended', () => {
  for (const status of paymentStatuses) {
    const fail = () => failedByOperator(at(status), [], 'by hand', NOW_MS);
    if (isTerminal(status)) assert.throws(fail, refusedWith('PaymentStateConflict'), status);
    else assert.equal(fail().payment.status, 'failed', status);
  }
});
