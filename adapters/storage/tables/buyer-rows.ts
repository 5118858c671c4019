// Buyers and the KYC submissions made for them: columns, rows and SQL.
import {
  type Buyer,
  type KycStatus,
  type KycSubmission,
  kycMoves,
} from '../../../core/domain/buyer-kyc.js';
import type { Tx } from '../../../core/ports.js';
import { time } from '../database.js';
import {
  integer,
  modeOf,
  oneOf,
  tenantColumns,
  text,
  textOrNull,
  timeMs,
  timeMsOrNull,
} from '../row.js';
import { defineTable } from '../table.js';
import type { UnitOfWork } from '../unit-of-work.js';

export const kycStatuses = Object.keys(kycMoves) as readonly KycStatus[];

export const buyers = defineTable<Buyer>({
  name: 'buyers',
  key: { mode: (buyer) => buyer.mode, id: (buyer) => buyer.id },
  fixed: {
    email: (buyer) => buyer.email,
    email_key: (buyer) => buyer.emailKey,
    created_at: (buyer) => time(buyer.createdAtMs),
  },
  changing: {},
  version: null,
  read: (row) =>
    Object.freeze({
      id: text(row, 'id'),
      mode: modeOf(row),
      email: text(row, 'email'),
      emailKey: text(row, 'email_key'),
      createdAtMs: timeMs(row, 'created_at'),
    }),
});

export const submissions = defineTable<KycSubmission>({
  name: 'kyc_submissions',
  key: {
    org_id: (submission) => submission.orgId,
    mode: (submission) => submission.mode,
    id: (submission) => submission.id,
  },
  fixed: {
    buyer_id: (submission) => submission.buyerId,
    flow_id: (submission) => submission.flowId,
    created_at: (submission) => time(submission.createdAtMs),
  },
  changing: {
    receiver_id: (submission) => submission.receiverId,
    status: (submission) => submission.status,
    partner_ref: (submission) => submission.partnerRef,
    reason: (submission) => submission.reason,
    tos_id: (submission) => submission.tosId,
    draft_sealed: (submission) => submission.draftSealed,
    submitted_at: (submission) => time(submission.submittedAtMs),
    approved_at: (submission) => time(submission.approvedAtMs),
    rejected_at: (submission) => time(submission.rejectedAtMs),
  },
  version: (submission) => submission.version,
  sealed: 'draft_sealed',
  read: (row) =>
    Object.freeze({
      ...tenantColumns(row),
      id: text(row, 'id'),
      buyerId: text(row, 'buyer_id'),
      flowId: textOrNull(row, 'flow_id'),
      receiverId: text(row, 'receiver_id'),
      status: oneOf(row, 'status', kycStatuses),
      partnerRef: textOrNull(row, 'partner_ref'),
      reason: textOrNull(row, 'reason'),
      tosId: textOrNull(row, 'tos_id'),
      draftSealed: textOrNull(row, 'draft_sealed'),
      submittedAtMs: timeMs(row, 'submitted_at'),
      approvedAtMs: timeMsOrNull(row, 'approved_at'),
      rejectedAtMs: timeMsOrNull(row, 'rejected_at'),
      createdAtMs: timeMs(row, 'created_at'),
      version: integer(row, 'version'),
    }),
});

/**
 * The submission that counts: the one that is not rejected, of which there is one at most, else the
 * newest. Time alone does not decide: hosts' clocks differ.
 */
export function currentSubmission(columns: string, condition: string): string {
  return [
    // SQLite would rather go through all submissions of the tenant by their key.
    `select ${columns} from kyc_submissions indexed by kyc_submissions_of_buyer where ${condition}`,
    "order by status = 'rejected', created_at desc, id desc limit 1",
  ].join(' ');
}

export function buyersOf(unit: UnitOfWork): Tx['buyers'] {
  return {
    byEmail: (mode, emailKey) =>
      unit.first(buyers, 'select * from buyers where mode = $1 and email_key = $2', [
        mode,
        emailKey,
      ]),
    get: (mode, id) =>
      unit.byKey(buyers, [mode, id], 'select * from buyers where mode = $1 and id = $2', [
        mode,
        id,
      ]),
    insert: (buyer) => unit.stage(buyers.insert(buyer)),
    submission: ({ orgId, mode }, buyerId) =>
      unit.first(
        submissions,
        currentSubmission('*', 'org_id = $1 and mode = $2 and buyer_id = $3'),
        [orgId, mode, buyerId],
      ),
    submissionById: ({ orgId, mode }, id) =>
      unit.byKey(
        submissions,
        [orgId, mode, id],
        'select * from kyc_submissions where org_id = $1 and mode = $2 and id = $3',
        [orgId, mode, id],
      ),
    approvedAnywhere: (mode, buyerId) =>
      unit.first(
        submissions,
        [
          "select * from kyc_submissions where mode = $1 and buyer_id = $2 and status = 'approved'",
          'order by created_at desc, id desc limit 1',
        ].join(' '),
        [mode, buyerId],
      ),
    submissionByFlow: (flowId) =>
      unit.first(submissions, 'select * from kyc_submissions where flow_id = $1', [flowId]),
    approvedByPartnerRef: (mode, partnerRef, limit) =>
      unit.all(
        submissions,
        [
          'select * from kyc_submissions where mode = $1 and partner_ref = $2',
          "and status = 'approved' limit $3",
        ].join(' '),
        [mode, partnerRef, limit],
      ),
    insertSubmission: (submission) => unit.stage(submissions.insert(submission)),
    updateSubmission: (submission) => unit.stage(submissions.update(submission)),
    expectSubmission: (submission) => unit.stage(submissions.expect(submission)),
  };
}
