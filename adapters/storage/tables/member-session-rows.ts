// Sessions of members: columns and SQL.
import type { MemberSession } from '../../../core/domain/access/member-session.js';
import { fixed, key, text, time, version } from '../columns.js';
import { timeParam } from '../database.js';
import { defineTable } from '../table.js';
import { type TxPart, writes } from '../unit-of-work.js';

const memberSessions = defineTable<MemberSession>('member_sessions', {
  orgId: key(text('org_id')),
  id: key(text('id')),
  memberId: fixed(text('member_id')),
  createdAtMs: fixed(time('created_at')),
  endsAtMs: fixed(time('ends_at')),
  endedAtMs: time.null('ended_at'),
  version,
});

export const memberSessionsPart: TxPart<'memberSessions'> = {
  ...writes(memberSessions),
  get: (unit, orgId, id) => unit.byKey(memberSessions, [orgId, id]),
  openOfMember: (unit, orgId, memberId, nowMs) =>
    unit.all(
      memberSessions,
      'where org_id = $1 and member_id = $2 and ended_at is null and ends_at > $3 order by id desc',
      [orgId, memberId, timeParam(nowMs)],
    ),
  createdBefore: (unit, beforeMs, limit) =>
    unit.all(memberSessions, 'where created_at < $1 order by created_at limit $2', [
      timeParam(beforeMs),
      limit,
    ]),
};
