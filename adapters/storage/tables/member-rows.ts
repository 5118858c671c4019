// People, their passkeys, and what they are in organizations: columns and SQL.
import { type Member, memberRoles } from '../../../core/domain/access/member.js';
import type { Passkey } from '../../../core/domain/access/passkey.js';
import type { Person } from '../../../core/domain/access/person.js';
import { assert } from '../../../core/errors.js';
import { fixed, integer, key, oneOf, text, time, unhashed, version } from '../columns.js';
import { timeParam } from '../database.js';
import { defineTable, merge } from '../table.js';
import { type TxPart, writes } from '../unit-of-work.js';

export const people = defineTable<Person>('people', {
  id: key(text('id')),
  email: text('email'),
  emailKey: fixed(text('email_key')),
  createdAtMs: fixed(time('created_at')),
  version,
});

/** What stored-people.ts does over all tables. */
export type StoredPeople = 'find' | 'addressOf' | 'blocking' | 'erase';

export const peoplePart: Omit<TxPart<'people'>, StoredPeople> = {
  ...writes(people),
  get: (unit, id) => unit.byKey(people, [id]),
  byEmail: (unit, emailKey) => unit.first(people, 'where email_key = $1', [emailKey]),
};

export const members = defineTable<Member>('members', {
  orgId: key(text('org_id')),
  id: key(text('id')),
  personId: fixed(text('person_id')),
  email: fixed(text('email')),
  emailKey: fixed(text('email_key')),
  name: text.null('name'),
  role: oneOf('role', memberRoles),
  acceptedAtMs: time.null('accepted_at'),
  seenAtMs: unhashed(time.null('seen_at')),
  removedAtMs: time.null('removed_at'),
  createdAtMs: fixed(time('created_at')),
  version,
});

const touchSql = [
  'update members set seen_at = $3',
  'where org_id = $1 and id = $2 and (seen_at is null or seen_at < $3)',
].join(' ');

export const membersPart: TxPart<'members'> = {
  ...writes(members),
  get: (unit, orgId, id) => unit.byKey(members, [orgId, id]),
  byEmail: (unit, orgId, emailKey) =>
    unit.first(members, 'where org_id = $1 and email_key = $2 and removed_at is null', [
      orgId,
      emailKey,
    ]),
  ofPerson: (unit, personId) =>
    unit.all(members, 'where person_id = $1 and removed_at is null order by id', [personId]),
  touch(unit, { orgId, id, seenAtMs }) {
    assert(seenAtMs !== null, 'a member who opens a page is seen');
    unit.stage(merge('members', null, touchSql, [orgId, id, timeParam(seenAtMs)]));
  },
  list: (unit, orgId) => unit.all(members, 'where org_id = $1 order by id desc', [orgId]),
};

export const passkeys = defineTable<Passkey>('passkeys', {
  id: key(text('id')),
  personId: fixed(text('person_id')),
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
  get: (unit, id) => unit.byKey(passkeys, [id]),
  byCredential: (unit, credentialId) =>
    unit.first(passkeys, 'where credential_id = $1', [credentialId]),
  ofPerson: (unit, personId) =>
    unit.all(passkeys, 'where person_id = $1 and removed_at is null order by id', [personId]),
};
