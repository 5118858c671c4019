import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ColleagueApproval,
  type ColleagueApprovalState,
  colleagueApprovalStates,
  lacksColleagueApproval,
  nextColleagueApproval,
} from '../../../../core/domain/payments/colleague-approval.js';

const approval: ColleagueApproval = {
  state: 'declined',
  email: 'cfo@buyer.example',
  askedAtMs: 1,
  decidedAtMs: 2,
  reason: 'Not “ours”',
};

test('each state takes these moves: nobody takes a request back, or a decision', () => {
  const matrix: Record<ColleagueApprovalState, Record<string, ColleagueApprovalState | null>> = {
    asked: { ask: 'asked', approve: 'approved', decline: 'declined' },
    declined: { ask: 'asked', approve: null, decline: null },
    approved: { ask: null, approve: null, decline: null },
  };
  for (const state of colleagueApprovalStates) {
    for (const move of ['ask', 'approve', 'decline'] as const) {
      assert.equal(nextColleagueApproval(state, move), matrix[state][move], `${state} ${move}`);
    }
  }
});

test('a payment lacks an approval if its buyer asked for one and has none', () => {
  assert.equal(lacksColleagueApproval({ colleagueApproval: null }), false);
  const lacking = colleagueApprovalStates.filter((state) =>
    lacksColleagueApproval({ colleagueApproval: { ...approval, state } }),
  );
  assert.deepEqual(lacking, ['asked', 'declined']);
});
