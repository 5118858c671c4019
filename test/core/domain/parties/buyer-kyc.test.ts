import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  adopted,
  awaitsDossier,
  isInFlightOrApproved,
  type KycStatus,
  type KycSubmission,
  kycStatuses,
  withdrawnSubmission,
} from '../../../../core/domain/parties/buyer-kyc.js';
import { noFacts } from '../../../../core/domain/parties/identity-facts.js';
import { newParty } from '../../../../core/domain/parties/party.js';
import { START_MS } from '../../../support/samples/sample-rows.js';

const verifying: KycSubmission = Object.freeze({
  orgId: 'org_1',
  mode: 'test',
  id: 'kyc_1',
  buyerId: 'byr_1',
  receiverId: 'rcv_1',
  ...newParty,
  ...noFacts,
  status: 'verifying',
  partnerRef: 'partner_1',
  flowId: null,
  draftSealed: null,
  dossierSealed: null,
  submittedAtMs: START_MS,
  createdAtMs: START_MS,
  version: 1,
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
  for (const status of kycStatuses) {
    const found = ['draft', null].map((draftSealed) => {
      const submission = { status, draftSealed };
      assert.ok(!(isInFlightOrApproved(submission) && awaitsDossier(submission)));
      if (awaitsDossier(submission)) return 'join';
      return isInFlightOrApproved(submission) ? 'answer' : 'begin';
    });
    assert.deepEqual(found, starts[status], status);
  }
});

test('an adopted approval depends on its party, and its revocation has no own time', () => {
  const source = { ...verifying, orgId: 'org_2', id: 'kyc_2', partnerRef: 'partner_2' };
  const copy = adopted({ ...verifying, draftSealed: 'draft' }, source, START_MS + 1);
  const expected = { status: 'approved', approvedAtMs: START_MS + 1, partnerRef: 'partner_2' };
  assert.deepEqual(copy, { ...verifying, ...expected, submittedBy: 'person' });
  const taken = withdrawnSubmission(copy);
  assert.deepEqual([taken.status, taken.reason, taken.rejectedAtMs], ['rejected', null, null]);
  assert.equal(withdrawnSubmission(taken), taken);
  assert.ok(Object.isFrozen(copy) && Object.isFrozen(taken));
});
