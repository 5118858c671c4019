// Buyers and the KYC submissions made for them: columns and SQL.
import {
  type Buyer,
  type KycSubmission,
  kycStatuses,
} from '../../../core/domain/parties/buyer-kyc.js';
import { dossierSubmitters } from '../../../core/domain/parties/identity-facts.js';
import { integer, mode, oneOf, party, tenant, text, time, version } from '../columns.js';
import { defineTable } from '../table.js';
import { type CachedJoin, type TxPart, writes } from '../unit-of-work.js';

export const buyers = defineTable<Buyer>('buyers', {
  mode: mode.key(),
  id: text('id').key(),
  email: text('email').fixed(),
  emailKey: text('email_key').fixed(),
  createdAtMs: time('created_at').fixed(),
});

export const submissions = defineTable<KycSubmission>('kyc_submissions', {
  ...tenant,
  id: text('id').key(),
  buyerId: text('buyer_id').fixed(),
  flowId: text.null('flow_id'),
  receiverId: text('receiver_id'),
  status: oneOf('status', kycStatuses),
  ...party,
  draftSealed: text.null('draft_sealed').sealed(),
  dossierSealed: text.null('dossier_sealed').sealed(),
  commandId: text.null('submit_command_id'),
  submittedBy: oneOf('submitted_by', dossierSubmitters),
  legalName: text.null('legal_name'),
  country: text.null('country'),
  bornHash: text.null('born_hash'),
  taxHash: text.null('tax_hash'),
  documentHash: text.null('document_hash'),
  factTries: integer('fact_tries'),
  submittedAtMs: time('submitted_at'),
  createdAtMs: time('created_at').fixed(),
  version,
});

/**
 * The current submission: the one that is not rejected (at most one), else the newest. Time alone
 * does not decide, because the clocks of hosts differ.
 */
export function currentSubmission(condition: string): string {
  return [
    `where ${condition}`,
    "order by status = 'rejected', created_at desc, id desc limit 1",
  ].join(' ');
}

const currentOfBuyer = currentSubmission('org_id = $1 and mode = $2 and buyer_id = $3');

const buyerByEmail: CachedJoin<Buyer> = {
  tables: [buyers],
  sql: 'select * from buyers where mode = $1 and email_key = $2',
  // A buyer never changes.
  on: {},
  read: buyers.read,
  expect: () => [],
};

/** A worker reads it for each answer of the partner. */
const submissionById: CachedJoin<KycSubmission> = {
  tables: [submissions],
  sql: submissions.selectByKey,
  on: { kyc_submissions: submissions.key },
  whole: { kyc_submissions: '' },
  read: submissions.read,
  expect: (submission) => [submissions.expect(submission)],
};

export const buyersPart: TxPart<'buyers'> = {
  ...writes(buyers),
  byEmail: (unit, mode, emailKey) => unit.firstCached(buyerByEmail, [mode, emailKey]),
  get: (unit, mode, id) => unit.byKey(buyers, [mode, id]),
  submission: (unit, { orgId, mode }, buyerId) =>
    unit.first(submissions, currentOfBuyer, [orgId, mode, buyerId]),
  submissionById: (unit, { orgId, mode }, id) =>
    unit.joinedByKey(submissionById, [orgId, mode, id]),
  approvedAnywhere: (unit, mode, buyerId) =>
    unit.first(
      submissions,
      [
        "where mode = $1 and buyer_id = $2 and status = 'approved'",
        'order by submitted_by desc, created_at desc, id desc limit 1',
      ].join(' '),
      [mode, buyerId],
    ),
  submissionByFlow: (unit, flowId) => unit.first(submissions, 'where flow_id = $1', [flowId]),
  approvedByPartnerRef: (unit, mode, partnerRef, limit) =>
    unit.all(submissions, "where mode = $1 and partner_ref = $2 and status = 'approved' limit $3", [
      mode,
      partnerRef,
      limit,
    ]),
  insertSubmission: (unit, submission) => unit.stage(submissions.insert(submission)),
  updateSubmission: (unit, submission) => unit.stage(submissions.update(submission)),
  expectSubmission: (unit, submission) => unit.stage(submissions.expect(submission)),
};
