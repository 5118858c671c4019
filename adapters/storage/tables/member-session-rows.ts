// Sessions of members: columns and SQL.
import type { MemberSession } from '../../../core/domain/access/member-session.js';
import { assert } from '../../../core/errors.js';
import { fixed, key, text, time, version } from '../columns.js';
import { timeParam } from '../database.js';
import { defineTable, merge } from '../table.js';
import { type TxPart, writes } from '../unit-of-work.js';

const memberSessions = defineTable<MemberSession>('member_sessions', {
  orgId: key(text('org_id')),
  id: key(text('id')),
  memberId: fixed(text('member_id')),
  createdAtMs: fixed(time('created_at')),
  endsAtMs: fixed(time('ends_at')),
  endedAtMs: time.null('ended_at'),
  tokenHash: fixed(text.null('token_hash')),
  seenAtMs: time.null('seen_at'),
  version,
});

const touchSql = [
  'update member_sessions set seen_at = $3',
  'where org_id = $1 and id = $2 and seen_at < $3',
].join(' ');

const lastSeenSql = [
  'select member_id, max(coalesce(seen_at, created_at)) as seen from member_sessions',
  'where org_id = $1 group by member_id',
].join(' ');

export const memberSessionsPart: TxPart<'memberSessions'> = {
  ...writes(memberSessions),
  get: (unit, orgId, id) => unit.byKey(memberSessions, [orgId, id]),
  touch(unit, { orgId, id, seenAtMs }) {
    assert(seenAtMs !== null, 'a session with a cookie is seen');
    const params = [orgId, id, timeParam(seenAtMs)];
    unit.stage(merge('member_sessions', null, touchSql, params));
  },
  byTokenHash: (unit, tokenHash) =>
    unit.first(memberSessions, 'where token_hash = $1', [tokenHash]),
  openOfMember: (unit, orgId, memberId, nowMs) =>
    unit.all(
      memberSessions,
      'where org_id = $1 and member_id = $2 and ended_at is null and ends_at > $3 order by id desc',
      [orgId, memberId, timeParam(nowMs)],
    ),
  async lastSeen(unit, orgId) {
    const rows = await unit.rows('member_sessions', lastSeenSql, [orgId]);
    return rows.map((row) => ({
      memberId: text('member_id').read(row),
      atMs: time('seen').read(row),
    }));
  },
  createdBefore: (unit, beforeMs, limit) =>
    unit.all(memberSessions, 'where created_at < $1 order by created_at limit $2', [
      timeParam(beforeMs),
      limit,
    ]),
};
