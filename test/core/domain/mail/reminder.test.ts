// When the buyer of an invoice is reminded, and in which states.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, formatInstant } from '../../../../core/domain/base/instant.js';
import {
  isUnpaid,
  nextReminderAtMs,
  reminderCause,
} from '../../../../core/domain/mail/reminder.js';
import type { Funds } from '../../../../core/domain/payments/funds.js';
import { type Payment, paymentStatuses } from '../../../../core/domain/payments/payment.js';
import { awaitedStatuses } from '../../../../core/domain/payments/situation.js';
import { sampleFunds, samplePayment } from '../../../support/samples/sample-rows.js';

const at = (text: string) => Date.parse(text);
const remindAtMs = at('2030-02-25T14:00:00Z');

function stateOf(payment: Partial<Payment> = {}, funds: Partial<Funds> = {}) {
  const open = { status: 'awaiting_buyer', invitedAtMs: 1, remindAtMs } as const;
  return {
    payment: { ...samplePayment, origin: 'invoice' as const, ...open, ...payment },
    funds: { ...sampleFunds, ...funds },
  };
}

test('a reminder is due three days before the due date, and on the day', () => {
  const dueDate = '2030-02-28';
  const cases = [
    ['2030-01-01T00:00:00Z', '2030-02-25T14:00:00.000Z'],
    ['2030-02-25T14:00:00Z', '2030-02-28T14:00:00.000Z'],
    ['2030-02-28T13:59:59Z', '2030-02-28T14:00:00.000Z'],
    ['2030-02-28T14:00:00Z', null],
  ] as const;
  for (const [after, expected] of cases) {
    const nextMs = nextReminderAtMs(dueDate, at(after));
    assert.equal(nextMs === null ? null : formatInstant(nextMs), expected);
  }
  assert.equal(nextReminderAtMs(null, 0), null);
});

test('a buyer is reminded while it was asked, and the money or a part of it is awaited', () => {
  for (const status of paymentStatuses) {
    assert.equal(isUnpaid(stateOf({ status })), awaitedStatuses.includes(status), status);
  }
  const waiting = { status: 'on_ramp_pending' } as const;
  const here = (receivedMinor: bigint) => ({ position: 'received', receivedMinor }) as const;
  assert.equal(isUnpaid(stateOf(waiting, here(samplePayment.amount.amountMinor - 1n))), true);
  assert.equal(isUnpaid(stateOf(waiting, here(samplePayment.amount.amountMinor))), false);
  assert.equal(isUnpaid(stateOf({ invitedAtMs: null })), false);
  assert.equal(isUnpaid(stateOf({}, here(1n))), false, 'it is early');
  const isLost = { status: 'fx_quoted', approvalLostAtMs: 1 } as const;
  assert.equal(isUnpaid(stateOf(isLost)), false);
});

test('an occasion has one cause; one that is a day late, or follows an invitation, has none', () => {
  const cause = `reminder:${samplePayment.id}:${remindAtMs}`;
  assert.equal(reminderCause(stateOf(), remindAtMs), cause);
  assert.equal(reminderCause(stateOf(), remindAtMs + DAY_MS - 1), cause);
  assert.equal(reminderCause(stateOf(), remindAtMs + DAY_MS), null);
  assert.equal(reminderCause(stateOf(), remindAtMs - 1), null);
  const invitedAtMs = remindAtMs - DAY_MS + 1;
  assert.equal(reminderCause(stateOf({ invitedAtMs }), remindAtMs), null);
  assert.equal(reminderCause(stateOf({ invitedAtMs: invitedAtMs - 1 }), remindAtMs), cause);
});
