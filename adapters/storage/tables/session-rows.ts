// Sessions on the hosted pages and of members: columns and SQL.
import {
  type MemberSession,
  type PageSession,
  pageSessionKinds,
  sessionBeginnings,
} from '../../../core/domain/access/session.js';
import { assert } from '../../../core/errors.js';
import { flag, integer, oneOf, tenant, text, time, version } from '../columns.js';
import { timeParam } from '../database.js';
import { defineTable, merge } from '../table.js';
import { type TxPart, writes } from '../unit-of-work.js';

const pageSessions = defineTable<PageSession>('page_sessions', {
  ...tenant,
  id: text('id').key(),
  kind: oneOf('kind', pageSessionKinds).fixed(),
  paymentId: text.null('payment_id').fixed(),
  submissionId: text.null('submission_id').fixed(),
  accountId: text.null('account_id').fixed(),
  ownerIndex: integer.null('owner_index').fixed(),
  createdAtMs: time('created_at').fixed(),
  seenAtMs: time('seen_at'),
  endsAtMs: time('ends_at').fixed(),
  endedAtMs: time.null('ended_at'),
  isPressed: flag('is_pressed'),
  version,
});

const touchPageSql = [
  'update page_sessions set seen_at = $4',
  'where org_id = $1 and mode = $2 and id = $3 and seen_at < $4',
].join(' ');

export const pageSessionsPart: TxPart<'pageSessions'> = {
  ...writes(pageSessions),
  touch(unit, { orgId, mode, id, seenAtMs }) {
    const params = [orgId, mode, id, timeParam(seenAtMs)];
    unit.stage(merge('page_sessions', null, touchPageSql, params));
  },
  byId: (unit, id) => unit.first(pageSessions, 'where id = $1', [id]),
  newestOfPayment: (unit, { orgId, mode }, paymentId) =>
    unit.first(
      pageSessions,
      "where org_id = $1 and mode = $2 and payment_id = $3 and kind = 'buyer' " +
        'order by seen_at desc limit 1',
      [orgId, mode, paymentId],
    ),
  newestOfForm: (unit, { orgId, mode }, submissionId) =>
    unit.first(
      pageSessions,
      "where org_id = $1 and mode = $2 and submission_id = $3 and kind = 'buyer' " +
        'order by seen_at desc limit 1',
      [orgId, mode, submissionId],
    ),
  ofForm: (unit, { orgId, mode }, submissionId) =>
    unit.all(
      pageSessions,
      'where org_id = $1 and mode = $2 and submission_id = $3 and payment_id is null ' +
        'and owner_index is null and ended_at is null',
      [orgId, mode, submissionId],
    ),
  openOfPayment: (unit, { orgId, mode }, kind, paymentId) =>
    unit.all(
      pageSessions,
      'where org_id = $1 and mode = $2 and payment_id = $3 and kind = $4 and ended_at is null',
      [orgId, mode, paymentId, kind],
    ),
  ofOwner: (unit, { orgId, mode }, submissionId, ownerIndex) =>
    unit.all(
      pageSessions,
      'where org_id = $1 and mode = $2 and submission_id = $3 and owner_index = $4 ' +
        'and ended_at is null',
      [orgId, mode, submissionId, ownerIndex],
    ),
  openOfAccount: (unit, { orgId, mode }, accountId) =>
    unit.all(
      pageSessions,
      'where org_id = $1 and mode = $2 and account_id = $3 and ended_at is null',
      [orgId, mode, accountId],
    ),
  createdBefore: (unit, beforeMs, limit) =>
    unit.all(pageSessions, 'where created_at < $1 order by created_at limit $2', [
      timeParam(beforeMs),
      limit,
    ]),
};

const memberSessions = defineTable<MemberSession>('member_sessions', {
  id: text('id').key(),
  personId: text('person_id').fixed(),
  orgId: text.null('org_id').fixed(),
  began: oneOf('began', sessionBeginnings).fixed(),
  createdAtMs: time('created_at').fixed(),
  endsAtMs: time('ends_at').fixed(),
  endedAtMs: time.null('ended_at'),
  tokenHash: text.null('token_hash').fixed(),
  seenAtMs: time.null('seen_at'),
  operatorId: text.null('operator_id').fixed(),
  version,
});

const touchMemberSql = 'update member_sessions set seen_at = $2 where id = $1 and seen_at < $2';

export const memberSessionsPart: TxPart<'memberSessions'> = {
  ...writes(memberSessions),
  get: (unit, id) => unit.byKey(memberSessions, [id]),
  touch(unit, { id, seenAtMs }) {
    assert(seenAtMs !== null, 'a session with a cookie is seen');
    unit.stage(merge('member_sessions', null, touchMemberSql, [id, timeParam(seenAtMs)]));
  },
  byTokenHash: (unit, tokenHash) =>
    unit.first(memberSessions, 'where token_hash = $1', [tokenHash]),
  openOfPerson: (unit, personId, nowMs) =>
    unit.all(
      memberSessions,
      'where person_id = $1 and ended_at is null and ends_at > $2 order by id desc',
      [personId, timeParam(nowMs)],
    ),
  createdBefore: (unit, beforeMs, limit) =>
    unit.all(memberSessions, 'where created_at < $1 order by created_at limit $2', [
      timeParam(beforeMs),
      limit,
    ]),
};
