// Who decides, and what counts as the same decision: the rule of two operators over every kind of
// earlier proposal, and who may confirm one.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { developmentOperator } from '../../../../core/domain/base/actor.js';
import { money } from '../../../../core/domain/base/money.js';
import type { MoneyAction } from '../../../../core/domain/money-desk/decisions.js';
import {
  PROPOSAL_LIFE_MS,
  type Proposal,
  type ProposalState,
  proposalMoves,
  repeated,
  ruleOf,
  sortedJson,
  whyNotConfirmed,
} from '../../../../core/domain/money-desk/proposal.js';
import { readPixKey, shownPixKey } from '../../../../core/domain/parties/pix-key.js';
import { otherMode, T0, tenant } from '../../../support/samples/domain-samples.js';
import { operatorNamed } from '../../../support/samples/operator-samples.js';
import { aProposal } from '../../../support/samples/proposal-samples.js';

const action: MoneyAction = { verb: 'refund' };
const other: MoneyAction = { verb: 'returned' };
const proposed = aProposal({
  ...otherMode,
  action,
  evidence: 'wire',
  basis: 'as it was',
  state: 'proposed',
  expiresAtMs: T0 + PROPOSAL_LIFE_MS,
  endedById: null,
  endedBy: null,
  endedAtMs: null,
});
const ana = operatorNamed('ana');
const asked = {
  itemId: 'cmd_1',
  action,
  evidence: 'wire',
  basis: 'as it was',
  operator: operatorNamed('bia'),
  replace: false,
  registered: new Set([ana, operatorNamed('bia')].map(({ id }) => id)),
} as const;

function ruled(
  fields: Partial<Parameters<typeof ruleOf>[0]>,
  known = [proposed],
  item = otherMode,
) {
  const ruling = ruleOf({ ...asked, ...fields }, known, item, 'dec_2', T0 + 5);
  const ended = 'ended' in ruling ? (ruling.ended?.state ?? null) : null;
  const { id, number, state } = ruling.proposal;
  return [ruling.kind, `${id} ${number} ${state}`, ended];
}

describe('in live mode', () => {
  test('a proposal that has expired is void, and there is another one', () => {
    const expired = [{ ...proposed, expiresAtMs: T0 + 5 }];
    assert.deepEqual(ruled({}, expired), ['propose', 'dec_2 2 proposed', 'void']);
  });
  test('a proposal of a removed operator is void, and there is another one', () => {
    const registered = new Set([asked.operator.id]);
    assert.deepEqual(ruled({ registered }), ['propose', 'dec_2 2 proposed', 'void']);
  });

  test('a database without operators has no second one', () => {
    const alone = { operator: developmentOperator };
    assert.deepEqual(ruled(alone, []), ['execute', 'dec_2 1 done', null]);
  });

  for (const [name, fields, expected] of [
    ['the same by anybody waits', {}, ['waits', 'dec_1 1 proposed', null]],
    ['with --replace too', { replace: true }, ['waits', 'dec_1 1 proposed', null]],
    ['of the same operator too', { operator: ana }, ['waits', 'dec_1 1 proposed', null]],
    ['another action differs', { action: other }, ['differs', 'dec_1 1 proposed', null]],
    ['other evidence differs', { evidence: 'mail' }, ['differs', 'dec_1 1 proposed', null]],
    [
      'another action replaces',
      { action: other, replace: true },
      ['propose', 'dec_2 2 proposed', 'replaced'],
    ],
    [
      'by the same operator too',
      { action: other, replace: true, operator: ana },
      ['propose', 'dec_2 2 proposed', 'replaced'],
    ],
    ['of a changed item, it is void', { basis: 'new' }, ['propose', 'dec_2 2 proposed', 'void']],
    [
      'by another action too',
      { basis: 'new', action: other, operator: ana },
      ['propose', 'dec_2 2 proposed', 'void'],
    ],
    [
      'of another kind, both wait',
      { action: { verb: 'grant-production' } },
      ['propose', 'dec_2 2 proposed', null],
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
  const terminal = Object.entries(proposalMoves).filter(([, moves]) => !Object.keys(moves).length);
  const states: readonly ProposalState[] = ['done', 'replaced', 'withdrawn', 'void'];
  assert.deepEqual(
    terminal.map(([state]) => state),
    states,
  );
});

test('of a PIX key enough is shown to compare it, and no check digit of a CPF or CNPJ', () => {
  for (const [pixKey, shown] of [
    ['finance.dept@acme.example', 'fin…@acme.example'],
    ['a@acme.example', '…@acme.example'],
    ['+5511987650099', '+55…0099'],
    ['12345678000195', '123…01…'],
    ['52998224725', '529…47…'],
    ['529.982.247-25', '529…47…'],
    ['123e4567-e89b-12d3-a456-426614174000', '123…4000'],
  ]) {
    const key = readPixKey(`${pixKey}`, null);
    assert.equal(typeof key === 'string' ? key : shownPixKey(key), shown);
  }
});

test('a command repeats the last decision that was executed, and no other', () => {
  const done: Proposal = { ...proposed, state: 'done' };
  const later = { ...done, number: 2, evidence: 'mail' };
  assert.equal(repeated(asked, [done]), done);
  assert.equal(repeated(asked, [proposed]), null);
  assert.equal(repeated(asked, [done, later]), null);
  assert.equal(repeated({ ...asked, evidence: 'mail' }, [done, later]), later);
});

test('the same action has the same text, in any order of its fields', () => {
  const [settled, fees] = [money(1n, 'BRL'), money(2n, 'USD')];
  const paid: MoneyAction = { verb: 'paid', settled, fees, endToEndId: 'E1' };
  const again = { endToEndId: 'E1', fees, settled, verb: 'paid' } as const;
  assert.equal(sortedJson(paid), sortedJson(again));
  for (const change of [{ endToEndId: 'E2' }, { fees: settled }, { settled: money(2n, 'BRL') }]) {
    assert.notEqual(sortedJson(paid), sortedJson({ ...paid, ...change }));
  }
  const [one, two] = ['pi_1', 'pi_2'].map((paymentId) => sortedJson({ verb: 'assign', paymentId }));
  assert.notEqual(one, two);
});

describe('a proposal is confirmed', () => {
  const { operator, registered, basis } = asked;
  const confirming = { operator, registered, basis, nowMs: T0 + 5 };

  test('by another operator, as long as nothing has changed', () => {
    assert.equal(whyNotConfirmed(proposed, confirming), null);
  });

  for (const [name, fields, reason] of [
    ['not by who proposed it', { operator: ana }, /^You proposed it/],
    ['not once it has expired', { nowMs: T0 + PROPOSAL_LIFE_MS }, /^The proposal has expired/],
    ['not once its item has changed', { basis: 'new' }, /^The item has changed since ana/],
    ['not once its proposer was removed', { registered: new Set<string>() }, /is void: ana/],
  ] as const) {
    test(name, () => {
      assert.match(`${whyNotConfirmed(proposed, { ...confirming, ...fields })}`, reason);
    });
  }

  test('once', () => {
    for (const state of ['done', 'replaced', 'void'] as const) {
      const reason = whyNotConfirmed({ ...proposed, state }, confirming);
      assert.equal(reason, `The proposal dec_1 is ${state}.`);
    }
  });
});
