// Members of organizations: columns and SQL.
import { type Member, memberRoles } from '../../../core/domain/access/member.js';
import type { Tx } from '../../../core/ports/storage.js';
import { fixed, key, oneOf, text, time, version } from '../columns.js';
import { defineTable } from '../table.js';
import type { UnitOfWork } from '../unit-of-work.js';

const members = defineTable<Member>('members', {
  orgId: key(text('org_id')),
  id: key(text('id')),
  email: fixed(text('email')),
  emailKey: fixed(text('email_key')),
  role: oneOf('role', memberRoles),
  removedAtMs: time.null('removed_at'),
  createdAtMs: fixed(time('created_at')),
  version,
});

export function membersOf(unit: UnitOfWork): Tx['members'] {
  return {
    ...unit.writes(members),
    get: (orgId, id) => unit.byKey(members, [orgId, id]),
    byEmail: (orgId, emailKey) =>
      unit.first(members, 'where org_id = $1 and email_key = $2 and removed_at is null', [
        orgId,
        emailKey,
      ]),
    list: (orgId) => unit.all(members, 'where org_id = $1 order by id desc', [orgId]),
  };
}
