// People, their passkeys, and what they are in organizations: columns and SQL.
import { type Member, memberRoles } from '../../../core/domain/access/member.js';
import type { Passkey } from '../../../core/domain/access/passkey.js';
import type { Person } from '../../../core/domain/access/person.js';
import { assert } from '../../../core/errors.js';
import { integer, oneOf, text, time, version } from '../columns.js';
import { timeParam } from '../database.js';
import { defineTable, merge } from '../table.js';
import { type TxPart, writes } from '../unit-of-work.js';

export const people = defineTable<Person>('people', {
  id: text('id').key(),
  email: text('email'),
  emailKey: text('email_key').fixed(),
  createdAtMs: time('created_at').fixed(),
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
  orgId: text('org_id').key(),
  id: text('id').key(),
  personId: text('person_id').fixed(),
  email: text('email').fixed(),
  emailKey: text('email_key').fixed(),
  name: text.null('name'),
  role: oneOf('role', memberRoles),
  acceptedAtMs: time.null('accepted_at'),
  seenAtMs: time.null('seen_at').unhashed(),
  removedAtMs: time.null('removed_at'),
  createdAtMs: time('created_at').fixed(),
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
  id: text('id').key(),
  personId: text('person_id').fixed(),
  credentialId: text('credential_id').fixed(),
  publicKey: text('public_key').fixed(),
  signCount: integer('sign_count'),
  name: text('name'),
  createdAtMs: time('created_at').fixed(),
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
