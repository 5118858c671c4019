import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  lacksSecondApproval,
  nextSecondApproval,
  readSecondApproval,
  type SecondApproval,
  type SecondApprovalState,
  secondApprovalStates,
  writeSecondApproval,
} from '../../../../core/domain/payments/second-approval.js';

const approval: SecondApproval = {
  state: 'declined',
  email: 'cfo@buyer.example',
  askedAtMs: 1,
  decidedAtMs: 2,
  reason: 'Not “ours”',
};

test('each state takes these moves: nobody takes a request back, or a decision', () => {
  const matrix: Record<SecondApprovalState, Record<string, SecondApprovalState | null>> = {
    asked: { ask: 'asked', approve: 'approved', decline: 'declined' },
    declined: { ask: 'asked', approve: null, decline: null },
    approved: { ask: null, approve: null, decline: null },
  };
  for (const state of secondApprovalStates) {
    for (const move of ['ask', 'approve', 'decline'] as const) {
      assert.equal(nextSecondApproval(state, move), matrix[state][move], `${state} ${move}`);
    }
  }
});

test('a payment lacks an approval if its buyer asked for one and has none', () => {
  assert.equal(lacksSecondApproval({ secondApproval: null }), false);
  const lacking = secondApprovalStates.filter((state) =>
    lacksSecondApproval({ secondApproval: { ...approval, state } }),
  );
  assert.deepEqual(lacking, ['asked', 'declined']);
});

test('it is read as it was written', () => {
  assert.deepEqual(readSecondApproval(writeSecondApproval(approval)), approval);
});
