// What all parties have in common: their states, a submission, a report, the terms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  areTermsUsed,
  decided,
  isDecision,
  isSubmitted,
  newParty,
  nextPartyStatus,
  type Party,
  type PartyMove,
  type PartyStatus,
  partyMoves,
  partyStatuses,
  reported,
  submitted,
  withTerms,
} from '../../../../core/domain/parties/party.js';
import { nothingDue } from '../../../../core/domain/parties/party-due.js';
import { START_MS } from '../../../support/samples/sample-rows.js';

const moves = ['submit', 'approve', 'reject', 'overrule', 'adopt', 'pause'] as const;
const matrix: Record<keyof typeof partyMoves, Partial<Record<PartyMove, PartyStatus>>> = {
  none: { submit: 'verifying', adopt: 'approved' },
  verifying: { approve: 'approved', reject: 'rejected', overrule: 'approved', adopt: 'approved' },
  approved: { reject: 'rejected', pause: 'verifying' },
  rejected: { submit: 'verifying', overrule: 'approved' },
};

/** Before the first submission, in the words of each kind. */
const unsubmitted = [null, 'created', 'not_started', 'pending'] as const;

const verifying: Party = { ...newParty, status: 'verifying', commandId: 'cmd_1' };
const known: Party = { ...verifying, partnerRef: 're_1', tosId: 'tos_1' };
const approved = decided(known, 'approve', null, START_MS);
const due = { corrections: '[{"field":"tosId","reason":""}]', answerByMs: 9 };

function report(
  status: Parameters<typeof reported>[1]['status'],
  partnerRef: string | null = 're_1',
  reason: string | null = null,
) {
  return { status, partnerRef, reason };
}

test('every status and move of a party is as the table says, and no other move is made', () => {
  assert.deepEqual(Object.keys(partyMoves), Object.keys(matrix));
  assert.deepEqual(partyStatuses, ['verifying', 'approved', 'rejected']);
  for (const move of moves) {
    for (const status of unsubmitted) {
      assert.equal(nextPartyStatus(status, move), matrix.none[move] ?? null, `${status} ${move}`);
    }
    for (const status of partyStatuses) {
      assert.equal(
        nextPartyStatus(status, move),
        matrix[status][move] ?? null,
        `${status} ${move}`,
      );
    }
  }
});

test('a party is submitted while it is verifying or approved', () => {
  const statuses = [...unsubmitted, ...partyStatuses];
  assert.deepEqual(statuses.filter(isSubmitted), ['verifying', 'approved']);
});

test('a submission after a rejection is a new party, with nothing of the one before but its terms', () => {
  for (const status of [...unsubmitted, 'rejected'] as const) {
    const was = { ...approved, ...due, status, reason: 'so', rejectedAtMs: START_MS };
    assert.deepEqual(submitted(was, 'cmd_2'), {
      ...newParty,
      status: 'verifying',
      commandId: 'cmd_2',
      tosId: 'tos_1',
    });
  }
});

test('an answer keeps the party as it is, and then nothing is due', () => {
  for (const was of [known, approved]) {
    assert.deepEqual(submitted({ ...was, ...due }, 'cmd_2'), { ...was, commandId: 'cmd_2' });
  }
});

test('a party keeps its first id, until the partner approves it under another one', () => {
  assert.deepEqual(reported(verifying, report('verifying'), START_MS), {
    ...verifying,
    partnerRef: 're_1',
  });
  for (const status of ['verifying', 'paused', 'rejected'] as const) {
    assert.equal(reported(known, report(status, 're_2'), START_MS).partnerRef, 're_1', status);
  }
  assert.equal(reported(known, report('approved', 're_2'), START_MS).partnerRef, 're_2');
  assert.equal(reported(approved, report('approved', 're_2'), START_MS).partnerRef, 're_2');
});

test('a report decides once, with its reason and time; its repeat changes nothing', () => {
  const taken = reported(approved, report('rejected', null, 'sanctions list'), START_MS + 1);
  assert.deepEqual(taken, {
    ...approved,
    status: 'rejected',
    reason: 'sanctions list',
    rejectedAtMs: START_MS + 1,
    tosId: null,
  });
  assert.equal(reported(approved, report('approved'), START_MS + 2), approved);
  assert.equal(reported(approved, report('verifying'), START_MS + 2), approved, 'a late report');
  for (const status of ['approved', 'rejected', 'paused'] as const) {
    assert.equal(reported(taken, report(status), START_MS + 2), taken, status);
  }
  const paused = reported(approved, report('paused'), START_MS + 2);
  assert.deepEqual(paused, { ...approved, status: 'verifying' });
  assert.ok(Object.isFrozen(taken) && Object.isFrozen(approved) && Object.isFrozen(paused));
});

test('a decision is a change to approved or rejected, also one that is taken back', () => {
  const rejected = decided(approved, 'reject', null, START_MS);
  assert.deepEqual([isDecision(known, approved), isDecision(approved, rejected)], [true, true]);
  assert.deepEqual([isDecision(approved, approved), isDecision(approved, known)], [false, false]);
});

test('a rejection leaves nothing due; an approval says itself what is', () => {
  const [one, other] = (['reject', 'approve'] as const).map((move) =>
    decided({ ...known, ...due }, move, null, START_MS),
  );
  assert.equal(one?.corrections, nothingDue.corrections);
  assert.equal(other?.corrections, due.corrections);
});

test('terms serve one party: a rejected one that the partner knew or whose terms it refused', () => {
  for (const [partnerRef, reason, areUsed] of [
    ['re_1', null, true],
    [null, 'tosId', true],
    [null, 'so', false],
  ] as const) {
    const rejected = decided({ ...known, partnerRef }, 'reject', reason, START_MS);
    assert.equal(rejected.tosId, areUsed ? null : 'tos_1');
    assert.equal(areTermsUsed(rejected), areUsed);
    assert.equal(areTermsUsed({ ...rejected, status: 'verifying' }), false);
  }
});

test('the first terms stay, unless the partner asks for others', () => {
  const bound = withTerms(verifying, 'tos_1');
  assert.deepEqual(bound, { ...verifying, tosId: 'tos_1' });
  for (const again of ['tos_1', null]) assert.equal(withTerms(bound, again), bound);
  assert.throws(() => withTerms(bound, 'tos_2'), { code: 'TosIdMismatch' });
  assert.equal(withTerms({ ...bound, ...due }, 'tos_2').tosId, 'tos_2');
});

test('law: no command of reports makes a rejected party anything else', () => {
  const reports = fc.array(fc.constantFrom('approved', 'rejected', 'paused', 'verifying'));
  fc.assert(
    fc.property(reports, (order) => {
      let party = known;
      for (const status of order) party = reported(party, report(status), START_MS);
      assert.equal(party.status === 'rejected', order.includes('rejected'));
    }),
  );
});
