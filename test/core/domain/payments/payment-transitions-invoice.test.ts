// The approval by a second person, and the invitation of the buyer of an invoice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change, PaymentAggregate } from '../../../../core/domain/payments/change.js';
import {
  type Payment,
  type PaymentStatus,
  paymentStatuses,
} from '../../../../core/domain/payments/payment.js';
import {
  approved,
  invited,
  signedIn,
} from '../../../../core/domain/payments/payment-transitions.js';
import { START_MS, sampleFunds, samplePayment } from '../../../support/samples/sample-rows.js';

const NOW_MS = START_MS + 1_000;

function at(status: PaymentStatus, fields: Partial<Payment> = {}): PaymentAggregate {
  const invoice = { ...samplePayment, id: 'inv_1', origin: 'invoice' } as const;
  return { payment: { ...invoice, ...fields, status }, funds: sampleFunds };
}

function types({ events }: Change): readonly string[] {
  return events.map(({ type }) => type);
}

test('an approval says who gave it, and only invoice events follow', () => {
  const change = approved(at('awaiting_approval', { createdByMemberId: 'mem_1' }), 'mem_2', NOW_MS);
  assert.equal(change.payment.status, 'approved');
  assert.equal(change.payment.approvedByMemberId, 'mem_2');
  assert.deepEqual(types(change), ['invoice.approved']);
});

test('no member approves its own invoice, in any status', () => {
  for (const status of paymentStatuses) {
    const was = at(status, { createdByMemberId: 'mem_1' });
    assert.throws(() => approved(was, 'mem_1', NOW_MS), { code: 'SelfApprovalNotAllowed' }, status);
  }
});

test('an approved invoice stays as it is; past that an approval is late', () => {
  for (const status of paymentStatuses) {
    if (status === 'awaiting_approval') continue;
    const was = at(status, { approvedByMemberId: 'mem_2' });
    if (status === 'approved') {
      assert.equal(approved(was, 'mem_3', NOW_MS).payment, was.payment);
    } else {
      assert.throws(() => approved(was, 'mem_3', NOW_MS), { code: 'PaymentStateConflict' }, status);
    }
  }
});

test('an approved intent awaits its buyer: the integrator forwards the link', () => {
  const intent = { origin: 'payment_intent', id: 'pi_1' } as const;
  const was = at('awaiting_approval', { ...intent, createdByMemberId: 'mem_1' });
  assert.throws(() => approved(was, 'mem_1', NOW_MS), { code: 'SelfApprovalNotAllowed' });
  const change = approved(was, 'mem_2', NOW_MS);
  assert.equal(change.payment.status, 'awaiting_buyer');
  assert.deepEqual(types(change), [
    'payment_intent.approved',
    'invoice.approved',
    'payment_intent.awaiting_buyer',
    'invoice.awaiting_buyer',
  ]);
  const again = approved({ ...was, payment: change.payment }, 'mem_3', NOW_MS);
  assert.equal(again.payment, change.payment);
});

test('an invitation opens the page of an approved invoice', () => {
  const change = invited(at('approved'), NOW_MS);
  assert.deepEqual([change.payment.status, change.payment.invitedAtMs], ['awaiting_buyer', NOW_MS]);
  assert.deepEqual(types(change), ['invoice.awaiting_buyer']);
});

test('a repeated invitation changes nothing and creates no event', () => {
  const change = invited(at('awaiting_buyer', { invitedAtMs: START_MS }), NOW_MS);
  assert.deepEqual([change.payment.status, change.payment.invitedAtMs], ['awaiting_buyer', NOW_MS]);
  assert.deepEqual(types(change), []);
});

test('only approved and awaiting_buyer allow an invitation', () => {
  for (const status of paymentStatuses) {
    if (status === 'approved' || status === 'awaiting_buyer') continue;
    const was = at(status, { invitedAtMs: START_MS });
    assert.throws(() => invited(was, NOW_MS), { code: 'InvoiceNotApproved' }, status);
  }
});

test('an intent is not invited', () => {
  const intent = { payment: samplePayment, funds: sampleFunds };
  assert.throws(() => invited(intent, NOW_MS), { code: 'InvoiceNotApproved' });
});

test('a buyer who is approved already goes from the invitation straight to payment', () => {
  const change = signedIn(at('awaiting_buyer', { invitedAtMs: START_MS }), true, NOW_MS);
  assert.equal(change.payment.status, 'buyer_kyc_approved');
  assert.deepEqual(types(change), ['invoice.buyer_kyc_approved']);
});
