// Members of organizations: columns, rows and SQL.
import { type Member, memberRoles } from '../../../core/domain/member.js';
import type { Tx } from '../../../core/ports.js';
import { time } from '../database.js';
import { integer, oneOf, text, timeMs, timeMsOrNull } from '../row.js';
import { defineTable } from '../table.js';
import type { UnitOfWork } from '../unit-of-work.js';

const members = defineTable<Member>({
  name: 'members',
  key: { org_id: (member) => member.orgId, id: (member) => member.id },
  fixed: {
    email: (member) => member.email,
    email_key: (member) => member.emailKey,
    created_at: (member) => time(member.createdAtMs),
  },
  changing: {
    role: (member) => member.role,
    removed_at: (member) => time(member.removedAtMs),
  },
  version: (member) => member.version,
  read: (row) =>
    Object.freeze({
      id: text(row, 'id'),
      orgId: text(row, 'org_id'),
      email: text(row, 'email'),
      emailKey: text(row, 'email_key'),
      role: oneOf(row, 'role', memberRoles),
      removedAtMs: timeMsOrNull(row, 'removed_at'),
      createdAtMs: timeMs(row, 'created_at'),
      version: integer(row, 'version'),
    }),
});

export function membersOf(unit: UnitOfWork): Tx['members'] {
  return {
    get: (orgId, id) =>
      unit.byKey(members, [orgId, id], 'select * from members where org_id = $1 and id = $2', [
        orgId,
        id,
      ]),
    byEmail: (orgId, emailKey) =>
      unit.first(
        members,
        'select * from members where org_id = $1 and email_key = $2 and removed_at is null',
        [orgId, emailKey],
      ),
    list: (orgId) =>
      unit.all(members, 'select * from members where org_id = $1 order by id desc', [orgId]),
    insert: (member) => unit.stage(members.insert(member)),
    update: (member) => unit.stage(members.update(member)),
  };
}
