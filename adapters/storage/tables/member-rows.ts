// Members of organizations: columns and SQL.
import { type Member, memberRoles } from '../../../core/domain/access/member.js';
import { fixed, key, oneOf, text, time, version } from '../columns.js';
import { defineTable } from '../table.js';
import { type TxPart, writes } from '../unit-of-work.js';

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

export const membersPart: TxPart<'members'> = {
  ...writes(members),
  get: (unit, orgId, id) => unit.byKey(members, [orgId, id]),
  byEmail: (unit, orgId, emailKey) =>
    unit.first(members, 'where org_id = $1 and email_key = $2 and removed_at is null', [
      orgId,
      emailKey,
    ]),
  ofAddress: (unit, emailKey) =>
    unit.all(members, 'where email_key = $1 and removed_at is null order by id', [emailKey]),
  list: (unit, orgId) => unit.all(members, 'where org_id = $1 order by id desc', [orgId]),
};
