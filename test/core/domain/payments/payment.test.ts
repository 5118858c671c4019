import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  firstStatus,
  isCancellable,
  isExpirable,
  isPageOpen,
  isTerminal,
  nextStatus,
  type PaymentMove,
  type PaymentStatus,
  paymentMoves,
  paymentOrigins,
  paymentStatuses,
  progress,
} from '../../../../core/domain/payments/payment.js';
import { START_MS, samplePayment } from '../../../support/samples/sample-rows.js';

/** Before the partner has the money a payment may end in all three ways. */
const open = { cancel: 'cancelled', expire: 'expired', fail: 'failed' } as const;

const matrix: Record<PaymentStatus, Partial<Record<PaymentMove, PaymentStatus>>> = {
  awaiting_approval: { ...open, approve: 'approved' },
  approved: { ...open, invite: 'awaiting_buyer' },
  awaiting_buyer: { ...open, sign_in: 'buyer_kyc_pending', sign_in_verified: 'buyer_kyc_approved' },
  buyer_kyc_pending: { ...open, kyc_approved: 'buyer_kyc_approved', kyc_rejected: 'failed' },
  buyer_kyc_approved: { ...open, quote: 'fx_quoted', kyc_rejected: 'failed' },
  fx_quoted: { ...open, quote: 'fx_quoted', confirm: 'on_ramp_pending', kyc_rejected: 'failed' },
  on_ramp_pending: { ...open, quote_expired: 'fx_quoted', payin_completed: 'on_chain_confirmed' },
  on_chain_confirmed: { cancel: 'cancelled', fail: 'failed', send_payout: 'offramp_pending' },
  offramp_pending: { payout_completed: 'settled', fail: 'failed' },
  settled: {},
  failed: {},
  cancelled: {},
  expired: {},
};

const moves = [...new Set(Object.values(matrix).flatMap(Object.keys))] as PaymentMove[];

test('every status and move is as the table says, and no other move is made', () => {
  assert.deepEqual(paymentStatuses, Object.keys(matrix));
  for (const status of paymentStatuses) {
    for (const move of moves) {
      assert.equal(nextStatus(status, move), matrix[status][move] ?? null, `${status} ${move}`);
    }
    for (const move of Object.keys(paymentMoves[status])) {
      assert.ok(moves.includes(move as PaymentMove), `${status} ${move}`);
    }
  }
});

test('the terminal statuses are settled, failed, cancelled and expired', () => {
  const terminal = ['settled', 'failed', 'cancelled', 'expired'];
  assert.deepEqual(paymentStatuses.filter(isTerminal), terminal);
});

test('what can be cancelled or expire is what the table has a way for', () => {
  for (const status of paymentStatuses) {
    assert.equal(isCancellable(status), 'cancel' in matrix[status], status);
    assert.equal(isExpirable(status), 'expire' in matrix[status], status);
  }
});

test('failed can come from every non-terminal status', () => {
  for (const status of paymentStatuses) {
    assert.equal(nextStatus(status, 'fail'), isTerminal(status) ? null : 'failed', status);
  }
});

test('settled has one way in: the payout completed while it was pending', () => {
  const ways = paymentStatuses.flatMap((status) =>
    moves
      .filter((move) => nextStatus(status, move) === 'settled')
      .map((move) => `${status} ${move}`),
  );
  assert.deepEqual(ways, ['offramp_pending payout_completed']);
});

test('the success chain of an intent is the one of the interface, in order', () => {
  const chain: readonly (readonly [PaymentMove, PaymentStatus])[] = [
    ['sign_in', 'buyer_kyc_pending'],
    ['kyc_approved', 'buyer_kyc_approved'],
    ['quote', 'fx_quoted'],
    ['confirm', 'on_ramp_pending'],
    ['payin_completed', 'on_chain_confirmed'],
    ['send_payout', 'offramp_pending'],
    ['payout_completed', 'settled'],
  ];
  let status: PaymentStatus = 'awaiting_buyer';
  for (const [move, to] of chain) {
    const next = nextStatus(status, move);
    assert.equal(next, to, `${status} ${move}`);
    const [here, there] = [progress(status), progress(to)];
    assert.ok(here !== null && there !== null && here < there, `${to} is further than ${status}`);
    status = to;
  }
});

test('statuses that left the way to settled have no place on it', () => {
  const left = paymentStatuses.filter((status) => progress(status) === null);
  assert.deepEqual(left, ['failed', 'cancelled', 'expired']);
});

test('law: no sequence of moves leaves the table or a terminal status', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...paymentStatuses),
      fc.array(fc.constantFrom(...moves), { size: 'large' }),
      (from, path) => {
        let status = from;
        for (const move of path) {
          const next = nextStatus(status, move);
          if (isTerminal(status)) assert.equal(next, null);
          if (next === null) continue;
          assert.ok(paymentStatuses.includes(next));
          status = next;
        }
      },
    ),
  );
});

test('a payment starts at its approval if it needs one, else behind it', () => {
  for (const origin of paymentOrigins) {
    assert.equal(firstStatus(origin, true), 'awaiting_approval');
  }
  assert.equal(firstStatus('payment_intent', false), 'awaiting_buyer');
  assert.equal(firstStatus('invoice', false), 'approved');
});

test('the page of an intent is open from its approval on, of an invoice from its invitation', () => {
  for (const status of paymentStatuses) {
    const free = { ...samplePayment, status, requiresApproval: false, approvedByMemberId: null };
    assert.equal(isPageOpen(free), true, status);
    // It stays closed if the intent is cancelled or expires without an approval.
    const waiting = { ...free, requiresApproval: true };
    assert.equal(isPageOpen(waiting), false, status);
    assert.equal(isPageOpen({ ...waiting, approvedByMemberId: 'mem_1' }), true, status);
  }
  const invoice = { ...samplePayment, origin: 'invoice' } as const;
  for (const status of paymentStatuses) {
    assert.equal(isPageOpen({ ...invoice, status, invitedAtMs: null }), false, status);
    assert.equal(isPageOpen({ ...invoice, status, invitedAtMs: START_MS }), true, status);
  }
});
