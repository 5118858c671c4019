// Members of organizations, and their passkeys: columns and SQL.
import { type Member, memberRoles } from '../../../core/domain/access/member.js';
import type { Passkey } from '../../../core/domain/access/passkey.js';
import { fixed, integer, key, oneOf, text, time, version } from '../columns.js';
import { defineTable } from '../table.js';
import { type TxPart, writes } from '../unit-of-work.js';

export const members = defineTable<Member>('members', {
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

export const passkeys = defineTable<Passkey>('passkeys', {
  orgId: key(text('org_id')),
  id: key(text('id')),
  memberId: fixed(text('member_id')),
  credentialId: fixed(text('credential_id')),
  publicKey: fixed(text('public_key')),
  signCount: integer('sign_count'),
  name: text('name'),
  createdAtMs: fixed(time('created_at')),
  usedAtMs: time.null('used_at'),
  removedAtMs: time.null('removed_at'),
  version,
});

export const passkeysPart: TxPart<'passkeys'> = {
  ...writes(passkeys),
  get: (unit, orgId, id) => unit.byKey(passkeys, [orgId, id]),
  byCredential: (unit, credentialId) =>
    unit.first(passkeys, 'where credential_id = $1', [credentialId]),
  ofMember: (unit, orgId, memberId) =>
    unit.all(passkeys, 'where org_id = $1 and member_id = $2 and removed_at is null order by id', [
      orgId,
      memberId,
    ]),
};
