// Who decides about money, and what counts as the same decision: the rule of two operators over
// every kind of earlier proposal, and which commands wait for a person.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money } from '../../../../core/domain/base/money.js';
import {
  basisOf,
  type DecisionState,
  decisionMoves,
  isPayoutInReview,
  isRefundableByHand,
  type MoneyAction,
  type MoneyDecision,
  paidByHand,
  queueOf,
  repeated,
  ruleOf,
  writeAction,
} from '../../../../core/domain/money-desk/money-decision.js';
import { aDecision } from '../../../support/samples/decision-samples.js';
import { aDeposit } from '../../../support/samples/deposit-samples.js';
import { otherMode, T0, tenant } from '../../../support/samples/domain-samples.js';
import { commandIn, commandOf } from '../../../support/samples/sample-rows.js';

const action: MoneyAction = { verb: 'refund' };
const other: MoneyAction = { verb: 'resolve', found: 'returned' };
const proposed = aDecision({
  ...otherMode,
  action,
  evidence: 'wire',
  basis: 'as it was',
  state: 'proposed',
  endedBy: null,
  endedAtMs: null,
});
const asked = {
  itemId: 'cmd_1',
  action,
  evidence: 'wire',
  basis: 'as it was',
  operator: 'bia',
  replace: false,
} as const;

function ruled(
  fields: Partial<Parameters<typeof ruleOf>[0]>,
  known = [proposed],
  item = otherMode,
) {
  const ruling = ruleOf({ ...asked, ...fields }, known, item, 'dec_2', T0 + 5);
  const ended = 'ended' in ruling ? (ruling.ended?.state ?? null) : null;
  const { id, number, state } = ruling.decision;
  return [ruling.kind, `${id} ${number} ${state}`, ended];
}

describe('in live mode', () => {
  for (const [name, fields, expected] of [
    ['another operator confirms', {}, ['execute', 'dec_1 1 done', null]],
    ['with --replace too', { replace: true }, ['execute', 'dec_1 1 done', null]],
    ['the same operator waits', { operator: 'ana' }, ['waits', 'dec_1 1 proposed', null]],
    ['in capitals too', { operator: 'ANA' }, ['waits', 'dec_1 1 proposed', null]],
    ['another action differs', { action: other }, ['differs', 'dec_1 1 proposed', null]],
    ['other evidence differs', { evidence: 'mail' }, ['differs', 'dec_1 1 proposed', null]],
    [
      'another action replaces',
      { action: other, replace: true },
      ['propose', 'dec_2 2 proposed', 'replaced'],
    ],
    [
      'of the same operator too',
      { action: other, replace: true, operator: 'ana' },
      ['propose', 'dec_2 2 proposed', 'replaced'],
    ],
    ['of a changed item, it is void', { basis: 'new' }, ['propose', 'dec_2 2 proposed', 'void']],
    [
      'by another action too',
      { basis: 'new', action: other, operator: 'ana' },
      ['propose', 'dec_2 2 proposed', 'void'],
    ],
  ] as const) {
    test(`a proposal waits: ${name}`, () => assert.deepEqual(ruled(fields), expected));
  }

  for (const state of ['done', 'replaced', 'void'] as const) {
    test(`after a decision that is ${state} there is another proposal`, () => {
      const over = { ...proposed, state, endedBy: 'eva', endedAtMs: T0 };
      assert.deepEqual(ruled({}, [over]), ['propose', 'dec_2 2 proposed', null]);
    });
  }
});

test('in test mode a decision is executed at once', () => {
  assert.deepEqual(ruled({}, [], tenant), ['execute', 'dec_2 1 done', null]);
  const over = { ...proposed, ...tenant, state: 'done', endedBy: 'ana', endedAtMs: T0 } as const;
  assert.deepEqual(ruled({}, [over], tenant), ['execute', 'dec_2 2 done', null]);
});

test('a decision that has ended stays', () => {
  const terminal = Object.entries(decisionMoves).filter(([, moves]) => !Object.keys(moves).length);
  const states: readonly DecisionState[] = ['done', 'replaced', 'void'];
  assert.deepEqual(
    terminal.map(([state]) => state),
    states,
  );
});

test('a command repeats the last decision that was executed, and no other', () => {
  const done: MoneyDecision = { ...proposed, state: 'done' };
  const later = { ...done, number: 2, evidence: 'mail' };
  assert.equal(repeated(asked, [done]), done);
  assert.equal(repeated(asked, [proposed]), null);
  assert.equal(repeated(asked, [done, later]), null);
  assert.equal(repeated({ ...asked, evidence: 'mail' }, [done, later]), later);
});

test('the same action has the same text, in any order of its fields', () => {
  const [settled, fees] = [money(1n, 'BRL'), money(2n, 'USD')];
  const paid: MoneyAction = { verb: 'resolve', found: 'paid', settled, fees, endToEndId: 'E1' };
  const again = { endToEndId: 'E1', fees, settled, found: 'paid', verb: 'resolve' } as const;
  assert.equal(writeAction(paid), writeAction(again));
  for (const change of [{ endToEndId: 'E2' }, { fees: settled }, { settled: money(2n, 'BRL') }]) {
    assert.notEqual(writeAction(paid), writeAction({ ...paid, ...change }));
  }
  const [one, two] = ['pi_1', 'pi_2'].map((paymentId) =>
    writeAction({ verb: 'assign', paymentId }),
  );
  assert.notEqual(one, two);
});

test('the basis names what a decision relies on, and nothing that a poll changes', () => {
  const command = commandOf('payout', 'out', { end: 'failed' });
  assert.equal(basisOf(command), 'done/failed, 100.00 USD');
  assert.equal(basisOf({ ...command, review: '{}' }), 'done/failed, 100.00 USD, report 44136fa3');
  assert.equal(basisOf({ ...command, tries: 9, version: 9, lastError: 'x' }), basisOf(command));
  assert.equal(basisOf(aDeposit({ amount: money(5n, 'EUR') })), 'waiting/completed, 0.05 EUR');
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

  test('a person resolves a payout that failed, not one whose report is held', () => {
    assert.ok(isPayoutInReview(commandOf('payout', 'o', { end: 'failed' })));
    assert.ok(isPayoutInReview(commandOf('payout', 'o', { end: 'failed', review: '{}' })));
    assert.ok(!isPayoutInReview(commandOf('payout', 'o', { review: '{}' })));
    assert.ok(!isPayoutInReview(commandOf('payout', 'o')));
    assert.ok(!isPayoutInReview(commandOf('payin', 'o', { review: '{}' })));
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
    const { ended, draft, paid } = paidByHand(refund, name, T0);
    assert.equal(ended.state, over);
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
