import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  adopted,
  awaitsDossier,
  decideSubmission,
  emailKey,
  isInFlightOrApproved,
  type KycMove,
  type KycStatus,
  type KycSubmission,
  kycMoves,
  nextKycStatus,
  readEmail,
  withdrawn,
} from '../../../core/domain/buyer-kyc.js';
import { nothingDue } from '../../../core/domain/party-due.js';
import { readableEmails, unreadableEmails } from '../../support/emails.js';
import { START_MS } from '../../support/sample-rows.js';

const none = { submit: null, approve: null, reject: null, adopt: null, pause: null };
const matrix: Record<KycStatus, Record<KycMove, KycStatus | null>> = {
  not_started: { ...none, submit: 'verifying', adopt: 'approved' },
  pending: { ...none, submit: 'verifying', adopt: 'approved' },
  verifying: {
    ...none,
    ...{ submit: 'verifying', approve: 'approved', reject: 'rejected', adopt: 'approved' },
  },
  approved: { ...none, reject: 'rejected', pause: 'verifying' },
  rejected: none,
};
const statuses = Object.keys(matrix) as readonly KycStatus[];

const verifying: KycSubmission = Object.freeze({
  orgId: 'org_1',
  mode: 'test',
  id: 'kyc_1',
  buyerId: 'byr_1',
  receiverId: 'rcv_1',
  status: 'verifying',
  partnerRef: 'partner_1',
  reason: null,
  flowId: null,
  tosId: null,
  draftSealed: null,
  dossierSealed: null,
  ...nothingDue,
  submitCommandId: null,
  submittedAtMs: START_MS,
  approvedAtMs: null,
  rejectedAtMs: null,
  createdAtMs: START_MS,
  version: 1,
});

test('every submission status and move is as the table says, and no other move is made', () => {
  assert.deepEqual(Object.keys(kycMoves), statuses);
  for (const status of statuses) {
    for (const [move, expected] of Object.entries(matrix[status])) {
      assert.equal(nextKycStatus(status, move as KycMove), expected, `${status} ${move}`);
    }
    for (const move of Object.keys(kycMoves[status])) assert.ok(move in matrix[status]);
  }
});

test('an e-mail address is read without white space around it, or not at all', () => {
  for (const [given, kept] of readableEmails) assert.equal(readEmail(given), kept, given);
  for (const email of unreadableEmails) assert.equal(readEmail(email), null, email);
});

/** What a new start does with a submission: answer with it, give it the dossier, begin another. */
const starts: Record<KycStatus, readonly [withDraft: string, withoutDraft: string]> = {
  not_started: ['join', 'join'],
  pending: ['join', 'join'],
  verifying: ['join', 'answer'],
  approved: ['answer', 'answer'],
  rejected: ['begin', 'begin'],
};

test('a start answers with what the partner has, joins what awaits its dossier, else begins', () => {
  for (const status of statuses) {
    const found = ['draft', null].map((draftSealed) => {
      const submission = { status, draftSealed };
      assert.ok(!(isInFlightOrApproved(submission) && awaitsDossier(submission)));
      if (awaitsDossier(submission)) return 'join';
      return isInFlightOrApproved(submission) ? 'answer' : 'begin';
    });
    assert.deepEqual(found, starts[status], status);
  }
});

test('after rejected a submission stays as it is: a new start opens a fresh one', () => {
  const rejected = decideSubmission(verifying, 'reject', 'document unreadable', START_MS + 1);
  assert.equal(rejected.status, 'rejected');
  assert.equal(decideSubmission(rejected, 'approve', null, START_MS + 2), rejected);
  assert.equal(decideSubmission(rejected, 'reject', 'again', START_MS + 2), rejected);
  assert.equal(isInFlightOrApproved(rejected), false);
});

test('a decision records time and reason, and its repeat changes nothing', () => {
  const approved = decideSubmission(verifying, 'approve', null, START_MS + 1);
  assert.deepEqual(approved, { ...verifying, status: 'approved', approvedAtMs: START_MS + 1 });
  assert.equal(decideSubmission(approved, 'approve', null, START_MS + 2), approved);
  const rejected = decideSubmission(verifying, 'reject', 'document unreadable', START_MS + 1);
  const decision = { status: 'rejected', reason: 'document unreadable' } as const;
  assert.deepEqual(rejected, { ...verifying, ...decision, rejectedAtMs: START_MS + 1 });
  assert.ok(Object.isFrozen(approved) && Object.isFrozen(rejected));
});

test('an approval that the partner takes back turns the record rejected', () => {
  const approved = decideSubmission(verifying, 'approve', null, START_MS + 1);
  const taken = decideSubmission(approved, 'reject', 'sanctions list', START_MS + 2);
  assert.partialDeepStrictEqual(taken, { status: 'rejected', approvedAtMs: START_MS + 1 });
  assert.partialDeepStrictEqual(taken, { rejectedAtMs: START_MS + 2, reason: 'sanctions list' });
});

test('an adopted approval depends on its party, and its revocation has no own time', () => {
  const source = { ...verifying, orgId: 'org_2', id: 'kyc_2', partnerRef: 'partner_2' };
  const copy = adopted({ ...verifying, draftSealed: 'draft' }, source, START_MS + 1);
  const expected = { status: 'approved', approvedAtMs: START_MS + 1, partnerRef: 'partner_2' };
  assert.deepEqual(copy, { ...verifying, ...expected });
  const taken = withdrawn(copy);
  assert.deepEqual([taken.status, taken.reason, taken.rejectedAtMs], ['rejected', null, null]);
  assert.equal(withdrawn(taken), taken);
  assert.ok(Object.isFrozen(copy) && Object.isFrozen(taken));
});

test('law: no order of decisions makes a rejected submission anything else', () => {
  const decisions = fc.array(fc.constantFrom('approve' as const, 'reject' as const));
  fc.assert(
    fc.property(decisions, (order) => {
      let submission = verifying;
      for (const [index, decision] of order.entries()) {
        submission = decideSubmission(submission, decision, null, START_MS + index);
      }
      const [first] = order;
      const expected = order.includes('reject') ? 'rejected' : first ? 'approved' : 'verifying';
      assert.equal(submission.status, expected);
    }),
  );
});

test('addresses are compared lower-cased and trimmed', () => {
  const same = ['buyer@example.com', ' Buyer@Example.COM', 'BUYER@EXAMPLE.COM\n'];
  assert.deepEqual([...new Set(same.map(emailKey))], ['buyer@example.com']);
  assert.notEqual(emailKey('buyer+1@example.com'), emailKey('buyer@example.com'));
});
