// Organizations, what they have in each mode, and their API keys: columns, rows and SQL.
import {
  kybStatuses,
  type Organization,
  type OrganizationProfile,
} from '../../../core/domain/organization.js';
import { isScope, type Scope } from '../../../core/domain/scope.js';
import { assert } from '../../../core/errors.js';
import type { StoredKey, Tx } from '../../../core/ports.js';
import { time } from '../database.js';
import {
  flag,
  integer,
  integerOrNull,
  modeOf,
  oneOfOrNull,
  tenantColumns,
  text,
  textOrNull,
  texts,
  timeMs,
  timeMsOrNull,
} from '../row.js';
import { defineTable, type Write } from '../table.js';
import type { UnitOfWork } from '../unit-of-work.js';

const organizations = defineTable<Organization>({
  name: 'organizations',
  key: { org_id: (organization) => organization.id },
  fixed: { created_at: (organization) => time(organization.createdAtMs) },
  changing: {
    name: (organization) => organization.name,
    production_granted_at: (organization) => time(organization.productionGrantedAtMs),
    requires_approval: (organization) => organization.requiresApproval,
  },
  version: (organization) => organization.version,
  read: (row) =>
    Object.freeze({
      id: text(row, 'org_id'),
      name: text(row, 'name'),
      productionGrantedAtMs: timeMsOrNull(row, 'production_granted_at'),
      requiresApproval: flag(row, 'requires_approval'),
      createdAtMs: timeMs(row, 'created_at'),
      version: integer(row, 'version'),
    }),
});

const profiles = defineTable<OrganizationProfile>({
  name: 'organization_profiles',
  key: { org_id: (profile) => profile.orgId, mode: (profile) => profile.mode },
  fixed: {},
  changing: {
    kyb_status: (profile) => profile.kybStatus,
    receiver_id: (profile) => profile.receiverId,
    kyb_command_id: (profile) => profile.kybCommandId,
    partner_ref: (profile) => profile.partnerRef,
    virtual_account_ref: (profile) => profile.virtualAccountRef,
    destination_ref: (profile) => profile.destinationRef,
    tos_id: (profile) => profile.tosId,
    tos_accepted_at: (profile) => time(profile.tosAcceptedAtMs),
  },
  version: (profile) => profile.version,
  read: (row) =>
    Object.freeze({
      ...tenantColumns(row),
      kybStatus: oneOfOrNull(row, 'kyb_status', kybStatuses),
      receiverId: textOrNull(row, 'receiver_id'),
      kybCommandId: textOrNull(row, 'kyb_command_id'),
      partnerRef: textOrNull(row, 'partner_ref'),
      virtualAccountRef: textOrNull(row, 'virtual_account_ref'),
      destinationRef: textOrNull(row, 'destination_ref'),
      tosId: textOrNull(row, 'tos_id'),
      tosAcceptedAtMs: timeMsOrNull(row, 'tos_accepted_at'),
      version: integer(row, 'version'),
    }),
});

const keys = defineTable<StoredKey>({
  name: 'api_keys',
  key: { id: (key) => key.id },
  fixed: {
    org_id: (key) => key.orgId,
    mode: (key) => key.mode,
    scopes: (key) => JSON.stringify(key.scopes),
    salt: (key) => key.salt,
    secret_hash: (key) => key.secretHash,
    slot: (key) => key.slot,
    created_at: (key) => time(key.createdAtMs),
  },
  // Not the time of last use: `touch` alone writes that, whatever an update had read.
  changing: {
    name: (key) => key.name,
    revoked_at: (key) => time(key.revokedAtMs),
  },
  version: (key) => key.version,
  read: (row) =>
    Object.freeze({
      id: text(row, 'id'),
      orgId: text(row, 'org_id'),
      mode: modeOf(row),
      name: text(row, 'name'),
      scopes: scopesOf(texts(row, 'scopes')),
      salt: text(row, 'salt'),
      secretHash: text(row, 'secret_hash'),
      lastUsedAtMs: timeMsOrNull(row, 'last_used_at'),
      revokedAtMs: timeMsOrNull(row, 'revoked_at'),
      slot: integerOrNull(row, 'slot'),
      createdAtMs: timeMs(row, 'created_at'),
      version: integer(row, 'version'),
    }),
});

export function organizationsOf(unit: UnitOfWork): Tx['organizations'] {
  return {
    get: (orgId) =>
      unit.byKey(organizations, [orgId], 'select * from organizations where org_id = $1', [orgId]),
    list: () =>
      unit.all(
        organizations,
        'select * from organizations order by created_at desc, org_id desc',
        [],
      ),
    profile: ({ orgId, mode }) =>
      unit.byKey(
        profiles,
        [orgId, mode],
        'select * from organization_profiles where org_id = $1 and mode = $2',
        [orgId, mode],
      ),
    insert(organization, ofModes) {
      unit.stage(organizations.insert(organization));
      for (const profile of ofModes) unit.stage(profiles.insert(profile));
    },
    update: (organization) => unit.stage(organizations.update(organization)),
    expect: (organization) => unit.stage(organizations.expect(organization)),
    updateProfile: (profile) => unit.stage(profiles.update(profile)),
    expectProfile: (profile) => unit.stage(profiles.expect(profile)),
  };
}

export function keysOf(unit: UnitOfWork): Tx['keys'] {
  return {
    get: (keyId) => unit.byKey(keys, [keyId], 'select * from api_keys where id = $1', [keyId]),
    list: (orgId, revokedMax) =>
      unit.all(
        keys,
        [
          'select * from api_keys where org_id = $1 and revoked_at is null',
          'union all select * from (select * from api_keys',
          'where org_id = $1 and revoked_at is not null order by id desc limit $2',
          ') chosen order by id desc',
        ].join(' '),
        [orgId, revokedMax],
      ),
    async slots({ orgId, mode }) {
      const sql = [
        'select slot from api_keys',
        'where org_id = $1 and mode = $2 and revoked_at is null and slot is not null',
      ].join(' ');
      const rows = await unit.rows(keys.name, sql, [orgId, mode]);
      return rows.map((row) => integer(row, 'slot'));
    },
    insert(key) {
      unit.stage(keys.insert(key));
      if (key.lastUsedAtMs !== null) unit.stage(touch(key.id, key.lastUsedAtMs));
    },
    update: (key) => unit.stage(keys.update(key)),
    touch: (keyId, lastUsedAtMs) => unit.stage(touch(keyId, lastUsedAtMs)),
  };
}

function touch(keyId: string, lastUsedAtMs: number): Write {
  return {
    table: keys.name,
    row: keyId,
    kind: 'merge',
    statement: {
      sql: [
        'update api_keys set last_used_at = $2',
        'where id = $1 and (last_used_at is null or last_used_at < $2)',
      ].join(' '),
      params: [keyId, time(lastUsedAtMs)],
      guards: null,
      template: null,
    },
  };
}

function scopesOf(names: readonly string[]): readonly Scope[] {
  assert(names.every(isScope), 'stored scopes are known ones');
  return names as readonly Scope[];
}
