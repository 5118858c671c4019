// Mails and the links in them: columns and SQL.
import { type ProvenAction, provenActions } from '../../../core/domain/access/session-proof.js';
import { locales } from '../../../core/domain/base/locale.js';
import {
  type Mail,
  type MailSubject,
  mailPurposes,
  mailStatuses,
  personMail,
} from '../../../core/domain/mail/mail.js';
import { assert } from '../../../core/errors.js';
import { flag, integer, oneOf, tenant, text, time, version } from '../columns.js';
import { timeParam } from '../database.js';
import { defineTable, mapped, merge, type Table } from '../table.js';
import { type TxPart, writes } from '../unit-of-work.js';

interface MailRow extends Omit<Mail, 'subject' | 'proof'> {
  readonly action: ProvenAction | null;
  readonly actionOrgId: string | null;
  readonly paymentId: string | null;
  readonly approvalPaymentId: string | null;
  readonly accountId: string | null;
  readonly submissionId: string | null;
  readonly ownerIndex: number | null;
  readonly memberId: string | null;
}

const mailRows = defineTable<MailRow>('mails', {
  ...tenant,
  id: text('id').key(),
  purpose: oneOf('purpose', mailPurposes).fixed(),
  paymentId: text.null('payment_id').fixed(),
  approvalPaymentId: text.null('approval_payment_id').fixed(),
  accountId: text.null('account_id').fixed(),
  submissionId: text.null('submission_id').fixed(),
  ownerIndex: integer.null('owner_index').fixed(),
  memberId: text.null('member_id').fixed(),
  action: oneOf('action', provenActions).null().fixed(),
  actionOrgId: text.null('action_org_id').fixed(),
  cause: text.null('cause').fixed(),
  to: text('to_address').fixed(),
  toKey: text('to_key').fixed(),
  nth: integer.null('nth').fixed(),
  locale: oneOf('locale', locales).fixed(),
  tokenHash: text.null('token_hash').fixed(),
  tokenSealed: text.null('token_sealed').sealed(),
  codeHash: text.null('code_hash').fixed(),
  codeTries: integer('code_tries'),
  browserHash: text.null('browser_hash').fixed(),
  linkEndsAtMs: time('link_ends_at'),
  linkUsedAtMs: time.null('link_used_at'),
  status: oneOf('status', mailStatuses),
  tries: integer('tries'),
  isBlocked: flag('is_blocked'),
  dueAtMs: time.null('due_at'),
  leaseToken: text.null('lease_token'),
  lastError: text.null('last_error'),
  sentAtMs: time.null('sent_at'),
  createdAtMs: time('created_at').fixed(),
  version,
});

export const mails: Table<Mail> = mapped(mailRows, toRow, fromRow);

function toRow({ subject, proof, ...fields }: Mail): MailRow {
  const { action, orgId: actionOrgId } = proof ?? { action: null, orgId: null };
  const mail = { ...fields, action, actionOrgId };
  const none = {
    paymentId: null,
    approvalPaymentId: null,
    accountId: null,
    submissionId: null,
    ownerIndex: null,
    memberId: null,
  };
  if (subject.kind === 'approval') {
    return { ...mail, ...none, approvalPaymentId: subject.paymentId };
  }
  // It is about whom it is sent to.
  if (subject.kind === 'person') return { ...mail, ...none };
  const { kind: _, ...named } = subject;
  return { ...mail, ...none, ...named };
}

function fromRow(row: MailRow): Mail {
  const { paymentId, approvalPaymentId, accountId, ...beside } = row;
  const { submissionId, ownerIndex, memberId, action, actionOrgId, ...mail } = beside;
  const subject = subjectOf(row);
  const proof = action === null ? null : { action, orgId: actionOrgId };
  return Object.freeze({ ...mail, subject, proof });
}

function subjectOf(row: MailRow): MailSubject {
  const { paymentId, approvalPaymentId, accountId, submissionId, ownerIndex, memberId } = row;
  if (approvalPaymentId !== null) return { kind: 'approval', paymentId: approvalPaymentId };
  if (paymentId !== null) return { kind: 'payment', paymentId };
  if (submissionId !== null) return { kind: 'submission', submissionId, ownerIndex };
  if (memberId !== null) return { kind: 'member', memberId };
  if (row.orgId === personMail.orgId) return { kind: 'person', emailKey: row.toKey };
  return { kind: 'account', accountId };
}

const numberedSql = {
  address: [
    'where org_id = $1 and mode = $2 and to_key = $3 and purpose = $4 and nth is not null',
    'order by nth desc limit $5',
  ].join(' '),
  account: [
    'where org_id = $1 and mode = $2 and to_key = $3 and purpose = $4',
    'and account_id is not distinct from $5 and nth is not null order by nth desc limit $6',
  ].join(' '),
} as const;

const openLink =
  'token_hash is not null and (link_used_at is null or code_hash is not null) ' +
  'and link_ends_at > $3';
const openLinksSql = {
  payment: `where org_id = $1 and mode = $2 and payment_id = $4 and ${openLink} order by id desc`,
  approval: [
    `where org_id = $1 and mode = $2 and approval_payment_id = $4 and ${openLink}`,
    'order by id desc',
  ].join(' '),
  member: `where org_id = $1 and mode = $2 and member_id = $4 and ${openLink} order by id desc`,
  person: [
    'where org_id = $1 and mode = $2 and to_key = $4',
    `and purpose in ('sign_in', 'confirmation') and ${openLink}`,
    'and nth is not null order by id desc',
  ].join(' '),
  submission: [
    `where org_id = $1 and mode = $2 and submission_id = $4 and ${openLink}`,
    'and owner_index is not distinct from $5 order by id desc',
  ].join(' '),
} as const;
const usedLinkSql = [
  'where org_id = $1 and mode = $2 and submission_id = $3 and owner_index is null',
  "and purpose = 'sign_in' and link_used_at is not null order by id desc limit 1",
].join(' ');
const ownerLinkSql = [
  'where org_id = $1 and mode = $2 and submission_id = $3 and owner_index = $4',
  "and purpose = 'owner_link' order by id desc limit 1",
].join(' ');
const ownerLinksSql = [
  'where org_id = $1 and mode = $2 and submission_id = $3',
  "and purpose = 'owner_link' order by id desc limit $4",
].join(' ');

export const mailsPart: TxPart<'mails'> = {
  ...writes(mails),
  insertOnce(unit, mail) {
    assert(mail.cause !== null && mail.tokenSealed === null, 'a notice has a cause and no token');
    const { sql, params } = mails.insert(mail).statement;
    const once = `${sql} on conflict (org_id, mode, cause) where cause is not null do nothing`;
    unit.stage(merge('mails', null, once, params));
  },
  get: (unit, { orgId, mode }, id) => unit.byKey(mails, [orgId, mode, id]),
  byTokenHash: (unit, tokenHash) => unit.first(mails, 'where token_hash = $1', [tokenHash]),
  openLinks(unit, { orgId, mode }, subject, nowMs) {
    const params = [orgId, mode, timeParam(nowMs)];
    if (subject.kind === 'payment' || subject.kind === 'approval') {
      return unit.all(mails, openLinksSql[subject.kind], [...params, subject.paymentId]);
    }
    if (subject.kind === 'member') {
      return unit.all(mails, openLinksSql.member, [...params, subject.memberId]);
    }
    if (subject.kind === 'person') {
      return unit.all(mails, openLinksSql.person, [...params, subject.emailKey]);
    }
    assert(subject.kind === 'submission', 'no link is about an account');
    const { submissionId, ownerIndex } = subject;
    return unit.all(mails, openLinksSql.submission, [...params, submissionId, ownerIndex]);
  },
  newestUsedLink: (unit, { orgId, mode }, submissionId) =>
    unit.first(mails, usedLinkSql, [orgId, mode, submissionId]),
  newestOwnerLink: (unit, { orgId, mode }, submissionId, ownerIndex) =>
    unit.first(mails, ownerLinkSql, [orgId, mode, submissionId, ownerIndex]),
  newestOwnerLinks: (unit, { orgId, mode }, submissionId, limit) =>
    unit.all(mails, ownerLinksSql, [orgId, mode, submissionId, limit]),
  newestNumbered: (unit, { orgId, mode, purpose, toKey }, limit) =>
    unit.all(mails, numberedSql.address, [orgId, mode, toKey, purpose, limit]),
  newestAbout: (unit, { orgId, mode, purpose, toKey, accountId }, limit) =>
    unit.all(mails, numberedSql.account, [orgId, mode, toKey, purpose, accountId, limit]),
  anySentTo: (unit, orgId, toKey) =>
    unit.first(mails, 'where org_id = $1 and to_key = $2 and sent_at is not null limit 1', [
      orgId,
      toKey,
    ]),
  find: (unit, id) => unit.first(mails, 'where id = $1', [id]),
  list: (unit, { status, beforeId, limit }) =>
    unit.newest(mails, { 'status =': status, 'id <': beforeId }, limit),
  oldest: (unit, limit) => unit.all(mails, 'order by id limit $1', [limit]),
};
