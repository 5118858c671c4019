// What decisions about money rely on, and which commands wait for a person.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money } from '../../../../core/domain/base/money.js';
import {
  type MoneyCommand,
  paidByHand,
  replacedRefund,
} from '../../../../core/domain/commands/partner-command.js';
import { decisionNames, decisionOf } from '../../../../core/domain/money-desk/decisions.js';
import {
  basisOf,
  isPayoutDecidable,
  isRefundableByHand,
  isResolvable,
  queueOf,
} from '../../../../core/domain/money-desk/money-decision.js';
import { aDeposit } from '../../../support/samples/deposit-samples.js';
import { T0 } from '../../../support/samples/domain-samples.js';
import { commandIn, commandOf } from '../../../support/samples/sample-rows.js';
import { MoneyScene } from '../../../support/scenes/money-scene.js';

const refusedRefund = commandOf('refund', 'back', { state: 'refused', refusal: 'no_refunds' });
const scene = MoneyScene.at('on_ramp_pending', []);

/** Each part of what a decision touches, with changes of it, and some that a poll makes. */
const touched = {
  command: {
    as: refusedRefund,
    changes: [{ state: 'void' }, { end: 'failed' }, { review: '{}' }, { amount: money(1n, 'USD') }],
    polls: [{ tries: 9 }, { version: 9 }, { lastError: 'x' }],
  },
  deposit: {
    as: aDeposit({ amount: money(5n, 'EUR') }),
    changes: [{ state: 'refunded' }, { end: 'returned' }, { amount: money(6n, 'EUR') }],
    polls: [{ version: 9 }, { dueAtMs: 9 }],
  },
  payment: {
    as: { payment: scene.payment, funds: scene.funds },
    changes: [
      { payment: { ...scene.payment, status: 'settled' } },
      { payment: { ...scene.payment, amount: money(10_001n, 'USD') } },
      { funds: { ...scene.funds, receivedMinor: 1n } },
      { funds: { ...scene.funds, position: 'received' } },
      { funds: { ...scene.funds, lossMinor: 1n } },
    ],
    polls: [{ payment: { ...scene.payment, version: 9 } }],
  },
} as const;

const rules = decisionNames.flatMap((name) =>
  Object.entries(decisionOf(name).of).map(
    ([subject, { touches }]) => [name, subject, touches] as const,
  ),
);

for (const [name, subject, parts] of rules) {
  test(`the basis of ${name} of a ${subject} changes with its parts, not with a poll`, () => {
    const known = {
      command: touched.command.as,
      deposit: touched.deposit.as,
      payment: touched.payment.as,
      destination: 'pix_1',
    };
    const basis = (changed: object) => basisOf(parts, { ...known, ...changed });
    for (const part of parts) {
      if (part === 'destination') {
        assert.notEqual(basis({ destination: null }), basis({}));
        continue;
      }
      const { as, changes, polls } = touched[part];
      for (const change of changes)
        assert.notEqual(basis({ [part]: { ...as, ...change } }), basis({}), JSON.stringify(part));
      for (const change of polls)
        assert.equal(basis({ [part]: { ...as, ...change } }), basis({}), part);
    }
  });
}

test('a basis is written in words', () => {
  const { deposit, payment } = touched;
  assert.equal(
    basisOf(['deposit', 'payment'], { deposit: deposit.as, payment: payment.as }),
    'waiting/completed, 0.05 EUR, payment on_ramp_pending, funds none, missing 100.00 USD',
  );
});

describe('where a command waits', () => {
  const ends = ['open', 'completed', 'failed', 'returned'] as const;
  for (const [name, command, expected] of [
    ...ends.map((end) => {
      const queue = end === 'failed' ? 'in_review' : null;
      return [`a payout ${end}`, commandOf('payout', 'o', { end }), queue] as const;
    }),
    ...ends.map((end) => {
      const queue = end === 'completed' ? null : 'owed';
      return [`a refund ${end}`, commandOf('refund', 'o', { end }), queue] as const;
    }),
    ...(['pending', 'sent', 'unknown', 'denied', 'refused', 'void'] as const).map((state) => {
      const queue = state === 'void' ? null : 'owed';
      const command = { ...commandIn[state], kind: 'refund' } as const;
      return [`a refund that is ${state}`, command, queue] as const;
    }),
    ['a payout in doubt', commandIn.unknown, null],
    ['a pay-in', commandOf('payin', 'o', { end: 'failed' }), null],
    ['a pay-in under review', commandOf('payin', 'o', { review: '{}' }), 'in_review'],
    ['a refund under review', commandOf('refund', 'o', { review: '{}' }), 'in_review'],
  ] as const) {
    test(name, () => assert.equal(queueOf(command), expected));
  }

  test('a person resolves a payout that failed, is late or has its report held', () => {
    assert.ok(isResolvable(commandOf('payout', 'o', { end: 'failed' })));
    assert.ok(isResolvable(commandOf('payout', 'o', { end: 'failed', review: '{}' })));
    assert.ok(isResolvable(commandOf('payout', 'o', { review: '{}' })));
    assert.ok(isResolvable(commandOf('payout', 'o', { lateAtMs: T0 })));
    assert.ok(!isResolvable(commandOf('payout', 'o')));
    assert.ok(!isResolvable(commandOf('payout', 'o', { end: 'completed', lateAtMs: T0 })));
    assert.ok(!isResolvable(commandOf('payin', 'o', { review: '{}' })));
  });

  test('who gets the money of a payout is decided once the partner refuses it or it is late', () => {
    const refusal = 'BANK_ACCOUNTS_INVALID';
    const out = (fields: Partial<MoneyCommand>) => ({ ...commandIn.unknown, ...fields });
    for (const [command, queue, isDecidable] of [
      [out({ state: 'pending' }), null, false],
      [out({ state: 'pending', refusal }), 'in_review', true],
      [out({ state: 'pending', lateAtMs: T0 }), 'in_review', true],
      [out({ state: 'refused', refusal, isUndecided: true }), 'in_review', true],
      [out({ state: 'refused', refusal }), null, false],
      [out({ state: 'denied', refusal }), 'in_review', false],
      [out({ state: 'sent', refusal }), 'in_review', false],
      [out({ state: 'unknown', lateAtMs: T0 }), 'in_review', false],
      [out({ state: 'void', refusal, lateAtMs: T0 }), null, false],
    ] as const) {
      const { state } = command;
      assert.deepEqual([queueOf(command), isPayoutDecidable(command)], [queue, isDecidable], state);
    }
  });
});

test('a refund that is paid by hand ends, and another command takes its place', () => {
  const name = { id: 'cmd_hand', reference: 'reference_of_hand' };
  for (const [state, over] of [
    ['refused', 'void'],
    ['pending', 'void'],
  ] as const) {
    const refund = commandOf('refund', 'back', { state, partnerRef: null });
    assert.ok(isRefundableByHand(refund));
    const { draft, paid } = paidByHand(refund, name, T0);
    assert.equal(replacedRefund(refund, T0).state, over);
    assert.equal(draft.state, 'void');
    assert.partialDeepStrictEqual(paid, {
      ...name,
      state: 'done',
      end: 'completed',
      amount: refund.amount,
      partnerRef: null,
      payinId: 'in',
      dueAtMs: null,
      request: null,
    });
  }
  for (const state of ['sent', 'unknown', 'denied', 'done', 'void'] as const) {
    assert.ok(!isRefundableByHand({ ...commandIn[state], kind: 'refund' }), state);
  }
});
