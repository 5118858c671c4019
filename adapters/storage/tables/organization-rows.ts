// Organizations, what they have in each mode, and their API keys: columns and SQL.
import type { StoredKey } from '../../../core/domain/access/api-key.js';
import { isScope } from '../../../core/domain/access/scope.js';
import type {
  NamedProfile,
  Organization,
  OrganizationProfile,
} from '../../../core/domain/parties/organization.js';
import { partyStatuses } from '../../../core/domain/parties/party.js';
import type { Tx } from '../../../core/ports/storage.js';
import {
  fixed,
  flag,
  integer,
  key,
  mode,
  nullable,
  oneOf,
  party,
  readOnly,
  tenant,
  text,
  texts,
  time,
  version,
} from '../columns.js';
import { timeParam } from '../database.js';
import { defineTable, merge, type Write } from '../table.js';
import type { Joined, UnitOfWork } from '../unit-of-work.js';

const organizations = defineTable<Organization>('organizations', {
  id: key(text('org_id')),
  name: text('name'),
  productionGrantedAtMs: time.null('production_granted_at'),
  requiresApproval: flag('requires_approval'),
  supportEmail: text.null('support_email'),
  supportPhone: text.null('support_phone'),
  website: text.null('website'),
  createdAtMs: fixed(time('created_at')),
  version,
});

const profiles = defineTable<OrganizationProfile>('organization_profiles', {
  ...tenant,
  status: nullable(oneOf('kyb_status', partyStatuses)),
  commandId: text.null('kyb_command_id'),
  ...party,
  railsCommandId: text.null('rails_command_id'),
  railsRef: text.null('virtual_account_ref'),
  destinationRef: text.null('destination_ref'),
  tosAcceptedAtMs: time.null('tos_accepted_at'),
  version,
});

const keys = defineTable<StoredKey>('api_keys', {
  id: key(text('id')),
  orgId: fixed(text('org_id')),
  mode: fixed(mode),
  name: text('name'),
  scopes: fixed(texts('scopes', isScope)),
  salt: fixed(text('salt')),
  secretHash: fixed(text('secret_hash')),
  lastUsedAtMs: readOnly(time.null('last_used_at')),
  revokedAtMs: time.null('revoked_at'),
  slot: fixed(integer.null('slot')),
  createdAtMs: fixed(time('created_at')),
  version,
});

const organizationName = text('organization_name');

const namedProfiles: Joined<NamedProfile> = {
  tables: [profiles, organizations],
  read: (row) => ({ profile: profiles.read(row), name: organizationName.read(row) }),
  expect: ({ profile }) => [profiles.expect(profile)],
};

const namedSql = [
  'select organization_profiles.*, organizations.name as organization_name',
  'from organization_profiles',
  'join organizations on organizations.org_id = organization_profiles.org_id',
  'where organization_profiles.org_id = $1 and organization_profiles.mode = $2',
].join(' ');

export function organizationsOf(unit: UnitOfWork): Tx['organizations'] {
  return {
    ...unit.writes(organizations),
    get: (orgId) => unit.byKey(organizations, [orgId]),
    list: () => unit.all(organizations, 'order by created_at desc, org_id desc', []),
    profile: ({ orgId, mode }) => unit.byKey(profiles, [orgId, mode]),
    async named({ orgId, mode }) {
      const [found] = await unit.joined(namedProfiles, namedSql, [orgId, mode]);
      return found ?? null;
    },
    insert(organization, ofModes) {
      unit.stage(organizations.insert(organization));
      for (const profile of ofModes) unit.stage(profiles.insert(profile));
    },
    profilesByPartnerRef: (mode, partnerRef) =>
      unit.all(profiles, 'where mode = $1 and partner_ref = $2 limit 2', [mode, partnerRef]),
    updateProfile: (profile) => unit.stage(profiles.update(profile)),
    expectProfile: (profile) => unit.stage(profiles.expect(profile)),
  };
}

export function keysOf(unit: UnitOfWork): Tx['keys'] {
  return {
    ...unit.writes(keys),
    get: (keyId) => unit.byKey(keys, [keyId]),
    list: (orgId, revokedMax) =>
      unit.all(
        keys,
        [
          'where org_id = $1 and revoked_at is null union all select * from (select * from',
          'api_keys where org_id = $1 and revoked_at is not null order by id desc limit $2 )',
          'chosen order by id desc',
        ].join(' '),
        [orgId, revokedMax],
      ),
    async slots({ orgId, mode }) {
      const sql = [
        'select slot from api_keys',
        'where org_id = $1 and mode = $2 and revoked_at is null and slot is not null',
      ].join(' ');
      const rows = await unit.rows(keys.name, sql, [orgId, mode]);
      return rows.map(integer('slot').read);
    },
    insert(key) {
      unit.stage(keys.insert(key));
      if (key.lastUsedAtMs !== null) unit.stage(touch(key.id, key.lastUsedAtMs));
    },
    touch: (keyId, lastUsedAtMs) => unit.stage(touch(keyId, lastUsedAtMs)),
  };
}

function touch(keyId: string, lastUsedAtMs: number): Write {
  const sql = [
    'update api_keys set last_used_at = $2',
    'where id = $1 and (last_used_at is null or last_used_at < $2)',
  ].join(' ');
  return merge(keys.name, keyId, sql, [keyId, timeParam(lastUsedAtMs)]);
}
