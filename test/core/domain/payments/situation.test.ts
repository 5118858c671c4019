import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dashboardTexts } from '../../../../adapters/pages/dashboard/dashboard-texts.js';
import {
  type SituationFacts,
  situationTexts,
} from '../../../../adapters/pages/letters/situation-texts.js';
import { deadline } from '../../../../core/domain/base/deadline.js';
import { locales } from '../../../../core/domain/base/locale.js';
import { money } from '../../../../core/domain/base/money.js';
import { isShortPaid } from '../../../../core/domain/payments/change.js';
import { noFunds } from '../../../../core/domain/payments/funds.js';
import { paymentStatuses } from '../../../../core/domain/payments/payment.js';
import {
  awaitedStatuses,
  endOf,
  isBuyerAwaited,
  moneyStateOf,
  moneyStates,
  overdueDays,
  situationAmounts,
  situationNames,
  situationOf,
  situationTable,
} from '../../../../core/domain/payments/situation.js';

const tenant = { orgId: 'org_1', mode: 'test' } as const;
const amount = money(10_000n, 'GBP');
const none = noFunds({ ...tenant, id: 'pi_1', amount: { currency: 'GBP' } });
const open = { status: 'on_ramp_pending', amount, approvalLostAtMs: null } as const;

test('each status and each state of the money has a situation, and each situation is used', () => {
  const used = new Set<string>();
  for (const status of paymentStatuses) {
    for (const state of moneyStates) used.add(situationTable[status][state]);
  }
  assert.deepEqual([...used].toSorted(), [...situationNames].toSorted());
});

test('what the money is, by what arrived, what goes back and what was paid', () => {
  const at = (fields: Partial<typeof none>) =>
    moneyStateOf({ payment: open, funds: { ...none, ...fields } });
  const held = { position: 'received', receivedMinor: 10_000n } as const;
  assert.equal(at({}), 'none');
  assert.equal(at({ position: 'received', receivedMinor: 9_999n }), 'part');
  assert.equal(at(held), 'whole');
  assert.equal(at({ ...held, position: 'payout_ordered' }), 'paying_out');
  assert.equal(at({ ...held, position: 'paid' }), 'paid');
  assert.equal(at({ ...held, position: 'needs_review' }), 'review');
  assert.equal(at({ ...held, refund: 'needs_review' }), 'review');
  assert.equal(at({ ...held, refund: 'refund_owed', refundOwedMinor: 10_000n }), 'owed');
  const ordered = { refund: 'refund_ordered', refundOrderedMinor: 10_000n } as const;
  assert.equal(at({ ...held, ...ordered }), 'going_back');
  assert.equal(at({ ...held, refund: 'refunded', refundedMinor: 10_000n }), 'returned');
  const over = { ...held, receivedMinor: 12_000n, position: 'paid' } as const;
  assert.equal(at({ ...over, refund: 'refund_owed', refundOwedMinor: 2_000n }), 'surplus');
  assert.equal(at({ ...over, refund: 'refunded', refundedMinor: 2_000n }), 'surplus_returned');
});

test('what is missing counts what went back, and ends at zero', () => {
  const missing = (fields: Partial<typeof none>) =>
    situationAmounts({ payment: open, funds: { ...none, ...fields } }).missing.amountMinor;
  assert.equal(missing({}), 10_000n);
  assert.equal(missing({ receivedMinor: 9_900n }), 100n);
  assert.equal(missing({ receivedMinor: 9_900n, refundOwedMinor: 400n }), 500n);
  assert.equal(missing({ receivedMinor: 12_000n }), 0n);
});

test('a payment whose buyer lost its approval is with the operator until it is paid out', () => {
  const payment = { ...open, status: 'on_chain_confirmed', approvalLostAtMs: 1 } as const;
  const held = { ...none, position: 'received', receivedMinor: 10_000n } as const;
  assert.equal(situationOf({ payment, funds: held }), 'with_operator');
  const paid = { ...held, position: 'payout_ordered' } as const;
  assert.equal(situationOf({ payment, funds: paid }), 'paying_out');
});

test('a payment is overdue from the day after its due day, until the whole amount arrived', () => {
  const today = '2027-03-02';
  const late = { ...open, dueDate: '2027-02-22', coveredAtMs: null };
  assert.equal(overdueDays({ ...late, dueDate: null }, today), 0);
  assert.equal(overdueDays({ ...late, dueDate: today }, today), 0);
  assert.equal(overdueDays(late, today), 8);
  assert.equal(overdueDays({ ...late, coveredAtMs: 1 }, today), 0);
  for (const status of paymentStatuses) {
    assert.equal(overdueDays({ ...late, status }, today) > 0, awaitedStatuses.includes(status));
  }
});

test('an open payment ends with itself, or earlier with the bank details that the buyer has', () => {
  const amount = money(10_000n, 'GBP');
  const given = { rails: [], amount, reference: null, referenceRequired: false } as const;
  const details = (payByMs: number | null) => ({ ...given, holder: 'payee' as const, payByMs });
  for (const [status, expiresAtMs, payinInstructions, expected] of [
    ['on_ramp_pending', null, null, null],
    ['on_ramp_pending', 9, null, 9],
    ['on_ramp_pending', 9, details(null), 9],
    ['on_ramp_pending', 9, details(5), 5],
    ['on_ramp_pending', 3, details(5), 3],
    ['on_ramp_pending', null, details(5), 5],
    ['fx_quoted', 9, details(5), 9],
    ['fx_quoted', null, details(5), null],
  ] as const) {
    assert.equal(endOf({ status, expiresAtMs, payinInstructions }), expected);
  }
});

test('a buyer that is to pay, or to pay the rest, is awaited as its own page says', () => {
  const partly = { ...none, position: 'received', receivedMinor: 9_900n } as const;
  const back = { ...partly, refund: 'refund_owed', refundOwedMinor: 400n } as const;
  for (const funds of [partly, back]) {
    assert.equal(isShortPaid({ payment: open, funds }), true);
    assert.equal(situationOf({ payment: open, funds }), 'money_missing');
    assert.equal(isBuyerAwaited({ payment: open, funds }), true);
  }
  const whole = { ...partly, receivedMinor: 10_000n };
  assert.equal(isBuyerAwaited({ payment: open, funds: whole }), false);
  assert.equal(isBuyerAwaited({ payment: { ...open, approvalLostAtMs: 1 }, funds: partly }), false);
});

test('each situation has a sentence in each language, with its amount and without gaps', () => {
  const facts: SituationFacts = {
    buyer: 'BUYER',
    payee: 'PAYEE',
    amount: 'AMOUNT',
    received: 'RECEIVED',
    missing: 'MISSING',
    goesBack: 'BACK',
    wentBack: 'RETURNED',
    settled: 'BRL',
    settledOn: 'DAY',
    until: deadline(2, 1, 'UNTIL'),
    status: 'STATUS',
  };
  for (const locale of locales) {
    for (const status of paymentStatuses) {
      for (const state of moneyStates) {
        const { what, next, pill } = situationTexts[locale][situationTable[status][state]];
        const named = { ...facts, status: dashboardTexts[locale].status[status] };
        const over = { ...named, until: deadline(1, 2, 'UNTIL') };
        if (/UNTIL/.test(next(named))) assert.notEqual(next(over), next(named));
        const none = { ...named, settled: null, settledOn: null, until: null };
        for (const some of [named, over, none]) {
          assert.match(what(some), /^\S.*\.$/);
          assert.match(next(some), /^(\S.*\.)?$/);
          assert.doesNotMatch(`${what(some)} ${next(some)}`, /null|undefined| {2}|\.\./);
        }
        if (pill !== undefined) assert.ok(pill(named).length <= 60, pill(named));
      }
    }
    assert.match(situationTexts[locale].money_missing.what(facts), /RECEIVED.*MISSING/);
    assert.match(situationTexts[locale].money_missing.next(facts), /UNTIL/);
  }
});
